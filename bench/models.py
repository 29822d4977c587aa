"""Runs the real models beside onnxruntime: make bench writes docs/models.md.

Each model runs in a process of its own for each runtime and number of threads,
the runtimes in turn, several rounds; the least time of all is kept. Memory is the
peak resident size beyond a process that has loaded numpy and the inputs.
"""

from __future__ import annotations

import json
import os
import pathlib
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
ROUNDS = int(os.environ.get("ROUNDS", "3"))
BUDGET = float(os.environ.get("BUDGET", "1.0"))  # seconds for the runs of one process


def work(backend: str, model: str, feeds_file: str, results_file: str, threads: int) -> dict[str, float]:
    """Run one model in this process: the least time of a run, and the peak memory."""
    from backends import OPEN

    feeds = pickle.loads(pathlib.Path(feeds_file).read_bytes())
    before = peak()
    session = OPEN[backend](model, threads)
    results = session.run(feeds)
    pathlib.Path(results_file).write_bytes(pickle.dumps(results))
    times, begin = [], time.perf_counter()
    while len(times) < 3 or (time.perf_counter() - begin < BUDGET and len(times) < 2000):
        start = time.perf_counter()
        session.run(feeds)
        times.append(time.perf_counter() - start)
    return {"seconds": min(times), "bytes": peak() - before}


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure(model: str, feeds_file: str, folder: str) -> dict[tuple[str, int], dict[str, Any]]:
    """Measure one model with both runtimes at one and two threads."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for _ in range(ROUNDS):
        for threads in (1, 2):
            for backend in ("goruntime", "onnxruntime"):
                results = os.path.join(folder, f"{backend}.pickle")
                command = [sys.executable, str(HERE / "models.py"), backend, model, feeds_file, results, str(threads)]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                one = json.loads(done.stdout.splitlines()[-1])
                kept = found.setdefault((backend, threads), one)
                kept["seconds"] = min(kept["seconds"], one["seconds"])
                kept["bytes"] = min(kept["bytes"], one["bytes"])
                kept["results"] = pickle.loads(pathlib.Path(results).read_bytes())
    return found


def difference(mine: Any, theirs: Any) -> float:
    """Return the largest difference, as a part of the largest magnitude of an output."""
    if isinstance(theirs, list):
        return max((difference(m, t) for m, t in zip(mine, theirs, strict=True)), default=0.0)
    if isinstance(theirs, dict):
        return difference(np.array(list(mine.values())), np.array(list(theirs.values())))
    if theirs.dtype.kind in "OUTS":
        return 0.0 if mine.tolist() == theirs.tolist() else float("inf")
    if theirs.size == 0:
        return 0.0
    m, t = mine.astype(np.float64), theirs.astype(np.float64)
    return float(np.nanmax(np.abs(m - t)) / max(np.nanmax(np.abs(t)), 1e-30))


def row(name: str, found: dict[tuple[str, int], dict[str, Any]]) -> tuple[str, list[float]]:
    """Return a line of the table, and our ratio at one and two threads."""
    ratios = [found["goruntime", t]["seconds"] / found["onnxruntime", t]["seconds"] for t in (1, 2)]
    apart = difference(found["goruntime", 1]["results"], found["onnxruntime", 1]["results"])
    times = [f"{1e3 * found[b, t]['seconds']:.3g}" for t in (1, 2) for b in ("goruntime", "onnxruntime")]
    sizes = [f"{found[b, 1]['bytes'] / (1 << 20):.0f}" for b in ("goruntime", "onnxruntime")]
    cells = [name, f"{apart:.0e}", *times[:2], f"{ratios[0]:.2f}", *times[2:], f"{ratios[1]:.2f}", *sizes]
    return "| " + " | ".join(cells) + " |", ratios


HEAD = """# Real models beside onnxruntime

Written by `make bench`. {machine}. Times are milliseconds of the fastest run, at one
and two threads; ratio is ours by onnxruntime's; difference is the largest one, as a
part of the largest magnitude of an output; memory is MiB at the peak, beyond numpy
and the inputs. Only ratios within a row mean something. classic/tfidf_word_logreg is not
here: onnxruntime needs a locale for it that few machines have; tests compare it with
scikit-learn's pipeline.

Geometric mean of the ratios: {means[0]:.2f} at one thread, {means[1]:.2f} at two.

| model | difference | ours, 1 | theirs, 1 | ratio | ours, 2 | theirs, 2 | ratio | memory | theirs |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def write(machine: str) -> None:
    """Measure all models and write the table."""
    sys.path.insert(0, str(ROOT / "tests" / "parity"))
    import zoo
    from rich.progress import track

    rows, ratios = [], []
    with tempfile.TemporaryDirectory() as folder:
        # onnxruntime runs the text classifier only where the locale en_US.UTF-8 is there.
        for name in track(sorted(zoo.ROWS.keys() - {"classic/tfidf_word_logreg"}), description="models"):
            feeds_file = os.path.join(folder, "feeds.pickle")
            pathlib.Path(feeds_file).write_bytes(pickle.dumps(zoo.feeds(name)))
            line, ratio = row(name, measure(str(zoo.path(name)), feeds_file, folder))
            rows.append(line)
            ratios.append(ratio)
    means = np.exp(np.log(np.array(ratios)).mean(axis=0))
    (ROOT / "docs" / "models.md").write_text(HEAD.format(machine=machine, means=means) + "\n".join(rows) + "\n")


if __name__ == "__main__":
    print(json.dumps(work(*sys.argv[1:5], int(sys.argv[5]))))
