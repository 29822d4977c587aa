package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spakin/netpbm"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/goruntime/goruntime/goruntime/internal/invariants"
	"github.com/goruntime/goruntime/goruntime/internal/testkit/optest"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// The files of testdata all show this picture of 17 x 13 pixels; another program wrote
// them. Of those that are named alpha, column x has the opacity 15 x.
func shown(x, y int) [3]int { return [3]int{15 * x, 19 * y, 4 * (x + 2*y)} }

const shownWidth, shownHeight = 17, 13

func TestFilesOfAllFormats(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) < 14 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			f, err := open(file)
			if err != nil || f.width != shownWidth || f.height != shownHeight {
				t.Fatalf("%d x %d pixels, %v", f.width, f.height, err)
			}
			img, err := f.pixels()
			if err != nil {
				t.Fatal(err)
			}
			w, h := f.width, f.height
			tolerance := 0
			if strings.Contains(path, "lossy") || strings.HasSuffix(path, ".jpg") {
				tolerance = 24 // at the picture's corners, by subsampled chroma
			}
			row := make([]byte, 3*w)
			for y := range h {
				img(y, row)
				for x := range w {
					for k, want := range shown(x, y) {
						if got := int(row[3*x+k]); got < want-tolerance || got > want+tolerance {
							t.Fatalf("pixel %d,%d is %v, %v expected", x, y, row[3*x:3*x+3], shown(x, y))
						}
					}
				}
			}
		})
	}
}

// What the arenas are asked for is no less than what decoding takes.
func TestDecodingTakesNoMoreThanItSays(t *testing.T) {
	if invariants.Race {
		t.Skip("the race detector empties pools, whose buffers are then made again")
	}
	large := image.NewNRGBA(image.Rect(0, 0, 1200, 800))
	for i := range large.Pix {
		large.Pix[i] = byte(i * i >> 7)
	}
	deep := image.NewNRGBA64(large.Rect)
	for i := range deep.Pix {
		deep.Pix[i] = byte(i * i >> 7)
	}
	for name, encode := range map[string]func(io.Writer) error{
		"PNG": func(w io.Writer) error { return png.Encode(w, large) }, "PNG of 16 bits": func(w io.Writer) error { return png.Encode(w, deep) },
		"JPEG": func(w io.Writer) error { return jpeg.Encode(w, large, nil) }, "BMP": func(w io.Writer) error { return bmp.Encode(w, large) },
		"TIFF": func(w io.Writer) error { return tiff.Encode(w, large, nil) }, "TIFF of 16 bits": func(w io.Writer) error { return tiff.Encode(w, deep, nil) },
		"TIFF, deflated": func(w io.Writer) error { return tiff.Encode(w, large, &tiff.Options{Compression: tiff.Deflate}) },
		"PPM": func(w io.Writer) error {
			return netpbm.Encode(w, large, &netpbm.EncodeOptions{Format: netpbm.PPM, MaxValue: 255})
		},
		"PPM as text": func(w io.Writer) error {
			return netpbm.Encode(w, large, &netpbm.EncodeOptions{Format: netpbm.PPM, MaxValue: 255, Plain: true})
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := encode(&b); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			f, err := open(b.Bytes())
			if err == nil {
				_, err = f.pixels()
			}
			runtime.ReadMemStats(&after)
			if taken := int(after.TotalAlloc - before.TotalAlloc); err != nil || taken > f.memory() {
				t.Errorf("%d bytes for %d pixels, at most %d expected; %v", taken, f.width*f.height, f.memory(), err)
			}
		})
	}
}

