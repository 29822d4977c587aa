"""The extension module: private, wrapped by the classes of the package."""

from types import ModuleType
from typing import Any

import numpy as np

Info = tuple[str, str, int, tuple[int | str | None, ...] | None, int]

def set_errors(errors: ModuleType, /) -> None: ...
def check_fork() -> None: ...
def build_info() -> str: ...
def model_lacks(path: bytes | None, data: bytes | None = ..., /) -> str: ...

class Arena:
    def __new__(cls, io: bool = ..., capacity: int = ..., retention_cap: int = ..., limit: int = ..., handle: int = ...) -> Arena: ...
    def close(self) -> None: ...
    @property
    def handle(self) -> int: ...
    def owns(self, array: np.ndarray[Any, Any], /) -> bool: ...

class Stop:
    def __new__(cls) -> Stop: ...
    def cancel(self) -> None: ...

class Session:
    inputs: tuple[Info, ...]
    outputs: tuple[Info, ...]
    arenas: tuple[int, int]
    handle: int
    def __new__(
        cls,
        path: bytes | None = ...,
        data: bytes | None = ...,
        folder: str | None = ...,
        execution: Arena | None = ...,
        io: Arena | None = ...,
        threads: int = ...,
        custom: list[tuple[str, str]] | None = ...,
        factory: Any = ...,
    ) -> Session: ...
    def run(
        self,
        output_names: Any,
        feeds: dict[str, Any],
        /,
        *,
        outputs: dict[str, np.ndarray[Any, Any]] | None = ...,
        execution: Arena | None = ...,
        io: Arena | None = ...,
        cancel: Stop | None = ...,
        timeout: float | None = ...,
        threads: int | None = ...,
        events: list[str] = ...,
    ) -> list[Any]: ...
    def close(self) -> None: ...
