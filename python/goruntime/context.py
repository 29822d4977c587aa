"""What runs leave behind by name, until it is cleared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .errors import NameNotFoundError, WrongTypeError

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from .arenas import ExecutionArena, IOArena
    from .evaluator import ReferenceEvaluator
    from .events import RuntimeEvent
    from .kernels import Factory, Kernel, Key
    from .plan import ExecutionPlan


class RuntimeContext:
    """Holds the values of the runs that are given it, and their arenas.

    Values are shared with the caller, who keeps his arrays when the context is
    cleared: each array holds its own memory.

    Concurrency: a run holds the context; clear() and the next run wait for it.
    """

    def __init__(
        self,
        kernel_ctx: Any = None,
        *,
        events_enabled: bool = False,
        verbose: int = 0,
        release_intermediates: bool = True,
        allocator: ExecutionArena | None = None,
        io_allocator: IOArena | None = None,
    ) -> None:
        """Make an empty context.

        Parameters
        ----------
        kernel_ctx : optional
            onnx-light's context of kernels, which is not used: a model says
            itself which opset it wants.
        events_enabled : bool, default False
            whether runs leave their traces in events.
        verbose : int, default 0
            as for ReferenceEvaluator; the larger of both counts.
        release_intermediates : bool, default True
            False keeps all inner values of runs.
        allocator : ExecutionArena, optional
            replaces the evaluator's execution arena.
        io_allocator : IOArena, optional
            replaces the evaluator's I/O arena.

        Raises
        ------
        WrongTypeError
            an argument that is not what it should be.
        """
        if not isinstance(verbose, int):
            raise WrongTypeError(f"verbose: a number expected, {type(verbose).__name__} given")
        if allocator is not None or io_allocator is not None:
            from .arenas import check_arenas

            check_arenas(allocator=allocator, io_allocator=io_allocator)
        self.events_enabled = events_enabled
        self.verbose = verbose
        self.release_intermediates = release_intermediates
        self.allocator = allocator
        self.io_allocator = io_allocator
        import threading  # here, since imports cost every start

        # Protects all below; a run holds it from begin to end, and a kernel of the run may
        # use the context.
        self._lock = threading.RLock()
        self._values: dict[str, Any] = {}
        self._events: list[RuntimeEvent] = []
        self._kernels: dict[Key, Factory] = {}

    def names(self) -> list[str]:
        """Return the names of the values, in the order they came."""
        with self._lock:
            return list(self._values)

    def has(self, name: str) -> bool:
        """Whether a value of this name is there."""
        with self._lock:
            return name in self._values

    def get(self, name: str) -> Any:
        """Return the value of this name.

        Raises
        ------
        NameNotFoundError
            where there is none.
        """
        with self._lock:
            if name not in self._values:
                raise NameNotFoundError(f"the context holds no value {name!r}; it holds {', '.join(map(repr, self._values)) or 'none'}")
            return self._values[name]

    def put(self, name: str, value: Any) -> None:
        """Hold a value, in place of an earlier one of its name.

        Parameters
        ----------
        name : str
            its name, that of an input for RuntimeSession.run.
        value : Any
            what run() takes for an input of its kind. It is shared, not copied.

        Raises
        ------
        WrongTypeError
            the name is no str.
        """
        if not isinstance(name, str):
            raise WrongTypeError(f"a name of type str expected, {type(name).__name__} given")
        with self._lock:
            self._values[name] = value

    set = put

    def remove(self, name: str) -> None:
        """Drop the value of this name, if there is one."""
        with self._lock:
            self._values.pop(name, None)

    def sequences(self) -> dict[str, list[Any]]:
        """Return the values that are sequences."""
        return self._of(list)

    def maps(self) -> dict[str, dict[Any, Any]]:
        """Return the values that are maps."""
        return self._of(dict)

    def _of(self, kind: type) -> dict[str, Any]:
        with self._lock:
            return {name: value for name, value in self._values.items() if isinstance(value, kind)}

    @property
    def events(self) -> list[RuntimeEvent]:
        """What happened in the runs that were traced, a value at a time."""
        with self._lock:
            return list(self._events)

    def register_custom_kernel(self, domain: str, op_type: str, kernel: Kernel) -> None:
        """Use a Python callable for an operator in the runs that are given the context: as
        ReferenceEvaluator.register_custom_kernel, and before what the evaluator has. A
        model is compiled anew at its next run here."""
        from . import kernels

        with self._lock:
            self._kernels = {**self._kernels, kernels._key(domain, op_type): kernels.plain(kernel)}

    def unregister_custom_kernel(self, domain: str, op_type: str) -> bool:
        """Undo register_custom_kernel; return whether there was something to undo."""
        from . import kernels

        key = kernels._key(domain, op_type)
        with self._lock:
            found = key in self._kernels
            self._kernels = {k: kernel for k, kernel in self._kernels.items() if k != key}
        return found

    def get_execution_plan(self, model: ReferenceEvaluator | RuntimeSession) -> ExecutionPlan:
        """Return how a run of a model on the values of the context is planned.

        Raises
        ------
        NameNotFoundError
            an input that is not there.
        """
        evaluator = model.evaluator if isinstance(model, RuntimeSession) else model
        return evaluator.prepare(_feeds(evaluator, self))

    def clear(self) -> None:
        """Drop all values and events, after the run that is under way. Arrays that the
        caller holds stay valid; free memory stays in the arenas."""
        with self._lock:
            values, self._values = self._values, {}
            self._events = []
        del values

    def stats(self) -> dict[str, dict[str, Any]]:
        """Return the counters of the context's own arenas."""
        given = {"execution": self.allocator, "io": self.io_allocator}
        return {name: arena.stats() for name, arena in given.items() if arena is not None}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.clear()

    def _keep(self, feeds: Mapping[str, Any], names: Iterable[str], results: Iterable[Any], events: Iterable[RuntimeEvent] = ()) -> None:
        """Take the values of a run. The lock is held."""
        self._values.update(feeds)
        self._values.update(zip(names, results, strict=True))
        self._events.extend(events)


