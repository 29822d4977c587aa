"""What happened in a traced run, value by value."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from typing import Any

from . import dtypes

_FLOATS = frozenset(i for i, name in enumerate(dtypes.NUMPY) if "float" in name)


@dataclasses.dataclass(frozen=True)
class RuntimeEvent:
    """One value of a run.

    Attributes
    ----------
    kind : str
        "input" (fed), "constant" (known before the run, of the model or where
        node is set computed ahead), "node" (computed) or "view" (the memory of
        another value under another name or shape).
    name : str
        of the value.
    dtype : str
        its element type, "" where it is no tensor.
    shape : tuple[int, ...]
        its shape, () where it is no tensor.
    first : tuple[Any, ...]
        its first elements, at most 8.
    min, max : float | None
        of its elements, NaN where one of them is, None where they are no
        numbers.
    type : str
        what it is where it is no tensor: "seq(f32[2], f32[3])".
    node, op_type, inputs
        what made it.
    duration : float
        seconds that the node took.
    allocated : int
        bytes that both arenas held for runs after the node.
    peak : int
        the largest such number until then.
    depth : int
        how deep in subgraphs.
    items : tuple[RuntimeEvent, ...]
        the elements of a sequence, or what an optional holds.
    """

    kind: str
    name: str
    dtype: str
    shape: tuple[int, ...]
    first: tuple[Any, ...]
    min: float | None
    max: float | None
    type: str
    node: str
    op_type: str
    inputs: tuple[str, ...]
    duration: float
    allocated: int
    peak: int
    depth: int
    items: tuple[RuntimeEvent, ...] = ()

    def summary(self) -> str:
        """Return the value in a few words: "float32:(3,) in [0.0, 2.0]"."""
        if self.type:
            return self.type
        head = f"{self.dtype}:{self.shape}"
        if 0 in self.shape:
            return f"{head} (empty)"
        return f"{head} in [{self.min}, {self.max}]" if self.min is not None else f"{head}:{self.elements()}"

    def elements(self) -> str:
        """Return the first elements as text."""
        size = 1
        for n in self.shape:
            size *= n
        return ",".join(map(str, self.first[:5])) + "..." if size > 5 else str(list(self.first))


def parse(lines: str) -> list[RuntimeEvent]:
    """Return the events of the core's JSON lines, one for each value."""
    events: list[RuntimeEvent] = []
    for line in lines.splitlines():
        record = json.loads(line)
        if record["kind"] == "error":
            continue
        events.extend(_events(record))
    return events


def _events(record: dict[str, Any]) -> Iterable[RuntimeEvent]:
    for value in record["values"] or ():
        yield _event(record, value)


def _event(record: dict[str, Any], value: dict[str, Any]) -> RuntimeEvent:
    dtype = value["dtype"]
    return RuntimeEvent(
        kind=record["kind"], name=value["name"], dtype=dtypes.NUMPY[dtype] if dtype < len(dtypes.NUMPY) else "", shape=tuple(value["shape"] or ()),
        first=tuple(_number(x, dtype) for x in value["first"] or ()), min=_number(value["min"], dtype), max=_number(value["max"], dtype),
        type=value["type"], node=record["node"], op_type=record["op_type"], inputs=tuple(record["inputs"] or ()),
        duration=record["duration_ns"] * 1e-9, allocated=record["allocated"], peak=record["peak"], depth=record["depth"],
        items=tuple(_event(record, item) for item in value.get("items", ())),
    )  # fmt: skip


def _number(item: Any, dtype: int) -> Any:
    """Return an element; infinities, NaN and complex numbers came as text, and 1.0 as 1."""
    if item is None or dtype == 8:
        return item
    if dtype in _FLOATS:
        return float(item)
    return complex(item) if dtype in (14, 15) else item


def show(events: Iterable[RuntimeEvent], verbose: int) -> None:
    """Print a run as onnx.reference does: nodes from level 2 on, values from 3. A node
    that a loop runs again is printed again."""
    events = _owners_first(sorted(events, key=_rank))
    groups: dict[tuple[str, str], list[str]] = {}
    for event in events:
        groups.setdefault((event.op_type, event.node), []).append(event.name)
    shown: dict[tuple[str, int, str], set[str]] = {}  # its outputs since its line was printed
    for event in events:
        indent = "  " * event.depth
        text = _text(event, verbose)
        if not event.op_type:
            if verbose > 2:
                print(f"{indent} +{'I' if event.kind == 'input' else 'C'} {event.name}: {text}")
            continue
        key = (event.node, event.depth, event.op_type)
        if verbose > 1 and (key not in shown or event.name in shown[key]):
            shown[key] = set()
            outputs = dict.fromkeys(groups[(event.op_type, event.node)])
            print(f"{indent}{event.op_type}({', '.join(event.inputs)}) -> {', '.join(outputs)}")
        if event.kind == _LINE:
            continue
        shown.setdefault(key, set()).add(event.name)
        if verbose > 2:
            print(f"{indent} + {event.name}: {text}")


def _text(event: RuntimeEvent, verbose: int) -> str:
    """Return a value as onnx.reference prints it; of a sequence its elements."""
    if event.items:
        return ", ".join(_text(item, verbose) for item in event.items)
    return f"{event.dtype}:{event.shape}:{event.elements()}" if verbose >= 4 and not event.type else event.summary()


_LINE = "line"  # of an event that stands for the line of a node whose values come later


def _rank(event: RuntimeEvent) -> int:
    """Constants of the model come first, then what is fed, then nodes."""
    return 2 if event.op_type or event.depth else 1 if event.kind == "input" else 0


def _owners_first(events: list[RuntimeEvent]) -> list[RuntimeEvent]:
    """Put the line of a node before those of its subgraphs, whose values come first."""
    placed: list[RuntimeEvent] = []
    starts: dict[int, int] = {}  # where the values of the subgraphs of each depth begin
    for event in events:
        deeper = [at for depth, at in starts.items() if depth > event.depth]
        starts = {depth: at for depth, at in starts.items() if depth <= event.depth}
        if deeper:
            placed.insert(min(deeper), dataclasses.replace(event, kind=_LINE))
        starts.setdefault(event.depth, len(placed))
        placed.append(event)
    return placed
