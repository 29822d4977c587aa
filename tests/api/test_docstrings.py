"""Docstrings have NumPy's sections, and tell of each argument that there is."""

from __future__ import annotations

import ast
import pathlib
import re

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "python" / "goruntime"
FILES = sorted(path for path in PACKAGE.rglob("*.py") if not path.name.startswith("_"))


def sections(text):
    """Return the lines below each underlined title."""
    found, title = {}, ""
    lines = text.splitlines()
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if line and below and set(below) == {"-"}:
            assert len(below) == len(line), f"{line} is underlined by {below}"
            title = line
        elif title and set(line) != {"-"}:
            found.setdefault(title, []).append(line)
    return found


def documented(lines):
    """Return the names of a section of parameters, without those of more than one word."""
    heads = (line.split(" : ")[0] for line in lines if line and not line.startswith(" "))
    return [name.lstrip("*") for head in heads for name in head.split(", ")]


def of(path):
    """Return what has a docstring in a file, with its sections."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and (text := ast.get_docstring(node)):
            yield node, text


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_sections(path):
    for node, text in of(path):
        where = f"{path.name}: {node.name}"
        assert not re.search(r"^(Args|Returns|Raises|Attributes|Yields):$", text, re.M), f"{where} has a section that is not underlined"
        found = sections(text)
        assert set(found) <= {"Parameters", "Returns", "Raises", "Attributes", "Notes"}, where
        if "Parameters" in found:
            arguments = [*node.args.args, *node.args.kwonlyargs, *filter(None, (node.args.vararg, node.args.kwarg))]
            names = {a.arg for a in arguments} - {"self", "cls", "_", "kwargs"}
            assert set(documented(found["Parameters"])) - {"kwargs"} == names, where


def test_what_is_read():
    found = sections("Do.\n\nParameters\n----------\na, b : int\n    two.\n*c\n\nRaises\n------\nError\n    no.")
    assert documented(found["Parameters"]) == ["a", "b", "c"]
    assert documented(found["Raises"]) == ["Error"]
    with pytest.raises(AssertionError, match="underlined"):
        sections("Raises\n---")
