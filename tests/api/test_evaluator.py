"""What an evaluator tells and does, beside lifetimes and bad input."""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import pathlib
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import onnx
import pytest

import goruntime
from goruntime import CancelToken, ExecutionArena, IOArena, ReferenceEvaluator, RuntimeContext

A = np.ones(3, np.float32)


def test_names_and_types(bench):
    evaluator = bench.open("fixed")
    assert evaluator.input_names == ["x"]
    assert evaluator.output_names == ["y"]
    assert evaluator.input_types == [("tensor(float)", ("N", 3))]
    assert evaluator.output_types == [("tensor(float)", ("N", 3))]
    assert bench.open("double").input_types == [("tensor(float)", None)]


def test_a_model_is_a_path_bytes_or_a_proto(path):
    import pathlib

    data = pathlib.Path(path("add")).read_bytes()
    for proto in (path("add"), pathlib.Path(path("add")), data, bytearray(data), memoryview(data), onnx.load(path("add"))):
        (c,) = ReferenceEvaluator(proto).run(None, {"a": A, "b": A})
        np.testing.assert_array_equal(c, [2, 2, 2])


def test_inner_names(bench):
    evaluator = bench.open("chain")
    x = np.array([-1, 2], np.float32)
    b, a = evaluator.run(["b", "a"], {"x": x})
    np.testing.assert_array_equal(a, [0, 2])
    np.testing.assert_array_equal(b, [0, 4])
    (same,) = evaluator.run(["x"], {"x": x})
    same[:] = 9
    np.testing.assert_array_equal(x, [-1, 2])


def test_branches(bench):
    evaluator = bench.open("branch")
    x = np.array([3, 4], np.float32)
    for condition, expected in ((True, [6, 8]), (False, [9, 16])):
        (y,) = evaluator.run(None, {"c": np.array(condition), "x": x})
        np.testing.assert_array_equal(y, expected)
        assert bench.io.owns(y)


def test_pickle_and_deepcopy(bench):
    evaluator = bench.open("add", num_threads=1)
    for other in (pickle.loads(pickle.dumps(evaluator)), copy.deepcopy(evaluator)):
        np.testing.assert_array_equal(other.run(None, {"a": A, "b": A})[0], [2, 2, 2])


def test_a_context_keeps_values_by_name(bench):
    evaluator, context = bench.open("add"), RuntimeContext()
    (c,) = evaluator.run(None, {"a": A, "b": A}, context=context)
    assert context.names() == ["a", "b", "c"]
    assert context.get("c") is c
    assert context.has("a")
    context.remove("a")
    assert not context.has("a")
    with pytest.raises(goruntime.NameNotFoundError, match="'nothing'"):
        context.get("nothing")
    context.clear()
    assert context.names() == []
    np.testing.assert_array_equal(c, [2, 2, 2])


def test_a_context_brings_its_arenas(bench):
    execution, io = ExecutionArena(), IOArena()
    context = RuntimeContext(allocator=execution, io_allocator=io)
    (y,) = bench.open("narrow").run(None, {"x": A}, context=context)
    assert io.owns(y)
    assert not bench.io.owns(y)
    assert execution.retained_size > 0


def test_timeout(bench):
    evaluator = bench.open("slow", num_threads=1)
    x = np.ones((2048, 256), np.float32)
    begin = time.monotonic()
    with pytest.raises(goruntime.RunTimeoutError) as caught:
        evaluator.run(None, {"v0": x}, timeout=0.05)
    assert isinstance(caught.value, TimeoutError)
    assert time.monotonic() - begin < 5
    assert evaluator.run(None, {"v0": x[:1]}, timeout=60)[0].shape == (1, 256)


def test_cancel_from_another_thread(bench):
    evaluator, token = bench.open("slow", num_threads=1), CancelToken()
    x = np.ones((4096, 256), np.float32)
    timer = threading.Timer(0.1, token.cancel)
    timer.start()
    with pytest.raises(goruntime.CanceledError):  # noqa: PT012 - the cancel comes in a later run
        for _ in range(100):
            evaluator.run(None, {"v0": x}, cancel=token)
    timer.join()
    assert evaluator.run(None, {"v0": x[:1]})[0].shape == (1, 256)


def test_threads_change_no_bit(bench):
    x = np.random.default_rng(1).standard_normal((300, 256)).astype(np.float32)
    one = bench.open("slow", num_threads=1).run(["v5"], {"v0": x})[0]
    evaluator = bench.open("slow", num_threads=2)
    two = evaluator.run(["v5"], {"v0": x})[0]
    single = evaluator.run(["v5"], {"v0": x[17:18]})[0]
    assert one.tobytes() == two.tobytes()
    assert single.tobytes() == one[17:18].tobytes()


def test_caps_and_counters(path):
    io = IOArena(retention_cap=0)
    evaluator = ReferenceEvaluator(onnx.load(path("double")), io_allocator=io)
    (y,) = evaluator.run(None, {"x": np.ones(1 << 20, np.float32)})
    assert io.live_io_size == io.total_allocated_size >= 4 << 20
    assert io.leased_count == io.allocated_count == 1
    assert io.retention_cap == 0
    assert io.limit is None
    del y
    assert io.retained_size == 0
    assert io.peak_allocated_size >= 4 << 20
    io.reset_peak()
    assert io.peak_allocated_size == 0
    io.retention_cap = None
    evaluator.run(None, {"x": np.ones(1 << 20, np.float32)})
    assert io.retained_count == 1
    assert io.retained_io_size >= 4 << 20
    io.retention_cap = 1 << 20
    assert io.retained_size == 0
    with pytest.raises(ValueError, match="must not be negative"):
        io.retention_cap = -1
    with pytest.raises(ValueError, match="must not be negative"):
        IOArena(limit=-1)
    with pytest.raises(ValueError, match="limit is 0: no run fits into that; None is no bound"):
        IOArena(limit=0)
    with pytest.raises(goruntime.WrongTypeError, match="limit is '1': a whole number or None expected"):
        IOArena(limit="1")
    with pytest.raises(goruntime.WrongTypeError, match=r"retention_cap is 1\.5: a whole number"):
        io.retention_cap = 1.5
    with pytest.raises(ValueError, match="target is -1: it must not be negative"):
        io.shrink(-1)
    assert IOArena(limit=np.int64(1 << 20)).limit == 1 << 20


