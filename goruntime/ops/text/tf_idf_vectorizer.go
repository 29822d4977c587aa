package text

import (
	"slices"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// TfIdfVectorizer counts the n-grams of a pool in each row, with items skipped
// between theirs up to a limit, and weighs the counts.
// https://onnx.ai/onnx/operators/onnx__TfIdfVectorizer.html   Departures: none.
// Weights belong to the n-grams as the pool lists them; ONNX Runtime takes them by
// output coordinate.
var TfIdfVectorizer = op.Declare("", "TfIdfVectorizer", func() op.Def {
	return op.Def{
		Versions: op.Versions{9: ""},
		Attrs: op.Attrs(op.Required("max_gram_length", op.KindInt), op.Required("max_skip_count", op.KindInt), op.Required("min_gram_length", op.KindInt),
			op.Required("mode", op.KindString), op.Required("ngram_counts", op.KindInts), op.Required("ngram_indexes", op.KindInts),
			op.Ints("pool_int64s"), op.Strings("pool_strings"), op.Floats("weights")),
		Shape: func(c *op.Infer) error {
			x := c.In(0)
			if len(x) != 1 && len(x) != 2 {
				return errs.New(errs.Shape, "the input has shape %v, [C] or [N, C] expected", x)
			}
			out := c.Grow(0, tensor.F32, len(x))
			copy(out, x)
			out[len(out)-1] = coordinates(c.Attr)
			_, err := out.Check(tensor.F32)
			return err
		},
		Prepare: func(c *op.Context) error {
			g, err := newGrams(c)
			c.State = g
			return err
		},
		Run: func(c *op.Context) error {
			g := c.State.(*grams)
			g.out, g.in, g.id = tensor.Elems[float32](c.Out(0)), c.In(0), op.Row[itemReader](c)
			g.columns = g.in.Shape[len(g.in.Shape)-1]
			rows := 1
			if len(g.in.Shape) == 2 {
				rows = g.in.Shape[0]
			}
			var err error
			if g.ids, err = op.Temporary[int32](c, rows*g.columns); err != nil {
				return err
			}
			c.For(rows, max(1, 1024/max(1, g.columns*g.distances())), g)
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]itemReader{tensor.Str: textItem, tensor.I64: wholeItem[int64], tensor.I32: wholeItem[int32]}),
	}
})

// coordinates returns the number of output coordinates.
func coordinates(a *op.Values) int {
	if list := a.Ints("ngram_indexes"); len(list) > 0 {
		return max(0, slices.Max(list)+1)
	}
	return 0
}

// itemReader returns the number of element i as an item of the pool, or -1.
type itemReader func(g *grams, i int) int32

func textItem(g *grams, i int) int32 {
	if id, ok := g.texts[tensor.Elems[string](g.in)[i]]; ok {
		return id
	}
	return -1
}

func wholeItem[T int64 | int32](g *grams, i int) int32 {
	if id, ok := g.numbers[int64(tensor.Elems[T](g.in)[i])]; ok {
		return id
	}
	return -1
}

// edge leads from a node of the tree of n-grams to another by an item.
type edge struct{ node, item int32 }

// grams is the State: the n-grams are paths in a tree from node 0 on.
type grams struct {
	texts            map[string]int32
	numbers          map[int64]int32
	edges            map[edge]int32
	gram             []int32 // by node, the n-gram that ends there, or -1
	indexes          []int
	weights          []float32 // nil where all are 1
	once             bool      // counts above 1 are 1
	least, most, top int       // lengths, and the number of coordinates
	skips            int

	out     []float32
	in      *tensor.View
	id      itemReader
	ids     []int32
	columns int
}

func newGrams(c *op.Context) (*grams, error) {
	a := c.Attr
	g := &grams{
		texts: map[string]int32{}, numbers: map[int64]int32{}, edges: map[edge]int32{}, gram: []int32{-1}, indexes: a.Ints("ngram_indexes"),
		least: a.Int("min_gram_length"), most: a.Int("max_gram_length"), skips: a.Int("max_skip_count"), top: coordinates(a),
	}
	switch mode := a.Str("mode"); mode {
	case "TF":
	case "IDF", "TFIDF":
		g.once, g.weights = mode == "IDF", a.Floats("weights")
	default:
		return nil, errs.New(errs.Argument, "mode %q is none of TF, IDF, TFIDF", mode)
	}
	if g.least < 1 || g.most < g.least || g.skips < 0 {
		return nil, errs.New(errs.Model, "n-grams of length %d to %d with up to %d items skipped: the lengths must be positive and in order, the skips not negative", g.least, g.most, g.skips)
	}
	if len(g.weights) != 0 && len(g.weights) != len(g.indexes) {
		return nil, errs.New(errs.Model, "%d weights given for %d ngram_indexes: they must be as many", len(g.weights), len(g.indexes))
	}
	for i, at := range g.indexes {
		if at < 0 || at >= g.top {
			return nil, errs.New(errs.Model, "ngram_indexes has %d at position %d: it must not be negative nor the greatest of all integers", at, i)
		}
	}
	items, err := g.items(c)
	if err != nil {
		return nil, err
	}
	return g, g.plant(a.Ints("ngram_counts"), items)
}

