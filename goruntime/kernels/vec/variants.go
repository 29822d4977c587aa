package vec

import (
	"sync/atomic"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
)

// args is what a kernel reads; vecgen has the offsets.
type args struct {
	dst  unsafe.Pointer // 0
	a    unsafe.Pointer // 8
	b    unsafe.Pointer // 16
	n    int            // 24, whole steps
	mask unsafe.Pointer // 32, of the last step, nil where there is none
	acc  unsafe.Pointer // 40, of a reduction, or what a normalization tells of its rows
	s    float32        // 48
	r    float32        // 52
	c    unsafe.Pointer // 56, of rows that are weighed, their numbers
	all  int            // 64, elements of a row, for the portable kernels
	rows int            // 72
	step int            // 80, bytes from row to row; of an operation, of a row behind its whole steps
}

// kernels are the loops of one variant.
type kernels struct {
	unary                  [functions]func(*args)
	binary                 [operations][3]func(*args)         // vector with vector, with scalar, scalar with vector
	bitwise                [bitwises][2]func(*args)           // vector with vector, with scalar; nil where there is none
	numbers                [arithmetics][kinds][2]func(*args) // as above
	curves                 [curves]func(*args)
	grids                  [grids]func(*args)
	normalize              [normals]func(*args)
	softmax                func(*args)
	second, fourth, recode func(*args)
	weigh                  func(*args)
	recodeBytes            func(*args)                  // nil where there is none
	relate                 [2][relations][2]func(*args) // of f32 and i32, with vector and scalar; nil where there is none
	choose                 [4]func(*args)               // vector or vector, or number, number or vector, or number; nil where there is none
	exact                  [exacts]func(*args)          // nil where there is none
	power                  [2]func(*args)               // to powers, to one; nil where there is none
	along, across          [reductions]func(*args)
	affine                 [2]func(*affine)         // without and with rows to add
	windows                [joins][2]func(*windows) // by stride
}

// variant is one implementation.
type variant struct {
	name  string
	level cpu.Level
	lanes int
	*kernels
}

// variants, the best first; portable is the definition.
var variants = append(vectorVariants, variant{"portable", cpu.Portable, lanes, &portableKernels})

func chosen() *variant {
	if v := active.Load(); v != nil {
		return v
	}
	active.Store(choose())
	return active.Load()
}

// active is the variant in use, nil before the first kernel: rows of a few elements
// come too often to choose each time.
var active atomic.Pointer[variant]

func choose() *variant { return cpu.Pick(variants, func(v *variant) cpu.Level { return v.level }) }

// Variant returns the name of the implementation in use.
func Variant() string { return chosen().name }

// tails holds, for n lanes of a step, the first n set: as bits for AVX-512, as
// words for AVX2.
var tails = func() (t struct {
	bits  [lanes]uint64
	words [lanes][lanes]int32
},
) {
	for n := range lanes {
		t.bits[n] = 1<<n - 1
		for i := range n {
			t.words[n][i] = -1
		}
	}
	return t
}()

// apart holds, for n lanes of the last step of Every, the masks of what is read of
// its vectors and, last, of what is written.
type apart[T any] [lanes + 1][5]T

// everies are the masks for AVX-512 and AVX2, of every second and of every fourth
// number.
var everies = func() (t [2]struct {
	bits  apart[uint64]
	words apart[[lanes / 2]int32]
},
) {
	for i := range t {
		step := 2 << i
		for n := 1; n <= lanes; n++ {
			for v := range step {
				t[i].bits[n][v] = 1<<min(lanes, max(0, (n-1)*step+1-v*lanes)) - 1
				for k := range lanes / 2 {
					if k+v*lanes/2 <= (n-1)*step {
						t[i].words[n][v][k] = -1
					}
				}
			}
			t[i].bits[n][step] = 1<<n - 1
			for k := range min(n, lanes/2) {
				t[i].words[n][step][k] = -1
			}
		}
	}
	return t
}()

func newArgs(dst, src []float32, step int) args {
	n := len(dst)
	if dst == nil {
		n = len(src)
	}
	a := args{dst: first(dst), a: first(src), n: n / step, all: n, rows: 1}
	if tail := n % step; tail > 0 {
		a.masked(tail, chosen().level == cpu.AVX512)
	}
	return a
}

// masked lets the last step be of tail elements.
func (a *args) masked(tail int, bits bool) {
	if bits {
		a.mask = unsafe.Pointer(&tails.bits[tail])
	} else {
		a.mask = unsafe.Pointer(&tails.words[tail])
	}
}

func first(s []float32) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// borrow hides from escape analysis that a is passed on: no kernel keeps it, but
// the compiler cannot see that through a table, and would put it on the heap.
func borrow[T any](a *T) *T {
	p := uintptr(unsafe.Pointer(a))
	// SAFETY: the pointer is used during the call only, while a is alive; as an
	// argument it is adjusted like any other when the stack moves.
	return *(**T)(unsafe.Pointer(&p))
}
