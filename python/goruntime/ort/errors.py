"""onnxruntime's exceptions, by its names, around what goruntime raises."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .. import errors as own

__all__ = [
    "EPFail",
    "EngineError",
    "Fail",
    "InvalidArgument",
    "InvalidGraph",
    "InvalidProtobuf",
    "ModelLoaded",
    "NoModel",
    "NoSuchFile",
    "NotImplemented",
    "RuntimeException",
]


class Fail(RuntimeError):
    """What has no better name."""


class InvalidArgument(RuntimeError):
    """Feeds or names that do not fit the model."""


class NoSuchFile(RuntimeError):
    """A file that cannot be read."""


class NoModel(RuntimeError):
    """No model was given."""


class EngineError(RuntimeError):
    """Not raised here."""


class RuntimeException(RuntimeError):
    """A kernel met a value that it forbids, or memory ran out."""


class InvalidProtobuf(RuntimeError):
    """Not raised here: bytes that are no model raise InvalidGraph."""


class ModelLoaded(RuntimeError):
    """Not raised here."""


class NotImplemented(RuntimeError):
    """Operators that are not run here."""


class InvalidGraph(RuntimeError):
    """A graph that is not valid."""


class EPFail(RuntimeError):
    """Not raised here."""


_OF: list[tuple[type[own.Error], type[RuntimeError]]] = [
    (own.UnsupportedError, NotImplemented),
    (own.FileError, NoSuchFile),
    (own.ModelError, InvalidGraph),
    (own.ArgumentError, InvalidArgument),
    (own.WrongTypeError, InvalidArgument),
    (own.ShapeError, InvalidArgument),
    (own.NameNotFoundError, InvalidArgument),
    (own.ComputeError, RuntimeException),
    (own.LimitError, RuntimeException),
    (own.Error, Fail),
]


@contextmanager
def translated() -> Iterator[None]:
    """Raise goruntime's errors as onnxruntime names them; the original is the cause."""
    try:
        yield
    except own.Error as error:
        name = next(theirs for mine, theirs in _OF if isinstance(error, mine))
        raise name(f"[goruntime] : {error}") from error
