"""What inputs and outputs are declared to be."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

_ELEMENTS = {
    "float": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "string": 8, "bool": 9, "float16": 10,
    "double": 11, "uint32": 12, "uint64": 13, "complex64": 14, "complex128": 15, "bfloat16": 16, "float8e4m3fn": 17,
    "float8e4m3fnuz": 18, "float8e5m2": 19, "float8e5m2fnuz": 20, "uint4": 21, "int4": 22, "float4e2m1": 23, "float8e8m0": 24,
    "uint2": 25, "int2": 26, "float6e2m3": 27, "float6e3m2": 28,
}  # fmt: skip


class ValueType(tuple[str, "tuple[int | str | None, ...] | None"]):
    """(type, shape) of a value: ("tensor(float)", ("N", 3, None)).

    The shape is None where none is declared; a dimension is a number, a name, or
    None. tensor_type has the fields of onnx.TypeProto that tell the same.
    """

    @property
    def type(self) -> str:
        """The type as the operator schemas write it."""
        return self[0]

    @property
    def shape(self) -> tuple[int | str | None, ...] | None:
        """The declared shape, or None."""
        return self[1]

    @property
    def tensor_type(self) -> Any:
        """elem_type and shape.dim as in onnx.TypeProto.Tensor."""
        element = self.type.removeprefix("tensor(").removesuffix(")")
        dims = [SimpleNamespace(dim_value=d if isinstance(d, int) else 0, dim_param=d if isinstance(d, str) else "") for d in self.shape or ()]
        return SimpleNamespace(elem_type=_ELEMENTS.get(element, 0), shape=SimpleNamespace(dim=dims))
