// Package onnx reads models: it turns the protobuf wire format of onnx.proto
// into Model, Graph, Node, Attr and Tensor. It executes nothing and checks only
// what reading needs; package graph checks the rest.
//
// Everything that it returns aliases the input bytes: names, raw tensor data,
// strings. Tensor payloads are not touched before somebody asks. Its invariants:
// whatever the bytes, reading ends with a Model or an errs.Model error that
// names the place, uses no more memory than a small multiple of the input, and
// nests no deeper than MaxDepth.
package onnx
