"""Arrow data in and out, in process: what is copied, and who keeps what alive."""

from __future__ import annotations

import ctypes
import gc
import signal
import threading

import duckdb
import nanoarrow
import numpy as np
import polars
import pyarrow as pa
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference.op_run import OpRun
from served import MODELS

from goruntime import ArgumentError, NameNotFoundError, ShapeError, UnsupportedError, WrongTypeError, arrow

F, S = TensorProto.FLOAT, TensorProto.STRING


def model(nodes, inputs, outputs):
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(*i) for i in inputs], [helper.make_tensor_value_info(*o) for o in outputs])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


DOUBLE = model([helper.make_node("Add", ["x", "x"], ["y"])], [("x", F, None)], [("y", F, None)])
SUM = model([helper.make_node("Add", ["a", "b"], ["c"])], [("a", F, ["N"]), ("b", F, ["N"])], [("c", F, None)])
ROWS = model([helper.make_node("ReduceSum", ["x", "axis"], ["y"], keepdims=0), helper.make_node("Constant", [], ["axis"], value_ints=[1])],
             [("x", F, ["N", "K"])], [("y", F, None)])  # fmt: skip


def same(kind):
    return model([helper.make_node("Identity", ["x"], ["y"])], [("x", kind, None)], [("y", kind, None)])


X = np.arange(12, dtype=np.float32)


def fixed(values, k):
    return pa.FixedSizeListArray.from_arrays(values, k)


LENT = {
    "numbers": pa.array(X),
    "a slice": pa.array(np.concatenate([X, X])).slice(3, 7),
    "nullable without nulls": pa.array(X.tolist(), pa.float32()),
    "fixed-size lists": fixed(pa.array(X), 3),
    "a slice of fixed-size lists": fixed(pa.array(X), 3).slice(1, 2),
    "nested lists": fixed(fixed(pa.array(X), 2), 3),
    "lists of one length": pa.array([[1, 2], [3, 4]], pa.list_(pa.float32())),
    "a slice of them": pa.array([[9, 9], [1, 2], [3, 4]], pa.list_(pa.float32())).slice(1),
    "large lists of one length": pa.array([[1, 2], [3, 4]], pa.large_list(pa.float32())),
    "a tensor column": pa.FixedShapeTensorArray.from_numpy_ndarray(X.reshape(2, 3, 2)),
    "no rows": pa.array([], pa.float32()),
}


@pytest.mark.parametrize("name", LENT)
def test_columns_are_lent(arenas, name):
    column = LENT[name]
    evaluator = arenas.open(DOUBLE)
    (expected,) = evaluator.run(None, {"x": np.array(column.to_numpy_ndarray() if name == "a tensor column" else column.to_pylist(), np.float32)})
    scored = arrow.score(evaluator, pa.record_batch({"x": column}))
    np.testing.assert_array_equal(scored["y"], expected)
    assert arenas.copies() == {}


@pytest.mark.parametrize("kind", [pa.list_(pa.float32()), pa.large_list(pa.float32()), pa.list_(pa.float32(), 3), pa.float32()])
def test_no_rows_have_the_declared_width(arenas, kind):
    """Lists that are not there do not tell how long they are."""
    evaluator = arenas.open(model([helper.make_node("Relu", ["x"], ["y"])], [("x", F, ["N", 3])], [("y", F, ["N", 3])]))
    columns = {"x": pa.array([], kind)} if kind != pa.float32() else {c: pa.array([], kind) for c in "abc"}
    assert arrow.score(evaluator, pa.record_batch(columns))["y"].shape == (0, 3)


