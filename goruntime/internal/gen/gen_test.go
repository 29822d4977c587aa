package gen_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestGeneratedKernelsAreCurrent(t *testing.T) {
	for tool, dir := range map[string]string{"castgen": "../../kernels/cast", "convgen": "../../kernels/conv", "gemmgen": "../../kernels/gemm", "igemmgen": "../../kernels/igemm", "nbitsgen": "../../kernels/nbits", "vecgen": "../../kernels/vec"} {
		out := t.TempDir()
		run := exec.Command("go", "run", "./"+tool, out)
		run.Env = append(os.Environ(), "GOOS=", "GOARCH=") // of this machine, also where the tests are emulated
		if text, err := run.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", tool, err, text)
		}
		files, err := filepath.Glob(filepath.Join(out, "*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s writes nothing (%v)", tool, err)
		}
		for _, f := range files {
			fresh, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if old, err := os.ReadFile(filepath.Join(dir, filepath.Base(f))); err != nil || !bytes.Equal(old, fresh) {
				t.Errorf("%s is not what %s writes (%v): run make generate", filepath.Base(f), tool, err)
			}
		}
	}
}
