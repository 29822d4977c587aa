package arrowio

import (
	"cmp"
	"strings"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Plan is a manifest compiled for a model and a schema: scoring a batch looks up no
// names.
//
// Concurrency: safe from any goroutine; each batch takes its own Feeds.
type Plan struct {
	session  *exec.Session
	manifest *Manifest
	schema   *arrow.Schema
	inputs   []input
	target   *exec.Target // nil is the model's outputs
	values   []string     // that are returned
	columns  []string     // the names under which they are
	form     atomic.Pointer[form]
}

// input is how one input of the model is fed.
type input struct {
	name    string
	columns []int // none: the input has a default and is not fed
	fill    any
	cast    bool
	dtype   tensor.DType // as declared, Undefined where it is not
	rank    int          // as declared, -1 where it is not
	dims    []onnx.Dim   // as declared
	shapes  [][]int      // of each column, of a fixed_shape_tensor
}

// Compile makes the plan of a model for batches of this schema. Columns bind to inputs
// by the manifest, then by name; where one input and columns of one type are left
// over, they are its columns in the order of the schema. A nil manifest is an empty
// one.
//
// Ownership: the session is borrowed for as long as the plan is used.
// Errors: errs.Name for an input without a column, and for a column or an input of the
// manifest that is not there; errs.Argument for two columns of one name; errs.Type for a
// column that no tensor can hold, and a fill that its column cannot.
func Compile(s *exec.Session, schema *arrow.Schema, m *Manifest) (*Plan, error) {
	if m == nil {
		m = &Manifest{}
	}
	for i, f := range schema.Fields() {
		if at := schema.FieldIndices(f.Name); at[0] != i {
			return nil, errs.New(errs.Argument, "the columns %d and %d are both named %q: every column needs a name of its own", at[0], i, f.Name)
		}
	}
	if err := m.Check(s); err != nil {
		return nil, err
	}
	p := &Plan{session: s, manifest: m, schema: schema}
	if err := p.bind(); err != nil {
		return nil, err
	}
	for i := range p.inputs {
		if err := p.check(&p.inputs[i]); err != nil {
			return nil, err
		}
		if err := p.asDeclared(&p.inputs[i]); err != nil {
			return nil, err
		}
	}
	return p, p.results()
}

// Schema returns the schema that the plan is for.
func (p *Plan) Schema() *arrow.Schema { return p.schema }

func (p *Plan) bind() error {
	used := map[int]bool{}
	var left []*input
	infos := p.session.Inputs()
	p.inputs = make([]input, len(infos))
	for i, info := range infos {
		in := &p.inputs[i]
		*in = input{name: info.Name, rank: -1}
		if info.Type != nil {
			in.dtype = info.Type.Elem
			if info.Type.HasShape {
				in.rank, in.dims = len(info.Type.Dims), info.Type.Dims
			}
		}
		rule := p.manifest.Inputs[info.Name]
		in.fill, in.cast = rule.Fill, rule.Cast
		names := rule.Columns
		if len(names) == 0 && len(p.schema.FieldIndices(info.Name)) == 1 {
			names = []string{info.Name}
		}
		for _, name := range names {
			at := p.schema.FieldIndices(name)
			if len(at) != 1 {
				return errs.New(errs.Name, "%d columns are named %q, one expected; the schema has %s", len(at), name, p.names()).WithInput(info.Name)
			}
			in.columns = append(in.columns, at[0])
			used[at[0]] = true
		}
		if len(in.columns) == 0 && !info.Optional {
			left = append(left, in)
		}
	}
	return p.spare(left, used)
}

// spare gives the columns that no name binds to the one input that is left.
func (p *Plan) spare(left []*input, used map[int]bool) error {
	if len(left) == 0 {
		return nil
	}
	var columns []int
	alike := true
	for i, f := range p.schema.Fields() {
		if !used[i] {
			alike = alike && (len(columns) == 0 || arrow.TypeEqual(p.schema.Field(columns[0]).Type, f.Type))
			columns = append(columns, i)
		}
	}
	if len(left) > 1 || len(columns) == 0 || !alike {
		names := make([]string, len(left))
		for i, in := range left {
			names[i] = in.name
		}
		return errs.New(errs.Name, "no columns for the inputs %s; the schema has %s", strings.Join(names, ", "), p.names())
	}
	left[0].columns = columns
	return nil
}

func (p *Plan) names() string {
	var list []string
	for _, f := range p.schema.Fields() {
		list = append(list, f.Name)
	}
	return strings.Join(list, ", ")
}

// check looks whether the columns of an input can feed it.
func (p *Plan) check(in *input) error {
	in.shapes = make([][]int, len(in.columns))
	for k, c := range in.columns {
		f := p.schema.Field(c)
		d, axes := elementOf(f.Type)
		switch {
		case d == tensor.Undefined:
			return errs.New(errs.Type, "the column %q is %v, which no tensor can hold", f.Name, f.Type).WithInput(in.name)
		case len(in.columns) > 1 && (axes > 0 || d == tensor.Str || d == tensor.Bool):
			return errs.New(errs.Type, "the column %q is %v: several columns for one input must be plain numbers", f.Name, f.Type).WithInput(in.name)
		case in.dtype != tensor.Undefined && d != in.dtype && !castable(d, in.dtype):
			return errs.New(errs.Type, "the column %q is %v, %v expected, to which it cannot be cast", f.Name, f.Type, in.dtype).WithInput(in.name)
		case in.dtype != tensor.Undefined && d != in.dtype && !in.cast:
			return errs.New(errs.Type, "the column %q is %v, %v expected: a manifest may allow the cast", f.Name, d, in.dtype).WithInput(in.name)
		}
		shape, err := tensorShape(f)
		if err != nil {
			return err
		}
		in.shapes[k] = shape
		if in.fill != nil {
			if err := fillable(d, in.fill); err != nil {
				return errs.New(errs.CodeOf(err), "the column %q: %w", f.Name, err).WithInput(in.name)
			}
		}
	}
	return nil
}

// results settles which values are returned, and under which names.
func (p *Plan) results() error {
	if len(p.manifest.Outputs) == 0 {
		for _, o := range p.session.Outputs() {
			p.values, p.columns = append(p.values, o.Name), append(p.columns, o.Name)
		}
		return nil
	}
	for _, o := range p.manifest.Outputs {
		p.values, p.columns = append(p.values, o.Value), append(p.columns, cmp.Or(o.Column, o.Value))
	}
	var err error
	p.target, err = p.session.Target(p.values)
	return err
}
