"""Subclasses of onnx.reference's OpRun run here as they run there."""

from __future__ import annotations

import pickle

import numpy as np
import onnx.reference
import pytest
from onnx import AttributeProto, TensorProto, helper, numpy_helper
from onnx.reference.op_run import OpRun, OpRunExpand

from goruntime import ArgumentError, ReferenceEvaluator, UnsupportedError, WrongTypeError

X = np.array([-1, 2, 3], np.float32)
W = numpy_helper.from_array(np.float32(10), "w")


def info(name, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, None)


def node(op_type, inputs, outputs, **attributes):
    return helper.make_node(op_type, inputs, outputs, domain="custom", **attributes)


def model(*nodes, inputs=("x",), outputs=("y",), functions=()):
    graph = helper.make_graph(nodes, "g", [info(i) for i in inputs], [o if not isinstance(o, str) else info(o) for o in outputs], [W])
    opsets = [helper.make_opsetid(domain, version) for domain, version in (("", 18), ("custom", 1), ("local", 1))]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10, functions=list(functions))


class InvAlpha(OpRun):
    op_domain = "custom"

    def _run(self, x, alpha=None):
        return (1 / (x + (alpha or self.alpha)),)


class Many(OpRun):
    op_domain = "custom"

    def _run(self, x, b, names=None, t=None):
        assert b is None
        return x + t, np.array([len(names)]), np.array(names, object)


class Whole(OpRun):
    """Runs its subgraph on x, which sees the values around it."""

    op_domain = "custom"

    def need_context(self):
        return True

    def _run(self, x, context=None, body=None, attributes=None):
        return (self._run_body({**context, "bx": x}, attributes=attributes)[0],)


class Apart(OpRun):
    """Runs its subgraph on x alone."""

    op_domain = "custom"

    def _run(self, x, body=None, attributes=None):
        assert self.body.input_names == ["bx"]
        return tuple(self.body.run(None, {"bx": x}))


class Total(OpRun):
    op_domain = "custom"

    def _run(self, s):
        assert isinstance(s, list)
        return (sum(s),)


class Pieces(OpRun):
    op_domain = "custom"

    def _run(self, x):
        return ([x, x[:1]],)


class Texts(OpRun):
    op_domain = "custom"

    def _run(self, x):
        return ([np.array(["a", "\u00e9"], object), np.array([], object)],)


def body(*nodes):
    return helper.make_graph(nodes, "body", [info("bx")], [info("by")])


ADD_W = body(helper.make_node("Add", ["bx", "w"], ["by"]))
SEQUENCE = helper.make_tensor_sequence_value_info("y", TensorProto.FLOAT, None)
SEQUENCE_OF_TEXTS = helper.make_tensor_sequence_value_info("y", TensorProto.STRING, None)
SQUARE = helper.make_function("local", "Square", ["x"], ["y"], [helper.make_node("Mul", ["x", "x"], ["y"])], [helper.make_opsetid("", 18)])


@pytest.mark.parametrize(
    ("made", "classes"),
    [
        (model(node("InvAlpha", ["x"], ["y"], alpha=0.5)), [InvAlpha]),
        (model(node("Many", ["x", ""], ["y", "n", "s"], names=["a", "b"], t=numpy_helper.from_array(X)),
               outputs=("y", info("n", TensorProto.INT64), info("s", TensorProto.STRING))), [Many]),
        (model(node("Whole", ["x"], ["y"], body=ADD_W)), [Whole]),
        (model(helper.make_node("Neg", ["x"], ["w2"]), node("Whole", ["x"], ["y"], body=body(helper.make_node("Mul", ["bx", "w2"], ["by"])))), [Whole]),
        (model(node("Apart", ["x"], ["y"], body=body(helper.make_node("Neg", ["bx"], ["by"])))), [Apart]),
        (model(node("Apart", ["x"], ["y"], body=body(node("InvAlpha", ["bx"], ["by"], alpha=0.5)))), [Apart, InvAlpha]),
        (model(node("Apart", ["x"], ["y"], body=body(helper.make_node("Square", ["bx"], ["by"], domain="local"))), functions=[SQUARE]), [Apart]),
        (model(helper.make_node("SequenceConstruct", ["x", "x"], ["s"]), node("Total", ["s"], ["y"])), [Total]),
        (model(node("Pieces", ["x"], ["y"]), outputs=(SEQUENCE,)), [Pieces]),
        (model(node("Texts", ["x"], ["y"]), outputs=(SEQUENCE_OF_TEXTS,)), [Texts]),
        (model(node("Pieces", ["x"], ["s"]), helper.make_node("ConcatFromSequence", ["s"], ["y"], axis=0)), [Pieces]),
    ],
    ids=["attribute", "several outputs", "captured constant", "captured value", "subgraph", "custom in a subgraph", "function in a subgraph",
         "sequence in", "sequence out", "sequence of texts", "sequence inside"],
)  # fmt: skip
def test_they_give_what_onnx_reference_gives(made, classes):
    theirs = onnx.reference.ReferenceEvaluator(made, new_ops=classes).run(None, {"x": X})
    evaluator = ReferenceEvaluator(made, new_ops=classes)
    for _ in range(2):
        mine = evaluator.run(None, {"x": X})
        for got, want in zip(mine, theirs, strict=True):
            assert type(got) is type(want)
            pairs = zip(got, want, strict=True) if isinstance(want, list) else [(got, want)]
            for a, b in pairs:
                np.testing.assert_array_equal(a, b)
                assert a.dtype == b.dtype
    assert evaluator.stats()["execution"]["live"] == 0
    again = pickle.loads(pickle.dumps(evaluator)).run(None, {"x": X})
    assert len(again) == len(theirs)


