//go:build ort && cgo

package ortengine

// #cgo CFLAGS: -std=gnu11 -O2 -Wall -Wextra -Werror -fvisibility=hidden
// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"unsafe"

	ort "github.com/yalue/onnxruntime_go"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// library is the one that the process has loaded.
var library struct {
	sync.Mutex
	path   string // as it was asked for, symbolic links followed; "" before
	memory *C.OrtMemoryInfo
}

// enter loads the library at path, unless the process has it already.
func enter(path string) error {
	if path == "" {
		path = os.Getenv(Variable)
	}
	given := path
	if path == "" {
		path = "libonnxruntime.so"
	} else if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	library.Lock()
	defer library.Unlock()
	switch {
	case library.path == "":
		return loadLibrary(path)
	case given != "" && path != library.path:
		return errs.New(errs.Argument, "the library %s was asked for: the process has loaded %s, and uses one", path, library.path)
	}
	return nil
}

// loadLibrary loads the library and begins its environment. The lock is held.
func loadLibrary(path string) error {
	C.gr_ort_mute(1)
	defer C.gr_ort_mute(0)
	ort.SetSharedLibraryPath(path)
	if err := ort.InitializeEnvironment(ort.WithLogLevelFatal()); err != nil {
		if strings.Contains(err.Error(), "API base") {
			return errs.New(errs.IO, "%s is too old: ONNX Runtime 1.24 or newer is needed", path)
		}
		return errs.New(errs.IO, "ONNX Runtime cannot be loaded: %w; pip install 'goruntime[ort]' brings it, or %s=FILE names it", err, Variable)
	}
	var memory *C.OrtMemoryInfo
	if err := failed(C.CreateOrtMemoryInfo(&memory), errs.Internal); err != nil {
		return err
	}
	library.path, library.memory = path, memory
	return nil
}

// failed returns what a status of the library says, nil for none, and gives it back.
func failed(s *C.OrtStatus, code errs.Code) error {
	if s == nil {
		return nil
	}
	text := strings.TrimSpace(C.GoString(C.GetErrorMessage(s)))
	C.ReleaseOrtStatus(s)
	if m := ofNode().FindStringSubmatch(text); m != nil {
		return errs.At(errs.New(code, "ONNX Runtime: %s", m[3]), m[1], m[2], "")
	}
	return errs.New(code, "ONNX Runtime: %s", text)
}

// ofNode matches the library's text for a node that failed.
var ofNode = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^Non-zero status code returned while running (\S+) node. Name:'(.*?)' Status Message: (.*)$`)
})

// cBytes returns the first byte of b for C, nil for none.
func cBytes(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }
