"""Evaluators of nodes and functions, as onnx.reference has them."""

from __future__ import annotations

import pickle

import numpy as np
import onnx
import onnx.reference
import pytest
from onnx import AttributeProto, TensorProto, helper

from goruntime import ArgumentError, ReferenceEvaluator, UnsupportedError, WrongTypeError

X = np.array([-1, 2, 3], np.float32)


def branch(op_type):
    return helper.make_graph([helper.make_node(op_type, ["x"], ["k"])], op_type, [], [helper.make_tensor_value_info("k", TensorProto.FLOAT, None)])


SCALE = helper.make_function(
    "local", "Scale", ["x"], ["y"],
    [helper.make_node("Constant", [], ["k"]), helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Mul", ["r", "k"], ["y"])],
    [helper.make_opsetid("", 18)], ["by"])  # fmt: skip
SCALE.node[0].attribute.append(AttributeProto(name="value_float", ref_attr_name="by", type=AttributeProto.FLOAT))


@pytest.mark.parametrize("truth", [True, False])
def test_a_node_is_fed_what_its_subgraphs_read(truth):
    node = helper.make_node("If", ["c"], ["y"], then_branch=branch("Neg"), else_branch=branch("Abs"))
    feeds = {"c": np.array(truth), "x": X}
    (theirs,) = onnx.reference.ReferenceEvaluator(node).run(None, feeds)
    (mine,) = ReferenceEvaluator(node).run(None, feeds)
    np.testing.assert_array_equal(mine, theirs)


ML = "ai.onnx.ml"


@pytest.mark.parametrize(
    ("node", "feeds"),
    [
        (helper.make_node("StringConcat", ["s", "s"], ["y"]), {"s": np.array(["a", "日"], object)}),
        (helper.make_node("Equal", ["s", "t"], ["y"]), {"s": np.array(["a", "b"]), "t": np.array(["b"])}),
        (helper.make_node("LabelEncoder", ["s"], ["y"], domain=ML, keys_strings=["a"], values_int64s=[7]), {"s": np.array(["a", "b"])}),
        (helper.make_node("SequenceLength", ["s"], ["y"]), {"s": []}),
        (helper.make_node("SequenceLength", ["s"], ["y"]), {"s": [np.array(["a"]), np.array(["b", "c"])]}),
        (helper.make_node("SequenceAt", ["s", "i"], ["y"]), {"s": [X, X[:1]], "i": np.array(-1)}),
        (helper.make_node("ConcatFromSequence", ["s"], ["y"], axis=0), {"s": [X, X]}),
        (helper.make_node("OptionalHasElement", ["s"], ["y"]), {"s": None}),
    ],
)  # fmt: skip
def test_a_node_takes_values_of_all_kinds(node, feeds):
    (theirs,) = onnx.reference.ReferenceEvaluator(node).run(None, feeds)
    (mine,) = ReferenceEvaluator(node).run(None, feeds)
    np.testing.assert_array_equal(mine, theirs)


def test_a_function_takes_values_of_all_kinds():
    node = helper.make_node("DictVectorizer", ["m"], ["y"], domain=ML, string_vocabulary=["b", "a"])
    function = helper.make_function("local", "F", ["m"], ["y"], [node], [helper.make_opsetid("", 18), helper.make_opsetid(ML, 1)])
    np.testing.assert_array_equal(ReferenceEvaluator(function).run(None, {"m": {"a": 1.0, "b": 2.0}})[0], [[2, 1]])


def test_lists_of_numbers_and_texts_are_tensors():
    assert ReferenceEvaluator(helper.make_node("Add", ["a", "a"], ["y"])).run(None, {"a": [[1.0, 2.0]]})[0].tolist() == [[2, 4]]
    assert ReferenceEvaluator(helper.make_node("Add", ["a", "a"], ["y"])).run(None, {"a": [np.float32(1)]})[0].tolist() == [2]
    assert ReferenceEvaluator(helper.make_node("Identity", ["a"], ["y"])).run(None, {"a": [["a"], ["b"]]})[0].tolist() == [["a"], ["b"]]


def test_what_nothing_declares_is_refused_where_it_is_no_value():
    evaluator = ReferenceEvaluator(helper.make_node("Identity", ["a"], ["y"]))
    itself = []
    itself.append(itself)
    for value, error, text in (
        (itself, RecursionError, "nested value"),
        ([[1, 2], [3]], ArgumentError, "input 'a': what is given is no array: .*inhomogeneous"),
        (np.array([1, "b"], object), WrongTypeError, "input 'a': element 0 is of type int, str expected"),
        (np.array([b"b"]), WrongTypeError, r"input 'a': an array of dtype\('S1'\) given"),
    ):
        with pytest.raises(error, match=text):
            evaluator.run(None, {"a": value})
    assert evaluator.run(None, {"a": X})[0].tolist() == X.tolist()


def test_inside_a_function():
    function = ReferenceEvaluator(SCALE, events_enabled=True)
    got = function.run(None, {"x": X}, attributes={"by": 2.0}, intermediate=True)
    assert list(got) == ["x", "y", "r"]
    np.testing.assert_array_equal(got["r"], [0, 2, 3])
    (r,) = function.run(["r"], {"x": X}, attributes={"by": 2})
    np.testing.assert_array_equal(r, [0, 2, 3])
    assert [e.name for e in function.events()] == ["x", "r"]


def test_a_function_tells_what_it_can_before_its_attributes_are_known():
    function = ReferenceEvaluator(SCALE, functions=[])
    assert function.opsets == {"": 18}
    assert function.input_names == function.required_inputs == ["x"]
    assert [kind.type for kind in function.input_types + function.output_types] == ["undefined", "undefined"]
    assert function.get_result_types("x", exc=False) is None
    with pytest.raises(ArgumentError, match="no type for 'x'; it does for none"):
        function.get_result_types("x")
    for ask in (function.used_kernels, lambda: function.run(None, {"x": X}), lambda: function.prepare({"x": (3,)})):
        with pytest.raises(ArgumentError, match="the function has the attributes 'by': give their values to run"):
            ask()
    with pytest.raises(ArgumentError, match="'Scale' has no attribute 'off'; its attributes are 'by'"):
        function.run(None, {"x": X}, attributes={"off": 1.0})
    (y,) = pickle.loads(pickle.dumps(function)).run(None, {"x": X}, attributes={"by": np.float32(3)})
    np.testing.assert_array_equal(y, [0, 6, 9])


def test_calls_of_a_function_share_its_arenas():
    function = ReferenceEvaluator(SCALE)
    y = [function.run(None, {"x": X}, attributes={"by": by})[0] for by in (1.0, 2.0)]
    assert function.io_allocator.leased_count == 2
    function.close()
    np.testing.assert_array_equal(y[1], [0, 4, 6])


def test_defaults_of_attributes():
    function = onnx.FunctionProto()
    function.CopyFrom(SCALE)
    del function.attribute[:]
    function.attribute_proto.append(helper.make_attribute("by", 5.0))
    evaluator = ReferenceEvaluator(function)
    np.testing.assert_array_equal(evaluator.run(None, {"x": X})[0], [0, 10, 15])
    np.testing.assert_array_equal(evaluator.run(None, {"x": X}, attributes={"by": 1.0})[0], [0, 2, 3])


def test_types_that_a_function_declares():
    function = onnx.FunctionProto()
    function.CopyFrom(SCALE)
    function.value_info.append(helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N"]))
    evaluator = ReferenceEvaluator(function)
    assert evaluator.get_result_types("x").tensor_type.elem_type == TensorProto.FLOAT
    with pytest.raises(ValueError, match="rank"):
        evaluator.run(None, {"x": X[None]}, attributes={"by": 1.0})


def test_functions_may_be_read_once():
    caller = helper.make_function("local", "Twice", ["x"], ["y"], [helper.make_node("Scale", ["x"], ["y"], domain="local")],
                                  [helper.make_opsetid("", 18), helper.make_opsetid("local", 1)], ["unused"])  # fmt: skip
    caller.node[0].attribute.append(helper.make_attribute("by", 3.0))
    evaluator = ReferenceEvaluator(caller, functions=iter([SCALE]))
    for _ in range(2):
        np.testing.assert_array_equal(evaluator.run(None, {"x": X}, attributes={"unused": 1})[0], X.clip(0) * 3)


def test_functions_are_functions():
    graph = helper.make_graph([], "g", [], [])
    with pytest.raises(WrongTypeError, match="functions: a FunctionProto or an evaluator of one expected, int given"):
        ReferenceEvaluator(graph, opsets={"": 18}, functions=[3])
    with pytest.raises(WrongTypeError, match="functions: a list of FunctionProtos or None expected, int given"):
        ReferenceEvaluator(graph, opsets={"": 18}, functions=3)


def test_output_names_are_a_list(path):
    evaluator = ReferenceEvaluator(path("chain"))
    with pytest.raises(WrongTypeError, match="a list of names or None expected, the str 'y' given"):
        evaluator.run("y", {"x": X})


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"verbose": "3"}, WrongTypeError, "verbose: a number expected, str given"),
        ({"allocator": 3}, WrongTypeError, "allocator: an ExecutionArena expected, int given"),
        ({"io_allocator": "a"}, WrongTypeError, "io_allocator: an IOArena expected, str given"),
        ({"num_threads": -1}, ArgumentError, "num_threads is -1"),
    ],
)
def test_arguments_of_other_types(path, options, error, text):
    with pytest.raises(error, match=text):
        ReferenceEvaluator(path("add"), **options)


