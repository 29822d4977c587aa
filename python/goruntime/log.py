"""Messages through the logger "goruntime"."""

from __future__ import annotations

import sys


def debug(message: str, *args: object) -> None:
    """Log a message of level DEBUG. A program that has not imported logging has no
    handler that would show it, so logging is not imported for it."""
    logging = sys.modules.get("logging")
    if logging is not None:
        logging.getLogger("goruntime").debug(message, *args)


def warning(message: str, *args: object) -> None:
    """Log a message of level WARNING, which Python shows unless told otherwise."""
    import logging

    logging.getLogger("goruntime").warning(message, *args)
