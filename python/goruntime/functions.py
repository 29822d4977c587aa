"""Functions as models: what an evaluator of a FunctionProto runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from .errors import ArgumentError

Info = tuple[str, str, int, None, bool]


class Unbound:
    """Stands where an evaluator has its session, as long as the attributes of its
    function have no values: it knows names, and for all else it says what to do."""

    def __init__(self, function: Any) -> None:
        self.inputs: list[Info] = [(name, "undefined", 0, None, False) for name in function.input]
        self.outputs: list[Info] = [(name, "undefined", 0, None, False) for name in function.output]
        self.engine = "goruntime"
        self._attributes = list(function.attribute)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def run(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse to run."""
        self._refuse()

    def __getattr__(self, name: str) -> NoReturn:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise ArgumentError(f"the function has the attributes {', '.join(map(repr, self._attributes))}: give their values to run() as attributes")


def model(function: Any, attributes: Mapping[str, Any]) -> Any:
    """Return a ModelProto whose graph is the body of a function, with values for its
    attributes. Those that have none, and no default, are left as references.

    Raises
    ------
    ArgumentError
        values for attributes that the function has not.
    """
    from onnx import helper

    defaults = {a.name: a for a in function.attribute_proto}
    unknown = sorted(set(attributes) - set(function.attribute) - set(defaults))
    if unknown:
        known = ", ".join(map(repr, [*function.attribute, *defaults])) or "none"
        raise ArgumentError(f"the function {function.name!r} has no attribute {', '.join(map(repr, unknown))}; its attributes are {known}")
    types = {info.name: info for info in function.value_info}
    outer = {*function.input, *function.output}
    graph = helper.make_graph(
        function.node, function.name, [_typed(name, types) for name in function.input], [_typed(name, types) for name in function.output],
        value_info=[info for info in function.value_info if info.name not in outer],
    )  # fmt: skip
    if attributes or defaults:
        _bind(graph, {**defaults, **attributes})
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(o.domain, o.version) for o in function.opset_import])


def _typed(name: str, types: Mapping[str, Any]) -> Any:
    from onnx import ValueInfoProto

    return types.get(name) or ValueInfoProto(name=name)


def _bind(graph: Any, values: Mapping[str, Any]) -> None:
    """Put values in the place of references to attributes, in subgraphs too."""
    for node in graph.node:
        for attribute in node.attribute:
            for body in (attribute.g, *attribute.graphs):
                _bind(body, values)
            if attribute.ref_attr_name in values:
                attribute.CopyFrom(_attribute(attribute, values[attribute.ref_attr_name]))


def _attribute(reference: Any, value: Any) -> Any:
    """Return the attribute that a reference stands for; a whole number may be a float."""
    from onnx import AttributeProto, helper

    if isinstance(value, AttributeProto):
        made = AttributeProto()
        made.CopyFrom(value)
    else:
        if reference.type == AttributeProto.FLOAT and isinstance(value, int):
            value = float(value)
        elif reference.type == AttributeProto.FLOATS and all(isinstance(item, int) for item in value):
            value = [float(item) for item in value]
        made = helper.make_attribute(reference.name, value, attr_type=reference.type if isinstance(value, list | tuple) and not value else None)
    made.name = reference.name
    return made
