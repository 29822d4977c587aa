package flight

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// Token is a bearer token.
type Token struct {
	Secret string   `json:"token"`
	Models []string `json:"models,omitempty"` // that it may use; nil is all
	Admin  bool     `json:"admin,omitempty"`  // may load and unload
}

// ParseTokens reads a JSON list of tokens.
//
// Errors: errs.Argument for what would let in more than is meant: no tokens, an unknown
// field, which is most likely a known one misspelled, a token without a secret, two of one
// secret, and an empty list of models.
func ParseTokens(text []byte) ([]Token, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var list []Token
	err := d.Decode(&list)
	if err == nil && d.More() {
		err = errors.New("there is more text behind the list")
	}
	if err == nil {
		err = checkTokens(list)
	}
	if err != nil {
		return nil, errs.New(errs.Argument, "the tokens: %w", err)
	}
	return list, nil
}

func checkTokens(list []Token) error {
	if len(list) == 0 {
		return errors.New("the list is empty: nobody could call; leave the file away to let anyone")
	}
	first := map[string]int{}
	for i, t := range list {
		if t.Secret == "" {
			return fmt.Errorf("entry %d has no token: a secret expected", i)
		}
		if before, ok := first[t.Secret]; ok {
			return fmt.Errorf("the entries %d and %d have the same token: one entry for each expected", before, i)
		}
		first[t.Secret] = i
		if t.Models != nil && len(t.Models) == 0 {
			return fmt.Errorf("models of entry %d is empty: names expected, or leave it out for all models", i)
		}
	}
	return nil
}
