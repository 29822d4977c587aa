"""OrtValue, OrtDevice and IOBinding: values and where they go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._load import native
from ..tensor import Tensor

if TYPE_CHECKING:
    from .session import InferenceSession

_TYPES = {
    "float32": "float", "float64": "double", "str": "string", "object": "string", "bfloat16": "bfloat16",
    "float8_e4m3fn": "float8e4m3fn", "float8_e4m3fnuz": "float8e4m3fnuz", "float8_e5m2": "float8e5m2", "float8_e5m2fnuz": "float8e5m2fnuz",
}  # fmt: skip


class OrtDevice:
    """The CPU."""

    def __init__(self, device_type: int = 0, memory_type: int = 0, device_id: int = 0) -> None:
        self._id = device_id

    @staticmethod
    def make(name: str, device_id: int = 0) -> OrtDevice:
        """Return the device of a name, which must be cpu."""
        _cpu(name)
        return OrtDevice(0, 0, device_id)

    @staticmethod
    def cpu() -> int:
        """The number of the CPU among device types."""
        return 0

    @staticmethod
    def default_memory() -> int:
        """The number of the usual memory."""
        return 0

    def device_id(self) -> int:
        """0."""
        return self._id

    def device_type(self) -> int:
        """The CPU."""
        return 0


def _cpu(name: str) -> None:
    if str(name).lower() != "cpu":
        raise ValueError(f"the device {name!r}: only 'cpu' is here")


class OrtValue:
    """A tensor, or a sequence or optional, with onnxruntime's accessors.

    Ownership: shares the array, whose memory lives as long as any view of it.
    """

    def __init__(self, value: Any) -> None:
        self._value = value

    @staticmethod
    def ortvalue_from_numpy(numpy_obj: Any, device_type: str = "cpu", device_id: int = 0) -> OrtValue:
        """Share an array."""
        _cpu(device_type)
        return OrtValue(np.asarray(numpy_obj))

    @staticmethod
    def ortvalue_from_numpy_with_onnx_type(data: np.ndarray[Any, Any], onnx_element_type: int) -> OrtValue:
        """Share an array whose bits are elements of another type of the same width.

        Raises:
            ValueError: the widths differ.
        """
        dtype = _dtype(onnx_element_type)
        if dtype.itemsize != data.dtype.itemsize:
            raise ValueError(f"{data.dtype} given, which is not as wide as {dtype}")
        return OrtValue(data.view(dtype))

    @staticmethod
    def ort_value_from_sequence(values: Sequence[Any]) -> OrtValue:
        """Share the arrays of a sequence."""
        return OrtValue([np.asarray(v) for v in values])

    @staticmethod
    def ortvalue_from_shape_and_type(shape: Sequence[int], element_type: Any = np.float32, device_type: str = "cpu", device_id: int = 0) -> OrtValue:
        """Make an array to write to. Its content is not set."""
        _cpu(device_type)
        return OrtValue(np.empty(tuple(shape), _dtype(element_type)))

    @staticmethod
    def from_dlpack(data: Any, is_bool_tensor: bool = False) -> OrtValue:
        """Take over the memory of an object with __dlpack__, or of its capsule, uncopied."""
        array = native().dlpack_import(data)
        return OrtValue(array.view(bool) if is_bool_tensor else array)

    def to_dlpack(self) -> Any:
        """Return a capsule over the same memory."""
        return native().dlpack_export(self.numpy(), False)

    def __dlpack__(self, **options: Any) -> Any:
        return Tensor(self.numpy()).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def numpy(self) -> Any:
        """Return the array, uncopied."""
        return self._value

    def shape(self) -> list[int]:
        """Return the shape."""
        return list(self._value.shape)

    def data_type(self) -> str:
        """Return the type as the operator schemas write it: "tensor(float)"."""
        if isinstance(self._value, list):
            return f"seq({OrtValue(self._value[0]).data_type()})" if self._value else "seq(tensor(float))"
        name = self._value.dtype.name
        return f"tensor({_TYPES.get(name, name)})"

    def element_type(self) -> int:
        """Return the TensorProto.DataType."""
        from ..events import _NAMES

        name = self._value.dtype.name
        return 8 if name in ("object", "str") else _NAMES.index(name)

    def device_name(self) -> str:
        """cpu."""
        return "cpu"

    def has_value(self) -> bool:
        """Whether it is no empty optional."""
        return self._value is not None

    def is_tensor(self) -> bool:
        """Whether it is a tensor."""
        return isinstance(self._value, np.ndarray)

    def is_tensor_sequence(self) -> bool:
        """Whether it is a sequence."""
        return isinstance(self._value, list)

    def is_sparse_tensor(self) -> bool:
        """Never."""
        return False

    def tensor_size_in_bytes(self) -> int:
        """Return how many bytes the elements take."""
        return int(self._value.nbytes)

    def data_ptr(self) -> int:
        """Return the address of the first element."""
        return int(self._value.ctypes.data)

    def update_inplace(self, np_arr: Any) -> None:
        """Copy an array's elements into this one's memory."""
        np.copyto(self._value, np_arr)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self._value, dtype=dtype, copy=True) if copy else np.asarray(self._value, dtype=dtype)


def _dtype(element_type: Any) -> np.dtype[Any]:
    """Return the dtype of a NumPy type or a TensorProto.DataType."""
    if isinstance(element_type, int):
        from ..events import _NAMES

        element_type = _NAMES[element_type]
        if not hasattr(np, element_type):
            import ml_dtypes

            element_type = getattr(ml_dtypes, element_type)
    found: np.dtype[Any] = np.dtype(element_type)
    return found


class IOBinding:
    """Inputs and outputs that a session is bound to, for run_with_iobinding."""

    def __init__(self, session: InferenceSession) -> None:
        self._inputs: dict[str, Any] = {}
        self._outputs: dict[str, Any] = {}  # a value to write to, or None
        self._results: list[Any] = []

    def bind_cpu_input(self, name: str, arr_on_cpu: Any) -> None:
        """Bind an array, which is read in place."""
        self._inputs[name] = arr_on_cpu

    def bind_input(self, name: str, device_type: str, device_id: int, element_type: Any, shape: Sequence[int], buffer_ptr: int) -> None:
        """Bind memory that the caller keeps: an address with a type and a shape."""
        _cpu(device_type)
        self._inputs[name] = _over(buffer_ptr, element_type, shape)

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        """Bind a value."""
        self._inputs[name] = ortvalue.numpy()

    def bind_output(
        self, name: str, device_type: str = "cpu", device_id: int = 0, element_type: Any = None, shape: Sequence[int] | None = None,
        buffer_ptr: int | None = None,
    ) -> None:  # fmt: skip
        """Ask for an output: in new memory, or in memory that the caller keeps."""
        _cpu(device_type)
        self._outputs[name] = None if buffer_ptr is None or shape is None else _over(buffer_ptr, element_type, shape)

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        """Have an output written to a value's memory."""
        self._outputs[name] = ortvalue.numpy()

    def synchronize_inputs(self) -> None:
        """Nothing to wait for."""

    def synchronize_outputs(self) -> None:
        """Nothing to wait for."""

    def get_outputs(self) -> list[OrtValue]:
        """Return the outputs of the last run, in the order they were bound."""
        return [OrtValue(value) for value in self._results]

    def copy_outputs_to_cpu(self) -> list[Any]:
        """Return the outputs of the last run as arrays."""
        return list(self._results)

    def clear_binding_inputs(self) -> None:
        """Forget the inputs."""
        self._inputs.clear()

    def clear_binding_outputs(self) -> None:
        """Forget the outputs and what they were."""
        self._outputs.clear()
        self._results = []


def _over(address: int, element_type: Any, shape: Sequence[int]) -> np.ndarray[Any, Any]:
    """Return an array over memory that the caller keeps."""
    import ctypes

    dtype = _dtype(element_type)
    size = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
    memory: Any = (ctypes.c_byte * size).from_address(address)
    found: np.ndarray[Any, Any] = np.frombuffer(memory, dtype).reshape(tuple(shape))
    return found
