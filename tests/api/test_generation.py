"""Decoders continue tokens as they do step by step."""

from __future__ import annotations

import numpy as np
import pytest
from graphs import model
from onnx import TensorProto, helper, numpy_helper

from goruntime import (
    ArgumentError,
    ReferenceEvaluator,
    ShapeError,
)


def decoder(cached: bool):
    """Logits that count the tokens up to each one: the next token is the most frequent
    one so far plus one, modulo 5."""
    f, i = TensorProto.FLOAT, TensorProto.INT64
    past = [helper.make_tensor_value_info("past_key_values.0.key", f, ["B", 1, "P", 5])]
    present = [helper.make_tensor_value_info("present.0.key", f, ["B", 1, "S", 5])]
    nodes = [
        helper.make_node("Gather", ["eye", "input_ids"], ["hot"]),
        helper.make_node("Unsqueeze", ["hot", "one"], ["new"]),
        helper.make_node("Concat", ["past_key_values.0.key", "new"] if cached else ["new"], ["present.0.key"], axis=2),
        helper.make_node("ReduceSum", ["present.0.key", "two"], ["sums"], keepdims=0),
        helper.make_node("Mul", ["position_ids", "zero"], ["none"]),  # the input is read
        helper.make_node("Cast", ["none"], ["nothing"], to=f),
        helper.make_node("Unsqueeze", ["nothing", "two"], ["column"]),
        helper.make_node("Add", ["sums", "column"], ["logits"]),
    ]
    graph = helper.make_graph(
        nodes, "g",
        [helper.make_tensor_value_info("input_ids", i, ["B", "T"]), helper.make_tensor_value_info("position_ids", i, ["B", "T"]), *(past if cached else [])],
        [helper.make_tensor_value_info("logits", f, ["B", "T", 5]), *(present if cached else [])],
        [numpy_helper.from_array(np.roll(np.eye(5, dtype=np.float32), 1, 1), "eye"), numpy_helper.from_array(np.array([1]), "one"),
         numpy_helper.from_array(np.array([2]), "two"), numpy_helper.from_array(np.array(0), "zero")])  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


def by_hand(rows, n, end=None):
    out = []
    for row in rows:
        row, done = list(row), False
        for _ in range(n):
            counts = np.bincount((np.array(row) + 1) % 5, minlength=5)
            row.append(end if done else int(counts.argmax()))
            done = done or row[-1] == end
        out.append(row)
    return out


@pytest.mark.parametrize("cached", [True, False])
def test_generate(cached):
    evaluator = ReferenceEvaluator(decoder(cached))
    prompt = [[1, 1, 4], [2, 3, 3]]
    assert evaluator.generate(prompt, 7).tolist() == by_hand(prompt, 7)
    assert evaluator.generate([2, 3, 3], 4).tolist() == by_hand(prompt[1:], 4)
    assert evaluator.generate(prompt, 0).tolist() == prompt
    assert evaluator.generate(prompt, 6, eos_token_id=4).tolist() == by_hand(prompt, 6, 4)
    assert evaluator.generate([[0]], 3, choose=lambda logits: [logits.shape[1] - 1]).tolist() == [[0, 4, 4, 4]]
    with pytest.raises(ShapeError, match="T above 0 expected"):
        evaluator.generate(np.zeros((1, 0), np.int64))
    with pytest.raises(ArgumentError, match="needs one input of tokens"):
        ReferenceEvaluator(model([helper.make_node("Add", ["x", "z"], ["y"])], inputs=("x", "z"))).generate([[1]])
