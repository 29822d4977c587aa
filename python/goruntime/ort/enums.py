"""The enumerations of onnxruntime that settings name. None changes what is computed."""

from __future__ import annotations

import enum


class GraphOptimizationLevel(enum.IntEnum):
    """Accepted: graphs are always compiled the same way."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(enum.IntEnum):
    """Accepted: nodes run one after the other, each on all threads."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class ExecutionOrder(enum.IntEnum):
    """Accepted: nodes run in the order of the plan."""

    DEFAULT = 0
    PRIORITY_BASED = 1
    MEMORY_EFFICIENT = 2


class OrtAllocatorType(enum.IntEnum):
    """Accepted: memory comes from the two arenas."""

    ORT_DEVICE_ALLOCATOR = 0
    ORT_ARENA_ALLOCATOR = 1


class OrtMemType(enum.IntEnum):
    """Accepted: there is one kind of memory."""

    CPU_INPUT = -2
    CPU_OUTPUT = -1
    DEFAULT = 0
