"""Fixtures of the whole suite."""

from __future__ import annotations

import gc
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from goruntime import ExecutionArena, IOArena, ReferenceEvaluator

MODELS = pathlib.Path(__file__).resolve().parent / "models"


@pytest.fixture
def path() -> Callable[[str], str]:
    """The path of a small model by name."""
    return lambda name: str(MODELS / f"{name}.onnx")


class Bench:
    """Evaluators on two arenas of the test's own."""

    def __init__(self, engine: str) -> None:
        self.execution, self.io, self.engine = ExecutionArena(), IOArena(), engine

    def open(self, name: str, **options: Any) -> ReferenceEvaluator:
        return ReferenceEvaluator(str(MODELS / f"{name}.onnx"), allocator=self.execution, io_allocator=self.io, engine=self.engine, **options)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the suite of lifetimes on every engine: there is one contract."""
    if "engine" in metafunc.fixturenames and "lifetime" in metafunc.definition.path.parts:
        metafunc.parametrize("engine", ["goruntime", "ort"])


@pytest.fixture
def engine() -> str:
    """The engine of the bench's evaluators."""
    return "goruntime"


@pytest.fixture
def bench(engine: str) -> Iterator[Bench]:
    """Arenas that must be empty of live memory when the test is over."""
    bench = Bench(engine)
    yield bench
    gc.collect()
    assert bench.io.leased_count == 0, "a lease was not given back"
    assert bench.io.total_allocated_size == 0, "an I/O block has no owner"
    assert bench.execution.total_allocated_size == 0, "an execution block has no owner"
    assert bench.io.stats()["misuses"] == bench.execution.stats()["misuses"] == 0
    assert bench.io.stats()["migrations"] == 0


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(7)
