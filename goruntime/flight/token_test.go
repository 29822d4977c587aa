package flight

import (
	"reflect"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// A list that lets in more than its author means is refused.
func TestTokensAreReadOrRefused(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"a list", `[{"token": "a", "models": ["m", "n"]}, {"token": "b", "admin": true}]`, ""},
		{"no text", "", "EOF"},
		{"no list", `{"token": "a"}`, "cannot unmarshal object"},
		{"null", "null", "the list is empty"},
		{"nobody", "[]", "the list is empty: nobody could call"},
		{"a misspelled field, which would allow all models", `[{"token": "a", "model": ["m"]}]`, `unknown field "model"`},
		{"no secret, which an empty header would have", `[{"token": "a"}, {"models": ["m"]}]`, "entry 1 has no token"},
		{"no models, which is not all", `[{"token": "a", "models": []}]`, "models of entry 0 is empty"},
		{"two of one secret", `[{"token": "a", "models": ["m"]}, {"token": "b"}, {"token": "a"}]`, "the entries 0 and 2 have the same token"},
		{"another type", `[{"token": 1}]`, "cannot unmarshal number"},
		{"more text", `[{"token": "a"}] [{"token": "b"}]`, "more text behind the list"},
	} {
		got, err := ParseTokens([]byte(c.text))
		if c.says == "" {
			if want := []Token{{Secret: "a", Models: []string{"m", "n"}}, {Secret: "b", Admin: true}}; err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %v, %v", c.name, got, err)
			}
			continue
		}
		if err == nil || errs.CodeOf(err) != errs.Argument || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
}
