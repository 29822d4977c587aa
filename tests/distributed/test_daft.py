"""goruntime.ray.Scorer in a class of Daft, as docs/distributed.md has it."""

from __future__ import annotations

import daft
import goruntime.ray
import numpy as np
import pyarrow as pa
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.filterwarnings("ignore")]


def test_a_frame_is_scored(case):
    @daft.cls(max_concurrency=1)
    class Model:
        def __init__(self, path: str) -> None:
            self.scorer = goruntime.ray.Scorer(path)

        @daft.method.batch(return_dtype=daft.DataType.fixed_size_list(daft.DataType.float32(), 2))
        def score(self, x: daft.Series):
            answers = self.scorer(pa.table({"x": x.to_arrow()}))["y"]
            assert sum(self.scorer.scoring.evaluator.io_allocator.stats()["copies"].values()) == 0
            return answers

    frame = daft.from_arrow(case.table)
    found = frame.select("id", Model(case.model).score(daft.col("x")).alias("y")).to_arrow().sort_by("id")
    np.testing.assert_array_equal(found.column("id").to_numpy(), np.arange(len(case.want)))
    np.testing.assert_array_equal(np.array(found.column("y").to_pylist(), np.float32), case.want)
