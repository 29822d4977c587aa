"""Operators whose kernels are written in Python.

A kernel is called as kernel(node, *inputs): a Node, then an array for each input, None
where one is omitted. It returns an array or a tuple of them. It gets copies: what it
keeps stays as it was.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import threading
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .errors import ArgumentError, Error, WrongTypeError

if TYPE_CHECKING:
    from onnx import AttributeProto, NodeProto

Kernel = Callable[..., Any]
Key = tuple[str, str]


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a node stands.

    Attributes
    ----------
    attributes : dict[str, Any]
        its numbers, texts and lists of them.
    opset, opsets
        what is imported for its domain, and for all.
    captures : list[str] | None
        the names that its subgraphs read from outside; their values are inputs
        behind its own.
    functions : list[str]
        the FunctionProtos that its subgraphs may call, in base64.
    kernels : dict[Key, Factory]
        those of the evaluator.
    used : dict[Key, Factory]
        of those, what its nodes use, those of subgraphs too.
    """

    attributes: dict[str, Any]
    opset: int
    opsets: dict[str, int]
    captures: list[str] | None
    functions: list[str]
    kernels: dict[Key, Factory]
    used: dict[Key, Factory]


# Makes the kernel of one node: of a serialized NodeProto, and where it stands.
Factory = Callable[[bytes, Place], Kernel]


class Node:
    """The node that a kernel runs for, with the fields of a NodeProto."""

    def __init__(self, data: bytes, attributes: dict[str, Any], opset: int) -> None:
        #: The numbers, strings and lists of them among the attributes, by name.
        self.attributes = attributes
        #: The version of the operator set of the node's domain.
        self.opset = opset
        self._data = data

    @property
    def op_type(self) -> str:
        """The operator's name."""
        return self._texts[4][0]

    @property
    def domain(self) -> str:
        """The operator's domain, "" for ai.onnx."""
        return self._texts[7][0] if self._texts[7] else ""

    @property
    def name(self) -> str:
        """The node's name, which may be empty."""
        return self._texts[3][0] if self._texts[3] else ""

    @property
    def input(self) -> list[str]:
        """The names of the inputs, empty where one is omitted."""
        return self._texts[1]

    @property
    def output(self) -> list[str]:
        """The names of the outputs."""
        return self._texts[2]

    @cached_property
    def proto(self) -> NodeProto:
        """The NodeProto of the onnx package."""
        from onnx import NodeProto

        proto: NodeProto = NodeProto.FromString(self._data)
        return proto

    @property
    def attribute(self) -> Iterable[AttributeProto]:
        """The AttributeProtos of the onnx package, of all kinds."""
        attributes: Iterable[AttributeProto] = self.proto.attribute
        return attributes

    @cached_property
    def _texts(self) -> dict[int, list[str]]:
        return _texts(self._data)


_lock = threading.Lock()  # protects _global
_global: dict[Key, Factory] = {}


def register_custom_kernel(domain: str, op_type: str, kernel: Kernel) -> None:
    """Use a Python callable for an operator in all evaluators made from now on.

    It goes before the operator or function of that name.

    Parameters
    ----------
    domain : str
        "" for ai.onnx.
    op_type : str
        the operator's name.
    kernel : Kernel
        called as kernel(node, *inputs).
    """
    with _lock:
        _global[_key(domain, op_type)] = plain(kernel)


def unregister_custom_kernel(domain: str, op_type: str) -> bool:
    """Undo register_custom_kernel for evaluators made from now on.

    Parameters
    ----------
    domain : str
        "" for ai.onnx.
    op_type : str
        the operator's name.

    Returns
    -------
    bool
        Whether there was something to undo.
    """
    with _lock:
        return _global.pop(_key(domain, op_type), None) is not None


class Inherited(dict[Key, Factory]):
    """The kernels of an evaluator, which a copy of it takes as new_ops."""


def registered() -> dict[Key, Factory]:
    """Return a copy of the registered kernels."""
    with _lock:
        return dict(_global)


