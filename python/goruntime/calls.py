"""Runs with more than outputs and feeds: in a context, traced, printed, checked, or of
another variant of the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from . import variants
from .errors import WrongTypeError
from .policy import check_threads

if TYPE_CHECKING:
    import numpy as np

    from .cancel import CancelToken
    from .context import RuntimeContext
    from .evaluator import ReferenceEvaluator


class Options(NamedTuple):
    """What ReferenceEvaluator.run takes beside outputs, feeds and attributes."""

    intermediate: bool
    check_shape_annotations: bool | None
    context: RuntimeContext | None
    outputs: Mapping[str, np.ndarray[Any, Any]] | None
    timeout: float | None
    cancel: CancelToken | None
    num_threads: int | None

    def native(self) -> dict[str, Any]:
        """Return those that the extension takes, as it names them."""
        found: dict[str, Any] = {"timeout": self.timeout, "threads": self.num_threads}
        if self.outputs is not None:
            found["outputs"] = dict(self.outputs)
        if self.cancel is not None:
            found["cancel"] = getattr(self.cancel, "_native", self.cancel)
        return found


def run(evaluator: ReferenceEvaluator, output_names: Any, feeds: dict[str, Any], attributes: Mapping[str, Any] | None, options: Options) -> Any:
    """See ReferenceEvaluator.run."""
    if options.num_threads is not None:
        check_threads(options.num_threads)
    if options.outputs is not None and not isinstance(options.outputs, Mapping):
        raise WrongTypeError(f"outputs: a dict of arrays by name expected, {type(options.outputs).__name__} given")
    variant = variants.of(evaluator, attributes, options.context)
    try:
        return _run(variant, output_names, feeds, options)
    finally:
        evaluator._events = variant._events


def _run(evaluator: ReferenceEvaluator, output_names: Any, feeds: dict[str, Any], options: Options) -> Any:
    context = options.context
    check = evaluator._check if options.check_shape_annotations is None else options.check_shape_annotations
    keep_all = options.intermediate or check or (context is not None and not (evaluator._release and context.release_intermediates))
    names = list(evaluator.output_names if output_names is None else output_names)
    wanted = [*names, *(n for n in evaluator._computed if n not in names)] if keep_all else names
    if context is None:
        results = _traced(evaluator, wanted, feeds, options.native(), evaluator._tracing, evaluator.verbose)
    else:
        results = _in_context(evaluator, context, wanted, feeds, options.native())
    values = dict(zip(wanted, results, strict=True))
    if check:
        from .annotations import check as compare

        compare(evaluator._annotations, {**feeds, **values})
    return {**feeds, **values} if options.intermediate else results[: len(names)]


def _in_context(evaluator: ReferenceEvaluator, context: RuntimeContext, wanted: list[str], feeds: dict[str, Any], options: dict[str, Any]) -> list[Any]:
    """Run with the arenas of a context and leave the values in it."""
    if context.allocator is not None:
        options["execution"] = context.allocator._native
    if context.io_allocator is not None:
        options["io"] = context.io_allocator._native
    with context._lock:
        tracing = evaluator._tracing or context.events_enabled
        results = _traced(evaluator, wanted, feeds, options, tracing, max(evaluator.verbose, context.verbose))
        context._keep(feeds, wanted, results, evaluator._events if tracing else ())
    return results


def _traced(evaluator: ReferenceEvaluator, wanted: list[str], feeds: dict[str, Any], options: dict[str, Any], tracing: bool, verbose: int) -> list[Any]:
    """Run; print and keep what happened, also where the run fails."""
    if not tracing and verbose <= 1:
        results: list[Any] = evaluator._run(wanted, feeds, **options)
        return results
    from . import events

    lines: list[str] = []
    try:
        results = evaluator._run(wanted, feeds, **options, events=lines)
    finally:
        happened = events.parse("".join(lines))
        events.show(happened, verbose)
        if tracing:
            evaluator._events = happened
    return results
