// Package onnx reads and writes models: it turns the protobuf wire format of
// onnx.proto into Model, Graph, Node, Attr and Tensor, and back. It executes
// nothing and checks only what reading needs; packages schema and graph check
// the rest.
//
// Names are copied; tensor data and string values alias the input bytes and are
// not touched before somebody asks. As protobuf does, the reader skips unknown
// fields, takes the last of a repeated single value and merges repeated single
// messages. Training information, quantization annotations and device
// configurations have no part in inference and are skipped.
//
// Its invariants: whatever the bytes, reading ends with a Model or an errs.Model
// error that names the place, uses no more memory than a fixed multiple of the
// input, and nests no deeper than MaxDepth.
package onnx
