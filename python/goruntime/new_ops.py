"""Subclasses of onnx.reference.op_run.OpRun, which run as they are."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from typing import Any

from .errors import ArgumentError, WrongTypeError
from .kernels import Factory, Inherited, Kernel, Key, Place, _key


def factories(classes: Iterable[type[Any]], verbose: int) -> dict[Key, Factory]:
    """Return what makes the kernels of subclasses of OpRun; of two for one operator the
    first counts. Above verbose 10 they log."""
    found: dict[Key, Factory] = {}
    for cls in classes:
        check(cls)
        found.setdefault(_key(cls.op_domain, cls.__name__), _OpRun(cls, verbose))
    return found


def check(cls: Any) -> None:
    """Check a class of new_ops.

    Raises
    ------
    WrongTypeError, ArgumentError
        it is no subclass of OpRun, or says no domain.
    """
    from onnx.reference.op_run import OpRun

    if not isinstance(cls, type):
        raise WrongTypeError(f"new_ops: a subclass of onnx.reference.op_run.OpRun expected, {cls!r} given")
    if not hasattr(cls, "op_domain"):
        raise ArgumentError(f"the class {cls.__name__} of new_ops must have the attribute op_domain")
    if not issubclass(cls, OpRun):
        raise WrongTypeError(f"the class {cls.__name__} of new_ops must be a subclass of onnx.reference.op_run.OpRun")


def expanded(classes: Iterable[type[Any]]) -> tuple[list[type[Any]], list[type[Any]]]:
    """Return the classes that compute, and those that ask for the function that the
    schema of their operator has: subclasses of OpRunExpand.

    Raises
    ------
    WrongTypeError
        what is given is no list of classes.
    """
    from onnx.reference.op_run import OpRunExpand

    if isinstance(classes, Mapping | type) or not isinstance(classes, Iterable):
        raise WrongTypeError(f"new_ops: a list of subclasses of onnx.reference.op_run.OpRun expected, {classes!r} given")
    every = list(classes)
    expand = [cls for cls in every if isinstance(cls, type) and issubclass(cls, OpRunExpand)]
    return [cls for cls in every if cls not in expand], expand


class _OpRun:
    """Makes instances of a subclass of OpRun."""

    def __init__(self, cls: type[Any], verbose: int) -> None:
        self.cls, self.verbose = cls, verbose

    def __call__(self, node: bytes, place: Place) -> Kernel:
        from onnx import FunctionProto, NodeProto

        proto = NodeProto.FromString(node)
        functions = [FunctionProto.FromString(base64.b64decode(f)) for f in place.functions]
        params = {
            "log": self._log, "opsets": place.opsets, "verbose": self.verbose, "new_ops": {},
            "existing_functions": {(f.domain, f.name): f for f in functions},
            "evaluator_cls": lambda graph, **_: Body(graph, place, functions),
        }  # fmt: skip
        op = self.cls(proto, params)
        run: Kernel = op.run
        captures, own = place.captures or [], len(proto.input)
        if not op.need_context():
            return (lambda *inputs: run(*inputs[:own])) if captures else run

        def with_context(*inputs: Any) -> Any:
            context = {name: value for name, value in zip(proto.input, inputs[:own], strict=True) if name}
            return run(*inputs[:own], context={**context, **dict(zip(captures, inputs[own:], strict=True))})

        return with_context

    def _log(self, pattern: str, *args: Any) -> None:
        if self.verbose > 10:
            print(pattern % args)


class Body:
    """A subgraph as an OpRun sees it: onnx.reference's evaluator of one, which is run on
    a dict that may hold more than the subgraph reads."""

    has_linked_attribute = False  # attributes of functions are bound before

    def __init__(self, graph: Any, place: Place, functions: list[Any]) -> None:
        from onnx import GraphProto, ValueInfoProto

        from .evaluator import ReferenceEvaluator
        from .protos import reads

        whole = GraphProto()
        whole.CopyFrom(graph)
        whole.input.extend(ValueInfoProto(name=name) for name in reads(graph))
        self.proto_ = graph
        self.input_names = [info.name for info in graph.input]
        self.output_names = [info.name for info in graph.output]
        self._evaluator = ReferenceEvaluator(whole, dict(place.opsets), functions, new_ops=Inherited(place.kernels))  # type: ignore[arg-type]
        place.used.update(self._evaluator._used)

    def run(self, output_names: list[str] | None, feed_inputs: dict[str, Any], attributes: Any = None, **_: Any) -> list[Any]:
        """Run the subgraph on what it reads of a dict."""
        feeds = {name: feed_inputs[name] for name in self._evaluator.input_names if name in feed_inputs}
        results: list[Any] = self._evaluator.run(output_names, feeds)
        return results