@pytest.mark.parametrize("width", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"])
def test_every_type_of_number(arenas, width):
    x = np.array([0, 1, 100], width)
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    scored = arrow.score(arenas.open(same(kind)), pa.record_batch({"x": pa.array(x)}))
    assert scored["y"].dtype == x.dtype
    table = pa.table(scored)
    assert table.column("y").type == pa.from_numpy_dtype(x.dtype)
    np.testing.assert_array_equal(table.column("y").to_numpy(), x)
    assert arenas.copies() == {"alias": 1}  # the output is the input


def test_columns_become_a_matrix_with_one_copy(arenas):
    x = np.arange(1000 * 7, dtype=np.float32).reshape(1000, 7)
    scored = arrow.score(arenas.open(ROWS), pa.table({f"f{i}": x[:, i] for i in range(7)}).to_batches()[0])
    np.testing.assert_array_equal(scored["y"], x.sum(axis=1))
    assert arenas.copies() == {"interleave": 1}


def test_booleans_nulls_and_casts_are_copied_and_counted(arenas):
    bits = [True, False, True] * 5
    scored = arrow.score(arenas.open(same(TensorProto.BOOL)), pa.record_batch({"x": pa.array([False, *bits])}).slice(1))
    assert scored["y"].tolist() == bits
    assert pa.table(scored).column("y").to_pylist() == bits
    assert arenas.copies() == {"bits": 2, "alias": 1}  # in and out
    holes = pa.record_batch({"x": pa.array([1, None, 3], pa.float32())})
    evaluator = arenas.open(DOUBLE)
    with pytest.raises(ArgumentError, match="the column 'x' is null in row 1: give a fill value"):
        arrow.score(evaluator, holes)
    assert arrow.score(evaluator, holes, fills={"x": -1})["y"].tolist() == [2, -2, 6]
    assert arenas.copies()["nulls"] == 1
    wide = pa.record_batch({"x": pa.array([1.5, 2], pa.float64())})
    with pytest.raises(WrongTypeError, match="f64 given, f32 expected"):
        arrow.score(evaluator, wide)
    assert arrow.score(evaluator, wide, casts=True)["y"].tolist() == [3, 4]
    assert arenas.copies()["conversion"] == 1


def test_what_is_copied_of_answers_is_counted(arenas):
    flags = arrow.score(arenas.open(same(TensorProto.BOOL)), pa.record_batch({"x": pa.array([True, False, True])}))
    before = arenas.copies()
    assert pa.table(flags).column("y").to_pylist() == [True, False, True]
    assert arenas.copies() == {**before, "bits": before["bits"] + 1}
    words = arrow.score(arenas.open(same(S)), pa.record_batch({"x": pa.array(["a", "bc"])}))
    before = arenas.copies()
    assert pa.table(words).column("y").to_pylist() == ["a", "bc"]
    assert arenas.copies() == {**before, "conversion": before.get("conversion", 0) + 1}
    numbers = arrow.score(arenas.open(DOUBLE), pa.record_batch({"x": pa.array(X)}))
    before = arenas.copies()
    batch = pa.record_batch(numbers)
    assert arenas.copies() == before
    del batch


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ('{"shape": [2, 2]}', r"the column 'x' is a fixed_size_list of 6, its metadata say tensors of shape \[2, 2\]: a fixed_size_list of as many values"),
        ('{"shape": [7]}', "tensors of shape"), ('{"shape": []}', "tensors of shape"), ('{"shape": [-2, -3]}', "tensors of shape"),
        ('{"shape": [0, 3]}', "tensors of shape"), ('{"shape": [9223372036854775807, 3]}', "tensors of shape"),
        ("{}", r"the metadata of a fixed_shape_tensor are '{}', which tell no shape"), ("nonsense", "tell no shape"), ('{"shape": ["a"]}', "tell no shape"),
        ('{"shape": 6}', "tell no shape"), ("[]", "tell no shape"), ('{"shape": [2, 3], "permutation": [1, 0]}', "is not in the order of its memory"),
        ('{"shape": [2, 3], "permutation": [1, "a"]}', "tell no shape"),
    ],
)  # fmt: skip
def test_metadata_that_do_not_fit_their_column(arenas, told, message):
    metadata = {"ARROW:extension:name": "arrow.fixed_shape_tensor", "ARROW:extension:metadata": told}
    tensors = fixed(pa.array(X), 6)
    evaluator = arenas.open(DOUBLE)
    field = pa.field("x", tensors.type, metadata=metadata)
    with pytest.raises(ArgumentError, match=message):
        arrow.score(evaluator, pa.RecordBatch.from_arrays([tensors], schema=pa.schema([field])))
    beside = pa.schema([pa.field("x", tensors.type), field.with_name("z")])  # what feeds nothing may say anything
    assert arrow.score(evaluator, pa.RecordBatch.from_arrays([tensors, tensors], schema=beside))["y"].shape == (2, 6)


HOLES, WIDE, FLAGS = pa.array([1, None, 3], pa.float32()), pa.array([1.5, 2.0]), pa.array([True, False, True])
SQUARE = {c: pa.array(X[i : i + 4]) for i, c in enumerate("pqrs")}
W = numpy_helper.from_array(np.eye(4, dtype=np.float32))
PRODUCT = model([helper.make_node("MatMul", ["x", "w"], ["y"]), helper.make_node("Constant", [], ["w"], value=W)],
                [("x", F, ["N", 4])], [("y", F, ["N", 4])])  # fmt: skip
TABLE = {
    **{name: (DOUBLE, {"x": column}, {}, {}, {}) for name, column in LENT.items()},
    "nulls": (DOUBLE, {"x": HOLES}, {"fills": {"x": 5}}, {"nulls": 1}, {"nulls": 1}),
    "a cast": (DOUBLE, {"x": WIDE}, {"casts": True}, {"conversion": 1}, {"conversion": 1}),
    "nulls and a cast": (DOUBLE, {"x": pa.array([1.5, None])}, {"fills": {"x": 5}, "casts": True},
                         {"nulls": 1, "conversion": 1}, {"nulls": 1, "conversion": 1}),
    "booleans": (model([helper.make_node("Not", ["x"], ["y"])], [("x", TensorProto.BOOL, None)], [("y", TensorProto.BOOL, None)]), {"x": FLAGS}, {},
                 {"bits": 1}, {"bits": 1}),
    "columns for a product": (PRODUCT, SQUARE, {}, {}, {"interleave": 1}),
    "columns for a sum": (ROWS, SQUARE, {}, {"interleave": 1}, {"interleave": 1}),
    "columns that are cast": (PRODUCT, {**SQUARE, "p": SQUARE["p"].cast(pa.int8())}, {"casts": True, "inputs": {"x": list(SQUARE)}},
                              {"conversion": 1}, {"conversion": 1, "interleave": 1}),
}  # fmt: skip


