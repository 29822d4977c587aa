"""Evaluators of one model that differ: with values for the attributes of a function, with
the kernels of a context, or rebuilt from a pickle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .errors import ArgumentError, WrongTypeError

if TYPE_CHECKING:
    from .context import RuntimeContext
    from .evaluator import ReferenceEvaluator
    from .kernels import Factory, Key

KEPT = 8  # variants of an evaluator


def of(evaluator: ReferenceEvaluator, attributes: Mapping[str, Any] | None, context: RuntimeContext | None) -> ReferenceEvaluator:
    """Return the evaluator of the same model with the attributes of a call of a
    FunctionProto and the kernels of a context: itself, or one that it keeps.

    Raises
    ------
    WrongTypeError
        the context is none.
    ArgumentError
        attributes are given, and the model is no function.
    """
    kernels = getattr(context, "_kernels", None) if context is not None else {}
    if kernels is None:
        raise WrongTypeError(f"context: a RuntimeContext expected, {type(context).__name__} given")
    if not attributes and all(evaluator._kernels.get(key) is kernel for key, kernel in kernels.items()):
        return evaluator
    source = _bound(evaluator, attributes) if attributes else evaluator._bytes if evaluator._path is None else evaluator._path
    kept, key = evaluator._variants, (source, tuple(kernels.items()))
    if key not in kept:
        execution, io = evaluator._own_arenas()
        made = rebuilt(source, {**settings(evaluator), "allocator": execution, "io_allocator": io}, {**evaluator._kernels, **kernels})
        while len(kept) >= KEPT:
            kept.pop(next(iter(kept)))
        kept[key] = made
    return kept[key]


def _bound(evaluator: ReferenceEvaluator, attributes: Mapping[str, Any]) -> bytes:
    """Return the bytes of a function's model with values for its attributes."""
    from .functions import model
    from .protos import serialized

    if type(evaluator.proto_).__name__ != "FunctionProto":
        raise ArgumentError("attributes are for the evaluator of a FunctionProto")
    return serialized(model(evaluator.proto_, attributes), evaluator._functions)


def settings(evaluator: ReferenceEvaluator) -> dict[str, Any]:
    """Return what an evaluator was made with, but for model, kernels and arenas."""
    return {
        "verbose": evaluator.verbose,
        "check_shape_annotations": evaluator._check,
        "events_enabled": evaluator._tracing,
        "release_intermediates": evaluator._release,
        "num_threads": evaluator._threads or None,
        "engine": evaluator._engine or "goruntime",
        "string_dtype": evaluator._strings,
        "cpu_execution_counters": evaluator._counting,
    }


def pickled(evaluator: ReferenceEvaluator) -> tuple[Any, ...]:
    """Return what pickle keeps of an evaluator: the model's bytes, and the Python kernels
    that it uses. The copy has arenas of its own."""
    data: Any = evaluator.proto_ if evaluator._unbound else evaluator._bytes
    if data is None and evaluator._path is not None:
        with open(evaluator._path, "rb") as file:
            data = file.read()
    functions = [getattr(f, "proto_", f) for f in evaluator._functions] if evaluator._unbound else None
    return (rebuilt, (data, {**settings(evaluator), "functions": functions}, evaluator._used))


def rebuilt(model: Any, options: dict[str, Any], kernels: dict[Key, Factory]) -> ReferenceEvaluator:
    """Return an evaluator with the Python kernels of another one."""
    from .evaluator import ReferenceEvaluator
    from .kernels import Inherited

    return ReferenceEvaluator(model, new_ops=Inherited(kernels), **options)  # type: ignore[arg-type]
