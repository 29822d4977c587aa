package op

import (
	"maps"
	"slices"

	"github.com/goruntime/goruntime/goruntime/kernels/chain"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Versions lists the schema versions (since_version) of an operator that a Def
// runs, each with what it changed as far as the Def is concerned.
type Versions map[int]string

// Def says what of an operator's schema we run, and how. Arity and types come from
// package schema.
type Def struct {
	Name   string // as declared, and so the domain: a Def that is declared does not say them
	Domain string // "" is ai.onnx
	// Versions are all since_versions that this Def runs alike. A version that
	// behaves differently is a Def of its own.
	Versions Versions
	// Needs are the inputs that a node must have, where the standard has no schema to say
	// so.
	Needs []int
	// Attrs are the attributes that the operator reads, with their defaults.
	Attrs []Attr
	// View is set where output 0 is input 0 under another shape: the planner
	// then shares the memory and Run is called only where it must copy.
	View bool
	// Alias, optional, tells of a node whether output 0 is input 0 in every respect:
	// nothing is run then, and both are one value.
	Alias func(c *Infer) bool
	// InPlace tells which inputs output 0 may overwrite once they are dead.
	InPlace InPlace
	// Shape sets the dtype and shape of each output. See Infer.
	Shape func(*Infer) error
	// Prepare, optional, computes what Run needs beyond its tensors from
	// shapes, attributes and constant inputs, packs weights and asks for
	// workspace. It is called again whenever any of these changed.
	Prepare func(*Context) error
	// Run computes the outputs.
	Run func(*Context) error
	// DTypes is the dispatch and the coverage: the row for the element type of
	// the input numbered Key.
	DTypes Table
	// Key is the input whose element type picks the row; KeyOutput picks by
	// output 0 instead.
	Key int
	// Also lists the element types that further inputs may have, by input
	// number, where they do not follow the key: Gather's indices.
	Also map[int][]tensor.DType
	// FromShape is set where the outputs follow from the shapes of the inputs
	// alone: Shape, Size. They are computed before the run.
	FromShape bool
	// Computes is set where the shapes of the outputs come out of the
	// computation: Run makes them with Context.MakeOutputTensor. Shape is then
	// nil.
	Computes bool
	// Random is set where equal inputs may give other outputs: never folded.
	Random bool
	// Taken, for If, returns the graph attribute that the value of input 0
	// selects: where that is known before the run, exec inlines the subgraph.
	Taken func(cond *tensor.View) (attr string, err error)
	// Chain, optional, adds the operator to a chain of elementwise f32 operations
	// and returns its result; x gives the inputs that it needs as tensors. It is
	// asked only for nodes whose output 0, and whose inputs that are not known, are
	// f32. False says that this node cannot be in a chain.
	Chain func(c *Infer, b *chain.Builder, x func(i int) chain.Ref) (chain.Ref, bool)
	// Affine, optional, returns the numbers a and b of each channel, which is dimension 1,
	// of an f32 node that computes a*x + b of input 0, rounding twice; exec puts it into
	// chains. False says that they are not known before the run.
	Affine func(c *Infer) (a, b []float32, ok bool)
	// Tail is set where the f32 kernel applies the chain that follows the node to
	// its output while it is hot: see Context.Tail.
	Tail bool
	// Columns, optional, tells of a node whether Run and Prepare take input 0, a matrix,
	// also where it lies as columns or in parts (tensor.View, see Rows). Without it they see
	// dense tensors only.
	Columns func(c *Infer) bool
	// Codes, optional, says how the node quantizes input 0, or what it quantizes it
	// back from: false where the scale or the zero point is not known, or not one for
	// all elements.
	Codes func(c *Infer) (Codes, bool)
	// Whole, optional, returns what computes the f32 node exactly on whole numbers whose
	// sums stay below 2^24, nil for the node's own Def. False says that input 1 has no
	// filter for each index of its first dimension, or input 2 no number for each.
	Whole func(c *Infer) (def *Def, ok bool)
	// Bytes, optional, tells of an f32 node whether its product is faster on bytes, and what
	// computes it then: an operator of input x, filters w and output y with the inputs
	// codes, scale and zero point of x, those of w, scale and zero point of y, bias; it has
	// the attributes of the node.
	Bytes func(c *Infer) (def *Def, ok bool)
	// Scaled, optional, tells of an f32 product of inputs 0 and 1 whether it is faster on
	// codes of a byte, and what computes it then, in f32: an operator of the inputs codes of
	// both, their scales, their zero points.
	Scaled func(c *Infer) (def *Def, ok bool)
	// Joins, optional, tells of a node whether output 0 is the matrix [N, K] whose columns
	// are its K inputs: where all that reads it takes columns, exec has nothing run.
	Joins func(c *Infer) bool
	// Appends, optional, tells of a node whether output 0 is its inputs one behind the other
	// in memory. Run then leaves alone what lies in its place already.
	Appends func(c *Infer) bool
	// Cuts, optional, returns of a node each of whose outputs is elements of input 0 that
	// lie one behind the other which is the first of each, of as many as are so; the rule
	// has set the outputs (Infer.Results). Run then leaves alone what lies in its place.
	Cuts func(c *Infer) (first []int, ok bool)
	// Halves says what the f32 kernel is to the 16-bit floats: exec then may run it on f32
	// that has their numbers.
	Halves Halves
	// Control is set where the operator runs subgraphs or moves values that are
	// not tensors: exec hands it values rather than views.
	Control bool
}

// KeyOutput as Def.Key picks the table row by the element type of output 0.
const KeyOutput = -1

// InPlace says whether output 0 may be written over an input that dies in this
// node, has the same shape and elements as wide.
type InPlace uint8

// The in-place rules.
const (
	Never     InPlace = iota // the kernel reads inputs after it wrote outputs
	FirstOnly                // output 0 may take the memory of input 0
	AnyInput                 // ... of any input (elementwise kernels)
)

// Halves is what the outputs of 16-bit floats are to those of f32.
type Halves uint8

// The relations of halves to f32.
const (
	NoHalves      Halves = iota // none that is known
	RoundedHalves               // they are those of f32, each rounded
	KeptHalves                  // they are those of f32, which are halves where the inputs are
)

// First returns the lowest version that d runs.
func (d *Def) First() int { return slices.Min(slices.Collect(maps.Keys(d.Versions))) }

// Reads reports whether d declares the attribute.
func (d *Def) Reads(attr string) bool {
	return slices.ContainsFunc(d.Attrs, func(a Attr) bool { return a.Name == attr })
}
