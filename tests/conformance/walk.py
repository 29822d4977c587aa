"""A walk over the operator schemas of the onnx package: for every operator, version and
element type that a schema allows, a model of one node.

What a node is fed is a template: the first of the official node cases that fits the
schema, or one of TEMPLATES, cast to the element type. Inputs that an earlier version has
as attributes become attributes.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import itertools
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
from onnx import AttributeProto, NodeProto, TensorProto, defs, helper, numpy_helper
from onnx.backend.test.case.node import collect_testcases
from templates import TELL, TEMPLATES

DTYPES: dict[str, Any] = {
    "float": np.float32, "double": np.float64, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "bool": np.bool_, "string": object,
    "complex64": np.complex64, "complex128": np.complex128, "float8e4m3fn": ml_dtypes.float8_e4m3fn, "float8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8e5m2": ml_dtypes.float8_e5m2, "float8e5m2fnuz": ml_dtypes.float8_e5m2fnuz, "float8e8m0": ml_dtypes.float8_e8m0fnu,
    "float6e2m3": ml_dtypes.float6_e2m3fn, "float6e3m2": ml_dtypes.float6_e3m2fn, "float4e2m1": ml_dtypes.float4_e2m1fn,
    "uint4": ml_dtypes.uint4, "int4": ml_dtypes.int4, "uint2": ml_dtypes.uint2, "int2": ml_dtypes.int2,
    **{name: np.dtype(name).type for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")},
}  # fmt: skip
NUMBERS = {name: TensorProto.DataType.Value(name.upper()) for name in DTYPES}
NAMES = {np.dtype(dtype): name for name, dtype in DTYPES.items()}
LIKELY = ["float", "int64", "int32", "bool", "string", "uint8", "double"]  # of what an unknown input is, the first that fits


# Of these operators two type parameters have one element type.
LINKED = {"BitCast": {"T1", "T2"}, "SequenceInsert": {"T", "S"}}


@dataclasses.dataclass(frozen=True)
class Call:
    """A node to be run: its schema, the types of its type parameters, what it is fed."""

    schema: Any
    types: dict[str, str]  # "T": "seq(tensor(float))"
    varied: str  # the parameter whose type is tried, "" for none
    inputs: list[Any]
    attributes: list[AttributeProto]

    @property
    def name(self) -> str:
        """The operator, its version and the type."""
        where = f"{self.schema.domain}." if self.schema.domain else ""
        tried = f" {self.varied}={self.types[self.varied]}" if self.varied else ""
        return f"{where}{self.schema.name}-{self.schema.since_version}{tried}"


@functools.cache
def _official() -> dict[tuple[str, str], list[tuple[NodeProto, list[Any]]]]:
    """Return the nodes of the official cases of one node, with their inputs."""
    found = defaultdict(list)
    for case in collect_testcases(None):
        graph = case.model.graph
        if len(graph.node) == 1:
            node, given = graph.node[0], dict(zip([i.name for i in graph.input], case.data_sets[0][0], strict=False))
            found[(node.domain, node.op_type)].append((node, [given.get(name) for name in node.input]))
    return found


def _templates(schema: Any, types: dict[str, str]) -> Iterator[tuple[list[str], list[Any], list[AttributeProto]]]:
    """Yield (names of inputs, inputs, attributes) that may fit a schema. Some attributes
    depend on the types that are tried."""
    key = (schema.name, schema.since_version)
    newest = schema if key in TEMPLATES else defs.get_schema(schema.name, domain=schema.domain)
    names = [f.name for f in newest.inputs]
    if key in TEMPLATES or schema.name in TEMPLATES:
        inputs, attributes = TEMPLATES.get(key, TEMPLATES.get(schema.name, ([], {})))
        if callable(attributes):
            attributes = attributes(types)
        yield names, list(inputs), [helper.make_attribute(k, v) for k, v in attributes.items()]
        return
    for node, given in _official().get((schema.domain, schema.name), ()):
        if not any(isinstance(value, TensorProto) for value in given):
            yield names, given, list(node.attribute)


def _fit(schema: Any, names: list[str], inputs: list[Any], attributes: list[AttributeProto]) -> tuple[list[Any], list[AttributeProto]] | None:
    """Return inputs and attributes as a schema wants them, or None."""
    wanted = [f.name for f in schema.inputs]
    kept = [a for a in attributes if a.name in schema.attributes]
    variadic = bool(wanted) and schema.inputs[-1].option == defs.OpSchema.FormalParameterOption.Variadic
    placed: list[Any] = []
    for i, value in enumerate(inputs):
        name = names[min(i, len(names) - 1)]
        if name in schema.attributes and name not in wanted:
            if value is not None:
                kept.append(_as_attribute(name, schema.attributes[name], value))
        elif i < len(wanted) or variadic:
            placed.append(value)
    required = sum(f.option == defs.OpSchema.FormalParameterOption.Single for f in schema.inputs)
    if len(placed) < max(required, schema.min_input) or any(value is None for value in placed[:required]):
        return None
    present = {a.name for a in kept}
    if any(a.required and name not in present for name, a in schema.attributes.items()):
        return None
    return placed, kept


def _as_attribute(name: str, declared: Any, value: Any) -> AttributeProto:
    kind = declared.type.name
    items = np.asarray(value).reshape(-1).tolist()
    if kind == "TENSOR":
        return helper.make_attribute(name, numpy_helper.from_array(np.asarray(value)))
    number: type = float if kind.startswith("FLOAT") else int
    return helper.make_attribute(name, [number(x) for x in items] if kind.endswith("S") else number(items[0]))


def _cast(value: Any, kind: str) -> Any:
    """Return a value as one of a type as schemas write it."""
    if value is None or (kind.startswith("map(") and not isinstance(value, dict)):
        return value
    if kind.startswith("map("):
        key, item = kind[4:-1].replace(" ", "").split(",")
        return {_plain(k, key): _plain(v, item.removeprefix("tensor(").rstrip(")")) for k, v in value.items()}
    if kind.startswith(("seq(", "optional(")):
        inner = kind[kind.index("(") + 1 : -1]
        if kind.startswith("optional("):
            return _cast(value, inner)
        return [_cast(item, inner) for item in (value if isinstance(value, list) else [value])]
    array = np.asarray(value[0] if isinstance(value, list) else value)
    dtype = DTYPES[kind.removeprefix("tensor(").removesuffix(")")]
    if array.dtype == dtype and array.dtype != object:
        return array
    if dtype is object:
        return np.array([str(x) for x in array.reshape(-1).tolist()], object).reshape(array.shape)
    if array.dtype.kind in "OUT":
        array = np.arange(array.size).reshape(array.shape)
    with np.errstate(all="ignore"):
        if np.dtype(dtype).name.startswith(("uint", "int2", "int4", "float8", "float4")) and array.dtype.kind in "fi":
            array = np.abs(array.astype(np.float32)) % 2  # in the range of all
        return array.astype(dtype)


def _plain(x: Any, name: str) -> Any:
    return str(x) if name == "string" else float(x) if name in ("float", "double") else int(x)


def _kind(value: Any) -> str:
    """Return the type of a template's value."""
    if isinstance(value, list):
        return f"seq({_kind(value[0]) if value else 'tensor(float)'})"
    if isinstance(value, dict):
        return "map"
    array = np.asarray(value)
    return f"tensor({'string' if array.dtype.kind in 'OUT' else NAMES.get(array.dtype, 'float')})"


