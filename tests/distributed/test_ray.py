"""goruntime.ray on a cluster of one machine."""

from __future__ import annotations

import goruntime.ray
import numpy as np
import pyarrow as pa
import pytest
import ray
from goruntime.errors import NameNotFoundError

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300), pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def cluster():
    ray.init(num_cpus=4, object_store_memory=200 << 20, include_dashboard=False, log_to_driver=False, configure_logging=False)
    yield
    ray.shutdown()


def answers(dataset) -> pa.Table:
    blocks = [block for block in ray.get(dataset.to_arrow_refs()) if len(block)]  # Ray forgets the schema of empty ones
    return pa.concat_tables(blocks).combine_chunks().sort_by("id")


def values(table: pa.Table, name: str) -> np.ndarray:
    return np.array(table.column(name).to_pylist(), np.float32)


def test_a_dataset_is_scored(cluster, case):
    dataset = goruntime.ray.score(ray.data.from_arrow(case.table).repartition(7), case.model, keep=["id"], actors=2, batch_size=1000)
    found = answers(dataset)
    assert found.schema.names == ["id", "y"]
    np.testing.assert_array_equal(found.column("id").to_numpy(), np.arange(len(case.want)))
    np.testing.assert_array_equal(values(found, "y"), case.want)


def counting() -> type:
    """A class that is pickled by value, as classes of the main program are."""

    class Counting(goruntime.ray.Scorer):
        """Tells of each batch which actor scored it, and what was copied."""

        def __init__(self, *args, **rules):
            super().__init__(*args, **rules)
            self.batches = 0

        def __call__(self, table: pa.Table) -> pa.Table:
            out = super().__call__(table)
            self.batches += 1
            evaluator = self.scoring.evaluator
            told = {
                "batches": self.batches, "copies": sum(evaluator.io_allocator.stats()["copies"].values()),
                "actor": id(self), "writable": any(b is not None and b.is_mutable for c in table.columns for chunk in c.chunks for b in chunk.buffers()),
            }  # fmt: skip
            return out.append_column("told", pa.array([told] * len(out)))

    return Counting


def test_actors_load_once_and_read_the_blocks_where_they_are(cluster, case):
    dataset = ray.data.from_arrow(case.table).repartition(8)
    found = answers(
        dataset.map_batches(counting(), fn_constructor_args=[case.model], fn_constructor_kwargs={"keep": ["id"]}, batch_format="pyarrow",
                            zero_copy_batch=True, batch_size=None, compute=ray.data.ActorPoolStrategy(size=1), num_cpus=1)
    )  # fmt: skip
    told = found.column("told").to_pylist()
    assert len({t["actor"] for t in told}) == 1
    assert {t["batches"] for t in told} == set(range(1, 9))
    assert {t["copies"] for t in told} == {0}
    assert {t["writable"] for t in told} == {False}
    np.testing.assert_array_equal(values(found, "y"), case.want)


def test_columns_and_empty_blocks(cluster, case):
    x = np.array(case.table.column("x").to_pylist(), np.float32)
    wide = pa.table({"id": case.table.column("id"), **{f"c{i}": x[:, i] for i in range(x.shape[1])}})
    rules = {"keep": ["id"], "inputs": {"x": "c*"}, "outputs": {"y": "score"}}
    found = answers(goruntime.ray.score(ray.data.from_arrow([wide, wide.slice(0, 0)]), case.model, **rules))
    np.testing.assert_array_equal(values(found, "score"), case.want)
    with pytest.raises(Exception, match=r"no columns for the inputs \['x'\]") as told:
        answers(goruntime.ray.score(ray.data.from_arrow(case.table.select(["id"])), case.model, keep=["id"]))
    assert NameNotFoundError.__name__ in str(told.value)


def test_the_class_works_without_ray(case):
    """As Daft and a plain program use it."""
    found = goruntime.ray.Scorer(case.model, keep=["id"])(case.table)
    np.testing.assert_array_equal(values(found, "y"), case.want)
