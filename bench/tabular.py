"""Scores record batches beside onnxruntime: make bench writes docs/tabular.md.

A batch of float32 columns goes into a model of one [N, K] input: ours is
goruntime.arrow.score, which reads the columns in place; theirs stacks the columns and
runs, by np.stack as most programs do and by pyarrow's own to_tensor, which is the fast
way. Each model runs in a process of its own for each runtime and number of threads, the
runtimes in turn, several rounds; the least time of all is kept.
"""

from __future__ import annotations

import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
ROUNDS = int(os.environ.get("ROUNDS", "3"))
BUDGET = float(os.environ.get("BUDGET", "0.3"))  # seconds for one number of rows in one process
ROWS = (1, 100, 10000)
WAYS = ("goruntime", "np.stack", "to_tensor")


def pipeline(columns: int, *nodes: Any, weights: dict[str, Any] | None = None) -> Any:
    """Return a model of one input X [N, columns] whose last node gives its outputs."""
    import onnx
    from onnx import TensorProto, helper

    kinds = {"label": TensorProto.INT64}
    graph = helper.make_graph(
        list(nodes), "tabular", [helper.make_tensor_value_info("X", TensorProto.FLOAT, [None, columns])],
        [helper.make_tensor_value_info(name, kinds.get(name, TensorProto.FLOAT), None) for name in nodes[-1].output],
        [onnx.numpy_helper.from_array(w, name) for name, w in (weights or {}).items()],
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 3)], ir_version=9)


def scaler(columns: int, draw: Any) -> Any:
    from onnx import helper

    return helper.make_node(
        "Scaler", ["X"], ["scaled"], domain="ai.onnx.ml", offset=draw.normal(size=columns).tolist(), scale=(0.5 + draw.random(columns)).tolist()
    )


def linear(columns: int) -> Any:
    """Return a scaler and a linear regressor."""
    from onnx import helper

    draw = np.random.default_rng(0)
    head = helper.make_node("LinearRegressor", ["scaled"], ["y"], domain="ai.onnx.ml", coefficients=draw.normal(size=columns).tolist(), intercepts=[0.5])
    return pipeline(columns, scaler(columns, draw), head)


def logistic(columns: int, classes: int) -> Any:
    """Return a scaler and a logistic regression."""
    from onnx import helper

    draw = np.random.default_rng(0)
    head = helper.make_node(
        "LinearClassifier", ["scaled"], ["label", "scores"], domain="ai.onnx.ml", coefficients=(draw.normal(size=columns * classes) / columns).tolist(),
        intercepts=draw.normal(size=classes).tolist(), classlabels_ints=list(range(classes)), post_transform="SOFTMAX",
    )  # fmt: skip
    return pipeline(columns, scaler(columns, draw), head)


