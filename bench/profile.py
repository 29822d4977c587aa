"""Makes the runs that `make profile` looks at: the smallest ones, whose time is all
call and no kernel. The library under it is built with the tag `profile`."""

from __future__ import annotations

import pathlib
import time

import numpy as np

from goruntime import ReferenceEvaluator

MODELS = pathlib.Path(__file__).resolve().parents[1] / "tests/models"
SECONDS = 21.0  # a little longer than the profile

runs = []
for name in ("add", "add", "add", "double", "sum", "chain"):
    evaluator = ReferenceEvaluator(str(MODELS / f"{name}.onnx"))
    runs.append((evaluator.run, dict.fromkeys(evaluator.input_names, np.ones(3, np.float32))))
end = time.monotonic() + SECONDS
while time.monotonic() < end:
    for run, feeds in runs:
        for _ in range(1000):
            run(None, feeds)
