package microsoft

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestEmbedLayerNormalization(t *testing.T) {
	const n = 9
	words, places, segments := numbers(5*n, 1), numbers(4*n, 2), numbers(2*n, 3)
	ids, sides, at := []int32{0, 4, 2, 1, 1, 3}, []int32{0, 1, 1, 0, 0, 1}, []int32{3, 0, 1}
	var cases []optest.Case
	for _, d := range EmbedLayerNormalization.Def().DTypes.Types() {
		for form := range 3 {
			sum := make([]float64, 0, len(ids)*n)
			for r, id := range ids {
				for k := range n {
					place := r % 3
					if form == 2 {
						place = int(at[r%3])
					}
					v := words[int(id)*n+k] + places[place*n+k]
					if form > 0 {
						v += segments[int(sides[r])*n+k]
					}
					sum = append(sum, v)
				}
			}
			y, _, _ := normalized(sum, numbers(n, 4), numbers(n, 5), 1e-3, false)
			in := optest.In(optest.I32(optest.Dims(2, 3), ids...), nil, f(d, 1, 5, n), f(d, 2, 4, n), nil, f(d, 4, n), f(d, 5, n), nil, nil)
			counts := []int32{0, 0}
			if form > 0 {
				in[1], in[4], in[7] = optest.I32(optest.Dims(2, 3), sides...), f(d, 3, 2, n), optest.I32(optest.Dims(2, 3), 1, 1, 0, 1, 1, 1)
				counts = []int32{2, 3}
			}
			if form == 2 {
				in[8] = optest.I32(optest.Dims(1, 3), at...)
			}
			cases = append(cases, optest.Case{
				Name: d.String(), Attrs: optest.Attrs("epsilon", 1e-3), In: in, Tol: tolerance[d],
				Want: optest.Want(optest.Filled(d, optest.Dims(2, 3, n), y...), optest.I32(optest.Dims(2), counts...), optest.Filled(d, optest.Dims(2, 3, n), sum...)),
			})
		}
	}
	optest.Run(t, EmbedLayerNormalization, cases)
}

func TestEmbedLayerNormalizationErrors(t *testing.T) {
	d := tensor.F32
	ids := optest.I32(optest.Dims(1, 2), 0, 7)
	optest.Run(t, EmbedLayerNormalization, []optest.Case{
		{Name: "an index", In: optest.In(ids, nil, f(d, 1, 5, 3), f(d, 1, 2, 3), nil, f(d, 1, 3), f(d, 1, 3)), Err: "index 7 is out of range for an embedding of 5 rows", Code: errs.Compute},
		{Name: "ranks", In: optest.In(ids, nil, f(d, 1, 5), f(d, 1, 2, 3), nil, f(d, 1, 3), f(d, 1, 3)), Err: "both of rank 2 expected", Code: errs.Shape},
		{Name: "positions", In: optest.In(ids, nil, f(d, 1, 5, 3), f(d, 1, 2, 2), nil, f(d, 1, 3), f(d, 1, 3)), Err: "input 3 has shape [2, 2]: rows of 3 numbers expected", Code: errs.Shape},
		{Name: "gamma", In: optest.In(ids, nil, f(d, 1, 5, 3), f(d, 1, 2, 3), nil, f(d, 1, 2), f(d, 1, 3)), Err: "input 5 has shape [2], [3] expected", Code: errs.Shape},
		{Name: "segments alone", In: optest.In(ids, ids, f(d, 1, 5, 3), f(d, 1, 2, 3), nil, f(d, 1, 3), f(d, 1, 3)), Err: "must be given together", Code: errs.Model},
	})
}
