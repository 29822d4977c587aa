"""The evaluator: a compiled model and its runs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._load import native
from .arenas import ExecutionArena, IOArena
from .errors import WrongTypeError

if TYPE_CHECKING:
    from typing import Self

    import numpy as np

    from .context import RuntimeContext


class CancelToken:
    """Ends runs from another thread: pass it to run() as cancel."""

    def __init__(self) -> None:
        self._native = native().Stop()

    def cancel(self) -> None:
        """End the runs that use the token, and later ones, with CanceledError."""
        self._native.cancel()


class ReferenceEvaluator:
    """A model ready to run.

    Ownership: each array that run() returns holds a lease on its memory. It
    stays valid after later runs, RuntimeContext.clear(), close() and the end of
    the evaluator and the arenas; dropping it gives the memory to the next run.

    Concurrency: any number of threads may run one evaluator. The interpreter's
    lock is released during a run.
    """

    def __init__(
        self,
        proto: Any,
        *,
        allocator: ExecutionArena | None = None,
        io_allocator: IOArena | None = None,
        num_threads: int | None = None,
    ) -> None:
        """Read and compile a model.

        Args:
            proto: a path, the bytes of a model, or a ModelProto.
            allocator: an execution arena to use, which may be shared.
            io_allocator: an I/O arena to use, which may be shared.
            num_threads: how many threads a run may use; None is all that the
                process may.

        Raises:
            ModelError: the bytes are no valid model.
            UnsupportedError: operators that are not run here, all of them listed.
            FileError: the file cannot be read.
        """
        self._threads, self._given = num_threads or 0, (allocator, io_allocator)
        self._path, self._bytes = _source(proto)
        self._arenas: tuple[ExecutionArena, IOArena] | None = None
        self._native = self._open()
        self._run = self._native.run

    def _open(self) -> Any:
        execution, io = self._given
        return native().Session(
            os.fsencode(self._path) if self._path is not None else None,
            self._bytes,
            None,
            None if execution is None else execution._native,
            None if io is None else io._native,
            self._threads,
        )

    def run(
        self,
        output_names: Sequence[str] | None,
        feed_inputs: dict[str, Any],
        *,
        context: RuntimeContext | None = None,
        outputs: Mapping[str, np.ndarray[Any, Any]] | None = None,
        timeout: float | None = None,
        cancel: CancelToken | None = None,
        num_threads: int | None = None,
    ) -> list[Any]:
        """Run the model once.

        Args:
            output_names: the wanted values, inner ones too, of which only what
                is needed runs; None is the model's outputs. A name asked twice
                gives the same array twice.
            feed_inputs: an array for each input. Arrays are read in place; only
                strided, Fortran-ordered and byte-swapped ones are copied (and
                counted). Python numbers and lists take the declared dtype.
            context: keeps feeds and results by name; its arenas are used.
            outputs: arrays to write outputs to instead of new memory, by name.
            timeout: seconds after which the run ends with RunTimeoutError.
            cancel: ends the run from another thread.
            num_threads: replaces the evaluator's for this run.

        Returns:
            The values in the order of output_names.

        Raises:
            NameNotFoundError, WrongTypeError, ShapeError: feeds that do not fit.
            LimitError: an arena's limit; ComputeError: forbidden values.
            CanceledError, RunTimeoutError, KeyboardInterrupt: the run was ended.
            After any of them the evaluator is usable and nothing is lost.
        """
        if context is None and outputs is None and timeout is None and cancel is None and num_threads is None:
            results: list[Any] = self._run(output_names, feed_inputs)
            return results
        options: dict[str, Any] = {"outputs": None if outputs is None else dict(outputs), "timeout": timeout, "threads": num_threads}
        if cancel is not None:
            options["cancel"] = cancel._native
        if context is None:
            results = self._run(output_names, feed_inputs, **options)
            return results
        if context.allocator is not None:
            options["execution"] = context.allocator._native
        if context.io_allocator is not None:
            options["io"] = context.io_allocator._native
        with context._lock:
            results = self._run(output_names, feed_inputs, **options)
            context._keep(feed_inputs, self.output_names if output_names is None else output_names, results)
        return results

    @property
    def input_names(self) -> list[str]:
        """The names of the inputs, in the model's order."""
        return [info[0] for info in self._native.inputs]

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs, in the model's order."""
        return [info[0] for info in self._native.outputs]

    @property
    def input_types(self) -> list[tuple[str, tuple[int | str | None, ...] | None]]:
        """(type, shape) of each input: ("tensor(float)", ("N", 3, None))."""
        return [(info[1], info[3]) for info in self._native.inputs]

    @property
    def output_types(self) -> list[tuple[str, tuple[int | str | None, ...] | None]]:
        """(type, shape) of each output, as the model declares them."""
        return [(info[1], info[3]) for info in self._native.outputs]

    @property
    def allocator(self) -> ExecutionArena:
        """The execution arena in use."""
        return self._own_arenas()[0]

    @property
    def io_allocator(self) -> IOArena:
        """The I/O arena in use."""
        return self._own_arenas()[1]

    def _own_arenas(self) -> tuple[ExecutionArena, IOArena]:
        if self._arenas is None:
            execution, io = self._given
            handles = self._native.arenas
            self._arenas = (execution or ExecutionArena._of(handles[0]), io or IOArena._of(handles[1]))
        return self._arenas

    def stats(self) -> dict[str, dict[str, Any]]:
        """Return the counters of both arenas."""
        return {"execution": self.allocator.stats(), "io": self.io_allocator.stats()}

    def close(self) -> None:
        """Wait for runs and give memory back. Arrays stay valid."""
        self._native.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by the model's bytes: the copy has arenas of its own."""
        data = self._bytes
        if data is None and self._path is not None:
            with open(self._path, "rb") as file:
                data = file.read()
        return (_rebuild, (data, self._threads))

    def __repr__(self) -> str:
        return f"ReferenceEvaluator({', '.join(self.input_names)} -> {', '.join(self.output_names)})"


def _rebuild(data: bytes, threads: int) -> ReferenceEvaluator:
    return ReferenceEvaluator(data, num_threads=threads or None)


def _source(proto: Any) -> tuple[str | None, bytes | None]:
    """Return (path, None) or (None, bytes) of what a model was given as."""
    if isinstance(proto, str | os.PathLike):
        return os.fspath(proto), None
    if isinstance(proto, bytes | bytearray | memoryview):
        return None, bytes(proto)
    if hasattr(proto, "SerializeToString") and hasattr(proto, "graph"):
        return None, proto.SerializeToString()
    raise WrongTypeError(f"a path, bytes or a ModelProto expected, {type(proto).__name__} given")


