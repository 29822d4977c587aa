"""goruntime behind the interface of onnx.backend: for tools that speak it.

>>> from goruntime import backend
>>> backend.run_model(model, [x])                            # doctest: +SKIP

Needs the onnx package.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onnx.backend.base import Backend, BackendRep

from .evaluator import ReferenceEvaluator


class GoRuntimeBackendRep(BackendRep):
    """A compiled model: run() takes a list of inputs, or a dict of them by name."""

    def __init__(self, evaluator: ReferenceEvaluator) -> None:
        self.evaluator = evaluator

    def run(self, inputs: Any, **_: Any) -> tuple[Any, ...]:
        """Run the model once.

        Parameters
        ----------
        inputs
            an array, a list of arrays in the order of the model's inputs, or
            a dict of them by name. A list that is too short for all inputs is
            one for those without a default.

        Returns
        -------
        tuple[Any, ...]
            The outputs, in the model's order.
        """
        if not isinstance(inputs, dict):
            if not isinstance(inputs, list | tuple):
                inputs = [inputs]
            inputs = _by_name(self.evaluator, inputs)
        return tuple(self.evaluator.run(None, inputs))


def _by_name(evaluator: ReferenceEvaluator, inputs: Sequence[Any]) -> dict[str, Any]:
    names = evaluator.input_names
    if len(inputs) < len(names):
        names = evaluator.required_inputs
    return dict(zip(names, inputs, strict=False))


class GoRuntimeBackend(Backend):
    """onnx.backend.base.Backend over ReferenceEvaluator."""

    @classmethod
    def is_compatible(cls, model: Any, device: str = "CPU", **_: Any) -> bool:
        """Whether the model can be run here: every operator in its version."""
        return cls.supports_device(device) and not ReferenceEvaluator.missing(model)

    @classmethod
    def prepare(cls, model: Any, device: str = "CPU", **_: Any) -> GoRuntimeBackendRep:
        """Compile a model.

        Parameters
        ----------
        model : ModelProto
            or what else ReferenceEvaluator takes.
        device : str, default 'CPU'
            accepted.

        Raises
        ------
        ModelError, UnsupportedError, FileError
            as ReferenceEvaluator has them.
        """
        return GoRuntimeBackendRep(ReferenceEvaluator(model))

    @classmethod
    def run_model(cls, model: Any, inputs: Any, device: str = "CPU", **kwargs: Any) -> tuple[Any, ...]:
        """Compile a model and run it once.

        Parameters
        ----------
        model : ModelProto
            or what else ReferenceEvaluator takes.
        inputs : Any
            as GoRuntimeBackendRep.run has them.
        device : str, default 'CPU'
            accepted.

        Returns
        -------
        tuple
            the outputs, in the model's order.
        """
        return cls.prepare(model, device).run(inputs)

    @classmethod
    def run_node(cls, node: Any, inputs: Any, device: str = "CPU", outputs_info: Any = None, **kwargs: Any) -> tuple[Any, ...]:
        """Run one node.

        Parameters
        ----------
        node : NodeProto
            of the newest opset.
        inputs : Any
            a list of arrays in the order of the node's inputs, or a dict by name.
        device : str, default 'CPU'
            accepted.
        outputs_info : Any, optional
            accepted: types and shapes are those of the inputs.

        Returns
        -------
        tuple
            the outputs, in the node's order.
        """
        evaluator = ReferenceEvaluator(node)
        if not isinstance(inputs, dict):
            inputs = _by_name(evaluator, inputs)
        return tuple(evaluator.run(None, inputs))

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Only the CPU."""
        return device.split(":")[0] == "CPU"


is_compatible = GoRuntimeBackend.is_compatible
prepare = GoRuntimeBackend.prepare
run_model = GoRuntimeBackend.run_model
run_node = GoRuntimeBackend.run_node
supports_device = GoRuntimeBackend.supports_device

__all__: Sequence[str] = ["GoRuntimeBackend", "GoRuntimeBackendRep", "is_compatible", "prepare", "run_model", "run_node", "supports_device"]
