"""How runs use the threads of the process: onnx-light's cpu_execution, as far as it is to
be had here, and what the threads did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .errors import ArgumentError, WrongTypeError

# What goruntime does anyway: threads spin for a moment and then sleep, on the
# processors that the process may use. All else that these keys may say is a hint that
# cannot be taken, since all evaluators share one set of threads.
_HINTS = {"spin_policy": "adaptive", "affinity_policy": "none"}


def threads_of(policy: Mapping[str, Any], num_threads: int | None) -> int | None:
    """Return how many threads a run may use.

    Parameters
    ----------
    policy : Mapping[str, Any]
        the keys num_threads (0 is all), spin_policy and affinity_policy.
    num_threads : int | None
        the evaluator's own argument, which goes before the policy's.
    """
    if not isinstance(policy, Mapping):
        raise WrongTypeError(f"cpu_execution: a dict expected, {type(policy).__name__} given")
    unknown = sorted(set(policy) - set(_HINTS) - {"num_threads"})
    if unknown:
        raise ArgumentError(f"cpu_execution: the keys are num_threads, spin_policy and affinity_policy, {', '.join(map(repr, unknown))} given")
    for key, done in _HINTS.items():
        if policy.get(key, done) != done:
            from .log import warning

            warning("cpu_execution: %s=%r has no effect, since all evaluators share one set of threads; it is %r", key, policy[key], done)
    threads = policy.get("num_threads", 0)
    if not isinstance(threads, int) or threads < 0:
        raise ArgumentError(f"cpu_execution: num_threads is {threads!r}, a number not below 0 expected")
    return num_threads if num_threads is not None else threads or None


def check_threads(n: Any) -> None:
    """Check a number of threads.

    Raises
    ------
    ArgumentError
        it is none.
    """
    import operator

    if not hasattr(n, "__index__") or not 0 <= operator.index(n) < 1 << 31:
        raise ArgumentError(f"num_threads is {n!r}: a number not below 0 and below 2**31 expected, where 0 and None are all")


def counted(handles: Iterable[int]) -> dict[str, int]:
    """Return what the loops of some sessions did, together."""
    from ._control import report

    counts = dict.fromkeys(("dispatches", "limited_inline_dispatches", "busy_inline_dispatches", "chunks", "worker_chunks"), 0)
    for handle in handles:
        for name, n in report("SessionReport", handle)["counters"].items():
            counts[name] += n
    return counts
