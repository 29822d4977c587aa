package op

import (
	"testing"
	"unsafe" //lint:allow unsafe a workspace is bound by address
)

func TestRoom(t *testing.T) {
	var c Context
	var r Room
	a, b, none := r.Add(3), r.Add(8), r.Add(0)
	r.Need(&c)
	if c.WorkspaceBytes() != 128 {
		t.Fatalf("%d bytes are asked for, want 128", c.WorkspaceBytes())
	}
	w := make([]uint64, 16)
	c.BindWorkspace(unsafe.Pointer(&w[0]))
	a.Bytes(&c)[2] = 1
	b.Ints(&c)[1] = 7
	if len(a.Bytes(&c)) != 3 || len(b.Floats(&c)) != 2 || len(none.Bytes(&c)) != 0 {
		t.Error("parts have other sizes than asked for")
	}
	if c.Workspace()[2] != 1 || w[8] != 7<<32 {
		t.Error("parts lie elsewhere")
	}
}
