"""The official cases on ONNX Runtime as engine, beside its own Python interface."""

from __future__ import annotations

import pathlib
import sys
from typing import Any

import onnxruntime
import pytest

from goruntime import Error, ReferenceEvaluator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "conformance"))
import official

# What ONNX Runtime's C interface does not take.
EMPTY = {"test_loop13_seq": "an empty seq"}


def outcome(case: official.Case, run: Any) -> str:
    """Return "pass", or what is wrong."""
    model = case.model()
    try:
        call = run(model.SerializeToString())
        for inputs, expected in case.data():
            feeds = {i.name: official._array(x) for i, x in zip(model.graph.input, inputs, strict=False)}
            for mine, theirs in zip(call(None, feeds), map(official._array, expected), strict=True):
                official.same(mine, theirs, case.rtol, case.atol)
    except (Error, AssertionError) as error:
        return official._line(error)
    return "pass"


def theirs(model: bytes) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    return onnxruntime.InferenceSession(model, options).run


def peer(case: official.Case) -> bool:
    """Whether onnxruntime's own interface gives the right answer."""
    try:
        return outcome(case, theirs) == "pass"
    except Exception:  # onnxruntime's errors have no base but Exception
        return False


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.timeout(600)
def test_what_passes_in_onnxruntime_passes_here():
    passed, worse = 0, {}
    for case in official.cases():
        text = outcome(case, lambda model: ReferenceEvaluator(model, engine="ort", num_threads=1).run)
        passed += text == "pass"
        if text != "pass" and peer(case):
            worse[case.name] = text
    assert {name: text.split(": ")[2] for name, text in worse.items()} == EMPTY
    assert passed >= 1838
