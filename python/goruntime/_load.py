"""Loads the extension, once, at first use."""

from __future__ import annotations

from functools import cache
from types import ModuleType

# ReferenceEvaluator.run as inspect.signature reads it from a method written in C.
_RUN = (
    "run($self, output_names, feed_inputs, attributes=None, intermediate=False, check_shape_annotations=None, *, context=None, "
    "outputs=None, timeout=None, cancel=None, num_threads=None)"
)


@cache
def native() -> ModuleType:
    """Return the extension module, ready to raise this package's exceptions."""
    from . import _native, errors
    from .evaluator import ReferenceEvaluator

    _native.set_errors(errors)
    _native.shortcut(ReferenceEvaluator, f"{_RUN}\n--\n\n{ReferenceEvaluator.run.__doc__ or ''}")
    return _native
