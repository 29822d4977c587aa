package quant

// room plans the parts of a workspace, each 64-byte aligned.
type room struct{ size int }

// part is a range of the workspace in bytes.
type part struct{ from, n int }

func (r *room) add(n int) part {
	p := part{r.size, n}
	r.size += (n + 63) / 64 * 64
	return p
}

// bytes returns the part of a workspace seen as bytes.
func (p part) bytes(w []byte) []byte { return w[p.from : p.from+p.n] }

// in4 returns the part of a workspace seen as elements of 4 bytes.
func in4[T int32 | float32](p part, w []T) []T { return w[p.from/4 : (p.from+p.n)/4] }
