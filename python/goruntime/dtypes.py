"""The element types of ONNX by their numbers, those of TensorProto.DataType, and what
NumPy and the operator schemas call them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

# As NumPy names the types, and ml_dtypes those that NumPy has not; texts are str.
NUMPY = (
    "", "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "str", "bool", "float16", "float64", "uint32", "uint64",
    "complex64", "complex128", "bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "uint4", "int4",
    "float4_e2m1fn", "float8_e8m0fnu", "uint2", "int2", "float6_e2m3fn", "float6_e3m2fn",
)  # fmt: skip

# As the schemas name them: tensor(float).
SCHEMA = (
    "", "float", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16", "double", "uint32", "uint64",
    "complex64", "complex128", "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4", "int4",
    "float4e2m1", "float8e8m0", "uint2", "int2", "float6e2m3", "float6e3m2",
)  # fmt: skip


def number_of(dtype: np.dtype[Any]) -> int:
    """Return the number of a dtype, 0 where ONNX has no such type."""
    name = "str" if dtype.kind in "OUT" else dtype.name
    return NUMPY.index(name) if name in NUMPY else 0


def number_declared(kind: str) -> int:
    """Return the number of a declared tensor's elements, 0 where it is no tensor:
    1 for tensor(float)."""
    element = kind.removeprefix("tensor(").removesuffix(")")
    return SCHEMA.index(element) if element in SCHEMA else 0


def numpy_of(number: int) -> np.dtype[Any]:
    """Return the dtype of a number.

    Raises
    ------
    ArgumentError
        there is no such type.
    UnsupportedError
        it is one of ml_dtypes, which is not installed.
    """
    import numpy as np

    from .errors import ArgumentError, UnsupportedError

    if not 0 < number < len(NUMPY):
        raise ArgumentError(f"the element type {number}: a TensorProto.DataType from 1 to {len(NUMPY) - 1} expected")
    name = NUMPY[number]
    if name == "str":
        return np.dtype(object)
    try:
        return np.dtype(name)
    except TypeError:
        pass
    try:
        import ml_dtypes
    except ImportError as error:
        raise UnsupportedError(f"{name} arrays need the package ml_dtypes: pip install ml_dtypes") from error
    found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
    return found
