"""The command goruntime: serves models, writes manifests, scores files.

`goruntime score` runs in Python, over pyarrow's readers; all else is the Go command
that lies beside this module.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import sys


def command() -> str:
    """Return the path of the Go command.

    Raises
    ------
    SystemExit
        it was not built into the package and is not on PATH.
    """
    beside = pathlib.Path(__file__).with_name("bin") / "goruntime"
    found = str(beside) if beside.exists() else shutil.which("goruntime-server")
    if found is None:
        raise SystemExit(f"the command is missing at {beside}: reinstall goruntime, or build it with `make build`, or put goruntime-server on PATH")
    return found


def main() -> None:
    """Run the command line."""
    if sys.argv[1:2] == ["score"]:
        try:
            from .files import score
        except ModuleNotFoundError as error:
            raise SystemExit(f"goruntime score needs {error.name}: pip install 'goruntime[serve]'") from None
        score.main(args=sys.argv[2:], prog_name="goruntime score")
    if sys.argv[1:] in ([], ["--help"], ["-h"]):
        print("goruntime score MODEL DATA... -o OUT   score files\n", flush=True)
    path = command()
    os.execv(path, [path, *sys.argv[1:]])
