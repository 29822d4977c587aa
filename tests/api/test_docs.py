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
