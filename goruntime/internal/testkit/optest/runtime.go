package optest

import (
	"bytes"
	"sync"
	"unsafe" //lint:allow unsafe op.Runtime speaks of memory by address

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

const (
	poison = 0xA5 // fills memory that a kernel must not rely on
	guard  = 64   // bytes beside each block that a kernel must not touch
)

// block is memory between two guards.
type block struct {
	all  []byte
	from int
	n    int
}

// newBlock returns n poisoned bytes at an address that is skew above a multiple
// of 64.
func newBlock(n, skew int) *block {
	b := &block{all: bytes.Repeat([]byte{poison}, n+3*guard), n: n}
	// SAFETY: the address is only looked at.
	b.from = guard + (guard-int(uintptr(unsafe.Pointer(&b.all[0]))%guard))%guard + skew
	return b
}

// skewed returns the skew for tensors of dtype: strings are always aligned, since
// the runtime itself lays them out.
func skewed(dtype tensor.DType, skew int) int {
	if dtype == tensor.Str {
		return 0
	}
	return skew
}

func (b *block) bytes() []byte { return b.all[b.from : b.from+b.n : b.from+b.n] }

// SAFETY: all is longer than from by two guards at least.
func (b *block) pointer() unsafe.Pointer { return unsafe.Pointer(&b.all[b.from]) }

// intact reports whether nothing was written beside the block.
func (b *block) intact() bool {
	for _, side := range [][]byte{b.all[:b.from], b.all[b.from+b.n:]} {
		for _, x := range side {
			if x != poison {
				return false
			}
		}
	}
	return true
}

// runtime is the op.Runtime of a test.
type runtime struct {
	split bool // run loops as two halves at once
	each  bool // run loops one iteration at a time, the last first
	skew  int
	outs  []*tensor.View // of an operator that makes its outputs
	keep  []*block       // what outs lie in
	packs map[string][]byte
	temps []*block
	used  int
	text  [][]byte
	texts int // blocks of text in use
}

// MakeOutput implements op.Runtime.
func (r *runtime) MakeOutput(_ *op.Context, slot int, dtype tensor.DType, shape tensor.Shape) (*tensor.View, error) {
	n, err := shape.Check(dtype)
	if err != nil {
		return nil, err
	}
	b := newBlock(n, skewed(dtype, r.skew))
	r.keep = append(r.keep, b)
	*r.outs[slot] = tensor.View{DType: dtype, Shape: shape.Clone(), Data: b.pointer()}
	return r.outs[slot], nil
}

// Temporary implements op.Runtime; the blocks are used again in the next run.
func (r *runtime) Temporary(_ *op.Context, n int) (unsafe.Pointer, error) {
	if r.used < len(r.temps) && r.temps[r.used].n >= n {
		r.used++
		return r.temps[r.used-1].pointer(), nil
	}
	r.temps = append(r.temps[:r.used], newBlock(n, 0))
	r.used++
	return r.temps[r.used-1].pointer(), nil
}

// Text implements op.TextMaker; as Temporary.
func (r *runtime) Text(_ *op.Context, _, n int) ([]byte, error) {
	if r.texts == len(r.text) || cap(r.text[r.texts]) < n {
		r.text = append(r.text[:r.texts], make([]byte, n))
	}
	r.texts++
	return r.text[r.texts-1][:n], nil
}

// Pack implements op.Runtime.
func (r *runtime) Pack(_ *op.Context, input int, layout string, n int, fill func([]byte) error) ([]byte, error) {
	key := layout + "/" + string(rune('0'+input))
	if b, ok := r.packs[key]; ok {
		return b, nil
	}
	b := newBlock(n, 0)
	if err := fill(b.bytes()); err != nil {
		return nil, err
	}
	r.packs[key] = b.bytes()
	return b.bytes(), nil
}

// For implements op.Runtime. Split loops ignore grain: a kernel's results must
// not depend on where it is cut.
func (r *runtime) For(n, _ int, task op.Task) {
	if n == 0 {
		return
	}
	if r.each {
		for i := n - 1; i >= 0; i-- {
			task.Chunk(i, i+1)
		}
		return
	}
	if !r.split || n < 2 {
		task.Chunk(0, n)
		return
	}
	var wg sync.WaitGroup
	mid := n/2 + n%2
	wg.Go(func() { task.Chunk(mid, n) })
	task.Chunk(0, mid)
	wg.Wait()
}

// Threads implements op.Runtime.
func (r *runtime) Threads() int {
	if r.split {
		return 2
	}
	return 1
}

// Branch fails: operators with subgraphs are tested through exec.
func (r *runtime) Branch(*op.Context, string) error {
	return errs.New(errs.Internal, "optest runs no subgraphs")
}

// Stopped implements op.Runtime.
func (r *runtime) Stopped() error { return nil }