def machine_of(columns: int, vectors: int, classes: int, kernel: str) -> Any:
    """Return a scaler and a support vector classifier."""
    from onnx import helper

    draw, per = np.random.default_rng(0), vectors // classes
    head = helper.make_node(
        "SVMClassifier", ["scaled"], ["label", "scores"], domain="ai.onnx.ml", kernel_type=kernel, kernel_params=[1.0 / columns, 0.0, 3.0],
        support_vectors=draw.normal(size=per * classes * columns).tolist(), vectors_per_class=[per] * classes,
        coefficients=draw.normal(size=per * classes * (classes - 1)).tolist(), rho=draw.normal(size=classes * (classes - 1) // 2).tolist(),
        classlabels_ints=list(range(classes)),
    )  # fmt: skip
    return pipeline(columns, scaler(columns, draw), head)


def perceptron(columns: int, width: int) -> Any:
    """Return a network of two hidden layers."""
    from onnx import helper

    draw, sizes = np.random.default_rng(0), (columns, width, width, 1)
    nodes, weights, last = [], {}, "X"
    for i, (a, b) in enumerate(itertools.pairwise(sizes)):
        weights[f"w{i}"] = (draw.normal(size=(a, b)) / np.sqrt(a)).astype(np.float32)
        weights[f"b{i}"] = draw.normal(size=b).astype(np.float32)
        nodes.append(helper.make_node("Gemm", [last, f"w{i}", f"b{i}"], [f"g{i}"]))
        last = f"g{i}"
        if i < 2:
            nodes.append(helper.make_node("Relu", [last], [f"r{i}"]))
            last = f"r{i}"
    return pipeline(columns, *nodes, weights=weights)


MODELS: dict[str, Callable[[], Any] | str] = {
    "LightGBM regressor, 80 trees": "classic/lightgbm_reg",
    "gradient boosting regressor, 100 trees": "classic/gbr_diabetes",
    "XGBoost classifier, 90 trees, 3 classes": "classic/xgboost_multi",
    "random forest classifier, 60 large trees, 10 classes": "classic/rf_digits_noz",
    "scaler, linear regressor": lambda: linear(30),
    "scaler, logistic regression, 3 classes": lambda: logistic(100, 3),
    "scaler, support vectors (RBF), 201, 3 classes": lambda: machine_of(30, 201, 3, "RBF"),
    "scaler, support vectors (cubic), 201, 3 classes": lambda: machine_of(30, 201, 3, "POLY"),
    "perceptron 30-64-64-1": lambda: perceptron(30, 64),
}


def least(call: Callable[[], Any], budget: float = BUDGET) -> float:
    """Return the least time of a call, called for some seconds."""
    times, begin = [], time.perf_counter()
    while len(times) < 5 or time.perf_counter() - begin < budget:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def work(way: str, path: str, samples: str, threads: str, results: str) -> list[float]:
    """Score batches of all sizes in this process: the least time of each."""
    import pyarrow as pa

    if way == "goruntime":
        from goruntime import ReferenceEvaluator, arrow

        evaluator = ReferenceEvaluator(path, num_threads=int(threads))

        def score(batch: Any) -> list[Any]:
            return list(arrow.score(evaluator, batch).columns.values())
    else:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads = int(threads)
        session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        (name,) = (i.name for i in session.get_inputs())

        def score(batch: Any) -> list[Any]:
            stacked = way == "np.stack"
            x = np.stack([c.to_numpy() for c in batch.columns], axis=1) if stacked else batch.to_tensor(row_major=True).to_numpy()
            return list(session.run(None, {name: x}))

    times, kept = [], {}
    for rows in ROWS:
        draw = np.random.default_rng(rows)
        batch = pa.record_batch({f"f{i}": pa.array(draw.choice(column, rows)) for i, column in enumerate(np.load(samples).T)})
        kept.update({f"{rows} {k}": np.asarray(y).reshape(rows, -1) for k, y in enumerate(score(batch))})
        times.append(least(lambda batch=batch: score(batch)))
    np.savez(results, **kept)
    return times


def measure(path: str, samples: str, threads: int, folder: str) -> dict[str, list[float]]:
    """Measure one model in all ways, and see to it that the results agree."""
    found: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for way in WAYS:
            command = [sys.executable, str(HERE / "tabular.py"), way, path, samples, str(threads), os.path.join(folder, f"{way}.npz")]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            times: list[float] = json.loads(done.stdout.splitlines()[-1])
            found[way] = [min(a, b) for a, b in zip(times, found.get(way, times), strict=True)]
    ours, theirs = (np.load(os.path.join(folder, f"{way}.npz")) for way in WAYS[:2])
    for name in theirs.files:
        # Sums of many trees differ in the last bits, and with them seldom a label.
        agree = np.isclose(ours[name], theirs[name], rtol=1e-3, atol=1e-4).mean()
        assert agree > 0.99, f"{path}: only {agree:.1%} of the output {name} agree"
    return found


HEAD = """# Tables beside onnxruntime

Written by `make bench`. {machine}. A pyarrow record batch of float32 columns, scored in
process: ours is `goruntime.arrow.score`, theirs onnxruntime on what stacks the columns,
`np.stack` or pyarrow's `to_tensor`. Times are microseconds of the fastest call, at one
and two threads; a ratio is theirs by ours: how many times as fast we are. Only ratios
within a row mean something. Of our time on a small batch most is pyarrow's, which
exports the columns one by one. Large batches of a perceptron, and of what else is mostly
products, are arithmetic on both sides: there the ratio nears that of the products.

| model | columns | rows | ours, 1 | np.stack, 1 | ratio | to_tensor, 1 | ratio | ours, 2 | np.stack, 2 | ratio | to_tensor, 2 | ratio |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def lines(name: str, columns: int, found: dict[int, dict[str, list[float]]]) -> list[str]:
    """Return the lines of a model."""
    made = []
    for k, rows in enumerate(ROWS):
        cells = [name, str(columns), str(rows)]
        for threads in (1, 2):
            ours, *theirs = (found[threads][way][k] for way in WAYS)
            cells.append(f"{1e6 * ours:.3g}")
            for t in theirs:
                cells += [f"{1e6 * t:.3g}", f"{t / ours:.2f}"]
        made.append("| " + " | ".join(cells) + " |")
    return made


def write(machine: str) -> None:
    """Measure all models and write the table."""
    sys.path.insert(0, str(ROOT / "tests" / "parity"))
    import onnx
    import zoo
    from rich.progress import track

    table = []
    with tempfile.TemporaryDirectory() as folder:
        for name, source in track(MODELS.items(), "tables"):
            path = os.path.join(folder, "model.onnx")
            samples = os.path.join(folder, "samples.npy")
            model = onnx.load(str(zoo.path(source))) if isinstance(source, str) else source()
            onnx.save(model, path)
            columns = model.graph.input[0].type.tensor_type.shape.dim[1].dim_value
            # What real models see: values of real rows, each column drawn by itself.
            x = zoo.feeds(source)["X"] if isinstance(source, str) else np.random.default_rng(1).normal(size=(1000, columns)).astype(np.float32)
            np.save(samples, x)
            table += lines(name, columns, {threads: measure(path, samples, threads, folder) for threads in (1, 2)})
    (ROOT / "docs" / "tabular.md").write_text(HEAD.format(machine=machine) + "\n".join(table) + "\n")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(work(*sys.argv[1:6])))
    else:
        from run import machine

        write(machine())
