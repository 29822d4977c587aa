"""What runs the models of an evaluator: goruntime itself, or ONNX Runtime."""

from __future__ import annotations

import dataclasses
import glob
import os
import re
import sys

from .errors import ArgumentError, WrongTypeError

# The environment variable that names the library's file.
VARIABLE = "GORUNTIME_ONNXRUNTIME"


@dataclasses.dataclass(frozen=True)
class OnnxRuntime:
    """ONNX Runtime as the engine of an evaluator; "ort" is short for OnnxRuntime().

    A process loads one library, when the first evaluator asks for it.

    Attributes:
        library: the file of libonnxruntime, 1.24 or newer. None is the file that the
            environment variable GORUNTIME_ONNXRUNTIME names, else the one in the
            installed onnxruntime package, which is not imported, else what the system
            finds.
    """

    library: str | None = None

    def _file(self) -> bytes | None:
        path = self.library or os.environ.get(VARIABLE) or _packaged()
        return None if path is None else os.fsencode(path)


def _packaged() -> str | None:
    """Return the library in the onnxruntime package that an import would find."""
    for folder in sys.path:
        found = glob.glob(os.path.join(glob.escape(folder), "onnxruntime", "capi", "libonnxruntime.so*"))
        if found:
            return max(found, key=lambda name: [int(n) for n in re.findall(r"\d+", os.path.basename(name))])
    return None


def chosen(engine: str | OnnxRuntime) -> OnnxRuntime | None:
    """Return the engine that is meant; None is goruntime's own."""
    if isinstance(engine, OnnxRuntime):
        return engine
    if not isinstance(engine, str):
        raise WrongTypeError(f'engine: "goruntime", "ort" or an OnnxRuntime expected, {type(engine).__name__} given')
    if engine == "ort":
        return OnnxRuntime()
    if engine != "goruntime":
        raise ArgumentError(f'engine {engine!r}: "goruntime" and "ort" are here')
    return None
