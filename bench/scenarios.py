"""What is measured: each scenario runs in a process of its own, in which only
one runtime is loaded. Times are seconds, sizes bytes."""

from __future__ import annotations

import gc
import pathlib
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

from backends import OPEN

MB = 1 << 20
MODELS = pathlib.Path(__file__).resolve().parents[1] / "tests" / "models"
Result = dict[str, float]


def faults() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def _smaps(name: str) -> int:
    """Return a sum over all maps of the process, in bytes: exact, where statm lags behind."""
    lines = pathlib.Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name + ":"))


def resident() -> int:
    """Return all resident memory, pages of files too."""
    return _smaps("Rss")


def _kept() -> int:
    """Return the resident memory that belongs to the process alone: without the pages of
    files, which are there for what code ran and which the system takes when it likes."""
    return _smaps("Anonymous")


def _open(backend: str, model: str, **options: str) -> Any:
    return OPEN[backend](str(MODELS / f"{model}.onnx"), 1, **options)


def _calls(session: Any) -> Result:
    """The least time of a call with two 3-float inputs, over rounds of many."""
    a = _ones(3)
    call, feeds, best = session.call, {"a": a, "b": a}, 1.0
    for _ in range(30):
        begin = time.perf_counter()
        for _ in range(1000):
            call(None, feeds)
        best = min(best, (time.perf_counter() - begin) / 1000)
    return {"seconds": best}


def _ones(n: int) -> Any:
    import numpy as np

    return np.ones(n, np.float32)


def _timed(run: Callable[[], Any], repeats: int) -> Result:
    """Run and drop, repeatedly: the least and the median time, the least faults."""
    times, seen = [], []
    for _ in range(repeats):
        before, begin = faults(), time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
        seen.append(faults() - before)
    times.sort()
    return {"seconds": times[0], "median": times[len(times) // 2], "faults": min(seen)}


def dropped(backend: str) -> Result:
    """Outputs are dropped before the next run (16 MB)."""
    session, x = _open(backend, "chain"), _ones(4 * MB)
    for _ in range(3):
        session.run({"x": x})
    return _timed(lambda: session.run({"x": x}), 15)


def kept(backend: str) -> Result:
    """Every output is kept alive (64 MB each)."""
    session, x, held = _open(backend, "double"), _ones(16 * MB), []
    held.append(session.run({"x": x}))
    return _timed(lambda: held.append(session.run({"x": x})), 8)


def narrow(backend: str) -> Result:
    """Large intermediates (64 MB), a small output, from the second run on."""
    session, x = _open(backend, "narrow"), _ones(16 * MB)
    session.run({"x": x})
    return _timed(lambda: session.run({"x": x}), 8)


def alternating(backend: str) -> Result:
    """Two shapes (4 and 16 MB) take turns."""
    session, a, b = _open(backend, "chain"), _ones(MB), _ones(4 * MB)
    for x in (a, b, a, b):
        session.run({"x": x})

    def both() -> None:
        session.run({"x": a})
        session.run({"x": b})

    return _timed(both, 10)


def trimmed(backend: str) -> Result:
    """What stays resident after a large run (128 MB of output) and a trim."""
    session = _open(backend, "double")
    session.run({"x": _ones(1000)})
    gc.collect()
    before = _kept()
    session.run({"x": _ones(32 * MB)})
    gc.collect()
    if hasattr(session, "trim"):
        session.trim()
    return {"bytes": max(0, _kept() - before)}


def call(backend: str) -> Result:
    """One call of a 3-float Add."""
    return _calls(_open(backend, "add"))


def engine(backend: str) -> Result:
    """One call of a 3-float Add, ours with ONNX Runtime as engine."""
    return _calls(_open(backend, "add", **({"engine": "ort"} if backend == "goruntime" else {})))


def start(backend: str) -> Result:
    """Import, load and first result of a 3-float Add, beyond `import numpy`."""
    import numpy as np

    a = np.ones(3, np.float32)
    begin = time.perf_counter()
    _open(backend, "add").run({"a": a, "b": a})
    return {"seconds": time.perf_counter() - begin}


def footprint(backend: str) -> Result:
    """Resident memory after a first small run, beyond numpy."""
    import numpy as np

    a = np.ones(3, np.float32)
    before = resident()
    session = _open(backend, "add")
    session.run({"a": a, "b": a})
    return {"bytes": resident() - before}


def pinned(backend: str) -> Result:
    """What a 4-byte output keeps resident when its session is gone (64 MB run)."""
    session, x = _open(backend, "narrow"), _ones(16 * MB)
    session.run({"x": x[:1]})
    gc.collect()
    before = _kept()
    held = session.run({"x": x})
    del session
    gc.collect()
    size = max(0, _kept() - before)
    assert held[0] == 32 * MB
    return {"bytes": size}


def growing(backend: str) -> Result:
    """What 12 growing shapes up to 48 MB of output keep resident, outputs dropped."""
    session, x = _open(backend, "double"), _ones(12 * MB)
    session.run({"x": x[:1]})
    gc.collect()
    before = _kept()
    for n in range(1, 13):
        session.run({"x": x[: n * MB]})
    gc.collect()
    return {"bytes": max(0, _kept() - before)}


def timeline(backend: str) -> dict[str, list[float]]:
    """Resident memory through a life: growing shapes, held outputs, their end, a trim,
    the session's end. Returns what happened last and MiB beyond numpy after it."""
    x = _ones(12 * MB)
    base, story, sizes = _kept(), [], []

    def note(what: str) -> None:
        gc.collect()
        story.append(what)
        sizes.append((_kept() - base) / MB)

    note("numpy")
    session = _open(backend, "chain")
    session.run({"x": x[:1]})
    note("opened")
    for n in (1, 3, 6, 9, 12):
        session.run({"x": x[: n * MB]})
        note(f"{4 * n} MB run")
    held = [session.run({"x": x[: 4 * MB]}) for _ in range(4)]
    note("4 x 16 MB held")
    del held
    note("dropped")
    session.trim()
    note("trimmed")
    session.run({"x": x[:MB]})
    note("4 MB run")
    del session
    note("closed")
    return {"story": story, "sizes": sizes}  # type: ignore[dict-item]


SCENARIOS = {f.__name__: f for f in (dropped, kept, narrow, alternating, trimmed, call, engine, start, footprint, pinned, growing)}

if __name__ == "__main__":
    import json

    print(json.dumps({**SCENARIOS, "timeline": timeline}[sys.argv[1]](sys.argv[2])))
