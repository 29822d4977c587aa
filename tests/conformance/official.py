"""The official cases of the onnx package, and how an answer is compared.

The comparison is the official runner's (onnx.backend.test.runner), but strict on
element types, on None and on nested values.
"""

from __future__ import annotations

import dataclasses
import glob
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import onnx
from goruntime.backend import prepare
from onnx import numpy_helper
from onnx.backend.test.loader import DATA_DIR, load_model_tests

from goruntime import Error, UnsupportedError

# Expected values that no model determines.
UNDETERMINED = {"test_bernoulli": "the expected values are one draw of a generator that the standard does not name"}


@dataclasses.dataclass(frozen=True)
class Case:
    """A model, and lists of inputs with their outputs."""

    name: str
    model: Callable[[], onnx.ModelProto]
    data: Callable[[], list[tuple[list[Any], list[Any]]]]
    rtol: float
    atol: float


def cases() -> Iterator[Case]:
    """All cases that the package carries with their data, in the order of their names."""
    for case in sorted(load_model_tests(kind="node"), key=lambda c: c.name):
        # The expected values of inverse transforms are single; so onnx's own runner has it.
        atol = 1e-6 if case.name.startswith("test_dft_inverse") else case.atol
        yield Case(case.name, lambda c=case: c.model, lambda c=case: c.data_sets, case.rtol, atol)
    for kind in ("simple", "pytorch-converted", "pytorch-operator"):
        for case in sorted(load_model_tests(kind=kind), key=lambda c: c.name):
            folder = case.model_dir
            yield Case(f"{kind}/{case.name}", lambda f=folder: onnx.load(os.path.join(f, "model.onnx")),
                       lambda f=folder: _stored(f), case.rtol, case.atol)  # fmt: skip
    for path in sorted(glob.glob(os.path.join(DATA_DIR, "light", "*.onnx"))):
        yield Case(f"light/{os.path.basename(path)[:-5]}", lambda p=path: onnx.load(p), lambda p=path: _light(p), 2e-3, 1e-7)


def _stored(folder: str) -> list[tuple[list[Any], list[Any]]]:
    model = onnx.load(os.path.join(folder, "model.onnx"))
    sets = []
    for data in sorted(glob.glob(os.path.join(folder, "test_data_set_*"))):
        sets.append(tuple(
            [_read(os.path.join(data, f"{kind}_{i}.pb"), info.type) for i, info in enumerate(infos) if os.path.exists(os.path.join(data, f"{kind}_{i}.pb"))]
            for kind, infos in (("input", model.graph.input), ("output", model.graph.output))
        ))  # fmt: skip
    return sets  # type: ignore[return-value]


def _light(path: str) -> list[tuple[list[Any], list[Any]]]:
    """The input is a ramp, as the official runner makes it; further inputs have defaults."""
    model = onnx.load(path)
    given = {t.name for t in model.graph.initializer}
    inputs = []
    for info in model.graph.input:
        if info.name not in given:
            shape = tuple(d.dim_value if d.HasField("dim_value") else 1 for d in info.type.tensor_type.shape.dim)
            n = int(np.prod(shape))
            inputs.append((np.arange(n).reshape(shape) / n).astype(np.float32))
    with open(path[:-5] + "_output_0.pb", "rb") as file:
        expected = numpy_helper.to_array(onnx.TensorProto.FromString(file.read()))
    return [(inputs, [expected])]


def _read(path: str, kind: onnx.TypeProto) -> Any:
    with open(path, "rb") as file:
        data = file.read()
    if kind.HasField("sequence_type"):
        return numpy_helper.to_list(onnx.SequenceProto.FromString(data))
    if kind.HasField("optional_type"):
        return numpy_helper.to_optional(onnx.OptionalProto.FromString(data))
    return numpy_helper.to_array(onnx.TensorProto.FromString(data))


def _array(value: Any) -> Any:
    return numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value


def run(case: Case) -> str:
    """Return "pass", or "skip", "lacks" or "fail" with the reason."""
    for start, reason in UNDETERMINED.items():
        if case.name.startswith(start):
            return f"skip: {reason}"
    try:
        model = prepare(case.model())
        for inputs, expected in case.data():
            got = model.run([_array(x) for x in inputs])
            assert len(got) == len(expected), f"{len(got)} outputs, {len(expected)} expected"
            for mine, theirs in zip(got, map(_array, expected), strict=True):
                same(mine, theirs, case.rtol, case.atol)
    except UnsupportedError as error:
        return f"lacks: {_line(error)}"
    except (Error, AssertionError) as error:
        return f"fail: {_line(error)}"
    return "pass"


def _line(error: Exception) -> str:
    """The first line that says something, without what differs from run to run."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:160]


def same(got: Any, expected: Any, rtol: float, atol: float) -> None:
    """Raise AssertionError where got is not the expected value."""
    if expected is None:
        assert got is None, "a value where none is expected"
        return
    if isinstance(expected, list | tuple):
        assert isinstance(got, list), f"{type(got).__name__} where a list is expected"
        assert len(got) == len(expected), f"{len(got)} elements, {len(expected)} expected"
        for mine, theirs in zip(got, expected, strict=True):
            same(mine, theirs, rtol, atol)
        return
    expected = np.asarray(expected)
    assert isinstance(got, np.ndarray), f"{type(got).__name__} where an array is expected"
    assert got.shape == expected.shape, f"shape {got.shape}, {expected.shape} expected"
    if expected.dtype.kind in "OUST":
        texts = [x.decode() if isinstance(x, bytes) else str(x) for x in expected.ravel()]
        assert [str(x) for x in got.ravel()] == texts, "other strings"
        return
    assert got.dtype == expected.dtype, f"dtype {got.dtype}, {expected.dtype} expected"
    if got.dtype.name == "bfloat16":
        rtol = max(rtol, 2**-6)  # two units in the last place, as the official runner
    if got.dtype.kind == "V":  # a type of ml_dtypes
        got, expected = got.astype(np.float32), expected.astype(np.float32)
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=atol)
