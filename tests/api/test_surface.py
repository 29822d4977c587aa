"""What the users of onnx.reference and onnx-light bring with them."""

from __future__ import annotations

import logging
import math
import os
import pickle
import time
import tracemalloc

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference.op_run import OpRun

import goruntime
from goruntime import (
    ArgumentError,
    ComputeError,
    IOArena,
    NameNotFoundError,
    ReferenceEvaluator,
    RuntimeContext,
    RuntimeSession,
    ShapeError,
    Tensor,
    UnsupportedError,
    WrongTypeError,
    backend,
    supports,
)

F = TensorProto.FLOAT
X = np.array([-1, 2, 3], np.float32)


def info(name, shape=None):
    return helper.make_tensor_value_info(name, F, shape)


def model(nodes, inputs=("x",), outputs=("y",), domains=None, functions=(), value_info=(), shape=None):
    graph = helper.make_graph(nodes, "g", [info(i, shape) for i in inputs], [info(o) for o in outputs], value_info=value_info)
    opsets = [helper.make_opsetid("", 18), *(helper.make_opsetid(d, v) for d, v in (domains or {}).items())]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10, functions=list(functions))


CHAIN = model([helper.make_node("Relu", ["x"], ["a"]), helper.make_node("Mul", ["a", "a"], ["b"]), helper.make_node("Add", ["b", "a"], ["y"])], shape=["N"])
SCALE = helper.make_function(
    "local", "Scale", ["x"], ["y"],
    [helper.make_node("Constant", [], ["k"]), helper.make_node("Mul", ["x", "k"], ["y"])],
    [helper.make_opsetid("", 18)], ["by"])  # fmt: skip
SCALE.node[0].attribute.append(onnx.AttributeProto(name="value_float", ref_attr_name="by", type=onnx.AttributeProto.FLOAT))


# ---- what a model is given as ----


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
    with pytest.raises(WrongTypeError, match="opsets must be a dict"):
        ReferenceEvaluator(CHAIN.graph)
    with pytest.raises(ArgumentError, match="must be None for a ModelProto"):
        ReferenceEvaluator(CHAIN, opsets={"": 18})
    with pytest.raises(WrongTypeError, match="int given"):
        ReferenceEvaluator(3)
    with pytest.raises(ArgumentError, match="evaluator of a FunctionProto"):
        ReferenceEvaluator(CHAIN).run(None, {"x": X}, attributes={"by": 1.0})


# ---- looking inside ----


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


# ---- operators in Python ----


class InvAlpha(OpRun):
    op_domain = "custom"

    def _run(self, x, alpha=None):
        return (1 / (x + (alpha or self.alpha)),)


class Relu(OpRun):
    op_domain = ""

    def _run(self, x):
        return (np.maximum(x, 1),)


def test_op_run_subclasses_run_as_they_are():
    m = model([helper.make_node("InvAlpha", ["x"], ["a"], domain="custom", alpha=0.5), helper.make_node("Relu", ["a"], ["y"])], domains={"custom": 1})
    with pytest.raises(UnsupportedError, match=r"custom.InvAlpha \(opset 1\)"):
        ReferenceEvaluator(m)
    (y,) = ReferenceEvaluator(m, new_ops=[InvAlpha]).run(None, {"x": X})
    np.testing.assert_array_equal(y, np.maximum(1 / (X + np.float32(0.5)), 0))
    evaluator = ReferenceEvaluator(m, new_ops=[InvAlpha, Relu])
    (y,) = evaluator.run(None, {"x": X})
    np.testing.assert_array_equal(y, np.maximum(1 / (X + np.float32(0.5)), 1))
    assert [k[1::2] for k in evaluator.used_kernels()] == [("Relu", "python"), ("InvAlpha", "python")]


def test_kernels_of_an_evaluator_and_of_all():
    m = model([helper.make_node("Twice", ["x", ""], ["y", "z"], domain="custom", times=3, name="n")], outputs=("y", "z"), domains={"custom": 1})

    def twice(node, x, missing=None):
        assert missing is None
        assert (node.op_type, node.domain, node.name, node.opset) == ("Twice", "custom", "n", 1)
        assert (node.input, node.output) == (["x", ""], ["y", "z"])
        assert node.attribute[0].name == "times"
        return x * node.attributes["times"], np.array(["a", "bc"], object)

    goruntime.register_custom_kernel("custom", "Twice", twice)
    try:
        evaluator = ReferenceEvaluator(m)
    finally:
        goruntime.unregister_custom_kernel("custom", "Twice")
    m.graph.output[1].type.tensor_type.elem_type = TensorProto.STRING
    y, z = evaluator.run(None, {"x": X})
    np.testing.assert_array_equal(y, X * 3)
    assert z.tolist() == ["a", "bc"]
    assert evaluator.io_allocator.owns(y)
    evaluator.register_custom_kernel("custom", "Twice", lambda node, x, *_: (x + node.attributes["times"], x))
    y, _ = evaluator.run(None, {"x": X})
    np.testing.assert_array_equal(y, X + 3)
    with pytest.raises(UnsupportedError):
        evaluator.unregister_custom_kernel("custom", "Twice")
    np.testing.assert_array_equal(evaluator.run(["y"], {"x": X})[0], X + 3)
    assert not evaluator.unregister_custom_kernel("custom", "Other")
    assert not goruntime.unregister_custom_kernel("custom", "Twice")


