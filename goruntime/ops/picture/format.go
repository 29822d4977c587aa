package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"regexp"
	"strings"
	"sync"

	jpeg2000 "github.com/ajroetker/go-jpeg2000"
	"github.com/spakin/netpbm"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// format is a kind of image file and the library that reads it.
type format struct {
	name   string
	begins []string           // files begin with one of them; a ? is any byte
	check  func([]byte) error // where the library believes a file; nil is not needed
	blank  int                // how many pixels a file of a few bytes may have
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
	colour colour // of images that come as luma and chroma
}

var formats = []format{
	{name: "PNG", begins: []string{"\x89PNG\r\n\x1a\n"}, config: png.DecodeConfig, decode: png.Decode},
	{name: "JPEG", begins: []string{"\xff\xd8\xff"}, config: jpeg.DecodeConfig, decode: jpeg.Decode, colour: jfif},
	{name: "JPEG 2000", begins: []string{"\x00\x00\x00\x0cjP  \r\n\x87\n", "\xff\x4f\xff\x51"}, check: checkJPEG2000, blank: 1 << 22, config: jpeg2000.DecodeConfig, decode: jpeg2000.Decode},
	{name: "WebP", begins: []string{"RIFF????WEBP"}, config: webp.DecodeConfig, decode: webp.Decode, colour: vp8},
	{name: "TIFF", begins: []string{"II*\x00", "MM\x00*"}, config: tiff.DecodeConfig, decode: decodeTIFF},
	{name: "BMP", begins: []string{"BM"}, config: bmp.DecodeConfig, decode: bmp.Decode},
	{name: "PAM", begins: []string{"P7"}, config: pamConfig, decode: pamDecode},
	netpbmFormat("PBM", uncommented, "P1"),
	netpbmFormat("Netpbm", ended, "P2", "P3", "P4", "P5", "P6"),
}

// netpbmFormat is a format of Netpbm's, of which the library reads what mend gives.
func netpbmFormat(name string, mend func(io.Reader) io.Reader, begins ...string) format {
	return format{
		name: name, begins: begins,
		config: func(r io.Reader) (image.Config, error) { return netpbm.DecodeConfig(mend(r)) },
		decode: func(r io.Reader) (image.Image, error) { return netpbm.Decode(mend(r), nil) },
	}
}

// A few bytes can claim any number of pixels, for which the libraries allocate memory
// before they look further. Believed is what the densest of the usual compressions
// (deflate, of one bit a pixel) can hold, more for pictures of one colour, and maxPixels
// in all.
const (
	pixelsPerByte = 1 << 13
	blankPixels   = 1 << 24
	maxPixels     = 1 << 28
)

func (f *format) believes(width, height, bytes int) bool {
	blank := f.blank
	if blank == 0 {
		blank = blankPixels
	}
	return width > 0 && height > 0 && width <= min(maxPixels, blank+pixelsPerByte*bytes)/height
}

// decode reads an image file and gives its rows.
func decode(file []byte) (img pixels, width, height int, err error) {
	f := formatOf(file)
	if f == nil {
		return nil, 0, 0, errs.New(errs.Argument, "%d bytes are no file of a known image format", len(file))
	}
	defer func() {
		// The libraries read foreign bytes; one that breaks over them found no image.
		if r := recover(); r != nil {
			err = errs.New(errs.Argument, "%s: %v", f.name, r)
		}
	}()
	decoded, err := f.read(file)
	if err != nil {
		return nil, 0, 0, errs.New(errs.Argument, "%s: %v", f.name, err)
	}
	size := decoded.Bounds().Size()
	return pixelsOf(decoded, &f.colour), size.X, size.Y, nil
}

func (f *format) read(file []byte) (image.Image, error) {
	if f.check != nil {
		if err := f.check(file); err != nil {
			return nil, err
		}
	}
	c, err := f.config(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	if !f.believes(c.Width, c.Height, len(file)) {
		return nil, fmt.Errorf("an image of %d x %d pixels in %d bytes", c.Width, c.Height, len(file))
	}
	return f.decode(bytes.NewReader(file))
}

// ended lets a file end with an end of line: the library of Netpbm looks for that of a
// comment without an end.
func ended(r io.Reader) io.Reader { return io.MultiReader(r, strings.NewReader("\n")) }

// uncommented leaves the comments of a text file out: the library of Netpbm takes one
// behind the size of a bitmap for pixels.
func uncommented(r io.Reader) io.Reader {
	file, err := io.ReadAll(r)
	if err != nil {
		return ended(r)
	}
	return ended(bytes.NewReader(comments().ReplaceAll(file, nil)))
}

// comments is compiled where the first such file is read.
var comments = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`#[^\r\n]*`) })

func formatOf(file []byte) *format {
	for i := range formats {
		for _, b := range formats[i].begins {
			if beginsWith(file, b) {
				return &formats[i]
			}
		}
	}
	return nil
}

func beginsWith(file []byte, begin string) bool {
	if len(file) < len(begin) {
		return false
	}
	for i := range len(begin) {
		if begin[i] != '?' && file[i] != begin[i] {
			return false
		}
	}
	return true
}
