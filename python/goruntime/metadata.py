"""Who made a model, and what they wrote into it."""

from __future__ import annotations

import dataclasses

from ._control import report


@dataclasses.dataclass(frozen=True)
class ModelMetadata:
    """What a ModelProto says of itself.

    Attributes
    ----------
    producer_name, graph_name, domain, description, version
        its fields.
    custom_metadata_map : dict[str, str]
        its metadata_props.
    opsets : dict[str, int]
        the opset of each domain; "" is ai.onnx.
    nodes : int
        how many nodes its graph has, functions counted as one.
    weight_size : int
        bytes of packed and folded constants that are held beside it.
    """

    producer_name: str
    graph_name: str
    domain: str
    description: str
    version: int
    custom_metadata_map: dict[str, str]
    opsets: dict[str, int]
    nodes: int
    weight_size: int


def of(handle: int) -> ModelMetadata:
    """Return the metadata of an open session."""
    r = report("SessionReport", handle)
    return ModelMetadata(**{field.name: r[field.name] for field in dataclasses.fields(ModelMetadata)})
