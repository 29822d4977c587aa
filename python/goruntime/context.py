"""What runs leave behind by name, until it is cleared."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .errors import NameNotFoundError

if TYPE_CHECKING:
    from .arenas import ExecutionArena, IOArena


class RuntimeContext:
    """Holds the values of the runs that are given it, and their arenas.

    Values are shared with the caller, who keeps his arrays when the context is
    cleared: each array holds its own memory.

    Concurrency: a run holds the context; clear() and the next run wait for it.
    """

    def __init__(self, *, allocator: ExecutionArena | None = None, io_allocator: IOArena | None = None) -> None:
        """Make an empty context.

        Args:
            allocator: replaces the evaluator's execution arena.
            io_allocator: replaces the evaluator's I/O arena.
        """
        self.allocator = allocator
        self.io_allocator = io_allocator
        self._lock = threading.Lock()  # protects _values; a run holds it from begin to end
        self._values: dict[str, Any] = {}

    def names(self) -> list[str]:
        """Return the names of the values, in the order they came."""
        with self._lock:
            return list(self._values)

    def has(self, name: str) -> bool:
        """Whether a value of this name is there."""
        with self._lock:
            return name in self._values

    def get(self, name: str) -> Any:
        """Return the value of this name.

        Raises:
            NameNotFoundError: where there is none.
        """
        with self._lock:
            if name not in self._values:
                raise NameNotFoundError(f"the context holds no value {name!r}; it holds {', '.join(map(repr, self._values)) or 'none'}")
            return self._values[name]

    def remove(self, name: str) -> None:
        """Drop the value of this name, if there is one."""
        with self._lock:
            self._values.pop(name, None)

    def clear(self) -> None:
        """Drop all values, after the run that is under way. Arrays that the
        caller holds stay valid; free memory stays in the arenas."""
        with self._lock:
            values, self._values = self._values, {}
        del values

    def _keep(self, feeds: Mapping[str, Any], names: Iterable[str], results: Iterable[Any]) -> None:
        """Take the values of a run. The lock is held."""
        self._values.update(feeds)
        self._values.update(zip(names, results, strict=True))
