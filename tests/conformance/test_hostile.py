"""The official cases, damaged: each runs or is refused by an error that says why.

What is changed is what the wire format allows: numbers, texts and tensors of attributes,
shapes, types and values of inputs, operators, opsets, names. HOSTILE_SEED draws others.
"""

from __future__ import annotations

import os
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from official import cases
from onnx import AttributeProto, ModelProto, NodeProto, numpy_helper

import goruntime
from goruntime import ExecutionArena, IOArena, ReferenceEvaluator

SEED = int(os.environ.get("HOSTILE_SEED", "1"))
WHOLE = [0, 1, -1, 2, -2, 3, 7, 64, 1000, 65536, 10**6, 2**31 - 1, -(2**31), 2**31, 2**32, 2**62, 2**63 - 1, -(2**63)]
FRACTIONS = [0.0, -0.0, 1.0, -1.0, 0.5, -7.5, float("nan"), float("inf"), -float("inf"), 1e-45, 3e38]
TEXTS = [b"", b"\xff\xfe", b"SAME_UPPER", b"linear", b"reflect", b"sum", b"x" * 300]
TYPES = [np.float32, np.float64, np.int64, np.int32, np.uint8, np.int8, np.bool_, np.float16]
LISTS = {AttributeProto.INTS: ("ints", WHOLE), AttributeProto.FLOATS: ("floats", FRACTIONS), AttributeProto.STRINGS: ("strings", TEXTS)}
GROUPS = 16


def damaged_array(r: random.Random, value: Any) -> Any:
    """An array of another shape, another type, or with other elements."""
    a = np.array(value)
    axis = r.randrange(a.ndim) if a.ndim else 0
    kind = r.randrange(6)
    if kind == 0:
        return a.reshape(-1)[: r.randrange(a.size + 1)]
    if kind == 1:
        return a.reshape((1,) * r.randrange(4) + a.shape)
    if kind == 2 and a.ndim:
        return a.take(range(r.choice([0, a.shape[axis] // 2])), axis)
    if kind == 3 and a.ndim:
        return np.concatenate([a, a], axis)
    if kind == 4 and a.dtype.kind in "biuf":
        with np.errstate(all="ignore"):
            return a.astype(r.choice(TYPES))
    if kind == 5 and a.size and a.dtype.kind in "iuf":
        flat = a.reshape(-1).copy()
        for _ in range(r.choice([1, flat.size])):
            if a.dtype.kind == "f":
                flat[r.randrange(flat.size)] = np.clip(r.choice(FRACTIONS), -6e4, 6e4)
            else:
                flat[r.randrange(flat.size)] = np.clip(r.choice(WHOLE), np.iinfo(a.dtype).min, np.iinfo(a.dtype).max)
        return flat.reshape(a.shape)
    return a


def damage_list(r: random.Random, values: Any, others: list[Any]) -> None:
    """Drop, add or change an element of a repeated field."""
    kind = r.randrange(4)
    if kind == 0 and values:
        values.pop()
    elif kind == 1 or not values:
        values.append(r.choice(others))
    elif kind == 2:
        values.extend(list(values))
    else:
        values[r.randrange(len(values))] = r.choice(others)


def damage_attribute(r: random.Random, node: NodeProto) -> None:
    """Change an attribute, or drop it."""
    if not node.attribute:
        return
    a = r.choice(node.attribute)
    if r.random() < 0.1:
        node.attribute.remove(a)
    elif a.type == AttributeProto.INT:
        a.i = r.choice(WHOLE)
    elif a.type == AttributeProto.FLOAT:
        a.f = r.choice(FRACTIONS)
    elif a.type == AttributeProto.STRING:
        a.s = r.choice(TEXTS)
    elif a.type in LISTS:
        name, others = LISTS[a.type]
        damage_list(r, getattr(a, name), others)
    elif a.type == AttributeProto.TENSOR:
        damage_list(r, a.t.dims, WHOLE)
    elif a.type == AttributeProto.GRAPH and r.random() < 0.5:
        (a.g.output or a.g.input or a.g.node).pop()


def damage(r: random.Random, model: ModelProto, feeds: dict[str, Any], operators: list[str]) -> None:
    """Change one thing of a model or of what it is fed."""
    node = r.choice(model.graph.node) if model.graph.node else NodeProto()
    kind = r.random()
    if kind < 0.4:
        damage_attribute(r, node)
    elif kind < 0.75 and feeds:
        name = r.choice(list(feeds))
        value = feeds[name]
        if isinstance(value, list):
            feeds[name] = [damaged_array(r, v) for v in value]
        elif value is not None:
            feeds[name] = damaged_array(r, value)
    elif kind < 0.8 and node.input:
        node.input[r.randrange(len(node.input))] = r.choice(["", *node.input])
    elif kind < 0.84 and node.output:
        damage_list(r, node.output, ["more"])
    elif kind < 0.88 and model.graph.initializer:
        t = r.choice(model.graph.initializer)
        t.CopyFrom(numpy_helper.from_array(np.array(damaged_array(r, numpy_helper.to_array(t))), t.name))
    elif kind < 0.93:
        r.choice(model.opset_import).version = r.choice([0, 1, 7, 9, 11, 13, 16, 18, 21, 24, 28, 99])
    else:
        node.op_type = r.choice(operators)


@pytest.fixture(scope="module")
def small() -> list[tuple[str, ModelProto, list[Any]]]:
    """The cases that are small, with their first inputs."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of how the onnx package makes its data
        for case in cases():
            if case.name.startswith("light/"):
                continue
            model, data = case.model(), case.data()
            if data and model.ByteSize() < 200_000:
                found.append((case.name, model, list(data[0][0])))
    assert len(found) > 1500
    return found


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("group", range(GROUPS))
def test_damaged_cases_run_or_say_why_not(small, group):
    operators = sorted({n.op_type for _, m, _ in small for n in m.graph.node})
    execution, io = ExecutionArena(limit=1 << 26), IOArena(limit=1 << 26)
    refused = 0
    for i, (name, model, inputs) in enumerate(small):
        if i % GROUPS != group:
            continue
        r = random.Random(f"{SEED} {name}")
        for _ in range(3):
            proto, feeds = ModelProto(), dict(zip([v.name for v in model.graph.input], inputs, strict=False))
            proto.CopyFrom(model)
            for v in proto.graph.input:
                if v.type.HasField("tensor_type"):
                    v.type.tensor_type.ClearField("shape")
            try:
                for _ in range(r.choice([1, 1, 2])):
                    damage(r, proto, feeds, operators)
            except (ValueError, OverflowError, TypeError):
                continue  # the protobuf or NumPy does not hold it
            refused += _refused(lambda p=proto, f=feeds: ReferenceEvaluator(p, allocator=execution, io_allocator=io).run(None, f, timeout=2), name)
    assert refused > 50
    assert execution.total_allocated_size == io.total_allocated_size == 0


def _refused(run: Callable[[], Any], name: str) -> bool:
    try:
        run()
    except goruntime.InternalError as e:
        pytest.fail(f"{name}: {e}")
    except goruntime.Error:
        return True
    return False
