package arrowio

import (
	"cmp"
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

// Fields returns columns that the inputs of a model take by a manifest, which may be nil:
// batches of them Compile. An input that no column can feed has none.
func Fields(s *exec.Session, m *Manifest) []arrow.Field {
	var fields []arrow.Field
	for _, in := range s.Inputs() {
		f, ok := FieldOf(in)
		if !ok {
			continue
		}
		rule := InputRule{}
		if m != nil {
			rule = m.Inputs[in.Name]
		}
		f.Nullable = rule.Fill != nil
		if len(rule.Columns) > 1 {
			f.Type = arrowTypes[in.Type.Elem]
		}
		for _, name := range rule.Columns {
			f.Name = name
			fields = append(fields, f)
		}
		if len(rule.Columns) == 0 {
			fields = append(fields, f)
		}
	}
	for i := range fields {
		if m == nil || m.Schema == nil {
			break
		}
		if t := declared(m.Schema.Inputs, fields[i].Name); t != nil {
			fields[i].Type = t
		}
	}
	return fields
}

// Answers returns the columns of the answers by a manifest, which may be nil, and the type
// of each as the model declares it, "" where it does not.
func Answers(s *exec.Session, m *Manifest) (columns, types []string) {
	typed := map[string]string{}
	for _, o := range s.Outputs() {
		typed[o.Name] = o.Type.String()
		columns, types = append(columns, o.Name), append(types, typed[o.Name])
	}
	if m == nil || len(m.Outputs) == 0 {
		return columns, types
	}
	columns, types = nil, nil
	for _, o := range m.Outputs {
		columns, types = append(columns, cmp.Or(o.Column, o.Value)), append(types, typed[o.Value])
	}
	return columns, types
}
