"""Writes the small models beside this file: python tests/models/make.py"""

from __future__ import annotations

import pathlib

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper, save

HERE = pathlib.Path(__file__).resolve().parent


def model(nodes, inputs, outputs, initializers=(), opset=17) -> ModelProto:
    def info(item):
        return helper.make_tensor_value_info(*item)

    graph = helper.make_graph(nodes, "g", [info(i) for i in inputs], [info(o) for o in outputs],
                              [numpy_helper.from_array(a, n) for n, a in initializers])  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def sequence_model() -> ModelProto:
    """A sequence goes in, one longer by a tensor comes out."""
    sequence = helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, None)
    longer = helper.make_tensor_sequence_value_info("t", TensorProto.FLOAT, None)
    graph = helper.make_graph([helper.make_node("SequenceInsert", ["s", "x"], ["t"])], "g",
                              [sequence, helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N"])], [longer])  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def classifier_model() -> ModelProto:
    """Probabilities leave as maps from labels, as converters of scikit-learn have it."""
    held = helper.make_map_type_proto(TensorProto.INT64, helper.make_tensor_type_proto(TensorProto.FLOAT, None))
    nodes = [
        helper.make_node("ArgMax", ["x"], ["label"], axis=1, keepdims=0),
        helper.make_node("Softmax", ["x"], ["probabilities"]),
        helper.make_node("ZipMap", ["probabilities"], ["by_label"], domain="ai.onnx.ml", classlabels_int64s=[7, 8]),
    ]
    outputs = [
        helper.make_tensor_value_info("label", TensorProto.INT64, ["N"]),
        helper.make_value_info("by_label", helper.make_sequence_type_proto(held)),
    ]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 2])], outputs)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def models() -> dict[str, ModelProto]:
    f, node = TensorProto.FLOAT, helper.make_node
    square = np.ones((256, 256), np.float32)
    endless = node("Loop", ["", "c", "x"], ["y"], body=helper.make_graph(
        [node("Identity", ["go"], ["on"]), node("Neg", ["v"], ["w"])], "b",
        [helper.make_tensor_value_info(*i) for i in (("i", TensorProto.INT64, []), ("go", TensorProto.BOOL, []), ("v", f, ["N"]))],
        [helper.make_tensor_value_info(*i) for i in (("on", TensorProto.BOOL, []), ("w", f, ["N"]))]))  # fmt: skip
    return {
        "add": model([node("Add", ["a", "b"], ["c"])], [("a", f, [3]), ("b", f, [3])], [("c", f, [3])]),
        "double": model([node("Add", ["x", "x"], ["y"])], [("x", f, None)], [("y", f, None)]),
        "not": model([node("Not", ["x"], ["y"])], [("x", TensorProto.BOOL, ["N", "K"])], [("y", TensorProto.BOOL, ["N", "K"])]),
        "sum": model([node("Add", ["x", "y"], ["z"], name="adder")], [("x", f, None), ("y", f, None)], [("z", f, None)]),
        "chain": model(
            [node("Relu", ["x"], ["a"]), node("Mul", ["a", "a"], ["b"]), node("Add", ["b", "a"], ["y"])],
            [("x", f, ["N"])], [("y", f, ["N"])]),
        # one node whose outputs go different ways, in both orders, and a workspace
        "mixed": model(
            [node("LayerNormalization", ["x", "s"], ["inner", "mean"]), node("Relu", ["inner"], ["y"]),
             node("LayerNormalization", ["x", "s"], ["z", "m2"]), node("Relu", ["m2"], ["w"])],
            [("x", f, ["N", 4])], [("y", f, ["N", 4]), ("mean", f, ["N", 1]), ("z", f, ["N", 4]), ("w", f, ["N", 1])],
            [("s", np.ones(4, np.float32))]),
        # outputs that are an input, a constant, another output
        "alias": model(
            [node("Identity", ["x"], ["same"]), node("Identity", ["k"], ["constant"]), node("Relu", ["x"], ["y"]), node("Identity", ["y"], ["again"])],
            [("x", f, [2])], [("same", f, [2]), ("constant", f, [2]), ("y", f, [2]), ("again", f, [2])],
            [("k", np.array([5, 6], np.float32))]),
        "branch": model(
            [node("If", ["c"], ["y"],
                  then_branch=helper.make_graph([node("Add", ["x", "x"], ["t"])], "t", [], [helper.make_tensor_value_info("t", f, None)]),
                  else_branch=helper.make_graph([node("Mul", ["x", "x"], ["e"])], "e", [], [helper.make_tensor_value_info("e", f, None)]))],
            [("c", TensorProto.BOOL, []), ("x", f, ["N"])], [("y", f, None)]),
        # takes some hundred milliseconds a run: 600 products
        "slow": model(
            [node("MatMul", [f"v{i}", "w"], [f"v{i + 1}"]) for i in range(600)], [("v0", f, ["N", 256])], [("v600", f, ["N", 256])],
            [("w", square / 256)]),
        # rows that must not influence each other, in the last bit
        "rows": model(
            [node("MatMul", ["x", "w"], ["a"]), node("Tanh", ["a"], ["b"]), node("MatMul", ["b", "v"], ["c"]), node("Softmax", ["c"], ["y"], axis=1)],
            [("x", f, ["N", 7])], [("y", f, ["N", 5])],
            [("w", np.sin(np.arange(7 * 33, dtype=np.float32)).reshape(7, 33)), ("v", np.cos(np.arange(33 * 5, dtype=np.float32)).reshape(33, 5))]),
        # a large intermediate and a small output
        "narrow": model(
            [node("Mul", ["x", "x"], ["a"]), node("Add", ["a", "x"], ["b"]), node("ReduceSum", ["b"], ["y"], keepdims=0)],
            [("x", f, ["N"])], [("y", f, [])]),
        "strings": model(
            [node("Concat", ["s", "t"], ["y"], axis=0)],
            [("s", TensorProto.STRING, ["N"]), ("t", TensorProto.STRING, ["M"])], [("y", TensorProto.STRING, None)]),
        # a shape that only the run knows
        "nonzero": model([node("NonZero", ["x"], ["y"])], [("x", f, ["N"])], [("y", TensorProto.INT64, [1, "M"])]),
        # an output that has another shape than the model says
        "misdeclared": model([node("Concat", ["x", "x"], ["y"], axis=0)], [("x", f, ["N"])], [("y", f, ["N"])]),
        "pieces": sequence_model(),
        "classifier": classifier_model(),
        # never ends by itself: the second on rows alone
        "endless": model([endless], [("c", TensorProto.BOOL, []), ("x", f, ["N"])], [("y", f, ["N"])]),
        "endless_rows": model([endless], [("x", f, ["N"])], [("y", f, ["N"])], [("c", np.array(True))]),
        "fixed": model([node("Relu", ["x"], ["y"])], [("x", f, ["N", 3])], [("y", f, ["N", 3])]),
    }  # fmt: skip


if __name__ == "__main__":
    for name, proto in models().items():
        save(proto, HERE / f"{name}.onnx")
