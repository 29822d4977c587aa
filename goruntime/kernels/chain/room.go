package chain

// Room is scratch for the chunks of a loop, a part for each that runs at a time.
type Room struct {
	size int
	free chan int // the parts that no chunk uses; nil where none is needed
}

// NewRoom returns the room of a chain for up to threads chunks at a time. A nil
// chain needs none.
func NewRoom(b *Bound, threads int) Room {
	if b == nil || b.Scratch() == 0 {
		return Room{}
	}
	r := Room{size: b.Scratch(), free: make(chan int, max(1, threads))}
	for i := range cap(r.free) {
		r.free <- i
	}
	return r
}

// Floats returns how many float32s the room takes.
func (r *Room) Floats() int { return r.size * cap(r.free) }

// Take returns a part of work, which has Floats float32s, to be given back.
func (r *Room) Take(work []float32) (scratch []float32, part int) {
	if r.free == nil {
		return nil, 0
	}
	part = <-r.free
	return work[part*r.size : (part+1)*r.size], part
}

// Give ends the use of a part.
func (r *Room) Give(part int) {
	if r.free != nil {
		r.free <- part
	}
}
