package vec

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// normalized is a row by the definition, in float64.
func normalized(src, scale, bias []float32, center bool, epsilon float64) (want []float64, mean, inv float64) {
	n := float64(len(src))
	for _, x := range src {
		if center {
			mean += float64(x) / n
		}
	}
	variance := 0.0
	for _, x := range src {
		variance += (float64(x) - mean) * (float64(x) - mean) / n
	}
	inv = 1 / math.Sqrt(variance+epsilon)
	for i, x := range src {
		y := (float64(x) - mean) * inv * float64(scale[i])
		if bias != nil {
			y += float64(bias[i])
		}
		want = append(want, y)
	}
	return want, mean, inv
}

// Rows of every length, some of them side by side: each is what the definition says, has
// the bits that it has alone, and nothing behind them is written.
func TestNormalizations(t *testing.T) {
	const epsilon = 1e-2
	forms := map[string]func(dst, src, scale, bias, stats []float32){
		"centered":        func(dst, src, scale, bias, stats []float32) { Normalize(dst, src, scale, bias, stats, epsilon) },
		"without a bias":  func(dst, src, scale, _, stats []float32) { Normalize(dst, src, scale, nil, stats, epsilon) },
		"of the squares":  func(dst, src, scale, _, stats []float32) { NormalizeSquares(dst, src, scale, stats, epsilon) },
		"without numbers": func(dst, src, scale, bias, _ []float32) { Normalize(dst, src, scale, bias, nil, epsilon) },
	}
	withEach(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for n := range 150 {
			for name, form := range forms {
				rows := 1 + r.IntN(5)
				src, scale, bias := make([]float32, rows*n), make([]float32, n), make([]float32, n)
				for _, s := range [][]float32{src, scale, bias} {
					for i := range s {
						s[i] = float32(r.NormFloat64()*2 + 1)
					}
				}
				dst, stats := make([]float32, rows*n+1), make([]float32, 2*rows+1)
				dst[rows*n], stats[2*rows] = 77, 77
				form(dst[:rows*n], src, scale, bias, stats[:2*rows])
				for row := range rows {
					x, got := src[row*n:(row+1)*n], dst[row*n:(row+1)*n]
					added := bias
					if name == "without a bias" || name == "of the squares" {
						added = nil
					}
					want, mean, inv := normalized(x, scale, added, name != "of the squares", epsilon)
					for i := range want {
						if math.Abs(float64(got[i])-want[i]) > 2e-5 {
							t.Fatalf("%s: number %d of row %d of %d is %v, want %v", name, i, row, n, got[i], want[i])
						}
					}
					if name != "without numbers" && n > 0 && (math.Abs(float64(stats[2*row])-mean) > 1e-5 || math.Abs(float64(stats[2*row+1])-inv) > 1e-5*inv) {
						t.Fatalf("%s: row %d of %d has mean %v and %v, want %v and %v", name, row, n, stats[2*row], stats[2*row+1], mean, inv)
					}
					form(x, x, scale, bias, make([]float32, 2))
					if !slices.Equal(x, got) {
						t.Fatalf("%s: row %d of %d is %v, alone and in place %v", name, row, n, got, x)
					}
				}
				same(t, "behind the rows", dst[rows*n], 77)
				same(t, "behind what is told of them", stats[2*rows], 77)
			}
		}
	})
}

// A number that is none stays in its row.
func TestNormalizationsOfNaN(t *testing.T) {
	withEach(t, func(t *testing.T) {
		src, scale := make([]float32, 60), slices.Repeat([]float32{1}, 20)
		src[25] = float32(math.NaN())
		for _, form := range []func(dst []float32){
			func(dst []float32) { Normalize(dst, src, scale, scale, nil, 1) },
			func(dst []float32) { NormalizeSquares(dst, src, scale, nil, 1) },
		} {
			dst := make([]float32, 60)
			form(dst)
			for i, x := range dst {
				if (x != x) != (i/20 == 1) {
					t.Errorf("number %d is %v", i, x)
				}
			}
		}
	})
}

// Infinite, huge and tiny numbers, and rows of one number or of equal ones, are normalized
// as the definition says, by every variant.
func TestNormalizationsOfSpecialRows(t *testing.T) {
	fills := map[string]func(i int) float32{
		"zeros":    func(int) float32 { return 0 },
		"equal":    func(int) float32 { return 3.25 },
		"infinite": func(i int) float32 { return special[8+i%2] },
		"huge":     func(i int) float32 { return special[14+i%2] },
		"large":    func(i int) float32 { return float32(1e18 * float64(i%5)) },
		"tiny":     func(i int) float32 { return special[11+i%3] },
		"offset":   func(i int) float32 { return 1000 + float32(i%7) },
	}
	withEach(t, func(t *testing.T) {
		for name, fill := range fills {
			for _, n := range []int{1, 2, 15, 16, 17, 63, 64, 100} {
				src, scale, bias := make([]float32, n), make([]float32, n), make([]float32, n)
				for i := range src {
					src[i], scale[i], bias[i] = fill(i), float32(i%3)-1, float32(i%4)
				}
				for form := range normals {
					a := args{a: first(src), b: first(scale), all: n, rows: 1, step: 4 * n, r: 1e-5}
					added := bias
					if form != centered {
						added = nil
					}
					a.c = first(added)
					want, told := make([]float32, n), make([]float32, 2)
					a.dst, a.acc = first(want), first(told)
					portableKernels.normalize[form](&a)
					got, stats := make([]float32, n), make([]float32, 2)
					normalizeRows(form, got, src, scale, added, stats, 1e-5)
					alike(t, name, append(got, stats...), append(want, told...))
				}
			}
		}
	})
}

// alike checks that numbers are within rounding of those wanted, and none where those are.
func alike(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i, w := range want {
		if g := got[i]; g != w && (g == g || w == w) && !(math.Abs(float64(g-w)) <= 1e-5+1e-5*math.Abs(float64(w))) {
			t.Fatalf("%s: number %d of %d is %v, want %v", what, i, len(want), g, w)
		}
	}
}
