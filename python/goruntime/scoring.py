"""Scores pyarrow batches by rules: what goruntime.files, goruntime.ray and
goruntime.spark have in common.

A batch goes in, a batch comes out: the columns that are kept, then the answers.
Needs pyarrow.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import hashlib
import json
import os
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from types import NoneType
from typing import Any

import pyarrow as pa

from . import arrow, dtypes
from ._load import native
from .errors import ArgumentError, ModelError, NameNotFoundError
from .evaluator import ReferenceEvaluator

__all__ = ["Rules", "Scoring", "empty"]


@dataclasses.dataclass(frozen=True)
class Rules:
    """Which columns feed a model, and what is written.

    Attributes
    ----------
    keep : Sequence[str]
        columns to write before the answers. They feed no input but one of their name.
    inputs : Mapping[str, str | Sequence[str]]
        the column, or list of columns, of an input, where names do not tell.
        A name may be a pattern: "c*" are all columns that begin with c.
    outputs : Mapping[str, str]
        by value of the model, the column that is written; none is the
        model's outputs under their names.
    fills : Mapping[str, Any]
        by column, or by input for all of its columns, what stands where they are null.
    casts : bool | Sequence[str]
        whether columns of another element type are converted, or of which inputs.
    """

    keep: Sequence[str] = ()
    inputs: Mapping[str, str | Sequence[str]] = dataclasses.field(default_factory=dict)
    outputs: Mapping[str, str] = dataclasses.field(default_factory=dict)
    fills: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    casts: bool | Sequence[str] = False

    @classmethod
    def of(
        cls, model: Any, keep: Sequence[str] = (), inputs: Mapping[str, str | Sequence[str]] | None = None, outputs: Mapping[str, str] | None = None,
        fills: Mapping[str, Any] | None = None, casts: bool | Sequence[str] = False,
    ) -> Rules:  # fmt: skip
        """Return what is given over the manifest beside a model, where the model is a
        path and there is one. See beside for what it raises."""
        base = cls.beside(model) if isinstance(model, (str, os.PathLike)) else cls()
        return cls(tuple(keep), {**base.inputs, **(inputs or {})}, outputs or base.outputs, {**base.fills, **(fills or {})}, casts or base.casts)

    @classmethod
    def beside(cls, model: str | os.PathLike[str]) -> Rules:
        """Return the rules of the manifest beside a model file, the default ones where
        there is none. Its schema, its limits and its batching are a server's.

        Raises
        ------
        ModelError
            the manifest is of another file.
        ArgumentError
            the manifest is no JSON object, or has unknown fields.
        """
        path = pathlib.Path(model)
        beside = path.with_suffix(".manifest.json")
        if not beside.exists():
            return cls()
        try:
            manifest = json.loads(beside.read_text())
            sha256, rules = _read(manifest)
            outputs = {o["value"]: o.get("column") or o["value"] for o in manifest.get("outputs", ())}
            inputs = {name: rule["columns"] for name, rule in rules.items() if rule.get("columns")}
            fills = {name: rule["fill"] for name, rule in rules.items() if rule.get("fill") is not None}
            casts = [name for name, rule in rules.items() if rule.get("cast")]
        except (ValueError, AttributeError, KeyError, TypeError, RecursionError) as error:
            raise ArgumentError(f"{beside} is no manifest: {type(error).__name__} {error}: `goruntime manifest` writes one") from error
        if len(outputs) < len(manifest.get("outputs", ())):
            raise ArgumentError(f"{beside} returns a value under two names, which only a server does: name each value once")
        _verify(path, sha256)
        for place, want in manifest.get("weights", {}).items():
            _verify(path.parent / place, want)
        return cls(inputs=inputs, outputs=outputs, fills=fills, casts=casts)


def _read(manifest: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the checksum and the rules of inputs of a manifest, "" where it has none.

    Raises
    ------
    ValueError
        a field is unknown, most likely a known one misspelled, or of another type.
    """
    rules = manifest.get("inputs") or {}
    _check(manifest, name=str, version=str, sha256=str, weights=dict, inputs=dict, outputs=list, schema=dict, limits=dict, batching=dict)
    for rule in rules.values():
        _check(rule, columns=list, fill=object, cast=bool)
        if not isinstance(rule.get("fill", 0), (bool, int, float, str, NoneType)):
            raise ValueError(f"the field 'fill' is {rule['fill']!r}, a number, a bool or a str expected")
    for place, sum_ in manifest.get("weights", {}).items():
        if not isinstance(sum_, str):
            raise ValueError(f"the field 'weights' has {sum_!r} for {place!r}, a str expected")
    for output in manifest.get("outputs") or ():
        _check(output, value=str, column=str)
    return manifest.get("sha256", ""), rules


def _verify(path: pathlib.Path, want: str) -> None:
    """Compare a file with its checksum by a manifest, "" for none."""
    if not want:
        return
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"the manifest beside the model has a checksum of {path}: {error}") from error
    if found != want:
        raise ModelError(f"the SHA-256 of {path} is {found}, the manifest beside it says {want}")


