"""OrtValue, OrtDevice and IOBinding: values and where they go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import dtypes
from .._load import native
from ..tensor import Tensor

if TYPE_CHECKING:
    from .session import InferenceSession


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
        """Share an array.

        Parameters
        ----------
        numpy_obj : array_like
            any element type, strings too.
        device_type : str, default 'cpu'
            cpu.
        device_id : int, default 0
            accepted.

        Raises
        ------
        ValueError
            another device.
        """
        _cpu(device_type)
        return OrtValue(np.asarray(numpy_obj))

    @staticmethod
    def ortvalue_from_numpy_with_onnx_type(data: np.ndarray[Any, Any], onnx_element_type: int) -> OrtValue:
        """Share an array whose bits are elements of another type of the same width.

        Parameters
        ----------
        data : numpy.ndarray
            the bits, as uint16 for bfloat16.
        onnx_element_type : int
            a TensorProto.DataType.

        Raises
        ------
        ValueError
            the widths differ.
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
        """Make an array to write to. Its content is not set.

        Parameters
        ----------
        shape : Sequence[int]
            of the array.
        element_type : Any, default np.float32
            a NumPy type, or a TensorProto.DataType.
        device_type : str, default 'cpu'
            cpu.
        device_id : int, default 0
            accepted.

        Raises
        ------
        ValueError
            another device, an element type that there is not.
        """
        _cpu(device_type)
        return OrtValue(np.empty(tuple(shape), _dtype(element_type)))

    @staticmethod
    def from_dlpack(data: Any, is_bool_tensor: bool = False) -> OrtValue:
        """Take over the memory of an object with __dlpack__, or of its capsule, uncopied.

        Parameters
        ----------
        data : Any
            what has the memory.
        is_bool_tensor : bool, default False
            whether its bytes are booleans, which early versions of DLPack have not.
        """
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
        """Return the array, uncopied; of a sequence its list, of a map its dict."""
        return self._value

    def shape(self) -> list[int]:
        """Return the shape of a tensor."""
        return list(self._tensor().shape)

    def data_type(self) -> str:
        """Return the type as the operator schemas write it: "tensor(float)"."""
        return _type_of(self._value)

    def element_type(self) -> int:
        """Return the TensorProto.DataType of a tensor, or of the tensors of a sequence."""
        if self.is_tensor_sequence() and self._value:
            return OrtValue(self._value[0]).element_type()
        return dtypes.number_of(self._tensor().dtype)

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
        """Whether it is a sequence of tensors."""
        return isinstance(self._value, list) and all(isinstance(item, np.ndarray) for item in self._value)

    def is_sparse_tensor(self) -> bool:
        """Never."""
        return False

    def tensor_size_in_bytes(self) -> int:
        """Return how many bytes the elements of a tensor take."""
        return int(self._tensor().nbytes)

    def data_ptr(self) -> int:
        """Return the address of the first element of a tensor."""
        return int(self._tensor().ctypes.data)

    def update_inplace(self, np_arr: Any) -> None:
        """Copy an array's elements into the memory of this tensor."""
        np.copyto(self._tensor(), np_arr)

    def _tensor(self) -> np.ndarray[Any, Any]:
        """Return the array.

        Raises
        ------
        RuntimeError
            the value is no tensor.
        """
        if not isinstance(self._value, np.ndarray):
            raise RuntimeError(f"the value is a {self.data_type()}, a tensor expected")
        return self._value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self._value, dtype=dtype, copy=True) if copy else np.asarray(self._value, dtype=dtype)


def _type_of(value: Any) -> str:
    """Return the type of a value as the operator schemas write it. An empty sequence is
    one of floats, and a map has the key and value types of its first item."""
    if value is None:
        return "optional(tensor(float))"
    if isinstance(value, list):
        return f"seq({_type_of(value[0]) if value else 'tensor(float)'})"
    if isinstance(value, dict):
        key, item = next(iter(value.items()), (0, 0.0))
        held = "string" if isinstance(item, str) else "int64" if isinstance(item, int) else "float"
        return f"map({'string' if isinstance(key, str) else 'int64'},tensor({held}))"
    return f"tensor({dtypes.SCHEMA[dtypes.number_of(value.dtype)]})"


def _dtype(element_type: Any) -> np.dtype[Any]:
    """Return the dtype of a NumPy type or a TensorProto.DataType."""
    found: np.dtype[Any] = dtypes.numpy_of(element_type) if isinstance(element_type, int) else np.dtype(element_type)
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
        """Bind memory that the caller keeps.

        Parameters
        ----------
        name : str
            of the input.
        device_type : str
            cpu.
        device_id : int
            accepted.
        element_type : Any
            a NumPy type, or a TensorProto.DataType.
        shape : Sequence[int]
            of the array.
        buffer_ptr : int
            the address of the first element, which is the caller's until the last run.
        """
        _cpu(device_type)
        self._inputs[name] = _over(buffer_ptr, element_type, shape)

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        """Bind a value."""
        self._inputs[name] = ortvalue.numpy()

    def bind_output(
        self, name: str, device_type: str = "cpu", device_id: int = 0, element_type: Any = None, shape: Sequence[int] | None = None,
        buffer_ptr: int | None = None,
    ) -> None:  # fmt: skip
        """Ask for an output: in new memory, or in memory that the caller keeps.

        Parameters
        ----------
        name : str
            of the output.
        device_type : str, default 'cpu'
            cpu.
        device_id : int, default 0
            accepted.
        element_type : Any, optional
            of the caller's memory: a NumPy type, or a TensorProto.DataType.
        shape : Sequence[int], optional
            of the caller's memory.
        buffer_ptr : int, optional
            its address; without one the run takes memory of its own.
        """
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
