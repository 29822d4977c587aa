"""Small models that the tests here are made of."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper

F = TensorProto.FLOAT
X = np.array([-1, 2, 3], np.float32)


def info(name, shape=None):
    return helper.make_tensor_value_info(name, F, shape)


def model(nodes, inputs=("x",), outputs=("y",), domains=None, functions=(), value_info=(), shape=None):
    graph = helper.make_graph(nodes, "g", [info(i, shape) for i in inputs], [info(o) for o in outputs], value_info=value_info)
    opsets = [helper.make_opsetid("", 18), *(helper.make_opsetid(d, v) for d, v in (domains or {}).items())]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10, functions=list(functions))


CHAIN = model([helper.make_node("Relu", ["x"], ["a"]), helper.make_node("Mul", ["a", "a"], ["b"]), helper.make_node("Add", ["b", "a"], ["y"])], shape=["N"])
