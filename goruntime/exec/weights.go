package exec

import (
	"sync"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// packKey names one packed form of one constant. The shape belongs to it: the
// same memory under another shape is packed another way.
type packKey struct {
	data   unsafe.Pointer
	dtype  tensor.DType
	rank   int
	dims   [8]int // the last ones; with all bytes they settle the product of the others
	bytes  int
	layout string
	packed int // bytes of the packed form
}

func keyOf(v *tensor.View, layout string, n int) packKey {
	k := packKey{data: v.Data, dtype: v.DType, rank: len(v.Shape), bytes: v.Bytes(), layout: layout, packed: n}
	copy(k.dims[:], v.Shape[max(0, len(v.Shape)-len(k.dims)):])
	return k
}

// packs holds constants in the layouts that kernels read, made once each.
//
// Ownership: the memory comes from the weights arena and lives until close.
type packs struct {
	mu    sync.Mutex // protects all below; held while a form is made, so that it is made once
	forms map[packKey]arena.Handle
	held  []arena.Handle // decoded constants
}

func (p *packs) get(weights *arena.ExecutionArena, key packKey, n int, fill func([]byte) error) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h, ok := p.forms[key]; ok {
		return bytesOf(h, n), nil
	}
	h, err := weights.Acquire(n)
	if err != nil {
		return nil, err
	}
	b := bytesOf(h, n)
	if err := fill(b); err != nil {
		h.Release()
		return nil, err
	}
	if p.forms == nil {
		p.forms = map[packKey]arena.Handle{}
	}
	p.forms[key] = h
	return b, nil
}

// hold keeps a block until close.
func (p *packs) hold(h arena.Handle) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = append(p.held, h)
}

func (p *packs) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.forms {
		h.Release()
	}
	for _, h := range p.held {
		h.Release()
	}
	p.forms, p.held = nil, nil
}

func bytesOf(h arena.Handle, n int) []byte {
	//lint:allow unsafe the handle's memory is lent to a kernel as bytes
	// SAFETY: the handle was acquired with at least n bytes.
	return unsafe.Slice((*byte)(h.Data()), n)
}
