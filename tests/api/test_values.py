"""Sequences, optionals, maps and types below a byte: in and out, and who owns them."""

from __future__ import annotations

import gc
import pickle

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from goruntime import ExecutionArena, IOArena, ReferenceEvaluator, RuntimeContext, ShapeError, UnsupportedError, WrongTypeError

F = TensorProto.FLOAT
TENSOR = helper.make_tensor_type_proto(F, None)
SEQUENCE = helper.make_sequence_type_proto(TENSOR)
OPTIONAL = helper.make_optional_type_proto(TENSOR)


def value(name, kind):
    return helper.make_value_info(name, kind)


def model(nodes, inputs, outputs, initializers=(), opset=18, **domains):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers))
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


@pytest.fixture
def opened():
    """Opens models on two arenas that must be empty at the end."""
    execution, io = ExecutionArena(), IOArena()
    yield lambda m, **options: ReferenceEvaluator(m, allocator=execution, io_allocator=io, **options)
    gc.collect()
    assert io.leased_count == 0
    assert io.total_allocated_size == 0
    assert execution.total_allocated_size == 0


def f32(*items):
    return np.array(items, np.float32)


INSERT = model(
    [helper.make_node("SequenceInsert", ["s", "x"], ["t"]), helper.make_node("SequenceAt", ["t", "at"], ["y"])],
    [value("s", SEQUENCE), value("x", TENSOR)], [value("t", SEQUENCE), value("y", TENSOR)],
    [helper.make_tensor("at", TensorProto.INT64, [], [-1])],
)  # fmt: skip


def test_sequences_in_and_out(opened):
    evaluator = opened(INSERT)
    assert evaluator.input_types[0][0] == "seq(tensor(float))"
    first = f32(1, 2)
    for _ in range(3):
        t, y = evaluator.run(None, {"s": [first, f32(3)], "x": f32(4, 5, 6)})
        assert [list(a) for a in t] == [[1, 2], [3], [4, 5, 6]]
        np.testing.assert_array_equal(y, [4, 5, 6])
        t[0][:] = 9  # the caller's own memory
        t[2][:] = 9
        np.testing.assert_array_equal(first, [1, 2])
        np.testing.assert_array_equal(y, [4, 5, 6])
    t, _ = evaluator.run(None, {"s": [], "x": f32(4)})
    assert len(t) == 1


def test_elements_outlive_everything(opened):
    evaluator, context = opened(INSERT), RuntimeContext()
    (t,) = evaluator.run(["t"], {"s": [f32(1, 2)], "x": f32(3)}, context=context)
    io = evaluator.io_allocator
    assert all(io.owns(a) for a in t)
    context.clear()
    evaluator.run(None, {"s": [f32(7, 8)], "x": f32(9)})
    evaluator.close()
    last = t.pop()
    del t, evaluator
    gc.collect()
    np.testing.assert_array_equal(last, [3])


def test_a_shared_element_leaves_once_for_each_output(opened):
    m = model(
        [helper.make_node("SequenceConstruct", ["x"], ["s"]), helper.make_node("SequenceInsert", ["s", "x"], ["t"])],
        [value("x", TENSOR)], [value("s", SEQUENCE), value("t", SEQUENCE)],
    )  # fmt: skip
    s, t = opened(m).run(None, {"x": f32(1)})
    s[0][0] = 5
    assert [a[0] for a in t] == [1, 1]


def test_optionals_are_none_or_the_value(opened):
    m = model(
        [helper.make_node("OptionalHasElement", ["o"], ["has"]), helper.make_node("Identity", ["o"], ["same"])],
        [value("o", OPTIONAL)], [helper.make_tensor_value_info("has", TensorProto.BOOL, []), value("same", OPTIONAL)],
    )  # fmt: skip
    evaluator = opened(m)
    has, same = evaluator.run(None, {"o": None})
    assert not has
    assert same is None
    x = f32(1, 2)
    has, same = evaluator.run(None, {"o": x})
    assert has
    same[0] = 7
    np.testing.assert_array_equal(x, [1, 2])


