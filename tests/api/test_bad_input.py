"""Bad input gets a clear exception; nothing is lost and the evaluator stays usable."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

import goruntime
from goruntime import ReferenceEvaluator

A = np.ones(3, np.float32)


def usable(evaluator: ReferenceEvaluator) -> bool:
    return bool(evaluator.run(None, {"a": A, "b": A})[0][0] == 2)


@pytest.mark.parametrize(
    ("feeds", "error", "text"),
    [
        ({"a": A}, goruntime.NameNotFoundError, "missing: 'b'"),
        ({"a": A, "bb": A}, goruntime.NameNotFoundError, "no input is named 'bb'; the nearest are 'b'"),
        ({"a": A, "b": A, "c": A}, goruntime.NameNotFoundError, "no input is named 'c'"),
        ({}, goruntime.NameNotFoundError, "missing: 'a', 'b'"),
        ({"a": A.astype(np.float64), "b": A}, goruntime.WrongTypeError, '"a": f64 given, f32 expected'),
        ({"a": A.astype(np.int64), "b": A}, TypeError, "i64 given, f32 expected"),
        ({"a": A[:2], "b": A}, goruntime.ShapeError, "dimension 0 is 2 .*3 expected"),
        ({"a": A[None], "b": A}, ValueError, r"rank 2 given \(shape \[1, 3\]\), rank 1 expected"),
        ({"a": np.array([1, 2, 3], object), "b": A}, goruntime.WrongTypeError, "no element type"),
        ({"a": np.array(["x", "y", "z"]), "b": A}, goruntime.WrongTypeError, "no element type"),
    ],
)
def test_feeds_that_do_not_fit(bench, feeds, error, text):
    evaluator = bench.open("add")
    with pytest.raises(error, match=text):
        evaluator.run(None, feeds)
    assert usable(evaluator)


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_feeds_in_any_order(order):
    evaluator = ReferenceEvaluator(onnx.helper.make_node("Sub", ["a", "b"], ["y"]))
    feeds = {name: A * (2 if name == "a" else 3) for name in order}
    assert evaluator.run(None, feeds)[0].tolist() == [-1, -1, -1]


def test_a_conversion_that_changes_the_feeds(bench):
    """What is fed stays alive while it is looked at, whatever its own code does."""

    class Shy:
        def __array__(self, dtype=None, copy=None):
            feeds.clear()
            return np.ones(3, np.float32)

    evaluator = bench.open("add")
    feeds = {"a": Shy(), "b": A}
    with pytest.raises(goruntime.NameNotFoundError, match="missing: 'a', 'b'"):
        evaluator.run(None, feeds)
    assert usable(evaluator)


class Acts:
    """Does something while it is converted."""

    def __init__(self, act):
        self.act = act

    def __array__(self, dtype=None, copy=None):
        self.act()
        return np.ones(3, np.float32)


@pytest.mark.parametrize("change", [list.clear, lambda items: items.extend([A] * 100)], ids=["shrinks", "grows"])
def test_a_conversion_that_changes_the_list_of_a_sequence(change):
    value = onnx.helper.make_sequence_type_proto(onnx.helper.make_tensor_type_proto(1, None))
    nodes = [onnx.helper.make_node("ConcatFromSequence", ["s"], ["y"], axis=0)]
    graph = onnx.helper.make_graph(nodes, "g", [onnx.helper.make_value_info("s", value)], [onnx.helper.make_tensor_value_info("y", 1, None)])
    evaluator = ReferenceEvaluator(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)]))
    items: list[object] = [np.full(3, i, np.float32) for i in range(50)]
    items[0] = Acts(lambda: change(items))
    (y,) = evaluator.run(None, {"s": items})
    np.testing.assert_array_equal(y, np.repeat([1, *range(1, 50)], 3))


def test_a_conversion_that_changes_texts_fed_before():
    """The texts of an array are kept, not the array: it is the caller's to write to."""
    nodes = [onnx.helper.make_node("Identity", ["s"], ["t"]), onnx.helper.make_node("Identity", ["x"], ["y"])]
    infos = [onnx.helper.make_tensor_value_info(n, k, None) for n, k in (("s", 8), ("x", 1), ("t", 8), ("y", 1))]
    graph = onnx.helper.make_graph(nodes, "g", infos[:2], infos[2:])
    evaluator = ReferenceEvaluator(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)]))
    wanted = [str(i) * 1000 for i in range(20)]
    texts = np.array([str(i) * 1000 for i in range(20)], object)
    t, _ = evaluator.run(None, {"s": texts, "x": Acts(lambda: texts.fill(""))})
    assert t.tolist() == wanted
    assert set(texts) == {""}


