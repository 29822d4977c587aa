"""The clients of docs/serving.md run as they are written there."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys

import pytest
from served import MODELS, Served

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLIENTS = ROOT / "examples" / "clients"


@pytest.fixture
def served(tmp_path):
    shutil.copy(MODELS / "double.onnx", tmp_path / "double.onnx")
    server = Served(tmp_path)
    yield server
    server.stop()


def said(command: list[object], **options: object) -> list[str]:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=600, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout.splitlines()


@pytest.mark.parametrize("name", ["score", "adbc"])
def test_python(served, name):
    assert said([sys.executable, CLIENTS / f"{name}.py", served.uri, "double"]) == ["[2.0, 4.0, 6.0]"]


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(shutil.which("mvn") is None, reason="Maven is not installed (Debian: maven)")
def test_java(served, tmp_path):
    build = shutil.copytree(CLIENTS / "java", tmp_path / "java")
    # Maven colours its output, also where nobody looks.
    assert "[2.0, 4.0, 6.0]" in said(["mvn", "-q", "-B", "compile", "exec:exec", f"-Duri={served.uri}", "-Dmodel=double"], cwd=build)[0]


@pytest.mark.parametrize(("name", "block"), [("score.py", "python"), ("score.go", "go"), ("java/src/main/java/Score.java", "java"), ("adbc.py", "python")])
def test_the_page_quotes_the_programs(name, block):
    """A block of the page is a part of the program, but for how far it is indented."""
    blocks = (ROOT / "docs" / "serving.md").read_text().split(f"```{block}\n")[1:]
    program = stripped((CLIENTS / name).read_text())
    assert any(stripped(b.split("```")[0]) in program for b in blocks)


def stripped(text: str) -> str:
    return "\n".join(line.strip() for line in text.strip().splitlines())
