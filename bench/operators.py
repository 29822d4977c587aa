"""Times operators one by one beside onnxruntime: make bench writes docs/operators.md.

Each case is a model of one node, its weights constant. Both runtimes run it in one
process on one thread, in turn, several rounds; the least time of each is kept. A time has
the call from Python in it.
"""

from __future__ import annotations

import math
import os
import pathlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from models import difference
from tabular import least

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROUNDS = int(os.environ.get("ROUNDS", "3"))
BUDGET = float(os.environ.get("BUDGET", "0.04"))  # seconds of a runtime in a round
CLOSE = 1e-4  # the difference that is none, as a part of the largest magnitude
MANY = 1 << 20
DRAW = np.random.default_rng(0)
MICROSOFT = "com.microsoft"
FUNCTIONS = (
    "Abs",
    "Neg",
    "Exp",
    "Sigmoid",
    "Tanh",
    "Erf",
    "Softplus",
    "Elu",
    "Selu",
    "LeakyRelu",
    "Relu",
    "HardSigmoid",
    "HardSwish",
    "Mish",
    "Gelu",
    "Softsign",
    "Sin",
    "Cos",
    "Tan",
    "Atan",
    "Ceil",
    "Floor",
    "Round",
    "Sign",
    "IsNaN",
    "IsInf",
    "Celu",
    "ThresholdedRelu",
)


@dataclass
class Case:
    """A node: its inputs in order, of which those in `constant` are weights."""

    name: str
    op: str
    inputs: list[Any]
    constant: tuple[int, ...] = ()
    outputs: int = 1
    opset: int = 20
    domain: str = ""
    attributes: dict[str, Any] = field(default_factory=dict)

    def model(self) -> tuple[bytes, dict[str, Any]]:
        from onnx import ValueInfoProto, helper, numpy_helper

        names = ["" if x is None else f"{'w' if i in self.constant else 'x'}{i}" for i, x in enumerate(self.inputs)]
        feeds = {n: x for i, (n, x) in enumerate(zip(names, self.inputs, strict=True)) if n and i not in self.constant}
        outputs = [f"y{i}" for i in range(self.outputs)]
        graph = helper.make_graph(
            [helper.make_node(self.op, names, outputs, domain=self.domain, **self.attributes)], "one",
            [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape) for n, x in feeds.items()],
            [ValueInfoProto(name=n) for n in outputs], [numpy_helper.from_array(np.asarray(self.inputs[i]), names[i]) for i in self.constant],
        )  # fmt: skip
        opsets = [helper.make_opsetid("", self.opset)] + ([helper.make_opsetid(self.domain, 1)] if self.domain else [])
        return helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString(), feeds


def floats(*shape: int, dtype: Any = np.float32) -> Any:
    return DRAW.standard_normal(shape).astype(dtype)


def codes(*shape: int) -> Any:
    return DRAW.integers(0, 256, shape).astype(np.uint8)


def ints(*values: int) -> Any:
    return np.array(values, np.int64)


