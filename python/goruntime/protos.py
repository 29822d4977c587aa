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

    Args:
        proto: a path, bytes, or a ModelProto, GraphProto, FunctionProto, NodeProto
            or ModelContainer.
        opsets: the opset of each domain, for a GraphProto or NodeProto.
        functions: FunctionProtos that the model may call, or evaluators of such.
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
    model = _WRAPPERS[kind](proto, opsets)
    for function in functions or ():
        model.functions.append(getattr(function, "proto_", function))
    for function in model.functions:
        _import(model, function.domain, 1)
    return None, model.SerializeToString()


def _refuse(opsets: Any, functions: Any, what: str) -> None:
    if opsets is not None or functions is not None:
        raise ArgumentError(f"opsets and functions must be None for {what}, which has its own")


def _model(graph: Any, opsets: Mapping[str, int]) -> Any:
    from onnx import helper

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
    if not isinstance(opsets, Mapping):
        raise WrongTypeError("opsets must be a dict of domains and versions for a GraphProto")
    return _model(graph, opsets)


def _untyped(names: Iterable[str]) -> list[Any]:
    from onnx import ValueInfoProto

    return [ValueInfoProto(name=name) for name in names if name]


def _of_node(node: Any, opsets: Mapping[str, int] | None) -> Any:
    from onnx import defs, helper

    graph = helper.make_graph([node], "node", _untyped(dict.fromkeys(node.input)), _untyped(node.output))
    versions = {"": defs.onnx_opset_version(), "ai.onnx.ml": 5, **(opsets or {})}
    versions.setdefault(node.domain, 1)
    return _model(graph, versions)


def _of_function(function: Any, opsets: Mapping[str, int] | None) -> Any:
    """Return a model that calls the function once."""
    from onnx import helper

    if opsets is not None:
        raise ArgumentError("opsets must be None for a FunctionProto, which has its own")
    node = helper.make_node(function.name, list(function.input), list(function.output), domain=function.domain)
    graph = helper.make_graph([node], function.name, _untyped(function.input), _untyped(function.output))
    model = _model(graph, {o.domain: o.version for o in function.opset_import})
    model.functions.append(function)
    return model


_WRAPPERS = {
    "ModelProto": _of_model,
    "GraphProto": _of_graph,
    "FunctionProto": _of_function,
    "NodeProto": _of_node,
    "ModelContainer": _of_container,
}


def with_attributes(function: Any, attributes: Mapping[str, Any]) -> bytes:
    """Return a model that calls a FunctionProto with these attributes."""
    from onnx import helper

    model = _of_function(function, None)
    for name, value in attributes.items():
        model.graph.node[0].attribute.append(helper.make_attribute(name, value))
    data: bytes = model.SerializeToString()
    return data