// The formulas of the specification, B0 and B1, on samples that do not divide evenly.
func TestChromaBetweenSamples(t *testing.T) {
	cases := []struct {
		name              string
		near, far         []byte
		across, down, odd bool
		want              []byte
	}{
		{name: "along rows", near: []byte{10, 20, 33}, across: true, want: []byte{10, 13, 17, 23, 30, 33}},
		{name: "an odd width", near: []byte{10, 20, 33}, across: true, want: []byte{10, 13, 17, 23, 30}},
		{name: "two samples are repeated", near: []byte{10, 20}, across: true, want: []byte{10, 10, 20, 20}},
		{name: "along columns, above", near: []byte{10, 20}, far: []byte{12, 21}, down: true, want: []byte{10, 20}},
		{name: "along columns, below", near: []byte{10, 20}, far: []byte{12, 22}, down: true, odd: true, want: []byte{11, 21}},
		{name: "both", near: []byte{0, 16, 32}, far: []byte{16, 0, 16}, across: true, down: true, want: []byte{4, 6, 10, 16, 24, 28}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := make([]byte, len(c.want))
			smooth(got, c.near, c.far, c.across, c.down, c.odd)
			if !bytes.Equal(got, c.want) {
				t.Errorf("%v, %v expected", got, c.want)
			}
		})
	}
}

func TestColours(t *testing.T) {
	for _, c := range []struct {
		name      string
		of        colour
		y, cb, cr byte
		want      [3]byte
	}{
		{"JPEG's white", jfif, 255, 128, 128, [3]byte{255, 255, 255}},
		{"JPEG's red", jfif, 76, 85, 255, [3]byte{254, 0, 0}},
		{"beyond blue", jfif, 200, 255, 0, [3]byte{21, 248, 255}},
		{"video's black", vp8, 16, 128, 128, [3]byte{0, 0, 0}},
		{"video's white", vp8, 235, 128, 128, [3]byte{255, 255, 255}},
	} {
		var rgb [3]byte
		c.of.rgb(rgb[:], []byte{c.y}, []byte{c.cb}, []byte{c.cr})
		if rgb != c.want {
			t.Errorf("%s: %v, %v expected", c.name, rgb, c.want)
		}
	}
}

func TestImageDecoder(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	img.SetNRGBA(0, 0, color.NRGBA{R: 10, G: 20, B: 31, A: 255})
	img.SetNRGBA(1, 0, color.NRGBA{R: 200, G: 100, B: 50, A: 3})
	var file bytes.Buffer
	if err := png.Encode(&file, img); err != nil {
		t.Fatal(err)
	}
	in := func(b []byte) []*tensor.View { return optest.In(optest.U8(optest.Dims(len(b)), b...)) }
	huge := bytes.Clone(file.Bytes())
	copy(huge[16:], "\x7f\xff\xff\xff\x7f\xff\xff\xff") // the size in the header, whose checksum is wrong then
	optest.Run(t, ImageDecoder, []optest.Case{
		{Name: "RGB is the default", In: in(file.Bytes()), Want: optest.Want(optest.U8(optest.Dims(1, 2, 3), 10, 20, 31, 200, 100, 50))},
		{Name: "BGR", Attrs: optest.Attrs("pixel_format", "BGR"), In: in(file.Bytes()), Want: optest.Want(optest.U8(optest.Dims(1, 2, 3), 31, 20, 10, 50, 100, 200))},
		{Name: "gray", Attrs: optest.Attrs("pixel_format", "Grayscale"), In: in(file.Bytes()), Want: optest.Want(optest.U8(optest.Dims(1, 2, 1), 18, 124))},
		{Name: "no image", In: in([]byte("none")), Want: optest.Want(optest.U8(optest.Dims(0, 0, 3)))},
		{Name: "nothing", In: in(nil), Want: optest.Want(optest.U8(optest.Dims(0, 0, 3)))},
		{Name: "cut off", In: in(file.Bytes()[:50]), Want: optest.Want(optest.U8(optest.Dims(0, 0, 3)))},
		{Name: "a size that is not there", In: in(huge), Attrs: optest.Attrs("pixel_format", "Grayscale"), Want: optest.Want(optest.U8(optest.Dims(0, 0, 1)))},
		{Name: "another layout", Attrs: optest.Attrs("pixel_format", "RGBA"), In: in(nil), Err: `pixel_format is "RGBA"`},
		{Name: "two dimensions", In: optest.In(optest.U8(optest.Dims(1, 2), 1, 2)), Err: "one dimension expected"},
	})
}
