package elementwise

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Every type is seen as every other of its width, bit for bit.
func TestBitCast(t *testing.T) {
	shape := optest.Dims(2, 3)
	var cases []optest.Case
	for _, from := range bitTypes {
		raw := make([]byte, from.Bytes(6))
		for i := range raw {
			raw[i] = byte(i*37+11) & 0x7f
		}
		if tail := 6 * from.Bits() % 8; tail != 0 { // the last byte is filled with zeros
			raw[len(raw)-1] &= 1<<tail - 1
		}
		for _, to := range bitTypes {
			c := optest.Case{Name: from.String() + " as " + to.String(), Attrs: optest.Attrs("to", int(to)), In: optest.In(optest.Make(from, shape, raw))}
			switch {
			case from.Bits() != to.Bits():
				c.Err, c.Code = "they must be as many", errs.Argument
			case from == tensor.Bool || to == tensor.Bool:
				bits := []byte{0, 1, 0, 1, 1, 0}
				c.In, c.Want = optest.In(optest.Make(from, shape, bits)), optest.Want(optest.Make(to, shape, bits))
			default:
				c.Want = optest.Want(optest.Make(to, shape, raw))
			}
			cases = append(cases, c)
		}
	}
	optest.Run(t, BitCast, append(cases,
		optest.Case{Name: "one as an integer", Attrs: optest.Attrs("to", int(tensor.I32)), In: optest.In(optest.F32(nil, 1)), Want: optest.Want(optest.I32(nil, 0x3f800000))},
		optest.Case{Name: "nothing", Attrs: optest.Attrs("to", int(tensor.U64)), In: optest.In(optest.F64(optest.Dims(0))), Want: optest.Want(optest.Make(tensor.U64, optest.Dims(0), []uint64{}))},
		optest.Case{Name: "to strings", Attrs: optest.Attrs("to", int(tensor.Str)), In: optest.In(optest.F32(nil, 1)), Err: "to is 8, which is no element type with bits of its own", Code: errs.Argument},
		optest.Case{Name: "from strings", Attrs: optest.Attrs("to", int(tensor.C128)), In: optest.In(optest.Str(nil, "a")), Err: "element type str is not supported", Code: errs.Unsupported},
	))
}
