package ml

import (
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// mapping is the State of an operator that maps each element by a list of keys to
// the value at the same place, or to a default: the keys find a place, the values
// are moved by their width. The default lies behind the values.
type mapping struct {
	find    placeFinder
	fill    placeFiller
	keys    any // map[K]int32
	nan     int32
	values  tensor.View
	texts   texts // the values where they are strings
	missing int32 // the place of the default
	out, in *tensor.View
}

// placeFinder returns the place of the value for element i.
type placeFinder func(m *mapping, i int) int32

// placeFiller writes the values of the elements [lo, hi).
type placeFiller func(m *mapping, lo, hi int)

// Chunk implements op.Task over the elements.
func (m *mapping) Chunk(lo, hi int) { m.fill(m, lo, hi) }

func runMapping(c *op.Context) error {
	m := c.State.(*mapping)
	m.out, m.in = c.Out(0), c.In(0)
	if m.out.DType == tensor.Str {
		if err := m.texts.bind(c, 0); err != nil {
			return err
		}
	}
	c.For(m.in.Elements(), elementGrain/4, m)
	return nil
}

// fillers move values by their width in bytes.
var fillers = map[int]placeFiller{2: fill[uint16], 4: fill[uint32], 8: fill[uint64]}

func fill[T any](m *mapping, lo, hi int) {
	dst, values := tensor.Elems[T](m.out), tensor.Elems[T](&m.values)
	for i := lo; i < hi; i++ {
		dst[i] = values[m.find(m, i)]
	}
}

func fillTexts(m *mapping, lo, hi int) {
	dst := tensor.Elems[tensor.Text](m.out)
	for i := lo; i < hi; i++ {
		dst[i] = m.texts.elems[m.find(m, i)]
	}
}

// setTexts makes strings the values.
func (m *mapping) setTexts(values []string, missing string) {
	m.texts = newTexts(append(append([]string{}, values...), missing))
	m.missing, m.fill = int32(len(values)), fillTexts
}

// setValues makes numbers of a type the values.
func setValues[T any](m *mapping, dtype tensor.DType, values []T, missing T) error {
	list := append(append([]T{}, values...), missing)
	m.missing, m.fill = int32(len(values)), fillers[dtype.Width()]
	var err error
	m.values, err = tensor.ViewOf(dtype, tensor.Shape{len(list)}, list)
	return err
}

// setKeys makes the keys; of equal ones the last counts, and a NaN is any NaN.
func setKeys[K comparable](m *mapping, keys []K) {
	list := make(map[K]int32, len(keys))
	m.nan, m.find = -1, findPlace[K]
	for i, k := range keys {
		if k != k {
			m.nan = int32(i)
			continue
		}
		list[k] = int32(i)
	}
	m.keys = list
}

func findPlace[K comparable](m *mapping, i int) int32 {
	x := tensor.Elems[K](m.in)[i]
	if p, ok := m.keys.(map[K]int32)[x]; ok {
		return p
	}
	if x != x && m.nan >= 0 {
		return m.nan
	}
	return m.missing
}

// int64s are an attribute's integers.
func int64s(list []int) []int64 {
	all := make([]int64, len(list))
	for i, x := range list {
		all[i] = int64(x)
	}
	return all
}
