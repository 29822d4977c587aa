"""Arrow files that are mapped, of which only what is needed becomes resident."""

from __future__ import annotations

import mmap
import os
import pathlib

import numpy as np
import pyarrow as pa

from .errors import ArgumentError


class Mapped:
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

    def __enter__(self) -> Mapped:
        return self

    def __exit__(self, *_: object) -> None:
        self.source.close()
        self._file.close()

    def give_back(self) -> None:
        """Give the pages back that were touched; they are read again where they are
        touched again."""
        self._pages.madvise(mmap.MADV_DONTNEED)

    def read(self, a: pa.Array) -> pa.Array:
        """Return an array whose values lie in memory of their own. Unions, views
        of strings and what is encoded by runs stay in the map."""
        t, n, skip = a.type, len(a), a.offset % 8  # bits are read by whole bytes
        first = a.offset - skip
        if isinstance(t, pa.BaseExtensionType):
            return pa.ExtensionArray.from_storage(t, self.read(a.storage))
        if pa.types.is_dictionary(t):
            return pa.DictionaryArray.from_arrays(self.read(a.indices), a.dictionary, ordered=t.ordered)
        if pa.types.is_struct(t) and t.num_fields:
            fields = [self.read(a.field(i)) for i in range(t.num_fields)]
            return pa.StructArray.from_arrays(fields, fields=list(t), mask=a.is_null() if a.null_count else None)
        buffers = a.buffers()
        if len(buffers) == 0 or pa.types.is_null(t):
            return a
        valid = self._bytes(buffers[0], first // 8, (skip + n + 7) // 8)
        nulls = 0 if valid is None else -1
        if pa.types.is_primitive(t) or pa.types.is_decimal(t) or pa.types.is_fixed_size_binary(t):
            return pa.Array.from_buffers(t, n, [valid, self._bytes(buffers[1], first * t.bit_width // 8, ((skip + n) * t.bit_width + 7) // 8)], nulls, skip)
        if pa.types.is_fixed_size_list(t):
            return pa.Array.from_buffers(t, n, [valid], nulls, skip, [self.read(a.values.slice(first * t.list_size, (skip + n) * t.list_size))])
        small = pa.types.is_string(t) or pa.types.is_binary(t) or pa.types.is_list(t) or pa.types.is_map(t)
        if not n or not (small or pa.types.is_large_string(t) or pa.types.is_large_binary(t) or pa.types.is_large_list(t)):
            return a
        width = 4 if small else 8
        written = self._bytes(buffers[1], first * width, (skip + n + 1) * width)
        assert written is not None  # there are rows
        offsets = np.frombuffer(written, f"i{width}")
        start, end = int(offsets[0]), int(offsets[-1])
        moved = pa.py_buffer(offsets - offsets[0])
        if pa.types.is_list(t) or pa.types.is_large_list(t) or pa.types.is_map(t):
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
