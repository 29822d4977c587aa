"""Names that are given twice: what onnx.checker refuses is refused, what it lets pass is run."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import goruntime
from goruntime import ReferenceEvaluator

F, node = TensorProto.FLOAT, helper.make_node
X = np.array([-1, 2], np.float32)


def values(names):
    return [helper.make_tensor_value_info(n, F, [2]) for n in names]


def constants(names):
    return [helper.make_tensor(n, F, [2], [3, -4]) for n in names]


def graph(nodes, inputs=("x",), outputs=("y",), held=()):
    return helper.make_graph(nodes, "g", values(inputs), values(outputs), constants(held))


def model(*nodes, held=(), function=()):
    functions = [helper.make_function("f", "F", ["a"], ["b"], list(function), [helper.make_opsetid("", 21)])] if function else []
    made = graph([node("Constant", [], ["c"], value=helper.make_tensor("", TensorProto.BOOL, [], [True])), *nodes], held=held)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("f", 1)], functions=functions, ir_version=10)


def choose(then, output="y"):
    return node("If", ["c"], [output], then_branch=then, else_branch=graph([node("Neg", ["x"], ["e"])], (), ("e",)))


def loop(carried, *nodes):
    info = helper.make_tensor_value_info
    inputs = [info("i", TensorProto.INT64, []), info("go", TensorProto.BOOL, []), *values([carried])]
    body = helper.make_graph([node("Identity", ["go"], ["on"]), *nodes], "body", inputs, [info("on", TensorProto.BOOL, []), *values(["w"])])
    return node("Loop", ["", "c", "x"], ["y"], body=body)


def inner(*nodes, held=()):
    return choose(graph(list(nodes), (), (nodes[-1].output[0],), held))


RELU_X, RELU_A = node("Relu", ["x"], ["a"]), node("Relu", ["a"], ["b"])
REFUSED = {
    "an input": model(node("Relu", ["x"], ["x"]), node("Abs", ["x"], ["y"])),
    "an initializer": model(node("Relu", ["w"], ["w"]), node("Add", ["x", "w"], ["y"]), held=["w"]),
    "an output of another node": model(RELU_X, node("Abs", ["a"], ["a"]), node("Neg", ["a"], ["y"])),
    "an output of the node": model(node("Split", ["x"], ["y", "y"], num_outputs=2)),
    "an input of the graph around": model(inner(node("Relu", ["x"], ["x"]))),
    "a node of the graph around": model(RELU_X, inner(node("Abs", ["x"], ["a"]))),
    "an initializer of the graph around": model(inner(node("Relu", ["x"], ["w"])), held=["w"]),
    "an input of the body": model(loop("v", node("Relu", ["v"], ["v"]), node("Neg", ["v"], ["w"]))),
    "an input of the function": model(node("F", ["x"], ["y"], domain="f"), function=[node("Abs", ["a"], ["a"]), RELU_A]),
    "a node of the function": model(node("F", ["x"], ["y"], domain="f"), function=[RELU_A, RELU_A]),
    "an input, by a call": model(node("F", ["x"], ["x"], domain="f"), node("Neg", ["x"], ["y"]), function=[RELU_A]),
}  # fmt: skip
RUN = {
    "an initializer that hides an input": model(inner(node("Relu", ["x"], ["z"]), held=["x"])),
    "an initializer that hides a node": model(RELU_X, inner(node("Neg", ["a"], ["z"]), held=["a"])),
    "an input of a body that hides one": model(loop("x", node("Neg", ["x"], ["w"]), node("Not", ["go"], ["off"]))),
    "a branch and its node": model(inner(node("Abs", ["x"], ["y"]))),
    "a branch and a node behind it": model(choose(graph([node("Abs", ["x"], ["a"])], (), ("a",)), "q"), node("Neg", ["q"], ["a"]), node("Neg", ["a"], ["y"])),
    "a function and its caller": model(node("Abs", ["x"], ["b"]), node("F", ["b"], ["a"], domain="f"), node("Neg", ["a"], ["y"]), function=[RELU_A]),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_name_that_is_given_twice(name):
    with pytest.raises(onnx.checker.ValidationError, match="single static assignment"):
        onnx.checker.check_model(REFUSED[name])
    with pytest.raises(goruntime.ModelError, match=r'the output "\w+" is also an (in|out)\w+ of .*single static assignment.*, rename one of the two') as raised:
        ReferenceEvaluator(REFUSED[name])
    assert raised.value.op
    assert raised.value.node


@pytest.mark.parametrize("name", RUN)
def test_a_name_that_means_something_else_inside(name):
    proto = RUN[name]
    onnx.checker.check_model(proto)
    if "body" in name:  # bound the loop
        proto.graph.node.insert(0, node("Constant", [], ["m"], value=helper.make_tensor("", TensorProto.INT64, [], [3])))
        proto.graph.node[-1].input[0] = "m"
    peer = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    np.testing.assert_array_equal(ReferenceEvaluator(proto).run(None, {"x": X})[0], peer.run(None, {"x": X})[0])