def test_a_subgraph_in_a_function_sees_its_values_and_attributes():
    inner = body(helper.make_node("Constant", [], ["k"]), helper.make_node("Mul", ["bx", "k"], ["m"]), helper.make_node("Add", ["m", "h"], ["by"]))
    inner.node[0].attribute.append(AttributeProto(name="value_float", ref_attr_name="by", type=AttributeProto.FLOAT))
    function = helper.make_function(
        "local", "F", ["x"], ["y"], [helper.make_node("Neg", ["x"], ["h"]), node("Whole", ["x"], ["y"], body=inner)],
        [helper.make_opsetid("", 18), helper.make_opsetid("custom", 1)], ["by"])  # fmt: skip
    made = model(helper.make_node("F", ["x"], ["y"], domain="local", by=3.0), functions=[function])
    (y,) = ReferenceEvaluator(made, new_ops=[Whole]).run(None, {"x": X})
    np.testing.assert_array_equal(y, X * 3 - X)


def test_a_plain_kernel_may_make_and_take_sequences():
    made = model(node("Make", ["x"], ["s"]), node("Take", ["s"], ["y", "z"]), outputs=("y", helper.make_tensor_sequence_value_info("z", 1, None)))
    evaluator = None
    seen = []

    def take(_, s):
        seen.append(s)
        return s[0], s

    with pytest.raises(UnsupportedError, match=r"custom\.Make.*custom\.Take"):
        ReferenceEvaluator(made)
    import goruntime

    goruntime.register_custom_kernel("custom", "Make", lambda _, x: ([x, x * 2],))
    goruntime.register_custom_kernel("custom", "Take", take)
    try:
        evaluator = ReferenceEvaluator(made)
    finally:
        assert goruntime.unregister_custom_kernel("custom", "Make")
        assert goruntime.unregister_custom_kernel("custom", "Take")
    y, z = evaluator.run(None, {"x": X})
    evaluator.run(None, {"x": X + 1})
    np.testing.assert_array_equal(y, X)
    np.testing.assert_array_equal(z, [X, X * 2])
    np.testing.assert_array_equal(seen[0], [X, X * 2])  # a copy, which a later run does not change


def test_a_list_that_holds_itself_is_refused():
    knot: list[object] = []
    knot.append(knot)

    class Knot(OpRun):
        op_domain = "custom"

        def _run(self, x):
            return (knot,)

    evaluator = ReferenceEvaluator(model(node("Knot", ["x"], ["y"])), new_ops=[Knot])
    with pytest.raises(WrongTypeError, match='Knot node "#0": "y": the custom kernel returned a list for output 0, an array expected') as raised:
        evaluator.run(None, {"x": X})
    assert isinstance(raised.value.__cause__, RecursionError)


def test_maps_and_optionals_pass_through_kernels():
    made = model(node("Make", ["x"], ["m", "o"]), node("Take", ["m", "o"], ["y"]), outputs=("y",))
    seen = []

    class Make(OpRun):
        op_domain = "custom"

        def run(self, x):
            return {"a": 1.5, "b": 2.0}, None

        def _run(self):
            raise NotImplementedError

    class Take(OpRun):
        op_domain = "custom"

        def _run(self, m, o):
            seen.append((m, o))
            return (np.array([m["b"]], np.float32),)

    (y,) = ReferenceEvaluator(made, new_ops=[Make, Take]).run(None, {"x": X})
    assert y == 2
    assert seen == [({"a": 1.5, "b": 2.0}, None)]


