package linalg

import (
	"math"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// Det is the determinant of each matrix, by elimination with partial pivoting in
// f64, rounded once.
// https://onnx.ai/onnx/operators/onnx__Det.html   Departures: none.
var Det = op.Declare("", "Det", func() op.Def {
	return op.Def{
		Versions: op.Versions{11: "", 22: "bfloat16"},
		Shape: func(c *op.Infer) error {
			x := c.In(0)
			if n := len(x); n < 2 || x[n-1] != x[n-2] {
				return errs.New(errs.Shape, "the input has shape %v: square matrices are expected", x)
			}
			c.SetOutput(0, c.DType(0), x[:len(x)-2])
			return nil
		},
		Prepare: func(c *op.Context) error {
			x := c.In(0).Shape
			m := x[len(x)-1]
			c.NeedWorkspace(8 * m * m)
			return nil
		},
		Run: func(c *op.Context) error {
			op.Row[detKernel](c)(c.Out(0), c.In(0), op.WorkspaceOf[float64](c))
			return nil
		},
		DTypes: op.ByType(map[tensor.DType]detKernel{
			tensor.F32:  determinants(func(x float32) float64 { return float64(x) }, func(x float64) float32 { return float32(x) }),
			tensor.F64:  determinants(func(x float64) float64 { return x }, func(x float64) float64 { return x }),
			tensor.F16:  determinants(func(x tensor.Half) float64 { return float64(x.Float32()) }, tensor.HalfOf64),
			tensor.BF16: determinants(func(x tensor.BFloat16) float64 { return float64(x.Float32()) }, tensor.BFloat16Of64),
		}),
	}
})

// detKernel computes the determinants of all matrices, each in room.
type detKernel func(out, in *tensor.View, room []float64)

func determinants[T any](wide func(T) float64, narrow func(float64) T) detKernel {
	return func(out, in *tensor.View, room []float64) {
		m, src := in.Shape[len(in.Shape)-1], tensor.Elems[T](in)
		dst := tensor.Elems[T](out)
		for i := range dst {
			for k, x := range src[i*m*m : (i+1)*m*m] {
				room[k] = wide(x)
			}
			dst[i] = narrow(determinant(room, m))
		}
	}
}

// determinant destroys a, an m x m matrix.
func determinant(a []float64, m int) float64 {
	det := 1.0
	for k := range m {
		pivot := k
		for r := k + 1; r < m; r++ {
			if math.Abs(a[r*m+k]) > math.Abs(a[pivot*m+k]) {
				pivot = r
			}
		}
		if pivot != k {
			det = -det
			for j := k; j < m; j++ {
				a[k*m+j], a[pivot*m+j] = a[pivot*m+j], a[k*m+j]
			}
		}
		p := a[k*m+k]
		det *= p
		if p == 0 {
			return det
		}
		top := a[k*m+k+1 : (k+1)*m]
		for r := k + 1; r < m; r++ {
			f, row := a[r*m+k]/p, a[r*m+k+1 : (r+1)*m][:len(top)]
			for j, x := range top {
				row[j] -= f * x
			}
		}
	}
	return det
}
