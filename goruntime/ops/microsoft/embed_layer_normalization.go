package microsoft

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// EmbedLayerNormalization sums the embeddings of words, positions and segments
// and normalizes the sum.
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.EmbedLayerNormalization
// Departures: none. mask_index counts the ones of each row of the mask, 0 without
// a mask.
var EmbedLayerNormalization = op.Declare(domain, "EmbedLayerNormalization", func() op.Def {
	return op.Def{
		Versions: op.Versions{1: ""}, Needs: []int{0, 2, 3, 5, 6},
		Attrs: op.Attrs(op.Float("epsilon", 1e-12), op.Int("mask_index_type", 0)),
		Shape: func(c *op.Infer) error {
			if p := c.In(0); c.Has(8) && !c.In(8).Equal(p) && !(len(p) == 2 && c.In(8).Equal(tensor.Shape{1, p[1]})) {
				return errs.New(errs.Shape, "position_ids has shape %v, %v or [1, %d] expected", c.In(8), p, p[len(p)-1])
			}
			return embedShape(c, c.DType(2))
		},
		Prepare: embedPrepare,
		Run:     embedRun,
		DTypes:  op.Uniform(struct{}{}, tensor.F32, tensor.F16),
		Key:     2,
		Also: map[int][]tensor.DType{
			0: {tensor.I32}, 1: {tensor.I32}, 3: {tensor.F32, tensor.F16}, 4: {tensor.F32, tensor.F16}, 5: {tensor.F32, tensor.F16},
			6: {tensor.F32, tensor.F16}, 7: {tensor.I32}, 8: {tensor.I32},
		},
	}
})

// embedShape sets the outputs, of a type; position_ids are looked at elsewhere.
func embedShape(c *op.Infer, d tensor.DType) error {
	ids, words := c.In(0), c.In(2)
	if len(ids) != 2 || len(words) != 2 {
		return errs.New(errs.Shape, "input_ids has shape %v, word_embedding %v: both of rank 2 expected", ids, words)
	}
	for _, i := range [...]int{1, 7} {
		if c.Has(i) && !c.In(i).Equal(ids) {
			return errs.New(errs.Shape, "input %d has shape %v, %v expected", i, c.In(i), ids)
		}
	}
	for i := 3; i < 5; i++ {
		if t := words[1]; c.Has(i) && (len(c.In(i)) != 2 || c.In(i)[1] != t) {
			return errs.New(errs.Shape, "input %d has shape %v: rows of %d numbers expected", i, c.In(i), t)
		}
	}
	for i := 5; i < 7; i++ {
		if !c.In(i).Equal(words[1:]) {
			return errs.New(errs.Shape, "input %d has shape %v, [%d] expected", i, c.In(i), words[1])
		}
	}
	if c.Has(1) != c.Has(4) {
		return errs.New(errs.Model, "segment_ids and segment_embedding must be given together")
	}
	out := tensor.Shape{ids[0], ids[1], words[1]}
	c.SetOutput(0, d, out)
	c.SetOutput(1, tensor.I32, ids[:1])
	c.SetOutput(2, d, out)
	return nil
}

func embedPrepare(c *op.Context) error {
	ids, words := c.In(0).Shape, c.In(2).Shape
	s := &embedding{length: ids[1]}
	s.rows, s.n, s.epsilon = ids.Elements(), words[1], c.Attr.Float("epsilon")
	s.gather = s.sum
	var r op.Room
	s.plan(c, &r, 5)
	r.Need(c)
	c.State = s
	return nil
}

// embedding is the State of an EmbedLayerNormalization.
type embedding struct {
	normalizing
	length                    int
	words, places, segments   codebook
	factors, offsets          codebook // gamma and beta, where they are in bytes
	total                     *tensor.View
	ids, segmentIDs, placeIDs []int32
}

func embedRun(c *op.Context) error {
	s := c.State.(*embedding)
	s.bind(c)
	if s.placeIDs = nil; c.Has(8) {
		s.placeIDs = tensor.Elems[int32](c.In(8))
	}
	return s.run(c, 5, 6)
}

// bind looks at the inputs, and counts the ones of the mask.
func (s *embedding) bind(c *op.Context) {
	s.ids, s.segmentIDs = tensor.Elems[int32](c.In(0)), nil
	s.words.View, s.places.View, s.segments.View = c.In(2), c.In(3), nil
	if c.Has(1) {
		s.segmentIDs, s.segments.View = tensor.Elems[int32](c.In(1)), c.In(4)
	}
	s.out, s.total = c.Out(0), wanted(c, 2)
	if !c.Wants(1) {
		return
	}
	counts := tensor.Elems[int32](c.Out(1))
	clear(counts)
	for b := range counts {
		for i := 0; c.Has(7) && i < s.length; i++ {
			if tensor.Elems[int32](c.In(7))[b*s.length+i] == 1 {
				counts[b]++
			}
		}
	}
}

// sum adds up the embeddings of one token.
func (s *embedding) sum(row, t []float32, r int) ([]float32, error) {
	clear(row)
	if err := s.add(row, t, &s.words, int(s.ids[r])); err != nil {
		return nil, err
	}
	place := r % s.length
	if s.placeIDs != nil {
		place = int(s.placeIDs[r%len(s.placeIDs)])
	}
	if err := s.add(row, t, &s.places, place); err != nil {
		return nil, err
	}
	if s.segments.View != nil {
		if err := s.add(row, t, &s.segments, int(s.segmentIDs[r])); err != nil {
			return nil, err
		}
	}
	if s.total != nil {
		storers[s.total.DType](s.total, r*s.n, row)
	}
	return row, nil
}

// add adds a row of a table.
func (s *embedding) add(row, t []float32, table *codebook, i int) error {
	if i < 0 || i >= table.Shape[0] {
		return errs.New(errs.Compute, "index %d is out of range for an embedding of %d rows", i, table.Shape[0])
	}
	vec.Combine(vec.Plus, row, row, table.row(i, s.n, t))
	return nil
}

// codebook is a table of embeddings; those in bytes have a scale and a zero point.
type codebook struct {
	*tensor.View
	scale float32
	zero  byte
}

// row returns row i of n numbers, where it lies or written to room.
func (b *codebook) row(i, n int, room []float32) []float32 {
	if read := dequantizers[b.DType]; read != nil {
		read(room[:n], b.View, i*n, b)
		return room
	}
	return rowOf(b.View, i, n, room)
}