def test_zip_map_gives_dicts(opened):
    for labels in ({"classlabels_strings": ["a", "ß", ""]}, {"classlabels_int64s": [-1, 0, 7]}):
        node = helper.make_node("ZipMap", ["x"], ["z"], domain="ai.onnx.ml", **labels)
        keys = next(iter(labels.values()))
        kind = helper.make_map_type_proto(TensorProto.STRING if isinstance(keys[0], str) else TensorProto.INT64, TENSOR)
        m = model([node], [helper.make_tensor_value_info("x", F, None)], [value("z", helper.make_sequence_type_proto(kind))])
        evaluator = opened(m)
        (z,) = evaluator.run(None, {"x": np.arange(6, dtype=np.float32).reshape(2, 3)})
        assert z == [dict(zip(keys, row, strict=True)) for row in ([0, 1, 2], [3, 4, 5])]
        with pytest.raises(ShapeError, match="2 columns for 3 labels"):
            evaluator.run(None, {"x": np.zeros((2, 2), np.float32)})


def test_maps_as_inputs(opened):
    kind = helper.make_map_type_proto(TensorProto.STRING, helper.make_tensor_type_proto(TensorProto.INT64, []))
    node = helper.make_node("DictVectorizer", ["m"], ["y"], domain="ai.onnx.ml", string_vocabulary=["a", "c", "b"])
    evaluator = opened(model([node], [value("m", kind)], [helper.make_tensor_value_info("y", TensorProto.INT64, None)]))
    (y,) = evaluator.run(None, {"m": {"b": 3, "a": -1}})
    np.testing.assert_array_equal(y, [[-1, 0, 3]])
    kind = helper.make_map_type_proto(TensorProto.INT64, TENSOR)
    node = helper.make_node("CastMap", ["m"], ["y"], domain="ai.onnx.ml", cast_to="TO_STRING", map_form="SPARSE", max_map=4)
    evaluator = opened(model([node], [value("m", kind)], [helper.make_tensor_value_info("y", TensorProto.STRING, None)]))
    (y,) = evaluator.run(None, {"m": {3: 1.5, 1: 2}})
    assert y.tolist() == [["", "2.000000", "", "1.500000"]]


@pytest.mark.parametrize(
    ("feeds", "message"),
    [
        ({"s": f32(1), "x": f32(1)}, "a list expected for a sequence, numpy.ndarray given"),
        ({"s": [np.zeros(2)], "x": f32(1)}, r"seq\(f64\[2\]\) given, seq\(tensor\(float\)\) expected"),
        ({"s": ["text"], "x": f32(1)}, "given, which is no element type|could not convert"),
    ],
)
def test_wrong_values_are_refused(opened, feeds, message):
    evaluator = opened(INSERT)
    with pytest.raises((WrongTypeError, ValueError), match=message):
        evaluator.run(None, feeds)
    t, _ = evaluator.run(None, {"s": [f32(1)], "x": f32(2)})
    assert len(t) == 2


def test_a_tensor_operator_refuses_a_sequence(opened):
    m = model([helper.make_node("Relu", ["s"], ["y"])], [value("s", SEQUENCE)], [value("y", TENSOR)])
    with pytest.raises(WrongTypeError, match="input 0 is a seq, a tensor expected"):
        opened(m).run(None, {"s": [f32(1)]})


@pytest.mark.parametrize("name", ["uint4", "int4", "float4_e2m1fn", "uint2", "int2"])
def test_types_below_a_byte(opened, name):
    dtype = np.dtype(getattr(ml_dtypes, name))
    number = {"uint4": 21, "int4": 22, "float4_e2m1fn": 23, "uint2": 25, "int2": 26}[name]
    low, high = (0, 1) if name == "float4_e2m1fn" else (int(ml_dtypes.iinfo(dtype).min), int(ml_dtypes.iinfo(dtype).max))
    node = helper.make_node("Reshape", ["x", "to"], ["y"])
    m = model([node], [helper.make_tensor_value_info("x", number, None)], [helper.make_tensor_value_info("y", number, None)],
              [helper.make_tensor("to", TensorProto.INT64, [1], [-1])], opset=25)  # fmt: skip
    evaluator = opened(m)
    for shape in ((5,), (3, 3), (0,), ()):
        x = np.resize(np.array([low, high, 0, high, low], dtype), shape)
        (y,) = evaluator.run(None, {"x": x})
        assert y.dtype == dtype
        np.testing.assert_array_equal(y.astype(np.float32), x.reshape(-1).astype(np.float32))


