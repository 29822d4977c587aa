"""The clients of docs/serving.md run as they are written there."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys

import pytest
import trustme
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


def test_python_with_a_token_over_tls(tmp_path):
    shutil.copy(MODELS / "double.onnx", tmp_path / "double.onnx")
    shutil.copy(MODELS / "double.onnx", tmp_path / "other.onnx")
    authority, stranger = trustme.CA(), trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    cert, key, ca, wrong, tokens = (tmp_path / name for name in ("cert.pem", "key.pem", "ca.pem", "wrong.pem", "tokens.json"))
    certificate.cert_chain_pems[0].write_to_path(cert)
    certificate.private_key_pem.write_to_path(key)
    authority.cert_pem.write_to_path(ca)
    stranger.cert_pem.write_to_path(wrong)
    tokens.write_text('[{"token": "secret", "models": ["double"]}]')
    server = Served(tmp_path, "--tls-cert", str(cert), "--tls-key", str(key), "--tokens", str(tokens))
    program = [sys.executable, CLIENTS / "protected.py", server.uri]
    assert server.uri.startswith("grpc+tls://127.0.0.1:")
    assert said([*program, "double", ca, "secret"]) == ["[2.0, 4.0, 6.0]"]
    for arguments, text in (
        (("double", ca, "guess"), "FlightUnauthenticatedError"),
        (("other", ca, "secret"), "FlightUnauthorizedError"),
        (("double", wrong, "secret"), "FlightUnavailableError"),
    ):
        done = subprocess.run([*map(str, (*program, *arguments))], capture_output=True, text=True, timeout=100)
        assert done.returncode == 1
        assert text in done.stderr
    server.stop()


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(shutil.which("mvn") is None, reason="Maven is not installed (Debian: maven)")
def test_java(served, tmp_path):
    build = shutil.copytree(CLIENTS / "java", tmp_path / "java")
    # Maven colours its output, also where nobody looks.
    assert "[2.0, 4.0, 6.0]" in said(["mvn", "-q", "-B", "compile", "exec:exec", f"-Duri={served.uri}", "-Dmodel=double"], cwd=build)[0]


QUOTED = {"score.py": "python", "protected.py": "python", "adbc.py": "python", "score.go": "go", "java/src/main/java/Score.java": "java"}


@pytest.mark.parametrize(("name", "block"), QUOTED.items())
def test_the_page_quotes_the_programs(name, block):
    """A block of the page is a part of the program, but for how far it is indented."""
    program = stripped((CLIENTS / name).read_text())
    assert any(b in program for b in blocks_of(block))


def test_the_page_shows_a_go_program_what_the_example_does():
    program = stripped((ROOT / "goruntime" / "arrowio" / "example_test.go").read_text())
    assert sum(b in program for b in blocks_of("go")) == 2


def blocks_of(language: str) -> list[str]:
    return [stripped(b.split("```")[0]) for b in (ROOT / "docs" / "serving.md").read_text().split(f"```{language}\n")[1:]]


def stripped(text: str) -> str:
    return "\n".join(line.strip() for line in text.strip().splitlines())
