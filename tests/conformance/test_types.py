"""Every operator in every version and element type of its schema: it runs, its outputs
have the types that the schema says, and what it gives in one floating-point type is near
what it gives in another."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
import walk
from onnx import defs

from goruntime import ReferenceEvaluator, UnsupportedError, supports

# The one pair of an operator and a type that has no meaning: a sum of texts.
MEANINGLESS = "Col2Im-18 T=tensor(string)"
# Not run alone: see test_gradient.py.
ELSEWHERE = {("ai.onnx.preview.training", "Gradient")}
DRAWN = {"Bernoulli", "Dropout", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}
# Its case compares inputs with thresholds that are the nearest float and double of one number.
TIES = {"TreeEnsemble"}
NEAR = {"tensor(double)": 1e-4, "tensor(float16)": 2e-2, "tensor(bfloat16)": 1e-1}


def schemas() -> dict[tuple[str, str], list[Any]]:
    """Return the versions of each operator but those that say not to use them."""
    found = defaultdict(list)
    for schema in defs.get_all_schemas_with_history():
        if not schema.deprecated and schema.support_level != defs.OpSchema.SupportType.EXPERIMENTAL:
            found[schema.domain, schema.name].append(schema)
    return {key: sorted(found[key], key=lambda s: s.since_version) for key in sorted(found) if key not in ELSEWHERE}


def check_types(call: walk.Call, results: list[Any]) -> None:
    """Compare the types of outputs with what the schema says, where inputs decide it or
    an attribute was set to it."""
    decided = {call.varied} | {call.schema.inputs[min(i, len(call.schema.inputs) - 1)].type_str for i, x in enumerate(call.inputs) if x is not None}
    for i, result in enumerate(results):
        declared = call.schema.outputs[min(i, len(call.schema.outputs) - 1)].type_str
        wanted = call.types.get(declared, declared)
        if (declared not in call.types or declared in decided) and wanted.startswith("tensor("):
            assert walk._kind(result) == wanted, f"{call.name}: output {i}"


def check_values(call: walk.Call, results: list[Any], single: list[Any]) -> None:
    """Compare the results in one floating-point type with those in single precision."""
    tolerance = NEAR[call.types[call.varied]]
    for got, want in zip(results, single, strict=True):
        if not isinstance(got, np.ndarray) or got.dtype.kind in "OT":
            continue
        assert got.shape == want.shape, call.name
        got, want = got.astype(np.complex128), want.astype(np.complex128)
        largest = np.abs(want[np.isfinite(want)]).max(initial=1)
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * largest, err_msg=call.name)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("key", schemas(), ids=lambda key: ".".join(filter(None, key)))
def test_every_version_and_type_runs(key):
    for schema in schemas()[key]:
        results: dict[tuple[str, str], tuple[walk.Call, list[Any]]] = {}
        calls = walk.calls(schema)
        assert calls, f"no template for {schema.name}-{schema.since_version}"
        for call in calls:
            model, feeds = walk.model(call)
            if call.name == MEANINGLESS:
                with pytest.raises(UnsupportedError, match=r"Col2Im \(opset 18, str\)"):
                    ReferenceEvaluator(model)
                continue
            assert supports(model), call.name
            made = ReferenceEvaluator(model).run(None, feeds)
            check_types(call, made)
            results[call.varied, call.types.get(call.varied, "")] = call, made
        for (parameter, kind), (call, made) in results.items():
            if kind in NEAR and (parameter, "tensor(float)") in results and key[1] not in DRAWN | TIES:
                check_values(call, made, results[parameter, "tensor(float)"][1])


def test_every_type_that_an_input_may_have_is_tried():
    """But for whole numbers that other tests feed: lengths and the bias of a convolution."""
    untried = set()
    for versions in schemas().values():
        for schema in versions:
            tried = defaultdict(set)
            for call in walk.calls(schema):
                tried[call.varied].add(call.types.get(call.varied))
            for constraint in schema.type_constraints:
                fed = any(f.type_str == constraint.type_param_str for f in schema.inputs)
                if fed and tried[constraint.type_param_str] != set(constraint.allowed_type_strs):
                    untried.add((schema.name, constraint.type_param_str))
    assert untried == {("GRU", "T1"), ("QLinearConv", "T4"), ("RNN", "T1")}
