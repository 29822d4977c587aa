package index

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Unique gives each element, or each slice along an axis, once: in ascending order
// or in that of their first occurrence, with where they first occur, which of them
// each one of the input is, and how often they occur. All NaNs are equal and come
// last, as NumPy sorts.
// https://onnx.ai/onnx/operators/onnx__Unique.html   Departures: none.
var Unique = op.Declare("", "Unique", func() op.Def {
	return op.Def{
		Versions: op.Versions{11: "", 28: "bfloat16"}, Attrs: op.Attrs(op.Optional("axis", op.KindInt), op.Int("sorted", 1)),
		Computes: true,
		Prepare: func(c *op.Context) error {
			s := &distinct{sorted: c.Attr.Bool("sorted")}
			c.State = s
			return s.along(c)
		},
		Run: func(c *op.Context) error {
			s := c.State.(*distinct)
			row := op.Row[uniqueRow](c)
			s.in, s.compare, s.sortKeys = c.In(0), row.compare, row.sort
			if err := s.group(c); err != nil {
				return err
			}
			return s.write(c)
		},
		DTypes: op.ByType(map[tensor.DType]uniqueRow{
			tensor.I8: byKey(orderSigned[int8]), tensor.I16: byKey(orderSigned[int16]), tensor.I32: byKey(orderSigned[int32]), tensor.I64: byKey(orderSigned[int64]),
			tensor.U8: byKey(orderUnsigned[uint8]), tensor.U16: byKey(orderUnsigned[uint16]), tensor.U32: byKey(orderUnsigned[uint32]), tensor.U64: byKey(orderUnsigned[uint64]),
			tensor.F32: byKey(orderFloat32), tensor.F64: byKey(orderFloat64), tensor.F16: byKey(orderHalf[tensor.Half]), tensor.BF16: byKey(orderHalf[tensor.BFloat16]),
			tensor.Bool: byKey(orderUnsigned[uint8]), tensor.Str: {compare: compareTexts},
			tensor.C64: {compare: byParts(orderFloat32)}, tensor.C128: {compare: byParts(orderFloat64)},
		}),
	}
})

// comparer compares the elements i and j.
type comparer func(v *tensor.View, i, j int) int

// uniqueRow is how elements of a type are compared and, where there are keys,
// sorted.
type uniqueRow struct {
	compare comparer
	sort    func(c *op.Context, s *distinct) error
}

func byKey[T any](key func(T) uint64) uniqueRow {
	return uniqueRow{
		compare: func(v *tensor.View, i, j int) int {
			x := tensor.Elems[T](v)
			return cmp.Compare(key(x[i]), key(x[j]))
		},
		sort: func(c *op.Context, s *distinct) error {
			list, err := op.Temporary[entry](c, s.n)
			if err != nil {
				return err
			}
			for i, x := range tensor.Elems[T](s.in) {
				list[i] = entry{key(x), i}
			}
			slices.SortFunc(list, ascending)
			for i, e := range list {
				s.order[i] = e.at
			}
			return nil
		},
	}
}

// ascending orders entries by key, equal ones as they come.
func ascending(a, b entry) int {
	if a.key != b.key {
		return cmp.Compare(a.key, b.key)
	}
	return a.at - b.at
}

// byParts compares complex numbers by their real parts, then by their imaginary
// ones.
func byParts[T any](order func(T) uint64) comparer {
	return func(v *tensor.View, i, j int) int {
		x, y := tensor.Elems[[2]T](v)[i], tensor.Elems[[2]T](v)[j]
		return cmp.Or(cmp.Compare(order(x[0]), order(y[0])), cmp.Compare(order(x[1]), order(y[1])))
	}
}

func compareTexts(v *tensor.View, i, j int) int {
	x := tensor.Elems[string](v)
	return strings.Compare(x[i], x[j])
}

