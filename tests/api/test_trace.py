"""What a trace tells of nodes that a run has no step for."""

from __future__ import annotations

import numpy as np
import onnx.reference
import pytest
from onnx import TensorProto, helper, numpy_helper

from goruntime import ReferenceEvaluator

X = np.array([-1 / 3, 2, 3], np.float32)


def info(name, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, None)


def model(*nodes, inputs=("x",), outputs=("y",), initializers=(), dtype=TensorProto.FLOAT):
    graph = helper.make_graph(nodes, "g", [info(i, dtype) for i in inputs], [info(o, dtype) for o in outputs], list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


def events(made, feeds):
    evaluator = ReferenceEvaluator(made, events_enabled=True)
    results = evaluator.run(None, feeds)
    return results, {e.name: e for e in evaluator.events()}, [e.name for e in evaluator.events()]


def test_values_keep_the_names_that_the_model_gives_them():
    made = model(
        helper.make_node("Relu", ["x"], ["a"]), helper.make_node("Identity", ["a"], ["b"]), helper.make_node("Identity", ["b"], ["c"]),
        helper.make_node("Neg", ["c"], ["y"]), helper.make_node("Identity", ["x"], ["z"]), outputs=("y", "z", "x"))  # fmt: skip
    results, told, names = events(made, {"x": X})
    assert sorted(names) == ["a", "b", "c", "x", "y", "z"]
    assert names.index("a") < names.index("b") < names.index("c") < names.index("y")
    for name, value in (("b", np.maximum(X, 0)), ("c", np.maximum(X, 0)), ("z", X)):
        assert told[name].kind == "view"
        assert told[name].op_type == "Identity"
        np.testing.assert_array_equal(np.float32(told[name].first), value)
    assert told["c"].inputs == ("b",)
    np.testing.assert_array_equal(results[1], X)


def test_names_of_texts_and_sequences():
    made = model(helper.make_node("Identity", ["x"], ["y"]), dtype=TensorProto.STRING)
    _, told, names = events(made, {"x": np.array(["a", "b"], object)})
    assert names == ["x", "y"]
    assert told["y"].first == ("a", "b")
    made = model(helper.make_node("SequenceConstruct", ["x", "x"], ["s"]), helper.make_node("Identity", ["s"], ["t"]),
                 helper.make_node("ConcatFromSequence", ["t"], ["y"], axis=0))  # fmt: skip
    _, told, names = events(made, {"x": X})
    assert names == ["x", "s", "t", "y"]
    assert told["t"].type == told["s"].type == "seq(f32[3], f32[3])"
    assert [item.shape for item in told["s"].items] == [(3,), (3,)]
    assert told["s"].items[1].max == 3


@pytest.mark.parametrize("verbose", [3, 4])
def test_sequences_are_printed_by_their_elements(verbose, capsys):
    made = model(helper.make_node("SequenceConstruct", ["x", "w"], ["s"]), helper.make_node("ConcatFromSequence", ["s"], ["y"], axis=0),
                 initializers=[numpy_helper.from_array(np.float32([7]), "w")])  # fmt: skip
    onnx.reference.ReferenceEvaluator(made, verbose=verbose).run(None, {"x": X})
    theirs = capsys.readouterr().out.replace("['", "").replace("']", "").replace("', '", ", ")
    ReferenceEvaluator(made, verbose=verbose).run(None, {"x": X})
    assert capsys.readouterr().out == theirs


def test_what_is_computed_ahead_is_told_with_its_node():
    made = model(
        helper.make_node("Relu", ["x"], ["a"]), helper.make_node("Shape", ["a"], ["s"]), helper.make_node("Cast", ["s"], ["f"], to=1),
        helper.make_node("Add", ["a", "f"], ["y"]))  # fmt: skip
    _, told, names = events(made, {"x": X})
    assert sorted(names) == ["a", "f", "s", "x", "y"]
    assert (told["s"].kind, told["s"].op_type, told["s"].inputs, told["s"].first) == ("constant", "Shape", ("a",), (3,))
    assert (told["f"].op_type, told["f"].first) == ("Cast", (3.0,))


@pytest.mark.parametrize("known", [True, False])
def test_the_node_of_a_branch_is_told_before_it_or_after_it_where_its_condition_is_known(known, capsys):
    then = helper.make_graph([helper.make_node("Neg", ["x"], ["k"])], "t", [], [info("k")])
    other = helper.make_graph([helper.make_node("Abs", ["x"], ["k"])], "e", [], [info("k")])
    condition = [] if known else [helper.make_node("ReduceMax", ["x"], ["m"], keepdims=0), helper.make_node("Greater", ["m", "zero"], ["c"])]
    given = [numpy_helper.from_array(np.array(True), "c")] if known else [numpy_helper.from_array(np.float32(0), "zero")]
    made = model(*condition, helper.make_node("If", ["c"], ["y"], then_branch=then, else_branch=other), initializers=given)
    ReferenceEvaluator(made, verbose=2).run(None, {"x": X})
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == (["Neg(x) -> k", "If(c) -> y"] if known else ["If(c) -> y", "  Neg(x) -> k"])


def test_numbers_are_those_of_the_elements():
    _, told, _ = events(model(helper.make_node("Abs", ["x"], ["y"])), {"x": X})
    assert told["y"].first == tuple(float(n) for n in np.abs(X))
    assert told["x"].min == float(X[0])
    _, told, _ = events(model(helper.make_node("Abs", ["x"], ["y"])), {"x": np.array([1, np.nan, 2], np.float32)})
    assert np.isnan([told["y"].min, told["y"].max]).all()
    _, told, _ = events(model(helper.make_node("Not", ["x"], ["y"]), dtype=TensorProto.BOOL), {"x": np.array([True, False])})
    assert (told["y"].min, told["y"].max) == (False, True)


@pytest.mark.parametrize("verbose", [2, 3, 4])
def test_lines_are_those_of_onnx_reference(verbose, capsys):
    """Where nothing is computed ahead, to the letter but for lists of names."""
    made = model(
        helper.make_node("Div", ["x", "w"], ["a"]), helper.make_node("Greater", ["a", "x"], ["b"]), helper.make_node("Slice", ["a", "i", "i"], ["e"]),
        helper.make_node("Where", ["b", "x", "a"], ["m"]), helper.make_node("Concat", ["m", "e", "x", "m"], ["y"], axis=0),
        initializers=[numpy_helper.from_array(np.float32(7), "w"), numpy_helper.from_array(np.array([0]), "i")])  # fmt: skip
    for x in (X, np.array([np.nan, np.inf, 1], np.float32)):
        onnx.reference.ReferenceEvaluator(made, verbose=verbose).run(None, {"x": x})
        theirs = capsys.readouterr().out.replace("['", "").replace("']", "").replace("', '", ", ")
        ReferenceEvaluator(made, verbose=verbose).run(None, {"x": x})
        assert capsys.readouterr().out == theirs


def test_a_plan_names_what_is_copied_after_the_output():
    evaluator = ReferenceEvaluator(model(helper.make_node("Identity", ["x"], ["y"]), helper.make_node("Identity", ["x"], ["z"]), outputs=("y", "z", "x")))
    steps = evaluator.prepare({"x": (3,)}).steps
    assert [(s.kind, s.inputs, s.outputs) for s in steps] == [("copy", ("x",), (name,)) for name in ("y", "z", "x")]
