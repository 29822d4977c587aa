package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"io"

	"golang.org/x/image/tiff"
)

// decodeTIFF reads a TIFF file. The library takes what a fax calls white for white; it
// is the colour that 0 stands for, which a file may say is black (TIFF 6.0, sections 10
// and 11).
func decodeTIFF(r io.Reader) (image.Image, error) {
	file, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	img, err := tiff.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	const fax3, fax4, blackIsZero = 3, 4, 1
	compression, colours := tiffNumber(file, 259), tiffNumber(file, 262)
	if gray, ok := img.(*image.Gray); ok && (compression == fax3 || compression == fax4) && colours == blackIsZero {
		for i := range gray.Pix {
			gray.Pix[i] ^= 0xff
		}
	}
	return img, nil
}

// tiffNumber returns a tag of the first image of a file that was read, a number of 16
// bits, or -1 where it has none.
func tiffNumber(file []byte, tag uint16) int {
	var order binary.ByteOrder = binary.LittleEndian
	if file[0] == 'M' {
		order = binary.BigEndian
	}
	const header, entry, short = 2, 12, 3
	at := int(order.Uint32(file[4:]))
	for i := range int(order.Uint16(file[at:])) {
		e := file[at+header+entry*i:]
		if order.Uint16(e) == tag && order.Uint16(e[2:]) == short {
			return int(order.Uint16(e[8:]))
		}
	}
	return -1
}
