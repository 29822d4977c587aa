//go:build !(ort && cgo)

package ortengine

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/onnx"
)

func load(string, *onnx.Model, *exec.Options) (exec.Loaded, error) {
	return nil, errs.New(errs.Unsupported, "this program is built without ONNX Runtime as an engine: build it with cgo and -tags ort")
}