def test_a_kernel_reads_numbers_and_texts_that_json_has_not():
    seen = {}
    given = {
        "big": 2**62 + 1, "up": math.inf, "none": math.nan, "list": [1.5, -math.inf, math.nan], "empty": "",
        "text": 'a "quoted"\n\\é', "bytes": b"a\xffb", "texts": ["x", "\x00"],
    }  # fmt: skip
    goruntime.register_custom_kernel("custom", "Facts", lambda node, x: (seen.update(node.attributes), x)[1])
    try:
        evaluator = ReferenceEvaluator(model([helper.make_node("Facts", ["x"], ["y"], domain="custom", **given)]))
    finally:
        goruntime.unregister_custom_kernel("custom", "Facts")
    evaluator.run(None, {"x": X})
    assert repr(dict(sorted(seen.items()))) == repr(dict(sorted({**given, "bytes": "a\udcffb"}.items())))


def test_a_kernel_may_replace_an_operator_for_all_and_back():
    evaluator = ReferenceEvaluator(model([helper.make_node("Neg", ["x"], ["y"])]))
    evaluator.register_custom_kernel("ai.onnx", "Neg", lambda node, x: x)
    np.testing.assert_array_equal(evaluator.run(None, {"x": X})[0], X)
    assert evaluator.unregister_custom_kernel("", "Neg")
    np.testing.assert_array_equal(evaluator.run(None, {"x": X})[0], -X)
    ReferenceEvaluator.register_custom_kernel_global("", "Neg", lambda node, x: 2 * x)
    try:
        everywhere = ReferenceEvaluator(model([helper.make_node("Neg", ["x"], ["y"])]))
        other = ReferenceEvaluator(CHAIN)
    finally:
        assert ReferenceEvaluator.unregister_custom_kernel_global("", "Neg")
    np.testing.assert_array_equal(everywhere.run(None, {"x": X})[0], 2 * X)
    # A kernel that pickle cannot take hinders only those who use it.
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(other)).run(None, {"x": X})[0], other.run(None, {"x": X})[0])
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(everywhere)


def test_a_kernel_may_keep_its_inputs_and_raise():
    kept = []

    def keep(node, x):
        kept.append(x)
        if x[0] > 5:
            raise KeyError("mine")
        return x

    m = model([helper.make_node("Relu", ["x"], ["a"]), helper.make_node("Keep", ["a"], ["b"], domain="custom"), helper.make_node("Neg", ["b"], ["y"])],
              domains={"custom": 1})  # fmt: skip
    evaluator = ReferenceEvaluator(model([helper.make_node("Relu", ["x"], ["y"])]))
    goruntime.register_custom_kernel("custom", "Keep", keep)
    try:
        evaluator = ReferenceEvaluator(m)
    finally:
        goruntime.unregister_custom_kernel("custom", "Keep")
    for first in (1, 2, 3):
        (y,) = evaluator.run(None, {"x": np.array([first, 0], np.float32)})
        assert y[0] == -first
    assert [k[0] for k in kept] == [1, 2, 3]
    with pytest.raises(KeyError, match="mine"):
        evaluator.run(None, {"x": np.array([9, 0], np.float32)})
    evaluator.register_custom_kernel("custom", "Keep", lambda node, x: np.array(["2020-01-01"], "datetime64[D]"))
    with pytest.raises(WrongTypeError, match="which no output can hold"):
        evaluator.run(None, {"x": X})
    evaluator.register_custom_kernel("custom", "Keep", lambda node, x: x)
    (y,) = evaluator.run(None, {"x": X})
    assert y[1] == -2


