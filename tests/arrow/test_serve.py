"""goruntime serve, as its clients see it: pyarrow's Flight client, a process of its own."""

from __future__ import annotations

import collections
import contextlib
import http.server
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import flight
from served import Served

MODELS = pathlib.Path(__file__).resolve().parents[1] / "models"


@pytest.fixture
def served(tmp_path):
    """A server with three models, which must stop cleanly."""
    shutil.copy(MODELS / "double.onnx", tmp_path / "double.onnx")
    for version in ("1", "2"):
        (tmp_path / "sum" / version).mkdir(parents=True)
        shutil.copy(MODELS / "sum.onnx", tmp_path / "sum" / version / "model.onnx")
    shutil.copy(MODELS / "chain.onnx", tmp_path / "chain.onnx")
    (tmp_path / "chain.manifest.json").write_text(json.dumps({"batching": {"max_rows": 256, "delay_us": 2000}}))
    server = Served(tmp_path)
    yield server
    server.stop()


def exchange(client: flight.FlightClient, path: list[str], batches: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    writer, reader = client.do_exchange(flight.FlightDescriptor.for_path(*path))
    answers = []
    with writer:
        writer.begin(batches[0].schema)
        for i, batch in enumerate(batches):
            writer.write_with_metadata(batch, pa.py_buffer(str(i).encode()))
            chunk = reader.read_chunk()
            assert chunk.app_metadata.to_pybytes() == str(i).encode()
            answers.append(chunk.data)
        writer.done_writing()
        with pytest.raises(StopIteration):
            reader.read_chunk()
    return answers


def test_pyarrow_scores(served):
    with flight.connect(served.uri) as client:
        paths = [[p.decode() for p in f.descriptor.path] for f in client.list_flights()]
        assert paths == [["chain", "1"], ["double", "1"], ["sum", "1"], ["sum", "2"]]
        batches = [pa.record_batch({"x": pa.array(np.arange(n), pa.float32())}) for n in (3, 1, 0, 250000)]
        for batch, answer in zip(batches, exchange(client, ["double"], batches), strict=True):
            np.testing.assert_array_equal(answer.column("y").to_numpy(), 2 * batch.column("x").to_numpy())
        pair = pa.record_batch({"y": pa.array([1, 2], pa.float32()), "x": pa.array([10, 20], pa.float32())})
        for path in (["sum"], ["sum", "1"]):
            assert exchange(client, path, [pair])[0].column("z").to_pylist() == [11, 22]


@pytest.mark.parametrize("codec", ["lz4", "zstd"])
def test_compressed_batches_are_scored(served, codec):
    x = np.repeat(np.arange(1000, dtype=np.float32), 300)
    with flight.connect(served.uri) as client:
        writer, reader = client.do_exchange(flight.FlightDescriptor.for_path("double"))
        with writer:
            batch = pa.record_batch({"x": x})
            writer.begin(batch.schema, options=pa.ipc.IpcWriteOptions(compression=codec))
            for part in (batch, batch.slice(7, 100), batch.slice(0, 0)):
                writer.write_batch(part)
                np.testing.assert_array_equal(reader.read_chunk().data.column("y").to_numpy(), 2 * part.column("x").to_numpy())
    assert served.metrics()["goruntime_copies_total", "decompress"] == 2  # an empty body is none


def test_refusals_are_flight_errors(served):
    x = pa.record_batch({"x": pa.array([1], pa.float32())})
    with flight.connect(served.uri) as client:
        for path, batch, kind, text in (
            (["none"], x, KeyError, 'no model "none"'),
            (["sum"], x, KeyError, "no columns for the inputs y"),
            (["double"], pa.record_batch({"x": pa.array([None], pa.float32())}), pa.ArrowInvalid, 'the column "x": row 0 is null'),
            (["double"], pa.record_batch({"x": pa.array([1.0])}), pa.ArrowInvalid, "f64, f32 expected"),
            (["double"], pa.RecordBatch.from_arrays([x.column("x")] * 2, names=["x", "x"]), pa.ArrowInvalid, 'columns 0 and 1 are both named "x"'),
        ):
            writer, reader = client.do_exchange(flight.FlightDescriptor.for_path(*path))
            writer.begin(batch.schema)

            def ask(writer=writer, reader=reader, batch=batch):
                writer.write_batch(batch)
                writer.done_writing()
                reader.read_chunk()

            with pytest.raises(kind, match=text):
                ask()
            with pytest.raises(Exception, match=text):
                writer.close()
        assert exchange(client, ["double"], [x])[0].column("y").to_pylist() == [2]


def test_clients_together_get_their_own_rows(served):
    wrong: list[object] = []

    def client(number: int) -> None:
        with flight.connect(served.uri) as c:
            batches = [pa.record_batch({"x": pa.array(np.arange(1 + (number + i) % 9) + number * 100, pa.float32())}) for i in range(25)]
            for b, a in zip(batches, exchange(c, ["chain"], batches), strict=True):
                x = b.column("x").to_numpy()
                if not np.array_equal(a.column("y").to_numpy(), x * x + x):
                    wrong.append((number, a))

    threads = [threading.Thread(target=client, args=(n,)) for n in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
    counted = served.metrics()
    dispatches = sum(v for (name, _), v in counted.items() if name == "goruntime_dispatches_total")
    assert 0 < dispatches < 150, "no requests ran together"
    assert counted[("goruntime_arena_bytes", "live")] == 0


def test_sigterm_under_load_lets_streams_end(tmp_path):
    """A stream that goes on ends well; one that goes on for longer than --drain is told so."""
    shutil.copy(MODELS / "double.onnx", tmp_path / "double.onnx")
    server = Served(tmp_path, "--drain", "2s")
    signalled, answered, wrong = threading.Event(), collections.Counter(), []

    def client(number: int, ends: bool) -> None:
        x = np.arange(number * 100, number * 100 + 1000, dtype=np.float32)
        batch = pa.record_batch({"x": x})
        with flight.connect(server.uri) as c:
            writer, reader = c.do_exchange(flight.FlightDescriptor.for_path("double"))
            try:
                writer.begin(batch.schema)
                while not (ends and signalled.is_set()):
                    writer.write_batch(batch)
                    if not np.array_equal(reader.read_chunk().data.column("y").to_numpy(), 2 * x):
                        wrong.append((number, "other numbers"))
                    answered[number] += 1
                writer.done_writing()
                with pytest.raises(StopIteration):
                    reader.read_chunk()
                writer.close()
            except (pa.ArrowException, flight.FlightError) as error:
                if ends:
                    wrong.append((number, error))

    threads = [threading.Thread(target=client, args=(n, n > 0)) for n in range(4)]
    for t in threads:
        t.start()
    while len(answered) < 4 or min(answered.values()) < 20:
        time.sleep(0.01)
    server.process.send_signal(signal.SIGTERM)
    time.sleep(0.2)
    signalled.set()
    server.process.communicate(timeout=60)
    for t in threads:
        t.join()
    assert server.process.returncode == 0
    assert not wrong
    with pytest.raises(flight.FlightUnavailableError), flight.connect(server.uri) as c:
        list(c.list_flights())


def test_a_second_interrupt_ends_at_once(tmp_path):
    """Where a client keeps its stream open, the first one waits for it."""
    shutil.copy(MODELS / "double.onnx", tmp_path / "double.onnx")
    server = Served(tmp_path, "--drain", "10m")
    batch = pa.record_batch({"x": np.ones(3, np.float32)})
    with flight.connect(server.uri) as client:
        writer, reader = client.do_exchange(flight.FlightDescriptor.for_path("double"))
        writer.begin(batch.schema)
        writer.write_batch(batch)
        reader.read_chunk()
        server.process.send_signal(signal.SIGINT)
        for line in server.process.stderr:
            if "interrupt again to end at once" in line:
                break
        writer.write_batch(batch)
        assert reader.read_chunk().data.column("y").to_pylist() == [2, 2, 2]
        server.process.send_signal(signal.SIGINT)
        server.process.communicate(timeout=30)
        assert server.process.returncode == -signal.SIGINT
        with contextlib.suppress(flight.FlightError, pa.ArrowException):
            writer.close()


def test_a_public_address_needs_protection(tmp_path):
    shutil.copy(MODELS / "double.onnx", tmp_path / "double.onnx")
    with pytest.raises(AssertionError, match="no loopback address"):
        Served(tmp_path, "--host", "0.0.0.0")


def test_a_folder_without_models(tmp_path):
    with pytest.raises(AssertionError, match="no model in"):
        Served(tmp_path)


def test_manifests_are_written_for_editing(tmp_path):
    shutil.copy(MODELS / "fixed.onnx", tmp_path / "m.onnx")
    command = [sys.executable, "-c", "from goruntime.cli import main; main()", "manifest", str(tmp_path / "m.onnx")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == str(tmp_path / "m.manifest.json")
    found = json.loads((tmp_path / "m.manifest.json").read_text())
    assert found["inputs"] == {"x": {}}
    assert found["outputs"] == [{"value": "y"}]
    row = [{"name": name, "type": "fixed_size_list<float32>[3]"} for name in "xy"]
    assert found["schema"] == {"inputs": row[:1], "outputs": row[1:]}
    assert "--force" in subprocess.run(command, capture_output=True, text=True, check=False).stderr
    server = Served(tmp_path)  # what was written changes nothing
    rows = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)
    lists = pa.record_batch({"x": pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), 3)})
    columns = pa.record_batch(dict(zip("abc", rows.T, strict=True)))
    with flight.connect(server.uri) as client:
        for batch in (lists, columns):
            assert exchange(client, ["m"], [batch])[0].column("y").to_pylist() == np.maximum(rows, 0).tolist()
    server.stop()


