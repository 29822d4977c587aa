"""goruntime.spark on a Spark of this machine."""

from __future__ import annotations

import json
import pickle
import shutil

import goruntime.spark
import numpy as np
import pytest
from goruntime.errors import NameNotFoundError
from pyspark.sql import SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def session():
    settings = {"spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1", "spark.driver.memory": "1g",
                "spark.sql.execution.arrow.maxRecordsPerBatch": "1000", "spark.sql.shuffle.partitions": "2"}  # fmt: skip
    builder = SparkSession.builder.master("local[2]").appName("goruntime")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    yield spark
    spark.stop()


def rows(frame, case) -> np.ndarray:
    found = {row["id"]: row for row in frame.collect()}
    assert sorted(found) == list(range(len(case.want)))
    return np.array([found[i][-1] for i in range(len(found))], np.float32)


def frame_of(session, case):
    table = case.table
    x = table.column("x").to_pylist()
    return session.createDataFrame([(i, v) for i, v in enumerate(x)], "id long, x array<float>").repartition(5)


def test_a_frame_is_scored(session, case):
    scored = goruntime.spark.score(frame_of(session, case), case.model, keep=["id"])
    assert scored.schema.simpleString() == "struct<id:bigint,y:array<float>>"
    np.testing.assert_array_equal(rows(scored, case), case.want)


def counting() -> type:
    """A class that is pickled by value, as classes of the main program are."""

    class Counting(goruntime.spark.Scorer):
        """Tells of each batch which loaded model scored it, and what was copied."""

        def __call__(self, batches):
            import pyarrow as pa
            from goruntime.spark import _loaded

            for out in super().__call__(batches):
                scoring = _loaded(self.key)
                copies = sum(scoring.evaluator.io_allocator.stats()["copies"].values())
                told = [pa.array([value] * len(out), pa.int64()) for value in (copies, id(scoring))]
                yield pa.record_batch([out.column("id"), *told], names=["id", "copies", "model"])

    return Counting


def test_workers_load_once_and_copy_nothing(session, case):
    """Spark's lists of one length are one matrix, read where it lies; partitions that
    share a worker share its model."""
    scorer = counting()(case.model, keep=["id"])
    told = frame_of(session, case).repartition(12).mapInArrow(scorer, "id long, copies long, model long").collect()
    assert len(told) == len(case.want)
    assert {t["copies"] for t in told} == {0}
    assert len({t["model"] for t in told}) <= 2


def test_the_model_travels_as_a_path_or_as_bytes(session, case):
    assert len(pickle.dumps(goruntime.spark.Scorer(case.model))) < 2000
    with open(case.model, "rb") as file:
        scored = goruntime.spark.score(frame_of(session, case), file.read(), keep=["id"], outputs={"y": "score"})
    assert scored.schema.names == ["id", "score"]
    np.testing.assert_array_equal(rows(scored, case), case.want)


def test_what_does_not_fit_is_said_before_the_job(session, case):
    with pytest.raises(NameNotFoundError, match=r"no columns for the inputs \['x'\]"):
        goruntime.spark.score(frame_of(session, case).select("id"), case.model, keep=["id"])


def test_the_manifest_beside_the_model_is_followed(session, case, tmp_path):
    shutil.copy(case.model, tmp_path / "model.onnx")
    (tmp_path / "model.manifest.json").write_text(json.dumps({"outputs": [{"value": "y", "column": "score"}]}))
    scored = goruntime.spark.score(frame_of(session, case), str(tmp_path / "model.onnx"), keep=["id"])
    assert scored.schema.names == ["id", "score"]
    np.testing.assert_array_equal(rows(scored, case), case.want)
