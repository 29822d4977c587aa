"""goruntime score: files in, files out, nothing half-written."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pytest
from onnx import TensorProto, helper, load, numpy_helper, save
from pyarrow import csv, ipc, parquet

from goruntime import _mapped, _sink, _tables

MODELS = pathlib.Path(__file__).resolve().parents[1] / "models"
X = np.arange(40000, dtype=np.float32)


def run(*args: object, before: str = "", **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", f"{before}from goruntime.cli import main; main()", "score", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, **options)  # type: ignore[call-overload]


def write(table: pa.Table, path: pathlib.Path) -> None:
    if path.suffix == ".parquet":
        parquet.write_table(table, path, row_group_size=7000)
    elif path.suffix == ".csv":
        csv.write_csv(table, path)
    else:
        with (ipc.new_file if path.suffix == ".arrow" else ipc.new_stream)(str(path), table.schema) as writer:
            writer.write_table(table, max_chunksize=9000)


@pytest.fixture
def table() -> pa.Table:
    return pa.table({"x": X, "id": np.arange(len(X))})


@pytest.mark.parametrize("form", ["parquet", "arrow", "arrows", "csv"])
def test_every_format(tmp_path, table, form):
    source = tmp_path / f"in.{form}"
    write(table, source)
    out = tmp_path / f"out.{form}"
    done = run(MODELS / "double.onnx", source, source, "-o", out, "--keep", "id")
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
    parquet.write_table(pa.table({"x": [1, 2]}), tmp_path / "whole.parquet")
    stderr = run(MODELS / "double.onnx", tmp_path / "whole.parquet", "-o", out).stderr
    assert '"x": i64 given, f32 expected: convert it before it is fed; --cast converts columns of numbers' in stderr
    assert f"Error: {tmp_path / 'whole.parquet'}: " in run(MODELS / "double.onnx", tmp_path / "whole.parquet", "-o", out).stderr
    nowhere = tmp_path / "none" / "out.csv"
    assert f"-o {nowhere}: there is no folder {nowhere.parent}" in run(MODELS / "double.onnx", tmp_path / "in.parquet", "-o", nowhere).stderr
    assert ".csv expected" in run(MODELS / "double.onnx", tmp_path / "in.parquet", "-o", tmp_path / "out.txt").stderr
    assert "COLUMN=NUMBER expected" in run(MODELS / "double.onnx", tmp_path / "in.parquet", "-o", out, "--fill", "x").stderr


@pytest.mark.parametrize("form", ["parquet", "arrow", "arrows", "csv"])
def test_a_file_that_is_damaged_is_named(tmp_path, table, form):
    """Of many files, and in a long one by where: an error counts rows from there."""
    files = [tmp_path / f"{i}.{form}" for i in range(3)]
    for file in files:
        write(table, file)
    out = tmp_path / "out.parquet"
    whole = files[1].read_bytes()
    for text in (whole[: len(whole) * 2 // 3], b"", b"no table at all"):
        files[1].write_bytes(text)
        out.unlink(missing_ok=True)
        done = run(MODELS / "double.onnx", *files, "-o", out)
        cut = form == "csv" and text == whole[: len(whole) * 2 // 3]  # which may end at a number
        assert cut or (done.returncode == 1 and f"Error: {files[1]}: " in done.stderr), done.stderr
        assert "Traceback" not in done.stderr
        assert cut or not out.exists()
    holes = table.set_column(0, "x", pa.array([None if i == 33000 else float(i) for i in range(len(table))], pa.float32()))
    write(holes, files[1])
    done = run(MODELS / "double.onnx", *files, "-o", tmp_path / "holes.parquet")
    first, row = re.search(rf"Error: {re.escape(str(files[1]))}(?:, the batch from row (\d+) on)?: the column 'x' is null in row (\d+)", done.stderr).groups()
    assert int(first or 0) + int(row) == 33000


@pytest.mark.parametrize("form", ["parquet", "arrow", "arrows", "csv"])
def test_a_full_disk_leaves_nothing(tmp_path, table, form):
    """The system refuses what passes a limit as it refuses what passes a disk."""
    write(pa.concat_tables([table] * 20), tmp_path / "in.parquet")
    out = tmp_path / "folder" / f"out.{form}"
    out.parent.mkdir()
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)); "
    done = run(MODELS / "double.onnx", tmp_path / "in.parquet", "-o", out, "--keep", "id", before=limit)
    assert done.returncode == 1
    assert f"Error: {out}: " in done.stderr
    assert "too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(out.parent.iterdir()) == []


def test_text_is_read_as_the_model_has_it(tmp_path):
    """CSV has no types: columns are those of their inputs, also where a file begins with other numbers, or has no rows."""
    source, out = tmp_path / "in.csv", tmp_path / "out.parquet"
    whole = "\n".join(map(str, range(200_000)))  # more than is looked at for types
    source.write_text(f"x\n{whole}\n0.5\n16777217\n")
    done = run(MODELS / "double.onnx", source, "-o", out)
    assert done.returncode == 0, done.stderr
    y = parquet.read_table(out).column("y").to_numpy()
    np.testing.assert_array_equal(y, 2 * np.array([*range(200_000), 0.5, 16777217], np.float32))
    source.write_text("x\n1\nzwei\n")
    done = run(MODELS / "double.onnx", source, "-o", out)
    assert done.returncode == 1
    assert f"Error: {source}: " in done.stderr
    assert "'zwei'" in done.stderr


def test_nulls_are_filled(tmp_path):
    parquet.write_table(pa.table({"x": pa.array([1, None, 3], pa.float32())}), tmp_path / "in.parquet")
    done = run(MODELS / "double.onnx", tmp_path / "in.parquet", "-o", tmp_path / "out.parquet", "--fill", "x=5")
    assert done.returncode == 0, done.stderr
    assert parquet.read_table(tmp_path / "out.parquet").column("y").to_pylist() == [2, 10, 6]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_nothing(tmp_path, number):
    with parquet.ParquetWriter(tmp_path / "in.parquet", pa.schema([("v0", pa.list_(pa.float32(), 256))])) as writer:
        rows = pa.record_batch({"v0": pa.FixedSizeListArray.from_arrays(pa.array(np.ones(256 * 4096, np.float32)), 256)})
        for _ in range(24):
            writer.write_batch(rows)
    command = [sys.executable, "-c", "from goruntime.cli import main; main()", "score", str(MODELS / "slow.onnx"), str(tmp_path / "in.parquet"), "-o",
               str(tmp_path / "out.parquet"), "--quiet"]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    for _ in range(200):
        if list(tmp_path.glob("out.parquet.*.part")) or process.poll() is not None:
            break
        time.sleep(0.05)
    os.kill(process.pid, number)
    _, text = process.communicate(timeout=60)
    assert process.returncode == {signal.SIGINT: 1, signal.SIGTERM: 143}[number], text
    assert number == signal.SIGTERM or "Aborted" in text or "KeyboardInterrupt" in text
    assert "Traceback" not in text
    assert {p.name for p in tmp_path.iterdir()} == {"in.parquet"}


def test_what_a_killed_run_leaves_is_removed_by_the_next(tmp_path, table):
    source, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    parquet.write_table(table, source)
    killed = "import os, pathlib, sys; from goruntime._sink import writing\nwith writing(pathlib.Path(sys.argv[1])): os.kill(os.getpid(), 9)"
    assert subprocess.run([sys.executable, "-c", killed, str(out)], timeout=60).returncode == -signal.SIGKILL
    (left,) = tmp_path.glob("out.parquet.*.part")
    others = {tmp_path / "out.parquet.notes.part", tmp_path / "another.parquet.7.part"}
    for other in others:
        other.write_text("not of such a run")
    with contextlib.suppress(KeyboardInterrupt), _sink.writing(out):  # somebody writes the same file meanwhile
        (held,) = set(tmp_path.glob("out.parquet.*.part")) - {left} - others
        done = run(MODELS / "double.onnx", source, "-o", out, "--quiet")
        assert done.returncode == 0, done.stderr
        assert done.stderr.split() == f"removed {left}, which a run that was killed had left".split()
        assert held.exists()
        assert set(tmp_path.iterdir()) == {source, out, held, *others}
        raise KeyboardInterrupt
    assert set(tmp_path.iterdir()) == {source, out, *others}


def test_nothing_is_written_over_what_is_read(tmp_path, table):
    source = tmp_path / "in.parquet"
    parquet.write_table(table, source)
    done = run(MODELS / "double.onnx", source, "-o", source)
    assert "is one of the files that are read" in done.stderr
    assert parquet.read_table(source) == table
    (tmp_path / "bad.parquet").write_bytes(b"no parquet")
    assert "Traceback" not in run(MODELS / "double.onnx", tmp_path / "bad.parquet", "-o", tmp_path / "out.parquet").stderr


def test_what_cannot_be_read_together_or_written_is_told(tmp_path):
    source, out = tmp_path / "in.parquet", tmp_path / "out.csv"
    parquet.write_table(pa.table({"a": pa.array([1.0]), "b": pa.array([1], pa.float32()), "c": pa.array([1], pa.float32())}), source)
    done = run(MODELS / "fixed.onnx", source, "-o", out, "--input", "x=a,b,c", "--quiet")
    assert "the columns of the input 'x' are not of one type, 'a' is float64 and 'b' is float32" in done.stderr
    done = run(MODELS / "fixed.onnx", source, "-o", out, "--input", "x=a,b,c", "--cast", "--quiet")
    assert done.stderr == f"Error: {out}: CSV has no lists, which the columns ['y'] are: write .parquet or .arrow, or leave them out\n"
    assert set(tmp_path.iterdir()) == {source}


@pytest.mark.parametrize("form", ["parquet", "arrow", "arrows", "csv"])
def test_no_rows_give_no_rows(tmp_path, form):
    source, out = tmp_path / f"in.{form}", tmp_path / "out.parquet"
    empty = pa.table({"id": pa.array([], pa.int64()), "x": pa.array([], pa.float32())})
    if form == "parquet":
        parquet.write_table(empty, source)
    elif form == "csv":
        source.write_text("id,x\n")
    else:
        with (ipc.new_file if form == "arrow" else ipc.new_stream)(str(source), empty.schema):
            pass
    done = run(MODELS / "double.onnx", source, "-o", out, "--keep", "id")
    assert done.returncode == 0, done.stderr
    assert parquet.read_schema(out).names == ["id", "y"]
    assert parquet.read_metadata(out).num_rows == 0


@pytest.fixture
def features(tmp_path) -> tuple[pathlib.Path, np.ndarray]:
    """A model y = x @ w of an input [N, 4], and a file whose columns a..d are its x
    beside others."""
    w = np.array([[1], [10], [100], [1000]], np.float32)
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 4])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 1])], [numpy_helper.from_array(w, "w")])  # fmt: skip
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    x = np.arange(40, dtype=np.float32).reshape(10, 4) % 10
    columns = {"note": pa.array(["text"] * 10), "f_a": x[:, 0], "f_b": x[:, 1], "id": np.arange(10), "f_c": x[:, 2], "f_d": x[:, 3]}
    parquet.write_table(pa.table(columns), tmp_path / "in.parquet")
    return tmp_path, x @ w[:, 0]


def test_columns_are_named_for_an_input(features):
    folder, want = features
    arguments = (folder / "m.onnx", folder / "in.parquet", "-o", folder / "out.parquet")
    for options in (["--input", "x=f_*"], ["--input", "x=f_a,f_b,f_c,f_d", "--keep", "id"], ["--keep", "id", "--keep", "note"]):
        done = run(*arguments, *options)
        assert done.returncode == 0, done.stderr
        np.testing.assert_array_equal(parquet.read_table(folder / "out.parquet").column("y").to_numpy(), want)
    assert parquet.read_schema(folder / "out.parquet").names == ["id", "note", "y"]
    for options, text in (
        (["--input", "x=g_*"], "no column matches 'g_*'; there are 'note', 'f_a'"),
        (["--input", "x"], "--input x: INPUT=COLUMN,... expected"),
        (["--input", "x=f_a,f_z"], "the batch has no columns ['f_z']"),
        (["--keep", "none"], "there are no columns ['none'] to keep"),
        ([], "no columns for the inputs ['x']"),
    ):
        done = run(*arguments, *options)
        assert done.returncode != 0
        assert text in done.stderr
        assert "Traceback" not in done.stderr


def test_the_manifest_beside_a_model_is_followed(features):
    folder, want = features
    parquet.write_table(pa.table({f"f_{c}": pa.array([1, None], pa.float64()) for c in "abcd"}), folder / "nulls.parquet")
    manifest = {"inputs": {"x": {"columns": ["f_a", "f_b", "f_c", "f_d"], "cast": True, "fill": 2}}, "outputs": [{"value": "y", "column": "score"}],
                "limits": {"rows": 1}}  # fmt: skip
    (folder / "m.manifest.json").write_text(json.dumps(manifest))
    for name, answer in (("in", want), ("nulls", [1111, 2222])):
        done = run(folder / "m.onnx", folder / f"{name}.parquet", "-o", folder / "out.parquet")
        assert done.returncode == 0, done.stderr
        found = parquet.read_table(folder / "out.parquet")
        assert found.schema.names == ["score"]
        np.testing.assert_array_equal(found.column("score").to_numpy(), answer)
    for text, message in (
        (json.dumps({**manifest, "sha256": "ab"}), "the manifest beside it says ab"),
        ("[]", "is no manifest"),
        ("[" * 100000, "is no manifest: RecursionError"),
        ('{"output": []}', "the field 'output' is unknown"),
        ('{"inputs": {"x": {"fil": 2}}}', "the field 'fil' is unknown"),
        ('{"inputs": {"x": {"columns": "f_a"}}}', "the field 'columns' is 'f_a', a list expected"),
        ('{"inputs": {"x": {"cast": "no"}}}', "the field 'cast' is 'no', a bool expected"),
        ('{"outputs": [{"value": 3}]}', "the field 'value' is 3, a str expected"),
        (json.dumps({"outputs": [{"value": "y"}, {"value": "y", "column": "again"}]}), "name each value once"),
    ):
        (folder / "m.manifest.json").write_text(text)
        done = run(folder / "m.onnx", folder / "in.parquet", "-o", folder / "out.parquet")
        assert done.returncode == 1
        assert message in done.stderr
        assert "Traceback" not in done.stderr


def test_weights_outside_the_model_have_a_checksum(features):
    folder, want = features
    save(load(folder / "m.onnx"), folder / "w.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    command = [sys.executable, "-c", "from goruntime.cli import main; main()", "manifest", str(folder / "w.onnx")]
    subprocess.run(command, check=True, capture_output=True)
    written = json.loads((folder / "w.manifest.json").read_text())
    digests = [hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("w.onnx", "w.bin")]
    assert [written["sha256"], written["weights"]] == [digests[0], {"w.bin": digests[1]}]
    arguments = (folder / "w.onnx", folder / "in.parquet", "-o", folder / "out.parquet", "--input", "x=f_*")
    assert run(*arguments).returncode == 0
    np.testing.assert_array_equal(parquet.read_table(folder / "out.parquet")["y"].to_numpy(), want)
    weights = bytearray((folder / "w.bin").read_bytes())
    weights[0] ^= 1
    (folder / "w.bin").write_bytes(weights)
    assert f"the SHA-256 of {folder / 'w.bin'} is " in run(*arguments).stderr
    (folder / "w.manifest.json").write_text('{"weights": {"w.bin": 5}}')
    assert "the field 'weights' has 5 for 'w.bin', a str expected" in run(*arguments).stderr


@pytest.mark.parametrize("form", ["parquet", "arrow", "arrows"])
def test_files_without_rows_among_others(tmp_path, form):
    """Their lists do not tell how long they are, so that they say nothing of the output."""
    lists = pa.table({"x": pa.array([[1, 2], [3, 4]], pa.list_(pa.float32()))})
    for name, table in {"none": lists.slice(0, 0), "some": lists, "more": lists.slice(1)}.items():
        write(table, tmp_path / f"{name}.{form}")
    files = [tmp_path / f"{name}.{form}" for name in ("none", "some", "none", "more")]
    done = run(MODELS / "double.onnx", *files, "-o", tmp_path / "out.parquet")
    assert done.returncode == 0, done.stderr
    assert parquet.read_table(tmp_path / "out.parquet")["y"].to_pylist() == [[2, 4], [6, 8], [6, 8]]


def test_files_of_two_schemas_are_refused(tmp_path, table):
    parquet.write_table(table, tmp_path / "a.parquet")
    parquet.write_table(table.set_column(1, "id", pa.array(["text"] * len(table))), tmp_path / "b.parquet")
    done = run(MODELS / "double.onnx", tmp_path / "a.parquet", tmp_path / "b.parquet", "-o", tmp_path / "out.parquet", "--keep", "id")
    assert done.returncode == 1
    assert "b.parquet: its answers have the schema" in done.stderr
    assert not (tmp_path / "out.parquet").exists()


def test_progress_is_shown_beside_the_output(tmp_path, table):
    parquet.write_table(table, tmp_path / "in.parquet")
    done = run(MODELS / "double.onnx", tmp_path / "in.parquet", "-o", tmp_path / "out.parquet", env={**os.environ, "COLUMNS": "200"})
    assert done.returncode == 0
    assert "40000/40000" in done.stderr
    assert done.stdout == ""


MAPPED = {
    "numbers": pa.array(range(50), pa.int16()),
    "numbers and nulls": pa.array([None if i % 3 else float(i) for i in range(50)]),
    "bits": pa.array([None if i % 5 == 0 else i % 2 == 0 for i in range(50)]),
    "strings": pa.array([None if i % 7 == 0 else "ä" * (i % 4) for i in range(50)]),
    "large strings": pa.array(["x" * (i % 4) for i in range(50)], pa.large_string()),
    "bytes": pa.array([b"y" * (i % 3) for i in range(50)]),
    "fixed-size lists": pa.array([None if i == 9 else [i, None, i + 1] for i in range(50)], pa.list_(pa.float32(), 3)),
    "lists of lists": pa.array([None if i == 9 else [[i], [], None] * (i % 3) for i in range(50)], pa.list_(pa.list_(pa.int8()))),
    "large lists": pa.array([[i] * 2 for i in range(50)], pa.large_list(pa.float64())),
    "a dictionary": pa.array([["a", "b", None][i % 3] for i in range(50)]).dictionary_encode(),
    "tensors": pa.FixedShapeTensorArray.from_numpy_ndarray(np.arange(200, dtype=np.float32).reshape(50, 2, 2)),
    "dates": pa.array(range(50), pa.date32()),
    "decimals": pa.array(range(50), pa.decimal128(9, 2)),
    "bytes of one length": pa.array([None if i % 6 == 0 else bytes([i] * 3) for i in range(50)], pa.binary(3)),
    "structs": pa.array([{"a": i} for i in range(50)]),
    "structs and nulls": pa.array([None if i % 4 == 0 else {"a": None if i % 3 == 0 else i, "b": [{"c": "d" * (i % 5)}] * (i % 3)} for i in range(50)]),
    "no fields": pa.array([{}] * 50, pa.struct([])),
    "maps": pa.array([None if i == 9 else [("k" * j, float(j)) for j in range(i % 4)] for i in range(50)], pa.map_(pa.string(), pa.float32())),
    "nothing": pa.nulls(50),
}


@pytest.mark.parametrize("rows", [1, 7, 8, 50])
@pytest.mark.parametrize("name", MAPPED)
def test_parts_of_mapped_files_are_what_was_written(tmp_path, monkeypatch, name, rows):
    monkeypatch.setattr(_tables, "ROWS", rows)
    batch = pa.record_batch({"c": MAPPED[name]})
    for suffix, new in ((".arrow", ipc.new_file), (".arrows", ipc.new_stream)):
        for compression in (None, "lz4"):
            path = tmp_path / f"in{suffix}"
            with new(str(path), batch.schema, options=ipc.IpcWriteOptions(compression=compression)) as writer:
                writer.write_batch(batch)
                writer.write_batch(batch.slice(3))
            parts = list(_tables.Source(path).batches(lambda schema: schema.names))
            for part in parts:
                part.validate(full=True)
            assert max(part.num_rows for part in parts) == rows
            assert pa.Table.from_batches(parts).combine_chunks() == pa.Table.from_batches([batch, batch.slice(3)]).combine_chunks()


@pytest.mark.parametrize("name", sorted(set(MAPPED) - {"a dictionary", "no fields"}))
def test_values_of_mapped_files_lie_in_memory_of_their_own(tmp_path, name):
    path, table = tmp_path / "in.arrow", pa.table({"c": MAPPED[name]})
    with ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)
    with _mapped.Mapped(path) as mapped, ipc.open_file(mapped.source) as file:
        whole = file.get_batch(0).column(0)
        begin, end = mapped._whole.address, mapped._whole.address + mapped._whole.size
        in_map = [[b for b in array.buffers() if b is not None and b.size and begin <= b.address < end] for array in (whole, mapped.read(whole.slice(3, 40)))]
        assert in_map[0] or name == "nothing"
        assert not in_map[1]
        del whole, in_map


@pytest.mark.parametrize("kind", ["lists", "texts"])
def test_wide_rows_make_small_batches(tmp_path, kind):
    """What is read at once is bounded in bytes, not in rows."""
    size = 262144
    column = {
        "lists": pa.FixedSizeListArray.from_arrays(pa.array(np.ones(size // 4 * 200, np.float32)), size // 4),
        "texts": pa.array(["x" * size] * 200),
    }[kind]
    parquet.write_table(pa.table({"a.b": column, "id": np.arange(200)}), tmp_path / "in.parquet", use_dictionary=False)
    source = _tables.Source(tmp_path / "in.parquet")
    read = list(source.batches(lambda schema: ["a.b"]))
    assert all(b.schema.names == ["a.b"] for b in read)
    assert sum(b.num_rows for b in read) == 200
    assert max(b.num_rows for b in read) * size <= _tables.BYTES
    assert [b.num_rows for b in source.batches(lambda schema: ["id"])] == [200]


def test_thousands_of_columns_are_read_in_bounded_memory(tmp_path):
    """What is read of a column at once shrinks as columns grow in number."""
    width, rows = 3000, 2000
    table = pa.table({f"c{i}": np.full(rows, i, np.float32) for i in range(width)})
    parquet.write_table(table, tmp_path / "in.parquet", use_dictionary=False, compression="none")
    read = pa.Table.from_batches(_tables.Source(tmp_path / "in.parquet").batches(lambda schema: schema.names))
    assert read == table


def test_batches_of_a_row_make_whole_groups(tmp_path):
    """However many there are, few wait for their group."""
    count = 5 * _sink.MANY + 3
    with _sink.writing(tmp_path / "out.parquet") as sink:
        for i in range(count):
            sink.write(pa.record_batch({"y": [i], "s": [str(i)]}), tmp_path / "in.arrows")
            assert len(sink.waiting) + len(sink.small) <= _sink.MANY + 5
    with parquet.ParquetFile(tmp_path / "out.parquet") as file:
        assert file.metadata.num_row_groups == 1
        assert file.read().to_pydict() == {"y": list(range(count)), "s": [str(i) for i in range(count)]}