@pytest.mark.parametrize("engine", ["goruntime", "ort"])
@pytest.mark.parametrize("name", TABLE)
def test_what_a_column_costs(arenas, name, engine):
    """What is copied on the way to either engine, by reason, and no more."""
    proto, columns, options, *expected = TABLE[name]
    evaluator = arenas.open(proto, engine=engine)
    batch = pa.record_batch(columns)
    scored = arrow.score(evaluator, batch, **options)
    assert len(scored) == batch.num_rows
    assert arenas.copies() == expected[engine == "ort"]
    taken = pa.record_batch(scored)
    given = {"bits": 1} if name == "booleans" else {}
    assert arenas.copies() == {k: expected[engine == "ort"].get(k, 0) + given.get(k, 0) for k in {*expected[engine == "ort"], *given}}
    if not given:
        leaf = taken.column("y")
        while hasattr(leaf, "values"):
            leaf = leaf.values
        assert len(taken) == 0 or leaf.buffers()[1].address == scored["y"].ctypes.data


def test_the_schema_of_an_answer_copies_nothing(arenas):
    flags = pa.table({"x": pa.array([True, False, True])})
    evaluator = arenas.open(same(TensorProto.BOOL))
    scored = arrow.score(evaluator, flags.to_batches()[0])
    before = arenas.copies()
    assert pa.schema(scored) == pa.schema([pa.field("y", pa.bool_(), nullable=False)])
    assert arenas.copies() == before
    assert pa.table(arrow.score(evaluator, flags)).num_rows == 3  # its schema is asked for before the batch
    assert arenas.copies()["bits"] == before["bits"] + 2  # in and out


class Uncounted:
    """Data whose nulls nobody counted: null_count is -1 throughout, as the C data interface allows."""

    class Array(ctypes.Structure):
        pass

    def __init__(self, array):
        self.array = array

    def __arrow_c_array__(self, requested_schema=None):
        schema, array = self.array.__arrow_c_array__()
        ctypes.pythonapi.PyCapsule_GetPointer.restype = ctypes.c_void_p
        at = ctypes.pythonapi.PyCapsule_GetPointer(ctypes.py_object(array), ctypes.c_char_p(b"arrow_array"))
        self._forget(self.Array.from_address(at))
        return schema, array

    def _forget(self, array):
        array.null_count = -1
        for i in range(array.n_children):
            self._forget(array.children[i].contents)
        if array.dictionary:
            self._forget(array.dictionary.contents)


Uncounted.Array._fields_ = [
    *((name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")),
    ("buffers", ctypes.c_void_p), ("children", ctypes.POINTER(ctypes.POINTER(Uncounted.Array))), ("dictionary", ctypes.POINTER(Uncounted.Array)),
]  # fmt: skip


def test_nulls_that_nobody_counted(arenas):
    double, words = arenas.open(DOUBLE), arenas.open(same(S))
    for name, column in LENT.items():
        if name != "a tensor column":
            batch = pa.record_batch({"x": column})
            np.testing.assert_array_equal(arrow.score(double, Uncounted(batch))["y"], arrow.score(double, batch)["y"])
    assert arenas.copies() == {}
    holes = pa.record_batch({"x": pa.array([1, 2, None, 3], pa.float32())})
    for batch, row in ((holes, 2), (holes.slice(1), 1)):
        with pytest.raises(ArgumentError, match=f"the column 'x' is null in row {row}"):
            arrow.score(double, Uncounted(batch))
        assert arrow.score(double, Uncounted(batch), fills={"x": 5})["y"].tolist()[-2:] == [10, 6]
    assert arrow.score(double, Uncounted(holes.slice(3)))["y"].tolist() == [6]
    lists = pa.record_batch({"x": pa.array([[1], None], pa.list_(pa.float32(), 1))})
    with pytest.raises(ArgumentError, match="the column 'x' is or has a null in row 1"):
        arrow.score(double, Uncounted(lists))
    for column in (pa.array(["a", None]), pa.array(["a", None]).dictionary_encode(), pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None]))):
        batch = pa.record_batch([column], ["x"])
        with pytest.raises(ArgumentError, match="the column 'x' is null in row 1: give a fill value"):
            arrow.score(words, Uncounted(batch))
        assert arrow.score(words, Uncounted(batch), fills={"x": "F"})["y"].tolist() == ["a", "F"]
    rows = pa.StructArray.from_arrays([pa.array([1, 2, 3], pa.float32())], ["x"], mask=pa.array([False, True, False]))
    for given in (rows, Uncounted(rows), Uncounted(rows.slice(1))):
        with pytest.raises(UnsupportedError, match="rows that are null: only columns may have nulls"):
            arrow.score(double, given)
    assert arrow.score(double, Uncounted(rows.slice(2)))["y"].tolist() == [6]


