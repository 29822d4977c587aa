"""Which columns of Arrow data feed which input of a model, and what they feed."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from . import dtypes
from ._load import native
from .errors import ArgumentError, NameNotFoundError, ShapeError, WrongTypeError, nearest
from .evaluator import ReferenceEvaluator


class Binding:
    """Which columns feed which input of a model.

    Columns bind to inputs by name. Where one input and columns of one type are left
    over, the columns are those of that input, in the order of the schema.
    """

    def __init__(self, evaluator: ReferenceEvaluator, fields: Sequence[tuple[str, str, bytes | None, str]], inputs: Mapping[str, Any] | None = None) -> None:
        """Bind the fields (name, format, metadata, format of the elements) of a schema.

        Parameters
        ----------
        evaluator : ReferenceEvaluator
            whose inputs they feed.
        fields : Sequence[tuple[str, str, bytes | None, str]]
            of the batch.
        inputs : Mapping[str, Any], optional
            the column, or list of columns, of an input, where names do not tell.

        Raises
        ------
        NameNotFoundError
            an input without a column, columns for an input that the model has not.
        ArgumentError
            two columns of one name.
        """
        self.places: dict[str, int] = {}
        for i, (name, *_) in enumerate(fields):
            if self.places.setdefault(name, i) != i:
                raise ArgumentError(f"the columns {self.places[name]} and {i} are both named {name!r}: every column needs a name of its own")
        self.inputs: dict[str, list[str]] = {}
        for name, columns in (inputs or {}).items():
            self.inputs[name] = [columns] if isinstance(columns, str) else list(columns)
        for name in evaluator.input_names:
            if name in self.places:
                self.inputs.setdefault(name, [name])
        left = [name for name in evaluator.required_inputs if name not in self.inputs]
        used = {column for columns in self.inputs.values() for column in columns}
        spare = [name for name, *_ in fields if name not in used]
        if len(left) == 1 and spare and len({(form, element) for name, form, _, element in fields if name in spare}) == 1:
            self.inputs[left[0]] = spare
            left = []
        missing = [c for columns in self.inputs.values() for c in columns if c not in self.places]
        unknown = [name for name in self.inputs if name not in evaluator.input_names]
        if unknown:
            raise NameNotFoundError(f"the model has no inputs {unknown}; it has {', '.join(map(repr, evaluator.input_names))}")
        there = ", ".join(map(repr, self.places)) or "none"
        if left:
            raise NameNotFoundError(f"no columns for the inputs {left}; the batch has {there}: say by inputs which feed them")
        if missing:
            raise NameNotFoundError(f"the batch has no columns {missing}; it has {there}")
        feeding = {c for columns in self.inputs.values() for c in columns}
        self.shapes = {name: _tensor_shape(name, form, metadata) for name, form, metadata, _ in fields if name in feeding}
        self._elements = {name: element for name, _, _, element in fields}
        self._filled: tuple[Any, dict[str, Any]] = ({}, {})  # the fills that were asked for last, and by column
        self.schema: Any = None  # of the batches that it was made for
        self.asked = copy.deepcopy(inputs)  # the caller may change it for the next batch
        self.outputs: list[str] = evaluator.output_names
        self._bound = [
            (name, dtype, shape, self.inputs[name], tuple(self.places[c] for c in self.inputs[name]))
            for name, _, dtype, shape, _ in evaluator._native.inputs
            if name in self.inputs
        ]
        self._wanted = tuple(
            (name, places, 2 if shape is not None and len(shape) == 2 else 1, dtype)
            for name, dtype, shape, columns, places in self._bound
            if all(self.shapes[c] is None for c in columns)
        )

    def feeds(self, batch: Any, arena: Any, fills: Mapping[str, Any], casts: bool | Collection[str]) -> dict[str, Any]:
        """Return the feeds of one batch; what is copied goes to the I/O arena that is given.

        Raises
        ------
        NameNotFoundError
            casts of an input that is not fed, fills of what feeds none.
        ArgumentError
            a fill that is no value of its column.
        """
        if not isinstance(casts, bool) and not self.inputs.keys() >= set(casts):
            raise NameNotFoundError(f"casts names {sorted(set(casts) - self.inputs.keys())}; the inputs are {', '.join(map(repr, self.inputs))}")
        if fills != self._filled[0]:
            self._filled = (copy.deepcopy(fills), self._filling(fills))
        fills = self._filled[1]
        feeds: dict[str, Any] = batch.feeds(self._wanted, arena, casts, fills)
        if len(feeds) == len(self._bound):
            return feeds
        for name, dtype, shape, columns, _ in self._bound:
            if name in feeds:
                continue
            cast = casts if isinstance(casts, bool) else name in casts
            parts = [self._column(batch, c, arena, fills, dtype, cast) for c in columns]
            feeds[name] = _as_input(parts[0], shape) if len(parts) == 1 else _matrix(parts, name, columns)
        return feeds

    def tell_columns(self, error: WrongTypeError | ShapeError) -> None:
        """Have an error of an input that columns of other names feed tell these."""
        columns = self.inputs.get(error.input, [])
        if error.op == "" and columns not in ([], [error.input]):
            more = ", ..." if len(columns) > 3 else ""
            error.args = (f"{error} (it is fed by {', '.join(map(repr, columns[:3]))}{more})",)

    def _filling(self, fills: Mapping[str, Any]) -> dict[str, Any]:
        """Return what stands for nulls by column."""
        feeding = {column for columns in self.inputs.values() for column in columns}
        unknown = [name for name in fills if name not in feeding and name not in self.inputs]
        if unknown:
            raise NameNotFoundError(f"fills names {unknown[0]!r}, which is no column that feeds an input; the nearest are {nearest(unknown[0], feeding)}")
        of_inputs = {column: fills[name] for name, columns in self.inputs.items() if name in fills and name not in feeding for column in columns}
        of_columns = {name: value for name, value in fills.items() if name in feeding}
        return {name: _fill(name, self._elements[name], value) for name, value in {**of_inputs, **of_columns}.items()}

    def _column(self, batch: Any, name: str, arena: Any, fills: Mapping[str, Any], dtype: int, casts: bool) -> Any:
        column = batch.column(self.places[name], arena, fills.get(name))
        shape = self.shapes[name]
        if shape is not None and isinstance(column, np.ndarray):
            column = column.reshape(len(column), *shape)
        if casts and isinstance(column, np.ndarray) and dtype > 0 and dtype not in _NO_NUMBERS and dtypes.number_of(column.dtype) != dtype:
            column = _cast(column, dtype, arena, name)
        return column


_WHOLE = dict(zip("cCsSiIlL", ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"), strict=True))
_FLOATS = dict(zip("efg", ("float16", "float32", "float64"), strict=True))


def _fill(name: str, form: str, value: Any) -> Any:
    """Return a fill as a value of a column whose elements have an Arrow format."""
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if form in _WHOLE:
        kind, fits = _WHOLE[form], number and value == value // 1 and np.iinfo(_WHOLE[form]).min <= value <= np.iinfo(_WHOLE[form]).max
        value = int(value) if fits else value
    elif form in _FLOATS:
        kind, fits = _FLOATS[form], number and (abs(value) <= float(np.finfo(_FLOATS[form]).max) or value != value or abs(value) == np.inf)
    elif form == "b":
        kind, fits = "bool", isinstance(value, (bool, np.bool_))
    elif form in ("u", "U", "vu"):
        kind, fits = "string", isinstance(value, str)
    else:
        return value  # of a column that is refused
    if not fits:
        raise ArgumentError(f"the fill {value!r} of the column {name!r} is no {kind}: a value of the column's type expected")
    return value


def _matrix(parts: list[Any], name: str, columns: list[str]) -> Any:
    """Return columns as one input [N, K], of which the run gathers rows where it must."""
    if not all(isinstance(p, np.ndarray) and p.ndim == 1 for p in parts):
        raise WrongTypeError(f"the columns {columns} cannot be one input {name!r}: plain columns of numbers expected")
    for column, part in zip(columns, parts, strict=True):
        if part.dtype != parts[0].dtype:
            types = f"{columns[0]!r} is {parts[0].dtype} and {column!r} is {part.dtype}"
            raise WrongTypeError(f"the columns of the input {name!r} are not of one type, {types}: allow casts, or convert them")
    return native().arrow_matrix(parts)


_NO_NUMBERS = (8, 9)  # texts and booleans, to which nothing is cast
_OF_C = (*_WHOLE.values(), "float32", "float64")  # types whose casts refuse by themselves


def _cast(column: np.ndarray[Any, Any], dtype: int, arena: Any, name: str) -> np.ndarray[Any, Any]:
    """Return a column as one of another element type. Those that C has not are NumPy's casts,
    of which what changed is refused here."""
    with np.errstate(all="ignore"):
        cast: np.ndarray[Any, Any] = native().arrow_cast(column, dtype, arena, name)
        if column.dtype.name in _OF_C and cast.dtype.name in _OF_C:
            return cast
        wrong = np.isfinite(column) & ~np.isfinite(cast.astype(np.float64))
        if cast.dtype.name.startswith(("int", "uint")):
            wrong = ~np.isfinite(column) | (cast.astype(np.float64) != column.astype(np.float64))
    if wrong.any():
        at = np.unravel_index(wrong.argmax(), column.shape)
        what = f"{column[at]} in row {at[0]}, which is no {cast.dtype.name}"
        raise ArgumentError(f"the column {name!r} has {what}: a cast rounds to floats, and changes no number else")
    return cast


def _as_input(column: Any, shape: tuple[int | str | None, ...] | None) -> Any:
    """Return a column for an input of this declared shape: [N] is [N, 1] where rank 2
    is declared, and lists that are not there have the lengths that are declared."""
    if shape is None:
        return column
    if not isinstance(column, np.ndarray):
        return column.as_column() if len(shape) == 2 else column
    if column.ndim == 1 and len(shape) == 2:
        return column.reshape(-1, 1)
    if column.ndim == len(shape) and not len(column):
        return column.reshape(0, *(d if isinstance(d, int) and not n else n for d, n in zip(shape[1:], column.shape[1:], strict=True)))
    return column


def _tensor_shape(name: str, form: str, metadata: bytes | None) -> tuple[int, ...] | None:
    """Return the shape of an arrow.fixed_shape_tensor, None for other fields."""
    pairs = _pairs(metadata or b"")
    if pairs.get(b"ARROW:extension:name") != b"arrow.fixed_shape_tensor":
        return None
    text = pairs.get(b"ARROW:extension:metadata", b"").decode(errors="replace")
    try:
        told = json.loads(text)
        shape, order = [int(d) for d in told["shape"]], told.get("permutation")
        turned = order is not None and order != sorted(order)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ArgumentError(f"the column {name!r}: the metadata of a fixed_shape_tensor are {text!r}, which tell no shape") from error
    if turned:
        raise ArgumentError(f"a fixed_shape_tensor with the permutation {order} is not in the order of its memory")
    if not form.startswith("+w:") or min(shape, default=0) < 0 or math.prod(shape) != int(form[3:]):
        kind = f"fixed_size_list of {form[3:]}" if form.startswith("+w:") else f"Arrow format {form}"
        raise ArgumentError(f"the column {name!r} is a {kind}, its metadata say tensors of shape {shape}: a fixed_size_list of as many values expected")
    return tuple(shape)


def _pairs(metadata: bytes) -> dict[bytes, bytes]:
    """Return the keys and values of a schema's metadata, as the C data interface has them."""
    found: dict[bytes, bytes] = {}
    if not metadata:
        return found
    at = 4
    for _ in range(int.from_bytes(metadata[:4], "little")):
        texts = []
        for _ in range(2):
            size = int.from_bytes(metadata[at : at + 4], "little")
            texts.append(metadata[at + 4 : at + 4 + size])
            at += 4 + size
        found[texts[0]] = texts[1]
    return found
