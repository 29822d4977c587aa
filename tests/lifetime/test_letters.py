"""The lifetime tests by their letters; each holds, clears, collects and reads."""

from __future__ import annotations

import gc
import pathlib
import queue
import resource
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

from goruntime import ForkedError, IOArena, ReferenceEvaluator, RuntimeContext

MB = 1 << 20


def faults() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def resident() -> int:
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096


def huge_pages() -> bool:
    return "[never]" not in pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled").read_text()


def script(text: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """Run a program of its own: for forks, signals and exits."""
    return subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=timeout, check=False)


def test_a_no_faults_from_the_second_run_on(bench):
    if not huge_pages():
        pytest.skip("transparent huge pages are off")
    evaluator = bench.open("chain", num_threads=1)
    x = np.ones(4 * MB, np.float32)
    for _ in range(3):
        evaluator.run(None, {"x": x})
    least = 1 << 30
    for _ in range(10):
        before = faults()
        evaluator.run(None, {"x": x})
        least = min(least, faults() - before)
    assert least <= 8


def test_b_held_outputs_stay_intact_and_leave_the_execution_arena_alone(bench):
    evaluator = bench.open("chain")
    evaluator.run(None, {"x": np.zeros(1000, np.float32)})
    before = bench.execution.stats()["system_allocations"]
    held = [evaluator.run(None, {"x": np.full(1000, k, np.float32)})[0] for k in range(200)]
    for k, y in enumerate(held):
        assert (y == k * k + k).all()
    assert len({y.ctypes.data for y in held}) == 200
    assert bench.execution.stats()["system_allocations"] == before


def test_c_a_small_output_pins_at_most_a_slab(engine):
    io = IOArena()
    evaluator = ReferenceEvaluator(str(pathlib.Path(__file__).parents[1] / "models" / "narrow.onnx"), io_allocator=io, engine=engine)
    (y,) = evaluator.run(None, {"x": np.ones(8 * MB, np.float32)})
    gc.collect()
    before = resident()
    evaluator.close()
    del evaluator
    gc.collect()
    assert before - resident() >= 24 * MB, "the intermediates were not given back"
    assert io.total_allocated_size <= 64 << 10
    assert y == 2 * 8 * MB


def test_d_release_from_foreign_threads_during_runs(bench):
    evaluator = bench.open("chain")
    x = np.ones(3000, np.float32)
    handed: queue.SimpleQueue[np.ndarray | None] = queue.SimpleQueue()
    wrong: list[float] = []

    def drop() -> None:
        while (y := handed.get()) is not None:
            if y[0] != 2:
                wrong.append(y[0])
            del y

    droppers = [threading.Thread(target=drop) for _ in range(3)]
    for t in droppers:
        t.start()
    for _ in range(3000):
        handed.put(evaluator.run(None, {"x": x})[0])
    for _ in droppers:
        handed.put(None)
    for t in droppers:
        t.join(30)
        assert not t.is_alive()
    assert not wrong


def test_e_a_hundred_thousand_outputs_are_held(bench):
    evaluator = bench.open("add")
    a, b = np.ones(3, np.float32), np.arange(3, dtype=np.float32)
    held = [evaluator.run(None, {"a": a, "b": b})[0] for _ in range(100_000)]
    assert bench.io.leased_count == 100_000
    assert all((y == [1, 2, 3]).all() for y in held[::1000])


def peak_bound(io: IOArena) -> None:
    stats = io.stats()
    assert stats["live"] + stats["retained"] <= 1.25 * stats["peak_live"]


def test_f_alternating_tiny_and_huge_requests_stay_bounded(bench):
    evaluator = bench.open("double")
    small, large = np.ones(1, np.float32), np.ones(100 * MB, np.float32)
    for _ in range(3):
        tiny = evaluator.run(None, {"x": small})[0]
        assert bench.io.stats()["live"] < MB, "a tiny request took a huge block"
        evaluator.run(None, {"x": large})
        peak_bound(bench.io)
        del tiny
    misses = bench.io.stats()["misses"]
    evaluator.run(None, {"x": large})
    assert bench.io.stats()["misses"] == misses


