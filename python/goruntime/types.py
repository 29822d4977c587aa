"""What inputs and outputs are declared to be."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .dtypes import number_declared


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
        dims = [SimpleNamespace(dim_value=d if isinstance(d, int) else 0, dim_param=d if isinstance(d, str) else "") for d in self.shape or ()]
        return SimpleNamespace(elem_type=number_declared(self.type), shape=SimpleNamespace(dim=dims))
