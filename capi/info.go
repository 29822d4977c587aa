package main

// #include "api.h"
import "C"

import (
	"encoding/json"
	"runtime"

	"github.com/goruntime/goruntime/goruntime/kernels/cpu"
	"github.com/goruntime/goruntime/goruntime/kernels/gemm"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/pool"
)

//export gr_build_info
func gr_build_info() *C.char {
	text, err := json.Marshal(map[string]any{
		"go": runtime.Version(), "cpu": cpu.Best().String(), "gemm": gemm.Variant(), "threads": pool.Width(), "operators": len(op.All()),
	})
	if err != nil {
		return C.CString("{}")
	}
	return C.CString(string(text))
}
