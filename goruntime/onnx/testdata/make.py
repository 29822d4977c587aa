"""Write the models and expectations of the reader's tests: python make.py

dtypes.onnx has every element type in every encoding that onnx.proto allows;
dtypes.txt has the bytes of each tensor, by NumPy. kitchen.onnx has every field
that the reader reads; kitchen.txt is what the onnx package reads from it.
"""
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).parent
T = TensorProto


def packed(array: np.ndarray, bits: int) -> bytes:
    """The elements of array as raw_data has them."""
    if bits >= 8:
        return array.tobytes()
    codes = array.view(np.uint8).ravel() & ((1 << bits) - 1)
    per = 8 // bits
    codes = np.pad(codes, (0, -codes.size % per)).reshape(-1, per)
    return sum(codes[:, i] << (i * bits) for i in range(per)).astype(np.uint8).tobytes()


def values(dtype: int) -> list:
    name = T.DataType.Name(dtype)
    if name == "BOOL":
        return [True, False, True]
    if name.startswith("COMPLEX"):
        return [1 + 2j, -3.5 - 0.25j, 0j]
    if "FLOAT" in name or name == "DOUBLE":
        return [1.0, 4.0, 0.5] if name == "FLOAT8E8M0" else [1.0, -1.5, 0.5]
    if name.startswith("UINT"):
        return [0, 1, 3]
    return [-2, 1, -1]


BITS = {"UINT4": 4, "INT4": 4, "FLOAT4E2M1": 4, "UINT2": 2, "INT2": 2}


def repeated(dtype: int, vals: list) -> onnx.TensorProto:
    """A typed tensor whose list comes in two packed pieces: protobuf joins them."""
    whole = helper.make_tensor("", dtype, [3], vals)
    wire = whole.SerializeToString() + b""
    head, tail = onnx.TensorProto.FromString(wire), onnx.TensorProto()
    for field in ("float_data", "int32_data", "int64_data", "double_data", "uint64_data"):
        entries = list(getattr(head, field))
        del getattr(head, field)[1:]
        getattr(tail, field).extend(entries[1:])
    return head.SerializeToString() + tail.SerializeToString()


def dtypes() -> None:
    tensors, expected, wires = [], [], []
    for name, dtype in sorted(T.DataType.items(), key=lambda kv: kv[1]):
        if name in ("UNDEFINED", "STRING") or name.startswith("FLOAT6"):
            continue  # strings have a tensor of their own; package tensor has no 6-bit types
        bits = BITS.get(name, 8)
        vals = values(dtype)
        typed = helper.make_tensor(f"typed/{name}", dtype, [3], vals)
        raw = packed(numpy_helper.to_array(typed), bits)
        in_raw = onnx.TensorProto(name=f"raw/{name}", data_type=dtype, dims=[3], raw_data=raw)
        assert packed(numpy_helper.to_array(in_raw), bits) == raw, name
        tensors += [typed, in_raw]
        expected += [(typed.name, raw), (in_raw.name, raw)]
        scalar = helper.make_tensor(f"scalar/{name}", dtype, [], vals[:1])
        empty = helper.make_tensor(f"empty/{name}", dtype, [2, 0], [])
        tensors += [scalar, empty]
        expected += [(scalar.name, packed(numpy_helper.to_array(scalar), bits)), (empty.name, b"")]
        pieces = repeated(dtype, vals) + onnx.TensorProto(name=f"pieces/{name}").SerializeToString()
        wires.append(pieces)
        expected.append((f"pieces/{name}", raw))
    tensors.append(helper.make_tensor("strings", T.STRING, [2, 2], [b"a", b"", "\u00e9".encode(), b"\x00\xff"]))
    graph = helper.make_graph([], "dtypes", [], [], tensors)
    graph = onnx.GraphProto.FromString(graph.SerializeToString())
    for wire in wires:
        graph.initializer.append(onnx.TensorProto.FromString(wire))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 28)], ir_version=13)
    # The pieces must stay pieces: they are appended as bytes, not as messages.
    del model.graph.initializer[-len(wires):]
    tail = b"".join(b"\x2a" + varint(len(w)) + w for w in wires)
    (HERE / "dtypes.onnx").write_bytes(model.SerializeToString() + b"\x3a" + varint(len(tail)) + tail)
    check = onnx.load(HERE / "dtypes.onnx")
    assert sorted(t.name for t in check.graph.initializer) == sorted(["strings", *(name for name, _ in expected)])
    (HERE / "dtypes.txt").write_text("".join(f"{n} {b.hex()}\n" for n, b in expected))