def elementwise() -> Iterator[Case]:
    x = floats(MANY)
    for op in FUNCTIONS:
        yield Case(op, op, [x])
    for op in ("Log", "Sqrt", "Reciprocal"):
        yield Case(op, op, [np.abs(x) + 0.1])
    for op in ("Add", "Mul", "Div", "Pow", "Max"):
        yield Case(f"{op}, alike", op, [np.abs(x), x[::-1].copy()])
        yield Case(f"{op}, a row", op, [np.abs(floats(1024, 1024)), floats(1024)])
        yield Case(f"{op}, a column", op, [np.abs(floats(1024, 1024)), floats(1024, 1)])
        yield Case(f"{op}, channels", op, [np.abs(floats(8, 64, 32, 32)), floats(64, 1, 1)])
    for dtype in (np.float16, np.float64, np.int32, np.int64):
        for op in ("Add", "Mul"):
            yield Case(f"{op}, {np.dtype(dtype)}", op, [(x * 50).astype(dtype), (np.abs(x) * 50 + 1).astype(dtype)])
    for dtype in (np.int8, np.uint8, np.float64):
        for op in ("Add", "Mul", "Max", "Min"):
            yield Case(f"{op}, {np.dtype(dtype)}, a row", op, [(np.abs(floats(1024, 1024)) * 9).astype(dtype), (np.abs(floats(1024)) * 9).astype(dtype)])
    for dtype in (np.int8, np.int64, np.float64):
        for op in ("Abs", "Neg", "Sign", "Relu")[: 3 if dtype == np.int64 else 4]:  # which onnxruntime has
            yield Case(f"{op}, {np.dtype(dtype)}", op, [(x * 50).astype(dtype)])
        yield Case(f"Clip, {np.dtype(dtype)}", "Clip", [(x * 9).astype(dtype), np.array(-3, dtype), np.array(3, dtype)], (1, 2))
    yield Case("BitShift", "BitShift", [(np.abs(x) * 50).astype(np.uint32), np.uint32([2])], (1,), attributes={"direction": "LEFT"})
    for op in ("Equal", "Less"):
        yield Case(op, op, [x, x[::-1].copy()])
        yield Case(f"{op} of float16 and a number", op, [x.astype(np.float16), np.float16([1])], (1,))
    yield Case("And", "And", [x > 0, x < 1])
    yield Case("Not", "Not", [x > 0])
    yield Case("BitwiseAnd", "BitwiseAnd", [(x * 99).astype(np.int32), (x[::-1] * 99).astype(np.int32)])
    yield Case("Where", "Where", [x > 0, x, x[::-1].copy()])
    yield Case("Where, a mask", "Where", [floats(1, 1, 128, 128) > 0, floats(8, 12, 128, 128), np.float32([0])])
    yield Case("Clip", "Clip", [x, np.float32(-1), np.float32(1)], (1, 2))
    yield Case("Sum of three", "Sum", [x, x[::-1].copy(), x])
    for source, to in ((np.float32, 10), (np.float16, 1), (np.float32, 7), (np.int64, 1), (np.float32, 2), (np.uint8, 1), (np.float32, 9), (np.float64, 1)):
        yield Case(f"Cast {np.dtype(source)} to type {to}", "Cast", [(np.abs(x) * 9).astype(source)], attributes={"to": to})


def reductions() -> Iterator[Case]:
    x = np.abs(floats(256, 64, 64))
    for op in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL2", "ReduceLogSumExp"):
        for axes in ([2], [1], [0], [0, 2], [0, 1, 2]):
            yield Case(f"{op} {axes}", op, [x, ints(*axes)], (1,))
    for axis in (0, 1, 2):
        yield Case(f"ArgMax {axis}", "ArgMax", [x], attributes={"axis": axis})
        yield Case(f"Softmax {axis}", "Softmax", [floats(64, 128, 128)], attributes={"axis": axis})
    yield Case("LogSoftmax", "LogSoftmax", [floats(64, 128, 128)])
    for axis in (0, 1):
        yield Case(f"CumSum {axis}", "CumSum", [floats(1024, 1024), np.int64(axis)], (1,))
    for k in (1, 5, 100):
        yield Case(f"TopK {k}", "TopK", [floats(64, 10000), ints(k)], (1,), outputs=2)
    yield Case("LayerNormalization", "LayerNormalization", [floats(128, 768), floats(768), floats(768)], (1, 2))
    yield Case("GroupNormalization", "GroupNormalization", [floats(4, 64, 32, 32), floats(64), floats(64)], (1, 2), opset=21, attributes={"num_groups": 8})
    yield Case("InstanceNormalization", "InstanceNormalization", [floats(4, 64, 32, 32), floats(64), floats(64)], (1, 2))
    yield Case("BatchNormalization of rows", "BatchNormalization", [floats(4096, 64), floats(64), floats(64), floats(64), np.abs(floats(64))], (1, 2, 3, 4))
    yield Case("MeanVarianceNormalization", "MeanVarianceNormalization", [floats(4, 32, 48, 48)])
    yield Case("LpNormalization", "LpNormalization", [floats(128, 768)])
    yield Case("SoftmaxCrossEntropyLoss", "SoftmaxCrossEntropyLoss", [floats(256, 1000), DRAW.integers(0, 1000, 256)], outputs=2)
    for dtype in (np.int64, np.float64):
        for op in ("ReduceSum", "ReduceMax"):
            for axes in ([2], [1]):
                yield Case(f"{op} {axes}, {np.dtype(dtype)}", op, [(x * 9).astype(dtype), ints(*axes)], (1,))
        yield Case(f"CumSum 0, {np.dtype(dtype)}", "CumSum", [(floats(1024, 1024) * 9).astype(dtype), np.int64(0)], (1,))
    yield Case("RMSNormalization", "RMSNormalization", [floats(128, 768), floats(768)], (1,), opset=23)