def _key(domain: str, op_type: str) -> Key:
    """Return what a kernel is registered by.

    Raises
    ------
    WrongTypeError
        a name is no str.
    """
    for what, name in (("domain", domain), ("op_type", op_type)):
        if not isinstance(name, str):
            raise WrongTypeError(f"{what}: a str expected, {type(name).__name__} given")
    return ("" if domain == "ai.onnx" else domain, op_type)


def plain(kernel: Kernel) -> Factory:
    """Return the factory of a callable that takes a node and its inputs."""
    if not callable(kernel):
        raise WrongTypeError(f"a callable expected as kernel, {type(kernel).__name__} given")
    return _Plain(kernel)


class _Plain:
    """Binds a kernel to a node. A class, so that evaluators can be pickled."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def __call__(self, node: bytes, place: Place) -> Kernel:
        made = Node(node, place.attributes, place.opset)
        if not place.captures:
            return functools.partial(self.kernel, made)
        own = len(made.input)
        return lambda *inputs: self.kernel(made, *inputs[:own])


class Maker:
    """What the extension calls for each node of a custom operator."""

    def __init__(self, factories: dict[Key, Factory]) -> None:
        self.factories = factories
        self.used: dict[Key, Factory] = {}

    def __call__(self, node: bytes, facts: str) -> Kernel:
        texts = _texts(node)
        key = _key("".join(texts[7]), texts[4][0])
        self.used[key] = self.factories[key]
        place = Place(**json.loads(facts), kernels=self.factories, used=self.used)
        return Bound(self.used[key](node, place), texts)


_under_way = threading.local()  # depth: how many kernels of this thread are running


class Bound:
    """The kernel of one node, as the extension calls it."""

    def __init__(self, kernel: Kernel, texts: dict[int, list[str]]) -> None:
        self._kernel, self._texts = kernel, texts

    def __call__(self, *inputs: Any) -> Any:
        """Call the kernel and know meanwhile that one is running. What it raises is noted
        to come from it."""
        _under_way.depth = running() + 1
        try:
            return self._kernel(*inputs)
        except Exception as error:
            error.add_note(f"raised by the kernel of {self._where()}, called with {', '.join(map(_described, inputs)) or 'nothing'}")
            raise
        finally:
            _under_way.depth -= 1

    def refused(self, error: BaseException, slot: int, result: Any) -> BaseException:
        """Return what to raise where error hinders that a result becomes output slot, or
        all results the outputs, where it is below 0."""
        if not isinstance(error, Exception):
            return error
        output = self._texts[2][slot] if slot >= 0 else ""
        if isinstance(error, Error):
            made, text = type(error)(), str(error)
        else:
            made, text = WrongTypeError(), f"the custom kernel returned {_described(result)} for output {slot}, an array expected: {error}"
            made.__cause__ = error
        made.args = (f'{self._where()}: "{output}": {text}' if output else f"{self._where()}: {text}",)
        made.op, made.node, made.input = self._texts[4][0], "".join(self._texts[3]), output
        return made.with_traceback(error.__traceback__)

    def _where(self) -> str:
        """Name the node as the core does."""
        name = "".join(self._texts[3])
        return f'{self._texts[4][0]} node "{name}"'


def _described(value: Any) -> str:
    """Say what a value of a kernel is: float32[2, 3], a list."""
    if value is None:
        return "None"
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"{value.dtype}{list(value.shape)}"
    return f"a {type(value).__name__}"


def running() -> int:
    """Return how many kernels of this thread are running."""
    depth: int = getattr(_under_way, "depth", 0)
    return depth


def _texts(node: bytes) -> dict[int, list[str]]:
    """Return the texts of a serialized NodeProto by field number: input 1, output 2,
    name 3, op_type 4, domain 7."""
    fields: dict[int, list[str]] = {1: [], 2: [], 3: [], 4: [], 7: []}
    at = 0
    while at < len(node):
        tag, at = _varint(node, at)
        size, at = _varint(node, at)
        if tag & 7 != 2:  # all fields of a NodeProto have a length
            raise ArgumentError("the node is no serialized NodeProto")
        if tag >> 3 in fields:
            fields[tag >> 3].append(node[at : at + size].decode(errors="surrogateescape"))
        at += size
    return fields


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
