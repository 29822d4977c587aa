"""What a model may be given as: a path, bytes, or a message of the onnx package.

The onnx package is needed only where its messages are given.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from .errors import ArgumentError, WrongTypeError


def source(proto: Any, opsets: Mapping[str, int] | None = None, functions: Iterable[Any] | None = None) -> tuple[str | None, bytes | None]:
    """Return (path, None) or (None, bytes) of a model.

    Parameters
    ----------
    proto : str, os.PathLike, bytes or message of onnx
        a path, bytes, or a ModelProto, GraphProto, FunctionProto, NodeProto
        or ModelContainer.
    opsets : Mapping[str, int], optional
        the opset of each domain, for a GraphProto or NodeProto.
    functions : Iterable, optional
        FunctionProtos that the model may call, or evaluators of such.
    """
    if isinstance(proto, str | os.PathLike):
        _refuse(opsets, functions, "a path")
        return os.fspath(proto), None
    if isinstance(proto, bytes | bytearray | memoryview):
        _refuse(opsets, functions, "bytes")
        return None, bytes(proto)
    kind = type(proto).__name__
    if kind not in _WRAPPERS:
        raise WrongTypeError(f"a path, bytes, or a {', '.join(_WRAPPERS)} expected, {kind} given")
    if kind in ("ModelProto", "ModelContainer"):
        _refuse(opsets, functions, f"a {kind}")
    return None, serialized(_WRAPPERS[kind](proto, opsets), functions or ())


def serialized(model: Any, functions: Iterable[Any]) -> bytes:
    """Return the bytes of a model with further functions."""
    for function in functions:
        given = getattr(function, "proto_", function)
        if type(given).__name__ != "FunctionProto":
            raise WrongTypeError(f"functions: a FunctionProto or an evaluator of one expected, {type(given).__name__} given")
        model.functions.append(given)
    for function in model.functions:
        _import(model, function.domain, 1)
    data: bytes = model.SerializeToString()
    return data


def listed(functions: Iterable[Any] | None) -> list[Any]:
    """Return the argument functions as a list.

    Raises
    ------
    WrongTypeError
        it is none.
    """
    if functions is not None and not isinstance(functions, Iterable):
        raise WrongTypeError(f"functions: a list of FunctionProtos or None expected, {type(functions).__name__} given")
    return list(functions or ())


def _refuse(opsets: Any, functions: Any, what: str) -> None:
    if opsets is not None or functions is not None:
        raise ArgumentError(f"opsets and functions must be None for {what}, which has its own")


def _model(graph: Any, opsets: Mapping[str, int]) -> Any:
    from onnx import helper

    if not isinstance(opsets, Mapping):
        raise WrongTypeError(f"opsets: a dict of domains and versions expected, {type(opsets).__name__} given")
    for domain, version in opsets.items():
        if not isinstance(domain, str) or not hasattr(version, "__index__"):
            raise WrongTypeError(f"opsets: a dict of domains and versions expected, {{{domain!r}: {version!r}}} given")
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(d, v) for d, v in opsets.items()])


def _import(model: Any, domain: str, version: int) -> None:
    from onnx import helper

    if all(o.domain != domain for o in model.opset_import):
        model.opset_import.append(helper.make_opsetid(domain, version))


def _of_model(model: Any, _: Any) -> Any:
    return model


def _of_container(container: Any, _: Any) -> Any:
    """Return a model whose large tensors are in it."""
    from onnx import ModelProto, external_data_helper

    model = ModelProto()
    model.CopyFrom(container.model_proto)
    for tensor in external_data_helper._get_all_tensors(model):
        if external_data_helper.uses_external_data(tensor):
            location = external_data_helper.ExternalDataInfo(tensor).location
            if not container.is_in_memory_external_initializer(location):
                raise ArgumentError(f"the tensor {tensor.name!r} of the container lies in {location!r}, which is not loaded")
            tensor.raw_data = container[location].tobytes()
            del tensor.external_data[:]
            tensor.data_location = tensor.DEFAULT
    return model


def _of_graph(graph: Any, opsets: Mapping[str, int] | None) -> Any:
    if opsets is None:
        raise WrongTypeError('opsets: a GraphProto has none of its own: give a dict of domains and versions, as {"": 18}')
    return _model(graph, opsets)


def _untyped(names: Iterable[str]) -> list[Any]:
    from onnx import ValueInfoProto

    return [ValueInfoProto(name=name) for name in names if name]


def _of_node(node: Any, opsets: Mapping[str, int] | None) -> Any:
    """Return a model of one node, whose inputs are what its subgraphs read too."""
    from onnx import defs, helper

    names = dict.fromkeys([*node.input, *(name for a in node.attribute for body in (a.g, *a.graphs) for name in reads(body))])
    graph = helper.make_graph([node], "node", _untyped(names), _untyped(node.output))
    model = _model(graph, {"": defs.onnx_opset_version(), "ai.onnx.ml": 5} if opsets is None else opsets)
    for domain, version in (("", defs.onnx_opset_version()), ("ai.onnx.ml", 5), (node.domain, 1)):
        _import(model, domain, version)
    return model


def reads(graph: Any) -> list[str]:
    """Return what a subgraph reads from outside, each name once."""
    own = {x.name for x in (*graph.input, *graph.initializer)} | {x.values.name for x in graph.sparse_initializer}
    own.update(name for node in graph.node for name in node.output)
    found = [name for node in graph.node for name in node.input]
    found += [name for node in graph.node for a in node.attribute for body in (a.g, *a.graphs) for name in reads(body)]
    found += [output.name for output in graph.output]
    return [name for name in dict.fromkeys(found) if name and name not in own]


def _of_function(function: Any, opsets: Mapping[str, int] | None) -> Any:
    from .functions import model

    if opsets is not None:
        raise ArgumentError("opsets must be None for a FunctionProto, which has its own")
    return model(function, {})


_WRAPPERS = {
    "ModelProto": _of_model,
    "GraphProto": _of_graph,
    "FunctionProto": _of_function,
    "NodeProto": _of_node,
    "ModelContainer": _of_container,
}
