package picture

import (
	"encoding/binary"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// checkJPEG2000 reads the headers of a file, and holds them against the limits of the
// standard (ISO/IEC 15444-1, annexes A and I): the library that decodes believes what
// they claim, and a few bytes can claim blocks of gigabytes.
func checkJPEG2000(file []byte) error {
	s, err := codestream(file)
	if err != nil {
		return err
	}
	if len(s) < 4 || s[2] != 0xff || s[3] != markerSIZ {
		return errs.New(errs.Argument, "a codestream without sizes at its start")
	}
	parts := false // tile parts began: what follows a start of data is skipped by its length
	for at := 2; ; {
		kind, body, ok := segment(s, at)
		if !ok {
			return errs.New(errs.Argument, "the segment at byte %d of the codestream does not fit", at)
		}
		switch kind {
		case markerSIZ:
			err = checkSizes(body)
		case markerCOD:
			err = checkStyle(body, 5)
		case markerCOC: // one byte for the component, of fewer than 257
			err = checkStyle(body, 2)
		case markerSOT:
			if len(body) != 8 {
				return errs.New(errs.Argument, "a tile part's header of %d bytes", len(body))
			}
			n := int(binary.BigEndian.Uint32(body[2:]))
			if err := checkTilePart(s, at, n); err != nil {
				return err
			}
			parts, at = true, at+n
			if n == 0 || at+2 > len(s) || s[at] == 0xff && s[at+1] == markerEOC {
				return nil
			}
			continue
		default:
			if parts {
				return errs.New(errs.Argument, "a segment %#x between tile parts", kind)
			}
		}
		if err != nil {
			return err
		}
		at += 4 + len(body)
	}
}

// The markers whose segments say how much memory decoding takes.
const (
	markerSIZ = 0x51
	markerCOD = 0x52
	markerCOC = 0x53
	markerSOT = 0x90
	markerSOD = 0x93
	markerEOC = 0xd9
)

// checkTilePart checks the headers of the tile part of n bytes at s[at], 0 being all
// that follow.
func checkTilePart(s []byte, at, n int) error {
	end := len(s)
	if n != 0 {
		end = min(end, at+n)
	}
	for at += 12; ; {
		if at+2 > end {
			return errs.New(errs.Argument, "a tile part without data")
		}
		if s[at] == 0xff && s[at+1] == markerSOD {
			return nil
		}
		kind, body, ok := segment(s[:end], at)
		if !ok {
			return errs.New(errs.Argument, "the segment at byte %d of the codestream does not fit", at)
		}
		var err error
		switch kind {
		case markerCOD:
			err = checkStyle(body, 5)
		case markerCOC:
			err = checkStyle(body, 2)
		}
		if err != nil {
			return err
		}
		at += 4 + len(body)
	}
}

// codestream returns the codestream of a file, which is one or has one in a box.
func codestream(file []byte) ([]byte, error) {
	if file[0] == 0xff {
		return file, nil
	}
	for at := 0; at+8 <= len(file); {
		n, kind, head := int(binary.BigEndian.Uint32(file[at:])), string(file[at+4:at+8]), 8
		switch {
		case n == 0: // up to the end
			n = len(file) - at
		case n == 1 && at+16 <= len(file):
			n, head = int(min(binary.BigEndian.Uint64(file[at+8:]), 1<<40)), 16
		}
		if n < head || n > len(file)-at {
			return nil, errs.New(errs.Argument, "the box %q of %d bytes at byte %d does not fit", kind, n, at)
		}
		if kind == "jp2c" {
			return file[at+head : at+n], nil
		}
		at += n
	}
	return nil, errs.New(errs.Argument, "no codestream")
}

// segment returns the marker segment at s[at].
func segment(s []byte, at int) (kind byte, body []byte, ok bool) {
	if at+4 > len(s) || s[at] != 0xff {
		return 0, nil, false
	}
	n := int(binary.BigEndian.Uint16(s[at+2:]))
	if n < 2 || at+2+n > len(s) {
		return 0, nil, false
	}
	return s[at+1], s[at+4 : at+2+n], true
}

// checkSizes checks the sizes of an image and of its tiles.
func checkSizes(b []byte) error {
	if len(b) < 36 {
		return errs.New(errs.Argument, "the sizes have %d bytes, 36 and more expected", len(b))
	}
	word := func(i int) int { return int(binary.BigEndian.Uint32(b[2+4*i:])) }
	channels := int(binary.BigEndian.Uint16(b[34:]))
	if channels < 1 || channels > 4 || len(b) != 36+3*channels {
		return errs.New(errs.Argument, "%d channels in %d bytes, one to four in three bytes each expected", channels, len(b)-36)
	}
	pixels, tiles := 1, 1
	for i := range 2 { // along the width, and the height
		size, origin, tile, tileOrigin := word(i), word(2+i), word(4+i), word(6+i)
		if size > maxPixels || origin >= size || tile == 0 || tileOrigin > origin || tileOrigin+tile <= origin {
			return errs.New(errs.Argument, "an image of %d - %d in tiles of %d from %d", size, origin, tile, tileOrigin)
		}
		pixels *= size - origin
		tiles *= (size - tileOrigin + tile - 1) / tile
	}
	if tiles > 1<<16-1 {
		return errs.New(errs.Argument, "%d tiles", tiles)
	}
	for k := range channels {
		depth, across, down := b[36+3*k]&0x7f, b[37+3*k], b[38+3*k]
		if depth > 15 || across == 0 || down == 0 {
			return errs.New(errs.Argument, "channel %d has %d bits, one sample for %d x %d pixels", k, depth+1, across, down)
		}
	}
	return nil
}

// checkStyle checks the coding style behind the first n bytes of a segment.
func checkStyle(b []byte, n int) error {
	if len(b) < n+5 {
		return errs.New(errs.Argument, "a coding style of %d bytes", len(b))
	}
	levels, w, h := int(b[n]), int(b[n+1]), int(b[n+2])
	if levels > 32 || w > 8 || h > 8 || w+h > 8 {
		return errs.New(errs.Argument, "%d levels of blocks of 2^%d x 2^%d", levels, w+2, h+2)
	}
	if n == 5 && binary.BigEndian.Uint16(b[2:]) == 0 {
		return errs.New(errs.Argument, "no layers")
	}
	for r, p := range b[n+5:] {
		if r > 0 && (p&15 == 0 || p>>4 == 0) {
			return errs.New(errs.Argument, "precincts of 2^%d x 2^%d", p&15, p>>4)
		}
	}
	return nil
}
