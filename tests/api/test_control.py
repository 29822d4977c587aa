"""The control plane of gopy: stale handles, hostile arguments, threads, forks.

Its known defects end a process; these tests try to break exactly those.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from goruntime._control import call, report
from goruntime._load import native

import goruntime
from goruntime import ArgumentError, ClosedError, ExecutionArena, IOArena, errors

ROOT = pathlib.Path(__file__).resolve().parents[2]
STALE = [0, 1, -1, 1 << 32, (1 << 63) - 1, -(1 << 63)]


@pytest.mark.parametrize("handle", STALE)
@pytest.mark.parametrize(
    ("name", "extra"),
    [
        ("ArenaStats", ()),
        ("ArenaShrink", (0,)),
        ("ArenaSetRetentionCap", (0,)),
        ("ArenaResetPeak", ()),
        ("ArenaClose", ()),
        ("SessionReport", ()),
    ],
)
def test_a_stale_handle_is_an_error(name, extra, handle):
    with pytest.raises(ClosedError, match=f"the {'arena' if name.startswith('Arena') else 'session'} is closed"):
        call(name, handle, *extra)


def test_a_closed_arena_is_an_error(bench):
    arena = IOArena()
    handle = arena._native.handle
    arena.close()
    with pytest.raises(ClosedError):
        arena.stats()
    again = ExecutionArena()  # takes the slot of the closed one
    assert again._native.handle & 0xFFFFFFFF == handle & 0xFFFFFFFF
    with pytest.raises(ClosedError):
        call("ArenaStats", handle)


@pytest.mark.parametrize("arguments", [(), (1, 2, 3, 4, 5), ("x",), (None,), (1.5,)])
def test_bad_arguments_are_refused(arguments):
    with pytest.raises(TypeError):
        call("ArenaStats", *arguments)


@pytest.mark.parametrize("number", [1 << 63, -(1 << 63) - 1, 1 << 70, 10**400])
def test_numbers_beyond_64_bits_are_refused(number):
    arena = ExecutionArena()
    message = "it must not be negative" if number < 0 else r"less than 2\*\*63 expected"
    with pytest.raises(ArgumentError, match=f"target is {number}: {message}"):
        arena.shrink(number)
    for name in ("capacity", "retention_cap", "limit"):
        with pytest.raises(ArgumentError, match=f"{name} is {number}: {message}"):
            ExecutionArena(**{name: number})
    with pytest.raises(ArgumentError, match=message):
        arena.retention_cap = number


def test_arenas_of_the_control_plane_and_of_runs_are_the_same(bench, path):
    evaluator = bench.open("double")
    (y,) = evaluator.run(None, {"x": np.ones(1000, np.float32)})
    stats = report("ArenaStats", bench.io._native.handle)
    assert stats["leases"] == 1
    assert stats["live"] >= y.nbytes
    del y
    assert bench.io.leased_count == 0
    assert bench.io.trim() == stats["live"]
    assert bench.io.retained_size == 0


def test_caps_and_limits_are_read_back():
    arena = IOArena(capacity=4, retention_cap=0, limit=1 << 20)
    assert (arena.capacity, arena.retention_cap, arena.limit) == (4, 0, 1 << 20)
    arena.retention_cap = None
    assert arena.retention_cap is None
    arena.retention_cap = 4096
    assert arena.stats()["retention_cap"] == 4096
    with pytest.raises(ValueError, match="must not be negative"):
        arena.retention_cap = -1


def test_threads_and_closing(bench):
    """Half of the threads read counters while the arenas come and go."""
    wrong: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(200):
                arena = IOArena()
                arena.stats()
                arena.trim()
                arena.close()
                with pytest.raises(ClosedError):
                    arena.trim()
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert not wrong


def test_objects_are_given_back():
    before = report("Objects")
    for _ in range(50):
        IOArena().close()
        ExecutionArena()
        goruntime.CancelToken()
        goruntime.ReferenceEvaluator(str(ROOT / "tests" / "models" / "add.onnx"))
    after = report("Objects")
    for kind in ("sessions", "arenas", "stops"):
        assert after[kind] == before[kind]
    assert after["go_bytes"] - before["go_bytes"] < 1 << 20


def test_a_forked_child_is_refused_before_go_is_entered():
    program = """
        import os
        from goruntime import IOArena, ForkedError
        arena = IOArena()
        arena.stats()
        pid = os.fork()
        if pid == 0:
            try:
                arena.stats()
            except ForkedError:
                os._exit(0)
            os._exit(1)
        assert os.waitpid(pid, 0)[1] == 0
        print("fine")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.strip() == "fine", done.stderr


def test_a_signal_handler_may_call_it(path):
    program = f"""
        import os, signal, threading, numpy as np
        from goruntime import ReferenceEvaluator
        ev = ReferenceEvaluator({path("slow")!r}, num_threads=1)
        seen = []
        signal.signal(signal.SIGUSR1, lambda *_: seen.append(ev.io_allocator.stats()["live"]))
        ev.io_allocator.stats()
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        while not seen:
            ev.run(None, {{"v0": np.ones((512, 256), np.float32)}})
        print("fine")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.strip() == "fine", done.stderr


def test_the_codes_of_c_go_and_python_are_the_same():
    header = (ROOT / "capi" / "api.h").read_text()
    c = {int(n): name for name, n in re.findall(r"^  GR_([A-Z_]+) = (\d+)", header, re.MULTILINE)}
    source = (ROOT / "goruntime" / "errs" / "errs.go").read_text()
    names = re.search(r"codeNames = .*?\{(.*?)\n\}", source, re.DOTALL)
    assert names is not None
    go = dict(enumerate(re.findall(r'"([A-Z_]+)"', names[1])))
    assert c == go == dict(enumerate(errors.NAMES))
    assert sorted(errors.BY_CODE) == list(range(1, len(go)))
    assert all(errors.BY_CODE[code].code == code for code in errors.BY_CODE)


def test_only_our_symbols_are_exported():
    file = native().__file__
    assert file is not None
    done = subprocess.run(["nm", "-D", "--defined-only", file], capture_output=True, text=True, check=True)
    names = {line.split()[-1] for line in done.stdout.splitlines()}
    assert {"PyInit__native", "PyInit__control"} <= names
    assert not [n for n in names if not n.startswith(("gr_", "PyInit__"))]


def test_what_only_loading_needed_is_not_resident():
    """The first read-only segment holds the relocations, which nothing reads again."""
    code = """
import re, sys
from goruntime import ReferenceEvaluator
evaluator = ReferenceEvaluator(sys.argv[1])
text = open("/proc/self/smaps").read()
segment = re.search(r"^[0-9a-f]+-[0-9a-f]+ r--p 00000000 .*_native.*\\nSize: +(\\d+) kB(?:\\n(?!Rss).*)*\\nRss: +(\\d+) kB", text, re.M)
print(*segment.groups())
"""
    command = [sys.executable, "-c", code, str(ROOT / "tests/models/add.onnx")]
    size, resident = map(int, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    assert resident < size / 2
