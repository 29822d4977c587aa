"""goruntime runs ONNX graphs; its results own their memory.

>>> from goruntime import ReferenceEvaluator
>>> evaluator = ReferenceEvaluator("model.onnx")           # doctest: +SKIP
>>> y, = evaluator.run(None, {"x": x})                      # doctest: +SKIP

Importing the package loads no native code: that happens when the first
evaluator, arena or token is made.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .arenas import ExecutionArena, IOArena
    from .cancel import CancelToken
    from .config import show_config
    from .context import RuntimeContext, RuntimeSession
    from .engines import OnnxRuntime
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
    from .evaluator import ReferenceEvaluator
    from .events import RuntimeEvent
    from .kernels import register_custom_kernel, unregister_custom_kernel
    from .metadata import ModelMetadata
    from .plan import ExecutionPlan
    from .support import Lack, Support, supports
    from .tensor import Tensor
    from .types import ValueType
    from .version import __version__

# The names of each module, which is loaded at the first use of one: imports cost every
# start, and what the core does to start is done beside those that come after it.
_MODULES = {
    "arenas": "ExecutionArena IOArena",
    "cancel": "CancelToken",
    "config": "show_config",
    "context": "RuntimeContext RuntimeSession",
    "engines": "OnnxRuntime",
    "errors": "ArgumentError CanceledError ClosedError ComputeError Error FileError ForkedError InternalError LimitError ModelError "
    "NameNotFoundError ReleasedError RunTimeoutError ShapeError UnsupportedError WrongTypeError",
    "evaluator": "ReferenceEvaluator",
    "events": "RuntimeEvent",
    "kernels": "register_custom_kernel unregister_custom_kernel",
    "metadata": "ModelMetadata",
    "plan": "ExecutionPlan",
    "support": "Lack Support supports",
    "tensor": "Tensor",
    "types": "ValueType",
    "version": "__version__",
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _MODULES:
        return import_module(f".{name}", __name__)
    for module, names in _MODULES.items():
        if name in names.split():
            value: object = getattr(import_module(f".{module}", __name__), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})


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
