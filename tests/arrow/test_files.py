"""goruntime score: files in, files out, nothing half-written."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, ipc, parquet

MODELS = pathlib.Path(__file__).resolve().parents[1] / "models"
X = np.arange(40000, dtype=np.float32)


def run(*args: object, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from goruntime.cli import main; main()", "score", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, **options)  # type: ignore[call-overload]


@pytest.fixture
def table() -> pa.Table:
    return pa.table({"x": X, "id": np.arange(len(X))})


@pytest.mark.parametrize("form", ["parquet", "arrow", "arrows", "csv"])
def test_every_format(tmp_path, table, form):
    source = tmp_path / f"in.{form}"
    if form == "parquet":
        parquet.write_table(table, source, row_group_size=7000)
    elif form == "csv":
        csv.write_csv(table, source)
    else:
        with (ipc.new_file if form == "arrow" else ipc.new_stream)(str(source), table.schema) as writer:
            writer.write_table(table, max_chunksize=9000)
    out = tmp_path / f"out.{form}"
    done = run(MODELS / "double.onnx", source, source, "-o", out, "--keep", "id", "--cast")
    assert done.returncode == 0, done.stderr
    if form == "parquet":
        found = parquet.read_table(out)
    elif form == "csv":
        found = csv.read_csv(out)
    else:
        found = (ipc.open_file if form == "arrow" else ipc.open_stream)(pa.memory_map(str(out))).read_all()
    assert found.schema.names == ["id", "y"]
    np.testing.assert_array_equal(found.column("y").to_numpy(), np.concatenate([2 * X, 2 * X]))
    np.testing.assert_array_equal(found.column("id").to_numpy(), np.concatenate([np.arange(len(X))] * 2))
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([source.name, out.name])


def test_errors_are_one_line_and_leave_nothing(tmp_path, table):
    parquet.write_table(table.rename_columns(["other", "id"]), tmp_path / "in.parquet")
    out = tmp_path / "out.parquet"
    out.write_bytes(b"what was there")
    done = run(MODELS / "double.onnx", tmp_path / "in.parquet", "-o", out)
    assert done.returncode == 1
    assert "no columns for the inputs ['x']" in done.stderr
    assert "Traceback" not in done.stderr
    assert out.read_bytes() == b"what was there"
    assert {p.name for p in tmp_path.iterdir()} == {"in.parquet", "out.parquet"}
    assert ".csv expected" in run(MODELS / "double.onnx", tmp_path / "in.parquet", "-o", tmp_path / "out.txt").stderr
    assert "COLUMN=NUMBER expected" in run(MODELS / "double.onnx", tmp_path / "in.parquet", "-o", out, "--fill", "x").stderr


def test_nulls_are_filled(tmp_path):
    parquet.write_table(pa.table({"x": pa.array([1, None, 3], pa.float32())}), tmp_path / "in.parquet")
    done = run(MODELS / "double.onnx", tmp_path / "in.parquet", "-o", tmp_path / "out.parquet", "--fill", "x=5")
    assert done.returncode == 0, done.stderr
    assert parquet.read_table(tmp_path / "out.parquet").column("y").to_pylist() == [2, 10, 6]


def test_an_interrupt_leaves_nothing(tmp_path):
    with parquet.ParquetWriter(tmp_path / "in.parquet", pa.schema([("v0", pa.list_(pa.float32(), 256))])) as writer:
        rows = pa.record_batch({"v0": pa.FixedSizeListArray.from_arrays(pa.array(np.ones(256 * 4096, np.float32)), 256)})
        for _ in range(8):
            writer.write_batch(rows)
    command = [sys.executable, "-c", "from goruntime.cli import main; main()", "score", str(MODELS / "slow.onnx"), str(tmp_path / "in.parquet"), "-o",
               str(tmp_path / "out.parquet"), "--quiet"]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    for _ in range(200):
        if (tmp_path / "out.parquet.part").exists() or process.poll() is not None:
            break
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    _, text = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "Aborted" in text or "KeyboardInterrupt" in text
    assert {p.name for p in tmp_path.iterdir()} == {"in.parquet"}


def test_nothing_is_written_over_what_is_read_and_no_rows_are_said(tmp_path):
    source = tmp_path / "in.parquet"
    parquet.write_table(pa.table({"x": pa.array([], pa.float32())}), source)
    done = run(MODELS / "double.onnx", source, "-o", source)
    assert "is one of the files that are read" in done.stderr
    done = run(MODELS / "double.onnx", source, "-o", tmp_path / "out.parquet")
    assert done.returncode == 1
    assert "the files have no rows" in done.stderr
    assert "Traceback" not in done.stderr
    (tmp_path / "bad.parquet").write_bytes(b"no parquet")
    assert "Traceback" not in run(MODELS / "double.onnx", tmp_path / "bad.parquet", "-o", tmp_path / "out.parquet").stderr
