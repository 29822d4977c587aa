// Package microsoft holds operators of the domain com.microsoft that have no
// sibling among the official ones: fused activations and normalizations, and
// elementwise operators on quantized numbers. Their contract is ONNX Runtime's
// documentation (docs/ContribOperators.md) and, where that is silent, what ONNX
// Runtime computes on a CPU.
package microsoft

// domain is that of every operator here but for those that ONNX Runtime puts
// into the default one.
const domain = "com.microsoft"
