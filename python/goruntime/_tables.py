"""Tables in files: Parquet, Arrow IPC and CSV, read a batch at a time."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa
from pyarrow import csv, ipc, parquet

from ._mapped import Mapped
from .errors import ArgumentError

ROWS = 16384  # of a batch at most
BYTES = 8 << 20  # of a batch, about, where rows are wide
PAGES = 16 << 20  # bytes that are read of a mapped file before its pages are given back
READ, LEAST = 256 << 10, 16 << 10  # bytes that are read of a column at once, also of many columns

Columns = Callable[[pa.Schema], list[str]]
Types = Callable[[list[str]], dict[str, pa.DataType]]


class Source:
    """A file of batches.

    Raises
    ------
    ArgumentError
        the name says no format.
    """

    def __init__(self, path: pathlib.Path) -> None:
        readers: dict[str, Any] = {
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

    def batches(self, columns: Columns, types: Types = lambda _: {}) -> Iterator[pa.RecordBatch]:
        """Read the file a batch at a time, and of it the columns that a function chooses
        from its schema. A file without rows has one batch without rows.

        Parameters
        ----------
        columns : Columns
            chooses; of a file that has no types it is given names alone.
        types : Types, default lambda _: {}
            says what columns are in a file that has no types, where they do not tell.

        Notes
        -----
        Ownership: a batch is good until the next one is asked for.
        """
        read: Iterator[pa.RecordBatch] = _csv(self.path, columns, types) if self._read is _csv else self._read(self.path, columns)
        return read


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
    with Mapped(path) as mapped, ipc.open_file(mapped.source) as file:
        yield from _parts(file.schema, columns, (file.get_batch(i) for i in range(file.num_record_batches)), mapped)


def _ipc_stream(path: pathlib.Path, columns: Columns) -> Iterator[pa.RecordBatch]:
    with Mapped(path) as mapped, ipc.open_stream(mapped.source) as stream:
        yield from _parts(stream.schema, columns, stream, mapped)


def _parts(schema: pa.Schema, columns: Columns, batches: Iterable[pa.RecordBatch], mapped: Mapped) -> Iterator[pa.RecordBatch]:
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
            if read > PAGES:
                mapped.give_back()
                read = 0
    if not some:
        yield from _none(pa.schema([schema.field(name) for name in names]))


def _csv(path: pathlib.Path, columns: Columns, types: Types) -> Iterator[pa.RecordBatch]:
    with csv.open_csv(path) as file:
        names = columns(pa.schema([(name, pa.null()) for name in file.schema.names]))
    convert = csv.ConvertOptions(column_types=types(names), include_columns=names)
    with csv.open_csv(path, convert_options=convert) as file:
        some = False
        for batch in file:
            some = True
            yield batch
        if not some:
            yield from _none(file.schema)


def _none(schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    yield pa.RecordBatch.from_pylist([], schema=schema)
