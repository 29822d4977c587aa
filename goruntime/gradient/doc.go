// Package gradient puts the nodes that compute derivatives in the place of Gradient
// nodes (ai.onnx.preview.training), before a graph is built: reverse accumulation, as
// in A. Griewank and A. Walther, Evaluating Derivatives, chapter 3. What comes out is an
// ordinary graph, which is folded, planned and run as any other, and which another
// Gradient may differentiate again.
//
// How an operator is differentiated is its rule: a function in a file of its family,
// listed in rules. The nodes that rules write are those of one opset, Opset, whatever
// the model imports; they are marked by their domain, Domain.
package gradient

// Domain is that of the nodes that rules write; it stands for ai.onnx at Opset.
const Domain = "goruntime.gradient"

// Opset is the version of ai.onnx that rules write.
const Opset = 18
