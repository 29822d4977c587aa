"""Which models can be run here."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Any

from ._load import native
from .protos import source


@dataclasses.dataclass(frozen=True)
class Lack:
    """What a model needs and is not run here.

    Attributes
    ----------
    domain, op_type : str
        the operator; the domain "" is ai.onnx.
    opset : int
        that the model imports for the domain, 0 where it imports none.
    version : int
        since_version of the operator's schema, 0 where there is none.
    dtype : str
        the element type without a kernel, "" where there is none for any.
    """

    domain: str
    op_type: str
    opset: int
    version: int
    dtype: str


@dataclasses.dataclass(frozen=True)
class Support:
    """Whether a model can be run; true where nothing is missing."""

    missing: tuple[Lack, ...]

    def __bool__(self) -> bool:
        return not self.missing


def supports(model: Any) -> Support:
    """Tell whether a model can be run, without reading its weights.

    Parameters
    ----------
    model : str, os.PathLike, bytes, message of onnx or ReferenceEvaluator
        a path, bytes, or a message of the onnx package.

    Returns
    -------
    Support
        A Support: true, or with all that is missing.

    Raises
    ------
    ModelError
        the model is not valid.
    FileError
        it cannot be read.
    """
    path, data = source(model)
    found = json.loads(native().model_lacks(None if path is None else os.fsencode(path), data))
    return Support(tuple(Lack(**lack) for lack in found))
