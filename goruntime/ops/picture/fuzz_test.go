package picture

import (
	"os"
	"path/filepath"
	"testing"
)

// Whatever the bytes, reading returns, and what it gives has the rows that it says.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		file, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	f.Add([]byte("P6 1#  0"))                                                                                                      // a comment without an end
	f.Add([]byte("\xff\x4f\xff\x51\x00\x2f0000\x00\x00b\x11\x00\x00\x00\x0d\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x110000")) // tiles without an end
	f.Fuzz(func(t *testing.T, b []byte) {
		f, err := open(b)
		if err != nil {
			return
		}
		img, err := f.pixels()
		if err != nil {
			return
		}
		row := make([]byte, 3*f.width)
		for _, y := range []int{0, f.height / 2, f.height - 1} {
			img(y, row)
		}
	})
}
