package shape

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Tile repeats a tensor along each of its dimensions.
// https://onnx.ai/onnx/operators/onnx__Tile.html   Departures: none.
var Tile = op.Declare("", "Tile", func() op.Def {
	return op.Def{
		Halves:   op.KeptHalves,
		Versions: op.Versions{6: "", 13: "bfloat16"},
		Shape: func(c *op.Infer) error {
			repeats, err := c.Ints(1)
			if err != nil {
				return err
			}
			in := c.In(0)
			if len(repeats) != len(in) {
				return errs.New(errs.Shape, "%d repeats given for shape %v: one for each dimension is expected", len(repeats), in)
			}
			out := c.Grow(0, c.DType(0), len(in))
			for a, r := range repeats {
				out[a] = in[a] * max(r, -1)
			}
			_, err = out.Check(c.DType(0))
			return err
		},
		Prepare: func(c *op.Context) error {
			c.State = newTiling(c.In(0).Shape, c.Out(0).Shape)
			return nil
		},
		Run:    runStrided,
		DTypes: stridedCopies,
		Also:   map[int][]tensor.DType{1: {tensor.I64}},
	}
})

// Tile1 is Tile before version 6: along one axis, all inputs of one type.
var Tile1 = op.Declare("", "Tile", func() op.Def {
	return op.Def{
		Halves:   op.KeptHalves,
		Versions: op.Versions{1: "tiles and axis are scalars"},
		Shape: func(c *op.Infer) error {
			tiles, err := c.Whole(1)
			if err != nil {
				return err
			}
			axis, err := c.Whole(2)
			if err != nil {
				return err
			}
			if len(tiles) != 1 || len(axis) != 1 {
				return errs.New(errs.Shape, "%d tiles and %d axes given: one each is expected", len(tiles), len(axis))
			}
			a, err := tensor.Axis(axis[0], len(c.In(0)))
			if err != nil {
				return err
			}
			out := c.Grow(0, c.DType(0), len(c.In(0)))
			copy(out, c.In(0))
			out[a] *= max(tiles[0], -1)
			_, err = out.Check(c.DType(0))
			return err
		},
		Prepare: func(c *op.Context) error {
			c.State = newTiling(c.In(0).Shape, c.Out(0).Shape)
			return nil
		},
		Run:    runStrided,
		DTypes: stridedCopies,
	}
})

// newTiling sees each dimension as two: how often it is repeated, and itself.
func newTiling(in, out tensor.Shape) *strided {
	own := in.Strides(len(in))
	shape, strides := make(tensor.Shape, 2*len(in)), make([]int, 2*len(in))
	for a, d := range in {
		shape[2*a+1], strides[2*a+1] = d, own[a]
		if d > 0 {
			shape[2*a] = out[a] / d
		}
	}
	return newStrided(shape, strides, 0)
}