def test_g_growing_shapes_stay_bounded(bench):
    evaluator = bench.open("double")
    for n in range(1, 13):
        evaluator.run(None, {"x": np.ones(n * MB, np.float32)})
        peak_bound(bench.io)


def test_h_trim_lowers_the_resident_size(bench):
    evaluator = bench.open("double")
    (y,) = evaluator.run(None, {"x": np.ones(16 * MB, np.float32)})
    del y
    gc.collect()
    before = resident()
    freed = bench.io.trim() + bench.execution.trim()
    assert freed >= 64 * MB
    assert before - resident() >= 0.9 * freed


def test_i_outputs_and_intermediates_of_one_node_go_to_their_arenas(bench):
    y, mean, z, w = bench.open("mixed").run(None, {"x": np.arange(8, dtype=np.float32).reshape(2, 4)})
    for array in (y, mean, z, w):
        assert bench.io.owns(array)
        assert not bench.execution.owns(array)
    assert bench.io.leased_count == 4
    np.testing.assert_allclose(mean.ravel(), [1.5, 5.5])


def test_j_outputs_that_alias_have_value_semantics(bench):
    evaluator = bench.open("alias")
    x = np.array([1, 2], np.float32)
    same, constant, y, again = evaluator.run(None, {"x": x})
    if bench.engine == "goruntime":  # ONNX Runtime makes such copies itself
        assert bench.io.stats()["copies"]["alias"] == 3
    for array in (same, constant, y, again):
        array += 100
    np.testing.assert_array_equal(x, [1, 2])
    np.testing.assert_array_equal(y, [101, 102])
    np.testing.assert_array_equal(again, [101, 102])
    _, constant, _, _ = evaluator.run(None, {"x": x})
    np.testing.assert_array_equal(constant, [5, 6])


def test_j_a_name_asked_twice_is_the_same_array(bench):
    first, second = bench.open("chain").run(["y", "y"], {"x": np.ones(3, np.float32)})
    assert first is second


def test_k_memory_goes_with_the_last_array(engine):
    io = IOArena()
    evaluator = ReferenceEvaluator(str(pathlib.Path(__file__).parents[1] / "models" / "double.onnx"), io_allocator=io, engine=engine)
    (y,) = evaluator.run(None, {"x": np.ones(16 * MB, np.float32)})
    view = y[::2]
    evaluator.close()
    io.close()
    del evaluator, io, y
    gc.collect()
    before = resident()
    assert view[5] == 2
    del view
    for _ in range(100):
        if before - resident() >= 60 * MB:
            return
        time.sleep(0.05)
    pytest.fail("the last array was dropped and its memory stayed")


FORK = """
    import os, sys, numpy as np
    from goruntime import ReferenceEvaluator, ForkedError
    ev = ReferenceEvaluator({path!r}, engine={engine!r})
    a = np.ones(3, np.float32)
    y, = ev.run(None, {{"a": a, "b": a}})
    pid = os.fork()
    if pid == 0:
        try:
            ev.run(None, {{"a": a, "b": a}})
        except ForkedError as e:
            ok = "spawn" in str(e)
        else:
            ok = False
        del y                      # a release is legal
        os._exit(0 if ok else 1)
    assert os.waitpid(pid, 0)[1] == 0
    assert ev.run(None, {{"a": a, "b": a}})[0][0] == 2
    print("fine")
"""


def test_l_a_forked_child_raises_and_releases(path, engine):
    done = script(FORK.format(path=path("add"), engine=engine))
    assert done.stdout.strip() == "fine", done.stderr
    assert issubclass(ForkedError, RuntimeError)


def test_l_a_fork_before_first_use_works(path, engine):
    done = script(f"""
        import os, numpy as np
        import goruntime
        pid = os.fork()
        ev = goruntime.ReferenceEvaluator({path("add")!r}, engine={engine!r})
        a = np.ones(3, np.float32)
        assert ev.run(None, {{"a": a, "b": a}})[0][2] == 2
        if pid == 0:
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0
        print("fine")
    """)
    assert done.stdout.strip() == "fine", done.stderr


