"""What operators are fed that no official case of one node calls, or not as an earlier
version wants it: by name, or by name and version, (inputs, attributes). Attributes that
depend on the types that are tried are a function of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto, helper

X = np.array([[0, 1, 2, 3], [1, 0, 1, 2]], np.float32)
IMAGE = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4) / 8
COUNT = np.array(1, np.int64)
SEQUENCE = [X, X]


def _untyped(*names: str) -> list[Any]:
    return [helper.make_empty_tensor_value_info(name) for name in names]


def _loop() -> Any:
    nodes = [helper.make_node("Identity", [a], [b]) for a, b in (("more", "still"), ("v", "w"))]
    typed = [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("more", TensorProto.BOOL, [])]
    return helper.make_graph(nodes, "body", [*typed, *_untyped("v")], _untyped("still", "w"))


def _scan() -> Any:
    nodes = [helper.make_node("Identity", [a], [b]) for a, b in (("s", "t"), ("x", "y"))]
    return helper.make_graph(nodes, "body", _untyped("s", "x"), _untyped("t", "y"))


def _element(types: dict[str, str], parameter: str) -> str:
    return types.get(parameter, "tensor(int64)").rpartition("(")[2].rstrip(")")


def _label_encoder(types: dict[str, str]) -> dict[str, Any]:
    """Keys and values of the types of X and Y."""
    made: dict[str, Any] = {}
    for side, parameter in (("keys", "T1"), ("values", "T2")):
        name = _element(types, parameter)
        if name in ("int64", "string", "float"):
            made[f"{side}_{name}s"] = {"int64": [0, 1], "string": ["a", "b"], "float": [0.0, 1.0]}[name]
        else:
            made[f"{side}_tensor"] = helper.make_tensor("t", TensorProto.DataType.Value(name.upper()), [2], [0, 1])
    return made


def _grams(types: dict[str, str]) -> dict[str, Any]:
    pool: dict[str, Any] = {"pool_strings": ["1", "2"]} if _element(types, "T") == "string" else {"pool_int64s": [1, 2]}
    return {"mode": "TF", "min_gram_length": 1, "max_gram_length": 1, "max_skip_count": 0, "ngram_counts": [0], "ngram_indexes": [0, 1], **pool}


def _branches(types: dict[str, str]) -> dict[str, Any]:
    """Branches that give a value of the type V."""
    kind = types.get("V", "tensor(float)")
    number = TensorProto.DataType.Value(_element(types, "V").upper())
    value = helper.make_tensor("v", number, [1], [b"1"] if number == TensorProto.STRING else [1])
    nodes = [helper.make_node("Constant", [], ["c"], value=value)]
    if kind.startswith("seq("):
        nodes.append(helper.make_node("SequenceConstruct", ["c"], ["s"]))
    body = helper.make_graph(nodes, "body", [], _untyped(nodes[-1].output[0]))
    return {"then_branch": body, "else_branch": body}


# Operators whose attributes here say what type an output has.
TELL = {"If", "ZipMap"}

TREE: dict[str, Any] = {
    "nodes_treeids": [0, 0, 0], "nodes_nodeids": [0, 1, 2], "nodes_featureids": [0, 0, 0], "nodes_values": [0.5, 0.0, 0.0],
    "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"], "nodes_truenodeids": [1, 0, 0], "nodes_falsenodeids": [2, 0, 0],
}  # fmt: skip
VOTES: dict[str, Any] = {"class_treeids": [0, 0], "class_nodeids": [1, 2], "class_ids": [0, 1], "class_weights": [1.0, 1.0], "classlabels_int64s": [3, 4]}
TARGETS: dict[str, Any] = {"target_treeids": [0, 0], "target_nodeids": [1, 2], "target_ids": [0, 0], "target_weights": [1.0, 2.0], "n_targets": 1}
MACHINE: dict[str, Any] = {
    "coefficients": [1.0, -1.0], "kernel_params": [1.0, 0.0, 3.0], "kernel_type": "RBF", "rho": [0.1], "support_vectors": [0.0] * 4 + [1.0] * 4,
}  # fmt: skip
MOMENTS = [np.ones((2, 4, 3), np.float32), *(np.ones(4, np.float32) for _ in range(4))]

TEMPLATES: dict[Any, tuple[list[Any], Any]] = {
    "BitCast": ([X], {"to": TensorProto.FLOAT}),
    "Cast": ([X], {"to": TensorProto.FLOAT}),
    ("Cast", 1): ([X], {"to": "FLOAT"}),
    "CastLike": ([X, X], {}),
    "ConcatFromSequence": ([SEQUENCE], {"axis": 0}),
    "DFT": ([np.arange(8, dtype=np.float32).reshape(1, 8, 1), np.array(8, np.int64), np.array(1, np.int64)], {}),
    "DequantizeLinear": ([X, np.float32(1)], {"output_dtype": TensorProto.FLOAT}),
    "GlobalLpPool": ([IMAGE], {}),
    "GridSample": ([IMAGE, np.zeros((1, 2, 2, 2), np.float32)], {"mode": "nearest"}),
    "Loop": ([COUNT, np.array(True), X], {"body": _loop()}),
    "MaxRoiPool": ([IMAGE, np.array([[0, 0, 0, 3, 3]], np.float32)], {"pooled_shape": [2, 2]}),
    "Multinomial": ([X], {"sample_size": 2, "seed": 1.0}),
    "Optional": ([X], {}),
    "RandomNormal": ([], {"shape": [2, 3], "seed": 1.0}),
    "RandomNormalLike": ([X], {"seed": 1.0, "dtype": TensorProto.FLOAT}),
    "RandomUniform": ([], {"shape": [2, 3], "seed": 1.0}),
    "RandomUniformLike": ([X], {"seed": 1.0, "dtype": TensorProto.FLOAT}),
    "Scan": ([X[0], X], {"body": _scan(), "num_scan_inputs": 1}),
    ("Scan", 8): ([np.array([2, 1], np.int64), X, X[None].repeat(2, 0)], {"body": _scan(), "num_scan_inputs": 1}),
    "SequenceAt": ([SEQUENCE, COUNT], {}),
    "SequenceConstruct": ([X, X], {}),
    "SequenceEmpty": ([], {"dtype": TensorProto.FLOAT}),
    "SequenceErase": ([SEQUENCE, COUNT], {}),
    "SequenceInsert": ([SEQUENCE, X, COUNT], {}),
    "SequenceLength": ([SEQUENCE], {}),
    "Split": ([X, np.array([2], np.int64)], {"axis": 0}),
    "TfIdfVectorizer": ([X], _grams),
    # as earlier versions want it
    ("BatchNormalization", 1): (MOMENTS, {"consumed_inputs": [0, 0, 0, 1, 1], "is_test": 1}),
    ("Gemm", 1): ([X, X.T, np.ones((2, 2), np.float32)], {}),
    ("Gemm", 6): ([X, X.T, np.ones((2, 2), np.float32)], {}),
    ("LpPool", 1): ([IMAGE], {"kernel_shape": [2, 2], "p": 2.0}),
    ("Pad", 1): ([X], {"paddings": [0, 1, 1, 0]}),
    ("Resize", 10): ([IMAGE, np.array([1, 1, 2, 2], np.float32)], {"mode": "nearest"}),
    ("Resize", 11): ([IMAGE, np.array([], np.float32), np.array([1, 1, 2, 2], np.float32)], {"mode": "nearest"}),
    ("Tile", 1): ([X, np.array(2, np.float32), np.array(1, np.float32)], {}),
    ("TopK", 1): ([X], {"k": 2}),
    # ai.onnx.ml
    "CastMap": ([{0: 1.5, 2: 2.0}], {"cast_to": "TO_FLOAT"}),
    "CategoryMapper": ([X], {"cats_int64s": [0, 1], "cats_strings": ["0", "1"]}),
    "DictVectorizer": ([{0: 1.0, 1: 2.0}], lambda types: {"string_vocabulary": ["0", "1", "2"]} if "map(string" in types.get("T1", "")
                       else {"int64_vocabulary": [0, 1, 2]}),
    "FeatureVectorizer": ([X, X], {"inputdimensions": [4, 4]}),
    "Imputer": ([X], lambda types: {"imputed_value_int64s": [7], "replaced_value_int64": 0} if "int" in _element(types, "T")
                else {"imputed_value_floats": [7.0], "replaced_value_float": 0.0}),
    "If": ([np.array(True)], _branches),
    "LabelEncoder": ([X], _label_encoder),
    ("LabelEncoder", 1): ([X], {"classes_strings": ["0", "1"]}),
    "LinearClassifier": ([X], {"coefficients": [1.0] * 8, "intercepts": [0.0, 1.0], "classlabels_ints": [3, 4]}),
    "LinearRegressor": ([X], {"coefficients": [1.0] * 4, "intercepts": [0.5]}),
    "Normalizer": ([X + 1], {"norm": "L2"}),
    "OneHotEncoder": ([X], lambda types: {"cats_strings": ["0", "1"]} if _element(types, "T") == "string" else {"cats_int64s": [0, 1]}),
    "SVMClassifier": ([X], {**MACHINE, "classlabels_ints": [3, 4], "vectors_per_class": [1, 1]}),
    "SVMRegressor": ([X], {**MACHINE, "n_supports": 2}),
    "Scaler": ([X], {"offset": [1.0] * 4, "scale": [2.0] * 4}),
    "TreeEnsembleClassifier": ([X], {**TREE, **VOTES}),
    "TreeEnsembleRegressor": ([X], {**TREE, **TARGETS}),
    "ZipMap": ([X], lambda types: {"classlabels_strings": list("abcd")} if "string" in types.get("T", "") else {"classlabels_int64s": [1, 2, 3, 4]}),
}  # fmt: skip
