"""Gradient (ai.onnx.preview.training) beside JAX, which differentiates the same functions."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from goruntime import ModelError, ReferenceEvaluator, UnsupportedError, WrongTypeError, supports

F = TensorProto.FLOAT
RNG = np.random.default_rng(7)


def model(nodes, inputs, outputs, opset=18, initializers=()):
    infos = [helper.make_tensor_value_info(n, F, None) for n in inputs]
    graph = helper.make_graph(nodes, "g", infos, [helper.make_tensor_value_info(n, F, None) for n in outputs], list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid("ai.onnx.preview.training", 1)])


def gradient(xs, y="y", zs=(), given=None, outputs=None):
    attributes = {"xs": list(xs), "y": y} | ({"zs": list(zs)} if zs else {})
    return helper.make_node("Gradient", given or [*xs, *zs], outputs or [f"d{x}" for x in xs], domain="ai.onnx.preview.training", **attributes)


def node(op, *inputs, out="y", **attributes):
    return helper.make_node(op, list(inputs), [out], **attributes)


def f32(*shape, low=-2.0, high=2.0):
    return RNG.uniform(low, high, shape).astype(np.float32)


def ints(name, *values):
    return numpy_helper.from_array(np.array(values, np.int64), name)


def softmax_from(axis):
    """The softmax of opsets before 13: over all axes from one on."""
    return lambda x: jax.nn.softmax(x.reshape(*x.shape[:axis], -1).reshape(int(np.prod(x.shape[:axis])), -1), -1).reshape(x.shape)


def convolved(strides=(1, 1), pads=(0, 0, 0, 0), dilations=(1, 1), group=1):
    around = list(zip(pads[:2], pads[2:], strict=True))
    kind = {"rhs_dilation": dilations, "feature_group_count": group}
    return lambda x, w, b: jax.lax.conv_general_dilated(x, w, strides, around, **kind) + b[:, None, None]


def transposed(size, strides=(1, 1), pads=(0, 0, 0, 0), dilations=(1, 1), group=1):
    """What a convolution of images of this size does backwards."""
    forward = convolved(strides, pads, dilations, group)

    def function(x, w, b):
        images = jnp.zeros((x.shape[0], w.shape[1] * group, *size), x.dtype)
        return jax.vjp(lambda images: forward(images, w, jnp.zeros(w.shape[0])), images)[1](x)[0] + b[:, None, None]

    return function


A, B = f32(3, 4), f32(3, 4)
SCALE = f32(3, 4)  # so that the gradients of y are not all one
POSITIVE = f32(3, 4, low=0.3)

# Name, node from x0, x1, ... to y, inputs, the function, opset, initializers.
CASES = [
    ("Add", node("Add", "x0", "x1"), [A, f32(4)], jnp.add, 18, []),
    ("Add of a scalar", node("Add", "x0", "x1"), [A, f32()], jnp.add, 18, []),
    ("Sub", node("Sub", "x0", "x1"), [A, f32(2, 1, 4)], jnp.subtract, 18, []),
    ("Mul", node("Mul", "x0", "x1"), [A, f32(3, 1)], jnp.multiply, 18, []),
    ("Mul of itself", node("Mul", "x0", "x0"), [A], lambda x: x * x, 7, []),
    ("Div", node("Div", "x0", "x1"), [A, f32(3, 1, low=0.5)], jnp.divide, 18, []),
    ("Pow", node("Pow", "x0", "x1"), [POSITIVE, f32(4)], jnp.power, 18, []),
    ("Pow of zero, negatives", node("Pow", "x0", "p"), [np.array([0, 0, -1.5, -2], np.float32)], lambda x: jnp.power(x, np.array([0, 2, 3, 2])), 18,
     [ints("p", 0, 2, 3, 2)]),
    ("Neg", node("Neg", "x0"), [A], jnp.negative, 6, []),
    ("Sum", node("Sum", "x0", "x1", "x2"), [A, f32(4), f32()], lambda a, b, c: a + b + c, 18, []),
    ("Mean", node("Mean", "x0", "x1"), [A, B], lambda a, b: (a + b) / 2, 18, []),
    ("Max", node("Max", "x0", "x1"), [A, B], jnp.maximum, 18, []),
    ("Min", node("Min", "x0", "x1"), [A, f32(4)], jnp.minimum, 18, []),
    ("Abs", node("Abs", "x0"), [A], jnp.abs, 18, []),
    ("Sqrt", node("Sqrt", "x0"), [POSITIVE], jnp.sqrt, 18, []),
    ("Reciprocal", node("Reciprocal", "x0"), [POSITIVE], lambda x: 1 / x, 18, []),
    ("Exp", node("Exp", "x0"), [A], jnp.exp, 18, []),
    ("Log", node("Log", "x0"), [POSITIVE], jnp.log, 18, []),
    ("Sin", node("Sin", "x0"), [A], jnp.sin, 18, []),
    ("Cos", node("Cos", "x0"), [A], jnp.cos, 18, []),
    ("Erf", node("Erf", "x0"), [A], jax.scipy.special.erf, 18, []),
    ("Tanh", node("Tanh", "x0"), [A], jnp.tanh, 18, []),
    ("Sigmoid", node("Sigmoid", "x0"), [A], jax.nn.sigmoid, 18, []),
    ("Softplus", node("Softplus", "x0"), [A], jax.nn.softplus, 18, []),
    ("Relu", node("Relu", "x0"), [A], jax.nn.relu, 18, []),
    ("LeakyRelu", node("LeakyRelu", "x0", alpha=0.3), [A], lambda x: jax.nn.leaky_relu(x, 0.3), 18, []),
    ("Clip by attributes", node("Clip", "x0", min=-1.0, max=0.5), [A], lambda x: jnp.clip(x, -1, 0.5), 6, []),
    ("Clip from below", node("Clip", "x0", "low"), [A], lambda x: jnp.clip(x, -0.5), 18, [numpy_helper.from_array(np.float32(-0.5), "low")]),
    ("Clip without bounds", node("Clip", "x0"), [np.array([np.inf, 3e38, -np.inf], np.float32)], lambda x: x, 18, []),
    ("Where of a broadcast condition", node("Where", "c", "x0", "x1"), [A, f32()], lambda a, b: jnp.where(np.array([[[True]], [[False]]]), a, b), 18,
     [numpy_helper.from_array(np.array([[[True]], [[False]]]), "c")]),
    ("Where", node("Where", "c", "x0", "x1"), [A, f32(4)], lambda a, b: jnp.where(np.arange(12).reshape(3, 4) % 2 == 0, a, b), 18,
     [numpy_helper.from_array(np.arange(12).reshape(3, 4) % 2 == 0, "c")]),
    ("Softmax", node("Softmax", "x0", axis=0), [A], lambda x: jax.nn.softmax(x, 0), 13, []),
    ("Softmax from an axis on", node("Softmax", "x0", axis=1), [f32(2, 3, 4)], softmax_from(1), 11, []),
    ("LogSoftmax", node("LogSoftmax", "x0"), [A], jax.nn.log_softmax, 18, []),
    ("MatMul", node("MatMul", "x0", "x1"), [A, f32(4, 5)], jnp.matmul, 18, []),
    ("MatMul of batches", node("MatMul", "x0", "x1"), [f32(2, 1, 3, 4), f32(5, 4, 2)], jnp.matmul, 18, []),
    ("MatMul of a vector", node("MatMul", "x0", "x1"), [f32(4), f32(2, 4, 3)], jnp.matmul, 18, []),
    ("MatMul by a vector", node("MatMul", "x0", "x1"), [A, f32(4)], jnp.matmul, 18, []),
    ("MatMul of vectors", node("MatMul", "x0", "x1"), [f32(4), f32(4)], jnp.matmul, 18, []),
    *((f"Gemm {a}{b}", node("Gemm", "x0", "x1", "x2", alpha=0.5, beta=2.0, transA=a, transB=b), [f32(4, 3) if a else A, f32(5, 4) if b else f32(4, 5), f32(5)],
       lambda x, w, c, a=a, b=b: 0.5 * (x.T if a else x) @ (w.T if b else w) + 2 * c, 18, []) for a in (0, 1) for b in (0, 1)),
    ("Einsum", node("Einsum", "x0", "x1", equation="bij,bjk->bik"), [f32(2, 3, 4), f32(2, 4, 5)], jnp.matmul, 18, []),
    ("Einsum over lengths of one", node("Einsum", "x0", "x1", equation="ij,jk->ik"), [f32(2, 1), f32(4, 3)], lambda a, b: a @ b.sum(0, keepdims=True), 18, []),
    ("Conv", node("Conv", "x0", "x1", "x2", kernel_shape=[3, 2]), [f32(2, 3, 6, 7), f32(4, 3, 3, 2), f32(4)], convolved(), 18, []),
    ("Conv with strides, padding", node("Conv", "x0", "x1", "x2", kernel_shape=[3, 3], strides=[2, 3], pads=[1, 0, 2, 1]),
     [f32(2, 3, 8, 9), f32(4, 3, 3, 3), f32(4)], convolved((2, 3), (1, 0, 2, 1)), 18, []),
    ("Conv with dilations", node("Conv", "x0", "x1", "x2", kernel_shape=[2, 3], strides=[2, 1], dilations=[2, 3], pads=[0, 2, 1, 0]),
     [f32(1, 2, 9, 11), f32(3, 2, 2, 3), f32(3)], convolved((2, 1), (0, 2, 1, 0), (2, 3)), 18, []),
    ("Conv in groups", node("Conv", "x0", "x1", "x2", group=2, kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 0, 1]),
     [f32(2, 6, 7, 5), f32(4, 3, 3, 2), f32(4)], convolved((2, 1), (1, 0, 0, 1), group=2), 18, []),
    ("Conv of each channel, dilated", node("Conv", "x0", "x1", "x2", group=3, strides=[1, 2], dilations=[2, 1]),
     [f32(2, 3, 8, 7), f32(6, 1, 2, 3), f32(6)], convolved((1, 2), dilations=(2, 1), group=3), 18, []),
    ("ConvTranspose", node("ConvTranspose", "x0", "x1", "x2", kernel_shape=[3, 2]), [f32(2, 3, 4, 5), f32(3, 4, 3, 2), f32(4)], transposed((6, 6)), 18, []),
    ("ConvTranspose with strides, padding, dilations, groups", node(
        "ConvTranspose", "x0", "x1", "x2", strides=[2, 3], pads=[1, 0, 0, 1], dilations=[1, 2], group=2, output_padding=[1, 2]),
     [f32(2, 4, 4, 3), f32(4, 3, 3, 2), f32(6)], transposed((9, 10), (2, 3), (1, 0, 0, 1), (1, 2), 2), 18, []),
    ("Pad", node("Pad", "x0", "p", "x1"), [f32(2, 3, 4), f32()], lambda x, v: jnp.pad(x, ((0, 1), (2, 0), (1, 3)), constant_values=v), 18,
     [ints("p", 0, 2, 1, 1, 0, 3)]),
    ("Pad that cuts, along axes", node("Pad", "x0", "p", "", "a"), [f32(2, 5, 4)], lambda x: jnp.pad(x[:, 1:], ((0, 0), (0, 1), (0, 2))), 18,
     [ints("p", -1, 0, 1, 2), ints("a", 1, -1)]),
    ("Pad by attributes", node("Pad", "x0", pads=[1, 0, 0, 2], value=3.0), [A], lambda x: jnp.pad(x, ((1, 0), (0, 2)), constant_values=3), 2, []),
    ("Pad by reflection", node("Pad", "x0", "p", mode="reflect"), [A], lambda x: jnp.pad(x, ((0, 0), (2, 3)), "reflect"), 18, [ints("p", 0, 2, 0, 3)]),
    ("Pad by the edges", node("Pad", "x0", "p", "v", mode="edge"), [A], lambda x: jnp.pad(x, ((1, 2), (0, 3)), "edge"), 18,
     [ints("p", 1, 0, 2, 3), numpy_helper.from_array(np.float32(1), "v")]),
    ("GlobalAveragePool", node("GlobalAveragePool", "x0"), [f32(2, 3, 4, 5)], lambda x: x.mean((2, 3), keepdims=True), 18, []),
    ("ReduceSum", node("ReduceSum", "x0", "a", keepdims=0), [f32(2, 3, 4)], lambda x: x.sum((0, 2)), 18, [ints("a", 0, 2)]),
    ("ReduceSum of all", node("ReduceSum", "x0", keepdims=0), [A], jnp.sum, 11, []),
    ("ReduceMean", node("ReduceMean", "x0", axes=[-1]), [A], lambda x: x.mean(-1, keepdims=True), 13, []),
    ("ReduceMean without the axis", node("ReduceMean", "x0", axes=[1], keepdims=0), [f32(2, 3, 4)], lambda x: x.mean(1), 13, []),
    ("ReduceSumSquare", node("ReduceSumSquare", "x0", axes=[1]), [A], lambda x: (x * x).sum(1, keepdims=True), 13, []),
    ("ReduceL2", node("ReduceL2", "x0", axes=[1], keepdims=0), [A], lambda x: jnp.sqrt((x * x).sum(1)), 13, []),
    ("ReduceLogSumExp", node("ReduceLogSumExp", "x0", axes=[1], keepdims=0), [A], lambda x: jax.scipy.special.logsumexp(x, 1), 13, []),
    ("ReduceMax", node("ReduceMax", "x0", axes=[1], keepdims=0), [A], lambda x: x.max(1), 13, []),
    ("ReduceMax of no axes", node("ReduceMax", "x0", noop_with_empty_axes=1), [A], lambda x: x, 18, []),
    ("ReduceMean of several axes from the end", node("ReduceMean", "x0", "a", keepdims=0), [f32(2, 3, 4)], lambda x: x.mean((0, 2)), 18, [ints("a", -1, -3)]),
    ("ReduceMin with ties", node("ReduceMin", "x0"), [np.array([1, 1, 2], np.float32)], lambda x: x.min(keepdims=True), 18, []),
    ("Identity", node("Identity", "x0"), [A], lambda x: x, 18, []),
    ("Reshape", node("Reshape", "x0", "s"), [A], lambda x: x.reshape(2, 6), 18, [ints("s", 2, -1)]),
    ("Flatten", node("Flatten", "x0", axis=2), [f32(2, 3, 4)], lambda x: x.reshape(6, 4), 18, []),
    ("Squeeze", node("Squeeze", "x0", axes=[1]), [f32(2, 1, 4)], lambda x: x[:, 0], 11, []),
    ("Unsqueeze", node("Unsqueeze", "x0", "a"), [A], lambda x: x[:, None], 18, [ints("a", 1)]),
    ("Transpose", node("Transpose", "x0", perm=[1, 2, 0]), [f32(2, 3, 4)], lambda x: x.transpose(1, 2, 0), 18, []),
    ("Transpose backwards", node("Transpose", "x0"), [f32(2, 3, 4)], lambda x: x.T, 18, []),
    ("Expand", node("Expand", "x0", "s"), [f32(3, 1)], lambda x: jnp.broadcast_to(x, (2, 3, 4)), 18, [ints("s", 2, 1, 4)]),
    ("Concat", node("Concat", "x0", "x1", axis=-1), [A, f32(3, 2)], lambda a, b: jnp.concatenate([a, b], -1), 18, []),
    ("Slice", node("Slice", "x0", "b", "e", "a", "s"), [f32(4, 9)], lambda x: x[:, -2:1:-3], 18, [ints("b", -2), ints("e", 1), ints("a", 1), ints("s", -3)]),
    ("Gather along an axis", node("Gather", "x0", "i", axis=1), [f32(3, 5)], lambda x: x[:, np.array([4, 0, 4])], 18, [ints("i", 4, 0, -1)]),
    ("GatherElements", node("GatherElements", "x0", "i", axis=1), [f32(1, 5)], lambda x: x[:, np.array([4, 0, 4])], 18,
     [numpy_helper.from_array(np.array([[4, 0, -1]]), "i")]),
    ("ScatterElements that adds", node("ScatterElements", "x0", "i", "x1", axis=1, reduction="add"), [A, f32(2, 3)],
     lambda a, b: a.at[np.arange(2)[:, None], np.array([[3, 0, 3], [1, 1, 2]])].add(b), 18, [numpy_helper.from_array(np.array([[3, 0, -1], [1, 1, 2]]), "i")]),
    ("Tile", node("Tile", "x0", "r"), [A], lambda x: jnp.tile(x, (2, 3)), 18, [ints("r", 2, 3)]),
    ("MaxPool", node("MaxPool", "x0", kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 0, 1]), [f32(2, 3, 6, 5)],
     lambda x: jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 3, 2), (1, 1, 2, 1), ((0, 0), (0, 0), (1, 0), (0, 1))), 18, []),
    ("BatchNormalization", node("BatchNormalization", "x0", "x1", "x2", "m", "v"), [f32(2, 3, 4), f32(3), f32(3)],
     lambda x, s, b: (x - 0.5) / jnp.sqrt(2 + 1e-5) * s[:, None] + b[:, None], 18,
     [numpy_helper.from_array(np.full(3, 0.5, np.float32), "m"), numpy_helper.from_array(np.full(3, 2, np.float32), "v")]),
    ("Gather", node("Gather", "x0", "i"), [f32(5, 3)], lambda x: x[np.array([[4, 0], [0, 2]])], 18,
     [numpy_helper.from_array(np.array([[4, 0], [0, 2]]), "i")]),
]  # fmt: skip


@pytest.mark.parametrize(("operator", "inputs", "function", "opset", "initializers"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_derivatives(operator, inputs, function, opset, initializers):
    """Of sum(y * scale): each element of y has another weight."""
    xs = [f"x{i}" for i in range(len(inputs))]
    expected = function(*map(jnp.asarray, inputs))
    scale = f32(*expected.shape)
    weigh = node("Mul", "y", "scale", out="weighed")
    m = model([operator, weigh, gradient(xs, "weighed")], xs, [f"d{x}" for x in xs], opset, [*initializers, numpy_helper.from_array(scale, "scale")])
    found = ReferenceEvaluator(m).run(None, dict(zip(xs, inputs, strict=True)))
    wanted = jax.grad(lambda *x: (function(*x) * scale).sum(), tuple(range(len(inputs))))(*map(jnp.asarray, inputs))
    for got, want, x in zip(found, wanted, inputs, strict=True):
        assert got.shape == x.shape
        np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-5)


def test_a_network():
    """Two layers, a residual and a loss; the weights are initializers, which xs may be too."""
    w, v, b = f32(4, 8), f32(8, 4), f32(8)
    nodes = [node("MatMul", "x", "w", out="h"), node("Add", "h", "b", out="i"), node("Tanh", "i", out="j"), node("MatMul", "j", "v", out="k"),
             node("Add", "k", "x", out="l"), node("Softmax", "l", out="p"), node("Log", "p", out="q"), node("Mul", "q", "t", out="r"),
             node("ReduceSum", "r", out="s", keepdims=0), node("Neg", "s", out="y"), gradient(["w", "b", "v"], zs=["x", "t"])]  # fmt: skip
    weights = [numpy_helper.from_array(a, n) for n, a in (("w", w), ("v", v), ("b", b))]
    x, t = f32(5, 4), np.eye(4, dtype=np.float32)[[0, 3, 1, 1, 2]]
    found = ReferenceEvaluator(model(nodes, ["x", "t"], ["dw", "db", "dv", "y"], 18, weights)).run(None, {"x": x, "t": t})

    def loss(w, b, v):
        return -(jax.nn.log_softmax(jnp.tanh(x @ w + b) @ v + x) * t).sum()

    for got, want in zip(found, [*jax.grad(loss, (0, 1, 2))(w, b, v), loss(w, b, v)], strict=True):
        np.testing.assert_allclose(got, want, rtol=2e-4, atol=2e-5)


def test_second_derivatives():
    """The gradient of a gradient: of x^3 and exp(x) w, each with respect to both."""
    nodes = [node("Mul", "x", "x", out="a"), node("Mul", "a", "x", out="b"), node("Exp", "x", out="c"), node("Mul", "c", "w", out="d"),
             node("Add", "b", "d", out="y"), gradient(["x", "w"], outputs=["dx", "dw"]), gradient(["x", "w"], "dx", outputs=["dxx", "dxw"])]  # fmt: skip
    x, w = f32(6), f32(6)
    found = ReferenceEvaluator(model(nodes, ["x", "w"], ["dx", "dw", "dxx", "dxw"])).run(None, {"x": x, "w": w})
    for got, want in zip(found, [3 * x**2 + np.exp(x) * w, np.exp(x), 6 * x + np.exp(x) * w, np.exp(x)], strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


TWICE = [c for c in CASES if c[0] not in ("Pow of zero, negatives", "Clip without bounds")]


@pytest.mark.parametrize(("operator", "inputs", "function", "opset", "initializers"), [c[1:] for c in TWICE], ids=[c[0] for c in TWICE])
def test_second_derivatives_of_each_operator(operator, inputs, function, opset, initializers):
    """Of the cube of y, so that it has some; the gradients are weighed for the second time."""
    xs = [f"x{i}" for i in range(len(inputs))]
    weights = [f32(*x.shape) for x in inputs]
    add = [node("Mul", f"d{x}", f"w{x}", out=f"p{x}") for x in xs] + [node("ReduceSum", f"p{x}", out=f"r{x}", keepdims=0) for x in xs]
    nodes = [operator, node("Mul", "y", "y", out="y2"), node("Mul", "y2", "y", out="y3"), gradient(xs, "y3"), *add,
             node("Sum", *(f"r{x}" for x in xs), out="all"), gradient(xs, "all", outputs=[f"e{x}" for x in xs])]  # fmt: skip
    held = [numpy_helper.from_array(w, f"w{x}") for x, w in zip(xs, weights, strict=True)]
    m = model(nodes, xs, [f"e{x}" for x in xs], opset, [*initializers, *held])
    found = ReferenceEvaluator(m).run(None, dict(zip(xs, inputs, strict=True)))
    every = tuple(range(len(inputs)))

    def weighed(*x):
        return sum((g * w).sum() for g, w in zip(jax.grad(lambda *x: (function(*x) ** 3).sum(), every)(*x), weights, strict=True))

    wanted = jax.grad(weighed, every)(*map(jnp.asarray, inputs))
    for got, want in zip(found, wanted, strict=True):
        np.testing.assert_allclose(got, want, rtol=2e-3, atol=2e-4 * max(1, np.abs(want).max()))


def test_each_output_of_a_split():
    nodes = [helper.make_node("Split", ["x"], ["a", "b", "c"], axis=0, num_outputs=3), node("Mul", "a", "c"), gradient(["x"])]
    x = f32(6)
    (dx,) = ReferenceEvaluator(model(nodes, ["x"], ["dx"])).run(None, {"x": x})
    np.testing.assert_array_equal(dx, [*x[4:], 0, 0, *x[:2]])


def test_at_other_values():
    """The inputs say where; the names say what. An inner value may be independent."""
    nodes = [node("Mul", "x", "x", out="h"), node("Mul", "h", "z"), gradient(["h", "z"], given=["h1", "z1"])]
    feeds = {"x": f32(3), "z": f32(3), "h1": f32(3), "z1": f32(3)}
    y, dh, dz = ReferenceEvaluator(model(nodes, list(feeds), ["y", "dh", "dz"])).run(None, feeds)
    np.testing.assert_array_equal(y, feeds["x"] ** 2 * feeds["z"])
    np.testing.assert_array_equal(dh, feeds["z1"])
    np.testing.assert_array_equal(dz, feeds["h1"])


def test_what_y_does_not_depend_on():
    nodes = [node("Mul", "x", "x"), gradient(["x", "z"])]
    dx, dz = ReferenceEvaluator(model(nodes, ["x", "z"], ["dx", "dz"])).run(None, {"x": f32(3), "z": np.full(4, np.inf, np.float32)})
    assert dz.tolist() == [0] * 4
    assert dx.shape == (3,)


def test_an_output_left_out():
    nodes = [node("Mul", "x", "z"), gradient(["x", "z"], outputs=["", "dz"])]
    x = f32(3)
    (dz,) = ReferenceEvaluator(model(nodes, ["x", "z"], ["dz"])).run(None, {"x": x, "z": f32(3)})
    np.testing.assert_array_equal(dz, x)


def test_in_double_precision():
    nodes = [node("Erf", "x", out="a"), node("Softplus", "a", out="b"), node("ReduceMean", "b", out="y", keepdims=0), gradient(["x"])]
    m = model(nodes, ["x"], ["dx"])
    for info in [*m.graph.input, *m.graph.output]:
        info.type.tensor_type.elem_type = TensorProto.DOUBLE
    x = RNG.uniform(-2, 2, 5)
    (dx,) = ReferenceEvaluator(m).run(None, {"x": x})
    erf = np.vectorize(__import__("math").erf)
    np.testing.assert_allclose(dx, 2 / np.sqrt(np.pi) * np.exp(-x * x) / (1 + np.exp(-erf(x))) / 5, rtol=1e-12)


@pytest.mark.parametrize(
    ("nodes", "error", "text"),
    [
        ([node("CumSum", "x", "axis"), gradient(["x"])], UnsupportedError, "CumSum .*lies between y and xs"),
        ([node("Relu", "x"), gradient(["x"], given=["x", "x"])], ModelError, "2 inputs and 1 outputs given"),
        ([helper.make_node("Gradient", ["x"], ["y"], domain="ai.onnx.preview.training", xs=["x"], y="y")], ModelError, "one of itself"),
        ([node("Relu", "x"), gradient(["x"], "nothing")], ModelError, 'y is "nothing", which is the name of no value'),
        ([node("Relu", "x"), gradient(["nothing"], given=["x"])], ModelError, '"nothing" is given as "x": both are names of values'),
        ([node("Relu", "x"), gradient(["x"], given=[""])], ModelError, 'given as "": both'),
        ([node("Relu", "x"), gradient(["x"], zs=["x"], given=["x", "axis"])], ModelError, 'as "x" and as "axis": it has one value'),
        (
            [node("Relu", "x"), helper.make_node("Gradient", ["x"], ["dx"], domain="ai.onnx.preview.training", xs=["x"], y=3)],
            ModelError,
            "has type int, string expected",
        ),
        (
            [node("Relu", "x"), helper.make_node("Gradient", ["x"], ["dx"], domain="ai.onnx.preview.training", xs=["x"], y="y", ys="y")],
            ModelError,
            '"ys" is unknown',
        ),
        ([node("Add", "x"), gradient(["x"])], ModelError, "Add .*number 1 of at least 2, is required"),
        ([node("Einsum", "x", "x"), gradient(["x"])], ModelError, 'Einsum .*"equation" of type string is required'),
    ],
)
def test_refusals(nodes, error, text):
    m = model(nodes, ["x", "axis"], ["y"])
    with pytest.raises(error, match=text):
        ReferenceEvaluator(m)


def in_a_body(*nodes, out="r"):
    return helper.make_graph(list(nodes), "body", [], [helper.make_tensor_value_info(out, F, None)])


def with_branch(then, *around, inputs=("x", "c"), after=(), outputs=("r",)):
    """A model whose If of c runs then, which sees the nodes around it."""
    choice = helper.make_node("If", ["c"], ["r"], then_branch=then, else_branch=in_a_body(node("Identity", "x", out="e"), out="e"))
    m = model([*around, choice, *after], list(inputs), list(outputs))
    m.graph.input[1].type.tensor_type.elem_type = TensorProto.BOOL
    return m


@pytest.mark.parametrize(
    ("around", "body", "wanted"),
    [
        ([], [node("Mul", "x", "x")], lambda x: 2 * x),
        ([node("Mul", "x", "x")], [], lambda x: 2 * x),
        ([node("Mul", "x", "x", out="h")], [node("Mul", "h", "x")], lambda x: 3 * x**2),
        ([node("Mul", "x", "x", out="h"), gradient(["x"], "h", outputs=["g"])], [node("Mul", "g", "x")], lambda x: 4 * x),
    ],
    ids=["all inside", "all outside", "both", "through a gradient outside"],
)
def test_in_a_subgraph(around, body, wanted):
    """What a body sees of the graph around it is differentiated too."""
    x = f32(4)
    m = with_branch(in_a_body(*body, gradient(["x"], outputs=["r"])), *around)
    (r,) = ReferenceEvaluator(m).run(None, {"x": x, "c": np.array(True)})
    np.testing.assert_allclose(r, wanted(x), rtol=1e-6)


def test_through_a_subgraph():
    """A body that takes x from outside depends on it; none of its inputs says so."""
    m = with_branch(in_a_body(node("Mul", "x", "x", out="r")), after=[node("Mul", "r", "x"), gradient(["x"])], outputs=("dx",))
    with pytest.raises(UnsupportedError, match=r"If .*lies between y and xs"):
        ReferenceEvaluator(m)


def test_in_a_function_with_attributes():
    softmax = node("Softmax", "a", out="s")
    softmax.attribute.add(name="axis", ref_attr_name="axis", type=2)
    body = [softmax, node("Mul", "s", "a"), gradient(["a"], outputs=["b"])]
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.preview.training", 1)]
    m = model([helper.make_node("F", ["x"], ["r"], domain="own", axis=1)], ["x"], ["r"])
    m.functions.append(helper.make_function("own", "F", ["a"], ["b"], body, opsets, ["axis"]))
    m.opset_import.append(helper.make_opsetid("own", 1))
    x = f32(2, 3)
    (r,) = ReferenceEvaluator(m).run(None, {"x": x})
    np.testing.assert_allclose(r, jax.grad(lambda x: (jax.nn.softmax(x, 1) * x).sum())(x), rtol=1e-5, atol=1e-6)


def function(name, inputs, outputs, nodes, attributes=(), opset=18):
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("own", 1)]
    return helper.make_function("own", name, inputs, outputs, nodes, opsets, list(attributes))


def scaled(out):
    """A node that multiplies by the attribute by of its function."""
    k = helper.make_node("Constant", [], ["k"])
    k.attribute.add(name="value_float", ref_attr_name="by", type=1)
    return [k, node("Mul", "v", "k", out=out)]


OUTER = function("Outer", ["a", "b", "c"], ["p", "q", "same"],
                 [helper.make_node("Inner", ["a"], ["t"], domain="own", by=3.0), node("Mul", "t", "b", out="p"), node("Tanh", "p", out="q"),
                  node("Identity", "a", out="same")])  # fmt: skip
INNER = function("Inner", ["v"], ["w"], [*scaled("u"), node("Exp", "u", out="w")], ["by"])


def calling(functions, nodes, inputs, outputs, opset=18):
    m = model(nodes, inputs, outputs, opset)
    m.functions.extend(functions)
    m.opset_import.append(helper.make_opsetid("own", 1))
    return m


def test_through_functions():
    """Called twice, with an output that is left out and an input that is not given."""
    call = [helper.make_node("Outer", ["x", "z"], ["p", "q"], domain="own"), helper.make_node("Outer", ["z", "x"], ["", "k", "j"], domain="own"),
            node("Mul", "q", "k", out="m"), node("Mul", "m", "p", out="o"), node("Add", "o", "j")]  # fmt: skip
    m = calling([OUTER, INNER], [*call, gradient(["x", "z"]), gradient(["x"], "dx", ["z"], outputs=["dxx"])], ["x", "z"], ["y", "dx", "dz", "dxx"])
    x, z = f32(5, low=-0.5, high=0.5), f32(5, low=-0.5, high=0.5)
    found = ReferenceEvaluator(m).run(None, {"x": x, "z": z})

    def outer(a, b):
        return jnp.exp(3 * a) * b, jnp.tanh(jnp.exp(3 * a) * b)

    def y(x, z):
        p, q = outer(x, z)
        return (q * outer(z, x)[1] * p + z).sum()

    dx = jax.grad(y)
    for got, want in zip(found[1:], [*jax.grad(y, (0, 1))(x, z), jax.grad(lambda x: dx(x, z).sum())(x)], strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def test_a_function_that_gives_an_input_on():
    m = calling([function("Two", ["a"], ["a", "b", "b"], [node("Mul", "a", "a", out="b")])],
                [helper.make_node("Two", ["x"], ["i", "j", "k"], domain="own"), node("Mul", "i", "j", out="h"), node("Add", "h", "k"), gradient(["x"])],
                ["x"], ["dx"])  # fmt: skip
    x = f32(4)
    (dx,) = ReferenceEvaluator(m).run(None, {"x": x})
    np.testing.assert_allclose(dx, 3 * x**2 + 2 * x, rtol=1e-5)


def test_a_function_with_a_body_beside_what_is_differentiated():
    """What an If in it reads and defines gets other names, as all of it does."""

    def branch(op):
        return helper.make_graph([node("Mul", "h", "h", out="y"), node(op, "y", out="z")], op, [], [helper.make_tensor_value_info("z", F, None)])

    choose = helper.make_node("If", ["c"], ["f"], then_branch=branch("Neg"), else_branch=branch("Abs"))
    f = function("Choose", ["a", "b", "c"], ["r"], [node("Neg", "b", out="h"), choose, node("Mul", "f", "a", out="r")])
    m = calling([f], [helper.make_node("Choose", ["x", "z", "c"], ["y"], domain="own"), gradient(["x"], zs=["z"])], ["x", "z", "c"], ["y", "dx"])
    m.graph.input[2].type.tensor_type.elem_type = TensorProto.BOOL
    x, z = f32(4), f32(4)
    y, dx = ReferenceEvaluator(m).run(None, {"x": x, "z": z, "c": np.array(True)})
    np.testing.assert_allclose(y, -z * z * x, rtol=1e-6)
    np.testing.assert_allclose(dx, -z * z, rtol=1e-6)


@pytest.mark.parametrize(
    ("functions", "nodes", "error", "text"),
    [
        ([function("Inner", ["v"], ["w"], [node("Exp", "v", out="w")], opset=17)], [helper.make_node("Inner", ["x"], ["y"], domain="own")],
         UnsupportedError, 'imports opset 17 of domain "", the graph that calls it 18'),
        ([function("Inner", ["v"], ["w"], [node("CumSum", "v", "v", out="w")])], [helper.make_node("Inner", ["x"], ["y"], domain="own")],
         UnsupportedError, "CumSum .*lies between y and xs"),
        ([function("Inner", ["v"], ["w"], [helper.make_node("Inner", ["v"], ["w"], domain="own")])], [helper.make_node("Inner", ["x"], ["y"], domain="own")],
         ModelError, "functions call each other more than 100 deep"),
        ([], [node("LSTM", "x", "x", "x", hidden_size=1)], UnsupportedError, "LSTM .*lies between y and xs"),
        ([], [node("Cast", "x", out="t", to=TensorProto.STRING), node("Identity", "t")], UnsupportedError, "the gradient of Cast is not there to texts"),
        ([], [node("ConvTranspose", "x", "x", auto_pad="SAME_UPPER", strides=[1, 1])], UnsupportedError, "of ConvTranspose is not there with auto_pad"),
        ([], [node("Conv", "x", "x")], UnsupportedError, "where no attribute tells how many axes the kernel has"),
    ],
    ids=["another opset", "no rule inside", "itself", "recurrent", "texts", "auto_pad", "no axes"],
)  # fmt: skip
def test_what_no_gradient_goes_through(functions, nodes, error, text):
    with pytest.raises(error, match=text):
        ReferenceEvaluator(calling(functions, [*nodes, gradient(["x"])], ["x"], ["dx"]))


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize(("kind", "name"), [("STRING", "str"), ("INT64", "i64"), ("BOOL", "bool"), ("COMPLEX64", "c64")])
def test_only_real_numbers_have_gradients(kind, name, held):
    dtype = TensorProto.DataType.Value(kind)
    array = np.array(["1"], object) if name == "str" else np.ones(1, helper.tensor_dtype_to_np_dtype(dtype))
    m = model([node("Identity", "x"), gradient(["x"])], ["x"], ["dx"], 18, [numpy_helper.from_array(array, "x")] if held else [])
    m.graph.input[0].type.tensor_type.elem_type = dtype
    with pytest.raises(WrongTypeError, match=f'"x" is {name}: only f16, bf16, f32 and f64 have gradients'):
        ReferenceEvaluator(m)


def test_in_a_function_whose_input_has_a_type():
    f = function("F", ["a"], ["r"], [node("Mul", "a", "a", out="h"), gradient(["a"], "h", outputs=["r"])])
    f.opset_import.append(helper.make_opsetid("ai.onnx.preview.training", 1))
    m = calling([f], [helper.make_node("F", ["x"], ["y"], domain="own")], ["x"], ["y"])
    x = f32(3)
    np.testing.assert_allclose(ReferenceEvaluator(m).run(None, {"x": x})[0], 2 * x, rtol=1e-6)


@pytest.mark.parametrize(("first", "expected"), [("a", ([3, 4], [0, 0, 10, 20])), ("b", ([10, 20], [3, 4, 0, 0]))])
def test_one_output_of_a_node_is_independent(first, expected):
    """It hides where it comes from; the other output does not."""
    nodes = [helper.make_node("Split", ["x"], ["a", "b"], axis=0, num_outputs=2), node("Mul", "a", "b"), gradient([first, "x"], given=["k", "x"])]
    feeds = {"x": np.array([1, 2, 3, 4], np.float32), "k": np.array([10, 20], np.float32)}
    other, dx = ReferenceEvaluator(model(nodes, ["x", "k"], [f"d{first}", "dx"])).run(None, feeds)
    assert other.tolist() == (expected[0] if first == "a" else [1, 2])
    assert dx.tolist() == (expected[1] if first == "a" else [10, 20, 0, 0])


@pytest.mark.parametrize("to", [TensorProto.INT64, TensorProto.BOOL, TensorProto.UINT8, TensorProto.FLOAT16, TensorProto.DOUBLE])
def test_whole_numbers_are_steps(to):
    """A cast to them has the derivative 0 wherever it has one; y is x times the cast."""
    nodes = [node("Cast", "x", out="i", to=to), node("CastLike", "i", "x", out="f"), node("Mul", "f", "x"), gradient(["x"])]
    x = np.array([0.25, 1.5, 2.75], np.float32)
    f, dx = ReferenceEvaluator(model(nodes, ["x"], ["f", "dx"], 19)).run(None, {"x": x})
    np.testing.assert_array_equal(dx, f if to in (TensorProto.INT64, TensorProto.BOOL, TensorProto.UINT8) else f + x)


@pytest.mark.parametrize("n", [node("Add", "x", "axis", broadcast=1, axis=0), node("Dropout", "x"), node("Tile", "x", "axis", "axis")], ids=lambda n: n.op_type)
def test_what_old_opsets_do_otherwise_is_refused(n):
    with pytest.raises(UnsupportedError, match=f"the gradient of {n.op_type} is not there"):
        ReferenceEvaluator(model([n, gradient(["x"])], ["x", "axis"], ["dx"], 5))


def test_the_names_it_makes_are_free():
    taken = [f"goruntime.gradient/Constant.{i}" for i in range(1, 4)]
    nodes = [node("Mul", "x", "x", out=taken[0]), node("Mul", taken[0], "x", out=taken[1]), node("Identity", taken[1], out=taken[2]), gradient(["x"], taken[2])]
    x = f32(3)
    (dx,) = ReferenceEvaluator(model(nodes, ["x"], ["dx"])).run(None, {"x": x})
    np.testing.assert_allclose(dx, 3 * x**2, rtol=1e-6)


def test_gradients_of_gradients_are_bounded():
    """Each multiplies the nodes: the twentieth of tanh would have more than memory."""
    nodes = [node("Tanh", "x", out="d0"), *(gradient(["x"], f"d{i}", outputs=[f"d{i + 1}"]) for i in range(20))]
    with pytest.raises(ModelError, match="once its gradients are written out"):
        ReferenceEvaluator(model(nodes, ["x"], ["d20"]))


def test_it_is_supported():
    m = model([node("Relu", "x"), gradient(["x"])], ["x"], ["dx"])
    assert not supports(m).missing
