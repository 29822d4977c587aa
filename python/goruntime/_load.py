"""Loads the extension, once, at first use."""

from __future__ import annotations

from functools import cache
from types import ModuleType


@cache
def native() -> ModuleType:
    """Return the extension module, ready to raise this package's exceptions."""
    from . import _native, errors

    _native.set_errors(errors)
    return _native
