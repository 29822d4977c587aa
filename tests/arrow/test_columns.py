"""Columns of a batch as one matrix: what reads them in place, and who still sees rows."""

from __future__ import annotations

import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
import pyarrow as pa
import pytest
from onnx import TensorProto, helper, numpy_helper

from goruntime import ReferenceEvaluator, RuntimeContext, WrongTypeError, arrow

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "parity"))
import zoo

F, K = TensorProto.FLOAT, 6
ML = "ai.onnx.ml"
W = np.linspace(-1, 1, 3 * K, dtype=np.float32).reshape(K, 3)


def model(*nodes, kind=F, weights=()):
    graph = helper.make_graph(
        list(nodes), "g", [helper.make_tensor_value_info("x", kind, [None, K])], [helper.make_tensor_value_info("y", F, None)],
        [numpy_helper.from_array(w, name) for name, w in weights],
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid(ML, 3)], ir_version=10)


SCALER = helper.make_node("Scaler", ["x"], ["y"], domain=ML, offset=[1.0] * K, scale=[0.5] * K)
LINEAR = helper.make_node("LinearRegressor", ["x"], ["y"], domain=ML, coefficients=W.T.ravel().tolist(), intercepts=[1.0, 2.0, 3.0], targets=3)
NORM = helper.make_node("Normalizer", ["x"], ["y"], domain=ML, norm="L1")
IMPUTER = helper.make_node("Imputer", ["x"], ["y"], domain=ML, imputed_value_floats=[9.0], replaced_value_float=float("nan"))
MATMUL = helper.make_node("MatMul", ["x", "w"], ["y"])
GEMM = helper.make_node("Gemm", ["x", "w", "b"], ["y"])
B = np.array([1, 2, 3], np.float32)

# Each with what NumPy says.
IN_PLACE = {
    "Scaler": (model(SCALER), lambda x: (x - 1) * np.float32(0.5)),
    "LinearRegressor": (model(LINEAR), lambda x: x @ W + B),
    "Normalizer": (model(NORM), lambda x: x / np.abs(x).sum(axis=1, keepdims=True)),
    "Imputer": (model(IMPUTER), lambda x: np.where(np.isnan(x), np.float32(9), x)),
    "MatMul": (model(MATMUL, weights=[("w", W)]), lambda x: x @ W),
    "Gemm": (model(GEMM, weights=[("w", W), ("b", B)]), lambda x: x @ W + B),
    "two of them": (
        model(helper.make_node("Scaler", ["x"], ["s"], domain=ML, offset=[1.0], scale=[2.0]), helper.make_node("MatMul", ["x", "w"], ["p"]),
              helper.make_node("MatMul", ["s", "w"], ["q"]), helper.make_node("Add", ["p", "q"], ["y"]), weights=[("w", W)]),
        lambda x: x @ W + (x - 1) * 2 @ W,
    ),
}  # fmt: skip
GATHERED = {
    "an elementwise operator": (model(helper.make_node("Neg", ["x"], ["y"])), lambda x: -x),
    "one of two": (model(helper.make_node("Neg", ["x"], ["n"]), helper.make_node("MatMul", ["x", "w"], ["p"]),
                         helper.make_node("MatMul", ["n", "w"], ["q"]), helper.make_node("Sub", ["p", "q"], ["y"]), weights=[("w", W)]), lambda x: 2 * (x @ W)),
}  # fmt: skip


def batch_of(x):
    return pa.record_batch({f"f{i}": pa.array(np.ascontiguousarray(x[:, i])) for i in range(x.shape[1])})


def rows(n, k=K, seed=1):
    return np.random.default_rng(seed).normal(size=(n, k)).astype(np.float32)


@pytest.mark.parametrize("n", [1, 5, 200])
@pytest.mark.parametrize("name", IN_PLACE)
def test_columns_are_read_in_place(arenas, name, n):
    proto, truth = IN_PLACE[name]
    x = rows(n)
    if name == "Imputer":
        x[0, 3] = np.nan
    evaluator = arenas.open(proto)
    for batch in (batch_of(x), batch_of(np.concatenate([x, x])).slice(n)):
        scored = arrow.score(evaluator, batch)["y"]
        np.testing.assert_allclose(scored, truth(x), rtol=2e-5, atol=2e-6)
        assert arenas.copies() == {}
    (dense,) = evaluator.run(None, {"x": x})
    assert scored.tobytes() == dense.tobytes()


@pytest.mark.parametrize("name", GATHERED)
def test_other_operators_see_rows(arenas, name):
    proto, truth = GATHERED[name]
    x = rows(50)
    np.testing.assert_allclose(arrow.score(arenas.open(proto), batch_of(x))["y"], truth(x), rtol=1e-5, atol=1e-6)
    assert arenas.copies() == {"interleave": 1}