def _parameters(schema: Any, inputs: list[Any]) -> dict[str, list[int]]:
    """Return which inputs have the type of each type parameter."""
    found: dict[str, list[int]] = {c.type_param_str: [] for c in schema.type_constraints}
    for i, value in enumerate(inputs):
        formal = schema.inputs[min(i, len(schema.inputs) - 1)]
        if value is not None and formal.type_str in found:
            found[formal.type_str].append(i)
    return found


def calls(schema: Any) -> list[Call]:
    """Return the calls of an operator's version: one for each type of each parameter, or
    none where no template fits."""
    allowed = {c.type_param_str: list(c.allowed_type_strs) for c in schema.type_constraints}
    made = [_call(schema, allowed, p, kind) for p, kinds in allowed.items() for kind in kinds]
    found = [call for call in made if call is not None]
    if not found:
        plain = _call(schema, allowed, "", "")
        found = [plain] if plain is not None else []
    return found


def _call(schema: Any, allowed: dict[str, list[str]], varied: str, kind: str) -> Call | None:
    """Return the call in which a parameter has a type; None where nothing fits."""
    types = {varied: kind} if varied else {}
    if varied in LINKED.get(schema.name, ()):
        same = _element(kind)
        types |= {p: next(k for k in allowed[p] if _element(k) == same) for p in LINKED[schema.name]}
    for names, given, attributes in _templates(schema, types):
        fitted = _fit(schema, names, given, attributes)
        if fitted is None:
            continue
        inputs, kept = fitted
        where = _parameters(schema, inputs)
        types = {p: types.get(p) or _first(kinds, [_kind(inputs[i]) for i in where[p]]) for p, kinds in allowed.items()}
        for p, places in where.items():
            for i in places:
                inputs[i] = _cast(inputs[i], types[p])
        kept = [copy.deepcopy(a) for a in kept]
        told = [p for p in LINKED.get(schema.name, [varied]) if varied and not where[p]]
        if not all(_told(schema, types[p], kept) for p in told):
            continue  # only an output has the type, and nothing says which
        return Call(schema, types, varied, inputs, kept)
    return None


