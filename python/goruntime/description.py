"""What an evaluator tells of its model."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .metadata import ModelMetadata
    from .types import ValueType


class Described:
    """The names, types, nodes and metadata of a compiled model.

    A base of ReferenceEvaluator, which has the session and what the model was read from.
    """

    __slots__ = ()

    _native: Any  # the session
    _path: str | None  # of the model, or
    _bytes: bytes | None
    proto_: Any
    _unbound: list[str]  # attributes of a function without values
    _kernels: dict[Any, Any]

    @property
    def engine(self) -> str:
        """The name of the engine that runs the model: "goruntime", "ONNX Runtime 1.32.0"."""
        name: str = self._native.engine
        return name

    @property
    def input_names(self) -> list[str]:
        """The names of the inputs, in the model's order."""
        return [info[0] for info in self._native.inputs]

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs, in the model's order."""
        return [info[0] for info in self._native.outputs]

    @property
    def required_inputs(self) -> list[str]:
        """The names of the inputs without a default."""
        return [info[0] for info in self._native.inputs if not info[4]]

    @property
    def input_types(self) -> list[ValueType]:
        """(type, shape) of each input: ("tensor(float)", ("N", 3, None))."""
        return _types(self._native.inputs)

    @property
    def output_types(self) -> list[ValueType]:
        """(type, shape) of each output, as the model declares them."""
        return _types(self._native.outputs)

    @property
    def opsets(self) -> dict[str, int]:
        """The opset that the model imports for each domain."""
        if self._unbound:
            return {o.domain: o.version for o in self.proto_.opset_import}
        return dict(self.metadata.opsets)

    @property
    def metadata(self) -> ModelMetadata:
        """Who made the model, and what they wrote into it."""
        from .metadata import of

        return of(self._native.handle)

    def get_result_types(self, name: str, exc: bool = True) -> Any:
        """Return the declared onnx.TypeProto of a value.

        Parameters
        ----------
        name : str
            an input, output, or inner value with a value_info.
        exc : bool, default True
            whether to raise where there is none, rather than to return None.

        Raises
        ------
        ArgumentError
            nothing is declared for the value.
        """
        from .annotations import types
        from .errors import ArgumentError

        found = types(self._path, self._bytes)
        if name not in found and exc:
            raise ArgumentError(f"the model declares no type for {name!r}; it does for {', '.join(map(repr, sorted(found))) or 'none'}")
        return found.get(name)

    def used_kernels(self) -> list[tuple[str, str, int, str]]:
        """Return (domain, op_type, version, "native" or "python") of each operator that
        the model uses, in subgraphs too."""
        found: set[tuple[str, str, int, str]] = set()
        nodes = list(self._graph["nodes"])
        for node in nodes:
            where = "python" if (node["domain"], node["op_type"]) in self._kernels else "native"
            found.add((node["domain"], node["op_type"], node["version"], where))
            nodes.extend(node.get("bodies", ()))
        return sorted(found)

    @cached_property
    def _graph(self) -> dict[str, Any]:
        """The nodes and the names of values."""
        from ._control import report

        return report("SessionNodes", self._native.handle)

    @property
    def _computed(self) -> list[str]:
        """The names of what nodes make, in the order in which they do."""
        made = (name for node in self._graph["nodes"] for name in node["outputs"] if name)
        known = set(self._graph["values"])
        return [name for name in dict.fromkeys(made) if name in known]

    @cached_property
    def _annotations(self) -> dict[str, Any]:
        """The dimensions that the model declares for values."""
        from .annotations import declared

        return declared(self._path, self._bytes)


def _types(infos: Iterable[Any]) -> list[ValueType]:
    from .types import ValueType

    return [ValueType((info[1], info[3])) for info in infos]
