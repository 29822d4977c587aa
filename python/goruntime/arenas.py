"""The two arenas: where a run's memory comes from and stays for the next one."""

from __future__ import annotations

import operator
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._control import call, report
from ._load import native
from .errors import ArgumentError, WrongTypeError

if TYPE_CHECKING:
    from typing import Self

    import numpy as np


def _checked(name: str, value: Any) -> int | None:
    """Return a number of blocks or bytes, or None.

    Raises
    ------
    WrongTypeError
        it is neither.
    ArgumentError
        it is none that there can be.
    """
    if value is None:
        return None
    if not hasattr(value, "__index__"):
        raise WrongTypeError(f"{name} is {value!r}: a whole number or None expected")
    number = operator.index(value)
    if not 0 <= number < 1 << 63:
        raise ArgumentError(f"{name} is {number}: {'it must not be negative' if number < 0 else 'less than 2**63 expected'}")
    return number


class _Arena:
    """What both arenas do. Sizes are in bytes of blocks, which are up to an
    eighth larger than what they hold."""

    _io: bool

    def __init__(self, capacity: int | None = None, retention_cap: int | None = None, limit: int | None = None) -> None:
        """Make an empty arena.

        Parameters
        ----------
        capacity : int, optional
            how many blocks to prepare for; a hint.
        retention_cap : int, optional
            the most bytes of free memory to keep. None keeps live
            and free memory within 1.25 times the peak of live memory, in an
            ExecutionArena at least 4 MB above it.
        limit : int, optional
            a hard bound on live and free bytes together; a run that
            would exceed it raises LimitError. None is no bound.
        """
        self._capacity = _checked("capacity", capacity)
        cap, bound = _checked("retention_cap", retention_cap), _checked("limit", limit)
        if bound == 0:
            raise ArgumentError("limit is 0: no run fits into that; None is no bound")
        self._native = native().Arena(self._io, self._capacity or 0, -1 if cap is None else cap, bound or 0)

    @classmethod
    def _of(cls, handle: int) -> Self:
        """Return the view of an arena that an evaluator owns."""
        self = cls.__new__(cls)
        self._capacity = None
        self._native = native().Arena(cls._io, handle=handle)
        return self

    def stats(self) -> dict[str, Any]:
        """Return all counters: live, retained, peak_live (bytes), live_blocks,
        retained_blocks, leases, hits, misses, evictions, system_allocations,
        system_releases, migrations, misuses, copies by reason, retention_cap
        (-1 for none) and limit (0 for none)."""
        return report("ArenaStats", self._native.handle)

    @property
    def capacity(self) -> int | None:
        """How many blocks the arena was prepared for."""
        return self._capacity

    @property
    def limit(self) -> int | None:
        """The hard bound on live and free bytes, or None."""
        return int(self.stats()["limit"]) or None

    @property
    def retention_cap(self) -> int | None:
        """The most bytes of free memory, or None. Setting it evicts at once."""
        cap = int(self.stats()["retention_cap"])
        return None if cap < 0 else cap

    @retention_cap.setter
    def retention_cap(self, value: int | None) -> None:
        cap = _checked("retention_cap", value)
        call("ArenaSetRetentionCap", self._native.handle, -1 if cap is None else cap)

    @property
    def total_allocated_size(self) -> int:
        """Live bytes: owned by runs and, in an IOArena, by arrays."""
        return int(self.stats()["live"])

    @property
    def peak_allocated_size(self) -> int:
        """The largest number of live bytes since the start or reset_peak()."""
        return int(self.stats()["peak_live"])

    @property
    def allocated_count(self) -> int:
        """The number of live blocks."""
        return int(self.stats()["live_blocks"])

    @property
    def retained_size(self) -> int:
        """Free bytes that are kept for reuse; never part of the live ones."""
        return int(self.stats()["retained"])

    @property
    def retained_count(self) -> int:
        """The number of free blocks."""
        return int(self.stats()["retained_blocks"])

    def reset_peak(self) -> None:
        """Let the peak, and with it the default bound, start from now."""
        call("ArenaResetPeak", self._native.handle)

    def trim(self) -> int:
        """Give all free memory back to the system; return how many bytes."""
        return int(call("ArenaShrink", self._native.handle, 0))

    def shrink(self, target: int) -> int:
        """Give free memory back until at most target bytes are kept; return how
        many bytes went."""
        return int(call("ArenaShrink", self._native.handle, _checked("target", target) or 0))

    def owns(self, array: np.ndarray[Any, Any]) -> bool:
        """Whether the array's memory is the arena's."""
        return bool(self._native.owns(array))

    def close(self) -> None:
        """Give free memory back and refuse further use. Arrays that hold leases
        stay valid; their memory goes with the last of them."""
        self._native.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class ExecutionArena(_Arena):
    """Memory of what dies inside a run: intermediates and workspaces.

    May be shared by evaluators and threads. It lives as long as an evaluator or
    the caller refers to it.
    """

    _io = False

    @property
    def live_execution_size(self) -> int:
        """Live bytes; the same as total_allocated_size."""
        return self.total_allocated_size

    @property
    def retained_execution_size(self) -> int:
        """Free bytes; the same as retained_size."""
        return self.retained_size


class IOArena(_Arena):
    """Memory of what leaves a run: outputs, and copies of inputs that had to be
    made. Each array that a run returns holds one lease on one block, which
    returns here when the array is dropped.
    """

    _io = True

    @property
    def leased_count(self) -> int:
        """How many blocks arrays hold now."""
        return int(self.stats()["leases"])

    @property
    def live_io_size(self) -> int:
        """Live bytes; the same as total_allocated_size."""
        return self.total_allocated_size

    @property
    def retained_io_size(self) -> int:
        """Free bytes; the same as retained_size."""
        return self.retained_size


def check_arenas(**arenas: object) -> None:
    """Check arguments that are arenas or None.

    Raises
    ------
    WrongTypeError
        one is neither, or of the other kind.
    """
    for name, arena in arenas.items():
        kind = IOArena if name.startswith("io") else ExecutionArena
        if arena is not None and not isinstance(arena, kind):
            raise WrongTypeError(f"{name}: an {kind.__name__} expected, {type(arena).__name__} given")