def moves() -> Iterator[Case]:
    for perm in ((0, 2, 1), (1, 0, 2), (2, 1, 0), (2, 0, 1)):
        yield Case(f"Transpose {perm}", "Transpose", [floats(64, 128, 128)], attributes={"perm": perm})
    yield Case("Transpose, heads", "Transpose", [floats(8, 128, 12, 64)], attributes={"perm": (0, 2, 1, 3)})
    yield Case("Concat", "Concat", [floats(64, 1024), floats(64, 1024)], attributes={"axis": 1})
    yield Case("Split", "Split", [floats(64, 3072)], outputs=3, attributes={"axis": 1, "num_outputs": 3})
    yield Case("Slice, every second", "Slice", [floats(1024, 1024), ints(0, 0), ints(1024, 1024), ints(0, 1), ints(2, 2)], (1, 2, 3, 4))
    yield Case("Gather rows", "Gather", [floats(30000, 256), DRAW.integers(0, 30000, (8, 128))], (1,))
    yield Case("GatherElements", "GatherElements", [floats(1024, 1024), DRAW.integers(0, 1024, (1024, 512))], (1,), attributes={"axis": 1})
    yield Case("ScatterND", "ScatterND", [floats(1024, 256), DRAW.integers(0, 1024, (512, 1)), floats(512, 256)], (1, 2))
    for by in ("add", "max"):
        for dtype in (np.float32, np.int64):
            case = [(floats(1024, 256) * 9).astype(dtype), DRAW.integers(0, 1024, (512, 1)), (floats(512, 256) * 9).astype(dtype)]
            yield Case(f"ScatterND, {by}, {np.dtype(dtype)}", "ScatterND", case, (1,), attributes={"reduction": by})
    yield Case("Expand", "Expand", [floats(64, 1, 128), ints(64, 128, 128)], (1,))
    yield Case("Pad", "Pad", [floats(8, 64, 56, 56), ints(0, 0, 1, 1, 0, 0, 1, 1)], (1,))
    for mode in ("nearest", "linear", "cubic"):
        none = np.float32([])
        yield Case(f"Resize, {mode}, doubled", "Resize", [floats(1, 32, 64, 64), none, np.float32([1, 1, 2, 2])], (1, 2), attributes={"mode": mode})
        yield Case(f"Resize, {mode}, shrunk", "Resize", [floats(1, 3, 512, 512), none, none, ints(1, 3, 224, 224)], (1, 2, 3), attributes={"mode": mode})


