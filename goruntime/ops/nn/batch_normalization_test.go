package nn

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The values are those of ONNX Runtime and, of training, NumPy.
func TestBatchNormalization(t *testing.T) {
	for _, d := range BatchNormalization.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, BatchNormalization, []optest.Case{
			{
				Name: d.String() + " inference", Version: 15,
				In:   optest.In(of(optest.Dims(2, 3, 2, 2), series(24, 7, 11, 5, 4)...), of(optest.Dims(3), series(3, 2, 5, -1, 2)...), of(optest.Dims(3), series(3, 3, 7, 2, 4)...), of(optest.Dims(3), series(3, 5, 7, 3, 8)...), of(optest.Dims(3), series(3, 3, 5, -1, 2)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 2, 2), -1.118712, 0.1187122, -0.5883875, 0.649037, 0.25, -0.8106575, 1.045493, -0.01516438, -1.499988, 2.874991, 0.3750031, -2.124985, 0.1187122, -0.5883875, 0.649037, -0.0580627, -0.8106575, 1.045493, -0.01516438, -1.075822, 2.874991, 0.3750031, -2.124985, 2.249994)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " epsilon, a matrix", Version: 15, Attrs: optest.Attrs("epsilon", 0.25),
				In:   optest.In(of(optest.Dims(4, 3), series(12, 7, 11, 5, 4)...), of(optest.Dims(3), series(3, 2, 5, -1, 2)...), of(optest.Dims(3), series(3, 3, 7, 2, 4)...), of(optest.Dims(3), series(3, 5, 7, 3, 8)...), of(optest.Dims(3), series(3, 3, 5, -1, 2)...)),
				Want: optest.Want(of(optest.Dims(4, 3), -1.005181, 0.5, -0.118034, 0.4381942, 0.25, -0.6770511, 0.2938566, 0, -1.236068, 0.1495191, -0.25, -1.795085)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " training", Version: 15, Attrs: optest.Attrs("training_mode", 1),
				In:   optest.In(of(optest.Dims(2, 3, 2, 2), series(24, 7, 11, 5, 4)...), of(optest.Dims(3), series(3, 2, 5, -1, 2)...), of(optest.Dims(3), series(3, 3, 7, 2, 4)...), of(optest.Dims(3), series(3, 5, 7, 3, 8)...), of(optest.Dims(3), series(3, 3, 5, -1, 2)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 2, 2), -1.369312, -0.3110192, -0.9157579, 0.1425349, 0.8336503, -1.241551, 2.390051, 0.31485, -1.342588, 4.123451, 1, -2.123451, -0.3110192, -0.9157579, 0.1425349, -0.4622038, -1.241551, 2.390051, 0.31485, -1.760351, 4.123451, 1, -2.123451, 3.342588), of(optest.Dims(3), -0.31875, 0.221875, -0.025), of(optest.Dims(3), 0.5183594, 1.852246, 0.9640625)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " training, momentum, without statistics, 14", Version: 14, Attrs: optest.Attrs("training_mode", 1, "momentum", 0.5),
				In:   optest.In(of(optest.Dims(2, 3, 2, 2), series(24, 7, 11, 5, 4)...), of(optest.Dims(3), series(3, 2, 5, -1, 2)...), of(optest.Dims(3), series(3, 3, 7, 2, 4)...), of(optest.Dims(3), series(3, 5, 7, 3, 8)...), of(optest.Dims(3), series(3, 3, 5, -1, 2)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 2, 2), -1.369312, -0.3110192, -0.9157579, 0.1425349, 0.8336503, -1.241551, 2.390051, 0.31485, -1.342588, 4.123451, 1, -2.123451, -0.3110192, -0.9157579, 0.1425349, -0.4622038, -1.241551, 2.390051, 0.31485, -1.760351, 4.123451, 1, -2.123451, 3.342588)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " a vector is one channel", Version: 15,
				In:   optest.In(of(optest.Dims(3), 1, 2, 3), of(optest.Dims(1), 2), of(optest.Dims(1), 1), of(optest.Dims(1), 2), of(optest.Dims(1), 4)),
				Want: optest.Want(of(optest.Dims(3), 1.249998e-06, 1, 1.999999)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " no images", Version: 15,
				In:   optest.In(of(optest.Dims(0, 3, 2)), of(optest.Dims(3), series(3, 2, 5, -1, 2)...), of(optest.Dims(3), series(3, 3, 7, 2, 4)...), of(optest.Dims(3), series(3, 5, 7, 3, 8)...), of(optest.Dims(3), series(3, 3, 5, -1, 2)...)),
				Want: optest.Want(of(optest.Dims(0, 3, 2))), Tol: tolerance(d),
			},
		})
	}
}

