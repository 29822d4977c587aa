"""The types and shapes that a model declares for its values. Needs the onnx package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .errors import ShapeError, UnsupportedError


def _load(path: str | None, data: bytes | None) -> Any:
    try:
        import onnx
    except ImportError as error:
        raise UnsupportedError("what a model declares for its values is read with the package onnx: pip install onnx") from error
    if path is not None:
        return onnx.load(path, load_external_data=False)
    return onnx.ModelProto.FromString(data or b"")


def types(path: str | None, data: bytes | None) -> dict[str, Any]:
    """Return the TypeProto of each input, output and value_info of a model."""
    graph = _load(path, data).graph
    every = (info for infos in (graph.input, graph.value_info, graph.output) for info in infos)
    return {info.name: info.type for info in every if info.type.WhichOneof("value") is not None}


Dims = list["int | str | None"]


def declared(path: str | None, data: bytes | None) -> dict[str, Dims]:
    """Return the dimensions that a model declares for its tensors: numbers, names,
    None where anything goes."""
    found: dict[str, Dims] = {}
    for name, kind in types(path, data).items():
        if kind.HasField("tensor_type") and kind.tensor_type.HasField("shape"):
            found[name] = [d.dim_value if d.HasField("dim_value") else (d.dim_param or None) for d in kind.tensor_type.shape.dim]
    return found


def check(shapes: Mapping[str, Dims], values: Mapping[str, Any]) -> None:
    """Compare values with what is declared for them. A name stands for one number in
    all of a run; one that is an expression is not compared.

    Raises
    ------
    ShapeError
        where they differ.
    """
    bound: dict[str, tuple[int, str]] = {}
    for name, value in values.items():
        dims, shape = shapes.get(name), getattr(value, "shape", None)
        if dims is None or shape is None:
            continue
        if len(dims) != len(shape):
            raise ShapeError(f"{name!r} has shape {tuple(shape)}, the model declares {dims}")
        for axis, (dim, size) in enumerate(zip(dims, shape, strict=True)):
            if isinstance(dim, int) and dim != size:
                raise ShapeError(f"{name!r} has shape {tuple(shape)}, the model declares {dims}: axis {axis} differs")
            if isinstance(dim, str) and dim.isidentifier():
                first, where = bound.setdefault(dim, (size, name))
                if first != size:
                    raise ShapeError(f"{name!r} has shape {tuple(shape)}, so {dim} is {size}; in {where!r} it is {first}")