def test_the_manifest_of_a_classifier_returns_probabilities(tmp_path):
    shutil.copy(MODELS / "classifier.onnx", tmp_path / "m.onnx")
    command = [sys.executable, "-c", "from goruntime.cli import main; main()", "manifest", str(tmp_path / "m.onnx")]
    subprocess.run(command, capture_output=True, check=True)
    text = (tmp_path / "m.manifest.json").read_text()
    assert json.loads(text)["outputs"] == [{"value": "label"}, {"value": "probabilities", "column": "by_label"}]
    assert "fixed_size_list<float32>[2]" in text
    server = Served(tmp_path)
    with flight.connect(server.uri) as client:
        x = pa.record_batch({"a": pa.array([1, 0], pa.float32()), "b": pa.array([1, 9], pa.float32())})
        answer = exchange(client, ["m"], [x])[0]
        with pytest.raises(KeyError, match='no model "m" of version "7" is loaded; there are m/1'):
            exchange(client, ["m", "7"], [x])
        with pytest.raises(pa.ArrowInvalid, match=r"the action's body: json: unknown field \"modl\": {\"model\": NAME"):
            list(client.do_action(flight.Action("stats", b'{"modl": "m"}')))
    server.stop()
    assert answer["label"].to_pylist() == [0, 1]
    assert answer["by_label"].to_pylist()[0] == [0.5, 0.5]


def test_the_command_tells_its_version():
    import goruntime

    command = [sys.executable, "-m", "goruntime", "--version"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == f"goruntime version {goruntime.__version__}\n"


def test_spans_are_sent_where_the_environment_says(tmp_path, monkeypatch):
    bodies: list[bytes] = []

    class Collector(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            bodies.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Collector) as collector:
        threading.Thread(target=collector.serve_forever, daemon=True).start()
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{collector.server_port}")
        shutil.copy(MODELS / "double.onnx", tmp_path / "double.onnx")
        server = Served(tmp_path, "--verbose")
        with flight.connect(server.uri) as client:
            exchange(client, ["double"], [pa.record_batch({"x": pa.array([1], pa.float32())})])
        calls = [json.loads(line) for line in server.stop().splitlines() if '"call"' in line]
        collector.shutdown()
    sent = b"".join(bodies)
    for name in (b"arrow.flight.protocol.FlightService/DoExchange", b"score", b"infer", b"goruntime"):
        assert name in sent
    assert bytes.fromhex(calls[0]["trace"]) in sent, "the log names another trace"