def _element(kind: str) -> str:
    return kind.rpartition("(")[2].rstrip(")")


def _first(kinds: list[str], seen: list[str]) -> str:
    likely = [*seen, *(f"tensor({name})" for name in LIKELY)]
    return next((kind for kind in likely if kind in kinds), kinds[0])


def _told(schema: Any, kind: str, attributes: list[AttributeProto]) -> bool:
    """Say in an attribute which type an output has; return whether there is such a one, or
    the template's attributes say it."""
    if schema.name in TELL and not kind.startswith("optional("):
        return True
    found = re.fullmatch(r"(?:seq\()?tensor\((\w+)\)+", kind)
    if found is None or found[1] not in NUMBERS:
        return False
    number = NUMBERS[found[1]]
    for name in ("to", "dtype", "output_dtype", "output_datatype"):
        if name in schema.attributes:
            value: Any = found[1].upper() if schema.attributes[name].type.name == "STRING" else number
            _set(attributes, helper.make_attribute(name, value))
            return True
    if schema.name in ("Constant", "ConstantOfShape") and "value" in schema.attributes:
        array = _cast(np.ones(1, np.float32), kind)
        tensor = helper.make_tensor("v", number, [1], [b"1"] if number == TensorProto.STRING else array.tolist() if array.dtype.kind != "V" else [1])
        _set(attributes, helper.make_attribute("value", tensor))
        return True
    return False


def _set(attributes: list[AttributeProto], made: AttributeProto) -> None:
    attributes[:] = [*(a for a in attributes if a.name != made.name), made]


def model(call: Call) -> tuple[Any, dict[str, Any]]:
    """Return a model of a call, whose inputs are declared, and its feeds."""
    names = ["" if value is None else f"x{i}" for i, value in enumerate(call.inputs)]
    outputs = [f"y{i}" for i in range(max(call.schema.min_output, 1))]
    node = helper.make_node(call.schema.name, names, outputs, domain=call.schema.domain)
    node.attribute.extend(call.attributes)
    infos = []
    for i, (name, value) in enumerate(zip(names, call.inputs, strict=True)):
        if value is not None:
            formal = call.schema.inputs[min(i, len(call.schema.inputs) - 1)]
            infos.append(helper.make_value_info(name, _proto(call.types.get(formal.type_str, formal.type_str))))
    graph = helper.make_graph([node], "g", infos, [helper.make_empty_tensor_value_info(o) for o in outputs])
    opsets = {"": defs.onnx_opset_version(), call.schema.domain: call.schema.since_version}
    made = helper.make_model(graph, opset_imports=list(itertools.starmap(helper.make_opsetid, opsets.items())), ir_version=10)
    return made, {name: value for name, value in zip(names, call.inputs, strict=True) if name}


def _proto(kind: str) -> Any:
    if kind.startswith("seq("):
        return helper.make_sequence_type_proto(_proto(kind[4:-1]))
    if kind.startswith("optional("):
        return helper.make_optional_type_proto(_proto(kind[9:-1]))
    if kind.startswith("map("):
        key, value = kind[4:-1].replace(" ", "").split(",", 1)
        return helper.make_map_type_proto(NUMBERS[key], _proto(value if value.startswith("tensor(") else f"tensor({value})"))
    return helper.make_tensor_type_proto(NUMBERS[kind.removeprefix("tensor(").removesuffix(")")], None)
