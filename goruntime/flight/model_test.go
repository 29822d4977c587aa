package flight

import (
	"context"
	"strings"
	"testing"

	"github.com/goruntime/goruntime/goruntime/arrowio"
	"github.com/goruntime/goruntime/goruntime/errs"
)

// One run at once and one more that waits: the next is refused, and what ended makes room.
func TestQueueAndConcurrencyAreBounded(t *testing.T) {
	g := newGate(arrowio.Limits{Concurrency: 1, Queue: 1})
	ctx, cancel := context.WithCancel(context.Background())
	var ends []func()
	for range 2 {
		end, err := g.enter(ctx, 10)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, end)
	}
	if _, err := g.enter(ctx, 10); errs.CodeOf(err) != errs.Memory || !strings.Contains(err.Error(), "3 requests wait, at most 1 allowed: try again later") {
		t.Errorf("the third request: %v", err)
	}
	if n, bytes := g.waiting.Load(), g.bytes.Load(); n != 2 || bytes != 20 {
		t.Errorf("%d requests of %d bytes are counted after a refusal, want 2 of 20", n, bytes)
	}
	if err := g.turn(ctx); err != nil {
		t.Fatal(err)
	}
	waits := make(chan error, 1)
	go func() { waits <- g.turn(ctx) }()
	select {
	case err := <-waits:
		t.Fatalf("two run at once: %v", err)
	default:
	}
	g.next()
	if err := <-waits; err != nil {
		t.Errorf("the second turn: %v", err)
	}
	go func() { waits <- g.turn(ctx) }()
	cancel()
	if err := <-waits; errs.CodeOf(err) != errs.Canceled {
		t.Errorf("a client that is gone while it waits: %v", err)
	}
	for _, end := range ends {
		end()
	}
	if n, bytes := g.waiting.Load(), g.bytes.Load(); n != 0 || bytes != 0 {
		t.Errorf("%d requests of %d bytes are counted at the end", n, bytes)
	}
}
