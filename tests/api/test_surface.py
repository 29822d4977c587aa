"""What the users of onnx.reference and onnx-light bring with them."""

from __future__ import annotations

import logging
import os

import numpy as np
import onnx.reference
import pytest
from graphs import CHAIN, F, X, info, model
from onnx import TensorProto, helper, numpy_helper

from goruntime import (
    ArgumentError,
    ComputeError,
    NameNotFoundError,
    ReferenceEvaluator,
    ShapeError,
    UnsupportedError,
    WrongTypeError,
    backend,
    supports,
)

SCALE = helper.make_function(
    "local", "Scale", ["x"], ["y"],
    [helper.make_node("Constant", [], ["k"]), helper.make_node("Mul", ["x", "k"], ["y"])],
    [helper.make_opsetid("", 18)], ["by"])  # fmt: skip
SCALE.node[0].attribute.append(onnx.AttributeProto(name="value_float", ref_attr_name="by", type=onnx.AttributeProto.FLOAT))


def test_node_graph_and_function():
    node = helper.make_node("Add", ["a", "b"], ["c"])
    (c,) = ReferenceEvaluator(node).run(None, {"a": X, "b": X})
    np.testing.assert_array_equal(c, X + X)
    (y,) = ReferenceEvaluator(CHAIN.graph, opsets={"": 18}).run(None, {"x": X})
    np.testing.assert_array_equal(y, [0, 6, 12])
    function = ReferenceEvaluator(SCALE)
    assert function.input_names == ["x"]
    for by in (2.0, 3.0, 2.0):
        (y,) = function.run(None, {"x": X}, attributes={"by": by})
        np.testing.assert_array_equal(y, X * np.float32(by))
    calls = helper.make_graph([helper.make_node("Scale", ["x"], ["y"], domain="local", by=4.0)], "g", [info("x")], [info("y")])
    for functions in ([SCALE], [function]):
        (y,) = ReferenceEvaluator(calls, opsets={"": 18, "local": 1}, functions=functions).run(None, {"x": X})
        np.testing.assert_array_equal(y, X * 4)


