"""onnxruntime's Python interface on this engine.

>>> import goruntime.ort as ort                                    # doctest: +SKIP
>>> session = ort.InferenceSession("model.onnx")                  # doctest: +SKIP
>>> session.run(None, {"x": x})                                    # doctest: +SKIP

install() puts it in the place of onnxruntime, for programs that import that name.
Arrays that come out hold leases, as everywhere in goruntime. What has no meaning here
(graph optimization levels, memory patterns, log levels) is accepted and kept.
"""

from __future__ import annotations

import types
from types import ModuleType

from . import errors
from .enums import ExecutionMode, ExecutionOrder, GraphOptimizationLevel, OrtAllocatorType, OrtMemType
from .errors import (
    EngineError,
    EPFail,
    Fail,
    InvalidArgument,
    InvalidGraph,
    InvalidProtobuf,
    ModelLoaded,
    NoModel,
    NoSuchFile,
    NotImplemented,
    RuntimeException,
)
from .options import RunOptions, SessionOptions
from .session import InferenceSession, ModelMetadata, NodeArg
from .values import IOBinding, OrtDevice, OrtValue

__version__ = "1.32.0"  # of the interface

__all__ = [
    "EPFail",
    "EngineError",
    "ExecutionMode",
    "ExecutionOrder",
    "Fail",
    "GraphOptimizationLevel",
    "IOBinding",
    "InferenceSession",
    "InvalidArgument",
    "InvalidGraph",
    "InvalidProtobuf",
    "ModelLoaded",
    "ModelMetadata",
    "NoModel",
    "NoSuchFile",
    "NodeArg",
    "NotImplemented",
    "OrtAllocatorType",
    "OrtDevice",
    "OrtMemType",
    "OrtValue",
    "RunOptions",
    "RuntimeException",
    "SessionOptions",
    "disable_telemetry_events",
    "enable_telemetry_events",
    "get_all_providers",
    "get_available_providers",
    "get_build_info",
    "get_device",
    "get_version_string",
    "install",
    "set_default_logger_severity",
    "set_default_logger_verbosity",
    "set_seed",
]


def get_available_providers() -> list[str]:
    """The names that providers may have: ours, and the one that means the CPU."""
    return ["GoExecutionProvider", "CPUExecutionProvider"]


get_all_providers = get_available_providers


def get_device() -> str:
    """CPU."""
    return "CPU"


def get_version_string() -> str:
    """The version of the interface."""
    return __version__


def get_build_info() -> str:
    """What runs behind the interface."""
    from ..config import show_config

    return f"goruntime {show_config()}"


def set_default_logger_severity(severity: int) -> None:
    """Set the level of the logger "goruntime": 0 is verbose, 4 fatal."""
    import logging

    logging.getLogger("goruntime").setLevel([logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL][severity])


def set_default_logger_verbosity(verbosity: int) -> None:
    """Accepted; there is one kind of verbose messages."""


def set_seed(seed: int) -> None:
    """Accepted; random operators without a seed attribute are seeded anew in each run."""


def disable_telemetry_events() -> None:
    """Accepted; nothing is ever sent."""


def enable_telemetry_events() -> None:
    """Accepted; nothing is ever sent."""


def install() -> None:
    """Put this module in the place of onnxruntime, for imports that come after.

    Raises
    ------
    RuntimeError
        onnxruntime is imported already.
    """
    import sys

    here = sys.modules[__name__]
    if sys.modules.get("onnxruntime", here) is not here:
        raise RuntimeError("onnxruntime is imported already: call goruntime.ort.install() before any import of it")
    sys.modules["onnxruntime"] = here
    for module in (capi, *vars(capi).values()):
        if isinstance(module, type(sys)):
            sys.modules[module.__name__] = module


def _capi() -> ModuleType:
    """Return the modules under onnxruntime.capi, where programs look for exceptions."""
    capi = types.ModuleType("onnxruntime.capi")
    state = types.ModuleType("onnxruntime.capi.onnxruntime_pybind11_state")
    collection = types.ModuleType("onnxruntime.capi.onnxruntime_inference_collection")
    for name in errors.__all__:
        setattr(state, name, getattr(errors, name))
    for name in ("SessionOptions", "RunOptions", "NodeArg", "ModelMetadata", "OrtDevice", "get_available_providers", "get_all_providers"):
        setattr(state, name, globals()[name])
    for name in ("InferenceSession", "IOBinding", "OrtValue"):
        setattr(collection, name, globals()[name])
    bindings = types.ModuleType("onnxruntime.capi._pybind_state")
    vars(bindings).update({name: value for name, value in vars(state).items() if not name.startswith("_")})
    capi.onnxruntime_pybind11_state, capi.onnxruntime_inference_collection = state, collection  # type: ignore[attr-defined]
    capi._pybind_state = bindings  # type: ignore[attr-defined]
    return capi


capi = _capi()