def test_m_writing_into_an_array_changes_nothing_else(bench):
    evaluator = bench.open("chain")
    x = np.arange(10, dtype=np.float32)
    (y,) = evaluator.run(None, {"x": x})
    y[:] = -1
    (z,) = evaluator.run(None, {"x": x})
    np.testing.assert_array_equal(z, x * x + x)
    assert (y == -1).all()


def test_n_inputs_on_a_read_only_map_are_read_in_place(bench, tmp_path):
    file = tmp_path / "x.bin"
    np.arange(4096, dtype=np.float32).tofile(file)
    x = np.memmap(file, np.float32, "r")
    (y,) = bench.open("chain").run(None, {"x": x})
    np.testing.assert_array_equal(y, np.arange(4096, dtype=np.float32) ** 2 + np.arange(4096))
    assert sum(bench.io.stats()["copies"].values()) == 0


def test_o_ctrl_c_ends_a_long_run(path, engine):
    done = script(f"""
        import os, signal, threading, time, numpy as np
        from goruntime import ReferenceEvaluator
        ev = ReferenceEvaluator({path("slow")!r}, num_threads=1, engine={engine!r})
        x = np.ones((4096, 256), np.float32)
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        begin = time.monotonic()
        try:
            for _ in range(100):
                ev.run(None, {{"v0": x}})
        except KeyboardInterrupt:
            took = time.monotonic() - begin
            assert ev.run(None, {{"v0": x[:1]}})[0].shape == (1, 256)
            print("fine" if took < 5 else took)
    """)
    assert done.stdout.strip() == "fine", done.stderr


def test_p_clear_waits_for_the_run(bench):
    evaluator, context = bench.open("slow", num_threads=1), RuntimeContext()
    x = np.ones((256, 256), np.float32)
    results: list[np.ndarray] = []
    runner = threading.Thread(target=lambda: results.extend(evaluator.run(None, {"v0": x}, context=context)))
    runner.start()
    for _ in range(5):
        context.clear()
    runner.join(60)
    np.testing.assert_allclose(results[0], 1, rtol=1e-3)
    context.clear()
    assert context.names() == []


@pytest.mark.parametrize("how", ["global", "cycle", "daemon"])
def test_q_the_interpreter_exits_with_arrays_alive(path, engine, how):
    done = script(f"""
        import threading, numpy as np
        from goruntime import ReferenceEvaluator
        ev = ReferenceEvaluator({path("chain")!r}, engine={engine!r})
        x = np.ones(100000, np.float32)
        kept = ev.run(None, {{"x": x}})
        if {how!r} == "cycle":
            kept.append(kept)
            del kept
        if {how!r} == "daemon":
            def forever():
                while True:
                    ev.run(None, {{"x": x}})
            threading.Thread(target=forever, daemon=True).start()
        print("fine")
    """)
    assert done.stdout.strip() == "fine"
    assert done.returncode == 0, done.stderr


def test_r_a_collection_in_the_middle_of_runs(bench):
    evaluator = bench.open("chain")
    x = np.ones(20000, np.float32)
    stop = threading.Event()

    def collect() -> None:
        while not stop.is_set():
            gc.collect()

    collector = threading.Thread(target=collect)
    gc.freeze()  # what other tests left is not looked at each time
    collector.start()
    try:
        for _ in range(500):
            loop: list[object] = list(evaluator.run(None, {"x": x}))
            loop.append(loop)
            assert loop[0][7] == 2
    finally:
        stop.set()
        collector.join()
        gc.unfreeze()
    loop.clear()


def test_threads_share_one_evaluator(bench):
    evaluator = bench.open("chain")
    errors: list[object] = []

    def work(k: int) -> None:
        x = np.full(1000 + k, k, np.float32)
        for _ in range(300):
            (y,) = evaluator.run(None, {"x": x})
            if not (y == k * k + k).all():
                errors.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert not errors


def test_closing_while_another_thread_runs(bench):
    evaluator = bench.open("slow", num_threads=1)
    x = np.ones((64, 256), np.float32)
    results: list[object] = []

    def work() -> None:
        try:
            results.append(evaluator.run(None, {"v0": x})[0])
        except ValueError as error:
            results.append(error)

    runner = threading.Thread(target=work)
    runner.start()
    evaluator.close()
    runner.join(60)
    assert len(results) == 1