def _check(fields: Mapping[str, Any], **known: type) -> None:
    for name, value in fields.items():
        if name not in known:
            raise ValueError(f"the field {name!r} is unknown")
        if not isinstance(value, known[name]):
            raise ValueError(f"the field {name!r} is {value!r}, a {known[name].__name__} expected")


class Scoring:
    """A loaded model with its rules.

    Concurrency: for one thread at a time.
    """

    def __init__(self, model: Any, rules: Rules = Rules(), **options: Any) -> None:
        """Load a model.

        Parameters
        ----------
        model : str, os.PathLike, bytes, message of onnx or ReferenceEvaluator
            what ReferenceEvaluator takes, or an evaluator.
        rules : Rules, default Rules()
            which columns feed it.
        options : object
            of ReferenceEvaluator.
        """
        self.evaluator = model if isinstance(model, ReferenceEvaluator) else ReferenceEvaluator(model, **options)
        self.rules = rules
        self._schema: pa.Schema | None = None
        self._inputs: dict[str, list[str]] = {}
        self._feeding: list[str] = []

    def close(self) -> None:
        """Let the model go."""
        self.evaluator.close()

    def columns(self, schema: pa.Schema) -> list[str]:
        """Return the columns of a schema that are read, in its order.

        Raises
        ------
        NameNotFoundError
            an input without a column, a column to keep that is not there.
        ArgumentError
            two columns of one name.
        """
        self._bind(schema)
        wanted = {*self._feeding, *self.rules.keep}
        return [name for name in schema.names if name in wanted]

    def types(self, names: Sequence[str]) -> dict[str, pa.DataType]:
        """Return the types of the columns among names that columns chose to feed inputs, as
        the model has them. A cast to whole numbers may begin with any numbers, and says none.
        """
        of_inputs = {name: dtypes.NUMPY[dtype] for name, _, dtype, _, _ in self.evaluator._native.inputs if dtype > 0}
        casts, found = self.rules.casts, {}
        for name, feeding in self._inputs.items():
            kind = _OF_TEXT.get(of_inputs.get(name, ""))
            loose = casts if isinstance(casts, bool) else name in casts
            if kind is not None and not (loose and pa.types.is_integer(kind)):
                found.update({column: kind for column in feeding if column in names})
        return found

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Score one batch, also one without rows.

        Ownership: the answers hold leases, which end with the last slice of them.
        """
        if self._schema is None or not self._schema.equals(batch.schema, check_metadata=True):
            self._bind(batch.schema)
        rules = self.rules
        scored = arrow.score(
            self.evaluator, batch.select(self._feeding), inputs=self._inputs, outputs=list(rules.outputs) or None, fills=rules.fills, casts=rules.casts
        )
        answer = pa.record_batch(scored)
        names = [rules.outputs.get(name, name) for name in answer.schema.names]
        return pa.RecordBatch.from_arrays([*(batch.column(name) for name in rules.keep), *answer.columns], names=[*rules.keep, *names])

    def table(self, table: pa.Table) -> pa.Table:
        """Score a table, a batch for each of its chunks, also one without rows."""
        batches = [batch for batch in table.to_batches() if batch.num_rows] or [empty(table.schema)]
        return pa.Table.from_batches([self(batch) for batch in batches])

    def stream(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Score batches one after the other, as they are asked for."""
        return map(self, batches)

    def _bind(self, schema: pa.Schema) -> None:
        keep = self.rules.keep
        missing = [name for name in keep if name not in schema.names]
        if missing:
            raise NameNotFoundError(f"there are no columns {missing} to keep; there are {', '.join(map(repr, schema.names))}")
        inputs = {name: _matching(schema, columns) for name, columns in self.rules.inputs.items()}
        named = {*self.evaluator.input_names, *(c for columns in inputs.values() for c in columns)}
        candidates = pa.schema([field for field in schema if field.name in named or field.name not in keep])
        fields = native().arrow_batch(*empty(candidates).__arrow_c_array__()).fields
        self._inputs = arrow.Binding(self.evaluator, fields, inputs).inputs
        feeding = {column for columns in self._inputs.values() for column in columns}
        self._feeding = [name for name in schema.names if name in feeding]
        self._schema = schema


_OF_TEXT = {
    **{name: pa.type_for_alias(name) for name in ("float32", "float64", *(f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)))},
    "bool": pa.bool_(),
    "str": pa.string(),
}  # the types that Arrow reads of text


def empty(schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch without rows."""
    return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)


def _matching(schema: pa.Schema, columns: str | Sequence[str]) -> list[str]:
    """Return the columns that names and patterns mean, in the order in which they are given."""
    found: list[str] = []
    for name in [columns] if isinstance(columns, str) else columns:
        if name in schema.names or not any(c in name for c in "*?["):
            found.append(name)
            continue
        matched = fnmatch.filter(schema.names, name)
        if not matched:
            raise NameNotFoundError(f"no column matches {name!r}; there are {', '.join(map(repr, schema.names))}")
        found += matched
    return found