def _feeds(evaluator: ReferenceEvaluator, rt: RuntimeContext) -> dict[str, Any]:
    """Return what a context holds for the inputs of a model."""
    if not isinstance(rt, RuntimeContext):
        raise WrongTypeError(f"rt: a RuntimeContext expected, {type(rt).__name__} given")
    return {name: rt.get(name) for name in evaluator.input_names if rt.has(name) or name in evaluator.required_inputs}


class RuntimeSession:
    """A model driven by hand: put its inputs into a context, run, get its outputs.

    >>> session = RuntimeSession("model.onnx")               # doctest: +SKIP
    >>> rt.put("x", x); session.run(rt); y = rt.get("y")     # doctest: +SKIP
    """

    def __init__(self, model: Any, **options: Any) -> None:
        """Compile a model.

        Parameters
        ----------
        model : str, os.PathLike, bytes, message of onnx or ReferenceEvaluator
            what ReferenceEvaluator takes, or an evaluator, or an ExecutionPlan of
            one, which runs on it.
        options : object
            those of ReferenceEvaluator.
        """
        from .evaluator import ReferenceEvaluator

        model = getattr(model, "evaluator", model)
        self.evaluator: ReferenceEvaluator = model if isinstance(model, ReferenceEvaluator) else ReferenceEvaluator(model, **options)

    def run(self, rt: RuntimeContext) -> None:
        """Run the model on the values of a context and leave its outputs there.

        Raises
        ------
        WrongTypeError
            rt is no RuntimeContext.
        NameNotFoundError
            an input that is not there. All else as ReferenceEvaluator.run.
        """
        self.evaluator.run(None, _feeds(self.evaluator, rt), context=rt)

    @property
    def required_inputs(self) -> list[str]:
        """The names of the inputs without a default."""
        return self.evaluator.required_inputs

    def used_kernels(self) -> list[tuple[str, str, int, str]]:
        """As ReferenceEvaluator.used_kernels."""
        return self.evaluator.used_kernels()

    def register_custom_kernel(self, domain: str, op_type: str, kernel: Kernel) -> None:
        """As ReferenceEvaluator.register_custom_kernel."""
        self.evaluator.register_custom_kernel(domain, op_type, kernel)

    def get_execution_plan(self, shapes: Mapping[str, Any]) -> ExecutionPlan:
        """As ReferenceEvaluator.prepare."""
        return self.evaluator.prepare(shapes)

    def close(self) -> None:
        """Close the evaluator."""
        self.evaluator.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
