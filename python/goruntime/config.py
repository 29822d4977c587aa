"""What this installation is and which kernels it uses."""

from __future__ import annotations

from typing import Any

from ._load import native
from .version import __version__


def show_config() -> dict[str, Any]:
    """Return the version, the Go release, the processor level ("avx512", "avx2",
    "neon", "portable"), the active kernels, the number of threads and of operators."""
    import json  # here, since imports cost every start

    return {"version": __version__, **json.loads(native().build_info())}