// The values are those of ONNX Runtime.
func TestBatchNormalizationMixedTypes(t *testing.T) {
	for _, d := range BatchNormalization.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, BatchNormalization, []optest.Case{
			{
				Name: d.String() + " scale and bias f64, statistics f32", Version: 15,
				In:   optest.In(of(optest.Dims(2, 3, 2, 2), series(24, 7, 11, 5, 4)...), optest.F64(optest.Dims(3), 0.5, 1.5, 2.5), optest.F64(optest.Dims(3), -0.5, 0.25, 1), optest.F32(optest.Dims(3), -0.375, 0.25, 0), optest.F32(optest.Dims(3), 0.5, 2, 1)),
				Want: optest.Want(of(optest.Dims(2, 3, 2, 2), -1.118712, 0.1187122, -0.5883875, 0.649037, 0.25, -0.8106575, 1.045493, -0.01516438, -1.499988, 2.874991, 0.3750031, -2.124985, 0.1187122, -0.5883875, 0.649037, -0.0580627, -0.8106575, 1.045493, -0.01516438, -1.075822, 2.874991, 0.3750031, -2.124985, 2.249994)), Tol: tolerance(d),
			},
		})
	}
}

// The values are those of ONNX Runtime.
func TestBatchNormalization9(t *testing.T) {
	for _, d := range BatchNormalization9.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, BatchNormalization9, []optest.Case{
			{
				Name: d.String() + " training: more outputs than Y", Version: 9,
				In:   optest.In(of(optest.Dims(2, 3, 2, 2), series(24, 7, 11, 5, 4)...), of(optest.Dims(3), series(3, 2, 5, -1, 2)...), of(optest.Dims(3), series(3, 3, 7, 2, 4)...), of(optest.Dims(3), series(3, 5, 7, 3, 8)...), of(optest.Dims(3), series(3, 3, 5, -1, 2)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 2, 2), -1.369312, -0.3110192, -0.9157579, 0.1425349, 0.8336503, -1.241551, 2.390051, 0.31485, -1.342588, 4.123451, 1, -2.123451, -0.3110192, -0.9157579, 0.1425349, -0.4622038, -1.241551, 2.390051, 0.31485, -1.760351, 4.123451, 1, -2.123451, 3.342588), of(optest.Dims(3), -0.31875, 0.221875, -0.025), of(optest.Dims(3), 0.5183594, 1.852246, 0.9640625), of(optest.Dims(3), 0.1875, -0.03125, -0.25), of(optest.Dims(3), 0.6835938, 0.5224609, 0.640625)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " inference", Version: 9,
				In:   optest.In(of(optest.Dims(2, 3, 2, 2), series(24, 7, 11, 5, 4)...), of(optest.Dims(3), series(3, 2, 5, -1, 2)...), of(optest.Dims(3), series(3, 3, 7, 2, 4)...), of(optest.Dims(3), series(3, 5, 7, 3, 8)...), of(optest.Dims(3), series(3, 3, 5, -1, 2)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 2, 2), -1.118712, 0.1187122, -0.5883875, 0.649037, 0.25, -0.8106575, 1.045493, -0.01516438, -1.499988, 2.874991, 0.3750031, -2.124985, 0.1187122, -0.5883875, 0.649037, -0.0580627, -0.8106575, 1.045493, -0.01516438, -1.075822, 2.874991, 0.3750031, -2.124985, 2.249994)), Tol: tolerance(d),
			},
		})
	}
}

// The values are those of ONNX Runtime.
func TestBatchNormalization7(t *testing.T) {
	for _, d := range BatchNormalization7.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, BatchNormalization7, []optest.Case{
			{
				Name: d.String() + " statistics of each element", Version: 7, Attrs: optest.Attrs("spatial", 0),
				In:   optest.In(of(optest.Dims(2, 2, 2), series(8, 7, 11, 5, 4)...), of(optest.Dims(2, 2), series(4, 2, 5, -1, 2)...), of(optest.Dims(2, 2), series(4, 3, 5, -1, 2)...), of(optest.Dims(2, 2), series(4, 1, 5, -1, 2)...), of(optest.Dims(2, 2), series(4, 4, 5, -1, 2)...)),
				Want: optest.Want(of(optest.Dims(2, 2, 2), -0.7374245, 1.525659, -2.535525, 1.88763, 0.3232251, 0.3398075, 0.1161187, 0.8670123)), Tol: tolerance(d),
			},
			{
				Name: d.String() + " spatial", Version: 7,
				In:   optest.In(of(optest.Dims(2, 3, 2, 2), series(24, 7, 11, 5, 4)...), of(optest.Dims(3), series(3, 2, 5, -1, 2)...), of(optest.Dims(3), series(3, 3, 7, 2, 4)...), of(optest.Dims(3), series(3, 5, 7, 3, 8)...), of(optest.Dims(3), series(3, 3, 5, -1, 2)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 2, 2), -1.118712, 0.1187122, -0.5883875, 0.649037, 0.25, -0.8106575, 1.045493, -0.01516438, -1.499988, 2.874991, 0.3750031, -2.124985, 0.1187122, -0.5883875, 0.649037, -0.0580627, -0.8106575, 1.045493, -0.01516438, -1.075822, 2.874991, 0.3750031, -2.124985, 2.249994)), Tol: tolerance(d),
			},
		})
	}
}

