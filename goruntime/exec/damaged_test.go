package exec

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// damage changes one thing of the graph, at random.
func damage(r *rand.Rand, g *onnx.Graph) string {
	n := &g.Nodes[r.IntN(len(g.Nodes))]
	some := func(list []string) *string {
		if len(list) == 0 {
			return new(string)
		}
		return &list[r.IntN(len(list))]
	}
	what := r.IntN(9)
	switch what {
	case 0:
		*some(n.Inputs) = ""
	case 1:
		*some(n.Outputs) = ""
	case 2:
		n.Inputs = n.Inputs[:len(n.Inputs)/2]
	case 3:
		n.Outputs = append(n.Outputs, "more", "still_more")
	case 4:
		n.Inputs = append(n.Inputs, *some(n.Inputs))
	case 5:
		n.OpType = g.Nodes[r.IntN(len(g.Nodes))].OpType
	case 6:
		n.Attrs = nil
	case 7:
		for i := range n.Attrs {
			n.Attrs[i].I, n.Attrs[i].Ints = r.Int64N(9)-4, []int64{r.Int64N(5) - 2, r.Int64N(5) - 2}
		}
	case 8:
		*some(n.Inputs) = *some(g.Nodes[r.IntN(len(g.Nodes))].Inputs)
	}
	return fmt.Sprintf("damage %d of %s", what, n.OpType)
}

// A model that is wrong is an error when it is loaded or run, of a code that
// says so; it is never a crash, and what it used comes back.
func TestDamagedGraphsAreErrors(t *testing.T) {
	testkit.NoLeaks(t)
	first, last := uint64(1), 10**graphsFlag
	if *seedFlag != 0 {
		first, last = *seedFlag, *seedFlag
	}
	refused := 0
	for seed := first; seed <= last; seed++ {
		if err := runDamaged(t, seed); err != nil {
			refused++
			if code := errs.CodeOf(err); code == errs.Internal {
				t.Errorf("graph %d: %v", seed, err)
			}
		}
	}
	if *seedFlag == 0 && refused < int(last)/4 {
		t.Errorf("only %d of %d damaged graphs were refused: the damage is too small to show anything", refused, last)
	}
}

func runDamaged(t *testing.T, seed uint64) (err error) {
	g := newRandomGraph(t, tensor.F32, seed)
	r := rand.New(rand.NewPCG(seed, 3))
	what := damage(r, g.m.Graph)
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("graph %d, %s: %v", seed, what, p)
		}
	}()
	s, err := New(&g.m, Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	c := &Call{In: g.feeds(seed), Out: make([]Result, len(g.m.Graph.Outputs))}
	if err := s.Run(c); err != nil {
		return err
	}
	release(c.Out)
	return nil
}
