package attention

import (
	"math"
	"unsafe" //lint:allow unsafe kernels/gemm takes addresses

	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
)

// few is up to how many queries the keys are read where they lie: more are worth
// packing them.
const few = 8

func first(s []float32) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// singles are the products of float32.
var singles = products[float32]{
	packSize: func(s *core[float32]) int {
		if s.rows <= few {
			return 0
		}
		return gemm.PackedSize(s.size, s.keys)
	},
	pack: func(s *core[float32], dst []float32, b, h int) {
		gemm.PackB(dst, s.k.at(b, h, 0), s.size, s.keys, 1, s.k.row)
	},
	scores:  scoresSingle,
	values:  valuesSingle,
	softmax: func(row []float32) { vec.Softmax(row, row, len(row)) },
	top:     vec.Max,
}

// scoresSingle multiplies n queries with all keys. Where the keys are not
// packed, it multiplies the keys with the queries and turns the result: each
// number is summed in the same order.
func scoresSingle(s *core[float32], dst []float32, b, h, i, n int) {
	q := s.q.at(b, h, i)
	if s.rows > few {
		size := gemm.PackedSize(s.size, s.keys)
		g := gemm.Args{
			M: n, N: s.keys, K: s.size, A: first(q), LDA: s.q.row, C: first(dst), LDC: s.keys,
			B: first(s.packed[(b*(s.count/s.shared)+h/s.shared)*size:]),
		}
		gemm.Run(&g, 0, n, 0, s.keys)
	} else {
		turned := dst[len(dst)-n*s.size:]
		for x := range s.size {
			for r := range n {
				turned[x*n+r] = q[r*s.q.row+x]
			}
		}
		out := dst[:n*s.keys]
		if n > 1 {
			out = dst[n*s.keys : 2*n*s.keys]
		}
		g := gemm.Args{M: s.keys, N: n, K: s.size, A: first(s.k.at(b, h/s.shared, 0)), LDA: s.k.row, B: first(turned), LDB: n, C: first(out), LDC: n}
		gemm.Run(&g, 0, s.keys, 0, n)
		if n > 1 {
			for r := range n {
				for j := range s.keys {
					dst[r*s.keys+j] = out[j*n+r]
				}
			}
		}
	}
	vec.Combine(vec.Times, dst[:n*s.keys], dst[:n*s.keys], s.factor[:])
}

// dots is the product by the definition.
func dots[T real](s *core[T], dst []T, b, h, i, n int) {
	for r := range n {
		q := s.q.at(b, h, i+r)[:s.size]
		for j := range s.keys {
			k, sum := s.k.at(b, h/s.shared, j)[:s.size], T(0)
			for x := range q {
				sum += q[x] * k[x]
			}
			dst[r*s.keys+j] = sum * s.scale
		}
	}
}

func valuesSingle(s *core[float32], p []float32, b, h, i, n int) {
	if s.sizeV == 0 {
		return
	}
	if s.keys == 0 {
		clearRows(s, b, h, i, n)
		return
	}
	g := gemm.Args{
		M: n, N: s.sizeV, K: s.keys, A: first(p), LDA: s.keys, B: first(s.v.at(b, h/s.shared, 0)), LDB: s.v.row,
		C: first(s.y.at(b, h, i)), LDC: s.y.row,
	}
	gemm.Run(&g, 0, n, 0, s.sizeV)
}

func clearRows[T real](s *core[T], b, h, i, n int) {
	for r := range n {
		clear(s.y.at(b, h, i+r)[:s.sizeV])
	}
}

// doubles are the products of float64, by the definition.
var doubles = products[float64]{
	packSize: func(*core[float64]) int { return 0 },
	scores:   dots[float64],
	values: func(s *core[float64], p []float64, b, h, i, n int) {
		clearRows(s, b, h, i, n)
		for r := range n {
			y := s.y.at(b, h, i+r)[:s.sizeV]
			for j := range s.keys {
				w := p[r*s.keys+j]
				for x, v := range s.v.at(b, h/s.shared, j)[:s.sizeV] {
					y[x] += w * v
				}
			}
		}
	},
	top: highest[float64],
	softmax: func(row []float64) {
		top, sum := highest(row), 0.0
		for j, x := range row {
			row[j] = math.Exp(x - top)
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
	},
}
