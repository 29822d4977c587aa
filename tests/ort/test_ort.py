"""goruntime.ort beside onnxruntime: the same calls, the same answers, the same names
of what goes wrong."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import threading
import time

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from goruntime import ort

MODELS = pathlib.Path(__file__).resolve().parents[1] / "models"
X = np.array([-1, 2, 3], np.float32)
BOTH = pytest.mark.parametrize("module", [ort, onnxruntime], ids=["ours", "theirs"])


def path(name):
    return str(MODELS / f"{name}.onnx")


def session(module, name, **options):
    return module.InferenceSession(path(name), providers=["CPUExecutionProvider"], **options)


def default_model():
    """An input with a default, dimensions of all kinds, metadata."""
    f = TensorProto.FLOAT
    graph = helper.make_graph(
        [helper.make_node("Mul", ["x", "scale"], ["y"])], "the graph",
        [helper.make_tensor_value_info("x", f, ["N", 3]), helper.make_tensor_value_info("scale", f, [1])], [helper.make_tensor_value_info("y", f, ["N", 3])],
        [numpy_helper.from_array(np.array([2], np.float32), "scale")],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    model.producer_name, model.domain, model.doc_string, model.model_version = "maker", "d", "doc", 3
    helper.set_model_props(model, {"names": "a,b"})
    return model.SerializeToString()


@BOTH
def test_descriptions(module):
    s = module.InferenceSession(default_model(), providers=["CPUExecutionProvider"])
    assert [(i.name, i.type, i.shape) for i in s.get_inputs()] == [("x", "tensor(float)", ["N", 3])]
    assert [(i.name, i.shape) for i in s.get_overridable_initializers()] == [("scale", [1])]
    assert [(o.name, o.type, o.shape) for o in s.get_outputs()] == [("y", "tensor(float)", ["N", 3])]
    meta = s.get_modelmeta()
    assert (meta.producer_name, meta.graph_name, meta.domain, meta.description, meta.version) == ("maker", "the graph", "d", "doc", 3)
    assert meta.custom_metadata_map == {"names": "a,b"}
    assert s.get_providers()[-1] == "CPUExecutionProvider"
    assert "CPUExecutionProvider" in module.get_available_providers()
    assert module.get_device() == "CPU"


@BOTH
def test_runs(module):
    s = module.InferenceSession(default_model(), providers=["CPUExecutionProvider"])
    x = np.ones((2, 3), np.float32)
    for names in (None, [], ["y"]):
        (y,) = s.run(names, {"x": x})
        np.testing.assert_array_equal(y, 2 * x)
    (y,) = s.run(None, {"x": x, "scale": np.array([5], np.float32)})
    np.testing.assert_array_equal(y, 5 * x)
    (y,) = session(module, "strings").run(None, {"s": np.array(["a"], object), "t": np.array(["ß"], object)})
    assert y.tolist() == ["a", "ß"]
    (value,) = s.run_with_ort_values(None, {"x": module.OrtValue.ortvalue_from_numpy(x)})
    np.testing.assert_array_equal(value.numpy(), 2 * x)


@BOTH
def test_what_goes_wrong_has_the_same_name(module):
    state = "InvalidArgument"
    s = session(module, "fixed")
    x = np.ones((2, 3), np.float32)
    for feeds in ({"x": x.astype(np.float64)}, {"x": np.ones((2, 4), np.float32)}, {"x": np.ones(3, np.float32)}):
        with pytest.raises(Exception) as raised:  # noqa: PT011
            s.run(None, feeds)
        assert type(raised.value).__name__ == state
    with pytest.raises(Exception) as raised:  # noqa: PT011
        s.run(None, {"z": x, "x": x})
    assert type(raised.value).__name__ in (state, "ValueError")
    with pytest.raises(Exception) as raised:  # noqa: PT011
        s.run(["z"], {"x": x})
    assert type(raised.value).__name__ in (state, "Fail")
    with pytest.raises(Exception) as raised:  # noqa: PT011
        module.InferenceSession("nowhere.onnx", providers=["CPUExecutionProvider"])
    assert type(raised.value).__name__ == "NoSuchFile"
    (y,) = s.run(None, {"x": x})
    np.testing.assert_array_equal(y, x)


def test_arguments_of_another_kind_are_refused():
    s = session(ort, "add")
    with pytest.raises(ort.InvalidArgument, match="output_names: a list of names or None expected, the str 'c' given"):
        s.run("c", {"a": X, "b": X})
    with pytest.raises(ort.InvalidArgument, match="input_feed: a dict of values by name expected, list given"):
        s.run(None, [X, X])


def test_names_of_our_own_failures():
    with pytest.raises(ort.InvalidGraph):
        ort.InferenceSession(b"no model at all")
    with pytest.raises(ort.NoModel):
        ort.InferenceSession(b"")
    unknown = helper.make_model(helper.make_graph([helper.make_node("Nothing", ["x"], ["y"])], "g", [helper.make_tensor_value_info("x", 1, None)],
                                                  [helper.make_tensor_value_info("y", 1, None)]), opset_imports=[helper.make_opsetid("", 18)])  # fmt: skip
    with pytest.raises(ort.NotImplemented, match=r"Nothing \(opset 18\)"):
        ort.InferenceSession(unknown.SerializeToString())


@BOTH
def test_bound_inputs_and_outputs(module):
    s = session(module, "double")
    binding = s.io_binding()
    binding.bind_cpu_input("x", X)
    binding.bind_output("y")
    s.run_with_iobinding(binding)
    np.testing.assert_array_equal(binding.copy_outputs_to_cpu()[0], 2 * X)
    np.testing.assert_array_equal(binding.get_outputs()[0].numpy(), 2 * X)
    into = module.OrtValue.ortvalue_from_numpy(np.zeros(3, np.float32))
    binding.clear_binding_outputs()
    binding.bind_ortvalue_output("y", into)
    x = module.OrtValue.ortvalue_from_numpy(X)
    binding.bind_ortvalue_input("x", x)
    s.run_with_iobinding(binding)
    np.testing.assert_array_equal(into.numpy(), 2 * X)
    out = np.zeros(3, np.float32)
    binding.bind_output("y", "cpu", 0, np.float32, [3], out.ctypes.data)
    binding.bind_input("x", "cpu", 0, np.float32, [3], X.ctypes.data)
    s.run_with_iobinding(binding)
    np.testing.assert_array_equal(out, 2 * X)


@BOTH
def test_values(module):
    v = module.OrtValue.ortvalue_from_numpy(X.copy())
    assert (v.shape(), v.data_type(), v.element_type(), v.device_name()) == ([3], "tensor(float)", 1, "cpu")
    assert v.has_value()
    assert v.is_tensor()
    assert not v.is_tensor_sequence()
    v.update_inplace(np.array([7, 8, 9], np.float32))
    assert v.numpy().tolist() == [7, 8, 9]
    made = module.OrtValue.ortvalue_from_shape_and_type([2, 3], np.int64, "cpu", 0)
    assert (made.shape(), made.data_type()) == ([2, 3], "tensor(int64)")
    assert made.data_ptr() % 8 == 0


@BOTH
def test_values_that_are_no_tensors(module):
    """A sequence of tensors and, as classifiers give it, one of maps."""
    f = TensorProto.FLOAT
    held = helper.make_sequence_type_proto(helper.make_map_type_proto(TensorProto.INT64, helper.make_tensor_type_proto(f, None)))
    both = helper.make_sequence_type_proto(helper.make_tensor_type_proto(f, None))
    nodes = [
        helper.make_node("ZipMap", ["x"], ["maps"], domain="ai.onnx.ml", classlabels_int64s=[4, 5, 6]),
        helper.make_node("SequenceConstruct", ["x"], ["tensors"]),
    ]
    outputs = [helper.make_value_info("maps", held), helper.make_value_info("tensors", both)]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", f, [1, 3])], outputs)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 1)]
    s = module.InferenceSession(helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString(), providers=["CPUExecutionProvider"])
    maps, tensors = s.run_with_ort_values(None, {"x": module.OrtValue.ortvalue_from_numpy(X[None])})
    assert (maps.data_type(), tensors.data_type()) == ("seq(map(int64,tensor(float)))", "seq(tensor(float))")
    assert (maps.is_tensor_sequence(), tensors.is_tensor_sequence()) == (False, True)
    assert (maps.is_tensor(), tensors.is_tensor()) == (False, False)
    assert tensors.element_type() == 1
    for ask in (maps.shape, tensors.shape, maps.element_type, maps.tensor_size_in_bytes):
        with pytest.raises(RuntimeError):
            ask()


def test_types_of_values():
    from goruntime import dtypes

    assert ort.OrtValue(np.array(["a"])).data_type() == "tensor(string)"
    assert ort.OrtValue({"a": 1}).data_type() == "map(string,tensor(int64))"
    assert [dtypes.number_declared(f"tensor({name})") for name in dtypes.SCHEMA[1:]] == list(range(1, len(dtypes.SCHEMA)))
    for number, name in enumerate(dtypes.NUMPY[1:], 1):
        assert dtypes.number_of(dtypes.numpy_of(number)) == number
        assert name == "str" or np.dtype(helper.tensor_dtype_to_np_dtype(number)).name == name
    with pytest.raises(ValueError, match=r"the element type 99: a TensorProto.DataType from 1 to 28 expected"):
        ort.OrtValue.ortvalue_from_shape_and_type([1], 99)


def test_values_over_dlpack():
    v = ort.OrtValue.ortvalue_from_numpy(X)
    assert np.shares_memory(np.from_dlpack(v), X)
    assert np.shares_memory(ort.OrtValue.from_dlpack(X).numpy(), X)


@BOTH
def test_settings_are_accepted(module):
    options = module.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.graph_optimization_level = module.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.execution_mode = module.ExecutionMode.ORT_SEQUENTIAL
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    assert options.get_session_config_entry("session.intra_op.allow_spinning") == "0"
    with pytest.raises(RuntimeError):
        options.get_session_config_entry("nothing")
    s = session(module, "double", sess_options=options)
    run = module.RunOptions()
    run.log_severity_level = 3
    run.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    (y,) = s.run(None, {"x": X}, run)
    np.testing.assert_array_equal(y, 2 * X)
    assert s.get_session_options().intra_op_num_threads == 1


@BOTH
def test_terminate_ends_a_run(module):
    s, options = session(module, "slow"), module.RunOptions()
    threading.Timer(0.05, lambda: setattr(options, "terminate", True)).start()
    x = np.ones((512, 256), np.float32)

    def again():
        for _ in range(200):
            s.run(None, {"v0": x}, options)

    with pytest.raises(Exception) as raised:  # noqa: PT011
        again()
    assert type(raised.value).__name__ == "Fail"
    options.terminate = False
    s.run(None, {"v0": x[:1]}, options)


def test_profiles_are_traces(tmp_path):
    options = ort.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = str(tmp_path / "profile")
    s = session(ort, "chain", sess_options=options)
    (y,) = s.run(None, {"x": X})
    np.testing.assert_array_equal(y, [0, 6, 12])
    with open(s.end_profiling()) as file:
        events = json.load(file)
    assert [e["args"]["op_name"] for e in events if e["cat"] == "Node"] == ["Relu", "Mul", "Add"]
    assert {e["ph"] for e in events} == {"X"}
    assert s.end_profiling() == ""


def test_async():
    done = threading.Event()
    found = []

    def callback(results, data, error):
        found.append((results, data, error))
        done.set()

    session(ort, "double").run_async(None, {"x": X}, callback, "mine")
    assert done.wait(10)
    ((y,), data, error) = found[0]
    np.testing.assert_array_equal(y, 2 * X)
    assert (data, error) == ("mine", "")


def test_the_rest_of_the_module():
    assert set(onnxruntime.__all__ if hasattr(onnxruntime, "__all__") else []) <= set(dir(ort)) | {"capi"}
    ort.set_default_logger_severity(3)
    ort.disable_telemetry_events()
    assert "goruntime" in ort.get_build_info()
    assert ort.OrtDevice.make("cpu", 0).device_type() == ort.OrtDevice.cpu()
    with pytest.raises(NotImplementedError, match="register_custom_kernel"):
        ort.SessionOptions().register_custom_ops_library("x.so")


def test_install_takes_the_place_of_onnxruntime():
    code = f"""