@pytest.mark.parametrize(("name", "number"), [("float6_e2m3fn", 27), ("float6_e3m2fn", 28)])
def test_floats_of_six_bits(opened, name, number):
    """Casts there and back beside ml_dtypes, scaled numbers, and a tensor in the model."""
    dtype = np.dtype(getattr(ml_dtypes, name))
    codes = np.arange(64, dtype=np.uint8).view(dtype)
    node = [helper.make_node("Cast", ["x"], ["y"], to=number), helper.make_node("Cast", ["y"], ["z"], to=1), helper.make_node("Cast", ["w"], ["v"], to=1)]
    held = TensorProto(name="w", data_type=number, dims=[64], int32_data=list(range(64)))
    m = model(node, [helper.make_tensor_value_info("x", F, None)], [helper.make_tensor_value_info("y", number, None),
              helper.make_tensor_value_info("z", F, None), helper.make_tensor_value_info("v", F, None)], [held], opset=28)  # fmt: skip
    values = codes.astype(np.float32)
    x = np.concatenate([values, (values[1:] + values[:-1]) / 2, np.random.default_rng(0).normal(0, 4, 200), [1e9, -1e9]]).astype(np.float32)
    y, z, v = opened(m).run(None, {"x": x})
    assert y.dtype == dtype
    largest = values.max()
    expected = np.clip(x, -largest, largest).astype(dtype)
    np.testing.assert_array_equal(y.view(np.uint8), expected.view(np.uint8))
    np.testing.assert_array_equal(z, expected.astype(np.float32))
    np.testing.assert_array_equal(v, values)
    node = [helper.make_node("DequantizeLinear", ["q", "s"], ["d"]), helper.make_node("QuantizeLinear", ["d", "s"], ["r"], output_dtype=number)]
    m = model(node, [helper.make_tensor_value_info("q", number, None)],
              [helper.make_tensor_value_info("d", F, None), helper.make_tensor_value_info("r", number, None)],
              [helper.make_tensor("s", F, [], [0.25])], opset=28)  # fmt: skip
    for n in (64, 63, 62, 61, 0):
        d, r = opened(m).run(None, {"q": codes[:n]})
        np.testing.assert_array_equal(d, values[:n] / 4)
        np.testing.assert_array_equal(r.view(np.uint8), codes[:n].view(np.uint8))


NARROW = {"uint4": 21, "int4": 22, "float4_e2m1fn": 23, "uint2": 25, "int2": 26, "float6_e2m3fn": 27, "float6_e3m2fn": 28}
SIX = np.arange(6).reshape(2, 3) % 2  # odd rows, of numbers that each type has
MOVES = {
    "Concat": (helper.make_node("Concat", ["x", "x"], ["y"], axis=1), np.concatenate([SIX, SIX], 1)),
    "Split": (helper.make_node("Split", ["x"], ["y", "z"], axis=0, num_outputs=2), SIX[:1]),
    "Transpose": (helper.make_node("Transpose", ["x"], ["y"]), SIX.T),
    "Reshape": (helper.make_node("Reshape", ["x", "shape"], ["y"]), SIX.reshape(3, 2)),
    "Slice": (helper.make_node("Slice", ["x", "one", "two", "one"], ["y"]), SIX[:, 1:2]),
    "Gather": (helper.make_node("Gather", ["x", "one"], ["y"]), SIX[[1]]),
    "Expand": (helper.make_node("Expand", ["x", "one"], ["y"]), SIX),
    "Where": (helper.make_node("Where", ["yes", "x", "x"], ["y"]), SIX),
    "Identity": (helper.make_node("Identity", ["x"], ["y"]), SIX),
}


