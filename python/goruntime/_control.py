"""The control plane: what gopy wraps of goruntime/pyapi, made safe to call.

Calls name objects by handle and return numbers or JSON. A forked child is
refused before Go is entered, and failures are raised as this package's classes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

from . import errors
from ._load import native

_CODES = {name: code for code, name in enumerate(errors.NAMES)}


@cache
def _module() -> ModuleType:
    """Load the second module of the extension's file."""
    import importlib.machinery  # here, since imports cost every start
    import importlib.util

    file = native().__file__
    assert file is not None
    loader = importlib.machinery.ExtensionFileLoader("_control", file)
    spec = importlib.util.spec_from_file_location("_control", file, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def call(name: str, *args: int | str) -> Any:
    """Call a function of goruntime/pyapi. Numbers have 64 bits.

    Raises
    ------
    Error
        as the function says; ForkedError in a forked child.
    """
    native().check_fork()
    function: Callable[..., Any] = getattr(_module(), f"pyapi_{name}")
    try:
        return function(*args)
    except RuntimeError as error:
        code, _, text = str(error).partition(": ")
        if code not in _CODES:
            raise
        raise errors.BY_CODE[_CODES[code]](text) from None


def report(name: str, *args: int | str) -> dict[str, Any]:
    """Call a function that returns a JSON object."""
    import json  # here, since imports cost every start

    result: dict[str, Any] = json.loads(call(name, *args))
    return result
