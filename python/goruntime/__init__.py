"""goruntime runs ONNX graphs; its results own their memory.

>>> from goruntime import ReferenceEvaluator
>>> evaluator = ReferenceEvaluator("model.onnx")           # doctest: +SKIP
>>> y, = evaluator.run(None, {"x": x})                      # doctest: +SKIP

Importing the package loads no native code: that happens when the first
evaluator, arena or token is made.
"""

from .arenas import ExecutionArena, IOArena
from .config import show_config
from .context import RuntimeContext
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

__all__ = [
    "ArgumentError",
    "CancelToken",
    "CanceledError",
    "ClosedError",
    "ComputeError",
    "Error",
    "ExecutionArena",
    "FileError",
    "ForkedError",
    "IOArena",
    "InternalError",
    "LimitError",
    "ModelError",
    "NameNotFoundError",
    "ReferenceEvaluator",
    "ReleasedError",
    "RunTimeoutError",
    "RuntimeContext",
    "ShapeError",
    "UnsupportedError",
    "WrongTypeError",
    "__version__",
    "show_config",
]
