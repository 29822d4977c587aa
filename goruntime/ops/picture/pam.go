package picture

import (
	"bufio"
	"image"
	"io"
	"strconv"
	"strings"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// pam is the header of a file of the portable arbitrary map.
// https://netpbm.sourceforge.net/doc/pam.html
type pam struct{ width, height, depth, most int }

func pamHeader(r *bufio.Reader) (h pam, err error) {
	fields := map[string]*int{"WIDTH": &h.width, "HEIGHT": &h.height, "DEPTH": &h.depth, "MAXVAL": &h.most}
	for first := true; ; first = false {
		line, err := r.ReadString('\n')
		if err != nil {
			return h, err
		}
		words := strings.Fields(line)
		switch {
		case first, len(words) == 0, words[0][0] == '#', words[0] == "TUPLTYPE":
			continue // the channels say enough: one or two are gray, three or more a colour
		case words[0] == "ENDHDR":
			if h.width < 1 || h.height < 1 || h.depth < 1 || h.most < 1 || h.most > 0xffff {
				return h, errs.New(errs.Argument, "a header of %d x %d x %d numbers up to %d", h.width, h.height, h.depth, h.most)
			}
			return h, nil
		}
		n, known := fields[words[0]]
		if !known || len(words) != 2 {
			return h, errs.New(errs.Argument, "the line %q of the header is none of a PAM file", line)
		}
		if *n, err = strconv.Atoi(words[1]); err != nil {
			return h, errs.New(errs.Argument, "the line %q of the header has no number", line)
		}
	}
}

func pamConfig(r io.Reader) (image.Config, error) {
	h, err := pamHeader(bufio.NewReader(r))
	return image.Config{Width: h.width, Height: h.height}, err
}

func pamDecode(r io.Reader) (image.Image, error) {
	b := bufio.NewReader(r)
	h, err := pamHeader(b)
	if err != nil {
		return nil, err
	}
	bytes := 1
	if h.most > 0xff {
		bytes = 2
	}
	if h.depth > maxChannels {
		return nil, errs.New(errs.Argument, "%d channels, at most %d expected", h.depth, maxChannels)
	}
	raster, err := io.ReadAll(b)
	if err != nil {
		return nil, err
	}
	n := h.width * h.depth * bytes
	if len(raster)/n < h.height {
		return nil, errs.New(errs.Argument, "%d bytes of pixels, %d rows of %d expected", len(raster), h.height, n)
	}
	img := image.NewNRGBA(image.Rect(0, 0, h.width, h.height))
	colours := 1 // channels between red and green
	if h.depth < 3 {
		colours = 0
	}
	for y := range h.height {
		row := raster[y*n : (y+1)*n]
		for x := range h.width {
			for c := range 3 {
				at := bytes * (x*h.depth + c*colours)
				v := int(row[at])
				if bytes == 2 {
					v = v<<8 | int(row[at+1])
				}
				img.Pix[y*img.Stride+4*x+c] = byte((min(v, h.most)*0xff + h.most/2) / h.most)
			}
		}
	}
	return img, nil
}

// maxChannels bounds those of a pixel that are passed over.
const maxChannels = 16
