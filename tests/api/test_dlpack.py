"""Tensors to and from NumPy and JAX by DLPack, uncopied; PyTorch has its own target."""

from __future__ import annotations

import gc
import threading
import weakref

import jax
import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from jax import numpy as jnp

from goruntime import IOArena, ReferenceEvaluator, Tensor

PLAIN = [np.dtype(c) for c in "bBhHiIlLefdFD?"]
EXTRA = [np.dtype(t) for t in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz)]


class Producer:
    """An array behind the protocol alone, as a library of old or new would have it."""

    def __init__(self, array, versioned=True):
        self.array, self.versioned = array, versioned

    def __dlpack__(self, **options):
        if not self.versioned and options:
            raise TypeError("no arguments")
        return Tensor(self.array).__dlpack__(**options)

    def __dlpack_device__(self):
        return (1, 0)


@pytest.mark.parametrize("dtype", PLAIN + EXTRA, ids=str)
@pytest.mark.parametrize("versioned", [True, False])
def test_every_element_type_there_and_back(dtype, versioned):
    x = np.arange(24).reshape(2, 3, 4).astype(dtype)
    for given_ in (x, x[:, ::2, ::-1], x.T, x[:0], x[1, 1, 1, ...]):
        again = Tensor.from_dlpack(Producer(given_, versioned)).numpy()
        assert again.dtype == dtype
        assert again.strides == given_.strides or given_.size < 2
        np.testing.assert_array_equal(again, given_)
        assert not given_.size or again.ctypes.data == given_.ctypes.data


@settings(deadline=None)
@given(hnp.arrays(hnp.scalar_dtypes(), hnp.array_shapes(min_dims=0, min_side=0)))
def test_what_numpy_can_exchange_we_can(x):
    try:
        theirs = np.from_dlpack(x)
    except (BufferError, TypeError):
        with pytest.raises(BufferError):
            Tensor(x).__dlpack__(max_version=(1, 0))
        return
    np.testing.assert_array_equal(Tensor.from_dlpack(x).numpy(), theirs)
    np.testing.assert_array_equal(np.from_dlpack(Tensor(x)), theirs)


def test_read_only_is_told_and_kept():
    x = np.ones(3, np.float32)
    x.flags.writeable = False
    assert not Tensor.from_dlpack(x).numpy().flags.writeable
    assert not np.from_dlpack(Tensor(x)).flags.writeable
    with pytest.raises(BufferError, match="it must ask for DLPack"):
        Tensor(x).__dlpack__()
    assert Tensor.from_dlpack(np.ones(3)).numpy().flags.writeable


def test_the_memory_lives_as_long_as_any_view():
    x = np.ones(1000)
    gone = weakref.ref(x)
    capsule = Tensor(x).__dlpack__()
    del x
    gc.collect()
    assert gone() is not None
    array = Tensor.from_dlpack(Capsule(capsule)).numpy()
    del capsule
    part = array[3:5]
    del array
    gc.collect()
    assert gone() is not None
    thread = threading.Thread(target=lambda held: held.clear(), args=([part],))
    del part
    thread.start()
    thread.join()
    del thread
    gc.collect()
    assert gone() is None
    never = Tensor(np.ones(5)).__dlpack__(max_version=(1, 0))  # a capsule that nobody takes
    del never


class Capsule:
    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **options):
        return self.capsule


def test_a_capsule_is_taken_once():
    source = Capsule(Tensor(np.ones(3)).__dlpack__())
    assert Tensor.from_dlpack(source).numpy().sum() == 3
    with pytest.raises(ValueError, match="PyCapsule"):
        Tensor.from_dlpack(source)
    with pytest.raises(ValueError, match="PyCapsule"):
        Tensor.from_dlpack(Capsule(3))
    with pytest.raises(AttributeError):
        Tensor.from_dlpack(3)


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([None]), np.array([1], ">i4"), np.array([1], "M8[s]"), np.array([1], ml_dtypes.int4)], ids=repr)
def test_elements_that_dlpack_has_not(array):
    with pytest.raises(BufferError, match="DLPack has no elements like those"):
        Tensor(array).__dlpack__()


def test_other_devices_are_refused():
    with pytest.raises(BufferError, match="device"):
        Tensor(np.ones(1)).__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="stream"):
        Tensor(np.ones(1)).__dlpack__(stream=1)
    x = np.ones(1)
    assert np.shares_memory(np.from_dlpack(Producer(x)), x)
    assert not np.shares_memory(np.from_dlpack(Producer(x), copy=True), x)


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16, jnp.int32, jnp.bool_], ids=lambda d: d.__name__)
def test_jax_arrays_go_in_uncopied_and_results_come_out(dtype, twice):
    x = jnp.arange(6).reshape(2, 3).astype(dtype)
    io = IOArena()
    evaluator = ReferenceEvaluator(twice(np.dtype(dtype)), io_allocator=io)
    (y,) = evaluator.run(None, {"x": x})
    np.testing.assert_array_equal(y, np.concatenate([x, x]))
    assert sum(io.stats()["copies"].values()) == 0
    back = jnp.from_dlpack(Tensor(y))
    assert back.dtype == x.dtype
    assert bool((back[2:] == x).all())
    address = y.ctypes.data
    del y, evaluator
    io.close()
    gc.collect()
    assert bool((back[2:] == x).all())
    # JAX takes memory over where it is aligned to 64 bytes, as all of an arena is.
    assert back.unsafe_buffer_pointer() == address


def test_a_transposed_jax_array_is_read_in_its_order(twice):
    x = jax.device_put(np.arange(6, dtype=np.float32).reshape(2, 3)).T
    (y,) = ReferenceEvaluator(twice(np.dtype(np.float32))).run(None, {"x": x})
    np.testing.assert_array_equal(y, np.concatenate([x, x]))


@settings(deadline=None)
@given(st.integers(0, 3), st.integers(0, 4))
def test_empty_and_small_jax_arrays(n, m):
    x = jnp.ones((n, m), jnp.float32)
    again = Tensor(x)
    assert again.shape == (n, m)
    np.testing.assert_array_equal(again.numpy(), np.asarray(x))


@pytest.fixture
def twice():
    """A model that gives its input twice, one behind the other, by element type."""
    from onnx import helper

    def make(dtype):
        kind = helper.np_dtype_to_tensor_dtype(dtype)
        node = helper.make_node("Concat", ["x", "x"], ["y"], axis=0)
        graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", kind, None)], [helper.make_tensor_value_info("y", kind, None)])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)

    return make
