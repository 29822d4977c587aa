package op

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Attr declares one attribute that an operator reads: its name, kind and the
// value that stands where a node does not set it.
type Attr struct {
	Name    string
	Kind    AttrKind
	Default any  // int, float32, string, []int, []float32, []string, *tensor.View or nil
	Needed  bool // there is no default
}

// AttrKind is the kind of an attribute's value.
type AttrKind uint8

// The kinds of attributes, as AttributeProto has them.
const (
	KindInt AttrKind = iota + 1
	KindFloat
	KindString
	KindInts
	KindFloats
	KindStrings
	KindTensor
	KindTensors
	KindGraph
	KindType
	KindSparse
)

// Attrs lists attribute declarations.
func Attrs(a ...Attr) []Attr { return a }

// Int declares an integer attribute with a default.
func Int(name string, def int) Attr { return Attr{Name: name, Kind: KindInt, Default: def} }

// Float declares a float attribute with a default.
func Float(name string, def float32) Attr { return Attr{Name: name, Kind: KindFloat, Default: def} }

// String declares a string attribute with a default.
func String(name, def string) Attr { return Attr{Name: name, Kind: KindString, Default: def} }

// Ints declares an attribute of integers; absent is nil.
func Ints(name string) Attr { return Attr{Name: name, Kind: KindInts} }

// Floats declares an attribute of floats; absent is nil.
func Floats(name string) Attr { return Attr{Name: name, Kind: KindFloats} }

// Strings declares an attribute of strings; absent is nil.
func Strings(name string) Attr { return Attr{Name: name, Kind: KindStrings} }

// Tensor declares a tensor attribute; absent is nil.
func Tensor(name string) Attr { return Attr{Name: name, Kind: KindTensor} }

// Graph declares a subgraph, which every node must have.
func Graph(name string) Attr { return Attr{Name: name, Kind: KindGraph, Needed: true} }

// Optional declares an attribute without a default: Has tells whether it is set.
func Optional(name string, kind AttrKind) Attr { return Attr{Name: name, Kind: kind} }

// Required declares an attribute that every node must set.
func Required(name string, kind AttrKind) Attr { return Attr{Name: name, Kind: kind, Needed: true} }

// Values are the attributes of one node: what it sets, then the defaults of its
// Def. Lookups are linear: operators read attributes in Shape and Prepare, not
// in Run.
type Values struct {
	set     []Value
	def     *Def
	derived *derived // nil where nothing is kept
}

// Value is one attribute that a node sets. V has the dynamic type that Attr's
// Default names; for KindGraph it belongs to exec.
type Value struct {
	Name string
	Kind AttrKind
	V    any
}

// NewValues returns the attributes of a node of def. It fails with errs.Model
// for a value of another kind than declared and for a missing required one.
func NewValues(def *Def, set []Value) (Values, error) {
	for _, d := range def.Attrs {
		found := false
		for _, v := range set {
			if v.Name != d.Name {
				continue
			}
			if v.Kind != d.Kind {
				return Values{}, errs.New(errs.Model, "attribute %q has another type than the schema says", d.Name)
			}
			found = true
		}
		if !found && d.Needed {
			return Values{}, errs.New(errs.Model, "attribute %q is required and missing", d.Name)
		}
	}
	return Values{set: set, def: def, derived: &derived{}}, nil
}

// Has reports whether the node sets the attribute.
func (a *Values) Has(name string) bool { return a.find(name) != nil }

func (a *Values) find(name string) any {
	for i := range a.set {
		if a.set[i].Name == name {
			return a.set[i].V
		}
	}
	return nil
}

func get[T any](a *Values, name string) T {
	if v := a.find(name); v != nil {
		return v.(T)
	}
	for i := range a.def.Attrs {
		if a.def.Attrs[i].Name == name {
			v, _ := a.def.Attrs[i].Default.(T)
			return v
		}
	}
	//lint:allow panic reading an attribute that the Def does not declare is a bug
	panic("op: " + a.def.Name + " reads the undeclared attribute " + name)
}

// Declares reports whether the operator has the attribute.
func (a *Values) Declares(name string) bool { return a.def.Reads(name) }

// Type returns an attribute that is a type, nil where absent.
func (a *Values) Type(name string) *onnx.Type { return get[*onnx.Type](a, name) }

// Int returns an integer attribute.
func (a *Values) Int(name string) int { return get[int](a, name) }

// Bool returns an integer attribute as a truth value.
func (a *Values) Bool(name string) bool { return get[int](a, name) != 0 }

// Float returns a float attribute.
func (a *Values) Float(name string) float32 { return get[float32](a, name) }

// Str returns a string attribute.
func (a *Values) Str(name string) string { return get[string](a, name) }

// Ints returns an attribute of integers, nil where absent.
func (a *Values) Ints(name string) []int { return get[[]int](a, name) }

// Floats returns an attribute of floats, nil where absent.
func (a *Values) Floats(name string) []float32 { return get[[]float32](a, name) }

// Strs returns an attribute of strings, nil where absent.
func (a *Values) Strs(name string) []string { return get[[]string](a, name) }

// Tensor returns a tensor attribute, nil where absent.
func (a *Values) Tensor(name string) *tensor.View { return get[*tensor.View](a, name) }

// Graph returns a subgraph.
func (a *Values) Graph(name string) any { return a.find(name) }
