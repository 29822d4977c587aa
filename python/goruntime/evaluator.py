"""The evaluator: a compiled model and its runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._load import native

if TYPE_CHECKING:
    from typing import Self

    import numpy as np

    from .arenas import ExecutionArena, IOArena
    from .context import RuntimeContext
    from .engines import OnnxRuntime
    from .events import RuntimeEvent
    from .kernels import Factory, Kernel, Key
    from .metadata import ModelMetadata
    from .plan import ExecutionPlan
    from .support import Lack
    from .types import ValueType


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

        Args:
            proto: a path, the bytes of a model, or a ModelProto, GraphProto,
                FunctionProto, NodeProto or ModelContainer of the onnx package.
            opsets: the opset of each domain, for a GraphProto or NodeProto.
            functions: FunctionProtos that a GraphProto or NodeProto may call.
            verbose: what run() prints: nodes from 2 on, values from 3, their first
                elements from 4, as onnx.reference does.
            new_ops: subclasses of onnx.reference.op_run.OpRun, which run in place of
                the operators of their names.
            check_shape_annotations: whether run() compares values with the shapes
                that the model declares for them, and raises ShapeError.
            events_enabled: whether each run leaves its trace in events().
            release_intermediates: False makes a run that is given a context keep all
                inner values in it.
            allocator: an execution arena to use, which may be shared.
            io_allocator: an I/O arena to use, which may be shared.
            num_threads: how many threads a run may use; None is all that the
                process may.
            engine: what runs the model: "goruntime", or "ort" or an OnnxRuntime for
                ONNX Runtime, which shows no inner values and takes no Python kernels.
            string_dtype: a numpy.dtypes.StringDType() for outputs of strings, which are
                object arrays of str without it. Inputs may be either, or lists.
            cpu_execution: onnx-light's policy as a dict; its num_threads counts where
                the argument num_threads is None.
            cpu_execution_counters: whether the loops of all runs are counted, for the
                attribute of that name.

        Raises:
            WrongTypeError, ArgumentError: an argument that is not what it should be.
            ModelError: the bytes are no valid model.
            UnsupportedError: operators that are not run here, all of them listed; its
                attribute missing has them as goruntime.Lack.
            FileError: the file cannot be read, or the engine's library.
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
        import sys

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
        from .log import debug

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

        Args:
            output_names: the wanted values, inner ones too, of which only what
                is needed runs; None is the model's outputs. A name asked twice
                gives the same array twice.
            feed_inputs: a value for each input. Arrays are read in place; only
                strided, Fortran-ordered and byte-swapped ones, and types below a
                byte, are copied (and counted). Python numbers and lists take the
                declared dtype, fractions one of fractions. A sequence is a list, an
                empty optional None, a map a dict; where nothing is declared, as for a
                NodeProto, lists of numbers or texts are tensors.
            attributes: the values of a FunctionProto's attributes.
            intermediate: True returns a dict by name of all that is fed and computed, and
                of those constants of the model that output_names asks for.
            check_shape_annotations: replaces the evaluator's for this run.
            context: keeps feeds and results by name; its arenas are used.
            outputs: arrays to write outputs to instead of new memory, by name.
            timeout: seconds after which the run ends with RunTimeoutError, at once
                where there are none left.
            cancel: ends the run from another thread.
            num_threads: replaces the evaluator's for this run.

        Returns:
            The values in the order of output_names, or a dict of all.

        Raises:
            NameNotFoundError, WrongTypeError, ShapeError: feeds that do not fit.
            LimitError: an arena's limit; ComputeError: forbidden values.
            CanceledError, RunTimeoutError, KeyboardInterrupt: the run was ended.
            After any of them the evaluator is usable and nothing is lost.
        """
        if (
            self._plain and attributes is None and not intermediate and context is None and outputs is None
            and timeout is None and cancel is None and num_threads is None and check_shape_annotations is None
        ):  # fmt: skip
            return self._run(output_names, feed_inputs)
        if num_threads is not None:
            from .policy import check_threads

            check_threads(num_threads)
        other = self._variant(attributes, context)
        if other is not self:
            try:
                return other.run(output_names, feed_inputs, None, intermediate, check_shape_annotations, context=context, outputs=outputs,
                                 timeout=timeout, cancel=cancel, num_threads=num_threads)  # fmt: skip
            finally:
                self._events = other._events
        if outputs is not None and not isinstance(outputs, Mapping):
            from .errors import WrongTypeError

            raise WrongTypeError(f"outputs: a dict of arrays by name expected, {type(outputs).__name__} given")
        options: dict[str, Any] = {"outputs": None if outputs is None else dict(outputs), "timeout": timeout, "threads": num_threads}
        if cancel is not None:
            options["cancel"] = getattr(cancel, "_native", cancel)
        check = self._check if check_shape_annotations is None else check_shape_annotations
        keep_all = intermediate or check or (context is not None and not (self._release and context.release_intermediates))
        names = list(self.output_names if output_names is None else output_names)
        wanted = [*names, *(n for n in self._computed if n not in names)] if keep_all else names
        if context is None:
            results = self._traced(wanted, feed_inputs, options, self._tracing, self.verbose)
        else:
            results = self._in_context(context, wanted, feed_inputs, options)
        values = dict(zip(wanted, results, strict=True))
        if check:
            from .annotations import check as compare

            compare(self._annotations, {**feed_inputs, **values})
        return {**feed_inputs, **values} if intermediate else results[: len(names)]

    def _in_context(self, context: RuntimeContext, wanted: list[str], feeds: dict[str, Any], options: dict[str, Any]) -> list[Any]:
        """Run with the arenas of a context and leave the values in it."""
        if context.allocator is not None:
            options["execution"] = context.allocator._native
        if context.io_allocator is not None:
            options["io"] = context.io_allocator._native
        with context._lock:
            tracing = self._tracing or context.events_enabled
            results = self._traced(wanted, feeds, options, tracing, max(self.verbose, context.verbose))
            context._keep(feeds, wanted, results, self._events if tracing else ())
        return results

    def _traced(self, wanted: list[str], feeds: dict[str, Any], options: dict[str, Any], tracing: bool, verbose: int) -> list[Any]:
        """Run; print and keep what happened, also where the run fails."""
        if not tracing and verbose <= 1:
            results: list[Any] = self._run(wanted, feeds, **options)
            return results
        from . import events

        lines: list[str] = []
        try:
            results = self._run(wanted, feeds, **options, events=lines)
        finally:
            happened = events.parse("".join(lines))
            events.show(happened, verbose)
            if tracing:
                self._events = happened
        return results

    def _variant(self, attributes: Mapping[str, Any] | None, context: RuntimeContext | None) -> ReferenceEvaluator:
        """Return the evaluator of this model with the attributes of a call of a
        FunctionProto and the kernels of a context. The last few are kept."""
        kernels = getattr(context, "_kernels", None) if context is not None else {}
        if kernels is None:
            from .errors import WrongTypeError

            raise WrongTypeError(f"context: a RuntimeContext expected, {type(context).__name__} given")
        if not attributes and all(self._kernels.get(key) is kernel for key, kernel in kernels.items()):
            return self
        source = self._bytes if self._path is None else self._path
        if attributes:
            from .errors import ArgumentError
            from .functions import model
            from .protos import serialized

            if type(self.proto_).__name__ != "FunctionProto":
                raise ArgumentError("attributes are for the evaluator of a FunctionProto")
            source = serialized(model(self.proto_, attributes), self._functions)
        key = (source, tuple(kernels.items()))
        if key not in self._variants:
            execution, io = self._own_arenas()
            from .kernels import Inherited

            every: Any = Inherited({**self._kernels, **kernels})
            made = ReferenceEvaluator(source, new_ops=every, verbose=self.verbose,
                                      check_shape_annotations=self._check, events_enabled=self._tracing, engine=self._engine or "goruntime",
                                      release_intermediates=self._release, string_dtype=self._strings, cpu_execution_counters=self._counting,
                                      allocator=execution, io_allocator=io, num_threads=self._threads or None)  # fmt: skip
            while len(self._variants) >= 8:
                self._variants.pop(next(iter(self._variants)))
            self._variants[key] = made
        return self._variants[key]

    @property
    def engine(self) -> str:
        """The name of the engine that runs the model: "goruntime", "ONNX Runtime 1.32.0"."""
        name: str = self._native.engine
        return name

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

        Args:
            input_ids: int64 tokens [B, T] or [T].
            max_new_tokens: how many tokens to add at most.
            eos_token_id: the token that ends a row, which is filled with it from there;
                the last row that ends ends the run.
            choose: takes the logits [B, V] of the last tokens and returns the next
                tokens [B]. None takes the most likely ones.
            context, timeout, cancel, num_threads: as run() has them, for each step.

        Returns:
            The tokens [B, T + new], those given among them.

        Raises:
            ArgumentError: inputs and outputs that are none of a decoder; see
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

        Args:
            domain: "" for ai.onnx.
            op_type: the operator's name.
            kernel: called as kernel(node, *inputs), see goruntime.kernels.Node; returns
                an array, or a tuple of arrays. It gets copies.

        Raises:
            WrongTypeError: names that are no str, what cannot be called.
        """
        from . import kernels

        self._reopen({**self._kernels, kernels._key(domain, op_type): kernels.plain(kernel)})

    def unregister_custom_kernel(self, domain: str, op_type: str) -> bool:
        """Undo register_custom_kernel. The model is compiled anew.

        Returns:
            Whether there was something to undo.

        Raises:
            UnsupportedError: the model needs the kernel, which is kept.
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

    @cached_property
    def _graph(self) -> dict[str, Any]:
        """The nodes and the names of values."""
        from ._control import report

        return report("SessionNodes", self._native.handle)

    @property
    def _computed(self) -> list[str]:
        """The names of what nodes make, in the order in which they do."""
        made = (name for node in self._graph["nodes"] for name in node["outputs"] if name)
        known = set(self._graph["values"])
        return [name for name in dict.fromkeys(made) if name in known]

    @cached_property
    def _annotations(self) -> dict[str, Any]:
        from .annotations import declared

        return declared(self._path, self._bytes)

    def used_kernels(self) -> list[tuple[str, str, int, str]]:
        """Return (domain, op_type, version, "native" or "python") of each operator that
        the model uses, in subgraphs too."""
        found: set[tuple[str, str, int, str]] = set()
        nodes = list(self._graph["nodes"])
        for node in nodes:
            where = "python" if (node["domain"], node["op_type"]) in self._kernels else "native"
            found.add((node["domain"], node["op_type"], node["version"], where))
            nodes.extend(node.get("bodies", ()))
        return sorted(found)

    def prepare(self, shapes: Mapping[str, Any]) -> ExecutionPlan:
        """Compile the model for inputs of these shapes ahead of the first run.

        Args:
            shapes: for each input a shape, an array like it, or (dtype, shape). Inputs
                with a default may be left out.

        Returns:
            How a run with such inputs is planned.

        Raises:
            NameNotFoundError, WrongTypeError, ShapeError: as run() has them.
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
    def opsets(self) -> dict[str, int]:
        """The opset that the model imports for each domain."""
        if self._unbound:
            return {o.domain: o.version for o in self.proto_.opset_import}
        return dict(self.metadata.opsets)

    @property
    def metadata(self) -> ModelMetadata:
        """Who made the model, and what they wrote into it."""
        from .metadata import of

        return of(self._native.handle)

    def get_result_types(self, name: str, exc: bool = True) -> Any:
        """Return the declared onnx.TypeProto of a value.

        Args:
            name: an input, output, or inner value with a value_info.
            exc: whether to raise where there is none, rather than to return None.
        """
        from .annotations import types
        from .errors import ArgumentError

        found = types(self._path, self._bytes)
        if name not in found and exc:
            raise ArgumentError(f"the model declares no type for {name!r}; it does for {', '.join(map(repr, sorted(found))) or 'none'}")
        return found.get(name)

    @property
    def input_names(self) -> list[str]:
        """The names of the inputs, in the model's order."""
        return [info[0] for info in self._native.inputs]

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs, in the model's order."""
        return [info[0] for info in self._native.outputs]

    @property
    def required_inputs(self) -> list[str]:
        """The names of the inputs without a default."""
        return [info[0] for info in self._native.inputs if not info[4]]

    @property
    def input_types(self) -> list[ValueType]:
        """(type, shape) of each input: ("tensor(float)", ("N", 3, None))."""
        return self._types(self._native.inputs)

    @property
    def output_types(self) -> list[ValueType]:
        """(type, shape) of each output, as the model declares them."""
        return self._types(self._native.outputs)

    @staticmethod
    def _types(infos: Iterable[Any]) -> list[ValueType]:
        from .types import ValueType

        return [ValueType((info[1], info[3])) for info in infos]

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

        Raises:
            ArgumentError: nothing was to be counted.
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

        Raises:
            ArgumentError: a kernel of a run calls it, which would wait for itself.
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
        """Pickle by the model's bytes, with the Python kernels that it uses: the copy has
        arenas of its own."""
        data: Any = self.proto_ if self._unbound else self._bytes
        if data is None and self._path is not None:
            with open(self._path, "rb") as file:
                data = file.read()
        settings = {
            "verbose": self.verbose,
            "check_shape_annotations": self._check,
            "events_enabled": self._tracing,
            "release_intermediates": self._release,
            "num_threads": self._threads or None,
            "engine": self._engine or "goruntime",
            "string_dtype": self._strings,
            "cpu_execution_counters": self._counting,
            "functions": [getattr(f, "proto_", f) for f in self._functions] if self._unbound else None,
        }
        return (_rebuild, (data, settings, self._used))

    def __repr__(self) -> str:
        if getattr(self, "_native", None) is None:  # in a traceback of what failed to open
            return "ReferenceEvaluator(not open)"
        return f"ReferenceEvaluator({', '.join(self.input_names)} -> {', '.join(self.output_names)})"


def _rebuild(data: Any, settings: dict[str, Any], kernels: dict[Key, Factory]) -> ReferenceEvaluator:
    from .kernels import Inherited

    return ReferenceEvaluator(data, new_ops=Inherited(kernels), **settings)  # type: ignore[arg-type]