@pytest.mark.parametrize(
    ("name", "attributes"),
    [("HardSwish", {}), ("Softsign", {}), ("LeakyRelu", {}), ("LeakyRelu", {"alpha": 0.5}), ("Celu", {}), ("Selu", {"gamma": 2.0}), ("Elu", {}),
     ("LogSoftmax", {"axis": 0})],
)  # fmt: skip
def test_the_function_of_a_schema_is_asked_for(name, attributes):
    made = model(helper.make_node(name, ["x"], ["y"], **attributes))
    evaluator = ReferenceEvaluator(made, new_ops=[type(name, (OpRunExpand,), {"op_domain": ""})])
    assert name not in {kernel[1] for kernel in evaluator.used_kernels()}
    native = ReferenceEvaluator(made)
    assert name in {kernel[1] for kernel in native.used_kernels()}
    np.testing.assert_allclose(evaluator.run(None, {"x": X})[0], native.run(None, {"x": X})[0], rtol=1e-6)


def test_a_function_of_a_schema_may_depend_on_types():
    """That of CastLike casts to a type, that of each node to another."""
    CastLike = type("CastLike", (OpRunExpand,), {"op_domain": ""})
    nodes = [helper.make_node("Cast", ["x"], ["i"], to=TensorProto.INT64), helper.make_node("CastLike", ["x", "i"], ["y"]),
             helper.make_node("Cast", ["x"], ["d"], to=TensorProto.DOUBLE), helper.make_node("CastLike", ["y", "d"], ["z"])]  # fmt: skip
    made = model(*nodes, outputs=(info("y", TensorProto.INT64), info("z", TensorProto.DOUBLE)))
    evaluator = ReferenceEvaluator(made, new_ops=[CastLike])
    assert "CastLike" not in {kernel[1] for kernel in evaluator.used_kernels()}
    y, z = evaluator.run(None, {"x": X})
    theirs = onnx.reference.ReferenceEvaluator(made, new_ops=[CastLike]).run(None, {"x": X})
    for got, want in zip((y, z), theirs, strict=True):
        np.testing.assert_array_equal(got, want)
        assert got.dtype == want.dtype
    with pytest.raises(UnsupportedError, match="depends on the type of 'a', and nothing declares it"):
        ReferenceEvaluator(helper.make_node("CastLike", ["a", "b"], ["c"]), new_ops=[CastLike])


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        (type("A", (), {"op_domain": "custom"}), WrongTypeError, "class A of new_ops must be a subclass of onnx.reference.op_run.OpRun"),
        (type("B", (), {}), ArgumentError, "class B of new_ops must have the attribute op_domain"),
        (3, WrongTypeError, "a subclass of onnx.reference.op_run.OpRun expected, 3 given"),
        (type("Relu6", (OpRunExpand,), {"op_domain": ""}), UnsupportedError, "Relu6 of new_ops asks for the function of its schema, which has none"),
        (type("Add", (OpRunExpand,), {"op_domain": ""}), UnsupportedError, "Add of new_ops asks for the function of its schema, which has none"),
    ],
)
def test_other_classes_are_refused(given, error, text):
    with pytest.raises(error, match=text):
        ReferenceEvaluator(model(helper.make_node("Relu", ["x"], ["y"])), new_ops=[given])


@pytest.mark.parametrize("given", [{"InvAlpha": InvAlpha}, {("custom", "InvAlpha"): InvAlpha}, InvAlpha, 5])
def test_what_is_no_list_of_classes_is_refused(given):
    with pytest.raises(WrongTypeError, match=r"new_ops: a list of subclasses of onnx\.reference\.op_run\.OpRun expected, .+ given"):
        ReferenceEvaluator(model(node("InvAlpha", ["x"], ["y"], alpha=1.0)), new_ops=given)


def test_used_kernels_names_those_of_subgraphs():
    loop = helper.make_graph(
        [node("InvAlpha", ["v"], ["out"], alpha=0.5), helper.make_node("Identity", ["c"], ["go"])], "b",
        [info("i", TensorProto.INT64), info("c", TensorProto.BOOL), info("v")], [info("go", TensorProto.BOOL), info("out")])  # fmt: skip
    evaluator = ReferenceEvaluator(model(helper.make_node("Loop", ["n", "", "x"], ["y"], body=loop), inputs=("x", "n")), new_ops=[InvAlpha])
    assert ("custom", "InvAlpha", 1, "python") in evaluator.used_kernels()
