package signal

import (
	"math"
	"math/bits"
)

// fft is the plan of discrete Fourier transforms of one length. Lengths of small
// prime factors are transformed by a Stockham algorithm of mixed radix, others as
// a convolution (Bluestein); both take time in proportion to n log n.
//
// Concurrency: a plan is not written after it was made; each run brings its own
// memory.
type fft struct {
	n       int
	factors []int        // nil for Bluestein
	roots   []complex128 // exp(-2 pi i k / n)
	chirp   []complex128 // Bluestein: exp(-pi i k^2 / n)
	filter  []complex128 // Bluestein: the transform of the conjugate chirp
	inner   *fft         // Bluestein: of a power of two
}

// largestFactor is the greatest prime factor that is transformed directly.
const largestFactor = 13

// newFFT returns the plan for length n, which must be positive.
func newFFT(n int) *fft {
	p := &fft{n: n}
	if p.factors = factorsOf(n); p.factors == nil {
		p.prepareChirp()
		return p
	}
	p.roots = make([]complex128, n)
	for k := range p.roots {
		p.roots[k] = root(k, n)
	}
	return p
}

// root returns exp(-2 pi i k / n).
func root(k, n int) complex128 {
	sin, cos := math.Sincos(-2 * math.Pi * float64(k) / float64(n))
	return complex(cos, sin)
}

// factorsOf splits n into factors, fours before twos; nil where one is too large.
func factorsOf(n int) []int {
	list := []int{}
	for _, f := range [...]int{4, 2, 3, 5, 7, 11, largestFactor} {
		for n%f == 0 {
			list = append(list, f)
			n /= f
		}
	}
	if n > 1 {
		return nil
	}
	return list
}

func (p *fft) prepareChirp() {
	m := 1 << bits.Len(uint(2*p.n-2))
	p.inner, p.chirp, p.filter = newFFT(m), make([]complex128, p.n), make([]complex128, m)
	for k := range p.chirp {
		square := int(uint64(k) * uint64(k) % uint64(2*p.n))
		p.chirp[k] = root(square, 2*p.n)
		back := complex(real(p.chirp[k]), -imag(p.chirp[k]))
		p.filter[k] = back
		if k > 0 {
			p.filter[m-k] = back
		}
	}
	room := make([]complex128, p.inner.room())
	copy(p.filter, p.inner.run(append(room[:0], p.filter...)[:len(room)]))
}

// room returns how many numbers of memory a run needs.
func (p *fft) room() int {
	if p.inner != nil {
		return p.inner.room()
	}
	return 2 * p.n
}

// run transforms the first n numbers of work, which is room() long, and returns
// where in it the result lies.
func (p *fft) run(work []complex128) []complex128 {
	if p.inner != nil {
		return p.convolve(work)
	}
	x, y := work[:p.n], work[p.n:2*p.n]
	left, stride := p.n, 1
	for _, r := range p.factors {
		left /= r
		switch r {
		case 2:
			p.by2(x, y, left, stride)
		case 4:
			p.by4(x, y, left, stride)
		default:
			p.by(r, x, y, left, stride)
		}
		x, y = y, x
		stride *= r
	}
	return x
}

// by2 is one step of radix 2: n/2 butterflies, of which m groups have stride each.
func (p *fft) by2(x, y []complex128, m, stride int) {
	for k := range m {
		w := p.roots[k*stride]
		a, b := x[stride*k:][:stride], x[stride*(k+m):][:stride]
		lo, hi := y[stride*2*k:][:stride], y[stride*(2*k+1):][:stride]
		for q := range a {
			lo[q], hi[q] = a[q]+b[q], (a[q]-b[q])*w
		}
	}
}

func (p *fft) by4(x, y []complex128, m, stride int) {
	for k := range m {
		w1, w2, w3 := p.roots[k*stride], p.roots[2*k*stride], p.roots[3*k*stride]
		a, b := x[stride*k:][:stride], x[stride*(k+m):][:stride]
		c, d := x[stride*(k+2*m):][:stride], x[stride*(k+3*m):][:stride]
		out := y[stride*4*k:][:4*stride]
		for q := range a {
			sum, even := a[q]+c[q], a[q]-c[q]
			other, odd := b[q]+d[q], b[q]-d[q]
			turned := complex(imag(odd), -real(odd)) // -i * odd
			out[q] = sum + other
			out[q+stride] = (even + turned) * w1
			out[q+2*stride] = (sum - other) * w2
			out[q+3*stride] = (even - turned) * w3
		}
	}
}

// by is one step of any radix: r transforms of r numbers at a time.
func (p *fft) by(r int, x, y []complex128, m, stride int) {
	var in [largestFactor]complex128
	step := p.n / r
	for k := range m {
		for q := range stride {
			for j := range r {
				in[j] = x[q+stride*(k+m*j)]
			}
			for j := range r {
				sum := in[0]
				for i := 1; i < r; i++ {
					sum += in[i] * p.roots[i*j%r*step]
				}
				y[q+stride*(r*k+j)] = sum * p.roots[k*j*stride]
			}
		}
	}
}

// convolve is the transform as a convolution with a chirp (Bluestein).
func (p *fft) convolve(work []complex128) []complex128 {
	m := p.inner.n
	for k := range p.n {
		work[k] *= p.chirp[k]
	}
	clear(work[p.n:m])
	x := p.inner.run(work)
	for k, f := range p.filter { // the inverse is the transform of the conjugate
		v := x[k] * f
		x[k] = complex(real(v), -imag(v))
	}
	if &x[0] != &work[0] {
		copy(work, x)
	}
	x = p.inner.run(work)
	for k, c := range p.chirp {
		x[k] = complex(real(x[k])/float64(m), -imag(x[k])/float64(m)) * c
	}
	return x[:p.n]
}
