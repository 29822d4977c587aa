"""The evaluator: a compiled model and its runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._load import native
from .description import Described

if TYPE_CHECKING:
    from typing import Self

    import numpy as np

    from .arenas import ExecutionArena, IOArena
    from .cancel import CancelToken
    from .context import RuntimeContext
    from .engines import OnnxRuntime
    from .events import RuntimeEvent
    from .kernels import Factory, Kernel, Key
    from .plan import ExecutionPlan
    from .support import Lack


class ReferenceEvaluator(Described):
    """A model ready to run.

    Ownership: each array that run() returns holds a lease on its memory. It
    stays valid after later runs, RuntimeContext.clear(), close() and the end of
    the evaluator and the arenas; dropping it gives the memory to the next run.

    Concurrency: any number of threads may run one evaluator. The interpreter's
    lock is released during a run.
    """

    # The session, where run() has nothing else to do: native_shortcut.c reads it.
    __slots__ = ("__dict__", "__weakref__", "_fast")

    def __init__(
        self,
        proto: Any,
        opsets: Mapping[str, int] | None = None,
        functions: Iterable[Any] | None = None,
        verbose: int = 0,
        new_ops: Iterable[type[Any]] | None = None,
        check_shape_annotations: bool = False,
        *,
        events_enabled: bool = False,
        release_intermediates: bool = True,
        allocator: ExecutionArena | None = None,
        io_allocator: IOArena | None = None,
        num_threads: int | None = None,
        engine: str | OnnxRuntime = "goruntime",
        string_dtype: np.dtype[Any] | None = None,
        cpu_execution: Mapping[str, Any] | None = None,
        cpu_execution_counters: bool = False,
    ) -> None:
        """Read and compile a model.

        Parameters
        ----------
        proto : str, os.PathLike, bytes or message of onnx
            a path, the bytes of a model, or a ModelProto, GraphProto,
            FunctionProto, NodeProto or ModelContainer of the onnx package.
        opsets : Mapping[str, int], optional
            the opset of each domain, for a GraphProto or NodeProto.
        functions : Iterable, optional
            FunctionProtos that a GraphProto or NodeProto may call.
        verbose : int, default 0
            what run() prints: nodes from 2 on, values from 3, their first
            elements from 4, as onnx.reference does.
        new_ops : Iterable[type], optional
            subclasses of onnx.reference.op_run.OpRun, which run in place of
            the operators of their names.
        check_shape_annotations : bool, default False
            whether run() compares values with the shapes
            that the model declares for them, and raises ShapeError.
        events_enabled : bool, default False
            whether each run leaves its trace in events().
        release_intermediates : bool, default True
            False makes a run that is given a context keep all
            inner values in it.
        allocator : ExecutionArena, optional
            an execution arena to use, which may be shared.
        io_allocator : IOArena, optional
            an I/O arena to use, which may be shared.
        num_threads : int, optional
            how many threads a run may use; None is all that the
            process may.
        engine : str | OnnxRuntime, default 'goruntime'
            what runs the model: "goruntime", or "ort" or an OnnxRuntime for
            ONNX Runtime, which shows no inner values and takes no Python kernels.
        string_dtype : numpy.dtype, optional
            a numpy.dtypes.StringDType() for outputs of strings, which are
            object arrays of str without it. Inputs may be either, or lists.
        cpu_execution : Mapping[str, Any], optional
            onnx-light's policy as a dict; its num_threads counts where
            the argument num_threads is None.
        cpu_execution_counters : bool, default False
            whether the loops of all runs are counted, for the
            attribute of that name.

        Raises
        ------
        WrongTypeError, ArgumentError
            an argument that is not what it should be.
        ModelError
            the bytes are no valid model.
        UnsupportedError
            operators that are not run here, all of them listed; its
            attribute missing has them as goruntime.Lack.
        FileError
            the file cannot be read, or the engine's library.
        """
        native()  # starts the core, which gets ready while the modules below are loaded
        from .errors import WrongTypeError
        from .protos import listed, source

        self._engine = None
        if not isinstance(verbose, int):
            raise WrongTypeError(f"verbose: a number expected, {type(verbose).__name__} given")
        if allocator is not None or io_allocator is not None:
            from .arenas import check_arenas

            check_arenas(allocator=allocator, io_allocator=io_allocator)
        if engine != "goruntime":
            from .engines import chosen

            looking = {
                "verbose above 1": verbose > 1, "check_shape_annotations": check_shape_annotations, "events_enabled": events_enabled,
                "release_intermediates=False": not release_intermediates,
            }  # fmt: skip
            self._engine = chosen(engine, [name for name, asked in looking.items() if asked], cpu_execution_counters)
        if cpu_execution is not None:
            from .policy import threads_of

            num_threads = threads_of(cpu_execution, num_threads)
        if num_threads is not None:
            from .policy import check_threads

            check_threads(num_threads)
        self.verbose = verbose
        self._strings, self._counting = string_dtype, bool(cpu_execution_counters)
        self._threads, self._given = num_threads or 0, (allocator, io_allocator)
        self._check, self._tracing, self._release = check_shape_annotations, events_enabled, release_intermediates
        self._functions = listed(functions)
        self._path, self._bytes = source(proto, opsets, None if functions is None else self._functions)
        self.proto_: Any = proto if self._path is None and not isinstance(proto, bytes | bytearray | memoryview) else None
        self._arenas: tuple[ExecutionArena, IOArena] | None = None
        self._events: list[RuntimeEvent] = []
        self._variants: dict[Any, ReferenceEvaluator] = {}  # with other attributes or kernels
        self._kernels = self._first_kernels(new_ops)
        self._used: dict[Key, Factory] = {}
        self._unbound = [*proto.attribute] if type(proto).__name__ == "FunctionProto" else []
        self._binding: Any = None  # of the columns that were scored last, see goruntime.arrow
        self._plain = not (self._unbound or verbose > 1 or events_enabled or check_shape_annotations)
        self._begin()

    def _first_kernels(self, new_ops: Iterable[type[Any]] | None) -> dict[Key, Factory]:
        """Return the Python kernels: of new_ops, then those registered for all. A copy
        of an evaluator is given those of its original."""
        if new_ops is None and f"{__package__}.kernels" not in sys.modules:
            return {}
        from . import kernels

        if isinstance(new_ops, kernels.Inherited):
            return dict(new_ops)
        if not new_ops:
            return kernels.registered()
        from . import new_ops as subclasses

        computing, expanding = subclasses.expanded(new_ops)
        if expanding:
            from .expand import with_functions

            self._path, self._bytes = None, with_functions(self._path, self._bytes, expanding)
        return {**kernels.registered(), **subclasses.factories(computing, self.verbose)}

    def _begin(self) -> None:
        if self._unbound:
            from .functions import Unbound

            self._native: Any = Unbound(self.proto_)
        else:
            self._native = self._open()
        self._run = self._native.run
        if self._plain:
            self._fast = self._native

    def _open(self) -> Any:
        from .errors import UnsupportedError

        execution, io = self._given
        custom: tuple[Any, Any] = (None, None)
        used: dict[Key, Factory] = {}
        if self._kernels:
            from .kernels import Maker

            maker = Maker(self._kernels)
            used, custom = maker.used, (list(self._kernels), maker)
        try:
            opened = native().Session(
                os.fsencode(self._path) if self._path is not None else None,
                self._bytes,
                None,
                None if execution is None else execution._native,
                None if io is None else io._native,
                self._threads,
                *custom,
                *((0, None) if self._engine is None else (1, self._engine._file())),
                self._counting,
            )
        except UnsupportedError as error:
            if self._engine is not None or error.missing:  # of a subgraph that Python runs
                raise
            error.missing = self.missing(self._path if self._path is not None else self._bytes)
            if error.missing:
                error.args = (f"{error}; new_ops or goruntime.register_custom_kernel runs them in Python",)
            raise
        opened.string_dtype, self._used = self._strings, used
        if "logging" in sys.modules:  # else there is no handler that would show it, and imports cost every start
            from .log import debug

            debug("opened %s: %d inputs, %d outputs", self._path or "a model in memory", len(opened.inputs), len(opened.outputs))
        return opened

    @staticmethod
    def missing(model: Any) -> tuple[Lack, ...]:
        """Return what a model needs and is not run here; see goruntime.supports."""
        from .support import supports

        return supports(model).missing

    def run(
        self,
        output_names: Sequence[str] | None,
        feed_inputs: dict[str, Any],
        attributes: Mapping[str, Any] | None = None,
        intermediate: bool = False,
        check_shape_annotations: bool | None = None,
        *,
        context: RuntimeContext | None = None,
        outputs: Mapping[str, np.ndarray[Any, Any]] | None = None,
        timeout: float | None = None,
        cancel: CancelToken | None = None,
        num_threads: int | None = None,
    ) -> Any:
        """Run the model once.

        Parameters
        ----------
        output_names : Sequence[str] | None
            the wanted values, inner ones too, of which only what
            is needed runs; None is the model's outputs. A name asked twice
            gives the same array twice.
        feed_inputs : dict[str, Any]
            a value for each input. Arrays are read in place; only
            strided, Fortran-ordered and byte-swapped ones, and types below a
            byte, are copied (and counted). Python numbers and lists take the
            declared dtype, fractions one of fractions. A sequence is a list, an
            empty optional None, a map a dict; where nothing is declared, as for a
            NodeProto, lists of numbers or texts are tensors.
        attributes : Mapping[str, Any], optional
            the values of a FunctionProto's attributes.
        intermediate : bool, default False
            True returns a dict by name of all that is fed and computed, and
            of those constants of the model that output_names asks for.
        check_shape_annotations : bool, optional
            replaces the evaluator's for this run.
        context : RuntimeContext, optional
            keeps feeds and results by name; its arenas are used.
        outputs : Mapping[str, numpy.ndarray], optional
            arrays to write outputs to instead of new memory, by name.
        timeout : float, optional
            seconds after which the run ends with RunTimeoutError, at once
            where there are none left.
        cancel : CancelToken, optional
            ends the run from another thread.
        num_threads : int, optional
            replaces the evaluator's for this run.

        Returns
        -------
        list or dict
            The values in the order of output_names, or a dict of all.

        Raises
        ------
        NameNotFoundError, WrongTypeError, ShapeError
            feeds that do not fit.
        LimitError
            an arena's limit.
        ComputeError
            forbidden values.
        CanceledError, RunTimeoutError, KeyboardInterrupt
            the run was ended.

        Notes
        -----
        After any of them the evaluator is usable and nothing is lost.
        """
        if (
            self._plain and attributes is None and not intermediate and context is None and outputs is None
            and timeout is None and cancel is None and num_threads is None and check_shape_annotations is None
        ):  # fmt: skip
            return self._run(output_names, feed_inputs)
        from . import calls

        options = calls.Options(intermediate, check_shape_annotations, context, outputs, timeout, cancel, num_threads)
        return calls.run(self, output_names, feed_inputs, attributes, options)

    def generate(
        self,
        input_ids: Any,
        max_new_tokens: int = 20,
        *,
        eos_token_id: int | None = None,
        choose: Callable[[np.ndarray[Any, Any]], Any] | None = None,
        context: RuntimeContext | None = None,
        timeout: float | None = None,
        cancel: CancelToken | None = None,
        num_threads: int | None = None,
    ) -> np.ndarray[Any, Any]:
        """Continue tokens with a decoder model, with its key-value cache where it has one.

        Parameters
        ----------
        input_ids : array_like of int64
            int64 tokens [B, T] or [T].
        max_new_tokens : int, default 20
            how many tokens to add at most.
        eos_token_id : int, optional
            the token that ends a row, which is filled with it from there;
            the last row that ends ends the run.
        choose : Callable[[numpy.ndarray], Any], optional
            takes the logits [B, V] of the last tokens and returns the next
            tokens [B]. None takes the most likely ones.
        context, timeout, cancel, num_threads
            as run() has them, for each step.

        Returns
        -------
        numpy.ndarray
            The tokens [B, T + new], those given among them.

        Raises
        ------
        ArgumentError
            inputs and outputs that are none of a decoder; see
            goruntime.generation.Decoder for the names.
        """
        from . import generation

        options = {"context": context, "timeout": timeout, "cancel": cancel, "num_threads": num_threads}
        return generation.generate(self, input_ids, max_new_tokens, eos_token_id, choose or generation.greedy, options)

    def events(self) -> list[RuntimeEvent]:
        """Return what happened in the last run that was traced, a value at a time, up
        to where it failed: see events_enabled."""
        return list(self._events)

    def register_custom_kernel(self, domain: str, op_type: str, kernel: Kernel) -> None:
        """Use a Python callable for an operator, in place of the operator or function
        of that name. The model is compiled anew.

        Parameters
        ----------
        domain : str
            "" for ai.onnx.
        op_type : str
            the operator's name.
        kernel : Kernel
            called as kernel(node, *inputs), see goruntime.kernels.Node; returns
            an array, or a tuple of arrays. It gets copies.

        Raises
        ------
        WrongTypeError
            names that are no str, what cannot be called.
        """
        from . import kernels

        self._reopen({**self._kernels, kernels._key(domain, op_type): kernels.plain(kernel)})

    def unregister_custom_kernel(self, domain: str, op_type: str) -> bool:
        """Undo register_custom_kernel. The model is compiled anew.

        Parameters
        ----------
        domain : str
            "" for ai.onnx.
        op_type : str
            the operator's name.

        Returns
        -------
        bool
            Whether there was something to undo.

        Raises
        ------
        UnsupportedError
            the model needs the kernel, which is kept.
        """
        from . import kernels

        key = kernels._key(domain, op_type)
        if key not in self._kernels:
            return False
        self._reopen({other: kernel for other, kernel in self._kernels.items() if other != key})
        return True

    @staticmethod
    def register_custom_kernel_global(domain: str, op_type: str, kernel: Kernel) -> None:
        """As goruntime.register_custom_kernel."""
        from . import kernels

        kernels.register_custom_kernel(domain, op_type, kernel)

    @staticmethod
    def unregister_custom_kernel_global(domain: str, op_type: str) -> bool:
        """As goruntime.unregister_custom_kernel."""
        from . import kernels

        return kernels.unregister_custom_kernel(domain, op_type)

    def _reopen(self, kernels: dict[Key, Factory]) -> None:
        """Compile the model anew with other kernels; where that fails, all stays as it was."""
        before, self._kernels = self._kernels, kernels
        try:
            self._begin()
        except BaseException:
            self._kernels = before
            raise
        self._variants.clear()
        if not self._unbound:
            self._arenas = None
        self.__dict__.pop("_graph", None)

    def prepare(self, shapes: Mapping[str, Any]) -> ExecutionPlan:
        """Compile the model for inputs of these shapes ahead of the first run.

        Parameters
        ----------
        shapes : Mapping[str, Any]
            for each input a shape, an array like it, or (dtype, shape). Inputs
            with a default may be left out.

        Returns
        -------
        ExecutionPlan
            How a run with such inputs is planned.

        Raises
        ------
        NameNotFoundError, WrongTypeError, ShapeError
            as run() has them.
        """
        import json

        from ._control import call
        from .plan import ExecutionPlan
        from .shapes import described

        handle = self._native.handle
        text = json.dumps(described(self._native.inputs, shapes))
        return ExecutionPlan(json.loads(call("SessionPlan", handle, text)), self)

    get_execution_plan = prepare

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
            from .arenas import ExecutionArena, IOArena

            execution, io = self._given
            if self._unbound:  # the evaluators with attributes share these
                self._arenas = (execution or ExecutionArena(), io or IOArena())
            else:
                handles = self._native.arenas
                self._arenas = (execution or ExecutionArena._of(handles[0]), io or IOArena._of(handles[1]))
        return self._arenas

    @property
    def cpu_execution_counters(self) -> dict[str, int]:
        """What the loops of all runs did until now, where cpu_execution_counters is set.

        A loop is begun by a kernel (dispatches). One that is short, or in a run of one
        thread, its caller runs alone (limited_inline_dispatches); so it does where
        another loop has the threads of the process (busy_inline_dispatches). All others
        are split into chunks, of which workers took worker_chunks and the caller the rest.

        Raises
        ------
        ArgumentError
            nothing was to be counted.
        """
        from .errors import ArgumentError
        from .policy import counted

        if not self._counting:
            raise ArgumentError("nothing was counted: make the evaluator with cpu_execution_counters=True")
        return counted(e._native.handle for e in (self, *self._variants.values()) if not e._unbound)

    def stats(self) -> dict[str, dict[str, Any]]:
        """Return the counters of both arenas."""
        return {"execution": self.allocator.stats(), "io": self.io_allocator.stats()}

    def close(self) -> None:
        """Wait for runs and give memory back. Arrays stay valid.

        Raises
        ------
        ArgumentError
            a kernel of a run calls it, which would wait for itself.
        """
        if self._kernels or self._variants:
            from .errors import ArgumentError
            from .kernels import running

            if running():
                raise ArgumentError("a kernel may not close the evaluator that it may be running in")
        for variant in self._variants.values():
            variant._native.close()
        self._native.close()
        if self._unbound and self._arenas is not None:
            for given, arena in zip(self._given, self._arenas, strict=True):
                if given is None:
                    arena.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        from .variants import pickled

        return pickled(self)

    def __repr__(self) -> str:
        if getattr(self, "_native", None) is None:  # in a traceback of what failed to open
            return "ReferenceEvaluator(not open)"
        return f"ReferenceEvaluator({', '.join(self.input_names)} -> {', '.join(self.output_names)})"