def test_a_container_with_large_tensors():
    from onnx.model_container import make_large_model, make_large_tensor_proto

    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "g", [info("x")], [info("y")],
                              [make_large_tensor_proto("#w", "w", F, (3,))])  # fmt: skip
    container = make_large_model(graph, {"#w": X}, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    (y,) = ReferenceEvaluator(container).run(None, {"x": X})
    np.testing.assert_array_equal(y, X + X)


def test_what_is_refused():
    with pytest.raises(WrongTypeError, match=r"opsets: a GraphProto has none of its own: give a dict"):
        ReferenceEvaluator(CHAIN.graph)
    with pytest.raises(WrongTypeError, match="opsets: a dict of domains and versions expected, int given"):
        ReferenceEvaluator(CHAIN.graph, opsets=18)
    with pytest.raises(WrongTypeError, match=r"opsets: a dict of domains and versions expected, {'': '18'} given"):
        ReferenceEvaluator(CHAIN.graph, opsets={"": "18"})
    with pytest.raises(ArgumentError, match="must be None for a ModelProto"):
        ReferenceEvaluator(CHAIN, opsets={"": 18})
    with pytest.raises(WrongTypeError, match="int given"):
        ReferenceEvaluator(3)
    with pytest.raises(ArgumentError, match="evaluator of a FunctionProto"):
        ReferenceEvaluator(CHAIN).run(None, {"x": X}, attributes={"by": 1.0})


def test_intermediate_returns_all():
    found = ReferenceEvaluator(CHAIN).run(None, {"x": X}, intermediate=True)
    assert set(found) == {"x", "a", "b", "y"}
    np.testing.assert_array_equal(found["b"], [0, 4, 9])


def test_verbose_prints_what_onnx_reference_prints(capsys):
    for verbose in (0, 1, 2, 3, 4):
        evaluator = onnx.reference.ReferenceEvaluator(CHAIN, verbose=verbose)
        evaluator.run(None, {"x": X})
        theirs = capsys.readouterr().out
        ReferenceEvaluator(CHAIN, verbose=verbose).run(None, {"x": X})
        mine = capsys.readouterr().out
        assert mine == theirs.replace("['", "").replace("']", "").replace("', '", ", "), verbose


def test_verbose_prints_the_nodes_of_each_iteration(capsys):
    body = helper.make_graph(
        [helper.make_node("Split", ["c"], ["a", "b"], axis=0, num_outputs=2), helper.make_node("Concat", ["b", "a"], ["d"], axis=0),
         helper.make_node("Identity", ["more"], ["still"])], "body",
        [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("more", TensorProto.BOOL, []),
         helper.make_tensor_value_info("c", TensorProto.FLOAT, None)],
        [helper.make_tensor_value_info("still", TensorProto.BOOL, []), helper.make_tensor_value_info("d", TensorProto.FLOAT, None)],
    )  # fmt: skip
    graph = helper.make_graph([helper.make_node("Loop", ["n", "", "x"], ["y"], body=body)], "g",
                              [helper.make_tensor_value_info("n", TensorProto.INT64, []), helper.make_tensor_value_info("x", TensorProto.FLOAT, None)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    ReferenceEvaluator(model, verbose=2).run(None, {"n": np.int64(3), "x": np.float32([1, 2])})
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert sorted(lines[1:4]) == ["Concat(b, a) -> d", "Identity(more) -> still", "Split(c) -> a, b"]
    assert lines == ["Loop(n, , x) -> y", *lines[1:4] * 3]


def test_events_tell_each_value_up_to_a_failure():
    evaluator = ReferenceEvaluator(CHAIN, events_enabled=True)
    evaluator.run(None, {"x": X})
    events = evaluator.events()
    assert [(e.kind, e.name) for e in events] == [("input", "x"), ("node", "a"), ("node", "b"), ("node", "y")]
    b = events[2]
    assert (b.dtype, b.shape, b.first, b.min, b.max, b.op_type) == ("float32", (3,), (0.0, 4.0, 9.0), 0.0, 9.0, "Mul")
    assert b.duration > 0
    assert b.peak >= b.allocated > 0
    fails = model([helper.make_node("Relu", ["x"], ["a"]), helper.make_node("Gather", ["a", "i"], ["y"])], inputs=("x",))
    fails.graph.initializer.append(numpy_helper.from_array(np.array([7]), "i"))
    evaluator = ReferenceEvaluator(fails, events_enabled=True)
    with pytest.raises(ComputeError):
        evaluator.run(None, {"x": X})
    assert [e.name for e in evaluator.events() if e.kind == "node"] == ["a"]
    nan = np.array([np.nan, np.inf, 1], np.float32)
    evaluator = ReferenceEvaluator(CHAIN, events_enabled=True)
    evaluator.run(None, {"x": nan})
    x = evaluator.events()[0]
    assert np.isnan(x.first[0])
    assert np.isnan([x.min, x.max]).all()


def test_the_plan_reads_as_text():
    nodes = [helper.make_node("Relu", ["x"], ["a"]), helper.make_node("Softmax", ["a"], ["b"]), helper.make_node("Add", ["b", "a"], ["y"])]
    evaluator = ReferenceEvaluator(model(nodes, shape=["N"]))
    plan = evaluator.prepare({"x": (4,)})
    assert [s.op_type for s in plan.steps] == ["Relu", "Softmax", "Add"]
    assert not any(s.fused for s in plan.steps)
    by = {v.name: v for v in plan.values}
    assert by["x"].role == "borrowed"
    assert by["a"].role == by["b"].role == "execution"
    assert (by["y"].role, by["y"].last, by["a"].last) == ("io", 3, 2)
    assert by["a"].bytes == 16
    assert plan.peak <= plan.slab
    assert "Relu(x) -> a f32[4] execution+" in str(plan)
    assert "-> y f32[4] io; last use of" in str(plan)
    misses = evaluator.allocator.stats()["misses"]
    evaluator.run(None, {"x": np.zeros(4, np.float32)})
    assert evaluator.allocator.stats()["misses"] - misses <= 1
    assert evaluator.prepare({"x": np.zeros(4, np.float32)}).steps == evaluator.prepare({"x": ("float32", (4,))}).steps
    with pytest.raises(NameNotFoundError, match="no input is named 'z'"):
        evaluator.prepare({"z": (4,)})
    with pytest.raises(WrongTypeError, match="shapes: a dict of shapes by name expected, tuple given"):
        evaluator.prepare((4,))
    with pytest.raises(ShapeError, match="rank 2 given"):
        evaluator.prepare({"x": (4, 4)})


def test_the_plan_shows_what_is_fused():
    plan = ReferenceEvaluator(CHAIN).prepare({"x": (4,)})
    assert [(s.op_type, s.fused, s.inputs, s.outputs) for s in plan.steps] == [("Add", ("Relu", "Mul", "Add"), ("x",), ("y",))]
    assert "Relu+Mul+Add(x) -> y f32[4] io" in str(plan)


def test_types_opsets_and_metadata():
    m = model([helper.make_node("Relu", ["x"], ["y"])], shape=["N", 3])
    m.producer_name, m.doc_string, m.model_version = "me", "what it is", 7
    helper.set_model_props(m, {"key": "value"})
    evaluator = ReferenceEvaluator(m)
    kind = evaluator.input_types[0]
    assert kind == ("tensor(float)", ("N", 3))
    assert kind.tensor_type.elem_type == F
    assert [(d.dim_value, d.dim_param) for d in kind.tensor_type.shape.dim] == [(0, "N"), (3, "")]
    assert evaluator.opsets == {"": 18}
    meta = evaluator.metadata
    assert (meta.producer_name, meta.description, meta.version, meta.custom_metadata_map) == ("me", "what it is", 7, {"key": "value"})
    assert evaluator.get_result_types("x").tensor_type.elem_type == F
    assert evaluator.get_result_types("nothing", exc=False) is None
    with pytest.raises(ArgumentError, match="declares no type for 'nothing'"):
        evaluator.get_result_types("nothing")


def test_annotations_are_checked_on_demand():
    wrong = model([helper.make_node("Relu", ["x"], ["a"]), helper.make_node("Relu", ["a"], ["y"])], value_info=[info("a", [2])])
    ReferenceEvaluator(wrong).run(None, {"x": X})
    with pytest.raises(ShapeError, match=r"'a' has shape \(3,\), the model declares \[2\]"):
        ReferenceEvaluator(wrong, check_shape_annotations=True).run(None, {"x": X})
    names = model([helper.make_node("Concat", ["x", "x"], ["y"], axis=0)], shape=["N"])
    names.graph.output[0].CopyFrom(info("y", ["N"]))
    with pytest.raises(ShapeError, match="so N is 6; in 'x' it is 3"):
        ReferenceEvaluator(names).run(None, {"x": X}, check_shape_annotations=True)


def test_supports_lists_all_that_is_missing():
    assert supports(CHAIN)
    m = model([helper.make_node("Nothing", ["x"], ["a"]), helper.make_node("Other", ["a"], ["y"], domain="d")], domains={"d": 3})
    found = supports(m.SerializeToString())
    assert not found
    assert [(k.domain, k.op_type, k.opset, k.dtype) for k in found.missing] == [("", "Nothing", 18, ""), ("d", "Other", 3, "")]
    with pytest.raises(UnsupportedError, match=r"2 operators .*; new_ops or goruntime\.register_custom_kernel runs them in Python$") as raised:
        ReferenceEvaluator(m)
    assert raised.value.missing == found.missing
    strings = model([helper.make_node("Relu", ["x"], ["y"])])
    strings.graph.input[0].type.tensor_type.elem_type = TensorProto.STRING
    assert [(k.op_type, k.dtype) for k in supports(strings).missing] == [("Relu", "str")]


def test_supports_reads_no_weights(tmp_path):
    m = model([helper.make_node("Add", ["x", "w"], ["y"])])
    w = numpy_helper.from_array(X, "w")
    onnx.external_data_helper.set_external_data(w, "nowhere.bin")
    w.ClearField("raw_data")
    w.data_location = TensorProto.EXTERNAL
    m.graph.initializer.append(w)
    path = tmp_path / "m.onnx"
    path.write_bytes(m.SerializeToString())
    assert supports(path)


def test_messages_go_through_logging(caplog):
    with caplog.at_level(logging.DEBUG, "goruntime"):
        ReferenceEvaluator(CHAIN)
    assert "opened a model in memory: 1 inputs, 1 outputs" in caplog.text


def test_the_backend_of_the_onnx_package():
    assert backend.supports_device("CPU")
    assert not backend.supports_device("CUDA:1")
    assert backend.is_compatible(CHAIN)
    np.testing.assert_array_equal(backend.run_model(CHAIN, [X])[0], [0, 6, 12])
    np.testing.assert_array_equal(backend.run_node(helper.make_node("Neg", ["x"], ["y"]), [X])[0], -X)
    np.testing.assert_array_equal(backend.prepare(CHAIN).run({"x": X})[0], [0, 6, 12])


def test_events_of_complex_values():
    kind = TensorProto.COMPLEX64
    graph = helper.make_graph([helper.make_node("Reshape", ["x", "s"], ["y"])], "g", [helper.make_tensor_value_info("x", kind, None)],
                              [helper.make_tensor_value_info("y", kind, None)], [numpy_helper.from_array(np.array([-1]), "s")])  # fmt: skip
    evaluator = ReferenceEvaluator(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10), events_enabled=True)
    x = np.array([1 + 2j, -0.5 - 1e30j, complex(np.nan, 1), complex(1e-30, -np.inf)], np.complex64)
    evaluator.run(None, {"x": x})
    np.testing.assert_array_equal(np.array(evaluator.events()[0].first, np.complex64), x)


def test_cpu_execution(caplog):
    with caplog.at_level(logging.WARNING, logger="goruntime"):
        evaluator = ReferenceEvaluator(CHAIN, cpu_execution={"num_threads": 1, "affinity_policy": "physical_cores"})
    np.testing.assert_array_equal(evaluator.run(None, {"x": X})[0], [0, 6, 12])
    assert "affinity_policy='physical_cores' has no effect" in caplog.text
    for policy, message in (({"threads": 2}, "the keys are num_threads"), ({"num_threads": -1}, "not below 0 expected")):
        with pytest.raises(ArgumentError, match=message):
            ReferenceEvaluator(CHAIN, cpu_execution=policy)
    with pytest.raises(WrongTypeError, match="a dict expected"):
        ReferenceEvaluator(CHAIN, cpu_execution=3)


def test_loops_are_counted_on_demand():
    nodes = [helper.make_node("Exp", ["x"], ["a"]), helper.make_node("Softmax", ["a"], ["y"])]
    x = np.ones((4096, 64), np.float32)
    evaluator = ReferenceEvaluator(model(nodes), cpu_execution_counters=True, num_threads=1)
    assert set(evaluator.cpu_execution_counters.values()) == {0}
    evaluator.run(None, {"x": x})
    once = evaluator.cpu_execution_counters
    assert once["dispatches"] == once["limited_inline_dispatches"] == 2
    assert once["chunks"] == once["worker_chunks"] == once["busy_inline_dispatches"] == 0
    evaluator.run(None, {"x": x})
    assert evaluator.cpu_execution_counters == {name: 2 * n for name, n in once.items()}
    evaluator.run(None, {"x": x}, num_threads=2)
    third = evaluator.cpu_execution_counters
    assert third["dispatches"] == 6
    if len(os.sched_getaffinity(0)) > 1:
        split = third["dispatches"] - third["limited_inline_dispatches"] - third["busy_inline_dispatches"]
        assert split == 2
        assert third["chunks"] > split
        assert 0 <= third["worker_chunks"] <= third["chunks"]
    with pytest.raises(ArgumentError, match="nothing was counted: make the evaluator with cpu_execution_counters=True"):
        _ = ReferenceEvaluator(CHAIN).cpu_execution_counters
    with pytest.raises(UnsupportedError, match="ONNX Runtime has threads of its own"):
        ReferenceEvaluator(CHAIN, cpu_execution_counters=True, engine="ort")


@pytest.mark.parametrize("shape", [["a"], [-1], [1.5], 3, [1 << 60], "ab", [None], (np.float32, [-2])])
def test_prepare_refuses_what_is_no_shape(shape):
    with pytest.raises(ShapeError, match="whole numbers not below 0 expected"):
        ReferenceEvaluator(CHAIN).prepare({"x": shape})
