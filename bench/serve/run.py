"""Measures goruntime serve beside its neighbours: make bench-serve.

Three servers run one model: ours, arrow-go's stock path, pyarrow's own. One load tool
asks them in turn, many short rounds; of the rounds the one of median throughput is kept:
where one small batch is under way at a time, it goes by which processors the kernel
lets sleep, and single rounds are twice as fast. Server and client share the machine, so the numbers are for comparison only.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from typing import Any

from onnx import TensorProto, helper, save
from rich.console import Console
from rich.progress import track
from rich.table import Table

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parent / "out"
ROUNDS = int(os.environ.get("ROUNDS", "12"))
TIME = os.environ.get("TIME", "500ms")
SERVERS = ("goruntime", "arrow-go", "pyarrow")
# name, values of a row, rows, streams, batches of a stream under way
CASES = [(f"{name}, {streams} stream{'s' * (streams > 1)}", width, rows, streams, 1)
         for name, width, rows in (("128 x 16 float32", 16, 128), ("1 MB: 16384 x 16", 16, 16384), ("image: 224 x 224 x 3", 150528, 1))
         for streams in (1, 4)]  # fmt: skip
CASES.insert(1, ("128 x 16 float32, 1 stream, 8 under way", 16, 128, 1, 8))


def write_model(width: int, path: pathlib.Path) -> pathlib.Path:
    """Write a model that does little: y = x + x."""
    info = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", width]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Add", ["x", "x"], ["y"])], "double", info[:1], info[1:])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


@contextmanager
def serving(command: list[str]) -> Any:
    """Run a server, whose first line tells its address, until the block ends."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line.startswith("listening on "):
            raise SystemExit(f"{command} does not listen")
        yield line.split()[-1]
    finally:
        process.terminate()
        process.wait(30)


def measure(tool: str, address: str, rows: int, streams: int, ahead: int) -> dict[str, Any]:
    command = [tool, "bench-serve", address, "model", "--json", "--rows", str(rows), "--streams", str(streams), "--in-flight", str(ahead), "--time", TIME]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    found["rate"] = found["batches"] / found["seconds"]
    return found


def per_batch(r: dict[str, Any]) -> tuple[str, str]:
    """Return heap and copies of a batch, as far as a server tells them."""
    n, process, copies = max(1, r["batches"]), r["server"]["process"], r["server"]["copies"] or {}
    heap = process["heap_allocated"]
    counted = sum(c["count"] for c in copies.values())
    by_reason = ", ".join(f"{k} {c['count'] / r['server']['batches']:.2f}" for k, c in copies.items() if c["count"])
    return f"{heap / n / 1024:.1f} KiB" if heap else "-", by_reason if counted else "-"


def main() -> None:
    tool, stock = sys.argv[1:3]
    OUT.mkdir(exist_ok=True)
    rounds: dict[tuple[str, str], list[dict[str, Any]]] = {}
    with ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        addresses = {}
        for width in {width for _, width, _, _, _ in CASES}:
            (folder / str(width)).mkdir()
            model = write_model(width, folder / str(width) / "model.onnx")
            for name, command in (
                ("goruntime", [tool, "serve", str(model.parent / "model.onnx"), "--port", "0"]),
                ("arrow-go", [stock, str(model)]),
                ("pyarrow", [sys.executable, str(HERE / "peer.py"), str(model)]),
            ):
                addresses[name, width] = stack.enter_context(serving(command))
        for _ in track(range(ROUNDS), "rounds"):
            for case, width, rows, streams, ahead in CASES:
                for name in SERVERS:
                    rounds.setdefault((case, name), []).append(measure(tool, addresses[name, width], rows, streams, ahead))
    table = Table(title=f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {ROUNDS} rounds of {TIME}")
    for column in ("batch", "server", "batches/s", "ours by it", "MB/s in", "p50 ms", "p99 ms", "server CPU", "its by ours", "heap", "copies"):
        table.add_column(column, justify="left" if column in ("batch", "server", "copies") else "right")
    results = {}
    for case, *_ in CASES:
        kept = {name: sorted(rounds[case, name], key=lambda r: r["rate"])[ROUNDS // 2] for name in SERVERS}
        results[case] = kept
        cpu = {name: r["server"]["process"]["cpu_seconds"] / max(1, r["batches"]) for name, r in kept.items()}
        for name, r in kept.items():
            table.add_row(
                case, name, f"{r['rate']:.0f}", f"{kept['goruntime']['rate'] / r['rate']:.2f}", f"{r['rate'] * r['bytes'] / 1e6:.1f}",
                f"{1e3 * r['p50']:.2f}", f"{1e3 * r['p99']:.2f}", f"{1e6 * cpu[name]:.0f} us", f"{cpu[name] / cpu['goruntime']:.2f}", *per_batch(r),
            )  # fmt: skip
    Console(width=180).print(table)
    (OUT / "serve.json").write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
