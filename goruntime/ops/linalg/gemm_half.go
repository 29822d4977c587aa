package linalg

import (
	"github.com/goruntime/goruntime/goruntime/kernels/cast"
	"github.com/goruntime/goruntime/goruntime/kernels/vec"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// gemmHalf is the row of a type of 16 bits: everything in f32, rounded once.
func gemmHalf[H cast.Half](narrow func(float32) H) gemmKernel {
	finish := func(s *gemmState, m0, m1, n0, n1 int) {
		out := tensor.Elems[H](s.sheet.out)
		for i := m0; i < m1; i++ {
			y, row := s.sheet.y[i*s.n+n0:i*s.n+n1], out[i*s.n+n0:i*s.n+n1]
			if !s.c {
				if s.alpha != 1 {
					alpha := [1]float32{s.alpha}
					vec.Combine(vec.Times, y, y, alpha[:])
				}
				cast.Narrow(row, y)
				continue
			}
			c, at := tensor.Elems[H](s.sheet.c), i*s.cRow+n0*s.cCol
			for j, x := range y {
				row[j] = narrow(s.alpha*x + s.beta*c[at].Float32())
				at += s.cCol
			}
		}
	}
	return gemmKernel{
		prepare: func(c *op.Context, s *gemmState) error {
			s.sheet.finish = finish
			s.sheet.sizes = [3]int{s.m * s.k, 0, s.m * s.n}
			return s.sheet.prepare(c, s, true, func() ([]float32, error) {
				b, err := c.Value(1)
				if err != nil {
					return nil, err
				}
				wide := make([]float32, s.k*s.n)
				widenHalf(wide, tensor.Elems[H](b), len(wide), 1, false)
				return wide, nil
			})
		},
		run: func(c *op.Context, s *gemmState) {
			h := &s.sheet
			h.bind(c)
			widenHalf(h.a, tensor.Elems[H](c.In(0)), s.m, s.k, s.transA)
			if len(h.b) > 0 {
				widenHalf(h.b, tensor.Elems[H](c.In(1)), s.k, s.n, s.transB)
			}
			h.run(c, s)
		},
	}
}

// widenHalf writes src, or its transpose, as f32 to dst [rows, cols].
func widenHalf[H cast.Half](dst []float32, src []H, rows, cols int, transposed bool) {
	if !transposed {
		cast.Widen(dst, src[:len(dst)])
		return
	}
	for i := range rows {
		for j := range cols {
			dst[i*cols+j] = src[j*rows+i].Float32()
		}
	}
}
