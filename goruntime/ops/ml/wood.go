package ml

import (
	"github.com/goruntime/goruntime/goruntime/kernels/tree"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// wood is a forest with what its leaves give: all that an ensemble has of the
// attributes alone. It is made once for a node, whatever the number of rows, and never
// changed.
type wood[T number] struct {
	trees     *tree.Forest
	votes     *votes[T]
	first     []weight[T]  // by leaf, where each has a weight, which is added; else nil
	rest      *votes[T]    // the weights behind those, nil where there are none
	sure      []bool       // the targets that every row has something for, where no other has; else nil
	quick     *tree.Quick  // for float32s: of small trees whose leaves each add one weight, else nil
	narrow    *tree.Narrow // for float32s, nil where it does not serve
	double    *tree.Double // as quick, of weights of 64 bits
	targets   int
	features  int
	keys      int // of a row: features in all planes
	aggregate aggregate
}

// woodKey is what a wood is made for beside the attributes.
type woodKey[T number] struct {
	dtype    tensor.DType
	features int
}

// woodOf returns what of makes for the rows of input 0, once for a node.
func woodOf[T number, V any](c *op.Context, of func(features int) (V, error)) (V, error) {
	x := c.In(0)
	n := featuresOf(x.Shape)
	return op.Derive(c.Attr, woodKey[T]{x.DType, n}, func() (V, error) { return of(n) })
}

func newWood[T number](d tensor.DType, f *tree.Forest, v *votes[T], targets, features int, by aggregate) *wood[T] {
	g := &wood[T]{trees: f, votes: v, targets: targets, features: features, keys: features * f.Planes(), aggregate: by}
	if by <= sum {
		if g.sure = v.sure(f, targets); g.sure != nil {
			g.votes = v.condensed()
		}
		g.first, g.rest = g.votes.split()
	}
	single := g.first != nil && g.rest == nil
	if _, wide := any(T(0)).(float64); wide && single && features > 0 {
		g.double = f.Double(func(leaf int32) (target int, value float64) {
			w := g.first[leaf]
			return int(w.target), float64(w.value)
		})
	}
	if d != tensor.F32 || features == 0 {
		return g
	}
	g.narrow = f.Narrow()
	if single {
		g.quick = f.Quick(func(leaf int32) (target int, value float32) {
			w := g.first[leaf]
			return int(w.target), float32(w.value)
		})
	}
	return g
}
