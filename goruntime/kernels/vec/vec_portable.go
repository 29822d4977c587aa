package vec

import (
	"math"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/tensor"
)

// portableKernels is the definition of every loop.
var portableKernels = kernels{
	unary: [functions]func(*args){
		Exponential:       each(Exp),
		Logarithm:         each(Log),
		HyperbolicTangent: each(Tanh),
		Logistic:          each(Sigmoid),
		ErrorFunction:     each(Erf),
		Gelu:              each(func(x float32) float32 { return 0.5 * x * (1 + Erf(x*(math.Sqrt2/2))) }),
		SquareRoot:        each(func(x float32) float32 { return float32(math.Sqrt(float64(x))) }),
		Absolute:          each(func(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }),
		Negative:          each(func(x float32) float32 { return -x }),
		Rectifier:         each(relu),
		Floor:             each(func(x float32) float32 { return float32(math.Floor(float64(x))) }),
		Ceil:              each(func(x float32) float32 { return float32(math.Ceil(float64(x))) }),
		RoundEven:         each(func(x float32) float32 { return float32(math.RoundToEven(float64(x))) }),
		Reciprocal:        each(func(x float32) float32 { return 1 / x }),
		Swish:             each(func(x float32) float32 { return x * Sigmoid(x) }),
		SoftSign:          each(func(x float32) float32 { return x / (1 + float32(math.Abs(float64(x)))) }),
		Sixth:             each(func(x float32) float32 { return x * clamp(x+3, 0, 6) / 6 }),
		ToHalf:            each(func(x float32) float32 { return tensor.HalfOf(x).Float32() }),
		ToBrain:           each(func(x float32) float32 { return tensor.BFloat16Of(x).Float32() }),
	},
	binary: [operations][3]func(*args){
		Plus:    pairs(func(x, y float32) float32 { return x + y }),
		Minus:   pairs(func(x, y float32) float32 { return x - y }),
		Times:   pairs(func(x, y float32) float32 { return x * y }),
		Over:    pairs(func(x, y float32) float32 { return x / y }),
		Larger:  pairs(func(x, y float32) float32 { return max(x, y) }),
		Smaller: pairs(func(x, y float32) float32 { return min(x, y) }),
		Leak:    pairs(leak),
	},
	curves: [curves]func(*args){
		Clamp:  bent(clamp),
		Line:   bent(line),
		Ramp:   bent(func(x, s, r float32) float32 { return clamp(line(x, s, r), 0, 1) }),
		Gate:   bent(func(x, s, r float32) float32 { return x * clamp(line(x, s, r), 0, 1) }),
		Bell:   bent(func(x, s, r float32) float32 { return float32((Erf(x/s)+1)*x) * r }),
		Whole:  bent(whole),
		Square: bent(func(x, s, r float32) float32 { y := line(x, s, r); return y * y }),
		Bent:   bent(elu),
		Cube:   bent(func(x, s, r float32) float32 { y := line(x, s, r); return float32(y*y) * y }),
	},
	grids: [grids]func(*args){
		WholeOver:  rounded(func(x, n, s, r float32) float32 { return whole(x/n, s, r) }),
		WholeTimes: rounded(func(x, n, s, r float32) float32 { return whole(float32(x*n), s, r) }),
		Snap:       rounded(func(x, n, s, r float32) float32 { return whole(x/n, s, r) * n }),
	},
	second: func(a *args) { a.every(2) },
	fourth: func(a *args) { a.every(4) },
	weigh:  (*args).weigh,
	recode: recode,
	along:  portably(portableAlong),
	across: portably(portableAcross),
	affine: [2]func(*affine){portableAffine, portableAffine},
	windows: [joins][2]func(*windows){
		slidden(func(x, y float32) float32 { return x + y }),
		slidden(func(x, y float32) float32 { return max(x, y) }),
	},
	softmax: softmax,
	normalize: [normals]func(*args){
		centered: normalize, centeredScaled: normalize, squares: normalizeSquares,
	},
}

// slice returns the operand at p.
func (a *args) slice(p unsafe.Pointer) []float32 {
	// SAFETY: vector operands are as long as the caller's slices.
	return unsafe.Slice((*float32)(p), a.all)
}

func (a *args) every(step int) {
	// SAFETY: the source reaches to the last number that is wanted.
	every(a.slice(a.dst), unsafe.Slice((*float32)(a.a), (a.all-1)*step+1), step)
}

func every(dst, src []float32, step int) {
	at := 0
	for i := range dst {
		dst[i] = src[at]
		at += step
	}
}

// lanes calls f with each element and the lane that sums it.
func (a *args) lanes(f func(acc *float32, i int, x float32)) {
	// SAFETY: reductions are given an array of lanes.
	acc := (*[lanes]float32)(a.acc)
	for i, x := range a.slice(a.a) {
		f(&acc[i%lanes], i, x)
	}
}

