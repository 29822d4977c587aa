package linalg

import (
	"strings"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Einsum multiplies operands whose dimensions have letters and sums over the
// letters that the output has not. Operands are taken from the left, two at a time,
// each pair as a batch of matrix products.
// https://onnx.ai/onnx/operators/onnx__Einsum.html   Departures: none. As in NumPy,
// a dimension of 1 broadcasts, and so do ellipses of different ranks.
var Einsum = op.Declare("", "Einsum", func() op.Def {
	return op.Def{
		Versions: op.Versions{12: "", 28: "bfloat16"}, Attrs: op.Attrs(op.Required("equation", op.KindString)),
		Shape: einsumShape,
		Prepare: func(c *op.Context) error {
			p, err := planEinsum(c)
			if err != nil {
				return err
			}
			c.State = op.Row[einsumKernel](c).prepare(c, p)
			return nil
		},
		Run: func(c *op.Context) error {
			op.Row[einsumKernel](c).run(c)
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]einsumKernel{
			tensor.F32: einsumOf(multiplyTiles[float32]), tensor.F64: einsumOf(multiplyTiles[float64]), tensor.I8: einsumOf(multiplyEach[int8]), tensor.I16: einsumOf(multiplyEach[int16]),
			tensor.I32: einsumOf(multiplyTiles[int32]), tensor.I64: einsumOf(multiplyTiles[int64]), tensor.U8: einsumOf(multiplyEach[uint8]), tensor.U16: einsumOf(multiplyEach[uint16]),
			tensor.U32: einsumOf(multiplyTiles[uint32]), tensor.U64: einsumOf(multiplyTiles[uint64]),
			tensor.F16: einsumHalf[tensor.Half](), tensor.BF16: einsumHalf[tensor.BFloat16](),
		}),
	}
})

// Labels: the letters in the order of ASCII, then the dimensions of the ellipsis.
const (
	letters   = 52
	mostRank  = 64
	allLabels = letters + mostRank
)

// labelSizes holds, by label, the size of its dimensions and how often it occurs in
// the operands.
type labelSizes struct {
	size, times [allLabels]int
	ellipsis    int // dimensions of the longest ellipsis
}

// letterOf returns the label of a letter, or -1.
func letterOf(c byte) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + letters/2
	}
	return -1
}

// nextTerm returns what stands before the next comma, and the rest.
func nextTerm(list string) (term, rest string, more bool) {
	return strings.Cut(list, ",")
}

// split returns the operands' part of an equation and the output's, which may be
// implicit.
func split(equation string) (left, right string, explicit bool) {
	return strings.Cut(equation, "->")
}

// countTerm returns the letters of a term and whether it has an ellipsis.
func countTerm(term string) (n int, dots bool, err error) {
	for i := 0; i < len(term); i++ {
		switch {
		case term[i] == ' ':
		case letterOf(term[i]) >= 0:
			n++
		case strings.HasPrefix(term[i:], "...") && !dots:
			dots = true
			i += 2
		default:
			return 0, false, errs.New(errs.Model, "the term %q has %q: letters, blanks and one ellipsis are expected", term, term[i:i+1])
		}
	}
	return n, dots, nil
}

// appendLabels appends the labels of a term whose ellipsis stands for so many
// dimensions, the last ones of the longest.
func (s *labelSizes) appendLabels(dst []int, term string, dots int) []int {
	for i := 0; i < len(term); i++ {
		switch {
		case term[i] == '.':
			for k := range dots {
				dst = append(dst, letters+s.ellipsis-dots+k)
			}
			i += 2
		case term[i] != ' ':
			dst = append(dst, letterOf(term[i]))
		}
	}
	return dst
}

// measure reads the operands' part of the equation for these shapes.
func (s *labelSizes) measure(left string, inputs int, shape func(int) tensor.Shape) error {
	for i, list, more := 0, left, true; more; i++ {
		var term string
		term, list, more = nextTerm(list)
		if i == inputs || !more && i+1 != inputs {
			return errs.New(errs.Model, "the equation has terms for %d operands, %d are given", strings.Count(left, ",")+1, inputs)
		}
		n, dots, err := countTerm(term)
		if err != nil {
			return err
		}
		rank := len(shape(i))
		if rank > mostRank {
			return errs.New(errs.Unsupported, "operand %d has rank %d, at most %d is supported", i, rank, mostRank)
		}
		if n > rank || !dots && n < rank {
			return errs.New(errs.Shape, "the term %q has %d letters, operand %d has shape %v", term, n, i, shape(i))
		}
		s.ellipsis = max(s.ellipsis, rank-n)
	}
	var room [mostRank]int
	for i, list := 0, left; i < inputs; i++ {
		var term string
		term, list, _ = nextTerm(list)
		n, _, err := countTerm(term)
		if err != nil {
			return err
		}
		dims := shape(i)
		for k, label := range s.appendLabels(room[:0], term, len(dims)-n) {
			size := &s.size[label]
			if s.times[label]++; s.times[label] == 1 || *size == 1 {
				*size = dims[k]
			}
			if dims[k] != *size && dims[k] != 1 {
				return errs.New(errs.Shape, "dimension %d of operand %d, %v, is %d: its letter stands for %d elsewhere", k, i, dims, dims[k], *size)
			}
		}
	}
	return nil
}

// output appends the labels of the output.
func (s *labelSizes) output(dst []int, right string, explicit bool) ([]int, error) {
	if !explicit {
		for k := range s.ellipsis {
			dst = append(dst, letters+k)
		}
		for l := range letters {
			if s.times[l] == 1 {
				dst = append(dst, l)
			}
		}
		return dst, nil
	}
	if _, _, err := countTerm(right); err != nil {
		return dst, err
	}
	dst = s.appendLabels(dst, right, s.ellipsis)
	var seen [allLabels]bool
	for _, l := range dst {
		if seen[l] || l < letters && s.times[l] == 0 {
			return dst, errs.New(errs.Model, "the output term %q has a letter twice or one that no operand has", right)
		}
		seen[l] = true
	}
	return dst, nil
}

func einsumShape(c *op.Infer) error {
	for i := range c.Inputs() {
		if !c.Has(i) || c.DType(i) != c.DType(0) {
			return errs.New(errs.Type, "operand %d is missing or of another type than operand 0", i)
		}
	}
	left, right, explicit := split(c.Attr.Str("equation"))
	var s labelSizes
	if err := s.measure(left, c.Inputs(), c.In); err != nil {
		return err
	}
	var room [allLabels]int
	labels, err := s.output(room[:0], right, explicit)
	if err != nil {
		return err
	}
	out := c.Grow(0, c.DType(0), len(labels))
	for i, l := range labels {
		out[i] = s.size[l]
	}
	_, err = out.Check(c.DType(0))
	return err
}
