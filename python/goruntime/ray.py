"""Scores Ray datasets: an actor class that keeps a model loaded.

>>> import goruntime.ray
>>> scored = goruntime.ray.score(dataset, "model.onnx", keep=["id"], actors=8)  # doctest: +SKIP

is, where map_batches is to be called otherwise,

>>> dataset.map_batches(goruntime.ray.Scorer, fn_constructor_args=["model.onnx"], batch_format="pyarrow",
...                     zero_copy_batch=True, compute=ray.data.ActorPoolStrategy(size=8))  # doctest: +SKIP

Blocks are read where Ray maps them, and never written. Daft takes the same class, in one of its own.
Needs ray[data]: pip install 'goruntime[ray]'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from .scoring import Rules, Scoring

__all__ = ["Scorer", "score"]


class Scorer:
    """A model, loaded once by each actor, that scores tables."""

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
        """Load the model.

        Parameters
        ----------
        model : str | bytes
            a path on every node, or the bytes of the model. The manifest beside
            the path is followed.
        keep, inputs, outputs, fills, casts
            see goruntime.scoring.Rules.
        num_threads : int, default 1
            of a run: num_cpus of the actor, which is 1 by default.
        """
        self.scoring = Scoring(model, Rules.of(model, keep, inputs, outputs, fills, casts), num_threads=num_threads)

    def __call__(self, table: pa.Table) -> pa.Table:
        """Return the columns that are kept, then the answers."""
        return self.scoring.table(table)


def score(dataset: Any, model: str | bytes, *, actors: int | tuple[int, int] = 1, num_cpus: int = 1, batch_size: int | None = 16384, **rules: Any) -> Any:
    """Return the dataset of a model's answers, computed as it is read.

    Parameters
    ----------
    dataset
        a ray.data.Dataset.
    model : str | bytes
        a path on every node, or the bytes of the model.
    actors : int | tuple[int, int], default 1
        how many, or the least and the most. Leave processors for what reads the
        data: a cluster whose processors all belong to actors waits for ever.
    num_cpus : int, default 1
        processors of an actor, and threads of its runs.
    batch_size : int | None, default 16384
        rows of a batch, None for the blocks as they are.
    rules
        of Scorer.
    """
    from ray.data import ActorPoolStrategy

    compute = ActorPoolStrategy(size=actors) if isinstance(actors, int) else ActorPoolStrategy(min_size=actors[0], max_size=actors[1])
    return dataset.map_batches(
        Scorer, fn_constructor_args=[model], fn_constructor_kwargs={"num_threads": num_cpus, **rules}, batch_format="pyarrow",
        zero_copy_batch=True, batch_size=batch_size, compute=compute, num_cpus=num_cpus,
    )  # fmt: skip