func top(a *args) {
	// SAFETY: reductions are given an array of lanes.
	acc := (*[lanes]float32)(a.acc)
	for i := range acc {
		acc[i] = float32(math.Inf(-1))
	}
	a.lanes(func(acc *float32, _ int, x float32) { *acc = max(*acc, x) })
}

func softmax(a *args) {
	for row := range a.rows {
		a.next(row)
		var acc [lanes]float32
		one := *a
		one.acc = unsafe.Pointer(&acc)
		top(&one)
		one.s = float32(math.Inf(-1))
		for _, x := range acc {
			one.s = max(one.s, x)
		}
		acc = [lanes]float32{}
		expSum(&one)
		inv := 1 / fold(&acc)
		dst := a.slice(a.dst)
		for i := range dst {
			dst[i] *= inv
		}
	}
}

// next goes on to a row of the operands. Behind the last there is none: the collector
// would take an address there for one of another object.
func (a *args) next(row int) {
	if row == 0 {
		return
	}
	// SAFETY: the row lies inside the operands, which are as long as rows says.
	a.a = unsafe.Add(a.a, a.step)
	if a.dst != nil {
		a.dst = unsafe.Add(a.dst, a.step)
	}
}

func expSum(a *args) {
	dst := a.slice(a.dst)
	a.lanes(func(acc *float32, i int, x float32) {
		dst[i] = Exp(x - a.s)
		*acc += dst[i]
	})
}

// elu takes the series near zero, where e^x - 1 would cancel.
func elu(x, s, r float32) float32 {
	switch {
	case !(x < 0):
		return x * r
	case x > -0.35:
		x *= 1 + x*(1./2+x*(1./6+x*(1./24+x*(1./120+x*(1./720+x*(1./5040))))))
	default:
		x = Exp(x) - 1
	}
	return float32(x*s) * r
}

func relu(x float32) float32 {
	if x < 0 {
		return 0
	}
	return x
}

func leak(x, slope float32) float32 {
	if x < 0 {
		return x * slope
	}
	return x
}

// clamp leaves a NaN; a bound that is NaN does not bound.
func clamp(x, low, high float32) float32 {
	if x < low {
		x = low
	}
	if x > high {
		x = high
	}
	return x
}

// magic, added and taken off again, leaves no bits for a fraction.
const magic = 1.5 * (1 << 23)

func whole(x, low, high float32) float32 {
	if !(x > low) {
		x = low
	}
	if x > high {
		x = high
	}
	return float32(x+magic) - magic
}

// line rounds the product too: the conversion keeps the compiler from fusing.
func line(x, s, r float32) float32 { return float32(x*s) + r }

func rounded(f func(x, n, s, r float32) float32) func(*args) {
	return func(a *args) {
		// SAFETY: the number is one.
		dst, n := a.slice(a.dst), *(*float32)(a.b)
		for i, x := range a.slice(a.a) {
			dst[i] = f(x, n, a.s, a.r)
		}
	}
}

func bent(f func(x, s, r float32) float32) func(*args) {
	return func(a *args) {
		dst := a.slice(a.dst)
		for i, x := range a.slice(a.a) {
			dst[i] = f(x, a.s, a.r)
		}
	}
}

func each(f func(float32) float32) func(*args) {
	return func(a *args) {
		dst := a.slice(a.dst)
		for i, x := range a.slice(a.a) {
			dst[i] = f(x)
		}
	}
}

func pairs(f func(x, y float32) float32) [3]func(*args) {
	return [3]func(*args){
		func(a *args) {
			dst, y := a.slice(a.dst), a.slice(a.b)
			for i, x := range a.slice(a.a) {
				dst[i] = f(x, y[i])
			}
		},
		func(a *args) {
			a.eachRow(a.a, a.b, func(dst, side []float32, y float32) {
				for i, x := range side {
					dst[i] = f(x, y)
				}
			})
		},
		func(a *args) {
			a.eachRow(a.b, a.a, func(dst, side []float32, x float32) {
				for i, y := range side {
					dst[i] = f(x, y)
				}
			})
		},
	}
}

// eachRow calls f with each row of the output and of a side, and the number of the
// other side that goes with it.
func (a *args) eachRow(side, single unsafe.Pointer, f func(dst, side []float32, x float32)) {
	n := a.all * a.rows
	// SAFETY: output and side have rows that lie one behind the other, the other side
	// has a number for each.
	dst, rows, numbers := unsafe.Slice((*float32)(a.dst), n), unsafe.Slice((*float32)(side), n), unsafe.Slice((*float32)(single), a.rows)
	for r, x := range numbers {
		f(dst[r*a.all:(r+1)*a.all], rows[r*a.all:(r+1)*a.all], x)
	}
}
