package main

/*
#include "api.h"
*/
import "C"

import (
	"encoding/json"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/graph"
	"github.com/goruntime/goruntime/goruntime/onnx"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// lackReport is a graph.Lack as a JSON object.
type lackReport struct {
	Domain  string `json:"domain"`
	OpType  string `json:"op_type"`
	Opset   int    `json:"opset"`
	Version int    `json:"version"`
	DType   string `json:"dtype"` // empty where no kernel takes any
}

//export gr_model_lacks
func gr_model_lacks(path *C.char, data unsafe.Pointer, size C.size_t, text **C.char, out **C.gr_error) C.gr_status {
	return guard(out, func() error {
		m, err := read(path, data, size)
		if err != nil {
			return err
		}
		defer m.Close()
		list, err := graph.Lacks(m, nil)
		if err != nil {
			return err
		}
		reports := make([]lackReport, len(list))
		for i, l := range list {
			reports[i] = lackReport{Domain: l.Domain, OpType: l.OpType, Opset: l.Opset, Version: l.Version}
			if l.DType != tensor.Undefined {
				reports[i].DType = l.DType.String()
			}
		}
		b, err := json.Marshal(reports)
		if err != nil {
			return errs.New(errs.Internal, "%w", err)
		}
		address(unsafe.Pointer(text), unsafe.Pointer(C.CString(string(b))))
		return nil
	})
}

// read returns the model of a file, or of bytes that the caller keeps.
func read(path *C.char, data unsafe.Pointer, size C.size_t) (*onnx.Model, error) {
	if path != nil {
		return onnx.Open(C.GoString(path))
	}
	return onnx.Parse(unsafe.Slice((*byte)(data), int(size)))
}
