"""A model and data whose answers NumPy has: y = x @ w + b for x of 16 columns."""

from __future__ import annotations

import dataclasses
import importlib.util
import pathlib

import numpy as np
import pyarrow as pa
import pytest
from onnx import TensorProto, helper, numpy_helper, save

ROWS, WIDTH = 20_000, 16

# The engines have an environment of their own: make test-distributed.
collect_ignore_glob = [] if importlib.util.find_spec("ray") else ["test_*.py"]


@dataclasses.dataclass
class Case:
    model: str
    table: pa.Table  # of id, x as a fixed_size_list
    want: np.ndarray  # by id


@pytest.fixture(scope="session")
def case(tmp_path_factory) -> Case:
    w = (np.arange(WIDTH * 2, dtype=np.float32) % 7).reshape(WIDTH, 2)
    graph = helper.make_graph(
        [helper.make_node("Gemm", ["x", "w", "b"], ["y"])], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", WIDTH])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 2])],
        [numpy_helper.from_array(w, "w"), numpy_helper.from_array(np.array([1, 2], np.float32), "b")],
    )  # fmt: skip
    path: pathlib.Path = tmp_path_factory.mktemp("model") / "model.onnx"
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    x = np.random.default_rng(3).integers(0, 9, (ROWS, WIDTH)).astype(np.float32)
    table = pa.table({"id": np.arange(ROWS), "x": pa.FixedSizeListArray.from_arrays(pa.array(x.reshape(-1)), WIDTH)})
    return Case(str(path), table, x @ w + np.array([1, 2], np.float32))
