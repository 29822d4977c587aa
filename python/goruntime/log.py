"""The logger of the package, "goruntime"."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logging import Logger


@cache
def logger() -> Logger:
    """Return the logger; logging is imported at first use."""
    import logging

    return logging.getLogger("goruntime")