EDGES = {
    "float64": [0, -1, 1.5, 127, 128, -128, -129, 255, 256, 65504, 2.0**31, 2.0**53, 2.0**63, -(2.0**63), 2.0**64, np.nextafter(2.0**64, 0), 1e39,
                -1e300, np.nan, np.inf],
    "float32": [0, -2, 2.5, 128, 3e38, 2.0**63, 2.0**64, np.nan, -np.inf], "float16": [0, -2, 0.5, 65504, np.inf, np.nan],
    "int8": [0, -1, 127, -128], "int16": [0, -1, 255, 256, -129], "int32": [0, -1, 65520, 1 << 24 | 1], "int64": [0, -1, 2**63 - 1, -(2**63), 2**53 + 1],
    "uint8": [0, 128, 255], "uint16": [0, 65535], "uint32": [0, 2**32 - 1], "uint64": [0, 2**64 - 1, 2**63], "bool": [False, True],
}  # fmt: skip


@pytest.mark.parametrize("to", sorted(set(EDGES) - {"bool"}))
@pytest.mark.parametrize("origin", EDGES)
def test_casts_keep_numbers_or_refuse(arenas, origin, to):
    """A cast rounds to floats, as NumPy does, and changes no number else."""
    if origin == to:
        return
    evaluator = arenas.open(same(helper.np_dtype_to_tensor_dtype(np.dtype(to))))
    whole, narrow = to.startswith(("int", "uint")), {"float16": 65520.0, "float32": 2.0**128}.get(to, np.inf)
    for value in EDGES[origin]:
        x = np.array([0, value, 0], origin)
        exact = x[1].item()  # of Python, whose whole numbers have no bounds
        finite = exact == exact and abs(exact) != np.inf
        fits = (finite and exact == int(exact) and np.iinfo(to).min <= exact <= np.iinfo(to).max) if whole else not finite or abs(exact) < narrow
        for column in (pa.array(x), pa.FixedSizeListArray.from_arrays(pa.array(x), 1)):
            batch = pa.record_batch({"x": column})
            if not fits:
                with pytest.raises(ArgumentError, match=f"the column 'x' has .* in row 1, which is no {to}: a cast rounds to floats"):
                    arrow.score(evaluator, batch, casts=True)
                continue
            y = arrow.score(evaluator, batch, casts=True)["y"]
            assert y.dtype == to
            if whole:
                assert y.ravel()[1].item() == exact
            else:
                np.testing.assert_array_equal(y.ravel(), x.astype(to))


def test_casts_to_types_that_c_has_not(arenas):
    column = pa.record_batch({"x": pa.array([1.5, -3, 1e39])})
    few, wide = arenas.open(same(TensorProto.INT4)), arenas.open(same(TensorProto.BFLOAT16))
    assert arrow.score(wide, column.slice(0, 2), casts=True)["y"].tolist() == [1.5, -3]
    with pytest.raises(ArgumentError, match=r"the column 'x' has 1e\+39 in row 2, which is no bfloat16"):
        arrow.score(wide, column, casts=True)
    assert arrow.score(few, column.slice(1, 1), casts=True)["y"].tolist() == [-3]
    for row, text in ((0, "1.5"), (2, r"1e\+39")):
        with pytest.raises(ArgumentError, match=f"the column 'x' has {text} in row 0, which is no int4"):
            arrow.score(few, column.slice(row, 1), casts=True)
    with pytest.raises(WrongTypeError, match="f64 given, bool expected"):
        arrow.score(arenas.open(same(TensorProto.BOOL)), column, casts=True)


def test_ctrl_c_reaches_whoever_reads_a_stream(arenas):
    class Stops(OpRun):
        op_domain = "test"

        def _run(self, x):
            signal.raise_signal(signal.SIGINT)
            return (x,)

    proto = model([helper.make_node("Stops", ["x"], ["y"], domain="test")], [("x", F, None)], [("y", F, None)])
    proto.opset_import.append(helper.make_opsetid("test", 1))
    scored = arrow.score(arenas.open(proto, new_ops=[Stops]), pa.table({"x": X}))
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        try:
            pa.table(scored)
        except pa.ArrowException:  # which is how an Arrow stream ends
            while True:
                pass


WORDS = ["a", "", "täglich", "longer than twelve bytes, surely", None, "a"]


TEXT = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.uint32(), pa.large_string()),
        pa.dictionary(pa.uint64(), pa.string())]  # fmt: skip


