package vec

import (
	"math/rand/v2"
	"testing"
)

// anyWindows returns windows, and how many numbers they read and write.
func anyWindows(r *rand.Rand) (w Windows, src, dst int) {
	w = Windows{N: 1 + r.IntN(70), Stride: 1 + r.IntN(2), Taps: 1 + r.IntN(5), Tap: 1 + r.IntN(3), Rows: 1 + r.IntN(4), Planes: 1 + r.IntN(3)}
	if r.IntN(2) == 0 {
		w.Tap = w.N * w.Stride // numbers of the rows below
	}
	row := (w.N-1)*w.Stride + (w.Taps-1)*w.Tap + 1
	w.From, w.To = 1+r.IntN(row+3), w.N+r.IntN(3)
	w.Out, w.Into = w.Rows*w.From+r.IntN(9), w.Rows*w.To+r.IntN(9)
	if r.IntN(3) == 0 {
		w.Out = r.IntN(w.Out + 1) // planes that lie over each other
	}
	return w, (w.Planes-1)*w.Out + (w.Rows-1)*w.From + row, (w.Planes-1)*w.Into + (w.Rows-1)*w.To + w.N
}

func TestWindowsJoinWhatTheySee(t *testing.T) {
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 10))
		for range 3000 {
			w, from, to := anyWindows(r)
			src, dst := numbers(r, from+1)[1:], make([]float32, to+1)
			want := make([]float32, to+1)
			for i := range dst {
				dst[i], want[i] = 77, 77 // what lies between rows stays
			}
			for j := range joins {
				w.Run(j, dst[:to:to], src)
				for at := range w.Planes * w.Rows * w.N {
					p, y, x := at/w.N/w.Rows, at/w.N%w.Rows, at%w.N
					sum := src[p*w.Out+y*w.From+x*w.Stride]
					for k := 1; k < w.Taps; k++ {
						v := src[p*w.Out+y*w.From+x*w.Stride+k*w.Tap]
						if j == Total {
							sum += v
						} else {
							sum = max(sum, v)
						}
					}
					want[p*w.Into+y*w.To+x] = sum
				}
				for i := range want {
					if dst[i] != want[i] && !(dst[i] != dst[i] && want[i] != want[i]) {
						t.Fatalf("%+v, join %d: element %d is %v, want %v", w, j, i, dst[i], want[i])
					}
				}
			}
		}
	})
}

// Windows that would read or write beyond their memory end in a panic, which the
// assembly could not raise.
func TestWindowsStayInTheirMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 200 {
		w, from, to := anyWindows(r)
		for k := range 2 {
			src, dst := make([]float32, from-k), make([]float32, to-1+k)
			func() {
				defer func() {
					if recover() == nil {
						t.Fatalf("%+v: %d numbers read of %d, %d written of %d", w, from, len(src), to, len(dst))
					}
				}()
				w.Run(Largest, dst, src)
			}()
		}
	}
}
