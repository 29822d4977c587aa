"""ONNX Runtime as engine: what goes in and out, what is refused, how runs end."""

from __future__ import annotations

import gc
import pathlib
import pickle
import subprocess
import sys
import textwrap
import threading

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import goruntime
from goruntime import (
    ArgumentError,
    CanceledError,
    CancelToken,
    ClosedError,
    ComputeError,
    FileError,
    IOArena,
    ModelError,
    NameNotFoundError,
    OnnxRuntime,
    ReferenceEvaluator,
    RuntimeContext,
    RunTimeoutError,
    ShapeError,
    UnsupportedError,
    WrongTypeError,
)


@pytest.fixture
def engine() -> str:
    """The engine of the bench's evaluators."""
    return "ort"


def script(text: str, *arguments: str) -> str:
    """Run a program of its own and return what it prints."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(text), *arguments], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def model(nodes, inputs, outputs, opset=21, **more) -> onnx.ModelProto:
    graph = helper.make_graph(nodes, "g", inputs, outputs, **more)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def info(name, dtype, shape):
    return helper.make_tensor_value_info(name, dtype, shape)


def unary(op: str, dtype: int, shape, out_shape, **attributes) -> onnx.ModelProto:
    return model([helper.make_node(op, ["x"], ["y"], **attributes)], [info("x", dtype, shape)], [info("y", dtype, out_shape)])


# Every element type that both sides know.
DTYPES = [
    "float32", "float64", "float16", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2, ml_dtypes.float8_e5m2fnuz,
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("shape", [(2, 3), (), (0, 4), (3,)], ids=str)
@pytest.mark.parametrize("declared", [True, False], ids=["bound", "adopted"])
def test_every_element_type_and_shape_comes_through(dtype, shape, declared):
    dtype = np.dtype(dtype)
    x = (np.arange(np.prod(shape, dtype=int)) % 2).reshape(shape).astype(dtype)
    proto = unary("Identity", helper.np_dtype_to_tensor_dtype(dtype), shape, shape if declared else None)
    io = IOArena()
    with ReferenceEvaluator(proto, engine="ort", io_allocator=io) as evaluator:
        for _ in range(2):
            (y,) = evaluator.run(None, {"x": x})
            assert y.dtype == dtype
            assert y.shape == shape
            assert y.tobytes() == x.tobytes()
            assert x.size == 0 or not np.shares_memory(x, y)
            del y
    gc.collect()
    assert io.total_allocated_size == 0


@pytest.mark.parametrize("dtype", ["int4", "uint4", "int2", "uint2"])
def test_types_below_a_byte_go_in_and_out(dtype):
    dtype = np.dtype(getattr(ml_dtypes, dtype))
    narrow, wide = helper.np_dtype_to_tensor_dtype(dtype), TensorProto.INT8 if dtype.name.startswith("int") else TensorProto.UINT8
    x = np.array([1, 0, -1 if dtype.name.startswith("int") else 3, 1, 0]).astype(dtype)
    for shape in ((5,), (5, 1), None):
        proto = model([helper.make_node("Cast", ["x"], ["w"], to=wide), helper.make_node("Cast", ["w"], ["y"], to=narrow)],
                      [info("x", narrow, shape)], [info("w", wide, shape), info("y", narrow, shape)], opset=25)  # fmt: skip
        w, y = ReferenceEvaluator(proto, engine="ort").run(None, {"x": x.reshape(shape or -1)})
        assert w.ravel().tolist() == x.astype(np.int64).tolist()
        assert y.dtype == dtype
        assert y.ravel().tolist() == x.tolist()


def test_what_has_no_number_in_the_library_is_refused():
    proto = unary("Identity", TensorProto.FLOAT, [1], [1])
    evaluator = ReferenceEvaluator(proto, engine="ort")
    with pytest.raises(WrongTypeError, match="f8e8m0 given, f32 expected"):
        evaluator.run(None, {"x": np.zeros(1, ml_dtypes.float8_e8m0fnu)})


def test_inputs_are_read_in_place_and_outputs_written_in_place(bench):
    evaluator = bench.open("chain")
    x = np.ones(1000, np.float32)
    y = np.zeros(1000, np.float32)
    (got,) = evaluator.run(None, {"x": x}, outputs={"y": y})
    assert got is y
    assert (y == 2).all()
    (z,) = evaluator.run(None, {"x": x})
    assert z.ctypes.data % 64 == 0
    assert bench.io.owns(z)
    assert sum(bench.io.stats()["copies"].values()) == 0
    with pytest.raises(ShapeError, match=r'the memory given for output "y" is f32\[3\]'):
        evaluator.run(None, {"x": x}, outputs={"y": np.zeros(3, np.float32)})


def test_an_output_of_unknown_shape_outlives_evaluator_and_arena(path):
    io = IOArena()
    evaluator = ReferenceEvaluator(path("nonzero"), engine="ort", io_allocator=io)
    x = np.zeros(300_000, np.float32)
    x[1000:] = 1
    (y,) = evaluator.run(None, {"x": x})
    (z,) = evaluator.run(None, {"x": x[:1002]})
    assert (io.leased_count, io.total_allocated_size) == (2, y.nbytes + z.nbytes)
    assert io.owns(y)
    evaluator.close()
    io.close()
    del evaluator, io
    gc.collect()
    for _ in range(3):  # memory that was wrongly given back is reused by these
        ReferenceEvaluator(path("nonzero"), engine="ort").run(None, {"x": np.ones(300_000, np.float32)})
    np.testing.assert_array_equal(y, np.arange(1000, 300_000)[None])
    np.testing.assert_array_equal(z, [[1000, 1001]])
    y += 1
    assert y[0, 0] == 1001


def test_adopted_memory_counts_against_the_limit(path):
    io = IOArena(limit=1 << 16)
    evaluator = ReferenceEvaluator(path("nonzero"), engine="ort", io_allocator=io)
    with pytest.raises(goruntime.LimitError, match="limit is 65536 bytes"):
        evaluator.run(None, {"x": np.ones(10_000, np.float32)})
    (y,) = evaluator.run(None, {"x": np.ones(5, np.float32)})
    assert y.shape == (1, 5)
    assert io.total_allocated_size == y.nbytes


def test_loops_and_branches_give_their_outputs(bench):
    evaluator = bench.open("branch")
    x = np.arange(4, dtype=np.float32)
    for condition, expected in ((True, x + x), (False, x * x)):
        (y,) = evaluator.run(None, {"c": np.array(condition), "x": x})
        np.testing.assert_array_equal(y, expected)


def test_strings(bench):
    evaluator = bench.open("strings")
    s, t = np.array(["a", "größer", ""], object), np.array([], object)
    (y,) = evaluator.run(None, {"s": s, "t": t})
    assert y.tolist() == ["a", "größer", ""]
    (y,) = evaluator.run(None, {"s": t, "t": t})
    assert y.shape == (0,)
    with pytest.raises(UnsupportedError, match='"s": string element 1 has a zero byte'):
        evaluator.run(None, {"s": np.array(["a", "b\0c"], object), "t": t})


def test_sequences(bench):
    evaluator = bench.open("pieces")
    s, x = [np.ones(2, np.float32)], np.arange(3, dtype=np.float32)
    (longer,) = evaluator.run(None, {"s": s, "x": x})
    assert [piece.tolist() for piece in longer] == [[1, 1], [0, 1, 2]]
    assert bench.io.leased_count == 2
    with pytest.raises(UnsupportedError, match='"s": an empty seq: ONNX Runtime\'s interface takes none'):
        evaluator.run(None, {"s": [], "x": x})


def test_maps():
    nodes = [helper.make_node("ZipMap", ["x"], ["z"], domain="ai.onnx.ml", classlabels_strings=["no", "yes"])]
    output = helper.make_value_info("z", helper.make_sequence_type_proto(helper.make_map_type_proto(
        TensorProto.STRING, helper.make_tensor_type_proto(TensorProto.FLOAT, []))))  # fmt: skip
    evaluator = ReferenceEvaluator(model(nodes, [info("x", TensorProto.FLOAT, ["N", 2])], [output]), engine="ort")
    (z,) = evaluator.run(None, {"x": np.array([[0.25, 0.75], [1, 0]], np.float32)})
    assert z == [{"no": 0.25, "yes": 0.75}, {"no": 1.0, "yes": 0.0}]
    nodes = [helper.make_node("DictVectorizer", ["m"], ["y"], domain="ai.onnx.ml", string_vocabulary=["a", "b"])]
    given = helper.make_value_info("m", helper.make_map_type_proto(TensorProto.STRING, helper.make_tensor_type_proto(TensorProto.FLOAT, [])))
    evaluator = ReferenceEvaluator(model(nodes, [given], [info("y", TensorProto.FLOAT, None)]), engine="ort")
    (y,) = evaluator.run(None, {"m": {"b": 2.0}})
    assert y.ravel().tolist() == [0, 2]


def test_defaults_of_inputs_stand_where_they_are_not_fed():
    proto = model([helper.make_node("Add", ["x", "k"], ["y"])], [info("x", TensorProto.FLOAT, ["N"]), info("k", TensorProto.FLOAT, [1])],
                  [info("y", TensorProto.FLOAT, ["N"])], initializer=[helper.make_tensor("k", TensorProto.FLOAT, [1], [10])])  # fmt: skip
    evaluator = ReferenceEvaluator(proto, engine="ort")
    x = np.zeros(2, np.float32)
    assert evaluator.run(None, {"x": x})[0].tolist() == [10, 10]
    assert evaluator.run(None, {"x": x, "k": np.ones(1, np.float32)})[0].tolist() == [1, 1]
    assert evaluator.required_inputs == ["x"]


def test_weights_in_files_beside_the_model(tmp_path):
    weights = helper.make_tensor("w", TensorProto.FLOAT, [2000], np.arange(2000, dtype=np.float32).tobytes(), raw=True)
    proto = model([helper.make_node("Add", ["x", "w"], ["y"])], [info("x", TensorProto.FLOAT, [2000])], [info("y", TensorProto.FLOAT, [2000])],
                  initializer=[weights])  # fmt: skip
    onnx.save(proto, tmp_path / "m.onnx", save_as_external_data=True, location="w.bin")
    evaluator = ReferenceEvaluator(tmp_path / "m.onnx", engine="ort")
    assert evaluator.run(None, {"x": np.ones(2000, np.float32)})[0][1999] == 2000


@pytest.mark.parametrize("feeds", [
    {}, {"y": np.zeros((1, 3), np.float32)}, {"x": np.zeros(3, np.float32)}, {"x": np.zeros((1, 4), np.float32)}, {"x": np.zeros((1, 3))},
    {"x": np.array([["a"] * 3], object)}, {"x": None}, {"x": [np.zeros(3, np.float32)] * 2, "z": 1},
], ids=range(8))  # fmt: skip
def test_bad_feeds_fail_as_on_the_own_engine(path, feeds):
    errors = []
    for engine in ("goruntime", "ort"):
        evaluator = ReferenceEvaluator(path("fixed"), engine=engine)
        with pytest.raises(goruntime.Error) as caught:
            evaluator.run(None, feeds)
        errors.append((type(caught.value), str(caught.value)))
        assert evaluator.run(None, {"x": np.ones((2, 3), np.float32)})[0].shape == (2, 3)
    assert errors[0] == errors[1]


def test_failures_of_a_node_name_it(bench):
    evaluator = bench.open("sum")
    with pytest.raises(ComputeError, match=r'Add node "adder": ONNX Runtime: .*2 by 3') as caught:
        evaluator.run(None, {"x": np.ones(2, np.float32), "y": np.ones(3, np.float32)})
    assert (caught.value.op, caught.value.node) == ("Add", "adder")


def test_models_that_the_library_refuses():
    with pytest.raises(UnsupportedError, match=r"ONNX Runtime: .*Nonsense"):
        ReferenceEvaluator(unary("Nonsense", TensorProto.FLOAT, [1], [1]), engine="ort")
    with pytest.raises(ModelError, match="ONNX Runtime: "):
        ReferenceEvaluator(unary("Concat", TensorProto.FLOAT, [1], [1], axis=7), engine="ort")
    with pytest.raises(ModelError):
        ReferenceEvaluator(b"no model", engine="ort")


def test_what_looks_inside_is_refused(path, bench):
    for option in ({"verbose": 2}, {"check_shape_annotations": True}, {"events_enabled": True}, {"release_intermediates": False}):
        with pytest.raises(UnsupportedError, match=f"^{next(iter(option))}.*: this looks at inner values"):
            ReferenceEvaluator(path("chain"), engine="ort", **option)
    evaluator = bench.open("chain")
    x = np.ones(2, np.float32)
    with pytest.raises(UnsupportedError, match='"a": the value is no output'):
        evaluator.run(["a"], {"x": x})
    with pytest.raises(NameNotFoundError, match='nearest are "y"'):
        evaluator.run(["z"], {"x": x})
    for wish in ({"intermediate": True}, {"check_shape_annotations": True}, {"context": RuntimeContext(release_intermediates=False)}):
        with pytest.raises(UnsupportedError, match="own engine"):
            evaluator.run(None, {"x": x}, **wish)
    for context in (RuntimeContext(events_enabled=True), RuntimeContext(verbose=2)):
        with pytest.raises(UnsupportedError, match="a trace was asked for"):
            evaluator.run(None, {"x": x}, context=context)
    with pytest.raises(UnsupportedError, match="how a run is planned"):
        evaluator.prepare({"x": (2,)})
    with pytest.raises(UnsupportedError, match="nodes in the order"):
        evaluator.used_kernels()
    assert evaluator.run(None, {"x": x})[0].tolist() == [2, 2]


def test_kernels_of_python_are_refused_where_the_model_uses_them(bench):
    evaluator = bench.open("chain")
    evaluator.register_custom_kernel("", "Sin", lambda x: x)
    with pytest.raises(UnsupportedError, match="the model uses Relu, for which a kernel is given"):
        evaluator.register_custom_kernel("", "Relu", lambda x: x)


def test_threads_are_fixed_when_the_model_is_opened(bench):
    evaluator = bench.open("chain", num_threads=1)
    x = np.ones(2, np.float32)
    assert evaluator.run(None, {"x": x}, num_threads=1)[0].tolist() == [2, 2]
    with pytest.raises(UnsupportedError, match="3 threads for one run: ONNX Runtime fixes their number, here 1"):
        evaluator.run(None, {"x": x}, num_threads=3)


ENDLESS = {"c": np.array(True), "x": np.ones(3, np.float32)}


def test_a_run_without_an_end_is_ended(bench):
    evaluator = bench.open("endless", num_threads=1)
    with pytest.raises(RunTimeoutError):
        evaluator.run(None, ENDLESS, timeout=0.1)
    token = CancelToken()
    threading.Timer(0.1, token.cancel).start()
    with pytest.raises(CanceledError):
        evaluator.run(None, ENDLESS, cancel=token)
    assert bench.io.total_allocated_size == 0
    (y,) = evaluator.run(None, {**ENDLESS, "c": np.array(False)}, timeout=60)
    assert y.tolist() == [1, 1, 1]


@pytest.mark.parametrize("engine", ["goruntime", "ort"])
def test_ctrl_c_ends_a_run_without_an_end(path, engine):
    out = script("""
        import os, signal, sys, threading, numpy as np
        from goruntime import ReferenceEvaluator
        ev = ReferenceEvaluator(sys.argv[1], engine=sys.argv[2], num_threads=1)
        feeds = {"c": np.array(True), "x": np.ones(3, np.float32)}
        for _ in range(2):
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
            try:
                ev.run(None, feeds)
            except KeyboardInterrupt:
                print("ended")
        print(ev.run(None, {**feeds, "c": np.array(False)})[0].tolist())
    """, path("endless"), engine)  # fmt: skip
    assert out.split("\n") == ["ended", "ended", "[1.0, 1.0, 1.0]"]


def test_the_engine_is_kept_by_copies_and_named(path):
    evaluator = ReferenceEvaluator(path("chain"), engine="ort", num_threads=1)
    copy = pickle.loads(pickle.dumps(evaluator))
    assert copy.engine == evaluator.engine
    assert evaluator.engine.startswith("ONNX Runtime 1.")
    assert copy.run(None, {"x": np.ones(2, np.float32)})[0].tolist() == [2, 2]
    assert ReferenceEvaluator(path("chain")).engine == "goruntime"
    for wrong, error in (("onnxruntime", ArgumentError), (7, WrongTypeError)):
        with pytest.raises(error, match="engine"):
            ReferenceEvaluator(path("chain"), engine=wrong)
    evaluator.close()
    with pytest.raises(ClosedError):
        evaluator.run(None, {"x": np.ones(2, np.float32)})


def test_a_context_keeps_feeds_and_outputs(path):
    context = RuntimeContext()
    ReferenceEvaluator(path("chain"), engine="ort").run(None, {"x": np.ones(2, np.float32)}, context=context)
    assert context.names() == ["x", "y"]


def test_arrow_data_is_scored(path):
    pyarrow = pytest.importorskip("pyarrow")
    from goruntime.arrow import score

    batch = pyarrow.record_batch({"x": np.arange(5, dtype=np.float32)})
    evaluator = ReferenceEvaluator(path("chain"), engine="ort")
    scored = pyarrow.record_batch(score(evaluator, batch))
    assert scored["y"].to_pylist() == [0, 2, 6, 12, 20]


def test_nothing_is_loaded_before_it_is_asked_for(path):
    out = script("""
        import sys, numpy as np
        from goruntime import ReferenceEvaluator
        loaded = lambda: "libonnxruntime" in open("/proc/self/maps").read()
        x = {"x": np.ones(2, np.float32)}
        ReferenceEvaluator(sys.argv[1]).run(None, x)
        print(loaded())
        ev = ReferenceEvaluator(sys.argv[1], engine="ort")
        ev.run(None, x)
        print(loaded(), "onnxruntime" in sys.modules)
        import onnxruntime
        print(onnxruntime.InferenceSession(sys.argv[1]).run(None, x)[0].tolist(), ev.run(None, x)[0].tolist())
    """, path("chain"))  # fmt: skip
    assert out.split("\n") == ["False", "True False", "[2.0, 2.0] [2.0, 2.0]"]


def test_onnxruntime_may_be_there_first(path):
    out = script("""
        import sys, numpy as np, onnxruntime
        from goruntime import ReferenceEvaluator
        x = {"x": np.ones(2, np.float32)}
        theirs = onnxruntime.InferenceSession(sys.argv[1])
        print(ReferenceEvaluator(sys.argv[1], engine="ort").run(None, x)[0].tolist(), theirs.run(None, x)[0].tolist())
    """, path("chain"))  # fmt: skip
    assert out == "[2.0, 2.0] [2.0, 2.0]"


def test_the_library_is_found_behind_our_own_module_of_its_name(path):
    out = script("""
        import sys, numpy as np, goruntime.ort
        goruntime.ort.install()
        import onnxruntime
        from goruntime import ReferenceEvaluator
        print(ReferenceEvaluator(sys.argv[1], engine="ort").run(None, {"x": np.ones(2, np.float32)})[0].tolist())
    """, path("chain"))  # fmt: skip
    assert out == "[2.0, 2.0]"


def test_a_missing_library_says_how_to_get_it(path, tmp_path):
    out = script("""
        import sys
        from goruntime import FileError, OnnxRuntime, ReferenceEvaluator, engines
        for engine in (OnnxRuntime(sys.argv[2]), "ort"):
            engines._packaged = lambda: None
            try:
                ReferenceEvaluator(sys.argv[1], engine=engine)
            except FileError as error:
                print(error)
    """, path("chain"), str(tmp_path / "none.so"))  # fmt: skip
    lines = out.split("\n")
    assert len(lines) == 2
    assert "none.so" in lines[0]
    assert "libonnxruntime.so" in lines[1]
    for line in lines:
        assert "pip install 'goruntime[ort]'" in line
        assert "GORUNTIME_ONNXRUNTIME" in line


def test_a_file_that_is_named_is_used(path, monkeypatch, tmp_path):
    from goruntime import engines

    file = pathlib.Path(engines._packaged() or "")
    assert file.name.startswith("libonnxruntime.so")
    for engine in (OnnxRuntime(str(file)), "ort"):
        monkeypatch.setenv("GORUNTIME_ONNXRUNTIME", str(file))
        assert ReferenceEvaluator(path("chain"), engine=engine).run(None, {"x": np.ones(1, np.float32)})[0] == 2
    with pytest.raises(ArgumentError, match=r"the process has loaded .*libonnxruntime.so.*, and uses one"):
        ReferenceEvaluator(path("chain"), engine=OnnxRuntime(str(tmp_path / "other.so")))
    assert FileError.code == 13


def test_steady_runs_take_no_memory(bench):
    evaluator = bench.open("chain", num_threads=1)
    x = np.ones(10_000, np.float32)
    evaluator.run(None, {"x": x})
    before = bench.io.stats()
    for _ in range(50):
        evaluator.run(None, {"x": x})
    after = bench.io.stats()
    for counter in ("misses", "system_allocations", "evictions"):
        assert after[counter] == before[counter]
    assert after["hits"] == before["hits"] + 50
