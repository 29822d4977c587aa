"""Scores Spark data frames by mapInArrow.

>>> import goruntime.spark
>>> scored = goruntime.spark.score(frame, "model.onnx", keep=["id"])  # doctest: +SKIP

is, where the schema of the answers is known,

>>> frame.mapInArrow(goruntime.spark.Scorer("model.onnx", keep=["id"]), "id long, y float")  # doctest: +SKIP

Needs pyspark: pip install 'goruntime[spark]'.
"""

from __future__ import annotations

import functools
import pickle
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from .scoring import Rules, Scoring, empty

__all__ = ["Scorer", "score"]


class Scorer:
    """A function from batches to batches. It is pickled without the model, which each
    Python worker loads once, however many partitions it is given."""

    def __init__(
        self,
        model: str | bytes,
        keep: Sequence[str] = (),
        inputs: Mapping[str, str | Sequence[str]] | None = None,
        outputs: Mapping[str, str] | None = None,
        fills: Mapping[str, Any] | None = None,
        casts: bool | Sequence[str] = False,
        num_threads: int = 1,
    ) -> None:
        """Keep what the workers need.

        Parameters
        ----------
        model : str | bytes
            a path on every node, or the bytes of the model. The manifest beside
            the path is followed.
        keep, inputs, outputs, fills, casts
            see goruntime.scoring.Rules.
        num_threads : int, default 1
            of a run: spark.task.cpus, which is 1 by default.
        """
        given = {"keep": keep, "inputs": inputs, "outputs": outputs, "fills": fills, "casts": casts}
        self.key = pickle.dumps((model, given, num_threads))

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Score batches as they are asked for."""
        return map(_plain, _loaded(self.key).stream(batches))

    def schema(self, schema: pa.Schema) -> pa.Schema:
        """Return the schema of the answers, by scoring no rows.

        Raises
        ------
        NameNotFoundError
            an input without a column.
        """
        return next(self(iter([empty(schema)]))).schema


def score(frame: Any, model: str | bytes, **rules: Any) -> Any:
    """Return the data frame of a model's answers, computed as it is read.

    Parameters
    ----------
    frame
        a pyspark.sql.DataFrame.
    model : str | bytes
        a path on every node, also on this one, or the bytes of the model.
    rules
        of Scorer.
    """
    from pyspark.sql.pandas import types

    scorer = Scorer(model, **rules)
    return frame.mapInArrow(scorer, types.from_arrow_schema(scorer.schema(types.to_arrow_schema(frame.schema))))


@functools.lru_cache(maxsize=4)
def _loaded(key: bytes) -> Scoring:
    model, given, threads = pickle.loads(key)
    return Scoring(model, Rules.of(model, **given), num_threads=threads)


def _plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return lists of one length as the lists that Spark reads, over the same values."""
    columns = []
    for column in batch.columns:
        if pa.types.is_fixed_size_list(column.type):
            offsets = np.arange(len(column) + 1, dtype=np.int32) * column.type.list_size
            column = pa.ListArray.from_arrays(pa.array(offsets), column.flatten())
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)
