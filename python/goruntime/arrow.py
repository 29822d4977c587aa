"""Scores Arrow data in process, uncopied: record batches, tables, readers, and any
object with the methods of the Arrow PyCapsule interface.

>>> from goruntime import arrow
>>> scored = arrow.score("model.onnx", table)               # doctest: +SKIP
>>> pyarrow.table(scored)                                    # doctest: +SKIP

No Arrow library is needed here: what a batch lends is read in place, and outputs are
given away with a lease on their memory, which ends with the last slice of them.
What a column costs in copies:

=========================================================  ======
non-null numbers, also sliced                              0
fixed_size_list of numbers, also nested; fixed_shape_tensor 0
list and large_list whose lists are equally long           0
utf8, large_utf8, string_view, dictionary-encoded strings  views of their bytes
K columns of one type for one input [N, K]                 0 where all that reads it takes columns, else 1 (interleave)
nulls, with a fill value, of lists and in them too         1 (nulls)
booleans                                                   1 (bits)
another element type, where casts allow it                 1 (conversion); numbers stay what they are, or are refused
=========================================================  ======

Of answers, booleans are packed (bits) and strings put side by side (conversion) each time
they are given away.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ._binding import Binding
from ._load import native
from .errors import ArgumentError, ShapeError, WrongTypeError
from .evaluator import ReferenceEvaluator

__all__ = ["Binding", "ScoredBatch", "ScoredStream", "score"]


class ScoredBatch:
    """The outputs for one batch, a column each, as an Arrow record batch.

    Ownership: columns are arrays with leases; what takes them over by
    __arrow_c_array__ holds leases of its own.
    """

    __slots__ = ("__weakref__", "_arena", "columns")

    def __init__(self, columns: dict[str, np.ndarray[Any, Any]], arena: Any = None) -> None:
        self.columns = columns
        self._arena = arena  # whose statistics have what is copied when columns are given away

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def __getitem__(self, name: str) -> np.ndarray[Any, Any]:
        return self.columns[name]

    def _form(self) -> list[tuple[str, Any, tuple[int, ...]]]:
        """Return what the schema follows from."""
        return [(name, column.dtype, column.shape[1:]) for name, column in self.columns.items()]

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        """Return the capsules of schema and array. A requested schema is not followed."""
        pair: tuple[object, object] = native().arrow_export(list(self.columns), list(self.columns.values()), self._arena)
        return pair

    def __arrow_c_schema__(self) -> object:
        """Return the capsule of the schema, for which nothing is copied."""
        none = [column[:0] for column in self.columns.values()]
        return native().arrow_export(list(self.columns), none)[0]

    def __repr__(self) -> str:
        return f"ScoredBatch({', '.join(f'{n}: {a.dtype}{list(a.shape)}' for n, a in self.columns.items())})"


class ScoredStream:
    """The outputs for a stream of batches: an iterator of ScoredBatch, computed as it
    is read, and an Arrow stream. It can be read once. Data without batches gives one
    without rows.

    An Arrow stream has one schema, that of its first batch with rows: batches without rows
    are passed over, since lists that are not there do not tell how long they are, and
    answers of other shapes end it with an error.
    """

    def __init__(self, batches: Iterator[ScoredBatch]) -> None:
        self._batches = batches
        self._ahead: list[ScoredBatch] = []  # computed already, to find the schema
        self._begun = False

    def __iter__(self) -> Iterator[ScoredBatch]:
        self._begin()
        self._begun = True
        return itertools.chain(self._ahead, self._batches)

    def _begin(self) -> None:
        if self._begun:
            raise ArgumentError("the stream was read already: score the data again")

    def _first(self) -> ScoredBatch:
        """Return the batch whose schema is the stream's; the iterator has it still."""
        self._begin()
        while not self._ahead or not len(self._ahead[-1]):
            batch = next(self._batches, None)
            if batch is None:
                break
            self._ahead.append(batch)
        return self._ahead[-1]

    def __arrow_c_schema__(self) -> object:
        """Return the capsule of the schema, from the first batch with rows."""
        return self._first().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the capsule of the stream. A requested schema is not followed."""
        return native().arrow_stream(self.__arrow_c_schema__, self._arrays())

    def _arrays(self) -> Iterator[object]:
        first = self._first()
        for number, batch in enumerate(self):
            if not len(batch) and batch is not first:
                continue
            if batch._form() != first._form():
                raise ShapeError(
                    f"the answers for batch {number} are {batch}, those before it {first}: rows of one shape expected in a stream; "
                    "iterate over the answers to take each as it is"
                )
            yield batch.__arrow_c_array__()[1]


def score(
    model: Any,
    data: Any,
    *,
    inputs: Mapping[str, Any] | None = None,
    outputs: Sequence[str] | None = None,
    fills: Mapping[str, Any] | None = None,
    casts: bool | Collection[str] = False,
    **options: Any,
) -> ScoredBatch | ScoredStream:
    """Run a model on Arrow data.

    Parameters
    ----------
    model : str, os.PathLike, bytes, message of onnx or ReferenceEvaluator
        what ReferenceEvaluator takes, or an evaluator.
    data : object
        an object with __arrow_c_array__ (a record batch) or __arrow_c_stream__ (a
        table, a reader, a data frame).
    inputs : Mapping[str, Any], optional
        the column, or list of columns, of an input, where names do not tell;
        see Binding.
    outputs : Sequence[str], optional
        the wanted values, None for the model's outputs.
    fills : Mapping[str, Any], optional
        by column, or by input for all of its columns, what stands where they are null.
    casts : bool | Collection[str], default False
        whether columns of another element type are converted, or of which inputs:
        floats are rounded; a number that the other type has not is refused.
    options : object
        of run(): timeout, cancel, num_threads.

    Returns
    -------
    ScoredBatch | ScoredStream
        A ScoredBatch for a batch; for a stream a ScoredStream, which runs as it is read.

    Raises
    ------
    ArgumentError
        nulls without a fill, a fill that is no value of its column, lists of
        different lengths, two columns of one name, a number that a cast would change.
    NameNotFoundError
        an input without a column, a fill of no column.
    WrongTypeError, ShapeError
        what does not fit the model.
    """
    evaluator = model if isinstance(model, ReferenceEvaluator) else ReferenceEvaluator(model)
    asked = (inputs, outputs, fills or {}, casts, options)
    if hasattr(data, "__arrow_c_array__"):
        known = evaluator._binding
        return _one(evaluator, native().arrow_batch(*data.__arrow_c_array__(), None if known is None else known.schema), *asked)
    if not hasattr(data, "__arrow_c_stream__"):
        raise WrongTypeError(f"an object with __arrow_c_array__ or __arrow_c_stream__ expected, {type(data).__name__} given")
    return ScoredStream(_one(evaluator, batch, *asked) for batch in _batches(data, evaluator))


def _one(evaluator: ReferenceEvaluator, batch: Any, inputs: Any, outputs: Any, fills: Any, casts: Any, options: Any) -> ScoredBatch:
    """Score one batch. Calls of a row spend their time here: what this costs, they cost."""
    known: Binding | None = evaluator._binding
    if known is None or known.schema is not batch.schema or known.asked != inputs:
        known = evaluator._binding = Binding(evaluator, batch.fields, inputs)
        known.schema = batch.schema
    arena = evaluator.io_allocator._native
    feeds = known.feeds(batch, arena, fills, casts)
    if options or not evaluator._plain:
        feeds = _shown(feeds, evaluator, options)
    try:
        results = evaluator.run(outputs, feeds, **options)
    except (WrongTypeError, ShapeError) as error:
        known.tell_columns(error)
        raise
    names = known.outputs if outputs is None else outputs
    columns = native().arrow_columns(names, results, batch.length)
    if columns is None:  # one of them is none, and says why
        columns = {name: _column_of(evaluator, name, result, batch.length) for name, result in zip(names, results, strict=True)}
    return ScoredBatch(columns, arena)


def _batches(data: Any, evaluator: ReferenceEvaluator) -> Iterator[Any]:
    yield from native().arrow_reader(data.__arrow_c_stream__(), None if evaluator._binding is None else evaluator._binding.schema)


def _shown(feeds: dict[str, Any], evaluator: ReferenceEvaluator, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return feeds for a run that may look at them: matrices as arrays."""
    if evaluator._plain and options.keys() <= {"timeout", "cancel", "num_threads"}:
        return feeds
    arena = evaluator.io_allocator._native
    return {name: feed.gathered(arena) if isinstance(feed, native().Columns) else feed for name, feed in feeds.items()}


def _column_of(evaluator: ReferenceEvaluator, name: str, result: Any, rows: int) -> np.ndarray[Any, Any]:
    """Return an output as a column: [N, 1] as [N]."""
    if not isinstance(result, np.ndarray):
        before = [node["inputs"] for node in evaluator._graph["nodes"] if name in node["outputs"]]
        made = f"{', '.join(map(repr, before[0]))}, which it is made of" if before else "the tensor before it"
        raise WrongTypeError(f"the output {name!r} is a {type(result).__name__}, which is no column: ask for {made}")
    if result.ndim == 0 or len(result) != rows:
        raise ShapeError(f"the output {name!r} has shape {result.shape} for {rows} rows: its first axis must be the rows")
    return result.reshape(-1) if result.ndim == 2 and result.shape[1] == 1 else result
