"""Contexts, sessions over them, and tensors that users hold in their hands."""

from __future__ import annotations

import numpy as np
import pytest
from graphs import CHAIN, X

from goruntime import (
    ExecutionArena,
    IOArena,
    NameNotFoundError,
    ReferenceEvaluator,
    RuntimeContext,
    RuntimeSession,
    Tensor,
    WrongTypeError,
)


def test_a_session_over_a_context():
    session, rt = RuntimeSession(CHAIN), RuntimeContext(release_intermediates=False, events_enabled=True)
    assert session.required_inputs == ["x"]
    with pytest.raises(NameNotFoundError, match="no value 'x'"):
        session.run(rt)
    rt.put("x", X)
    session.run(rt)
    np.testing.assert_array_equal(rt.get("y"), [0, 6, 12])
    assert set(rt.names()) == {"x", "a", "b", "y"}
    assert [e.name for e in rt.events] == ["x", "a", "b", "y"]
    y = rt.get("y")
    with rt:
        pass
    assert rt.names() == []
    np.testing.assert_array_equal(y, [0, 6, 12])
    assert str(session.get_execution_plan({"x": (3,)})).startswith("1 step, ")


def test_what_is_no_argument_of_a_context():
    for options, text in (
        ({"verbose": "2"}, "verbose: a number expected, str given"),
        ({"allocator": IOArena()}, "allocator: an ExecutionArena expected, IOArena given"),
        ({"io_allocator": ExecutionArena()}, "io_allocator: an IOArena expected, ExecutionArena given"),
    ):
        with pytest.raises(WrongTypeError, match=text):
            RuntimeContext(**options)
    with pytest.raises(WrongTypeError, match="allocator: an ExecutionArena expected, IOArena given"):
        ReferenceEvaluator(CHAIN, allocator=IOArena())
    with pytest.raises(WrongTypeError, match="rt: a RuntimeContext expected, dict given"):
        RuntimeSession(CHAIN).run({"x": X})


def test_a_context_has_kernels_and_plans_of_its_own():
    evaluator = ReferenceEvaluator(CHAIN)
    rt, other = RuntimeContext(None), RuntimeContext()
    rt.register_custom_kernel("", "Relu", lambda _, x: x * 0 + 1)
    (y,) = evaluator.run(None, {"x": X}, context=rt)
    np.testing.assert_array_equal(y, [2, 2, 2])
    np.testing.assert_array_equal(evaluator.run(None, {"x": X}, context=other)[0], [0, 6, 12])
    session = RuntimeSession(evaluator)
    session.run(rt)
    np.testing.assert_array_equal(rt.get("y"), [2, 2, 2])
    assert rt.unregister_custom_kernel("", "Relu")
    assert not rt.unregister_custom_kernel("", "Relu")
    session.run(rt)
    np.testing.assert_array_equal(rt.get("y"), [0, 6, 12])
    plan = rt.get_execution_plan(session)
    assert str(plan) == str(evaluator.prepare({"x": X})) == str(rt.get_execution_plan(evaluator))
    RuntimeSession(plan).run(rt)
    other.clear()
    with pytest.raises(NameNotFoundError, match="holds no value 'x'"):
        other.get_execution_plan(evaluator)


def test_tensors_and_dlpack():
    (y,) = ReferenceEvaluator(CHAIN).run(None, {"x": Tensor(X, "x")})
    t = Tensor(y, "y")
    assert (t.name, t.dtype, t.shape) == ("y", np.float32, (3,))
    again = np.from_dlpack(t)
    assert np.shares_memory(again, y)
    del t, y
    np.testing.assert_array_equal(again, [0, 6, 12])
    frozen = X.copy()
    frozen.flags.writeable = False
    (y,) = ReferenceEvaluator(CHAIN).run(None, {"x": Tensor(frozen)})
    np.testing.assert_array_equal(y, [0, 6, 12])
    assert not np.from_dlpack(Tensor(frozen)).flags.writeable
    assert Tensor.from_dlpack(X).numpy().dtype == np.float32
