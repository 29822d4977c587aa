"""goruntime score on files that are larger than the memory it may take."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from onnx import TensorProto, helper, numpy_helper, save
from pyarrow import ipc, parquet

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

COLUMNS = 64
ROWS = 8_000_000  # of 65 columns of 4 bytes: 2.08 GB
RESIDENT = 300 << 20
# The peak is of the process's own memory: what a child's usage says begins with its parent's.
MEASURED = """
import atexit
@atexit.register
def peak():
    print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")))
from goruntime.cli import main; main()
"""


def weights() -> np.ndarray:
    """The weight of each column: small whole numbers, so that answers are exact."""
    return (np.arange(COLUMNS, dtype=np.float32) % 5).reshape(-1, 1)


@pytest.fixture
def model(tmp_path) -> pathlib.Path:
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", COLUMNS])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 1])], [numpy_helper.from_array(weights(), "w")],
    )  # fmt: skip
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "model.onnx")
    return tmp_path / "model.onnx"


def write(path: pathlib.Path, rows: int) -> np.ndarray:
    """Write a file in groups of so many rows, all alike but for their ids; return the
    answers for one."""
    block = np.random.default_rng(5).integers(0, 8, (COLUMNS, rows)).astype(np.float32)
    schema = pa.schema([("id", pa.int32()), *((f"c{i}", pa.float32()) for i in range(COLUMNS))])
    opened = parquet.ParquetWriter(path, schema, compression="none", use_dictionary=False) if path.suffix == ".parquet" else ipc.new_file(str(path), schema)
    with opened as writer:
        for start in range(0, ROWS, rows):
            writer.write_batch(pa.record_batch([pa.array(np.arange(start, start + rows, dtype=np.int32)), *map(pa.array, block)], schema=schema))
    return weights()[:, 0] @ block


@pytest.mark.parametrize(("name", "rows"), [("many.parquet", 250_000), ("two.parquet", 4_000_000), ("two.arrow", 4_000_000)])
def test_two_gigabytes_take_300_megabytes(tmp_path, model, name, rows):
    """However large the groups of the file are."""
    source, out = tmp_path / name, tmp_path / "out.parquet"
    want = write(source, rows)
    assert source.stat().st_size > 2e9
    command = [sys.executable, "-c", MEASURED, "score", str(model), str(source), "-o", str(out), "--keep", "id"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env={**os.environ, "COLUMNS": "200"})
    source.unlink()
    assert done.returncode == 0, done.stderr
    assert f"{ROWS}/{ROWS}" in done.stderr
    peak = 1024 * int(done.stdout.split()[1])
    assert peak <= RESIDENT, f"{peak >> 20} MiB were resident"
    with parquet.ParquetFile(out) as file:
        assert file.metadata.num_rows == ROWS
        at = 0
        for batch in file.iter_batches(batch_size=rows):
            assert np.array_equal(batch.column("id").to_numpy(), np.arange(at, at + batch.num_rows))
            assert np.array_equal(batch.column("y").to_numpy(), want[np.arange(at, at + batch.num_rows) % rows])
            at += batch.num_rows