def windows() -> Iterator[Case]:
    for op in ("MaxPool", "AveragePool"):
        for rank, shape in ((1, (1, 64, 4096)), (2, (1, 64, 112, 112)), (3, (1, 16, 32, 32, 32))):
            yield Case(f"{op}, {rank} dimensions", op, [floats(*shape)], attributes={"kernel_shape": [2] * rank, "strides": [2] * rank})
    yield Case("MaxPool, dilated", "MaxPool", [floats(1, 64, 56, 56)], attributes={"kernel_shape": [3, 3], "dilations": [2, 2]})
    yield Case("MaxPool of lines, 3 by 1", "MaxPool", [floats(1, 64, 8192)], attributes={"kernel_shape": [3], "pads": [1, 1]})
    yield Case(
        "MaxUnpool", "MaxUnpool", [floats(1, 32, 32, 32), 4 * np.arange(32**3).reshape(1, 32, 32, 32)], attributes={"kernel_shape": [2, 2], "strides": [2, 2]}
    )
    yield Case("Col2Im", "Col2Im", [floats(1, 16 * 9, 32 * 32), ints(34, 34), ints(3, 3)], (1, 2))
    yield Case("AffineGrid", "AffineGrid", [floats(4, 2, 3), ints(4, 1, 64, 64)], (1,))
    for count, classes in ((1000, 1), (300, 80)):
        corner, size = np.abs(floats(1, count, 2)) * 300, np.abs(floats(1, count, 2)) * 60 + 5
        boxes, scores = np.concatenate([corner, corner + size], 2).astype(np.float32), DRAW.random((1, classes, count)).astype(np.float32)
        yield Case(
            f"NonMaxSuppression of {count}, {classes} classes",
            "NonMaxSuppression",
            [boxes, scores, ints(100), np.float32([0.5]), np.float32([0.05])],
            (2, 3, 4),
        )
    sizes = {
        "1x1": (64, 64, 56, 1, 1, 1), "3x3": (64, 64, 56, 3, 1, 1), "3x3 by 2": (64, 128, 56, 3, 2, 1), "7x7 by 2": (3, 64, 224, 7, 2, 1),
        "5x5": (32, 64, 28, 5, 1, 1), "3x3 of each channel": (128, 128, 56, 3, 1, 128), "5x5 of each channel": (128, 128, 28, 5, 1, 128),
        "3x3 in 32 groups": (128, 128, 28, 3, 1, 32), "16x16 by 16": (3, 192, 224, 16, 16, 1),
    }  # fmt: skip
    for name, (channels, filters, size, k, stride, group) in sizes.items():
        pad = 0 if k == 16 else k // 2
        attributes = {"kernel_shape": [k, k], "strides": [stride, stride], "group": group, "pads": [pad] * 4}
        yield Case(
            f"Conv {name}", "Conv", [floats(1, channels, size, size), floats(filters, channels // group, k, k), floats(filters)], (1, 2), attributes=attributes
        )
    yield Case("Conv of 1 dimension", "Conv", [floats(1, 128, 1000), floats(128, 128, 3)], (1,), attributes={"kernel_shape": [3], "pads": [1, 1]})
    yield Case(
        "ConvTranspose 2x2 by 2", "ConvTranspose", [floats(1, 64, 32, 32), floats(64, 32, 2, 2)], (1,), attributes={"kernel_shape": [2, 2], "strides": [2, 2]}
    )
    yield Case(
        "ConvTranspose 4x4 by 2",
        "ConvTranspose",
        [floats(1, 64, 32, 32), floats(64, 32, 4, 4)],
        (1,),
        attributes={"kernel_shape": [4, 4], "strides": [2, 2], "pads": [1] * 4},
    )


def products() -> Iterator[Case]:
    for m, k, n in ((1, 768, 768), (1, 4096, 4096), (8, 768, 3072), (128, 768, 768), (512, 512, 512), (1000, 10, 100)):
        yield Case(f"MatMul {m} x {k} x {n}", "MatMul", [floats(m, k), floats(k, n)], (1,))
    yield Case("MatMul, both fed", "MatMul", [floats(256, 256), floats(256, 256)])
    yield Case("MatMul of 12", "MatMul", [floats(12, 128, 64), floats(12, 64, 128)])
    yield Case("MatMul, float16", "MatMul", [floats(256, 256, dtype=np.float16), floats(256, 256, dtype=np.float16)], (1,))
    yield Case("Gemm, transposed", "Gemm", [floats(128, 768), floats(768, 768), floats(768)], (1, 2), attributes={"transB": 1})
    yield Case("Einsum bhid,bhjd->bhij", "Einsum", [floats(1, 12, 128, 64), floats(1, 12, 128, 64)], attributes={"equation": "bhid,bhjd->bhij"})
    for op, gates in (("LSTM", 4), ("GRU", 3)):
        for hidden, size, steps, batch in ((128, 128, 50, 1), (256, 64, 20, 8)):
            weights = [floats(1, gates * hidden, size) * 0.1, floats(1, gates * hidden, hidden) * 0.1, floats(1, 2 * gates * hidden)]
            yield Case(
                f"{op} of {hidden}, {steps} steps of {batch}",
                op,
                [floats(steps, batch, size), *weights],
                (1, 2, 3),
                outputs=2,
                attributes={"hidden_size": hidden},
            )
    heads = [floats(1, 12, 128, 64) for _ in range(3)]
    yield Case("Attention", "Attention", heads, opset=23)
    yield Case("MultiHeadAttention", "MultiHeadAttention", [floats(1, 128, 768) for _ in range(3)], domain=MICROSOFT, attributes={"num_heads": 12})
    for rows in (1, 128):
        weights = [codes(2048, 64, 16), np.abs(floats(2048 * 64)) * np.float32(0.01)]
        yield Case(
            f"MatMulNBits {rows} x 2048 x 2048",
            "MatMulNBits",
            [floats(rows, 2048), *weights],
            (1, 2),
            domain=MICROSOFT,
            attributes={"K": 2048, "N": 2048, "bits": 4, "block_size": 32},
        )


def quantized() -> Iterator[Case]:
    scale, zero, signed = np.float32(0.02), np.uint8(128), np.int8(0)
    yield Case("QuantizeLinear", "QuantizeLinear", [floats(1024, 1024), scale, zero], (1, 2))
    yield Case("DequantizeLinear", "DequantizeLinear", [codes(1024, 1024), scale, zero], (1, 2))
    yield Case("DynamicQuantizeLinear", "DynamicQuantizeLinear", [floats(128, 768)], outputs=3)
    weights = DRAW.integers(-40, 41, (768, 768)).astype(np.int8)
    yield Case("MatMulInteger", "MatMulInteger", [codes(128, 768), weights], (1,))
    yield Case("QLinearMatMul", "QLinearMatMul", [codes(128, 768), scale, zero, weights, scale, signed, np.float32(0.5), zero], tuple(range(1, 8)))
    for name, channels, filters, group in (("3x3", 64, 64, 1), ("3x3 of each channel", 128, 128, 128)):
        weights = DRAW.integers(-40, 41, (filters, channels // group, 3, 3)).astype(np.int8)
        yield Case(
            f"QLinearConv {name}", "QLinearConv", [codes(1, channels, 56, 56), scale, zero, weights, scale, signed, np.float32(0.5), zero], tuple(range(1, 8)),
            attributes={"kernel_shape": [3, 3], "pads": [1] * 4, "group": group},
        )  # fmt: skip
    yield Case(
        "QLinearAdd", "QLinearAdd", [codes(1 << 18), scale, zero, codes(1 << 18), scale, zero, np.float32(0.05), zero], (1, 2, 4, 5, 6, 7), domain=MICROSOFT
    )


GROUPS: dict[str, Callable[[], Iterator[Case]]] = {
    "Elementwise": elementwise, "Reductions and normalizations": reductions, "Moves": moves, "Convolutions and pools": windows,
    "Products, recurrent layers, attention": products, "Quantized": quantized,
}  # fmt: skip


def measure(case: Case) -> tuple[float, float, float]:
    """Return our time and theirs, in seconds, and the difference of the results."""
    import onnxruntime as ort

    from goruntime import ReferenceEvaluator

    model, feeds = case.model()
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    peer, ours = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"]), ReferenceEvaluator(model, num_threads=1)
    apart = difference(ours.run(None, feeds), list(peer.run(None, feeds)))
    calls: tuple[Callable[[], Any], ...] = (lambda: ours.run(None, feeds), lambda: peer.run(None, feeds))
    times = [math.inf, math.inf]
    for _ in range(ROUNDS):
        times = [min(t, least(call, BUDGET)) for t, call in zip(times, calls, strict=True)]
    return times[0], times[1], apart


def write(machine: str) -> None:
    """Measure every case and write docs/operators.md."""
    import onnxruntime as ort

    ort.set_default_logger_severity(4)
    lines, ratios = [], []
    for title, cases in GROUPS.items():
        rows = []
        for case in cases():
            ours, theirs, apart = measure(case)
            apart_shown = "" if apart < CLOSE else f"{apart:.0e}"
            rows.append((ours / theirs, f"| {case.name} | {1e3 * ours:.3g} | {1e3 * theirs:.3g} | {ours / theirs:.2f} | {apart_shown} |"))
        mean = math.exp(sum(math.log(r) for r, _ in rows) / len(rows))
        ratios += [r for r, _ in rows]
        lines += [f"## {title}", "", f"Geometric mean of {len(rows)} ratios: {mean:.2f}.", ""]
        lines += ["| operator | ours | theirs | ratio | difference |", "| --- | --- | --- | --- | --- |"]
        lines += [row for _, row in rows] + [""]
    mean = math.exp(sum(math.log(r) for r in ratios) / len(ratios))
    head = f"""# Operators one by one beside onnxruntime

Written by `make bench`. {machine}. onnxruntime {ort.__version__}. Times are milliseconds of the fastest run
on one thread, with the call from Python; ratio is ours by theirs; difference is the largest
one, as a part of the largest magnitude of an output, where it is {CLOSE:g} or more. Most
inputs have a million numbers, which do not fit the nearest caches. Only ratios within a
row mean something: models spend their time in few operators, and fuse many of these.

Geometric mean of {len(ratios)} ratios: {mean:.2f}. {sum(r <= 1.1 for r in ratios)} are 1.1 or less, {sum(r > 2 for r in ratios)} more than 2.

"""
    (ROOT / "docs" / "operators.md").write_text(head + "\n".join(lines).rstrip() + "\n")
