"""The types and shapes of inputs, for compiling ahead of a run."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

from . import dtypes
from .errors import NameNotFoundError, ShapeError, UnsupportedError, WrongTypeError

Info = tuple[str, str, int, "tuple[int | str | None, ...] | None", int]


def described(inputs: Sequence[Info], shapes: Mapping[str, Any]) -> list[dict[str, Any] | None]:
    """Return {"dtype": number, "shape": list} for each input, None where it is left out."""
    if not isinstance(shapes, Mapping):
        raise WrongTypeError(f"shapes: a dict of shapes by name expected, {type(shapes).__name__} given")
    unknown = sorted(shapes.keys() - {info[0] for info in inputs})
    if unknown:
        raise NameNotFoundError(f"no input is named {', '.join(map(repr, unknown))}; the inputs are {', '.join(repr(i[0]) for i in inputs)}")
    return [_one(info, shapes[info[0]]) if info[0] in shapes else None for info in inputs]


def _one(info: Info, given: Any) -> dict[str, Any]:
    name, kind, dtype, _, _ = info
    if kind.startswith(("seq(", "optional(", "map(")):
        raise UnsupportedError(f"{name!r} is a {kind}, which has no one shape to compile for: the first run compiles")
    shape = given
    if hasattr(given, "dtype") and hasattr(given, "shape"):
        dtype, shape = _number(given.dtype), given.shape
    elif isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], Sequence) and not isinstance(given[1], str):
        dtype, shape = _number(given[0]), given[1]
    if dtype == 0:
        raise WrongTypeError(f"the model does not declare the element type of {name!r}: give (dtype, shape) or an array like it")
    return {"dtype": dtype, "shape": _dims(name, shape)}


def _dims(name: str, shape: Any) -> list[int]:
    """Return a shape as a list of numbers."""
    try:
        dims = [operator.index(n) for n in shape]
    except TypeError:
        dims = [-1]
    if any(not 0 <= n < 1 << 48 for n in dims):
        raise ShapeError(f"{name!r}: a shape of whole numbers not below 0 expected, {shape!r} given")
    return dims


def _number(dtype: Any) -> int:
    import numpy as np

    number = dtypes.number_of(np.dtype(dtype))
    if number == 0:
        raise WrongTypeError(f"{dtype!r} is no element type of ONNX")
    return number
