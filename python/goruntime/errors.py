"""Every exception that goruntime raises: one class for each code of the core.

All derive from :class:`Error`; those that Python has a word for derive from its
class too, so ``except ValueError`` or ``except TimeoutError`` work.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


class Error(Exception):
    """A failure in goruntime.

    Attributes
    ----------
    code
        the number of the code, as in ``capi/api.h``.
    op
        the operator type, "" where none is involved.
    node
        the node's name, "" where none is involved.
    input
        the input, output or feed that it is about, or "".
    """

    code = 15
    op = ""
    node = ""
    input = ""


class ArgumentError(Error, ValueError):
    """A bad argument that is none of the kinds below."""

    code = 1


class WrongTypeError(Error, TypeError):
    """An element type or a kind of value that does not fit."""

    code = 2


class ShapeError(Error, ValueError):
    """A rank or a dimension that does not fit."""

    code = 3


class NameNotFoundError(Error, ValueError):
    """A missing or unknown name."""

    code = 4


class ModelError(Error, ValueError):
    """Bytes or a graph that are not a valid model."""

    code = 5


class UnsupportedError(Error, NotImplementedError):
    """Something valid that goruntime does not run.

    Attributes
    ----------
    missing : tuple[Any, ...]
        what a model lacks, as goruntime.Lack; empty where no model is meant.
    """

    code = 6
    missing: tuple[Any, ...] = ()


class LimitError(Error, MemoryError):
    """An arena's limit would be exceeded, or the system refused memory."""

    code = 7


class ClosedError(Error, ValueError):
    """Use after close."""

    code = 8


class ReleasedError(Error, ValueError):
    """A lease that was given back already."""

    code = 9


class CanceledError(Error):
    """The run was canceled."""

    code = 10


class RunTimeoutError(Error, TimeoutError):
    """The run's time limit passed."""

    code = 11


class ForkedError(Error, RuntimeError):
    """goruntime was entered in a process forked after it was used."""

    code = 12


class FileError(Error, OSError):
    """A file could not be read."""

    code = 13


class ComputeError(Error, ArithmeticError):
    """A kernel met a value that its operator forbids."""

    code = 14


class InternalError(Error, RuntimeError):
    """A bug in goruntime: please report it."""

    code = 15


# The names of the codes by number, as the core spells them.
NAMES = (
    "OK", "ARGUMENT", "TYPE", "SHAPE", "NAME", "MODEL", "UNSUPPORTED", "MEMORY", "CLOSED",
    "RELEASED", "CANCELED", "TIMEOUT", "FORKED", "IO", "COMPUTE", "INTERNAL",
)  # fmt: skip

BY_CODE: dict[int, type[Error]] = {
    cls.code: cls
    for cls in (
        ArgumentError, WrongTypeError, ShapeError, NameNotFoundError, ModelError, UnsupportedError, LimitError, ClosedError,
        ReleasedError, CanceledError, RunTimeoutError, ForkedError, FileError, ComputeError, InternalError,
    )
}  # fmt: skip


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def make(code: int, message: str | bytes, op: bytes, node: bytes, input: bytes) -> Error:
    """Return the exception of a failure in the core. Called by the extension."""
    error = BY_CODE.get(code, InternalError)(_text(message))
    error.op, error.node, error.input = _text(op), _text(node), _text(input)
    return error


def nearest(name: object, known: Iterable[str]) -> str:
    """Return the known names that are nearest to one, for a message."""
    import difflib  # here, since imports cost every start and errors are rare

    return ", ".join(map(repr, difflib.get_close_matches(str(name), list(known), n=3, cutoff=0.0))) or "none"


def wrong_feeds(names: Sequence[str], feeds: Mapping[str, object]) -> None:
    """Raise the exception that says which feeds are missing or unknown."""
    missing = [n for n in names if n not in feeds]
    unknown = [n for n in feeds if n not in names]
    parts = []
    for name in unknown:
        parts.append(f"no input is named {name!r}; the nearest are {nearest(name, names)}")
    if missing:
        parts.append(f"missing: {', '.join(map(repr, missing))}; the model's inputs are {', '.join(map(repr, names))}")
    raise NameNotFoundError("feeds: " + "; ".join(parts))
