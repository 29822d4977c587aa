"""Every official case against the committed table: official.txt.

    python -m pytest tests/conformance                    compares
    UPDATE=1 python -m pytest tests/conformance           rewrites the table (make conformance)

A case that passes where the table says otherwise fails the test too.
"""

from __future__ import annotations

import collections
import os
import pathlib

import official
import pytest

TABLE = pathlib.Path(__file__).resolve().parent / "official.txt"
TOTAL = 2033  # of the official runner, for onnx 1.23.2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.timeout(600)
def test_the_table_is_true():
    found = {case.name: official.run(case) for case in official.cases()}
    assert len(found) == TOTAL, f"{len(found)} cases were found"
    if os.environ.get("UPDATE"):
        TABLE.write_text(table(found))
    stated = dict(line.split("\t") for line in TABLE.read_text().splitlines() if not line.startswith("#"))
    wrong = [f"{name}: {found.get(name)}; the table says {stated.get(name)}" for name in sorted(found.keys() | stated.keys())
             if kind(found.get(name)) != kind(stated.get(name))]  # fmt: skip
    assert not wrong, "\n".join(wrong)


def kind(result: str | None) -> str:
    return "absent" if result is None else result.split(":")[0]


def table(found: dict[str, str]) -> str:
    counts = collections.Counter(kind(result) for result in found.values())
    head = "# The official cases of onnx 1.23.2: " + ", ".join(f"{n} {what}" for what, n in sorted(counts.items()))
    return "\n".join([head, *(f"{name}\t{result}" for name, result in sorted(found.items()))]) + "\n"
