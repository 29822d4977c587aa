"""Arenas whose copies are counted."""

from __future__ import annotations

import gc

import pytest

from goruntime import ExecutionArena, IOArena, ReferenceEvaluator


class Arenas:
    def __init__(self):
        self.execution, self.io = ExecutionArena(), IOArena()

    def open(self, proto, **options):
        return ReferenceEvaluator(proto, allocator=self.execution, io_allocator=self.io, **options)

    def copies(self):
        return {k: v for k, v in self.io.stats()["copies"].items() if v}


@pytest.fixture
def arenas():
    """Arenas that must be empty at the end."""
    made = Arenas()
    yield made
    gc.collect()
    assert made.io.leased_count == 0, "a lease was not given back"
    assert made.io.total_allocated_size == made.execution.total_allocated_size == 0
