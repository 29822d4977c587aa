"""An output outlives everything: the contract in one file. Read this first."""

from __future__ import annotations

import gc
import weakref

import numpy as np

from goruntime import ExecutionArena, IOArena, ReferenceEvaluator, RuntimeContext


def test_an_output_outlives_clear_runs_evaluator_and_arenas(path, engine):
    execution, io = ExecutionArena(), IOArena()
    evaluator = ReferenceEvaluator(path("chain"), allocator=execution, io_allocator=io, engine=engine)
    context = RuntimeContext(allocator=execution, io_allocator=io)
    x = np.arange(1000, dtype=np.float32)
    (y,) = evaluator.run(None, {"x": x}, context=context)
    expected = x * x + x
    assert io.owns(y)
    assert io.leased_count == 1

    context.clear()
    np.testing.assert_array_equal(y, expected)
    for k in range(20):
        evaluator.run(None, {"x": x + k})
    np.testing.assert_array_equal(y, expected)
    evaluator.close()
    np.testing.assert_array_equal(y, expected)
    watch = weakref.ref(io)
    execution.close()
    io.close()
    del evaluator, context, execution, io
    gc.collect()
    assert watch() is None, "an array keeps the arena's Python object alive"
    np.testing.assert_array_equal(y, expected)
    y[:] = 3
    assert y.sum() == 3000


def test_dropping_an_array_gives_its_block_to_the_next_run(bench):
    evaluator = bench.open("chain")
    x = np.ones(5000, np.float32)
    (y,) = evaluator.run(None, {"x": x})
    address = y.ctypes.data
    del y
    (z,) = evaluator.run(None, {"x": x})
    assert z.ctypes.data == address
    assert bench.io.stats()["misses"] == 1


def test_arrays_are_aligned_and_writable(bench):
    for n in (1, 3, 17, 1000, 1 << 20):
        (y,) = bench.open("double").run(None, {"x": np.ones(n, np.float32)})
        assert y.ctypes.data % 64 == 0
        assert y.flags.writeable
        assert y.flags.c_contiguous
        assert not y.flags.owndata


def test_a_slice_keeps_the_memory(bench):
    (y,) = bench.open("double").run(None, {"x": np.arange(100, dtype=np.float32)})
    part = y[10:20]
    del y
    gc.collect()
    assert bench.io.leased_count == 1
    np.testing.assert_array_equal(part, 2 * np.arange(10, 20))
