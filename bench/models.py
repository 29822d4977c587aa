"""Runs the real models beside onnxruntime and OpenVINO: make bench writes docs/models.md.

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
from importlib.metadata import version
from typing import Any

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
ROUNDS = int(os.environ.get("ROUNDS", "3"))
BUDGET = float(os.environ.get("BUDGET", "1.0"))  # seconds for the runs of one process
PEERS = ("onnxruntime", "openvino")

# By runtime and number of threads: seconds, bytes and results.
Measured = dict[tuple[str, int], dict[str, Any]]


def work(backend: str, model: str, feeds_file: str, results_file: str, threads: int) -> dict[str, Any]:
    """Run one model in this process: the least time of a run, and the peak memory; or
    why the runtime does not take it."""
    from backends import OPEN, Refused

    feeds = pickle.loads(pathlib.Path(feeds_file).read_bytes())
    before = peak()
    try:
        session = OPEN[backend](model, threads)
    except Refused as reason:
        return {"refused": str(reason)}
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


def measure(model: str, feeds_file: str, folder: str) -> Measured:
    """Measure one model with all runtimes that take it at one and two threads."""
    found: Measured = {}
    refused: set[str] = set()
    for _ in range(ROUNDS):
        for threads in (1, 2):
            for backend in ("goruntime", *PEERS):
                if backend in refused:
                    continue
                results = os.path.join(folder, f"{backend}.pickle")
                command = [sys.executable, str(HERE / "models.py"), backend, model, feeds_file, results, str(threads)]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                one = json.loads(done.stdout.splitlines()[-1])
                if "refused" in one:
                    refused.add(backend)
                    continue
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


def ratios(found: Measured, peers: tuple[str, ...]) -> list[float]:
    """Return our time by that of the fastest of these peers, at one and two threads."""
    return [found["goruntime", t]["seconds"] / min(found[p, t]["seconds"] for p in peers if (p, t) in found) for t in (1, 2)]


def row(name: str, found: Measured, peer: str) -> str:
    """Return a line of the table beside a peer."""
    one, two = (f"{r:.2f}" for r in ratios(found, (peer,)))
    apart = difference(found["goruntime", 1]["results"], found[peer, 1]["results"])
    times = [f"{1e3 * found[b, t]['seconds']:.3g}" for t in (1, 2) for b in ("goruntime", peer)]
    sizes = [f"{found[b, 1]['bytes'] / (1 << 20):.0f}" for b in ("goruntime", peer)]
    cells = [name, f"{apart:.0e}", *times[:2], one, *times[2:], two, *sizes]
    return "| " + " | ".join(cells) + " |"


def means(measured: dict[str, Measured], peers: tuple[str, ...]) -> str:
    """Return the geometric means of our ratios to the fastest of these peers, as text."""
    all_ratios = [ratios(found, peers) for found in measured.values()]
    one, two = np.exp(np.log(np.array(all_ratios)).mean(axis=0))
    return f"{one:.2f} at one thread, {two:.2f} at two"


HEAD = """# Real models beside onnxruntime and OpenVINO

Written by `make bench`. {machine}. Times are milliseconds of the fastest run, at one
and two threads; ratio is ours by theirs; difference is the largest one, as a
part of the largest magnitude of an output; memory is MiB at the peak, beyond numpy
and the inputs. Only ratios within a row mean something.

Geometric mean of the ratios to the faster of the two in each row: {fastest}.

## onnxruntime

Version {onnxruntime}. Geometric mean of the ratios: {means[onnxruntime]}.
classic/tfidf_word_logreg is not here: onnxruntime needs a locale for it that few machines
have; tests compare it with scikit-learn's pipeline.

{tables[onnxruntime]}

## OpenVINO

Version {openvino}, told to compute in float32 and to quantize nothing that the model does
not. Geometric mean of the ratios: {means[openvino]}. Models that are not here it
does not take.

{tables[openvino]}
"""

COLUMNS = """| model | difference | ours, 1 | theirs, 1 | ratio | ours, 2 | theirs, 2 | ratio | memory | theirs |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def write(machine: str) -> None:
    """Measure all models and write the tables."""
    sys.path.insert(0, str(ROOT / "tests" / "parity"))
    import zoo
    from rich.progress import track

    measured: dict[str, Measured] = {}
    with tempfile.TemporaryDirectory() as folder:
        # onnxruntime runs the text classifier only where the locale en_US.UTF-8 is there.
        for name in track(sorted(zoo.ROWS.keys() - {"classic/tfidf_word_logreg"}), description="models"):
            feeds_file = os.path.join(folder, "feeds.pickle")
            pathlib.Path(feeds_file).write_bytes(pickle.dumps(zoo.feeds(name)))
            measured[name] = measure(str(zoo.path(name)), feeds_file, folder)
    taken = {peer: {name: found for name, found in measured.items() if (peer, 1) in found} for peer in PEERS}
    text = HEAD.format(
        machine=machine,
        fastest=means(measured, PEERS),
        means={peer: means(taken[peer], (peer,)) for peer in PEERS},
        tables={peer: COLUMNS + "\n".join(row(name, found, peer) for name, found in taken[peer].items()) for peer in PEERS},
        **{peer: version(peer) for peer in PEERS},
    )
    (ROOT / "docs" / "models.md").write_text(text)


if __name__ == "__main__":
    print(json.dumps(work(*sys.argv[1:5], int(sys.argv[5]))))