def test_unknown_output_names_the_nearest(bench):
    evaluator = bench.open("add")
    with pytest.raises(goruntime.NameNotFoundError, match=r'"cc".*nearest are "c"'):
        evaluator.run(["cc"], {"a": A, "b": A})
    assert usable(evaluator)


@pytest.mark.parametrize("feeds", [None, [A, A], "x"])
def test_feeds_that_are_no_dict(bench, feeds):
    with pytest.raises(TypeError, match=r"feed_inputs: a dict of values by name expected, .* given"):
        bench.open("add").run(None, feeds)


def test_a_broadcast_that_fails_names_the_node(bench):
    evaluator = bench.open("sum")
    with pytest.raises(goruntime.ShapeError, match=r'Add node "adder": shapes \[3\] and \[4\] do not broadcast') as caught:
        evaluator.run(None, {"x": A, "y": np.ones(4, np.float32)})
    assert (caught.value.op, caught.value.node) == ("Add", "adder")
    assert evaluator.run(None, {"x": A, "y": A})[0][0] == 2


@pytest.mark.parametrize(
    ("make", "reason"),
    [(lambda x: x.astype(">f4"), "byte_order"), (lambda x: np.repeat(x, 2)[::2], "non_contiguous")],
)
def test_layouts_that_are_copied_are_counted(bench, make, reason):
    evaluator = bench.open("add")
    a = np.arange(3, dtype=np.float32)
    (c,) = evaluator.run(None, {"a": make(a), "b": A})
    np.testing.assert_array_equal(c, a + 1)
    copies = bench.io.stats()["copies"]
    assert copies[reason] == 1
    assert sum(copies.values()) == 1


def test_fortran_order(bench):
    x = np.asfortranarray(np.arange(12, dtype=np.float32).reshape(4, 3))
    (y,) = bench.open("fixed").run(None, {"x": x})
    np.testing.assert_array_equal(y, x)
    assert bench.io.stats()["copies"]["non_contiguous"] == 1


def test_unaligned_arrays_are_read_in_place(bench):
    x = np.frombuffer(b"\0" + np.arange(3, dtype=np.float32).tobytes(), np.uint8)[1:].view(np.float32)
    assert not x.flags.aligned
    (c,) = bench.open("add").run(None, {"a": x, "b": A})
    np.testing.assert_array_equal(c, [1, 2, 3])
    assert sum(bench.io.stats()["copies"].values()) == 0


def test_python_numbers_and_lists_take_the_declared_type(bench):
    (c,) = bench.open("add").run(None, {"a": [1, 2, 3], "b": (4, 5, 6)})
    np.testing.assert_array_equal(c, [5, 7, 9])
    assert c.dtype == np.float32
    (y,) = bench.open("double").run(None, {"x": 2.5})
    assert y.shape == ()
    assert y == 5


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int32, np.int64])
@pytest.mark.parametrize(
    ("given", "fits"),
    [
        (1.5, False), ([1, 0.5], False), (((0.0,), (np.float32(0.1),)), False), ([np.nan], False), ([np.inf], False),
        (1.0, True), ([1, 0.0], True), ([], True), ((True, 0), True),
    ],
)  # fmt: skip
def test_whole_numbers_are_not_made_of_fractions(given, fits, dtype):
    kind = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    infos = [onnx.helper.make_tensor_value_info(name, kind, None) for name in "xy"]
    graph = onnx.helper.make_graph([onnx.helper.make_node("Identity", ["x"], ["y"])], "g", infos[:1], infos[1:])
    evaluator = ReferenceEvaluator(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)]))
    if fits:
        (y,) = evaluator.run(None, {"x": given})
        np.testing.assert_array_equal(y, np.array(given, dtype), strict=True)
    else:
        with pytest.raises(goruntime.WrongTypeError, match=r"numbers with fractions are given, dtype.* expected: round them"):
            evaluator.run(None, {"x": given})


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("INT64", 1 << 63), ("INT64", [1, -(1 << 63) - 1]), ("INT8", 200), ("INT8", [[10**400]]), ("UINT64", -1), ("UINT64", (1 << 64,)),
        ("FLOAT", 10**400), ("FLOAT", [1, [2]]), ("DOUBLE", ["a"]), ("INT4", [1 << 70]),
    ],
)  # fmt: skip
def test_what_is_no_array_of_the_type_is_refused(kind, given):
    infos = [onnx.helper.make_tensor_value_info(name, getattr(onnx.TensorProto, kind), None) for name in "xy"]
    graph = onnx.helper.make_graph([onnx.helper.make_node("Identity", ["x"], ["y"])], "g", infos[:1], infos[1:])
    evaluator = ReferenceEvaluator(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)], ir_version=10))
    with pytest.raises(goruntime.ArgumentError, match=r"input 'x': what is given is no array of dtype\(.*\): "):
        evaluator.run(None, {"x": given})