@pytest.mark.parametrize("name", NARROW)
@pytest.mark.parametrize("operator", MOVES)
def test_narrow_types_are_moved_or_refused(operator, name):
    node, expected = MOVES[operator]
    constants = {"shape": [3, 2], "one": [1], "two": [2], "yes": True}
    inits = [numpy_helper.from_array(np.array(constants[i]), i) for i in node.input if i != "x"]
    info = helper.make_tensor_value_info
    graph = helper.make_graph([node], "g", [info("x", NARROW[name], [2, 3])], [info("y", NARROW[name], None)], list({i.name: i for i in inits}.values()))
    m = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)])
    x = SIX.astype(np.float32).astype(getattr(ml_dtypes, name))
    if operator in ("Transpose", "Reshape", "Identity") and ("float6" not in name or operator != "Transpose"):
        np.testing.assert_array_equal(ReferenceEvaluator(m).run(None, {"x": x})[0].astype(np.float32), expected)
        return
    with pytest.raises(UnsupportedError, match=operator):  # the standard has it in no version
        ReferenceEvaluator(m).run(None, {"x": x})


def loop(body_nodes, carried, scans, inputs, opset=18, condition="", trips="n"):
    """A model with one Loop: carried and scans are names of the body's values."""
    body = helper.make_graph(
        [*body_nodes, helper.make_node("Identity", ["more"], ["still"])], "body",
        [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("more", TensorProto.BOOL, []),
         *(value(a, TENSOR) for a, _ in carried)],
        [helper.make_tensor_value_info("still", TensorProto.BOOL, []), *(value(b, TENSOR) for _, b in carried), *(value(s, TENSOR) for s in scans)],
    )  # fmt: skip
    outputs = [f"out{k}" for k in range(len(carried) + len(scans))]
    node = helper.make_node("Loop", [trips, condition, *inputs], outputs, body=body)
    return model([node], [helper.make_tensor_value_info("n", TensorProto.INT64, []), *(value(x, TENSOR) for x in inputs)],
                 [value(o, TENSOR) for o in outputs], opset=opset)  # fmt: skip


def test_a_loop_carries_and_collects(opened):
    # fibonacci: (a, b) -> (b, a + b), collecting a; the carried values change places
    m = loop([helper.make_node("Add", ["a", "b"], ["c"]), helper.make_node("Identity", ["b"], ["d"])], [("a", "d"), ("b", "c")], ["a"], ["x", "y"])
    evaluator = opened(m)
    for _ in range(2):
        a, b, all_a = evaluator.run(None, {"n": np.int64(7), "x": f32(0), "y": f32(1)})
        assert (a[0], b[0]) == (13, 21)
        assert all_a.ravel().tolist() == [0, 1, 1, 2, 3, 5, 8]
        assert all_a.shape == (7, 1)


def test_a_loop_without_iterations_copies(opened):
    m = loop([helper.make_node("Add", ["a", "a"], ["b"])], [("a", "b")], [], ["x"])
    x = f32(3)
    (y,) = opened(m).run(None, {"n": np.int64(0), "x": x})
    y[0] = 9
    assert x[0] == 3


def test_one_value_carried_twice(opened):
    m = loop([helper.make_node("Add", ["a", "b"], ["unused"])], [("a", "a"), ("b", "a")], [], ["x", "y"])
    x, y = f32(1), f32(2)
    p, q = opened(m).run(None, {"n": np.int64(3), "x": x, "y": y})
    p[0] = 5
    assert (q[0], x[0]) == (1, 1)


def test_a_growing_value(opened):
    grow = loop([helper.make_node("Concat", ["a", "one"], ["b"], axis=0), helper.make_node("Constant", [], ["one"], value_floats=[1.0])],
                [("a", "b")], [], ["x"])  # fmt: skip
    evaluator = opened(grow)
    (y,) = evaluator.run(None, {"n": np.int64(300), "x": f32(0)})
    assert y.tolist() == [0] + [1] * 300
    evaluator.allocator.trim()
    before = evaluator.allocator.stats()["system_allocations"]
    evaluator.run(None, {"n": np.int64(300), "x": f32(0)})
    assert evaluator.allocator.stats()["system_allocations"] - before < 40, "each iteration allocates afresh"


