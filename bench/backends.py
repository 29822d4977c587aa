"""The runtimes that are measured, each behind the same calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol


class Backend(Protocol):
    """A model opened by one runtime."""

    call: Callable[..., Any]
    """The runtime's own run(names, feeds), with nothing of ours around it."""

    def run(self, feeds: dict[str, Any]) -> list[Any]: ...


def goruntime(path: str, threads: int, engine: str = "goruntime") -> Backend:
    from goruntime import ReferenceEvaluator

    class Ours:
        def __init__(self) -> None:
            self.evaluator = ReferenceEvaluator(path, num_threads=threads, engine=engine)
            self.call = self.evaluator.run

        def run(self, feeds: dict[str, Any]) -> list[Any]:
            return self.evaluator.run(None, feeds)

        def trim(self) -> None:
            self.evaluator.allocator.trim()
            self.evaluator.io_allocator.trim()

    return Ours()


def onnxruntime(path: str, threads: int) -> Backend:
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    shrink = ort.RunOptions()
    shrink.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")

    class Peer:
        call = staticmethod(session.run)
        last: dict[str, Any]

        def run(self, feeds: dict[str, Any]) -> list[Any]:
            self.last = feeds
            return list(session.run(None, feeds))

        def trim(self) -> None:
            small = {name: array[:1] if array.ndim else array for name, array in self.last.items()}
            session.run(None, small, shrink)

    return Peer()


def reference(path: str, threads: int) -> Backend:
    import onnx
    from onnx.reference import ReferenceEvaluator

    evaluator = ReferenceEvaluator(onnx.load(path))

    class Reference:
        call = staticmethod(evaluator.run)

        def run(self, feeds: dict[str, Any]) -> list[Any]:
            return list(evaluator.run(None, feeds))

    return Reference()


OPEN = {"goruntime": goruntime, "onnxruntime": onnxruntime, "onnx.reference": reference}
