"""Tables in files: Parquet, Arrow IPC and CSV, read and written a batch at a time."""

from __future__ import annotations

import contextlib
import fcntl
import glob
import mmap
import os
import pathlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv, ipc, parquet

from .errors import ArgumentError

__all__ = ["Source", "abandoned", "writing"]

ROWS = 16384  # of a batch at most
BYTES = 8 << 20  # of a batch, about, where rows are wide
GROUP = 16 << 20  # bytes of a row group that is written, about
MANY = 512  # batches that wait for a row group before they are made one
READ, LEAST = 256 << 10, 16 << 10  # bytes that are read of a column at once, also of many columns

Columns = Callable[[pa.Schema], list[str]]


class Source:
    """A file of batches.

    Raises:
        ArgumentError: the name says no format.
    """

    def __init__(self, path: pathlib.Path) -> None:
        readers = {
            ".parquet": _parquet, ".csv": _csv, ".arrow": _ipc_file, ".ipc": _ipc_file, ".feather": _ipc_file, ".arrows": _ipc_stream, ".stream": _ipc_stream
        }  # fmt: skip
        if path.suffix not in readers:
            raise ArgumentError(f"{path}: a name that ends in .parquet, .arrow, .arrows or .csv expected")
        self.path, self._read = path, readers[path.suffix]

    def rows(self) -> int | None:
        """Return how many rows the file has, None where that takes reading it."""
        if self.path.suffix == ".parquet":
            count: int = parquet.read_metadata(self.path).num_rows
            return count
        if self._read is _ipc_file:
            with pa.memory_map(str(self.path)) as source, ipc.open_file(source) as file:
                return sum(int(file.get_batch(i).num_rows) for i in range(file.num_record_batches))
        return None

    def batches(self, columns: Columns) -> Iterator[pa.RecordBatch]:
        """Read the file a batch at a time, and of it the columns that a function chooses
        from its schema. A file without rows has one batch without rows.

        Ownership: a batch is good until the next one is asked for.
        """
        return self._read(self.path, columns)


