package arrowio

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/onnx"
)

// FieldOf returns a column that can feed an input: its first axis is the rows, further
// axes of known size are fixed-size lists, others lists. It is not ok for what no
// column can feed.
func FieldOf(in exec.Info) (f arrow.Field, ok bool) {
	if in.Type == nil || in.Type.Kind != onnx.KindTensor {
		return f, false
	}
	t, ok := arrowTypes[in.Type.Elem]
	if !ok {
		return f, false
	}
	dims := ""
	for k := len(in.Type.Dims) - 1; k >= 0; k-- {
		d := in.Type.Dims[k]
		switch {
		case k == 0:
		case d.Known && d.Value > 0:
			t = arrow.FixedSizeListOf(int32(d.Value), t)
		default:
			t = arrow.ListOf(t)
		}
		text := d.Param
		if d.Known {
			text = strconv.FormatInt(d.Value, 10)
		}
		if text == "" {
			text = "?"
		}
		dims = text + " " + dims
	}
	return arrow.Field{
		Name: in.Name, Type: t, Nullable: false,
		Metadata: arrow.NewMetadata([]string{"goruntime.type", "goruntime.dims", "goruntime.optional"},
			[]string{in.Type.String(), dims, strconv.FormatBool(in.Optional)}),
	}, true
}
