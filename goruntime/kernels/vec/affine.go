package vec

import (
	"runtime"
	"unsafe"
)

// Affine are rows of N numbers x that become max(Low, x*t + p + y): a number t and a
// number p go with each row, and a row y where Add is not nil. Steps are bytes from row
// to row. Dst may be Src or Add. It rounds after each operation, and NaN stays.
type Affine struct {
	Dst, Src, Add, Times, Plus                     unsafe.Pointer
	N, Rows                                        int
	DstStep, SrcStep, AddStep, TimesStep, PlusStep int
	Low                                            float32
}

// affine is what the kernels read; vecgen has the offsets.
type affine struct {
	dst, src, add unsafe.Pointer // 0
	times, plus   unsafe.Pointer // 24
	n             int            // 40, whole vectors
	mask          unsafe.Pointer // 48, of the last vector, nil where there is none
	rows          int            // 56
	steps         [5]int         // 64, of the pointers
	low           float32        // 104
	all           int            // for the portable kernels
}

// Run computes the rows.
func (a *Affine) Run() {
	if a.N <= 0 || a.Rows <= 0 {
		return
	}
	v := chosen()
	k := affine{
		dst: a.Dst, src: a.Src, add: a.Add, times: a.Times, plus: a.Plus, rows: a.Rows,
		steps: [5]int{a.DstStep, a.SrcStep, a.AddStep, a.TimesStep, a.PlusStep}, low: a.Low, all: a.N,
	}
	k.n, k.mask = v.steps(a.N, 1)
	added := 0
	if a.Add != nil {
		added = 1
	}
	v.affine[added](borrow(&k))
	runtime.KeepAlive(&k)
}

// portableAffine is the definition.
func portableAffine(k *affine) {
	for r := range k.rows {
		// SAFETY: the caller's rows have as many numbers; each has two of its own.
		dst, src := unsafe.Slice((*float32)(unsafe.Add(k.dst, r*k.steps[0])), k.all), unsafe.Slice((*float32)(unsafe.Add(k.src, r*k.steps[1])), k.all)
		// SAFETY: as above.
		t, p := *(*float32)(unsafe.Add(k.times, r*k.steps[3])), *(*float32)(unsafe.Add(k.plus, r*k.steps[4]))
		for i, x := range src {
			y := line(x, t, p)
			if k.add != nil {
				// SAFETY: as above.
				y += *(*float32)(unsafe.Add(k.add, r*k.steps[2]+4*i))
			}
			if y < k.low {
				y = k.low
			}
			dst[i] = y
		}
	}
}