def test_results_of_kernels_are_adopted_where_nobody_else_has_them():
    kept, addresses = [], []

    def fresh(node, x):
        y = x + 1
        addresses.append(y.ctypes.data)
        return y

    def held(node, x):
        y = x + 1
        kept.append(y)
        return (y,)

    def view(node, x):
        y = np.stack([x, x + 1])
        addresses.append(y.ctypes.data)
        return y[1]

    m = model([helper.make_node("K", ["x"], ["y"], domain="custom")], domains={"custom": 1})
    io = IOArena()
    goruntime.register_custom_kernel("custom", "K", fresh)
    try:
        evaluator = ReferenceEvaluator(m, io_allocator=io)
        inner = ReferenceEvaluator(model([helper.make_node("K", ["x"], ["a"], domain="custom"), helper.make_node("Neg", ["a"], ["y"])],
                                         domains={"custom": 1}), io_allocator=io)  # fmt: skip
    finally:
        goruntime.unregister_custom_kernel("custom", "K")
    ys = [evaluator.run(None, {"x": X})[0] for _ in range(3)]
    assert [y.ctypes.data for y in ys] == addresses
    assert all(io.owns(y) for y in ys)
    ys[0][:] = 9  # the caller's own
    np.testing.assert_array_equal(ys[1], X + 1)
    np.testing.assert_array_equal(inner.run(None, {"x": X})[0], -X - 1)
    lent = np.zeros(3, np.float32)
    assert evaluator.run(None, {"x": X}, outputs={"y": lent})[0] is lent
    np.testing.assert_array_equal(lent, X + 1)
    for kernel in (held, view):
        evaluator.register_custom_kernel("custom", "K", kernel)
        (y,) = evaluator.run(None, {"x": X})
        y[:] = 5
        assert y.ctypes.data not in addresses
    np.testing.assert_array_equal(kept[0], X + 1)
    evaluator.register_custom_kernel("custom", "K", fresh)
    (y,) = evaluator.run(None, {"x": X})
    evaluator.close()
    inner.close()
    io.close()
    np.testing.assert_array_equal(y, X + 1)


def test_adopted_results_go_with_their_last_array():
    m = model([helper.make_node("Neg", ["x"], ["y"])])
    evaluator = ReferenceEvaluator(m)
    evaluator.register_custom_kernel("", "Neg", lambda node, x: np.repeat(x, 1 << 20))
    tracemalloc.start()
    try:
        ys = [evaluator.run(None, {"x": X})[0] for _ in range(3)]
        assert tracemalloc.get_traced_memory()[0] > 3 * 3 * 4 << 20
        assert evaluator.io_allocator.stats()["live"] >= 3 * 3 * 4 << 20
        part = ys[0][5:7]
        del ys
        # The arena's thread lets go of them, then the interpreter drops them.
        deadline = time.monotonic() + 20
        while tracemalloc.get_traced_memory()[0] > 3 * 4 << 21 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert tracemalloc.get_traced_memory()[0] < 3 * 4 << 21
        assert part.tolist() == [-1, -1]
    finally:
        tracemalloc.stop()


def _times_two(node, x):
    return x * node.attributes["by"]


def test_a_copy_has_the_kernels_too():
    m = model([helper.make_node("Times", ["x"], ["y"], domain="custom", by=5)], domains={"custom": 1})
    goruntime.register_custom_kernel("custom", "Times", _times_two)
    try:
        evaluator = ReferenceEvaluator(m)
    finally:
        goruntime.unregister_custom_kernel("custom", "Times")
    (y,) = pickle.loads(pickle.dumps(evaluator)).run(None, {"x": X})
    np.testing.assert_array_equal(y, X * 5)


# ---- by hand ----


def test_a_session_over_a_context():
    session, rt = RuntimeSession(CHAIN), RuntimeContext(release_intermediates=False, events_enabled=True)
    assert session.required_inputs == ["x"]
    with pytest.raises(NameNotFoundError, match="no value 'x'"):
        session.run(rt)
    rt.put("x", X)
    session.run(rt)
    np.testing.assert_array_equal(rt.get("y"), [0, 6, 12])
    assert set(rt.names()) == {"x", "a", "b", "y"}
    assert [e.name for e in rt.events] == ["x", "a", "b", "y"]
    y = rt.get("y")
    with rt:
        pass
    assert rt.names() == []
    np.testing.assert_array_equal(y, [0, 6, 12])
    assert str(session.get_execution_plan({"x": (3,)})).startswith("1 step, ")


def test_tensors_and_dlpack():
    (y,) = ReferenceEvaluator(CHAIN).run(None, {"x": Tensor(X, "x")})
    t = Tensor(y, "y")
    assert (t.name, t.dtype, t.shape) == ("y", np.float32, (3,))
    again = np.from_dlpack(t)
    assert np.shares_memory(again, y)
    del t, y
    np.testing.assert_array_equal(again, [0, 6, 12])
    frozen = X.copy()
    frozen.flags.writeable = False
    (y,) = ReferenceEvaluator(CHAIN).run(None, {"x": Tensor(frozen)})
    np.testing.assert_array_equal(y, [0, 6, 12])
    assert not np.from_dlpack(Tensor(frozen)).flags.writeable
    assert Tensor.from_dlpack(X).numpy().dtype == np.float32


# ---- before a run ----


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