@pytest.mark.parametrize("kind", TEXT)
def test_strings_are_views(arenas, kind):
    evaluator = arenas.open(same(S))
    whole = pa.array(WORDS, pa.string())
    column = (whole.dictionary_encode() if pa.types.is_dictionary(kind) else whole).cast(kind)
    for batch in (pa.record_batch({"x": column}), pa.record_batch({"x": column}).slice(2, 4)):
        scored = arrow.score(evaluator, batch, fills={"x": "none"})
        expected = ["none" if w is None else w for w in batch.column("x").to_pylist()]
        assert scored["y"].tolist() == expected
        assert pa.table(scored).column("y").to_pylist() == expected
    assert "non_contiguous" not in arenas.copies()


def test_inputs_bind_by_name_or_as_told(arenas):
    evaluator = arenas.open(SUM)
    batch = pa.record_batch({"other": pa.array(["x", "y"]), "b": pa.array([1, 2], pa.float32()), "a": pa.array([10, 20], pa.float32())})
    assert arrow.score(evaluator, batch)["c"].tolist() == [11, 22]
    assert arrow.score(evaluator, batch, inputs={"a": "b", "b": "b"})["c"].tolist() == [2, 4]
    with pytest.raises(NameNotFoundError, match=r"no columns for the inputs \['a', 'b'\]; the batch has 'z', 'other': say by inputs"):
        arrow.score(evaluator, pa.record_batch({"z": batch.column("a"), "other": batch.column("other")}))
    with pytest.raises(NameNotFoundError, match=r"the batch has no columns \['q'\]"):
        arrow.score(evaluator, batch, inputs={"a": "q"})
    with pytest.raises(NameNotFoundError, match=r"the model has no inputs \['q'\]; it has 'a', 'b'"):
        arrow.score(evaluator, batch, inputs={"q": "a"})
    with pytest.raises(NameNotFoundError, match=r"casts names \['q'\]; the inputs are 'a', 'b'"):
        arrow.score(evaluator, batch, casts=["a", "q"])
    for names in ("aba", "bba", "xba"):
        twice = pa.RecordBatch.from_arrays([batch.column("a")] * 4, names=[*names, "x"])
        with pytest.raises(ArgumentError, match=r"are both named '[abx]': every column needs a name of its own"):
            arrow.score(evaluator, twice)


@pytest.mark.parametrize(
    "make", [lambda t: t, lambda t: t.to_reader(), polars.DataFrame, lambda t: duckdb.sql("select * from t"), lambda t: nanoarrow.ArrayStream(t)],
    ids=["pyarrow table", "pyarrow reader", "polars", "duckdb", "nanoarrow"],
)  # fmt: skip
def test_streams_of_every_producer(arenas, make):
    evaluator = arenas.open(SUM)
    table = pa.table({"a": pa.array(X), "b": pa.array(X)})
    scored = arrow.score(evaluator, make(table))
    assert isinstance(scored, arrow.ScoredStream)
    assert pa.table(scored).column("c").to_pylist() == (2 * X).tolist()


def test_a_stream_without_batches_has_no_rows_and_a_schema(arenas):
    words = pa.dictionary(pa.int8(), pa.string())
    for proto, field in ((DOUBLE, pa.field("x", pa.float32())), (DOUBLE, pa.field("x", pa.list_(pa.float32(), 3))), (same(S), pa.field("x", words))):
        evaluator = arenas.open(proto)
        for data in (pa.schema([field]).empty_table(), pa.RecordBatchReader.from_batches(pa.schema([field]), [])):
            answer = pa.table(arrow.score(evaluator, data))
            one = pa.table(arrow.score(evaluator, pa.RecordBatch.from_arrays([pa.array([], field.type)], schema=pa.schema([field]))))
            assert answer.schema == one.schema
            assert answer.num_rows == 0
        assert [len(batch) for batch in arrow.score(evaluator, pa.schema([field]).empty_table())] == [0]


def chunks(*parts):
    return pa.table({"x": pa.chunked_array([pa.array(part, pa.list_(pa.float32())) for part in parts])})


CONSUMERS = {
    "pyarrow": lambda s: pa.table(s)["y"].to_pylist(), "polars": lambda s: polars.DataFrame(s)["y"].to_list(),
    "duckdb": lambda s: [list(row) for (row,) in duckdb.sql("select * from s").fetchall()],
    "nanoarrow": lambda s: nanoarrow.ArrayStream(s).read_all().to_pylist(),
}  # fmt: skip


@pytest.mark.parametrize("name", CONSUMERS)
def test_a_stream_has_one_schema(arenas, name):
    """Lists of a batch are equally long, those of the next one may be longer: no consumer
    gets them under the wrong schema."""
    take, evaluator = CONSUMERS[name], arenas.open(DOUBLE)
    for parts in ([[[1, 2]], [[1, 2, 3], [4, 5, 6]]], [[[1, 2, 3]], [[1], [2]]], [[[1]], [[1, 2]]], [[], [[1, 2]], [[3]]]):
        with pytest.raises(Exception, match=r"the answers for batch . are .*: rows of one shape expected in a stream"):
            take(arrow.score(evaluator, chunks(*parts)))
        scored = list(arrow.score(evaluator, chunks(*parts)))
        assert [np.reshape(b["y"], (len(b), -1)).tolist() for b in scored if len(b)] == [(2 * np.array(p)).tolist() for p in parts if p]
    for parts in ([[], [[1, 2], [3, 4]]], [[[1, 2], [3, 4]], []], [[], [], [[1, 2]], [], [[3, 4]]]):
        answers = take(arrow.score(evaluator, chunks(*parts)))
        assert [a["y"] if isinstance(a, dict) else a for a in answers] == [[2, 4], [6, 8]]


