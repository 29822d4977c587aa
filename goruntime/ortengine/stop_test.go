//go:build ort && cgo

package ortengine_test

import (
	"sync"
	"testing"
	"time"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// endless returns a call that ends by no step of its own.
func endless(t testing.TB, on bool) *exec.Call {
	t.Helper()
	c, err := tensor.ViewOf(tensor.Bool, tensor.Shape{}, []bool{on})
	if err != nil {
		t.Fatal(err)
	}
	return &exec.Call{In: []tensor.View{c, f32(t, tensor.Shape{1}, 1)}, Out: make([]exec.Result, 1), Stop: &exec.Stop{}}
}

func TestARunIsEnded(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "endless", exec.Options{Threads: 1})
	interrupted := errs.New(errs.Canceled, "the run was interrupted")
	for name, c := range map[string]struct {
		code errs.Code
		end  func(*exec.Stop)
	}{
		"by Cancel":     {errs.Canceled, func(stop *exec.Stop) { time.AfterFunc(50*time.Millisecond, stop.Cancel) }},
		"by a deadline": {errs.Timeout, func(stop *exec.Stop) { stop.Deadline = time.Now().Add(50 * time.Millisecond) }},
		"by a signal": {errs.Canceled, func(stop *exec.Stop) {
			from := time.Now()
			stop.Poll = func() error {
				if time.Since(from) > 50*time.Millisecond {
					return interrupted
				}
				return nil
			}
		}},
		"before it begins": {errs.Canceled, (*exec.Stop).Cancel},
	} {
		call := endless(t, true)
		c.end(call.Stop)
		done := make(chan error, 1)
		go func() { done <- s.Run(call) }()
		select {
		case err := <-done:
			want(t, err, c.code)
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: the run goes on", name)
		}
		if n := s.IO().Stats().LiveBlocks; n != 0 {
			t.Errorf("%s: %d blocks stay live", name, n)
		}
	}
	// The frame that was ended serves the next run.
	call := endless(t, false)
	if err := s.Run(call); err != nil {
		t.Fatal(err)
	}
	if got := floats(&call.Out[0]); got[0] != 1 {
		t.Errorf("%v", got)
	}
	call.Out[0].Release()
}

// A run that is short by what the one before took is not watched, but still refused
// once it is to end.
func TestShortRunsAreEndedBetweenThem(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "chain", exec.Options{Threads: 1})
	c := &exec.Call{In: []tensor.View{f32(t, tensor.Shape{3}, 1, 2, 3)}, Out: make([]exec.Result, 1), Stop: &exec.Stop{}}
	for range 3 {
		if err := s.Run(c); err != nil {
			t.Fatal(err)
		}
		c.Out[0].Release()
	}
	c.Stop.Cancel()
	want(t, s.Run(c), errs.Canceled)
}

func TestManyGoroutinesRunOneSession(t *testing.T) {
	testkit.NoLeaks(t)
	for _, model := range []string{"chain", "nonzero"} {
		s := open(t, model, exec.Options{Threads: 1})
		var all sync.WaitGroup
		for k := range 4 {
			all.Go(func() {
				for i := range 100 {
					n := 10 + (k+i)%12
					c := &exec.Call{In: []tensor.View{f32(t, tensor.Shape{n}, ones(n)...)}, Out: make([]exec.Result, 1)}
					if err := s.Run(c); err != nil {
						t.Error(err)
						return
					}
					if got := c.Out[0].Elements(); got != n {
						t.Errorf("%d elements, %d expected", got, n)
					}
					c.Out[0].Release()
				}
			})
		}
		all.Wait()
	}
}

func TestCloseWaitsForRuns(t *testing.T) {
	testkit.NoLeaks(t)
	s := open(t, "slow", exec.Options{Threads: 1})
	done := make(chan error, 1)
	c := &exec.Call{In: []tensor.View{f32(t, tensor.Shape{64, 256}, ones(64*256)...)}, Out: make([]exec.Result, 1)}
	go func() { done <- s.Run(c) }()
	time.Sleep(2 * time.Millisecond)
	s.Close()
	if err := <-done; err == nil {
		c.Out[0].Release()
	} else {
		want(t, err, errs.Closed)
	}
	want(t, s.Run(c), errs.Closed)
}
