"""Scores files: Parquet, Arrow IPC and CSV, a batch at a time.

Needs pyarrow, click and rich: pip install 'goruntime[serve]'.
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import click
import pyarrow as pa
from pyarrow import csv, ipc, parquet
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from . import arrow
from .errors import Error
from .evaluator import ReferenceEvaluator

ROWS = 16384  # of a batch


def rows_of(path: pathlib.Path) -> int | None:
    """Return how many rows a file has, None where that takes reading it."""
    if path.suffix == ".parquet":
        count: int = parquet.read_metadata(path).num_rows
        return count
    return None


def batches(path: pathlib.Path) -> Iterator[pa.RecordBatch]:
    """Read a file a batch at a time.

    Raises:
        click.UsageError: the name says no format.
    """
    if path.suffix == ".parquet":
        with parquet.ParquetFile(path, pre_buffer=False) as file:
            yield from file.iter_batches(batch_size=ROWS)
    elif path.suffix in (".arrow", ".ipc", ".feather"):
        with pa.memory_map(str(path)) as source, ipc.open_file(source) as file:
            for i in range(file.num_record_batches):
                yield file.get_batch(i)
    elif path.suffix in (".arrows", ".stream"):
        with pa.memory_map(str(path)) as source, ipc.open_stream(source) as stream:
            yield from stream
    elif path.suffix == ".csv":
        yield from csv.open_csv(path)
    else:
        raise click.UsageError(f"{path}: a name that ends in .parquet, .arrow, .arrows or .csv expected")


@contextmanager
def writing(path: pathlib.Path) -> Iterator[Any]:
    """Write batches beside a file and rename it at the end: a run that fails or is
    interrupted leaves nothing half-written."""
    part = path.with_name(path.name + ".part")
    sink = Sink(part, path.suffix)
    try:
        yield sink
        sink.close()
        if not part.exists():
            raise click.ClickException("the files have no rows: there is nothing to write")
        os.replace(part, path)
    finally:
        sink.close()
        part.unlink(missing_ok=True)


class Sink:
    """A file of a format, which the first batch's schema opens."""

    def __init__(self, path: pathlib.Path, suffix: str) -> None:
        if suffix not in (".parquet", ".arrow", ".arrows", ".csv"):
            raise click.UsageError(f"-o {path.with_suffix('')}: a name that ends in .parquet, .arrow, .arrows or .csv expected")
        self.path, self.suffix = path, suffix
        self.writer: Any = None

    def write(self, batch: pa.RecordBatch) -> None:
        """Append a batch."""
        if self.writer is None:
            opened = {".parquet": parquet.ParquetWriter, ".arrow": ipc.new_file, ".arrows": ipc.new_stream, ".csv": csv.CSVWriter}
            self.writer = opened[self.suffix](str(self.path), batch.schema)
        self.writer.write_batch(batch)

    def close(self) -> None:
        """Finish the file, once."""
        writer, self.writer = self.writer, None
        if writer is not None:
            writer.close()


def joined(batch: pa.RecordBatch, scored: arrow.ScoredBatch, keep: Iterable[str]) -> pa.RecordBatch:
    """Return the answer with the columns of the batch that are to be kept before it."""
    answer = pa.record_batch(scored)
    names, columns = list(keep), [batch.column(name) for name in keep]
    return pa.RecordBatch.from_arrays([*columns, *answer.columns], names=[*names, *answer.schema.names])


@click.command(help="Score the rows of DATA files with MODEL and write the answers to OUT.")
@click.argument("model", type=click.Path(exists=True, dir_okay=False, path_type=pathlib.Path))
@click.argument("data", type=click.Path(exists=True, dir_okay=False, path_type=pathlib.Path), nargs=-1, required=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=pathlib.Path), required=True, help="file to write: .parquet, .arrow, .arrows or .csv")
@click.option("--keep", multiple=True, help="column of DATA to write before the answers; may be given again")
@click.option("--value", "values", multiple=True, help="value of the model to write instead of its outputs; may be given again")
@click.option("--fill", multiple=True, metavar="COLUMN=NUMBER", help="what stands where a column is null")
@click.option("--cast", is_flag=True, help="convert columns of another element type")
@click.option("--threads", type=int, default=None, help="threads of a run; all by default")
@click.option("--quiet", is_flag=True, help="show no progress")
def score(
    model: pathlib.Path, data: tuple[pathlib.Path, ...], output: pathlib.Path, keep: tuple[str, ...], values: tuple[str, ...],
    fill: tuple[str, ...], cast: bool, threads: int | None, quiet: bool,
) -> None:  # fmt: skip
    """Score files; see --help."""
    if any(path.resolve() == output.resolve() for path in data) or model.resolve() == output.resolve():
        raise click.UsageError(f"-o {output} is one of the files that are read")
    fills = {}
    for item in fill:
        name, _, text = item.partition("=")
        try:
            fills[name] = float(text)
        except ValueError:
            raise click.UsageError(f"--fill {item}: COLUMN=NUMBER expected") from None
    try:
        totals = [rows_of(path) for path in data]
        total = None if None in totals else sum(n for n in totals if n is not None)
        with ReferenceEvaluator(str(model), num_threads=threads) as evaluator, writing(output) as sink, _progress(quiet) as bar:
            task = bar.add_task(str(output), total=total)
            for path in data:
                for batch in batches(path):
                    scored = arrow.score(evaluator, batch, outputs=list(values) or None, fills=fills, casts=cast)
                    assert isinstance(scored, arrow.ScoredBatch)
                    sink.write(joined(batch, scored, keep))
                    bar.advance(task, batch.num_rows)
    except (Error, pa.ArrowException, KeyError, OSError) as error:
        raise click.ClickException(str(error)) from error


def _progress(quiet: bool) -> Progress:
    return Progress("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), disable=quiet)
