"""Tables that are written: files that appear when they are whole."""

from __future__ import annotations

import contextlib
import fcntl
import glob
import os
import pathlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
from pyarrow import csv, ipc, parquet

from .errors import ArgumentError

GROUP = 16 << 20  # bytes of a row group that is written, about
MANY = 512  # batches that wait for a row group before they are made one


@contextmanager
def writing(path: pathlib.Path) -> Iterator[Sink]:
    """Write batches beside a file and rename it at the end: a run that fails or is
    interrupted leaves nothing half-written.

    Raises
    ------
    ArgumentError
        the name says no format.
    """
    if path.suffix not in _WRITERS:
        raise ArgumentError(f"-o {path}: a name that ends in .parquet, .arrow, .arrows or .csv expected")
    part = path.with_name(f"{path.name}.{os.getpid()}.part")  # runs that write the same file do not meet
    with _locked(part):
        sink = Sink(part, path.suffix)
        try:
            yield sink
            sink.close()
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
            sink.drop()


@contextmanager
def _locked(part: pathlib.Path) -> Iterator[None]:
    """Hold the lock of a new file, by which others know that somebody writes it. File
    systems without locks have no abandoned files."""
    while True:
        file = os.open(part, os.O_CREAT | os.O_WRONLY, 0o666)
        try:
            _lock(file)
            if _is(part, file):  # else somebody took it for abandoned before it was locked
                yield
                return
        finally:
            os.close(file)


def _is(path: pathlib.Path, file: int) -> bool:
    """Tell whether a name is that of an open file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        return False


def _lock(file: int) -> bool:
    """Lock a file and tell whether nobody else has."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def abandoned(path: pathlib.Path) -> list[pathlib.Path]:
    """Remove what runs that were killed left beside a file that they wrote, and return
    the names."""
    removed = []
    for part in path.parent.glob(f"{glob.escape(path.name)}.*.part"):
        if not part.suffixes[-2][1:].isdecimal():
            continue
        with contextlib.suppress(OSError):
            file = os.open(part, os.O_WRONLY)
            try:
                if _lock(file):
                    part.unlink()
                    removed.append(part)
            finally:
                os.close(file)
    return removed


_WRITERS: dict[str, Any] = {".parquet": parquet.ParquetWriter, ".arrow": ipc.new_file, ".arrows": ipc.new_stream, ".csv": csv.CSVWriter}


class Sink:
    """A file of a format, which the first batch's schema opens."""

    def __init__(self, path: pathlib.Path, suffix: str) -> None:
        self.path, self.suffix = path, suffix
        self.writer: Any = None
        self.schema: pa.Schema = None
        self.waiting: list[pa.RecordBatch] = []  # for a row group to be full
        self.small: list[pa.RecordBatch] = []  # the last of those, each on its own
        self.bytes = 0  # of both

    def write(self, batch: pa.RecordBatch, source: pathlib.Path) -> None:
        """Append a batch, the answers for a file.

        Raises
        ------
        ArgumentError
            its schema is not that of the batches before it, or has lists
            that the format has not.
        """
        if batch.num_rows == 0:  # lists that are not there do not tell how long they are
            self.schema = self.schema or batch.schema
            return
        if self.writer is None:
            self._open(batch.schema)
        if not batch.schema.equals(self.schema):
            raise ArgumentError(f"{source}: its answers have the schema\n{batch.schema}\nthose before it\n{self.schema}")
        if self.suffix != ".parquet":
            self.writer.write_batch(batch)
            return
        self.small.append(batch)
        self.bytes += batch.nbytes
        if len(self.small) == MANY:  # a batch of few rows takes more than its bytes
            self.waiting += pa.Table.from_batches(self.small).combine_chunks().to_batches()
            self.small = []
        if self.bytes >= GROUP:
            self._group()

    def _open(self, schema: pa.Schema) -> None:
        nested = [field.name for field in schema if pa.types.is_nested(field.type)]
        if self.suffix == ".csv" and nested:
            raise ArgumentError(f"CSV has no lists, which the columns {nested} are: write .parquet or .arrow, or leave them out")
        self.schema, self.writer = schema, _WRITERS[self.suffix](str(self.path), schema)

    def _group(self) -> None:
        group, self.waiting, self.small, self.bytes = self.waiting + self.small, [], [], 0
        if group:
            self.writer.write_table(pa.Table.from_batches(group), row_group_size=sum(b.num_rows for b in group) or None)

    def close(self) -> None:
        """Finish the file, once."""
        if self.writer is None and self.schema is not None:  # there were no rows
            self._open(self.schema)
        writer, self.writer, self.schema = self.writer, None, None
        if writer is not None:
            try:
                if self.waiting or self.small:
                    self.writer = writer
                    self._group()
            finally:
                self.writer = None
                writer.close()

    def drop(self) -> None:
        """Let go of the file, of which nothing more is written: it is closed already, or
        nobody wants it."""
        writer, self.writer, self.waiting, self.small = self.writer, None, [], []
        if writer is not None:
            with contextlib.suppress(OSError, pa.ArrowException):  # a full disk is full when it is closed, too
                writer.close()
