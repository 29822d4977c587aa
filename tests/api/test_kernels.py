"""Operators written in Python, for all evaluators and for one."""

from __future__ import annotations

import math
import pickle
import time
import tracemalloc

import numpy as np
import onnx.reference
import pytest
from graphs import CHAIN, X, model
from onnx import TensorProto, helper
from onnx.reference.op_run import OpRun

import goruntime
from goruntime import (
    ArgumentError,
    IOArena,
    ReferenceEvaluator,
    RuntimeContext,
    UnsupportedError,
    WrongTypeError,
)


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


def test_an_evaluator_stays_as_it_was_where_a_kernel_cannot_be_used():
    evaluator = ReferenceEvaluator(CHAIN)
    with pytest.raises(WrongTypeError, match="domain: a str expected, int given"):
        evaluator.register_custom_kernel(3, "Relu", abs)
    with pytest.raises(WrongTypeError, match="op_type: a str expected, NoneType given"):
        goruntime.register_custom_kernel("", None, abs)
    with pytest.raises(WrongTypeError, match="a callable expected as kernel, int given"):
        evaluator.register_custom_kernel("", "Relu", 3)
    for domain, text in (("a\0b", "null character"), ("\ud800", "surrogates not allowed")):
        with pytest.raises(ValueError, match=text):
            evaluator.register_custom_kernel(domain, "Relu", abs)
    evaluator.register_custom_kernel("", "Relu", lambda node, x: x * 0 + 1)
    np.testing.assert_array_equal(evaluator.run(["b"], {"x": X})[0], [1, 1, 1])
    assert evaluator.unregister_custom_kernel("", "Relu")


def test_a_kernel_decides_the_type_of_its_result_as_in_onnx_reference():
    """The model declares float; neither compares it with what a kernel returns."""

    class Relu(OpRun):
        op_domain = ""

        def _run(self, x):
            return (x.astype(np.float64),)

    m = model([helper.make_node("Relu", ["x"], ["y"])])
    (theirs,) = onnx.reference.ReferenceEvaluator(m, new_ops=[Relu]).run(None, {"x": X})
    (mine,) = ReferenceEvaluator(m, new_ops=[Relu]).run(None, {"x": X})
    assert mine.dtype == theirs.dtype == np.float64


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


class Changing(list):
    """A list that is emptied while its first element is read."""

    def __init__(self):
        super().__init__([self.Reader(self), np.zeros(3, np.float32)])

    class Reader:
        def __init__(self, results):
            self.results = results

        def __array__(self, dtype=None, copy=None):
            self.results.clear()
            return np.ones(3, np.float32)


def kernel_of(returned, node=None, **options):
    """An evaluator of one kernel that returns, or raises, what is given."""

    def kernel(_, x, *more):
        if isinstance(returned, Exception):
            raise returned
        return returned(x) if callable(returned) else returned

    made = node or helper.make_node("K", ["x", "", "x"], ["y", "z"], domain="custom", name="mine")
    goruntime.register_custom_kernel("custom", "K", kernel)
    try:
        evaluator = ReferenceEvaluator(model([made], outputs=tuple(made.output), domains={"custom": 1}), **options)
    finally:
        goruntime.unregister_custom_kernel("custom", "K")
    return evaluator


@pytest.mark.parametrize("raised", [np.linalg.LinAlgError("singular"), KeyError("mine"), goruntime.ShapeError("theirs"), FloatingPointError("over")])
def test_what_a_kernel_raises_says_where(raised):
    with pytest.raises(type(raised)) as caught:
        kernel_of(raised).run(None, {"x": X})
    assert caught.value is raised
    assert raised.__notes__ == ['raised by the kernel of K node "mine", called with float32[3], None, float32[3]']


@pytest.mark.parametrize(
    ("returned", "text", "output", "cause"),
    [
        ((X, [[1.0], [1.0, 2.0]]), 'K node "mine": "z": the custom kernel returned a list for output 1, an array expected: .*inhomogeneous', "z", ValueError),
        ((X, {1, 2}), "output 1, which no output can hold|element 0 is of type set, str expected", "z", None),
        ((X, np.zeros(2, "datetime64[D]")), r'K node "mine": "z": .* of dtype\(\'<M8\[D\]\'\) for output 1, .*: numbers or texts expected', "z", None),
        ((np.array([b"ab"]), X), r'K node "mine": "y": .* of dtype\(\'S2\'\) for output 0', "y", None),
        ((X, np.array(["\udcff"], object)), r'"z": the custom kernel returned object\[1\] for output 1, .*surrogates', "z", UnicodeEncodeError),
        (X, 'K node "mine": the custom kernel returned one value, the node has 2 outputs', "", None),
        ((X,), 'K node "mine": the custom kernel returned 1 values, the node has 2 outputs', "", None),
        (lambda x: Changing(), 'K node "mine": the custom kernel\'s list of results became shorter while it was read', "", None),
    ],
)  # fmt: skip
def test_a_result_that_cannot_be_the_output(returned, text, output, cause):
    evaluator = kernel_of(returned)
    with pytest.raises(WrongTypeError, match=text) as caught:
        evaluator.run(None, {"x": X})
    assert (caught.value.op, caught.value.node, caught.value.input) == ("K", "mine", output)
    assert type(caught.value.__cause__) is (cause or type(None))
    assert evaluator.stats()["io"]["live"] == evaluator.stats()["execution"]["live"] == 0


def test_a_result_beyond_a_limit_says_of_which_node():
    evaluator = kernel_of(lambda x: np.broadcast_to(x, (1 << 20, 3)), helper.make_node("K", ["x"], ["y"], domain="custom"),
                          io_allocator=IOArena(limit=1 << 16))  # fmt: skip
    with pytest.raises(goruntime.LimitError, match=r'K node "#0": "y": .* the limit is 65536 bytes') as caught:
        evaluator.run(None, {"x": X})
    assert (caught.value.op, caught.value.node, caught.value.input) == ("K", "#0", "y")
