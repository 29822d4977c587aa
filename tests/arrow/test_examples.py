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
    """Each line of a block of the page is a line of its program."""
    lines = {line.strip() for line in (CLIENTS / name).read_text().splitlines()}
    page = (ROOT / "docs" / "serving.md").read_text()
    blocks = [part.split("```")[0].strip().splitlines() for part in page.split(f"```{block}\n")[1:]]
    quoted = [b for b in blocks if sum(line.strip() in lines for line in b) > len(b) / 2]
    assert quoted, f"the page does not quote {name}"
    for b in quoted:
        assert [line for line in b if line.strip() and line.strip() not in lines] == []