def test_an_endless_loop_can_be_ended(opened):
    m = loop([helper.make_node("Add", ["a", "a"], ["b"])], [("a", "b")], [], ["x"], trips="")
    from goruntime import RunTimeoutError

    evaluator = opened(m)
    with pytest.raises(RunTimeoutError):
        evaluator.run(None, {"n": np.int64(0), "x": f32(1)}, timeout=0.05)


def test_scan_directions_and_axes(opened):
    body = helper.make_graph(
        [helper.make_node("Add", ["s", "x"], ["t"]), helper.make_node("Identity", ["t"], ["o"])], "b",
        [value("s", TENSOR), value("x", TENSOR)], [value("t", TENSOR), value("o", TENSOR)])  # fmt: skip
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for axis, out_axis, reverse in ((0, 0, 0), (1, 0, 1), (2, 2, 0), (-1, -1, 1)):
        node = helper.make_node("Scan", ["z", "x"], ["last", "all"], body=body, num_scan_inputs=1, scan_input_axes=[axis],
                                scan_output_axes=[out_axis], scan_input_directions=[reverse], scan_output_directions=[reverse])  # fmt: skip
        m = model([node], [value("z", TENSOR), value("x", TENSOR)], [value("last", TENSOR), value("all", TENSOR)])
        slices = list(np.moveaxis(x, axis, 0))
        if reverse:
            slices.reverse()
        sums = np.cumsum(slices, axis=0)
        joined = sums[::-1] if reverse else sums
        last, everything = opened(m).run(None, {"z": np.zeros_like(slices[0]), "x": x})
        np.testing.assert_array_equal(last, sums[-1])
        np.testing.assert_array_equal(everything, np.moveaxis(joined, 0, out_axis))


def test_a_scan_output_that_is_a_constant_has_its_shape_without_iterations(opened):
    body = helper.make_graph(
        [helper.make_node("Identity", ["more"], ["still"])], "body",
        [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("more", TensorProto.BOOL, [])],
        [helper.make_tensor_value_info("still", TensorProto.BOOL, []), value("c", TENSOR)], [helper.make_tensor("c", F, [2], [1, 2])],
    )  # fmt: skip
    m = model([helper.make_node("Loop", ["n", ""], ["all"], body=body)], [helper.make_tensor_value_info("n", TensorProto.INT64, [])], [value("all", TENSOR)])
    evaluator = opened(m)
    for n in (0, 1, 3):
        (found,) = evaluator.run(None, {"n": np.int64(n)})
        assert found.tolist() == [[1, 2]] * n
        assert found.shape == (n, 2)


def test_strings_as_numpy_strings(path):
    """StringDType goes in where strings are taken and, where it is asked for, comes out."""
    kind = np.dtypes.StringDType()
    s, t = np.array(["a", "bcd", "", "e"]), np.array(["\u00e9\U0001f600", "x" * 40])
    plain = ReferenceEvaluator(path("strings"))
    (expected,) = plain.run(None, {"s": s.astype(object), "t": t.astype(object)})
    assert expected.dtype == object
    assert expected.tolist() == s.tolist() + t.tolist()
    twice, swapped = np.repeat(s, 2), s.astype(s.dtype.newbyteorder())
    for given in (s.astype(kind), twice.astype(kind)[::2], s, twice[::2], twice.astype(object)[::2], swapped):
        np.testing.assert_array_equal(plain.run(None, {"s": given, "t": t.astype(kind)})[0], expected)
    evaluator = pickle.loads(pickle.dumps(ReferenceEvaluator(path("strings"), string_dtype=kind)))
    (y,) = evaluator.run(None, {"s": s.astype(kind), "t": t})
    assert y.dtype == kind
    assert y.tolist() == expected.tolist()
    with pytest.raises(WrongTypeError, match="StringDType"):
        ReferenceEvaluator(path("strings"), string_dtype=np.dtype("U5"))
