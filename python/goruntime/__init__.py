"""goruntime runs ONNX graphs; its results own their memory.

>>> from goruntime import ReferenceEvaluator
>>> evaluator = ReferenceEvaluator("model.onnx")           # doctest: +SKIP
>>> y, = evaluator.run(None, {"x": x})                      # doctest: +SKIP

Importing the package loads no native code: that happens when the first
evaluator, arena or token is made.
"""

from typing import TYPE_CHECKING

from .arenas import ExecutionArena, IOArena
from .errors import (
    ArgumentError,
    CanceledError,
    ClosedError,
    ComputeError,
    Error,
    FileError,
    ForkedError,
    InternalError,
    LimitError,
    ModelError,
    NameNotFoundError,
    ReleasedError,
    RunTimeoutError,
    ShapeError,
    UnsupportedError,
    WrongTypeError,
)
from .evaluator import CancelToken, ReferenceEvaluator
from .version import __version__

if TYPE_CHECKING:
    from .config import show_config
    from .context import RuntimeContext, RuntimeSession
    from .engines import OnnxRuntime
    from .events import RuntimeEvent
    from .kernels import register_custom_kernel, unregister_custom_kernel
    from .metadata import ModelMetadata
    from .plan import ExecutionPlan
    from .support import Lack, Support, supports
    from .tensor import Tensor
    from .types import ValueType

# Names whose modules are loaded at first use, since imports cost every start.
_LAZY = {
    "ExecutionPlan": "plan",
    "Lack": "support",
    "ModelMetadata": "metadata",
    "OnnxRuntime": "engines",
    "RuntimeContext": "context",
    "RuntimeEvent": "events",
    "RuntimeSession": "context",
    "Support": "support",
    "Tensor": "tensor",
    "ValueType": "types",
    "register_custom_kernel": "kernels",
    "show_config": "config",
    "supports": "support",
    "unregister_custom_kernel": "kernels",
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value: object = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    globals()[name] = value
    return value


__all__ = [
    "ArgumentError",
    "CancelToken",
    "CanceledError",
    "ClosedError",
    "ComputeError",
    "Error",
    "ExecutionArena",
    "ExecutionPlan",
    "FileError",
    "ForkedError",
    "IOArena",
    "InternalError",
    "Lack",
    "LimitError",
    "ModelError",
    "ModelMetadata",
    "NameNotFoundError",
    "OnnxRuntime",
    "ReferenceEvaluator",
    "ReleasedError",
    "RunTimeoutError",
    "RuntimeContext",
    "RuntimeEvent",
    "RuntimeSession",
    "ShapeError",
    "Support",
    "Tensor",
    "UnsupportedError",
    "ValueType",
    "WrongTypeError",
    "__version__",
    "register_custom_kernel",
    "show_config",
    "supports",
    "unregister_custom_kernel",
]