def test_a_cap_holds_where_only_releases_happen(path):
    io = IOArena(retention_cap=1 << 20)
    evaluator = ReferenceEvaluator(path("double"), io_allocator=io)
    held = [evaluator.run(None, {"x": np.ones(1 << 18, np.float32)})[0] for _ in range(20)]
    del held
    for _ in range(100):
        if io.stats()["evictions"] >= 15:
            break
        time.sleep(0.01)
    assert io.retained_size <= 1 << 20


def test_importing_loads_no_native_code():
    code = "import sys, goruntime; sys.exit('goruntime._native' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_name_is_found_whatever_was_imported_before():
    code = """
import goruntime, sys
assert set(goruntime.__all__) <= set(dir(goruntime)), "dir"
for name in reversed(goruntime.__all__):
    getattr(goruntime, name)
assert goruntime.errors.Error is goruntime.Error
try:
    goruntime.Session
except AttributeError as error:
    assert "goruntime" in str(error) and "Session" in str(error)
else:
    raise AssertionError("a name that is not there is found")
sys.exit("goruntime._native" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_show_config():
    config = goruntime.show_config()
    assert config["version"] == goruntime.__version__
    assert config["cpu"] in ("avx512", "avx2", "neon", "portable")
    assert config["threads"] >= 1


def test_with_closes(path):
    with ReferenceEvaluator(path("add")) as evaluator, IOArena() as io:
        (c,) = evaluator.run(None, {"a": A, "b": A}, context=RuntimeContext(io_allocator=io))
    np.testing.assert_array_equal(c, [2, 2, 2])
    with pytest.raises(goruntime.ClosedError):
        evaluator.run(None, {"a": A, "b": A})


def test_dlpack_inputs(bench):
    class Tensor:
        def __init__(self, array: np.ndarray) -> None:
            self.array = array

        def __dlpack__(self, **options: object) -> object:
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self) -> tuple[int, int]:
            return self.array.__dlpack_device__()

    (c,) = bench.open("add").run(None, {"a": Tensor(A), "b": A})
    again = np.from_dlpack(c)
    assert again.ctypes.data == c.ctypes.data
    np.testing.assert_array_equal(again, [2, 2, 2])


def test_bfloat16_through_ml_dtypes():
    import ml_dtypes
    from onnx import TensorProto, helper

    info = helper.make_tensor_value_info
    graph = helper.make_graph([helper.make_node("Add", ["x", "x"], ["y"])], "g", [info("x", TensorProto.BFLOAT16, [2])],
                              [info("y", TensorProto.BFLOAT16, [2])])  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (y,) = ReferenceEvaluator(model).run(None, {"x": np.array([1.5, 2], ml_dtypes.bfloat16)})
    assert y.dtype == ml_dtypes.bfloat16
    assert y.tolist() == [3, 4]


def test_run_looks_like_the_method_in_python(bench):
    """The descriptor that replaces it has its signature and docstring."""
    bench.open("add")
    tree = ast.parse(pathlib.Path(goruntime.evaluator.__file__).read_text())
    written = next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "run")
    shown = inspect.signature(ReferenceEvaluator.run)
    args = written.args
    assert list(shown.parameters) == [a.arg for a in (*args.args, *args.kwonlyargs)]
    assert [p.name for p in shown.parameters.values() if p.kind is p.KEYWORD_ONLY] == [a.arg for a in args.kwonlyargs]
    defaults = [ast.literal_eval(d) for d in (*args.defaults, *args.kw_defaults)]
    assert [p.default for p in shown.parameters.values() if p.default is not p.empty] == defaults
    assert inspect.cleandoc(ReferenceEvaluator.run.__doc__) == ast.get_docstring(written)


def test_every_way_to_call_run_gives_the_same(bench, path):
    class Doubling(ReferenceEvaluator):
        def run(self, *args, **kwargs):
            return [2 * y for y in super().run(*args, **kwargs)]

    ev, feeds = bench.open("add"), {"a": A, "b": A}
    for run in (ev.run, functools.partial(ReferenceEvaluator.run, ev), getattr(ev, "run")):  # noqa: B009
        assert run(None, feeds)[0].tolist() == [2, 2, 2]
        assert run(None, feed_inputs=feeds)[0].tolist() == [2, 2, 2]
        assert run(output_names=["c"], feed_inputs=feeds, timeout=9)[0].tolist() == [2, 2, 2]
        assert run(None, feeds, None, True)["c"].tolist() == [2, 2, 2]
        assert run(None, feeds, None, False, True)[0].tolist() == [2, 2, 2]
    assert Doubling(path("add")).run(None, feeds)[0].tolist() == [4, 4, 4]
    for wrong in ((), (None,), (None, feeds, None, False, True, 1), (None,) * 40):
        with pytest.raises(TypeError):
            ev.run(*wrong)
    with pytest.raises(TypeError, match="ReferenceEvaluator"):
        ReferenceEvaluator.run(3, None, feeds)