def varint(n: int) -> bytes:
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def kitchen() -> onnx.ModelProto:
    f = T.FLOAT
    info = helper.make_tensor_value_info
    tp = helper.make_tensor_type_proto
    branch = helper.make_graph([helper.make_node("Identity", ["outer"], ["b"])], "branch", [], [info("b", f, None)])
    sparse = onnx.SparseTensorProto(values=helper.make_tensor("s", f, [2], [5.0, 6.0]),
                                    indices=helper.make_tensor("", T.INT64, [2], [1, 5]), dims=[2, 3])
    node = helper.make_node("Everything", ["x", "", "weight"], ["y", ""], name="n/1 \u00fc", domain="my.domain", overload="o")
    node.doc_string = "what it does"
    node.metadata_props.add(key="k", value="v")
    attr = helper.make_attribute
    node.attribute.extend([
        attr("f", 1.5), attr("i", -7), attr("s", b"text\xff"), attr("t", helper.make_tensor("tt", T.INT8, [2], [1, -1])),
        attr("g", branch), attr("floats", [1.0, -0.0, 3.25]), attr("ints", [1, -1, 2**62]), attr("strings", ["a", "", "c"]),
        attr("tensors", [helper.make_tensor("t0", f, [], [1.0])]), attr("graphs", [branch, branch]),
        attr("sparse", sparse), attr("sparses", [sparse]), attr("tp", tp(T.BFLOAT16, [1, "N", None])),
        attr("tps", [tp(f, []), helper.make_sequence_type_proto(tp(T.INT64, None))]),
        attr("zero", 0.0), attr("empty", "", doc_string="an empty string"),
    ])
    ref = onnx.AttributeProto(name="alpha", ref_attr_name="outer_alpha", type=onnx.AttributeProto.FLOAT)
    body = helper.make_node("LeakyRelu", ["a"], ["b"])
    body.attribute.append(ref)
    fn = helper.make_function("my.domain", "Leaky", ["a"], ["b"], [body], [helper.make_opsetid("", 18)], ["must"],
                              [attr("outer_alpha", 0.25)], doc_string="a function", overload="o", value_info=[info("b", f, ["N"])])
    fn.metadata_props.add(key="fk", value="fv")
    opaque = onnx.TypeProto()
    opaque.opaque_type.domain, opaque.opaque_type.name = "d", "n"
    kinds = [tp(f, [2, "batch", None, 0]), helper.make_sparse_tensor_type_proto(T.DOUBLE, [3]),
             helper.make_optional_type_proto(helper.make_sequence_type_proto(tp(T.STRING, []))),
             helper.make_map_type_proto(T.INT64, tp(f, None)), opaque]
    kinds[0].denotation = "IMAGE"
    kinds[0].tensor_type.shape.dim[0].denotation = "DATA_BATCH"
    inputs = [helper.make_value_info(f"in{k}", t, f"input {k}") for k, t in enumerate(kinds)]
    inputs[0].metadata_props.add(key="ik", value="iv")
    outside = onnx.TensorProto(name="outside", data_type=f, dims=[2], data_location=T.EXTERNAL)
    for key, value in [("location", "data.bin"), ("offset", "8"), ("length", "8"), ("checksum", "00")]:
        outside.external_data.add(key=key, value=value)
    weight = helper.make_tensor("weight", f, [2], [1.0, 2.0])
    weight.doc_string = "a weight"
    weight.metadata_props.add(key="wk", value="wv")
    graph = helper.make_graph([node], "kitchen", inputs, [info("y", f, None)], [weight, outside], "a graph", [info("m", f, [4])],
                              [sparse])
    graph.metadata_props.add(key="gk", value="gv")
    graph.quantization_annotation.add(tensor_name="y")
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("my.domain", 1), helper.make_opsetid("ai.onnx", 21)]
    model = helper.make_model(graph, opset_imports=opsets, functions=[fn], ir_version=10, producer_name="p", producer_version="1",
                              domain="org", model_version=3, doc_string="a model")
    model.metadata_props.add(key="mk", value="mv")
    model.training_info.add().algorithm.name = "not read"
    return model


# What the reader does not keep, and what tensor() shows in another way.
SKIPPED = {"quantization_annotation", "training_info", "configuration", "device_configurations", "float_data", "int32_data",
           "int64_data", "double_data", "uint64_data", "string_data", "raw_data", "external_data"}


def tensor(value: onnx.TensorProto, here: str, out: list) -> None:
    for entry in value.external_data:
        if entry.key != "checksum":
            out.append(f"{here}.{entry.key} = {entry.value.encode().hex()}")
    if not value.external_data:
        out.append(f"{here}.payload = {numpy_helper.to_array(value).tobytes().hex()}")


def dump(message, path: str, out: list) -> None:
    """Append a line for each field that is set, in the order of their names."""
    for field in sorted(message.DESCRIPTOR.fields, key=lambda f: f.name):
        value = getattr(message, field.name)
        here = f"{path}.{field.name}" if path else field.name
        if field.name in SKIPPED:
            continue
        if field.is_repeated:
            for k, v in enumerate(value):
                one(field, v, f"{here}[{k}]", out)
        elif message.HasField(field.name):
            one(field, value, here, out)


def one(field, value, here: str, out: list) -> None:
    if field.message_type is not None:
        out.append(f"{here} {{}}")
        dump(value, here, out)
        if isinstance(value, onnx.TensorProto):
            tensor(value, here, out)
    elif isinstance(value, float):
        out.append(f"{here} = {np.float64(value).tobytes().hex()}")
    elif isinstance(value, int):
        out.append(f"{here} = {value}")
    else:
        out.append(f"{here} = {(value.encode() if isinstance(value, str) else value).hex()}")


def main() -> None:
    dtypes()
    model = kitchen()
    (HERE / "kitchen.onnx").write_bytes(model.SerializeToString(deterministic=True))
    lines: list = []
    dump(model, "", lines)
    (HERE / "kitchen.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