def test_a_schema_that_was_asked_for_takes_nothing_away(arenas):
    evaluator = arenas.open(DOUBLE)
    scored = arrow.score(evaluator, chunks([], [[1, 2]], [[3, 4]]))
    assert pa.schema(scored).field("y").type == pa.list_(pa.field("item", pa.float32(), nullable=False), 2)
    assert [len(b) for b in scored] == [0, 1, 1]
    with pytest.raises(ArgumentError, match="the stream was read already"):
        pa.schema(scored)


def test_a_fill_is_a_value_of_a_column_that_feeds(arenas):
    evaluator = arenas.open(DOUBLE)
    holes = pa.record_batch({"x": pa.array([1, None, 3], pa.float32())})
    with pytest.raises(NameNotFoundError, match=r"fills names 'X', which is no column that feeds an input; the nearest are 'x'"):
        arrow.score(evaluator, holes, fills={"X": 1})
    whole = pa.record_batch({"x": pa.array([1, 2], pa.int8())})
    for batch, fill, text in (
        (holes, "a", r"the fill 'a' of the column 'x' is no float32"),
        (holes, None, r"the fill None of the column 'x' is no float32"),
        (holes, 1e300, r"the fill 1e\+300 of the column 'x' is no float32"),
        (holes, 10**400, "the fill 10+ of the column 'x' is no float32"),
        (whole, 1 << 70, "the fill 1180591620717411303424 of the column 'x' is no int8"),
        (holes, True, r"the fill True of the column 'x' is no float32"),
        (whole, 1.5, r"the fill 1.5 of the column 'x' is no int8"),
        (whole, 200, r"the fill 200 of the column 'x' is no int8"),
        (whole, float("nan"), r"the fill nan of the column 'x' is no int8"),
    ):
        with pytest.raises(ArgumentError, match=text):
            arrow.score(evaluator, batch, fills={"x": fill}, casts=True)
    words = arenas.open(same(S))
    for kind in (pa.string(), pa.dictionary(pa.int8(), pa.string())):
        with pytest.raises(ArgumentError, match="the fill 0 of the column 'x' is no string"):
            arrow.score(words, pa.record_batch({"x": pa.array(["a"]).cast(kind)}), fills={"x": 0})
    with pytest.raises(ArgumentError, match="the fill 0 of the column 'x' is no bool"):
        arrow.score(arenas.open(same(TensorProto.BOOL)), pa.record_batch({"x": pa.array([True])}), fills={"x": 0})
    assert arrow.score(evaluator, holes, fills={"x": np.float32(2)})["y"].tolist() == [2, 4, 6]
    assert np.isnan(arrow.score(evaluator, holes, fills={"x": float("nan")})["y"][1])
    lists = pa.record_batch({"x": pa.array([[1.0, None]], pa.list_(pa.float32(), 2))})
    with pytest.raises(ArgumentError, match="the fill 'a' of the column 'x' is no float32"):
        arrow.score(evaluator, lists, fills={"x": "a"})


def test_errors_tell_the_columns_of_other_names(arenas):
    one, three = arenas.open(same(F)), arenas.open(model([helper.make_node("Relu", ["x"], ["y"])], [("x", F, ["N", 3])], [("y", F, ["N", 3])]))
    numbers = pa.array([1.0], pa.float32())
    for evaluator, columns, error, text in (
        (one, {"z": pa.array(["a"])}, WrongTypeError, r'"x": str given, f32 expected: convert it before it is fed \(it is fed by \'z\'\)'),
        (three, {"p": numbers, "q": numbers}, ShapeError, r"3 expected \(f32\[N, 3\]\) \(it is fed by 'p', 'q'\)"),
        (three, dict.fromkeys("abcd", numbers), ShapeError, r"\(it is fed by 'a', 'b', 'c', ...\)"),
        (one, {"x": pa.array(["a"])}, WrongTypeError, "convert it before it is fed$"),
    ):
        with pytest.raises(error, match=text):
            arrow.score(evaluator, pa.record_batch(columns))


L2 = pa.list_(pa.float32(), 2)


