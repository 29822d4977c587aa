package values

import (
	"testing"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func element(t *testing.T, a *arena.ExecutionArena, n int) *Value {
	t.Helper()
	h, err := a.Acquire(4 * n)
	if err != nil {
		t.Fatal(err)
	}
	return NewTensor(tensor.View{DType: tensor.F32, Shape: tensor.Shape{n}, Data: h.Data()}, h)
}

func TestElementsAreSharedUntilTheLastRelease(t *testing.T) {
	testkit.NoLeaks(t)
	a := arena.NewExecution(arena.Options{})
	defer a.Close()
	x := element(t, a, 2)
	first := New(Sequence, x)
	second := New(Sequence, x.Retain(), element(t, a, 3))
	if got := second.String(); got != "seq(f32[2], f32[3])" {
		t.Errorf("second is %s", got)
	}
	if x.Sole() {
		t.Error("a tensor in two sequences is owned by one")
	}
	first.Release()
	if n := a.Stats().LiveBlocks; n != 2 {
		t.Errorf("%d blocks live after one of two sequences went, 2 expected", n)
	}
	if !x.Sole() {
		t.Error("the tensor is still owned by two")
	}
	second.Release()
	if n := a.Stats().LiveBlocks; n != 0 {
		t.Errorf("%d blocks live after both went", n)
	}
}

func TestPartsKeepTheirMemory(t *testing.T) {
	testkit.NoLeaks(t)
	a := arena.NewExecution(arena.Options{})
	defer a.Close()
	whole := element(t, a, 4)
	part := whole.Part(tensor.View{DType: tensor.F32, Shape: tensor.Shape{2}, Data: whole.View.Data})
	whole.Release()
	if n := a.Stats().LiveBlocks; n != 1 {
		t.Errorf("%d blocks live under a part, 1 expected", n)
	}
	if part.Sole() {
		t.Error("a part owns memory")
	}
	part.Release()
	if n := a.Stats().LiveBlocks; n != 0 {
		t.Errorf("%d blocks live at the end", n)
	}
}

func TestTakeMovesTheBlock(t *testing.T) {
	testkit.NoLeaks(t)
	a := arena.NewExecution(arena.Options{})
	defer a.Close()
	x := element(t, a, 4)
	h := x.Take()
	x.Release()
	if n := a.Stats().LiveBlocks; n != 1 {
		t.Errorf("%d blocks live after the value went, 1 expected", n)
	}
	h.Release()
}

func TestMapsShareKeysAndAMatrix(t *testing.T) {
	testkit.NoLeaks(t)
	a := arena.NewExecution(arena.Options{})
	defer a.Close()
	keys, matrix := element(t, a, 2), element(t, a, 6)
	for i := range 6 {
		tensor.Elems[float32](&matrix.View)[i] = float32(i)
	}
	matrix.View.Shape = tensor.Shape{3, 2}
	maps := Maps(keys, matrix)
	keys.Release()
	matrix.Release()
	if got := maps.String(); got != "seq(map(f32[2], f32[2]), map(f32[2], f32[2]), map(f32[2], f32[2]))" {
		t.Errorf("the maps are %s", got)
	}
	last := maps.Items[2].Retain()
	maps.Release()
	if n := a.Stats().LiveBlocks; n != 2 {
		t.Errorf("%d blocks live under one of three maps, 2 expected", n)
	}
	if got := tensor.Elems[float32](&last.Items[1].View); got[0] != 4 || got[1] != 5 {
		t.Errorf("the last map has %v", got)
	}
	last.Release()
	if n := a.Stats().LiveBlocks; n != 0 {
		t.Errorf("%d blocks live at the end", n)
	}
}

func TestMapsAreAsManyAsRows(t *testing.T) {
	testkit.NoLeaks(t)
	a := arena.NewExecution(arena.Options{})
	defer a.Close()
	for _, c := range []struct {
		shape tensor.Shape
		rows  int
	}{
		{tensor.Shape{3, 2}, 3},
		{tensor.Shape{2}, 1},
		{tensor.Shape{0, 2}, 0},
		{tensor.Shape{3, 0}, 3},
		{tensor.Shape{0}, 1},
		{tensor.Shape{0, 0}, 0},
	} {
		columns := c.shape[len(c.shape)-1]
		keys, matrix := element(t, a, columns), element(t, a, c.shape.Elements())
		matrix.View.Shape = c.shape
		maps := Maps(keys, matrix)
		keys.Release()
		matrix.Release()
		if len(maps.Items) != c.rows {
			t.Errorf("%v: %d maps, %d expected", c.shape, len(maps.Items), c.rows)
		}
		for i, m := range maps.Items {
			if n := m.Items[0].View.Elements(); n != columns {
				t.Errorf("%v: map %d has %d keys, %d expected", c.shape, i, n, columns)
			}
			if v := &m.Items[1].View; v.Elements() != columns || columns > 0 && v.Data != matrix.View.At(i*columns) {
				t.Errorf("%v: the values of map %d are %v", c.shape, i, v)
			}
		}
		maps.Release()
		if n := a.Stats().LiveBlocks; n != 0 {
			t.Errorf("%v: %d blocks are live", c.shape, n)
		}
	}
}
