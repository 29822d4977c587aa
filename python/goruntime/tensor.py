"""A named array that other libraries can take over by DLPack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._load import native

if TYPE_CHECKING:
    import numpy as np


class Tensor:
    """A value with its name: what a run gave, or what is to be fed.

    Ownership: the tensor shares the array, whose memory lives as long as any view of
    it, in this library or another.
    """

    def __init__(self, array: Any, name: str = "") -> None:
        """Take a value.

        Parameters
        ----------
        array : array_like
            a NumPy array, or any object with __dlpack__ or __array__.
        name : str, default ''
            its name in a model.
        """
        import numpy as np

        if not isinstance(array, np.ndarray):
            array = native().dlpack_import(array) if hasattr(array, "__dlpack__") else np.asarray(array)
        self._array = array
        self.name = name

    @classmethod
    def from_dlpack(cls, source: Any, name: str = "") -> Tensor:
        """Take over the memory of an object with __dlpack__, uncopied.

        Raises
        ------
        BufferError
            memory of another device, or elements that no array holds.
        """
        return cls(native().dlpack_import(source), name)

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return the array, uncopied."""
        result: np.ndarray[Any, Any] = self._array
        return result

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type."""
        result: np.dtype[Any] = self._array.dtype
        return result

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape."""
        result: tuple[int, ...] = self._array.shape
        return result

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """Return the array, of another dtype where one is given."""
        import numpy as np

        if copy is False and dtype is not None and np.dtype(dtype) != self.dtype:
            raise ValueError(f"an array of {dtype} needs a copy of one of {self.dtype}")
        return np.array(self._array, dtype=dtype, copy=True) if copy else np.asarray(self._array, dtype=dtype)

    def __dlpack__(
        self, *, stream: Any = None, max_version: tuple[int, int] | None = None, dl_device: tuple[int, int] | None = None, copy: bool | None = None
    ) -> Any:
        """Return a DLPack capsule over the same memory, or over a copy where copy is
        True, versioned and marked read-only where the consumer can tell (max_version).

        Raises
        ------
        BufferError
            another device is asked for, or the elements are no numbers of
            a byte and more.
        """
        if stream is not None or dl_device not in (None, (1, 0)):
            raise BufferError(f"the memory is the CPU's, stream {stream} and device {dl_device} are asked for")
        return native().dlpack_export(self.numpy().copy() if copy else self.numpy(), max_version is not None and max_version[0] >= 1)

    def __dlpack_device__(self) -> tuple[int, int]:
        """The CPU."""
        return (1, 0)

    def __repr__(self) -> str:
        return f"Tensor({self.name!r}, {self.dtype}, {self.shape})"
