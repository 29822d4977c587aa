"""Operators whose kernels are written in Python.

A kernel is called with an array for each input, None where one is omitted, and
returns an array or a tuple of them. It gets copies: what it keeps stays as it was.
"""

from __future__ import annotations

import functools
import json
import threading
from collections.abc import Callable, Iterable
from typing import Any

from .errors import ArgumentError, WrongTypeError

Kernel = Callable[..., Any]
# Makes the kernel of one node of a serialized NodeProto, its attributes, its opset.
Factory = Callable[[bytes, dict[str, Any], int], Kernel]
Key = tuple[str, str]

_lock = threading.Lock()  # protects _global
_global: dict[Key, Factory] = {}


def register_custom_kernel(domain: str, op_type: str, kernel: Kernel) -> None:
    """Use a Python callable for an operator in all evaluators made from now on.

    It goes before the operator or function of that name.

    Args:
        domain: "" for ai.onnx.
        op_type: the operator's name.
        kernel: called as kernel(*inputs, **attributes).
    """
    with _lock:
        _global[_key(domain, op_type)] = plain(kernel)


def unregister_custom_kernel(domain: str, op_type: str) -> None:
    """Undo register_custom_kernel for evaluators made from now on."""
    with _lock:
        if _global.pop(_key(domain, op_type), None) is None:
            raise ArgumentError(f"no custom kernel is registered for {op_type!r} of domain {domain!r}")


def registered() -> dict[Key, Factory]:
    """Return a copy of the registered kernels."""
    with _lock:
        return dict(_global)


def _key(domain: str, op_type: str) -> Key:
    return ("" if domain == "ai.onnx" else domain, op_type)


def plain(kernel: Kernel) -> Factory:
    """Return the factory of a callable that takes attributes as keywords."""
    if not callable(kernel):
        raise WrongTypeError(f"a callable expected as kernel, {type(kernel).__name__} given")
    return _Plain(kernel)


class _Plain:
    """Binds the attributes of a node. A class, so that evaluators can be pickled."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def __call__(self, node: bytes, attributes: dict[str, Any], opset: int) -> Kernel:
        return functools.partial(self.kernel, **attributes) if attributes else self.kernel


class _OpRun:
    """Makes instances of a subclass of onnx.reference.op_run.OpRun."""

    def __init__(self, cls: type[Any], verbose: int) -> None:
        self.cls, self.verbose = cls, verbose

    def __call__(self, node: bytes, attributes: dict[str, Any], opset: int) -> Kernel:
        from onnx import NodeProto
        from onnx.reference import ReferenceEvaluator

        proto = NodeProto.FromString(node)
        params = {
            "log": self._log, "opsets": {proto.domain: opset}, "verbose": self.verbose, "new_ops": {},
            "existing_functions": {}, "evaluator_cls": ReferenceEvaluator,
        }  # fmt: skip
        run: Kernel = self.cls(proto, params).run
        return run

    def _log(self, pattern: str, *args: Any) -> None:
        if self.verbose > 10:
            print(pattern % args)


def from_new_ops(classes: Iterable[type[Any]], verbose: int) -> dict[Key, Factory]:
    """Return the factories of subclasses of onnx.reference.op_run.OpRun; of two for
    one operator the first counts."""
    found: dict[Key, Factory] = {}
    for cls in classes:
        if not hasattr(cls, "op_domain"):
            raise ArgumentError(f"the class {cls.__name__} of new_ops must have the attribute op_domain")
        found.setdefault(_key(cls.op_domain, cls.__name__), _OpRun(cls, verbose))
    return found


class Maker:
    """What the extension calls for each node of a custom operator."""

    def __init__(self, factories: dict[Key, Factory]) -> None:
        self.factories = factories

    def __call__(self, node: bytes, attributes: str, opset: int) -> Kernel:
        domain, op_type = _names(node)
        return functools.partial(_call, self.factories[_key(domain, op_type)](node, json.loads(attributes), opset))


_under_way = threading.local()  # depth: how many kernels of this thread are running


def _call(kernel: Kernel, *inputs: Any) -> Any:
    """Call a kernel and know meanwhile that one is running."""
    _under_way.depth = running() + 1
    try:
        return kernel(*inputs)
    finally:
        _under_way.depth -= 1


def running() -> int:
    """Return how many kernels of this thread are running."""
    depth: int = getattr(_under_way, "depth", 0)
    return depth


def _names(node: bytes) -> tuple[str, str]:
    """Return domain and op_type of a serialized NodeProto: its fields 7 and 4."""
    fields = {4: b"", 7: b""}
    at = 0
    while at < len(node):
        tag, at = _varint(node, at)
        size, at = _varint(node, at)
        if tag & 7 != 2:  # all fields of a NodeProto have a length
            raise ArgumentError("the node is no serialized NodeProto")
        if tag >> 3 in fields:
            fields[tag >> 3] = node[at : at + size]
        at += size
    return fields[7].decode(), fields[4].decode()


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