// The values are those of ONNX Runtime.
func TestBatchNormalization6(t *testing.T) {
	for _, d := range BatchNormalization6.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, BatchNormalization6, []optest.Case{
			{
				Name: d.String() + " is_test", Version: 6, Attrs: optest.Attrs("is_test", 1),
				In:   optest.In(of(optest.Dims(2, 3, 2, 2), series(24, 7, 11, 5, 4)...), of(optest.Dims(3), series(3, 2, 5, -1, 2)...), of(optest.Dims(3), series(3, 3, 7, 2, 4)...), of(optest.Dims(3), series(3, 5, 7, 3, 8)...), of(optest.Dims(3), series(3, 3, 5, -1, 2)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 2, 2), -1.118712, 0.1187122, -0.5883875, 0.649037, 0.25, -0.8106575, 1.045493, -0.01516438, -1.499988, 2.874991, 0.3750031, -2.124985, 0.1187122, -0.5883875, 0.649037, -0.0580627, -0.8106575, 1.045493, -0.01516438, -1.075822, 2.874991, 0.3750031, -2.124985, 2.249994)), Tol: tolerance(d),
			},
		})
	}
}

// The values are those of ONNX Runtime.
func TestBatchNormalization1(t *testing.T) {
	for _, d := range BatchNormalization1.Def().DTypes.Types() {
		of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(d, dims, v...) }
		optest.Run(t, BatchNormalization1, []optest.Case{
			{
				Name: d.String() + " consumed_inputs", Version: 1, Attrs: optest.Attrs("is_test", 1, "consumed_inputs", []int{0, 0, 0, 1, 1}),
				In:   optest.In(of(optest.Dims(2, 3, 2, 2), series(24, 7, 11, 5, 4)...), of(optest.Dims(3), series(3, 2, 5, -1, 2)...), of(optest.Dims(3), series(3, 3, 7, 2, 4)...), of(optest.Dims(3), series(3, 5, 7, 3, 8)...), of(optest.Dims(3), series(3, 3, 5, -1, 2)...)),
				Want: optest.Want(of(optest.Dims(2, 3, 2, 2), -1.118712, 0.1187122, -0.5883875, 0.649037, 0.25, -0.8106575, 1.045493, -0.01516438, -1.499988, 2.874991, 0.3750031, -2.124985, 0.1187122, -0.5883875, 0.649037, -0.0580627, -0.8106575, 1.045493, -0.01516438, -1.075822, 2.874991, 0.3750031, -2.124985, 2.249994)), Tol: tolerance(d),
			},
		})
	}
}

// The messages of the shape rule.
func TestBatchNormalizationErrors(t *testing.T) {
	of := func(dims tensor.Shape, v ...float64) *tensor.View { return optest.Filled(tensor.F32, dims, v...) }
	optest.Run(t, BatchNormalization, []optest.Case{
		{Name: "a scale of another length", In: optest.In(of(optest.Dims(1, 2), 1, 2), of(optest.Dims(3), 1, 2, 3), of(optest.Dims(2), 1, 2), of(optest.Dims(2), 1, 2), of(optest.Dims(2), 1, 2)), Err: `X has shape [1, 2], input 1 [3], [2] expected`, Code: errs.Shape},
		{Name: "a scalar", In: optest.In(of(optest.Dims(), 1), of(optest.Dims(1), 1), of(optest.Dims(1), 1), of(optest.Dims(1), 1), of(optest.Dims(1), 1)), Err: `X is a scalar, a rank of 1 or more expected`, Code: errs.Shape},
		{Name: "statistics of inference", In: optest.In(of(optest.Dims(1, 1), 1), of(optest.Dims(1), 1), of(optest.Dims(1), 1), of(optest.Dims(1), 1), of(optest.Dims(1), 1)), Want: optest.Want(nil, nil), Err: `2 outputs named, training_mode is 0`, Code: errs.Model},
	})
}

// Rows of few and of many channels, against float64.
func TestBatchNormalizationOfRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, channels := range []int{1, fewChannels - 1, fewChannels, 67} {
		draw := func(n int) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = float64(float32(r.NormFloat64()))
			}
			return x
		}
		const rows, epsilon = 5, 1e-5
		x, scale, bias, mean, variance := draw(rows*channels), draw(channels), draw(channels), draw(channels), draw(channels)
		want := make([]float64, len(x))
		for i := range variance {
			variance[i] = math.Abs(variance[i]) + 0.5
		}
		for i, v := range x {
			c := i % channels
			want[i] = (v-mean[c])/math.Sqrt(variance[c]+epsilon)*scale[c] + bias[c]
		}
		of := func(v []float64) *tensor.View { return optest.Filled(tensor.F32, optest.Dims(len(v)), v...) }
		for _, dims := range []tensor.Shape{{rows, channels}, {rows, channels, 1, 1}} {
			optest.Run(t, BatchNormalization, []optest.Case{{
				Name: dims.String(), In: optest.In(optest.Filled(tensor.F32, dims, x...), of(scale), of(bias), of(mean), of(variance)),
				Want: optest.Want(optest.Filled(tensor.F32, dims, want...)), Tol: 2e-6,
			}})
		}
	}
}