@pytest.mark.parametrize(
    ("column", "want"),
    [
        (pa.array([[1.0, None], [None, 4.0]], L2), [[1, 7], [7, 4]]),
        (pa.array([[1.0, 2.0], None, [None, 4.0]], L2), [[1, 2], [7, 7], [7, 4]]),
        (pa.array([[0.0, 0.0], [1.0, 2.0], None], L2)[1:], [[1, 2], [7, 7]]),
        (pa.array([[1.0, None]], pa.list_(pa.float32())), [[1, 7]]),
        (pa.array([[1.0, None]], pa.large_list(pa.float32())), [[1, 7]]),
        (pa.array([[[1.0, None], None], None, [[3.0, 4.0], [5.0, 6.0]]], pa.list_(L2, 2)), [[[1, 7], [7, 7]], [[7, 7], [7, 7]], [[3, 4], [5, 6]]]),
        (pa.array([None, None], L2), [[7, 7], [7, 7]]),
        (pa.array([[1, None], None], pa.list_(pa.int8(), 2)), [[1, 7], [7, 7]]),
        (polars.Series([[1.0, None], None], dtype=polars.Array(polars.Float32, 2)), [[1, 7], [7, 7]]),
    ],
)
def test_nulls_of_lists_are_filled(arenas, column, want):
    evaluator = arenas.open(DOUBLE)
    batch = polars.DataFrame({"x": column}) if isinstance(column, polars.Series) else pa.record_batch({"x": column})
    answer = arrow.score(evaluator, batch, fills={"x": 7}, casts=True)
    got = pa.table(answer)["y"].to_pylist()
    assert got == (2 * np.array(want)).tolist()
    assert arenas.copies()["nulls"] == 1
    with pytest.raises(Exception, match=r"the column .x. is or has a null in row [01]: give a fill value for it"):
        pa.table(arrow.score(evaluator, batch, casts=True))


def test_a_fill_of_an_input_is_that_of_its_columns(arenas):
    evaluator = arenas.open(SUM)
    holes = pa.record_batch({"p": pa.array([1, None], pa.float32()), "q": pa.array([None, 2], pa.float32())})
    inputs = {"a": "p", "b": "q"}
    assert arrow.score(evaluator, holes, inputs=inputs, fills={"a": 10, "q": 20})["c"].tolist() == [21, 12]
    assert arrow.score(evaluator, holes, inputs=inputs, fills={"a": 10, "p": 30, "b": 20})["c"].tolist() == [21, 32]


@pytest.mark.parametrize(
    "take",
    [lambda s: pa.table(s).column("c").to_numpy(), lambda s: polars.DataFrame(s)["c"].to_numpy(),
     lambda s: np.array([row[0] for row in nanoarrow.Array(s).iter_tuples()]) if hasattr(nanoarrow.Array, "iter_tuples") else np.array(pa.table(s)["c"])],
    ids=["pyarrow", "polars", "nanoarrow"],
)  # fmt: skip
def test_every_consumer(arenas, take):
    evaluator = arenas.open(SUM)
    scored = arrow.score(evaluator, pa.record_batch({"a": pa.array(X), "b": pa.array(X)}))
    np.testing.assert_array_equal(take(scored), 2 * X)


@pytest.mark.parametrize(
    "take",
    [lambda s: pa.table(s).column("c").to_numpy(), lambda s: polars.DataFrame(s)["c"].to_numpy(), lambda s: duckdb.sql("select c from s").fetchnumpy()["c"],
     lambda s: np.array([row["c"] for row in nanoarrow.ArrayStream(s).read_all().to_pylist()])],
    ids=["pyarrow", "polars", "duckdb", "nanoarrow"],
)  # fmt: skip
def test_every_consumer_of_streams(arenas, take):
    evaluator = arenas.open(SUM)
    whole = pa.table({"a": pa.array(X), "b": pa.array(X)})
    scored = arrow.score(evaluator, pa.Table.from_batches(whole.to_batches(max_chunksize=5)))
    np.testing.assert_array_equal(take(scored), 2 * X)


def test_a_consumer_reads_the_lease_and_keeps_it(arenas):
    evaluator = arenas.open(DOUBLE)
    scored = arrow.score(evaluator, pa.record_batch({"x": fixed(pa.array(X), 3)}))
    address = scored["y"].ctypes.data
    batch = pa.record_batch(scored)
    assert batch.column("y").values.buffers()[1].address == address
    del scored
    last = batch.slice(3)
    del batch
    evaluator.run(None, {"x": np.zeros(12, np.float32)})
    assert arenas.io.leased_count == 1
    evaluator.close()
    assert last.column("y").to_pylist() == [[18, 20, 22]]
    del last
    gc.collect()
    assert arenas.io.leased_count == 0


def test_what_is_lent_lives_as_long_as_a_run_needs_it(arenas):
    evaluator = arenas.open(DOUBLE)

    def scored():
        return arrow.score(evaluator, pa.record_batch({"x": pa.array(np.full(10000, 2, np.float32))}))

    threads, wrong = [], []
    for _ in range(4):
        threads.append(threading.Thread(target=lambda: wrong.extend(s for s in (scored()["y"] for _ in range(50)) if not (s == 4).all())))
        threads[-1].start()
    for t in threads:
        t.join()
    assert not wrong


