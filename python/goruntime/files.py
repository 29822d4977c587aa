"""The command goruntime score: scores Parquet, Arrow IPC and CSV files, a batch at a
time.

Needs pyarrow, click and rich: pip install 'goruntime[serve]'.
"""

from __future__ import annotations

import pathlib
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import click
import pyarrow as pa
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

from ._sink import abandoned, writing
from ._tables import Source
from .errors import ArgumentError, Error, WrongTypeError
from .scoring import Rules, Scoring


@click.command(help="Score the rows of DATA files with MODEL and write the answers to OUT. The manifest beside MODEL is followed.")
@click.argument("model", type=click.Path(exists=True, dir_okay=False, path_type=pathlib.Path))
@click.argument("data", type=click.Path(exists=True, dir_okay=False, path_type=pathlib.Path), nargs=-1, required=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=pathlib.Path), required=True, help="file to write: .parquet, .arrow, .arrows or .csv")
@click.option("--keep", multiple=True, help="column of DATA to write before the answers; may be given again")
@click.option("--input", "inputs", multiple=True, metavar="INPUT=COLUMN,...", help="columns of an input, where names do not tell; c* are all that begin with c")
@click.option("--value", "values", multiple=True, help="value of the model to write instead of its outputs; may be given again")
@click.option("--fill", multiple=True, metavar="COLUMN=NUMBER", help="what stands where a column is null")
@click.option("--cast", is_flag=True, help="convert columns of another element type")
@click.option("--threads", type=int, default=None, help="threads of a run; all by default")
@click.option("--quiet", is_flag=True, help="show no progress")
def score(
    model: pathlib.Path, data: tuple[pathlib.Path, ...], output: pathlib.Path, keep: tuple[str, ...], inputs: tuple[str, ...], values: tuple[str, ...],
    fill: tuple[str, ...], cast: bool, threads: int | None, quiet: bool,
) -> None:  # fmt: skip
    """Score files; see --help."""
    if any(path.resolve() == output.resolve() for path in data) or model.resolve() == output.resolve():
        raise click.UsageError(f"-o {output} is one of the files that are read")
    try:
        rules = Rules.of(
            model, keep=keep, inputs={name: text.split(",") for name, text in _pairs("--input", "INPUT=COLUMN,...", inputs)},
            outputs={name: name for name in values}, fills={name: _number(name, text) for name, text in _pairs("--fill", "COLUMN=NUMBER", fill)}, casts=cast,
        )  # fmt: skip
        with _terminating():
            _score(Scoring(str(model), rules, num_threads=threads), [Source(path) for path in data], output, quiet)
    except (*_EXPECTED, _Failed) as error:
        cause = error.__cause__ if isinstance(error, _Failed) else error
        hint = "; --cast converts columns of numbers" if isinstance(cause, WrongTypeError) and not cast else ""
        raise click.ClickException(f"{error}{hint}") from error


_EXPECTED = (Error, pa.ArrowException, KeyError, ValueError, OSError)


class _Failed(Exception):
    """What failed for one file, whose name it has."""


@contextmanager
def _about(what: str) -> Iterator[None]:
    try:
        yield
    except _EXPECTED as error:
        raise _Failed(f"{what}: {error}") from error


def _score(scoring: Scoring, sources: list[Source], output: pathlib.Path, quiet: bool) -> None:
    if not output.parent.is_dir():
        raise ArgumentError(f"-o {output}: there is no folder {output.parent}")
    for part in abandoned(output):
        click.echo(f"removed {part}, which a run that was killed had left", err=True)
    try:
        counts = []
        for source in sources:
            with _about(str(source.path)):
                counts.append(source.rows())
        total = None if None in counts else sum(n for n in counts if n is not None)
        with writing(output) as sink, _progress(quiet) as bar:
            task = bar.add_task(output.name, total=total)
            for source in sources:
                for batch in _answers(scoring, source):
                    with _about(str(output)):
                        sink.write(batch, source.path)
                    bar.advance(task, batch.num_rows)
            with _about(str(output)):
                sink.close()
    finally:
        scoring.close()


def _answers(scoring: Scoring, source: Source) -> Iterator[pa.RecordBatch]:
    """Score a file. What fails is told with its name and where the batch begins, which counts its rows anew."""
    with _about(str(source.path)):
        batches = source.batches(scoring.columns, scoring.types)
    row = 0
    while True:
        with _about(str(source.path)):
            batch = next(batches, None)
        if batch is None:
            return
        with _about(f"{source.path}, the batch from row {row} on" if row else str(source.path)):
            answers = scoring(batch)
        row += batch.num_rows
        yield answers


def _pairs(option: str, form: str, items: Iterable[str]) -> Iterator[tuple[str, str]]:
    for item in items:
        name, equals, text = item.partition("=")
        if not (name and equals and text):
            raise click.UsageError(f"{option} {item}: {form} expected")
        yield name, text


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"--fill {name}={text}: COLUMN=NUMBER expected") from None


def _progress(quiet: bool) -> Progress:
    columns: list[Any] = ["{task.description}", BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()]
    return Progress(*columns, console=Console(stderr=True, quiet=quiet), disable=quiet)


@contextmanager
def _terminating() -> Iterator[None]:
    """Let SIGTERM unwind like an exit: what is half-written goes."""

    def leave(number: int, _frame: object) -> None:
        sys.exit(128 + number)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
