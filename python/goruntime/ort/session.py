"""InferenceSession: a model and its runs."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from ..evaluator import ReferenceEvaluator
from .errors import InvalidArgument, NoModel, NoSuchFile, translated
from .options import RunOptions, SessionOptions
from .values import IOBinding, OrtValue

_PROVIDERS = ("GoExecutionProvider", "CPUExecutionProvider")


class NodeArg:
    """An input or output: name, type ("tensor(float)") and shape, a list of numbers,
    names and None."""

    def __init__(self, name: str, type: str, shape: Sequence[Any] | None) -> None:
        self.name = name
        self.type = type
        self.shape = list(shape or ())

    def __repr__(self) -> str:
        return f"NodeArg(name='{self.name}', type='{self.type}', shape={self.shape})"


class ModelMetadata:
    """What a model says of itself."""

    def __init__(self, metadata: Any) -> None:
        self.producer_name: str = metadata.producer_name
        self.graph_name: str = metadata.graph_name
        self.domain: str = metadata.domain
        self.description: str = metadata.description
        self.graph_description: str = ""
        self.version: int = metadata.version
        self.custom_metadata_map: dict[str, str] = dict(metadata.custom_metadata_map)


class InferenceSession:
    """A model ready to run, by onnxruntime's names.

    Concurrency: any number of threads may run one session.
    """

    def __init__(
        self,
        path_or_bytes: Any,
        sess_options: SessionOptions | None = None,
        providers: Sequence[Any] | None = None,
        provider_options: Sequence[Mapping[str, Any]] | None = None,
        **kwargs: Any,
    ) -> None:
        """Read and compile a model.

        Parameters
        ----------
        path_or_bytes
            a path, or the bytes of a model.
        sess_options : SessionOptions, optional
            see SessionOptions.
        providers : Sequence, optional
            names, or (name, options); GoExecutionProvider and
            CPUExecutionProvider are here, others are passed over with a message.
        provider_options : Sequence[Mapping[str, Any]], optional
            accepted.
        kwargs
            accepted: enable_fallback, disabled_optimizers.

        Raises
        ------
        NoSuchFile, InvalidGraph, NotImplemented
        """
        self._options = sess_options or SessionOptions()
        self._providers = _known(providers)
        if path_or_bytes is None or (isinstance(path_or_bytes, bytes | str) and len(path_or_bytes) == 0):
            raise NoModel("[goruntime] : a path or the bytes of a model expected, nothing given")
        if isinstance(path_or_bytes, str | os.PathLike) and not os.path.exists(path_or_bytes):
            raise NoSuchFile(f"[goruntime] : Load model from {path_or_bytes} failed: File doesn't exist")
        with translated():
            self._evaluator = ReferenceEvaluator(path_or_bytes, num_threads=self._options.intra_op_num_threads or None)
        self._trace: list[dict[str, Any]] | None = [] if self._options.enable_profiling else None
        self._started = time.monotonic_ns()

    # ---- runs ----

    def run(self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any], run_options: RunOptions | None = None) -> list[Any]:
        """Run the model.

        Parameters
        ----------
        output_names : Sequence[str] | None
            the wanted outputs, None or none for all.
        input_feed : Mapping[str, Any]
            a value for each input.
        run_options : RunOptions, optional
            see RunOptions.

        Returns
        -------
        list
            The values in the order of output_names.

        Raises
        ------
        InvalidArgument
            feeds that do not fit.
        Fail
            the run was terminated.
        """
        if isinstance(output_names, str):
            raise InvalidArgument(f"[goruntime] : output_names: a list of names or None expected, the str {output_names!r} given")
        if not isinstance(input_feed, Mapping):
            raise InvalidArgument(f"[goruntime] : input_feed: a dict of values by name expected, {type(input_feed).__name__} given")
        feeds = {name: value.numpy() if isinstance(value, OrtValue) else value for name, value in input_feed.items()}
        return self._go(list(output_names) if output_names else None, feeds, run_options)

    def _go(self, names: list[str] | None, feeds: dict[str, Any], options: RunOptions | None, outputs: dict[str, Any] | None = None) -> list[Any]:
        settings: dict[str, Any] = {}
        if options is not None:
            settings["cancel"] = options._cancel_token()
        if outputs:
            settings["outputs"] = outputs
        with translated():
            if self._trace is None:
                results: list[Any] = self._evaluator.run(names, feeds, **settings)
            else:
                results = self._traced(names, feeds, settings)
        if options is not None and options._shrinks:
            self._evaluator.allocator.trim()
            self._evaluator.io_allocator.trim()
        return results

    def run_with_ort_values(
        self, output_names: Sequence[str] | None, input_dict_ort_values: Mapping[str, OrtValue], run_options: RunOptions | None = None
    ) -> list[OrtValue]:
        """As run, with values in and out."""
        return [OrtValue(value) for value in self.run(output_names, input_dict_ort_values, run_options)]

    def run_async(
        self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any], callback: Any, user_data: Any, run_options: RunOptions | None = None
    ) -> None:
        """As run, on a thread of its own, which calls callback(results, user_data, error)
        at the end."""
        import threading

        def work() -> None:
            try:
                results = self.run(output_names, input_feed, run_options)
            except Exception as error:
                callback([], user_data, str(error))
            else:
                callback(results, user_data, "")

        threading.Thread(target=work, daemon=True).start()

    def io_binding(self) -> IOBinding:
        """Return a binding without inputs and outputs."""
        return IOBinding(self)

    def run_with_iobinding(self, iobinding: IOBinding, run_options: RunOptions | None = None) -> None:
        """Run on what is bound. Outputs bound to memory are written there."""
        names = list(iobinding._outputs)
        if not names:
            raise InvalidArgument("[goruntime] : no output is bound")
        lent = {name: value for name, value in iobinding._outputs.items() if value is not None}
        iobinding._results = self._go(names, dict(iobinding._inputs), run_options, lent)

    # ---- descriptions ----

    def get_inputs(self) -> list[NodeArg]:
        """The inputs without a default."""
        return [NodeArg(i[0], i[1], i[3]) for i in self._evaluator._native.inputs if not i[4]]

    def get_overridable_initializers(self) -> list[NodeArg]:
        """The inputs with a default."""
        return [NodeArg(i[0], i[1], i[3]) for i in self._evaluator._native.inputs if i[4]]

    def get_outputs(self) -> list[NodeArg]:
        """The outputs."""
        return [NodeArg(o[0], o[1], o[3]) for o in self._evaluator._native.outputs]

    def get_modelmeta(self) -> ModelMetadata:
        """What the model says of itself."""
        return ModelMetadata(self._evaluator.metadata)

    def get_session_options(self) -> SessionOptions:
        """The options of the session."""
        return self._options

    def get_providers(self) -> list[str]:
        """The providers that were asked for and are here."""
        return list(self._providers)

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        """No provider has options."""
        return {name: {} for name in self._providers}

    def set_providers(self, providers: Sequence[Any] | None = None, provider_options: Any = None) -> None:
        """Choose providers; all of them are this engine."""
        self._providers = _known(providers)

    def enable_fallback(self) -> None:
        """Accepted: there is nothing to fall back to."""

    def disable_fallback(self) -> None:
        """Accepted: there is nothing to fall back to."""

    # ---- profiling ----

    def _traced(self, names: list[str] | None, feeds: dict[str, Any], settings: dict[str, Any]) -> list[Any]:
        """Run and add the nodes to the trace."""
        from .. import events

        lines: list[str] = []
        begin = time.monotonic_ns()
        results: list[Any] = self._evaluator._run(names, feeds, events=lines, **_native(settings))
        at = (begin - self._started) / 1000
        assert self._trace is not None
        self._trace.append(_slice("model_run", "Session", at, (time.monotonic_ns() - begin) / 1000, {}))
        seen = set()
        for e in events.parse("".join(lines)):
            if e.kind != "node" or (e.node, e.depth) in seen:
                continue
            seen.add((e.node, e.depth))
            shape = [{e.dtype: list(e.shape)}]
            self._trace.append(_slice(f"{e.node}_kernel_time", "Node", at, e.duration * 1e6, {"op_name": e.op_type, "output_type_shape": shape}))
            at += e.duration * 1e6
        return results

    def get_profiling_start_time_ns(self) -> int:
        """When the session was opened, by the monotonic clock."""
        return self._started

    def end_profiling(self) -> str:
        """Write the trace of the runs, which Chrome's about:tracing reads, and return the
        file's name; "" where profiling is off."""
        if self._trace is None:
            return ""
        name = f"{self._options.profile_file_prefix}_{time.strftime('%Y-%m-%d_%H-%M-%S')}.json"
        with open(name, "w", encoding="utf-8") as file:
            json.dump(self._trace, file)
        self._trace = None
        return name


def _native(settings: dict[str, Any]) -> dict[str, Any]:
    """Return options of run() as the extension takes them."""
    found = dict(settings)
    if "cancel" in found:
        found["cancel"] = found["cancel"]._native
    return found


def _slice(name: str, category: str, at: float, duration: float, args: dict[str, Any]) -> dict[str, Any]:
    return {"cat": category, "pid": os.getpid(), "tid": 0, "dur": round(duration), "ts": round(at), "ph": "X", "name": name, "args": args}


def _known(providers: Sequence[Any] | None) -> list[str]:
    """Return the providers that are here; the names of others are logged."""
    names = [p if isinstance(p, str) else p[0] for p in providers or ()]
    here = [name for name in names if name in _PROVIDERS]
    if len(here) < len(names):
        import logging

        logging.getLogger("goruntime").info("providers %s are not here", sorted(set(names) - set(_PROVIDERS)))
    return here or list(_PROVIDERS)