def test_batches_keep_their_order_and_an_error_reaches_the_consumer(arenas):
    evaluator = arenas.open(DOUBLE)
    parts = [pa.record_batch({"x": pa.array([i], pa.float32())}) for i in range(5)]
    holes = pa.record_batch({"x": pa.array([None], pa.float32())})
    assert [b["y"][0] for b in arrow.score(evaluator, pa.Table.from_batches(parts))] == [0, 2, 4, 6, 8]
    with pytest.raises(Exception, match="is null in row 0"):
        pa.table(arrow.score(evaluator, pa.Table.from_batches([*parts, holes])))


@pytest.mark.parametrize(
    ("column", "error", "message"),
    [
        (pa.array([[1.0], [2.0, 3.0]], pa.list_(pa.float32())), ArgumentError, "lists of different lengths"),
        (pa.array([[1.0], None], pa.list_(pa.float32(), 1)), ArgumentError, "the column 'x' is or has a null in row 1: give a fill value for it"),
        (pa.array([[1.0], None], pa.list_(pa.float32())), ArgumentError, "has a list in row 1 that is null and has no values"),
        (pa.array([[[1.0], [2.0]], [[3.0], None]], pa.list_(pa.list_(pa.float32(), 1), 2)), ArgumentError, "the column 'x' is or has a null in row 1"),
        (pa.array([{"a": 1.0}], pa.struct([("a", pa.float32())])), UnsupportedError, r"the column 'x' is or holds struct<float>: of nested columns only lists"),
        (pa.array([[("a", 1.0)]], pa.map_(pa.string(), pa.float32())), UnsupportedError, "is or holds map<struct>"),
        (pa.array([[1.0]], pa.list_view(pa.float32())), UnsupportedError, "is or holds list_view<float>"),
        (pa.RunEndEncodedArray.from_arrays(pa.array([1], pa.int32()), pa.array([1.0], pa.float32())), UnsupportedError, "is or holds run_end_encoded"),
        (pa.array([b"bytes"]), UnsupportedError, "the column 'x' is binary, which no tensor can hold: convert it to numbers or strings first"),
        (pa.array([1], pa.decimal128(5)), UnsupportedError, r"the column 'x' is decimal\(5,0\)"),
        (pa.array([1], pa.date32()), UnsupportedError, r"is date32\[day\], which no tensor"),
        (pa.array([1], pa.timestamp("us", "UTC")), UnsupportedError, r"is timestamp\[us\]\(UTC\)"),
        (pa.array([1], pa.duration("s")), UnsupportedError, r"is duration\[s\]"),
        (pa.array([1], pa.time64("ns")), UnsupportedError, r"is time64\[ns\]"),
        (pa.nulls(1), UnsupportedError, "is null, which no tensor can hold"),
        (pa.array([1.5], pa.float32()).dictionary_encode(), UnsupportedError, "is dictionary<int32, float>"),
        (pa.array([["a"]]), UnsupportedError, "is list<string>"),
        (pa.array([b"0" * 16], pa.uuid()), UnsupportedError, r"is fixed_size_binary\(16\)"),
    ],
)
def test_what_no_tensor_can_hold(arenas, column, error, message):
    evaluator = arenas.open(DOUBLE)
    with pytest.raises(error, match=message):
        arrow.score(evaluator, pa.record_batch({"x": column}))
    assert arrow.score(evaluator, pa.record_batch({"x": pa.array(X)}))["y"][1] == 2


def test_outputs_that_are_no_columns(arenas):
    whole = model([helper.make_node("ReduceSum", ["x"], ["y"], keepdims=0)], [("x", F, None)], [("y", F, None)])
    with pytest.raises(ShapeError, match=r"the output 'y' has shape \(\) for 12 rows"):
        arrow.score(arenas.open(whole), pa.record_batch({"x": pa.array(X)}))
    by_label = arenas.open(MODELS / "classifier.onnx")
    batch = pa.record_batch({"a": pa.array(X), "b": pa.array(X)})
    with pytest.raises(WrongTypeError, match="the output 'by_label' is a list, which is no column: ask for 'probabilities', which it is made of"):
        arrow.score(by_label, batch)
    assert arrow.score(by_label, batch, outputs=["probabilities"])["probabilities"].tolist() == [[0.5, 0.5]] * 12
    with pytest.raises(WrongTypeError, match="__arrow_c_array__ or __arrow_c_stream__ expected, list given"):
        arrow.score(arenas.open(DOUBLE), [1, 2])


def test_nulls_among_the_words_of_a_dictionary(arenas):
    evaluator = arenas.open(same(S))
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0], pa.int8()), pa.array(["a", None]))
    batch = pa.record_batch([words], ["x"])
    with pytest.raises(ArgumentError, match="the column 'x' is null in row 1: give a fill value"):
        arrow.score(evaluator, batch)
    assert arrow.score(evaluator, batch, fills={"x": "F"})["y"].tolist() == ["a", "F", "a"]
