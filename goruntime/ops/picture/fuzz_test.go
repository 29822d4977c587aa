package picture

import (
	"os"
	"path/filepath"
	"testing"
)

// Whatever the bytes, decode returns, and what it gives has the rows that it says.
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
	f.Fuzz(func(t *testing.T, file []byte) {
		img, w, h, err := decode(file)
		if err != nil {
			return
		}
		row := make([]byte, 3*w)
		for _, y := range []int{0, h / 2, h - 1} {
			img(y, row)
		}
	})
}