def _parquet(path: pathlib.Path, columns: Columns) -> Iterator[pa.RecordBatch]:
    about = parquet.read_metadata(path)
    names = columns(about.schema.to_arrow_schema())
    # A buffer size makes the reader take a part of each column, not all of a row group.
    buffer = max(LEAST, min(READ, 4 * BYTES // max(1, len(names))))
    with parquet.ParquetFile(path, metadata=about, pre_buffer=False, buffer_size=buffer) as file:
        schema = pa.schema([file.schema_arrow.field(name) for name in names])
        some = False
        for batch in file.iter_batches(batch_size=_rows(about, schema), columns=names):
            some = True
            yield batch
        if not some:
            yield from _none(schema)


def _rows(about: Any, schema: pa.Schema) -> int:
    """Return how many rows of a Parquet file are a batch: by the width of its types and,
    for what has no width, by the bytes that are written."""
    width = sum(_width(field.type) for field in schema)
    groups = [about.row_group(g) for g in range(about.num_row_groups)]
    paths = [about.schema.column(c).path for c in range(about.num_columns)]
    columns = [c for c, path in enumerate(paths) if any(path == name or path.startswith(name + ".") for name in schema.names)]
    written = sum(group.column(c).total_uncompressed_size for group in groups for c in columns)
    each: int = max(1, width, written // max(1, about.num_rows))
    return max(1, min(ROWS, BYTES // each))


def _width(t: pa.DataType) -> int:
    """Return the bytes of a value, 0 where values differ in length."""
    if isinstance(t, pa.BaseExtensionType):
        return _width(t.storage_type)
    if pa.types.is_fixed_size_list(t):
        return int(t.list_size) * _width(t.value_type)
    if pa.types.is_struct(t):
        return sum(_width(t.field(i).type) for i in range(t.num_fields))
    return int(t.bit_width) // 8 if pa.types.is_primitive(t) else 0


def _ipc_file(path: pathlib.Path, columns: Columns) -> Iterator[pa.RecordBatch]:
    with _Mapped(path) as mapped, ipc.open_file(mapped.source) as file:
        yield from _parts(file.schema, columns, (file.get_batch(i) for i in range(file.num_record_batches)), mapped)


def _ipc_stream(path: pathlib.Path, columns: Columns) -> Iterator[pa.RecordBatch]:
    with _Mapped(path) as mapped, ipc.open_stream(mapped.source) as stream:
        yield from _parts(stream.schema, columns, stream, mapped)


class _Mapped:
    """A mapped file, whose batches may be as large as it is.

    What Arrow makes of it are addresses: nothing is read but the messages' headers. Of
    values that are touched in the map Linux counts up to 2 MiB as resident for each
    column, so the rows of a part are read into memory of their own.
    """

    def __init__(self, path: pathlib.Path) -> None:
        if not path.stat().st_size:
            raise ArgumentError(f"{path} is empty: an Arrow file has at least a schema")
        self._file = path.open("rb")
        self._pages = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)  # unmapped with its last view
        self._whole = pa.py_buffer(self._pages)
        self.source = pa.BufferReader(self._whole)

    def __enter__(self) -> _Mapped:
        return self

    def __exit__(self, *_: object) -> None:
        self.source.close()
        self._file.close()

    def give_back(self) -> None:
        """Give the pages back that were touched; they are read again where they are
        touched again."""
        self._pages.madvise(mmap.MADV_DONTNEED)

    def read(self, a: pa.Array) -> pa.Array:
        """Return an array whose values lie in memory of their own. What is neither
        numbers, strings nor lists stays in the map."""
        t, n, skip = a.type, len(a), a.offset % 8  # bits are read by whole bytes
        first = a.offset - skip
        if isinstance(t, pa.BaseExtensionType):
            return pa.ExtensionArray.from_storage(t, self.read(a.storage))
        if pa.types.is_dictionary(t):
            return pa.DictionaryArray.from_arrays(self.read(a.indices), a.dictionary, ordered=t.ordered)
        buffers = a.buffers()
        if len(buffers) == 0 or pa.types.is_null(t):
            return a
        valid = self._bytes(buffers[0], first // 8, (skip + n + 7) // 8)
        nulls = 0 if valid is None else -1
        if pa.types.is_primitive(t):
            return pa.Array.from_buffers(t, n, [valid, self._bytes(buffers[1], first * t.bit_width // 8, ((skip + n) * t.bit_width + 7) // 8)], nulls, skip)
        if pa.types.is_fixed_size_list(t):
            return pa.Array.from_buffers(t, n, [valid], nulls, skip, [self.read(a.values.slice(first * t.list_size, (skip + n) * t.list_size))])
        small = pa.types.is_string(t) or pa.types.is_binary(t) or pa.types.is_list(t)
        if not n or not (small or pa.types.is_large_string(t) or pa.types.is_large_binary(t) or pa.types.is_large_list(t)):
            return a
        width = 4 if small else 8
        written = self._bytes(buffers[1], first * width, (skip + n + 1) * width)
        assert written is not None  # there are rows
        offsets = np.frombuffer(written, f"i{width}")
        start, end = int(offsets[0]), int(offsets[-1])
        moved = pa.py_buffer(offsets - offsets[0])
        if pa.types.is_list(t) or pa.types.is_large_list(t):
            return pa.Array.from_buffers(t, n, [valid, moved], nulls, skip, [self.read(a.values.slice(start, end - start))])
        return pa.Array.from_buffers(t, n, [valid, moved, self._bytes(buffers[2], start, end - start)], nulls, skip)

    def _bytes(self, buffer: pa.Buffer | None, start: int, size: int) -> pa.Buffer | None:
        """Return a part of a buffer, as it is where it lies outside the file: what was
        compressed does."""
        if buffer is None:
            return None
        at = buffer.address - self._whole.address
        size = min(size, buffer.size - start)
        if not 0 <= at <= self._whole.size - buffer.size or size <= 0:
            return buffer.slice(start, max(0, size))
        own = pa.allocate_buffer(size)
        view, done = memoryview(own), 0
        while done < size:  # one read takes at most 2 GiB
            count = os.preadv(self._file.fileno(), [view[done:]], at + start + done)
            if count == 0:
                raise ArgumentError(f"{self._file.name} became shorter while it was read")
            done += count
        return own


def _parts(schema: pa.Schema, columns: Columns, batches: Iterable[pa.RecordBatch], mapped: _Mapped) -> Iterator[pa.RecordBatch]:
    """Cut batches, which may be as large as the file."""
    names = columns(schema)
    some, read = False, 0
    for whole in batches:
        batch = whole.select(names)
        rows = max(1, min(ROWS, BYTES * batch.num_rows // max(1, batch.nbytes)))
        for at in range(0, batch.num_rows, rows):
            some = True
            part = batch.slice(at, rows)
            yield pa.RecordBatch.from_arrays([mapped.read(column) for column in part.columns], schema=part.schema)
            read += part.nbytes
            if read > GROUP:
                mapped.give_back()
                read = 0
    if not some:
        yield from _none(pa.schema([schema.field(name) for name in names]))


def _csv(path: pathlib.Path, columns: Columns) -> Iterator[pa.RecordBatch]:
    with csv.open_csv(path) as file:
        names = columns(file.schema)
        some = False
        for batch in file:
            some = True
            yield batch.select(names)
        if not some:
            yield from _none(pa.schema([file.schema.field(name) for name in names]))


def _none(schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    yield pa.RecordBatch.from_pylist([], schema=schema)


@contextmanager
def writing(path: pathlib.Path) -> Iterator[Sink]:
    """Write batches beside a file and rename it at the end: a run that fails or is
    interrupted leaves nothing half-written.

    Raises:
        ArgumentError: the name says no format.
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
            sink.close()
            part.unlink(missing_ok=True)


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

        Raises:
            ArgumentError: its schema is not that of the batches before it.
        """
        if self.writer is None:
            self.schema = batch.schema
            self.writer = _WRITERS[self.suffix](str(self.path), batch.schema)
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

    def _group(self) -> None:
        group, self.waiting, self.small, self.bytes = self.waiting + self.small, [], [], 0
        if group:
            self.writer.write_table(pa.Table.from_batches(group), row_group_size=sum(b.num_rows for b in group) or None)

    def close(self) -> None:
        """Finish the file, once."""
        writer, self.writer = self.writer, None
        if writer is not None:
            try:
                if self.waiting or self.small:
                    self.writer = writer
                    self._group()
            finally:
                self.writer = None
                writer.close()