def test_a_kernel_returns_as_many_values_as_the_node_has_outputs():
    m = model([helper.make_node("K", ["x"], ["y"], domain="custom")], domains={"custom": 1})
    for surplus in (lambda node, x: (x, x), lambda node, x: [], lambda node, x: [1.0, 2.0]):
        goruntime.register_custom_kernel("custom", "K", surplus)
        try:
            evaluator = ReferenceEvaluator(m)
        finally:
            goruntime.unregister_custom_kernel("custom", "K")
        with pytest.raises(WrongTypeError, match=r"returned \d values, the node has 1 outputs"):
            evaluator.run(None, {"x": X})


def test_events_of_complex_values():
    kind = TensorProto.COMPLEX64
    graph = helper.make_graph([helper.make_node("Reshape", ["x", "s"], ["y"])], "g", [helper.make_tensor_value_info("x", kind, None)],
                              [helper.make_tensor_value_info("y", kind, None)], [numpy_helper.from_array(np.array([-1]), "s")])  # fmt: skip
    evaluator = ReferenceEvaluator(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10), events_enabled=True)
    x = np.array([1 + 2j, -0.5 - 1e30j, complex(np.nan, 1), complex(1e-30, -np.inf)], np.complex64)
    evaluator.run(None, {"x": x})
    np.testing.assert_array_equal(np.array(evaluator.events()[0].first, np.complex64), x)


@pytest.mark.timeout(60)
def test_a_kernel_may_use_its_run_but_not_close_it():
    m = model([helper.make_node("K", ["x"], ["y"], domain="custom")], domains={"custom": 1})
    rt, seen = RuntimeContext(), []

    def kernel(node, x):
        rt.put("from the kernel", x)
        seen.append(rt.names())
        if x[0] > 1:
            evaluator.close()
        if x[0] < 0:
            evaluator.run(None, {"x": -x}, context=rt)
        return None if x[0] == 0 else x

    goruntime.register_custom_kernel("custom", "K", kernel)
    try:
        evaluator = ReferenceEvaluator(m)
    finally:
        goruntime.unregister_custom_kernel("custom", "K")
    one = np.ones(1, np.float32)
    evaluator.run(None, {"x": one}, context=rt)
    evaluator.run(None, {"x": -one}, context=rt)
    assert "from the kernel" in seen[0]
    with pytest.raises(ArgumentError, match="a kernel may not close the evaluator"):
        evaluator.run(None, {"x": 5 * one}, context=rt)
    with pytest.raises(WrongTypeError, match="returned a NoneType for output 0, an array expected"):
        evaluator.run(None, {"x": 0 * one})
    rt.clear()
    evaluator.close()


# ---- onnx-light's arguments ----


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


def test_a_kernel_of_a_context_may_not_close_the_evaluator_it_runs_in():
    evaluator, rt = ReferenceEvaluator(CHAIN), RuntimeContext()

    def close(_, x):
        evaluator.close()
        return x

    rt.register_custom_kernel("", "Relu", close)
    with pytest.raises(ArgumentError, match="a kernel may not close the evaluator"):
        evaluator.run(None, {"x": X}, context=rt)
    rt.unregister_custom_kernel("", "Relu")
    np.testing.assert_array_equal(evaluator.run(None, {"x": X}, context=rt)[0], [0, 6, 12])


def test_a_context_has_kernels_and_plans_of_its_own():
    evaluator = ReferenceEvaluator(CHAIN)
    rt, other = RuntimeContext(None), RuntimeContext()
    rt.register_custom_kernel("", "Relu", lambda _, x: x * 0 + 1)
    (y,) = evaluator.run(None, {"x": X}, context=rt)
    np.testing.assert_array_equal(y, [2, 2, 2])
    np.testing.assert_array_equal(evaluator.run(None, {"x": X}, context=other)[0], [0, 6, 12])
    session = RuntimeSession(evaluator)
    session.run(rt)
    np.testing.assert_array_equal(rt.get("y"), [2, 2, 2])
    assert rt.unregister_custom_kernel("", "Relu")
    assert not rt.unregister_custom_kernel("", "Relu")
    session.run(rt)
    np.testing.assert_array_equal(rt.get("y"), [0, 6, 12])
    plan = rt.get_execution_plan(session)
    assert str(plan) == str(evaluator.prepare({"x": X})) == str(rt.get_execution_plan(evaluator))
    RuntimeSession(plan).run(rt)
    other.clear()
    with pytest.raises(NameNotFoundError, match="holds no value 'x'"):
        other.get_execution_plan(evaluator)


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


@pytest.mark.parametrize("shape", [["a"], [-1], [1.5], 3, [1 << 60], "ab", [None], (np.float32, [-2])])
def test_prepare_refuses_what_is_no_shape(shape):
    with pytest.raises(ShapeError, match="whole numbers not below 0 expected"):
        ReferenceEvaluator(CHAIN).prepare({"x": shape})
