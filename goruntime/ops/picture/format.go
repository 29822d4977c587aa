package picture

import (
	"bytes"
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
	name     string
	begins   []string           // files begin with one of them; a ? is any byte
	check    func([]byte) error // where the library believes a file; nil is not needed
	blank    int                // how many pixels a file of a few bytes may have
	perPixel int                // bytes that the library allocates, at most: for its image, and beside it
	config   func(io.Reader) (image.Config, error)
	decode   func(io.Reader) (image.Image, error)
	colour   colour // of images that come as luma and chroma
}

var formats = []format{
	{name: "PNG", begins: []string{"\x89PNG\r\n\x1a\n"}, perPixel: 16, config: png.DecodeConfig, decode: png.Decode},
	{name: "JPEG", begins: []string{"\xff\xd8\xff"}, perPixel: 24, config: jpeg.DecodeConfig, decode: jpeg.Decode, colour: jfif},
	{name: "JPEG 2000", begins: []string{"\x00\x00\x00\x0cjP  \r\n\x87\n", "\xff\x4f\xff\x51"}, check: checkJPEG2000, blank: 1 << 22, perPixel: 72, config: jpeg2000.DecodeConfig, decode: jpeg2000.Decode},
	{name: "WebP", begins: []string{"RIFF????WEBP"}, perPixel: 8, config: webp.DecodeConfig, decode: webp.Decode, colour: vp8},
	{name: "TIFF", begins: []string{"II*\x00", "MM\x00*"}, perPixel: 48, config: tiff.DecodeConfig, decode: decodeTIFF},
	{name: "BMP", begins: []string{"BM"}, perPixel: 8, config: bmp.DecodeConfig, decode: bmp.Decode},
	{name: "PAM", begins: []string{"P7"}, perPixel: 32, config: pamConfig, decode: pamDecode},
	netpbmFormat("PBM", uncommented, "P1"),
	netpbmFormat("Netpbm", ended, "P2", "P3", "P4", "P5", "P6"),
}

// netpbmFormat is a format of Netpbm's, of which the library reads what mend gives.
func netpbmFormat(name string, mend func(io.Reader) io.Reader, begins ...string) format {
	return format{
		name: name, begins: begins, perPixel: 16,
		config: func(r io.Reader) (image.Config, error) { return netpbm.DecodeConfig(mend(r)) },
		decode: func(r io.Reader) (image.Image, error) { return netpbm.Decode(mend(r), nil) },
	}
}

// A few bytes can claim any number of pixels, for which the libraries allocate memory
// before they look further. Believed is what the densest of the usual compressions
// (deflate, of one bit a pixel) can hold, more for pictures of one colour, and maxPixels
// in all, or as many as the library decodes within maxBytes.
const (
	pixelsPerByte = 1 << 13
	blankPixels   = 1 << 24
	maxPixels     = 1 << 28
	maxBytes      = 1 << 32
)

func (f *format) believes(width, height, bytes int) bool {
	blank := f.blank
	if blank == 0 {
		blank = blankPixels
	}
	return width > 0 && height > 0 && width <= min(maxPixels, maxBytes/f.perPixel, blank+pixelsPerByte*bytes)/height
}

// file is an image file whose header was read.
type file struct {
	*format
	bytes         []byte
	width, height int
}

// open reads the header of an image file.
func open(b []byte) (img file, err error) {
	img = file{format: formatOf(b), bytes: b}
	if img.format == nil {
		return img, errs.New(errs.Argument, "%d bytes are no file of a known image format", len(b))
	}
	defer img.survive(&err)
	if img.check != nil {
		if err := img.check(b); err != nil {
			return img, err
		}
	}
	c, err := img.config(bytes.NewReader(b))
	if err != nil {
		return img, errs.New(errs.Argument, "%s: %v", img.name, err)
	}
	if img.width, img.height = c.Width, c.Height; !img.believes(c.Width, c.Height, len(b)) {
		return img, errs.New(errs.Argument, "%s: an image of %d x %d pixels in %d bytes", img.name, c.Width, c.Height, len(b))
	}
	return img, nil
}

// survive makes an error of a panic: the libraries read foreign bytes, and one that
// breaks over them found no image.
func (f *file) survive(err *error) {
	if r := recover(); r != nil {
		*err = errs.New(errs.Argument, "%s: %v", f.name, r)
	}
}

// memory is how many bytes the library may allocate for the file.
func (f *file) memory() int { return f.perPixel * f.width * f.height }

// pixels decodes the file and gives its rows.
func (f *file) pixels() (rows pixels, err error) {
	defer f.survive(&err)
	decoded, err := f.decode(bytes.NewReader(f.bytes))
	if err != nil {
		return nil, errs.New(errs.Argument, "%s: %v", f.name, err)
	}
	if size := decoded.Bounds().Size(); size.X != f.width || size.Y != f.height {
		return nil, errs.New(errs.Argument, "%s: an image of %v where the header says %d x %d", f.name, size, f.width, f.height)
	}
	return pixelsOf(decoded, &f.colour), nil
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