@pytest.mark.parametrize(
    "name", ["gbr_diabetes", "lightgbm_reg", "lightgbm_multi", "xgboost_multi", "rf_digits_noz", "rf_mlopset5", "logreg_bin_zipmap", "svr_poly"]
)  # fmt: skip
@pytest.mark.parametrize("n", [1, 30])
def test_real_models_read_columns_in_place(arenas, name, n):
    path = str(zoo.path(f"classic/{name}"))
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    x = zoo.feeds(f"classic/{name}")["X"]
    x = np.resize(x, (n, x.shape[1]))
    wanted = [i for i, o in enumerate(session.get_outputs()) if "tensor" in o.type and "seq" not in o.type]
    names = [session.get_outputs()[i].name for i in wanted]
    evaluator = ReferenceEvaluator(path, allocator=arenas.execution, io_allocator=arenas.io)
    scored = arrow.score(evaluator, batch_of(x), outputs=names)
    for column, theirs in zip(scored.columns.values(), session.run(names, {"X": x}), strict=True):
        np.testing.assert_allclose(column, theirs.reshape(column.shape), rtol=1e-4, atol=1e-5)
    assert arenas.copies().get("interleave", 0) == 0
    for name, column in scored.columns.items():
        (dense,) = evaluator.run([name], {"X": x})
        assert column.tobytes() == dense.tobytes()


def test_missing_values_go_where_the_model_says(arenas):
    """One tree sends NaN to the left in one node, to the right in another."""
    tree = helper.make_node(
        "TreeEnsembleRegressor", ["x"], ["y"], domain=ML, n_targets=1, nodes_treeids=[0] * 7, nodes_nodeids=list(range(7)),
        nodes_featureids=[0, 1, 1, 0, 0, 0, 0], nodes_values=[0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0],
        nodes_modes=["BRANCH_LEQ"] * 3 + ["LEAF"] * 4, nodes_truenodeids=[1, 3, 5, 0, 0, 0, 0],
        nodes_falsenodeids=[2, 4, 6, 0, 0, 0, 0], nodes_missing_value_tracks_true=[1, 0, 1, 0, 0, 0, 0], target_treeids=[0] * 4, target_nodeids=[3, 4, 5, 6],
        target_ids=[0] * 4, target_weights=[1.0, 2.0, 3.0, 4.0],
    )  # fmt: skip
    x = np.tile(np.array([[0, 0], [0, 1], [1, 0], [1, 1], [np.nan, 0], [np.nan, np.nan], [0, np.nan], [1, np.nan]], np.float32), (5, 3))
    expected = np.tile(np.array([1, 2, 3, 4, 1, 2, 2, 3], np.float32), 5)
    evaluator = arenas.open(model(tree))
    for n in (1, 8, 40):
        np.testing.assert_array_equal(arrow.score(evaluator, batch_of(x[:n]))["y"], expected[:n])
        np.testing.assert_array_equal(evaluator.run(None, {"x": x[:n]})[0][:, 0], expected[:n])
    assert arenas.copies() == {}


@pytest.mark.parametrize("width", ["float64", "int64", "int32"])
def test_other_numbers_are_read_in_place(arenas, width):
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(width))
    x = (10 * rows(40)).astype(width)
    scored = arrow.score(arenas.open(model(SCALER, kind=kind)), batch_of(x))
    np.testing.assert_array_equal(scored["y"], (x.astype(np.float32) - 1) * np.float32(0.5))
    assert arenas.copies() == {}


def test_columns_that_a_model_joins_are_read_in_place(arenas):
    names = [f"f{i}" for i in range(K)]
    graph = helper.make_graph(
        [helper.make_node("Concat", names, ["x"], axis=1), IMPUTER, helper.make_node("MatMul", ["y", "w"], ["z"])], "g",
        [helper.make_tensor_value_info(n, F, [None, 1]) for n in names], [helper.make_tensor_value_info("z", F, None)], [numpy_helper.from_array(W, "w")],
    )  # fmt: skip
    evaluator = arenas.open(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid(ML, 3)], ir_version=10))
    x = rows(50)
    x[3, 2] = np.nan
    np.testing.assert_allclose(arrow.score(evaluator, batch_of(x))["z"], np.where(np.isnan(x), 9, x) @ W, rtol=1e-5, atol=1e-6)
    assert arenas.copies() == {}
    (joined,) = (v for v in evaluator.prepare(dict.fromkeys(names, (50, 1))).values if v.name == "x")
    assert joined.role == "columns"
    context = RuntimeContext()
    arrow.score(evaluator, batch_of(x), context=context)
    np.testing.assert_array_equal(context.get("f2"), x[:, 2:3])
    context.clear()