@pytest.mark.parametrize(("seconds", "error"), [(10**400, goruntime.ArgumentError), (np.nan, goruntime.ArgumentError), ("1", goruntime.WrongTypeError)])
def test_a_time_limit_is_a_number(bench, seconds, error):
    with pytest.raises(error, match=r"timeout is .*: a number of seconds expected"):
        bench.open("add").run(None, {"a": A, "b": A}, timeout=seconds)


@pytest.mark.parametrize("seconds", [0, 0.0, -1, -np.inf, 1e-300])
def test_a_time_limit_that_has_passed_ends_a_run_at_once(bench, seconds):
    evaluator = bench.open("add")
    with pytest.raises(goruntime.RunTimeoutError):
        evaluator.run(None, {"a": A, "b": A}, timeout=seconds)
    assert usable(evaluator)


@pytest.mark.parametrize("seconds", [1e9, 1e300, np.inf])
def test_a_time_limit_of_ages(bench, seconds):
    assert bench.open("add").run(None, {"a": A, "b": A}, timeout=seconds)[0].tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"timeout": np.nan}, goruntime.ArgumentError, "timeout is nan: a number of seconds expected"),
        ({"timeout": "1"}, TypeError, "a number of seconds expected"),
        ({"num_threads": 2**40}, goruntime.ArgumentError, "num_threads is 1099511627776: .* below 2[*][*]31 expected"),
        ({"cancel": 5}, goruntime.WrongTypeError, "a CancelToken expected, int given"),
        ({"outputs": 5}, goruntime.WrongTypeError, "outputs: a dict of arrays by name expected, int given"),
        ({"outputs": [A]}, goruntime.WrongTypeError, "outputs: a dict of arrays by name expected, list given"),
        ({"context": 5}, goruntime.WrongTypeError, "context: a RuntimeContext expected, int given"),
    ],
)
def test_options_that_are_not_what_they_should_be(bench, options, error, text):
    evaluator = bench.open("add")
    with pytest.raises(error, match=text):
        evaluator.run(None, {"a": A, "b": A}, **options)
    assert usable(evaluator)


def test_nan_and_empty_tensors(bench):
    evaluator = bench.open("chain")
    (y,) = evaluator.run(None, {"x": np.array([np.nan, 1], np.float32)})
    assert np.isnan(y[0])
    assert y[1] == 2
    (y,) = evaluator.run(None, {"x": np.empty(0, np.float32)})
    assert y.shape == (0,)


def test_strings(bench):
    evaluator = bench.open("strings")
    for s in (np.array(["é", "b"], object), np.array(["é", "b"]), ["é", "b"]):
        (y,) = evaluator.run(None, {"s": s, "t": np.array(["日本"], object)})
        assert y.tolist() == ["é", "b", "日本"]
        assert y.dtype == object
    with pytest.raises(goruntime.WrongTypeError, match="input 's': element 1 is of type int, str expected"):
        evaluator.run(None, {"s": np.array(["a", 1], object), "t": np.array(["b"], object)})


def test_the_limit_names_node_and_sizes(path):
    io = goruntime.IOArena(limit=1 << 20)
    evaluator = ReferenceEvaluator(path("double"), io_allocator=io)
    (kept,) = evaluator.run(None, {"x": np.ones(1000, np.float32)})
    with pytest.raises(goruntime.LimitError, match=r"bytes asked for .* live and .* retained: the limit is 1048576") as caught:
        evaluator.run(None, {"x": np.ones(1 << 20, np.float32)})
    assert isinstance(caught.value, MemoryError)
    assert (evaluator.run(None, {"x": np.ones(1000, np.float32)})[0] == 2).all()
    assert (kept == 2).all()


def test_use_after_close(bench):
    evaluator = bench.open("add")
    evaluator.close()
    evaluator.close()
    with pytest.raises(goruntime.ClosedError):
        evaluator.run(None, {"a": A, "b": A})
    arena = goruntime.IOArena()
    arena.close()
    with pytest.raises(goruntime.ClosedError):
        arena.stats()