import goruntime.ort; goruntime.ort.install()
import onnxruntime as rt, numpy as np
from onnxruntime import InferenceSession, SessionOptions, GraphOptimizationLevel
from onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument
from onnxruntime.capi import onnxruntime_pybind11_state as state
s = InferenceSession({path("double")!r}, sess_options=SessionOptions(), providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
assert s.run(None, {{"x": np.ones(2, np.float32)}})[0].tolist() == [2, 2]
try:
    s.run(None, {{"x": np.ones(2)}})
except state.InvalidArgument as error:
    print("refused:", error)
assert tuple(map(int, rt.__version__.split("."))) >= (1, 20)
print(rt.__name__, s.get_providers())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert "refused: [goruntime] : 'x': f64 given, f32 expected" in done.stdout.replace('"x"', "'x'")
    assert "goruntime.ort ['CPUExecutionProvider']" in done.stdout
    late = "import onnxruntime, goruntime.ort; goruntime.ort.install()"
    done = subprocess.run([sys.executable, "-c", late], capture_output=True, text=True, timeout=60, check=False)
    assert "onnxruntime is imported already" in done.stderr


def test_a_loaded_model_is_a_proto_too():
    s = ort.InferenceSession(onnx.load(path("double")).SerializeToString())
    begin = time.monotonic()
    assert s.run(None, {"x": X})[0].tolist() == [-2, 4, 6]
    assert time.monotonic() - begin < 60


@BOTH
def test_misspelled_settings_are_refused(module):
    options = module.SessionOptions()
    with pytest.raises(AttributeError):
        options.intra_op_nm_threads = 3
    with pytest.raises(TypeError):
        options.intra_op_num_threads = "a"
    assert module.capi.onnxruntime_pybind11_state.InvalidArgument.__name__ == "InvalidArgument"


def test_bits_as_another_type():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    bits = np.array([0x3F80, 0xC000], np.uint16)
    value = ort.OrtValue.ortvalue_from_numpy_with_onnx_type(bits, 16)
    assert value.numpy().dtype == ml_dtypes.bfloat16
    assert value.numpy().astype(np.float32).tolist() == [1, -2]
    assert value.element_type() == 16
    assert value.tensor_size_in_bytes() == 4
    assert value.data_ptr() == bits.ctypes.data
    with pytest.raises(ValueError, match="not as wide as float32"):
        ort.OrtValue.ortvalue_from_numpy_with_onnx_type(bits, 1)
