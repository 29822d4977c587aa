"""PyTorch tensors in and out by DLPack, uncopied: make test-torch."""

import gc
import sys

import numpy as np
import torch
from onnx import helper

from goruntime import IOArena, ReferenceEvaluator, Tensor

TYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.bool,
         torch.complex64, torch.float8_e4m3fn, torch.float8_e5m2]  # fmt: skip


def twice(dtype):
    """A model that gives its input twice, one behind the other."""
    kind = helper.np_dtype_to_tensor_dtype(dtype)
    node = helper.make_node("Concat", ["x", "x"], ["y"], axis=0)
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", kind, None)], [helper.make_tensor_value_info("y", kind, None)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def bits(t):
    return t.view(torch.uint8).numpy() if t.dtype not in (torch.bool, torch.complex64) else t.numpy()


for dtype in TYPES:
    x = torch.arange(6).reshape(2, 3).to(dtype)
    taken = Tensor(x)
    assert taken.numpy().ctypes.data == x.data_ptr(), dtype
    io = IOArena()
    evaluator = ReferenceEvaluator(twice(taken.dtype), io_allocator=io)
    (y,) = evaluator.run(None, {"x": x})
    copies = io.stats()["copies"]
    assert not any(copies.values()), (dtype, copies)
    back = torch.from_dlpack(Tensor(y))
    assert back.dtype == dtype
    assert back.data_ptr() == y.ctypes.data, dtype
    del y, evaluator, taken
    io.close()
    gc.collect()
    np.testing.assert_array_equal(bits(back), np.concatenate([bits(x), bits(x)]))

x = torch.arange(12, dtype=torch.float32).reshape(3, 4).T
(y,) = ReferenceEvaluator(twice(np.dtype(np.float32))).run(None, {"x": x})
np.testing.assert_array_equal(y, torch.cat([x, x]).numpy())
assert Tensor(torch.ones(0, 3)).shape == (0, 3)
frozen = np.ones(3, np.float32)
frozen.flags.writeable = False
try:
    held = torch.from_dlpack(Tensor(frozen))  # torch has no read-only tensors: it takes or refuses
    assert held.sum() == 3
except (BufferError, RuntimeError) as error:
    print("read-only:", error)
try:
    Tensor(torch.ones(2, requires_grad=True))
    raise AssertionError("a tensor that needs a gradient was taken")
except (BufferError, RuntimeError):
    pass
print(f"{len(TYPES)} element types went in and out uncopied", file=sys.stderr)
print("{}")