// items numbers the items of the pool and returns it as numbers.
func (g *grams) items(c *op.Context) ([]int32, error) {
	texts, numbers := c.Attr.Strs("pool_strings"), c.Attr.Ints("pool_int64s")
	own, other := len(numbers), len(texts)
	if c.In(0).DType == tensor.Str {
		own, other = other, own
	}
	if own == 0 || other != 0 {
		return nil, errs.New(errs.Model, "%d pool_strings and %d pool_int64s given for an input of type %v: those of its type are expected alone", len(texts), len(numbers), c.In(0).DType)
	}
	var list []int32
	for _, s := range texts {
		list = append(list, number(g.texts, s))
	}
	for _, n := range numbers {
		list = append(list, number(g.numbers, int64(n)))
	}
	return list, nil
}

// number returns the number of an item, a new one where it has none.
func number[K comparable](m map[K]int32, item K) int32 {
	id, ok := m[item]
	if !ok {
		id = int32(len(m))
		m[item] = id
	}
	return id
}

// plant makes the tree of the n-grams of the lengths that are wanted. Starts has
// the place of the first n-gram of each length.
func (g *grams) plant(starts []int, items []int32) error {
	id := 0
	for i, from := range starts {
		n, to := i+1, len(items)
		if n < len(starts) {
			to = starts[n]
		}
		if from < 0 || to < from || to > len(items) || (to-from)%n != 0 {
			return errs.New(errs.Model, "the %d-grams take the places %d to %d of a pool of %d items: whole n-grams in order are expected", n, from, to, len(items))
		}
		for ; from < to; from += n {
			if id == len(g.indexes) {
				return errs.New(errs.Model, "the pool has more n-grams than the %d ngram_indexes", id)
			}
			if n >= g.least && n <= g.most {
				g.grow(items[from:from+n], int32(id))
			}
			id++
		}
	}
	return nil
}

// grow adds the path of an n-gram; of equal ones the first counts.
func (g *grams) grow(items []int32, id int32) {
	node := int32(0)
	for _, item := range items {
		next, ok := g.edges[edge{node, item}]
		if !ok {
			next = int32(len(g.gram))
			g.gram = append(g.gram, -1)
			g.edges[edge{node, item}] = next
		}
		node = next
	}
	if g.gram[node] < 0 {
		g.gram[node] = id
	}
}

// distances is how many distances of items are tried: at a longer one than the row
// there are none.
func (g *grams) distances() int { return 1 + min(g.skips, g.columns) }

// Chunk implements op.Task over the rows.
func (g *grams) Chunk(lo, hi int) {
	for r := lo; r < hi; r++ {
		out, ids := g.out[r*g.top:(r+1)*g.top], g.ids[r*g.columns:(r+1)*g.columns]
		clear(out)
		for i := range ids {
			ids[i] = g.id(g, r*g.columns+i)
		}
		for distance := 1; distance <= g.distances(); distance++ {
			for i := range ids {
				g.count(out, ids[i:], distance)
			}
		}
	}
}

// count counts the n-grams that start with the first item. Those of one item are
// the same at any distance.
func (g *grams) count(out []float32, ids []int32, distance int) {
	node := int32(0)
	for n, i := 1, 0; n <= g.most && i < len(ids); n, i = n+1, i+distance {
		next, ok := g.edges[edge{node, ids[i]}]
		if !ok {
			return
		}
		node = next
		id := g.gram[node]
		if id < 0 || n == 1 && distance > 1 {
			continue
		}
		w := float32(1)
		if len(g.weights) > 0 {
			w = g.weights[id]
		}
		if at := g.indexes[id]; g.once {
			out[at] = w
		} else {
			out[at] += w
		}
	}
}
