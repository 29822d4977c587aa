"""How a run is planned: what the core decided for inputs of certain shapes."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from . import dtypes

if TYPE_CHECKING:
    from .evaluator import ReferenceEvaluator


@dataclasses.dataclass(frozen=True)
class PlannedStep:
    """One step of a plan.

    Attributes
    ----------
    node, op_type, domain, version
        the node and the schema version that runs.
    inputs, outputs : tuple[str, ...]
        the names of its values.
    kind : str
        "kernel", "view" (a rename, nothing runs), "dynamic" (shapes are known
        in the run only) or "copy" (an output that would alias another value).
    in_place : str
        the input that the first output overwrites, or "".
    workspace : int
        bytes of scratch, at workspace_offset of the slab.
    fused : tuple[str, ...]
        the operators that the step stands for, in order, where there is more
        than one; inputs has what all of them read.
    frees : tuple[str, ...]
        the values whose last use this is.
    """

    node: str
    op_type: str
    domain: str
    version: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    kind: str
    in_place: str
    workspace: int
    workspace_offset: int
    fused: tuple[str, ...]
    frees: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class PlannedValue:
    """One value of a plan.

    Attributes
    ----------
    name, dtype, shape
        what it is; dtype "" and shape None where that is known in
        the run only.
    bytes : int | None
        its size, or None.
    role : str
        "borrowed" (an input), "constant", "execution" (dies in the run), "io"
        (leaves it) or "columns" (a matrix that is read where its columns lie).
    offset : int | None
        where it lies in the slab, or None where it has memory of its own.
    made, last : int | None
        the steps that make it and that use it last, None for none; last
        is the number of steps where it leaves the run.
    """

    name: str
    dtype: str
    shape: tuple[int, ...] | None
    bytes: int | None
    role: str
    offset: int | None
    made: int | None
    last: int | None


class ExecutionPlan:
    """Order, last uses, in-place pairs, arenas and offsets of a run. str() reads as
    text, a line a step.

    Attributes
    ----------
    steps, values
        what happens and what it happens to.
    slab
        bytes that a run takes at once for all planned values.
    peak
        the most bytes of them that are live in one step.
    evaluator
        whose plan it is.
    """

    def __init__(self, report: dict[str, Any], evaluator: ReferenceEvaluator) -> None:
        self.evaluator = evaluator
        self.steps = [_step(step) for step in report["steps"] or ()]
        self.values = [_value(value) for value in report["values"] or ()]
        self.slab: int = report["slab"]
        self.peak: int = report["peak"]
        self._text: str = report["text"]

    @property
    def actions(self) -> list[str]:
        """The plan's lines: values that are there before, then steps."""
        return self._text.splitlines()[1:]

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<ExecutionPlan: {len(self.steps)} steps, slab of {self.slab} bytes>"


def _step(step: dict[str, Any]) -> PlannedStep:
    lists = {key: tuple(step[key] or ()) for key in ("inputs", "outputs", "fused", "frees")}
    return PlannedStep(**{**step, **lists})


def _value(value: dict[str, Any]) -> PlannedValue:
    def number(key: str) -> int | None:
        return None if value[key] < 0 else value[key]

    return PlannedValue(
        name=value["name"], dtype=dtypes.NUMPY[value["dtype"]] if value["bytes"] >= 0 else "",
        shape=tuple(value["shape"] or ()) if value["bytes"] >= 0 else None,
        bytes=number("bytes"), role=value["role"], offset=number("offset"), made=number("made"), last=number("last"),
    )  # fmt: skip
