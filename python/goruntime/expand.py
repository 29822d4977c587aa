"""Operators that run as the functions of their schemas: what a subclass of
onnx.reference.op_run.OpRunExpand asks for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .errors import UnsupportedError
from .new_ops import check


def with_functions(path: str | None, data: bytes | None, classes: Iterable[type[Any]]) -> bytes:
    """Return a model in which the functions of the schemas of operators are functions of
    the model, which go before operators. Where a function depends on the types of inputs,
    each node of the model's graph gets one of its own; nodes of subgraphs run natively.

    Raises
    ------
    UnsupportedError
        a schema has no function, or nothing tells the type of an input.
    """
    import onnx

    model = onnx.load(path) if path is not None else onnx.ModelProto.FromString(data or b"")
    opsets = {_domain(o.domain): o.version for o in model.opset_import}
    for cls in classes:
        check(cls)
        _expand(model, cls.__name__, _domain(cls.op_domain), opsets)
    serialized: bytes = model.SerializeToString()
    return serialized


def _domain(name: str) -> str:
    return "" if name == "ai.onnx" else name


def _expand(model: Any, op_type: str, domain: str, opsets: dict[str, int]) -> None:
    from onnx import defs

    opset = opsets.get(domain, 1)
    try:
        schema: Any = defs.get_schema(op_type, opset, domain)
    except defs.SchemaError:
        schema = None
    if schema is None or not (schema.has_function or schema.has_context_dependent_function):
        raise UnsupportedError(f"{op_type} of new_ops asks for the function of its schema, which has none: leave the class out to run the operator natively")
    if schema.has_function:
        version = max(v for v in schema.function_opset_versions if v <= opset)
        model.functions.append(_function(schema, schema.get_function_with_opset_version(version)))
        return
    version = max(v for v in schema.context_dependent_function_opset_versions if v <= opset)
    types = _types(model)
    for i, node in enumerate(model.graph.node):
        if node.op_type == op_type and _domain(node.domain) == domain:
            given = [_type(types, node, name).SerializeToString() for name in node.input]
            function = _function(schema, schema.get_context_dependent_function_with_opset_version(version, node.SerializeToString(), given))
            function.overload = node.overload = f"expanded {i}"
            model.functions.append(function)


def _function(schema: Any, body: bytes) -> Any:
    """Return the FunctionProto of a schema, with the defaults of attributes."""
    from onnx import AttributeProto, FunctionProto

    function = FunctionProto.FromString(body)
    function.domain, function.name = schema.domain, schema.name
    defaults = [a.default_value for a in schema.attributes.values() if a.default_value.type != AttributeProto.UNDEFINED]
    function.attribute_proto.extend(defaults)
    named = {a.name for a in defaults}
    required = [name for name in function.attribute if name not in named]
    del function.attribute[:]
    function.attribute.extend(required)
    return function


def _types(model: Any) -> dict[str, Any]:
    """Return the types of a model's values, as far as its shape inference finds them."""
    from onnx import helper, shape_inference

    graph = shape_inference.infer_shapes(model).graph
    found = {t.name: helper.make_tensor_type_proto(t.data_type, list(t.dims)) for t in graph.initializer}
    every = (info for infos in (graph.input, graph.value_info, graph.output) for info in infos)
    return {**found, **{info.name: info.type for info in every if info.type.WhichOneof("value") is not None}}


def _type(types: dict[str, Any], node: Any, name: str) -> Any:
    from onnx import TypeProto

    if name and name not in types:
        raise UnsupportedError(
            f"{node.op_type} of new_ops asks for the function of its schema, which depends on the type of {name!r}, and nothing declares it: "
            "leave the class out to run the operator natively"
        )
    return types[name] if name else TypeProto()
