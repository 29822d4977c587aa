package arrowio

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
)

// Sums returns the SHA-256 of a model and of the files that its tensors outside lie in, by
// their place beside it; nil where there are none.
func Sums(m *onnx.Model) (model string, weights map[string]string) {
	_, raw, _ := m.Source()
	for place, b := range m.Fetch() {
		if weights == nil {
			weights = map[string]string{}
		}
		weights[place] = hexOf(b)
	}
	return hexOf(raw), weights
}

func hexOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Verify compares a model with the checksums of its manifest, where it has some.
//
// Errors: errs.Model for another sum, and for a file of weights that has none where others
// have, or is not there.
func (m *Manifest) Verify(model *onnx.Model) error {
	if m.Checksum == "" && m.Weights == nil {
		return nil
	}
	sum, weights := Sums(model)
	if m.Checksum != "" && m.Checksum != sum {
		return errs.New(errs.Model, "its SHA-256 is %s, the manifest says %s", sum, m.Checksum)
	}
	if m.Weights == nil {
		return nil
	}
	for _, place := range slices.Sorted(maps.Keys(m.Weights)) {
		if weights[place] == "" {
			return errs.New(errs.Model, "the manifest's weights have %q, which is no file of the model's tensors that can be read", place)
		}
	}
	for _, place := range slices.Sorted(maps.Keys(weights)) {
		if want := m.Weights[place]; weights[place] != want {
			return errs.New(errs.Model, "the SHA-256 of %q is %s, the manifest's weights say %q", place, weights[place], want)
		}
	}
	return nil
}
