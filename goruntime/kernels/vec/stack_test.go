package vec

import "testing"

// A kernel checks the stack when it is entered, and the stack may move there:
// the memory that it was given must move with it, also where it lies on the
// stack itself. Each depth puts the call at another distance from the limit.
func TestKernelsFollowAStackThatMoves(t *testing.T) {
	wrong := make(chan int)
	for depth := range 2000 {
		go func() { wrong <- atDepth(depth) }()
		if n := <-wrong; n != 0 {
			t.Fatalf("depth %d: %d elements are wrong", depth, n)
		}
	}
}

//go:noinline
func atDepth(n int) int {
	if n > 0 {
		return atDepth(n - 1)
	}
	return onStack()
}

//go:noinline
func onStack() int {
	var x, y, z [40]float32
	for i := range x {
		x[i], y[i] = float32(i), -1
	}
	Combine(Plus, z[:], x[:], y[:])
	Apply(Rectifier, z[:], z[:])
	wrong := 0
	for i := range z {
		if z[i] != max(0, float32(i)-1) {
			wrong++
		}
	}
	if Sum(x[:]) != 780 {
		wrong++
	}
	return wrong
}