def test_nulls_and_casts_keep_their_rules(arenas):
    evaluator = arenas.open(IN_PLACE["Scaler"][0])
    x = rows(4)
    columns = {f"f{i}": pa.array(x[:, i].tolist(), pa.float32()) for i in range(K)}
    columns["f2"] = pa.array([1, None, 3, 4], pa.float32())
    with pytest.raises(Exception, match="the column 'f2' is null in row 1"):
        arrow.score(evaluator, pa.record_batch(columns))
    assert arrow.score(evaluator, pa.record_batch(columns), fills={"f2": 5})["y"][1, 2] == 2
    assert arenas.copies() == {"nulls": 1}
    columns["f4"] = pa.array([None, 2.0, None, 4.0], pa.float64())
    mixed = arrow.score(evaluator, pa.record_batch(columns), fills={"f2": 5, "f4": 7}, casts=True, inputs={"x": list(columns)})["y"]
    np.testing.assert_array_equal(mixed[:, [2, 4]], [[0, 3], [2, 0.5], [1, 3], [1.5, 1.5]])
    assert arenas.copies() == {"nulls": 3, "conversion": 1}
    with pytest.raises(Exception, match="the column 'f4' is null in row 0"):
        arrow.score(evaluator, pa.record_batch(columns), fills={"f2": 5}, casts=True, inputs={"x": list(columns)})
    wide = batch_of(x.astype(np.float64))
    with pytest.raises(WrongTypeError, match="f64 given, f32 expected"):
        arrow.score(evaluator, wide)
    np.testing.assert_allclose(arrow.score(evaluator, wide, casts=True)["y"], (x - 1) / 2, rtol=1e-6)
    assert {k: v for k, v in arenas.copies().items() if k != "nulls"} == {"conversion": 2}
    whole = (10 * x).round()
    mixed = pa.record_batch([c if i % 2 else c.cast(pa.int16()) for i, c in enumerate(batch_of(whole))], names=wide.schema.names)
    scored = arrow.score(evaluator, mixed, casts=["x"], inputs={"x": mixed.schema.names})
    np.testing.assert_allclose(scored["y"], (whole - 1) / 2, rtol=1e-6)
    assert {k: v for k, v in arenas.copies().items() if k != "nulls"} == {"conversion": 3}


def test_who_looks_at_a_run_sees_rows(arenas, capsys):
    x = rows(3)
    proto = IN_PLACE["Scaler"][0]
    context = RuntimeContext()
    scored = arrow.score(arenas.open(proto), batch_of(x), context=context)
    np.testing.assert_array_equal(context.get("x"), x)
    assert arenas.copies()["interleave"] == 1
    traced = arenas.open(proto, events_enabled=True)
    assert arrow.score(traced, batch_of(x))["y"].tobytes() == scored["y"].tobytes()
    shown = arenas.open(proto, verbose=3)
    arrow.score(shown, batch_of(x))
    assert " x" in capsys.readouterr().out
    assert arrow.score(arenas.open(proto), batch_of(x), outputs=["x"])["x"].tobytes() == x.tobytes()
    context.clear()


def test_kernels_of_the_caller_see_rows(arenas):
    from onnx.reference.op_run import OpRun

    seen = []

    class Twice(OpRun):
        op_domain = "mine"

        def _run(self, x):
            seen.append(np.array(x))
            return (2 * x,)

    proto = model(helper.make_node("Twice", ["x"], ["y"], domain="mine"))
    proto.opset_import.append(helper.make_opsetid("mine", 1))
    x = rows(7)
    np.testing.assert_array_equal(arrow.score(arenas.open(proto, new_ops=[Twice]), batch_of(x))["y"], 2 * x)
    np.testing.assert_array_equal(seen[0], x)
    assert arenas.copies()["interleave"] == 1


def test_a_schema_is_bound_once_and_another_one_anew(arenas):
    evaluator = arenas.open(IN_PLACE["Scaler"][0])
    x = rows(3)
    first = arrow.score(evaluator, batch_of(x))["y"]
    bound = evaluator._binding
    arrow.score(evaluator, batch_of(rows(9)))
    assert evaluator._binding is bound
    turned = pa.record_batch({name: batch_of(x).column(name) for name in reversed(batch_of(x).schema.names)})
    again = arrow.score(evaluator, turned, inputs={"x": [f"f{i}" for i in range(K)]})["y"]
    assert again.tobytes() == first.tobytes()
    order = {"x": [f"f{i}" for i in range(K)]}
    for _ in range(2):  # the caller's own dict, turned around between the calls
        np.testing.assert_array_equal(arrow.score(evaluator, turned, inputs=order)["y"], first if order["x"][0] == "f0" else first[:, ::-1])
        order["x"].reverse()
    np.testing.assert_array_equal(arrow.score(evaluator, turned)["y"], first[:, ::-1])


def test_sessions_of_onnxruntime_get_rows(arenas):
    pytest.importorskip("goruntime.ort")
    x = rows(20)
    proto = onnx.load_model_from_string(IN_PLACE["Gemm"][0].SerializeToString())
    scored = arrow.score(arenas.open(proto, engine="ort"), batch_of(x))["y"]
    np.testing.assert_allclose(scored, x @ W + B, rtol=1e-5, atol=1e-6)
    assert arenas.copies() == {"interleave": 1}