def test_without_the_onnx_package(path):
    import subprocess
    import sys

    code = f"""
import sys; sys.modules["onnx"] = None
import goruntime
try: goruntime.ReferenceEvaluator({path("add")!r}).get_result_types("x")
except goruntime.UnsupportedError as error: print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "what a model declares for its values is read with the package onnx: pip install onnx\n"


def test_a_domain_that_is_imported_twice_has_the_opset_that_counts(path):
    model = onnx.load(path("add"))
    (own,) = [o.version for o in model.opset_import if not o.domain]
    model.opset_import.append(helper.make_opsetid("", own - 1))
    model.opset_import.append(helper.make_opsetid("unused", 3))
    assert ReferenceEvaluator(model).opsets == {"": own, "unused": 3}


def test_inputs_that_are_no_tensors_have_no_shape_to_prepare():
    sequence = helper.make_sequence_type_proto(helper.make_tensor_type_proto(TensorProto.FLOAT, None))
    graph = helper.make_graph([helper.make_node("SequenceLength", ["s"], ["n"])], "g", [helper.make_value_info("s", sequence)],
                              [helper.make_tensor_value_info("n", TensorProto.INT64, [])])  # fmt: skip
    evaluator = ReferenceEvaluator(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10))
    with pytest.raises(UnsupportedError, match=r"'s' is a seq\(tensor\(float\)\), which has no one shape"):
        evaluator.prepare({"s": (3,)})
