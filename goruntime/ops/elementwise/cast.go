package elementwise

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Cast converts the elements to another type.
// https://onnx.ai/onnx/operators/onnx__Cast.html
// Departures: where the
// specification leaves the result open: a float beyond 64-bit integers gives what
// the processor gives, integers of fewer than 32 bits and u32 take the low bits
// of the whole number, f8e8m0 takes the magnitude of a negative number, and a
// number becomes the shortest string that reads back as the same number.
var Cast = op.Declare("", "Cast", func() op.Def {
	return op.Def{
		Versions: op.Versions{
			6: "", 9: "strings", 13: "bfloat16", 19: "float8, saturate", 21: "4-bit integers", 23: "float4e2m1",
			24: "float8e8m0, round_mode", 25: "2-bit integers", 28: "float6",
		},
		Attrs:   op.Attrs(op.Required("to", op.KindInt), op.Int("saturate", 1), op.String("round_mode", "up")),
		InPlace: op.FirstOnly,
		Alias:   func(c *op.Infer) bool { return c.DType(0) == tensor.DType(c.Attr.Int("to")) },
		Shape: func(c *op.Infer) error {
			to := c.Attr.Int("to")
			if to < 0 || to >= tensor.NumDTypes || !tensor.DType(to).Valid() {
				return errs.New(errs.Argument, "to is %d, which is no element type", to)
			}
			c.SetOutput(0, tensor.DType(to), c.In(0))
			return nil
		},
		Prepare: func(c *op.Context) error {
			return castPrepare(c, c.Attr.Bool("saturate"), c.Attr.Str("round_mode"))
		},
		Run: castRun,
	}
})

// Cast1 is Cast before version 6, whose attribute names the type.
var Cast1 = op.Declare("", "Cast", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: "the type is a name"},
		Attrs:    op.Attrs(op.Required("to", op.KindString)),
		InPlace:  op.FirstOnly,
		Shape: func(c *op.Infer) error {
			to, ok := castNames[c.Attr.Str("to")]
			if !ok {
				return errs.New(errs.Argument, "to is %q, which is no element type", c.Attr.Str("to"))
			}
			c.SetOutput(0, to, c.In(0))
			return nil
		},
		Prepare: func(c *op.Context) error { return castPrepare(c, true, "up") },
		Run:     castRun,
	}
})

// castNames are the types of version 1 by their names in TensorProto.DataType.
var castNames = map[string]tensor.DType{
	"FLOAT": tensor.F32, "UINT8": tensor.U8, "INT8": tensor.I8, "UINT16": tensor.U16, "INT16": tensor.I16, "INT32": tensor.I32,
	"INT64": tensor.I64, "BOOL": tensor.Bool, "FLOAT16": tensor.F16, "DOUBLE": tensor.F64, "UINT32": tensor.U32, "UINT64": tensor.U64,
}

// CastLike converts the elements of the first input to the type of the second.
// https://onnx.ai/onnx/operators/onnx__CastLike.html   Departures: as Cast.
var CastLike = op.Declare("", "CastLike", func() op.Def {
	return op.Def{
		Versions: op.Versions{
			15: "", 19: "float8, saturate", 21: "4-bit integers", 23: "float4e2m1", 24: "float8e8m0, round_mode", 25: "2-bit integers",
		},
		Attrs:   op.Attrs(op.Int("saturate", 1), op.String("round_mode", "up")),
		InPlace: op.FirstOnly,
		Shape: func(c *op.Infer) error {
			c.SetOutput(0, c.DType(1), c.In(0))
			return nil
		},
		Prepare: func(c *op.Context) error {
			return castPrepare(c, c.Attr.Bool("saturate"), c.Attr.Str("round_mode"))
		},
		Run: castRun,
	}
})

// casting is the State of a Cast.
type casting struct {
	saturate bool
	mode     scaleMode
	integer  bool // the output is of whole numbers: strings are read as such
	toText   bool
	run      func(s *casting, lo, hi int) error
	out, in  *tensor.View
	text     []byte // of a cast to strings, textBytes an element
}

func castPrepare(c *op.Context, saturate bool, mode string) error {
	from, to := c.In(0).DType, c.Out(0).DType
	m, ok := scaleModes[mode]
	if !ok {
		return errs.New(errs.Argument, "round_mode is %q: it must be up, down or nearest", mode)
	}
	s := &casting{saturate: saturate, mode: m, integer: to.Integer(), toText: to == tensor.Str && from != tensor.Str}
	c.State = s
	if from == to {
		s.run = castNothing
		return nil
	}
	if s.run = directCasts[from][to]; s.run != nil {
		return nil
	}
	read, write := readers[from], writers[to]
	if read == nil || write.i == nil {
		return errs.New(errs.Unsupported, "a cast from %v to %v is not defined", from, to)
	}
	s.run = func(s *casting, lo, hi int) error { return read(s, write, lo, hi) }
	return nil
}

var castRun = op.Unpacked(func(c *op.Context) error {
	s := c.State.(*casting)
	s.out, s.in = c.Out(0), c.In(0)
	n := s.out.Elements()
	if s.toText {
		var err error
		if s.text, err = c.Text(0, n*textBytes); err != nil {
			return err
		}
	}
	if s.in.DType == tensor.Str { // the only casts that fail: in order, to name the first
		return s.run(s, 0, n)
	}
	if n > 0 {
		c.For(n, grain, s)
	}
	return nil
})

// Chunk implements op.Task over the elements; what it runs does not fail.
func (s *casting) Chunk(lo, hi int) { _ = s.run(s, lo, hi) }

// castNothing moves elements of one type.
func castNothing(s *casting, lo, hi int) error {
	w := s.out.DType.Width()
	copy(s.out.Raw()[lo*w:hi*w], s.in.Raw()[lo*w:hi*w])
	return nil
}
