package load

import "hash/crc32"

// encoded is a message in its bytes.
type encoded []byte

// reply is a message that came in. Of what comes in a sum is taken.
type reply struct {
	text []byte // where it is wanted
	size int
	sum  uint32 // of all bytes
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// add takes a part of a message.
func (r *reply) add(part []byte, keep bool) {
	if keep {
		r.text = append(r.text, part...)
	}
	r.size += len(part)
	r.sum = crc32.Update(r.sum, castagnoli, part)
}
