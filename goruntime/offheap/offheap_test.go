package offheap

import (
	"testing"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/invariants"
)

func TestRound(t *testing.T) {
	for n, want := range map[int]int{1: Page, Page: Page, Page + 1: 2 * Page, HugePage: HugePage, HugePage + 1: HugePage + Page} {
		if got := Round(n); got != want {
			t.Errorf("Round(%d) is %d, %d expected", n, got, want)
		}
	}
}

func TestMapsAreAlignedZeroedAndCounted(t *testing.T) {
	for _, n := range []int{Page, 16 * Page, HugePage - Page, HugePage, HugePage + Page, 3 * HugePage} {
		before := Mapped()
		p, err := Map(n)
		if err != nil {
			t.Fatal(err)
		}
		align := uintptr(Page)
		switch {
		case invariants.Race:
			align = 64
		case n >= HugePage:
			align = HugePage
		}
		if uintptr(p)%align != 0 {
			t.Errorf("%d bytes at %p, not aligned to %d", n, p, align)
		}
		for i, b := range unsafe.Slice((*byte)(p), n) {
			if b != 0 {
				t.Fatalf("byte %d of %d is %d", i, n, b)
			}
		}
		*(*byte)(unsafe.Add(p, n-1)) = 1
		if got := Mapped() - before; got != int64(n) {
			t.Errorf("%d bytes are counted, %d mapped", got, n)
		}
		Unmap(p, n)
		if Mapped() != before {
			t.Errorf("%d bytes are counted after Unmap", Mapped()-before)
		}
	}
}

func TestTheSystemRefuses(t *testing.T) {
	if invariants.Race {
		t.Skip("memory comes from the Go heap there")
	}
	before := Mapped()
	const n = 1 << 60
	if _, err := Map(n); errs.CodeOf(err) != errs.Memory {
		t.Errorf("mapping %d bytes: %v", n, err)
	}
	if Mapped() != before {
		t.Error("what was refused is counted")
	}
}
