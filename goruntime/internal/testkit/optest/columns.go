package optest

import (
	"testing"
	"unsafe" //lint:allow unsafe columns are addresses

	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// takesColumns reports whether def takes input 0 of the case as columns.
func takesColumns(def *op.Def, c *Case) bool {
	if def.Columns == nil || len(c.In) == 0 || c.In[0] == nil || len(c.In[0].Shape) != 2 || c.In[0].Shape[1] == 0 || c.In[0].DType == tensor.Str {
		return false
	}
	attrs, err := op.NewValues(def, c.Attrs)
	if err != nil {
		return false
	}
	version := c.version(def)
	return def.Columns(op.NewInfer(&attrs, version, version, c.In, nil, nil))
}

// turned returns the elements of a matrix column after column.
func turned(v *tensor.View) []byte {
	n, k, w := v.Shape[0], v.Shape[1], v.DType.Width()
	raw, list := v.Raw(), make([]byte, 0, v.Bytes())
	for c := range k {
		for r := range n {
			list = append(list, raw[(r*k+c)*w:][:w]...)
		}
	}
	return list
}

// lay points input i at memory, as the way of the node has it; nil is none.
func (n *node) lay(i int, at unsafe.Pointer) {
	v := n.in[i]
	if !n.w.columns || i > 0 {
		v.Data = at
		return
	}
	v.Columns = make([]unsafe.Pointer, v.Shape[1])
	for k := range v.Columns {
		if at != nil {
			// SAFETY: column k begins inside the block, or at its end where there are no rows.
			v.Columns[k] = unsafe.Add(at, k*v.Shape[0]*v.DType.Width())
		}
	}
}

// sameAs compares the outputs with those of the dense run, bit for bit.
func (n *node) sameAs(t *testing.T, dense *node) {
	t.Helper()
	for i, want := range dense.out {
		if want != nil {
			Equal(t, n.w.name+": output "+string(rune('0'+i))+" beside the dense run's", n.out[i], want, 0)
		}
	}
}
