package elementwise

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// PRelu multiplies what is below zero by a slope, which broadcasts to the input
// in one direction.
// https://onnx.ai/onnx/operators/onnx__PRelu.html   Departures: none.
var PRelu = op.Declare("", "PRelu", func() op.Def {
	return op.Def{
		Versions: op.Versions{7: "", 9: "integers", 16: "bfloat16"}, InPlace: op.FirstOnly,
		Shape: func(c *op.Infer) error {
			out, err := op.BroadcastShape(c.Grow(0, c.DType(0), 0), c.In(0), c.In(1))
			if err != nil || !out.Equal(c.In(0)) {
				return errs.New(errs.Shape, "the slope has shape %v, which does not broadcast to %v", c.In(1), c.In(0))
			}
			c.SetOutput(0, c.DType(0), c.In(0))
			return nil
		},
		Prepare: preparePair, Run: runPair, DTypes: preluRows, Chain: combines(vec.Leak), Halves: op.RoundedHalves,
	}
})

// PRelu1 is PRelu before version 7: a slope of one dimension belongs to the
// channels.
var PRelu1 = op.Declare("", "PRelu", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: "slope of the channels", 6: ""}, Attrs: op.Attrs(op.Ints("consumed_inputs")), InPlace: op.FirstOnly,
		Shape: func(c *op.Infer) error {
			if _, err := channelSlope(c.In(0), c.In(1)); err != nil {
				return err
			}
			c.SetOutput(0, c.DType(0), c.In(0))
			return nil
		},
		Prepare: func(c *op.Context) error {
			slope, err := channelSlope(c.In(0).Shape, c.In(1).Shape)
			if err == nil {
				c.State = plan(c, slope)
			}
			return err
		},
		Run: runPair, DTypes: preluRows,
	}
})

// channelSlope returns the slope's shape as broadcasting needs it.
func channelSlope(x, slope tensor.Shape) (tensor.Shape, error) {
	n := slope.Elements()
	switch {
	case n == 1:
		return tensor.Shape{1}, nil
	case len(x) > 1 && n == x[1] && len(slope) == 1:
		full := make(tensor.Shape, len(x)-1)
		for i := range full {
			full[i] = 1
		}
		full[0] = n
		return full, nil
	case slope.Equal(x):
		return slope, nil
	}
	return nil, errs.New(errs.Shape, "the slope has shape %v, one number or one for each of the channels of %v expected", slope, x)
}

var preluRows = op.ByType(map[tensor.DType]row{
	tensor.F32: row32(vec.Leak, prelu[float32]), tensor.F64: prelu[float64], tensor.I32: prelu[int32], tensor.I64: prelu[int64],
	tensor.U32: prelu[uint32], tensor.U64: prelu[uint64],
	tensor.F16: rowHalf[tensor.Half](vec.Leak), tensor.BF16: rowHalf[tensor.BFloat16](vec.Leak),
})

func prelu[T number](out, a, b *tensor.View, o, i, j, n, sa, sb int) {
	dst, x, y := spans[T](out, a, b, o, i, j, n, sa, sb)
	for k := range dst {
		v := x[k*sa]
		if v < 0 {
			v *= y[k*sb]
		}
		dst[k] = v
	}
}
