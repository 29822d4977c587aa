"""Recurrent layers whose sequences differ in length, beside onnxruntime and their equations."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

from goruntime import ReferenceEvaluator

STEPS, BATCH, WIDTH, HIDDEN = 5, 4, 3, 2
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def layer(op, direction):
    """A layer of inputs X, W, R, L (the lengths), H and C (the states)."""
    states = ["H", "C"][: 2 if op == "LSTM" else 1]
    outputs = ["Y", *(f"Y_{s}" for s in states)]
    node = helper.make_node(op, ["X", "W", "R", "", "L", *states], outputs, hidden_size=HIDDEN, direction=direction)
    infos = [helper.make_tensor_value_info(n, TensorProto.INT32 if n == "L" else TensorProto.FLOAT, None) for n in ("X", "W", "R", "L", *states)]
    graph = helper.make_graph([node], "g", infos, [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in outputs])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)


def feeds(op, directions, lengths):
    rng = np.random.default_rng(5)
    sizes = {
        "X": (STEPS, BATCH, WIDTH), "W": (directions, GATES[op] * HIDDEN, WIDTH), "R": (directions, GATES[op] * HIDDEN, HIDDEN),
        "H": (directions, BATCH, HIDDEN), "C": (directions, BATCH, HIDDEN),
    }  # fmt: skip
    values = {name: rng.uniform(-1, 1, size).astype(np.float32) for name, size in sizes.items()}
    if op != "LSTM":
        del values["C"]
    return {**values, "L": np.array(lengths, np.int32)}


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("op", GATES)
def test_a_sequence_without_steps_leaves_its_state_as_it_was(op, direction):
    """The equations give H_t of H_t-1, from an initial H on: after no step it is that one.
    (onnxruntime gives zeros; of all other sequences it gives what we give.)"""
    given = feeds(op, 2 if direction == "bidirectional" else 1, [5, 0, 3, 1])
    model = layer(op, direction)
    mine = ReferenceEvaluator(model).run(None, given)
    theirs = onnxruntime.InferenceSession(model.SerializeToString()).run(None, given)
    some = given["L"] > 0
    for got, want in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(got[..., some, :], want[..., some, :], rtol=1e-5, atol=1e-6)
    assert not mine[0][:, :, 1].any()
    for got, name in zip(mine[1:], "HC", strict=False):
        np.testing.assert_array_equal(got[:, 1], given[name][:, 1])


@pytest.mark.parametrize("op", GATES)
def test_a_layer_may_be_run_in_parts(op):
    """The states of the first steps are the initial ones of the rest, of which some
    sequences have none left."""
    given = feeds(op, 1, [5, 2, 3, 0])
    evaluator = ReferenceEvaluator(layer(op, "forward"))
    _, *whole = evaluator.run(None, given)
    _, *states = evaluator.run(None, {**given, "X": given["X"][:3], "L": np.minimum(given["L"], 3)})
    carried = dict(zip("HC", states, strict=False))
    _, *rest = evaluator.run(None, {**given, **carried, "X": given["X"][3:], "L": np.maximum(given["L"] - 3, 0)})
    for got, want in zip(rest, whole, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6)
