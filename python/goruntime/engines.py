"""What runs the models of an evaluator: goruntime itself, or ONNX Runtime."""

from __future__ import annotations

import dataclasses
import glob
import os
import re
import sys
from collections.abc import Sequence

from .errors import ArgumentError, UnsupportedError, WrongTypeError

# The environment variable that names the library's file.
VARIABLE = "GORUNTIME_ONNXRUNTIME"


@dataclasses.dataclass(frozen=True)
class OnnxRuntime:
    """ONNX Runtime as the engine of an evaluator; "ort" is short for OnnxRuntime().

    A process loads one library, when the first evaluator asks for it.

    Attributes
    ----------
    library : str | None
        the file of libonnxruntime, 1.24 or newer. None is the file that the
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


def chosen(engine: str | OnnxRuntime, looking: Sequence[str], counting: bool) -> OnnxRuntime | None:
    """Return the engine that is meant; None is goruntime's own.

    Parameters
    ----------
    engine : str | OnnxRuntime
        as an evaluator is given it.
    looking : Sequence[str]
        the arguments beside it that look at inner values.
    counting : bool
        whether loops are to be counted.

    Raises
    ------
    WrongTypeError, ArgumentError
        it is none.
    UnsupportedError
        it cannot do what is asked for beside it.
    """
    if not isinstance(engine, str | OnnxRuntime):
        raise WrongTypeError(f'engine: "goruntime", "ort" or an OnnxRuntime expected, {type(engine).__name__} given')
    if engine == "goruntime":
        return None
    if engine == "ort":
        engine = OnnxRuntime()
    if isinstance(engine, str):
        raise ArgumentError(f'engine {engine!r}: "goruntime" and "ort" are here')
    if looking:
        raise UnsupportedError(f"{', '.join(looking)}: this looks at inner values, which ONNX Runtime does not show; leave the engine at its default")
    if counting:
        raise UnsupportedError("cpu_execution_counters: ONNX Runtime has threads of its own, which tell nothing; leave the engine at its default")
    return engine
