"""The runtimes that are measured, each behind the same calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol


class Backend(Protocol):
    """A model opened by one runtime."""

    call: Callable[..., Any]
    """The runtime's own run(names, feeds), with nothing of ours around it."""

    def run(self, feeds: dict[str, Any]) -> list[Any]: ...


class Refused(Exception):
    """A runtime does not take the model."""


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


def openvino(path: str, threads: int) -> Backend:
    """OpenVINO as a program sets it up that wants the model's own arithmetic: float32, and
    no quantization of what the model leaves in float32, which both are its choice else."""
    import openvino as ov

    settings = {
        "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32",
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0,
    }  # fmt: skip
    try:
        model = ov.Core().compile_model(path, "CPU", settings)
    except RuntimeError as error:
        raise Refused(str(error).strip().splitlines()[-1]) from error
    request = model.create_infer_request()
    names = {i.any_name for i in model.inputs}

    class Peer:
        call = staticmethod(request.infer)

        def run(self, feeds: dict[str, Any]) -> list[Any]:
            results = request.infer({n: a for n, a in feeds.items() if n in names}, share_inputs=True, share_outputs=True)
            return [results[i] for i in range(len(model.outputs))]

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


OPEN = {"goruntime": goruntime, "onnxruntime": onnxruntime, "openvino": openvino, "onnx.reference": reference}
