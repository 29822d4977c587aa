"""Ends runs from another thread."""

from __future__ import annotations

from ._load import native


class CancelToken:
    """Ends runs from another thread: pass it to run() as cancel."""

    def __init__(self) -> None:
        self._native = native().Stop()

    def cancel(self) -> None:
        """End the runs that use the token, and later ones, with CanceledError."""
        self._native.cancel()