@pytest.mark.parametrize(("proto", "error"), [(b"", goruntime.ModelError), (b"\x08garbage", goruntime.ModelError), (b"\x3a\x05abc", goruntime.ModelError),
                                              (3, TypeError), ("no such file", goruntime.FileError)])  # fmt: skip
def test_what_is_no_model(proto, error):
    with pytest.raises(error):
        ReferenceEvaluator(proto)


def test_unsupported_operators_are_all_listed():
    from onnx import TensorProto, helper

    info = helper.make_tensor_value_info
    nodes = [helper.make_node("NoSuchOp", ["x"], ["a"]), helper.make_node("Other", ["a"], ["y"], domain="my.domain")]
    graph = helper.make_graph(nodes, "g", [info("x", TensorProto.FLOAT, [1])], [info("y", TensorProto.FLOAT, [1])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("my.domain", 2)], ir_version=8)
    with pytest.raises(goruntime.UnsupportedError, match=r"2 operators .*NoSuchOp \(opset 17\), my.domain.Other \(opset 2\)"):
        ReferenceEvaluator(model)


def test_bound_outputs(bench):
    evaluator = bench.open("add")
    y = np.zeros(3, np.float32)
    (c,) = evaluator.run(None, {"a": A, "b": A}, outputs={"c": y})
    assert c is y
    assert (y == 2).all()
    assert bench.io.stats()["misses"] == 0
    for wrong, error in ((np.zeros(4, np.float32), goruntime.ShapeError), (np.zeros(3, np.int64), goruntime.ShapeError),
                         (np.zeros((3, 2), np.float32)[:, 0], goruntime.ArgumentError)):  # fmt: skip
        with pytest.raises(error):
            evaluator.run(None, {"a": A, "b": A}, outputs={"c": wrong})
    with pytest.raises(goruntime.NameNotFoundError):
        evaluator.run(None, {"a": A, "b": A}, outputs={"d": y})
    assert usable(evaluator)


PAIR = """<ir_version: 10, opset_import: ["" : 21]> g (float[N] x) => (float[N] s, float[N] p) { s = Add(x, x) p = Mul(s, x) }"""


def test_outputs_bound_to_one_memory():
    evaluator = ReferenceEvaluator(onnx.parser.parse_model(PAIR))
    y, wide = np.zeros(3, np.float32), np.zeros(5, np.float32)
    for s, p in ((y, y), (y[:], y[:]), (wide[:3], wide[2:])):
        with pytest.raises(goruntime.ArgumentError, match='the memory given for output "p" overlaps that for output "s": each takes memory of its own'):
            evaluator.run(None, {"x": A}, outputs={"s": s, "p": p})
    assert not y.any()
    assert not wide.any()
    empty = np.zeros(0, np.float32)
    assert all(v is empty for v in evaluator.run(None, {"x": empty}, outputs={"s": empty, "p": empty}))


def test_outputs_bound_to_an_input():
    evaluator = ReferenceEvaluator(onnx.parser.parse_model(PAIR))
    for lo in range(5):  # x lies at 2; s below, in it, and behind
        memory = np.arange(8, dtype=np.float32)
        x = memory[2:5]
        want = x + x, (x + x) * x
        s, p = evaluator.run(None, {"x": x}, outputs={"s": memory[lo : lo + 3]})
        np.testing.assert_array_equal(s, want[0])
        np.testing.assert_array_equal(p, want[1])
    assert evaluator.stats()["io"]["copies"]["overlap"] == 5


def test_a_limit_names_the_node_and_the_bytes(path):
    x, small = np.ones(1 << 20, np.float32), np.ones(4, np.float32)
    for name, model, arena in (("allocator", "narrow", goruntime.ExecutionArena(limit=1 << 20)), ("io_allocator", "chain", goruntime.IOArena(limit=1 << 20))):
        evaluator = ReferenceEvaluator(path(model), **{name: arena})
        with pytest.raises(goruntime.LimitError, match=r"\d+ bytes asked for .* 0 live and 0 retained: the limit is 1048576 bytes") as raised:
            evaluator.run(None, {"x": x})
        assert (raised.value.op, raised.value.node) == ("Add", "#1" if name == "allocator" else "#2")
        np.testing.assert_array_equal(evaluator.run(None, {"x": small})[0], small * 2 if model == "chain" else 8)
