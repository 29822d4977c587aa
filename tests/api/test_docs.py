"""The Python of the documentation runs as it is written, and prints what it says."""

from __future__ import annotations

import doctest
import pathlib
import re

import numpy as np
import onnx
import pytest
from onnx.reference.op_run import OpRun

from goruntime import ExecutionArena, IOArena, ReferenceEvaluator

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELU = '<ir_version: 10, opset_import: ["" : 18]> g (float[A, 3] x) => (float[A, 3] y) { y = Relu(x) }'
CUSTOM = '<ir_version: 10, opset_import: ["" : 18, "custom" : 1]> g (float[A] x) => (float[A] y) { y = custom.InvAlpha <alpha = 0.5> (x) }'
X = np.ones((1, 3), np.float32)

# Page, the model in model.onnx, and the names that the page's reader has.
PAGES = {
    "README.md": (RELU, {}),
    "docs/memory.md": (RELU, {"ReferenceEvaluator": ReferenceEvaluator, "ExecutionArena": ExecutionArena, "IOArena": IOArena, "x": X, "paths": ["model.onnx"]}),
    "docs/debugging.md": (RELU, {}),
    "docs/custom-operators.md": (CUSTOM, {"OpRun": OpRun, "ReferenceEvaluator": ReferenceEvaluator}),
    "docs/server.md": (RELU, {"ReferenceEvaluator": ReferenceEvaluator, "ExecutionArena": ExecutionArena, "IOArena": IOArena, "paths": {"a": "model.onnx"}}),
    "docs/gradients.md": (RELU, {}),
    "docs/engines.md": (RELU, {"ReferenceEvaluator": ReferenceEvaluator, "x": X}),
}


@pytest.mark.parametrize("page", PAGES)
def test_snippets(page, tmp_path, monkeypatch):
    import goruntime

    text, names = PAGES[page]
    monkeypatch.chdir(tmp_path)
    onnx.save(onnx.parser.parse_model(text), "model.onnx")
    names = dict(names)
    if page == "docs/custom-operators.md":
        names["evaluator"] = ReferenceEvaluator(onnx.parser.parse_model(RELU))
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)
    assert blocks
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    try:
        for i, block in enumerate(blocks):
            if block.startswith(">>>"):
                example = doctest.DocTestParser().get_doctest(block, names, f"{page} {i}", page, 0)
                printed: list[str] = []
                runner.run(example, out=printed.append, clear_globs=False)
                assert runner.summarize(verbose=False).failed == 0, "".join(printed)
            else:
                exec(compile(block, f"{page} {i}", "exec"), names)
    finally:
        goruntime.unregister_custom_kernel("my.domain", "Swish")


def test_the_page_on_c_quotes_the_program():
    (block,) = re.findall(r"```c\n(.*?)```", (ROOT / "docs/c.md").read_text(), re.S)
    assert block == (ROOT / "examples/c/run.c").read_text()


def _rows(page, section=""):
    """Return the cells of the rows of the first table of a section, without its head."""
    text = (ROOT / page).read_text().split(section, 1)[1] if section else (ROOT / page).read_text()
    table = re.search(r"(?:^\|.*\n)+", text, re.M)
    lines = table[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def _number(pattern):
    """Return the one number that a pattern finds in the README."""
    found = re.findall(pattern, (ROOT / "README.md").read_text())
    assert len(found) == 1, f"{pattern!r} is there {len(found)} times"
    return float(found[0].replace(",", ""))


def test_the_readme_says_what_the_tables_of_models_say():
    ratios = [[float(row[4]), float(row[7])] for row in _rows("docs/models.md", "## onnxruntime")]
    assert _number(r"(\d+) real models") == len(ratios)
    assert _number(r"takes (\S+) of onnxruntime's time") == pytest.approx(np.exp(np.log(ratios).mean(0))[0], abs=0.01)
    assert _number(r"at one thread and (\S+) at two") == pytest.approx(np.exp(np.log(ratios).mean(0))[1], abs=0.01)
    assert _number(r"the longest takes (\S+) times") == np.max(ratios)
    fastest = re.search(r"the faster of the two in each row: (\S+) at one thread, (\S+) at two", (ROOT / "docs/models.md").read_text())
    assert fastest is not None
    assert _number(r"or\s+OpenVINO: (\S+) and") == float(fastest[1])
    assert _number(r"or\s+OpenVINO: \S+ and (\S+)\.\n") == float(fastest[2])


def test_the_readme_says_what_the_table_of_operators_says():
    page = (ROOT / "docs/operators.md").read_text()
    ratios = [float(ratio) for ratio in re.findall(r"^\| .+ \| \S+ \| \S+ \| (\d+\.\d\d) \|", page, re.M)]
    assert _number(r"One by one, (\d+) nodes") == len(ratios)
    assert _number(r"nodes of common sizes take (\S+) of") == pytest.approx(np.exp(np.log(ratios).mean()), abs=0.01)


def test_the_readme_says_what_the_table_of_record_batches_says():
    table = {(row[0], row[1], row[2]): [float(cell) for cell in row[3:6]] for row in _rows("docs/tabular.md")}
    shown = re.findall(r"^\| (.+) \((\d+) columns\) \| (.+) \|$", (ROOT / "README.md").read_text(), re.M)
    assert shown
    for name, columns, cells in shown:
        for rows, cell in zip(("1", "100", "10000"), cells.split(" | "), strict=True):
            ours, theirs, ratio = (float(number.replace(",", "")) for number in re.split(r"[ /()]+", cell)[:3])
            assert [ours, theirs] == table[name, columns, rows][:2]
            assert ratio == pytest.approx(table[name, columns, rows][2], abs=0.051)


def test_the_readme_says_what_the_table_of_servers_says():
    rows = _rows("docs/serving.md", "## Measuring a server")
    for column, pattern in ((2, r"answers (\S+) to (\S+) times as many batches"), (3, r"and (\S+) to (\S+) times as many as pyarrow's")):
        ratios = [float(row[column]) for row in rows]
        (shown,) = re.findall(pattern, (ROOT / "README.md").read_text())
        assert [float(x) for x in shown] == [min(ratios), max(ratios)]


def test_the_readme_says_what_the_table_of_official_cases_says():
    lines = (ROOT / "tests/conformance/official.txt").read_text().splitlines()
    cases = [line.split("\t")[1] for line in lines if line and not line.startswith("#")]
    assert _number(r"too: (\S+) of the") == cases.count("pass")
    assert _number(r"of the (\S+)\s+official cases") == sum(not case.startswith("skip") for case in cases)