// distinct is the State: the input is outer x n x inner, of which the n slices are
// compared. It sorts order, and then groups by where they first occur.
type distinct struct {
	sliced
	sorted   bool
	in       *tensor.View
	compare  comparer
	sortKeys func(c *op.Context, s *distinct) error // nil where elements have no keys
	order    []int                                  // the slices, ascending, equal ones as they come
	groups   []slice
	byFirst  bool // what is sorted are the groups
	shape    []int
}

// slice is one that is given once: its first occurrence, where the equal ones lie
// in order.
type slice struct{ first, from, to int }

// Len implements sort.Interface.
func (s *distinct) Len() int {
	if s.byFirst {
		return len(s.groups)
	}
	return len(s.order)
}

// Less implements sort.Interface.
func (s *distinct) Less(i, j int) bool {
	if s.byFirst {
		return s.groups[i].first < s.groups[j].first
	}
	a, b := s.order[i], s.order[j]
	if r := s.slices(a, b); r != 0 {
		return r < 0
	}
	return a < b
}

// Swap implements sort.Interface.
func (s *distinct) Swap(i, j int) {
	if s.byFirst {
		s.groups[i], s.groups[j] = s.groups[j], s.groups[i]
		return
	}
	s.order[i], s.order[j] = s.order[j], s.order[i]
}

// slices compares two slices, element after element.
func (s *distinct) slices(a, b int) int {
	for o := range s.outer {
		at := o * s.n * s.inner
		for i := range s.inner {
			if r := s.compare(s.in, at+a*s.inner+i, at+b*s.inner+i); r != 0 {
				return r
			}
		}
	}
	return 0
}

// group finds what is equal.
func (s *distinct) group(c *op.Context) error {
	var err error
	if s.order, err = op.Temporary[int](c, s.n); err != nil {
		return err
	}
	for i := range s.order {
		s.order[i] = i
	}
	s.byFirst = false
	if s.sortKeys != nil && s.outer*s.inner == 1 {
		if err := s.sortKeys(c, s); err != nil {
			return err
		}
	} else {
		sort.Sort(s)
	}
	s.groups = s.groups[:0]
	for i, at := range s.order {
		if i == 0 || s.slices(s.order[i-1], at) != 0 {
			s.groups = append(s.groups, slice{first: at, from: i})
		}
		s.groups[len(s.groups)-1].to = i + 1
	}
	if !s.sorted {
		s.byFirst = true
		sort.Sort(s)
	}
	return nil
}

func (s *distinct) write(c *op.Context) error {
	s.shape = append(s.shape[:0], len(s.groups))
	if s.axis >= 0 {
		s.shape = append(s.shape[:0], s.in.Shape...)
		s.shape[s.axis] = len(s.groups)
	}
	if c.Wants(0) {
		y, err := c.MakeOutputTensor(0, s.in.DType, s.shape)
		if err != nil {
			return err
		}
		w := s.inner * s.in.DType.Width()
		dst, src := y.Raw(), s.in.Raw()
		for o := range s.outer {
			for _, g := range s.groups {
				copy(dst, src[(o*s.n+g.first)*w:][:w])
				dst = dst[w:]
			}
		}
	}
	first, err := s.list(c, 1, len(s.groups))
	if err != nil {
		return err
	}
	which, err := s.list(c, 2, s.n)
	if err != nil {
		return err
	}
	counts, err := s.list(c, 3, len(s.groups))
	if err != nil {
		return err
	}
	for k, g := range s.groups {
		if first != nil {
			first[k] = int64(g.first)
		}
		if counts != nil {
			counts[k] = int64(g.to - g.from)
		}
		for _, at := range s.order[g.from:g.to] {
			if which != nil {
				which[at] = int64(k)
			}
		}
	}
	return nil
}

// list makes output slot, nil where it is not wanted.
func (s *distinct) list(c *op.Context, slot, n int) ([]int64, error) {
	if !c.Wants(slot) {
		return nil, nil
	}
	s.shape = append(s.shape[:0], n)
	v, err := c.MakeOutputTensor(slot, tensor.I64, s.shape)
	if err != nil {
		return nil, err
	}
	return tensor.Elems[int64](v), nil
}
