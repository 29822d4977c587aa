"""ImageDecoder beside Pillow, whose libraries are the reference decoders of the formats."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper
from PIL import Image

from goruntime import ReferenceEvaluator

# Format, how Pillow writes it, whether the pixels are exact, and the modes that it takes.
EXACT: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "png": ("png", {}, ["RGB", "L", "P", "RGBA", "1"]),
    "bmp": ("bmp", {}, ["RGB", "L", "P"]),
    "tiff": ("tiff", {}, ["RGB", "L", "RGBA"]),
    "tiff, LZW": ("tiff", {"compression": "tiff_lzw"}, ["RGB", "L"]),
    "tiff, fax": ("tiff", {"compression": "group4"}, ["1"]),
    "tiff, fax of lines": ("tiff", {"compression": "group3"}, ["1"]),
    "tiff, deflate": ("tiff", {"compression": "tiff_adobe_deflate"}, ["RGB"]),
    "ppm": ("ppm", {}, ["RGB", "L", "1"]),
    "webp, lossless": ("webp", {"lossless": True, "exact": True}, ["RGB", "RGBA"]),
    "webp": ("webp", {"quality": 60}, ["RGB", "RGBA"]),
    "jpeg 2000": ("jpeg2000", {"irreversible": False}, ["RGB", "L"]),
}
CLOSE: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "jpeg 4:2:0": ("jpeg", {"subsampling": 2, "quality": 85}, ["RGB", "L"]),
    "jpeg 4:2:2": ("jpeg", {"subsampling": 1}, ["RGB"]),
    "jpeg 4:4:4": ("jpeg", {"subsampling": 0}, ["RGB", "CMYK"]),
    "jpeg, progressive": ("jpeg", {"progressive": True}, ["RGB", "L"]),
    "jpeg 2000, lossy": ("jpeg2000", {"irreversible": True, "quality_mode": "rates", "quality_layers": [15]}, ["RGB"]),
}


@pytest.fixture(scope="module")
def decoders():
    opened = {}
    for pixel_format in ("RGB", "BGR", "Grayscale"):
        node = helper.make_node("ImageDecoder", ["file"], ["image"], pixel_format=pixel_format)
        graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("file", TensorProto.UINT8, ["n"])],
                                  [helper.make_tensor_value_info("image", TensorProto.UINT8, ["h", "w", "c"])])  # fmt: skip
        opened[pixel_format] = ReferenceEvaluator(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)]))
    return opened


def picture(seed: int, width: int, height: int) -> Image.Image:
    """Smooth with edges and a patch of noise."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width]
    planes = [127 + 120 * np.sin(x / rng.uniform(3, 20) + rng.uniform(0, 6)) * np.cos(y / rng.uniform(3, 20)) for _ in range(3)]
    data = np.stack(planes, -1).astype(np.uint8)
    patch = data[height // 3 : height // 2, width // 4 : width // 2]
    patch[:] = rng.integers(0, 256, patch.shape)
    return Image.fromarray(data)


def written(image: Image.Image, form: str, options: dict[str, Any], mode: str) -> tuple[bytes, Image.Image]:
    image = image.convert(mode)
    if mode == "RGBA":
        image.putalpha(Image.fromarray((np.arange(image.width * image.height) % 256).astype(np.uint8).reshape(image.height, image.width)))
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue(), Image.open(io.BytesIO(file.getvalue()))


def decoded(decoder: ReferenceEvaluator, file: bytes) -> Any:
    return decoder.run(None, {"file": np.frombuffer(file, np.uint8)})[0]


sizes = st.tuples(st.integers(0, 2**32 - 1), st.integers(1, 70), st.integers(1, 70))


@pytest.mark.parametrize("name", EXACT)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(size=sizes, pick=st.randoms(use_true_random=False))
def test_same_pixels(decoders, name, size, pick):
    form, options, modes = EXACT[name]
    file, theirs = written(picture(*size), form, options, pick.choice(modes))
    rgb = np.asarray(theirs.convert("RGB"))
    np.testing.assert_array_equal(decoded(decoders["RGB"], file), rgb)
    np.testing.assert_array_equal(decoded(decoders["BGR"], file), rgb[..., ::-1])
    np.testing.assert_array_equal(decoded(decoders["Grayscale"], file), np.asarray(Image.fromarray(rgb).convert("L"))[..., None])


@pytest.mark.parametrize("name", CLOSE)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(size=sizes, pick=st.randoms(use_true_random=False))
def test_close_pixels(decoders, name, size, pick):
    """Roundings of the cosine transform differ: by one in a sample, by three in a colour."""
    form, options, modes = CLOSE[name]
    file, theirs = written(picture(*size), form, options, pick.choice(modes))
    far = np.abs(decoded(decoders["RGB"], file).astype(int) - np.asarray(theirs.convert("RGB")))
    assert far.max() <= 3
    assert (far > 0).sum() < 60 + 0.1 * far.size  # a block of a small image may have them all


def png(colours: int, samples: np.ndarray[Any, Any], transparent: bytes = b"") -> bytes:
    """A PNG file of 16 bits a channel, which Pillow does not write."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width, _ = samples.shape
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in samples)
    head = struct.pack(">IIBBBBB", width, height, 16, colours, 0, 0, 0)
    parts = [chunk(b"IHDR", head), transparent and chunk(b"tRNS", transparent), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


@pytest.mark.parametrize(("colours", "channels"), [(0, 1), (2, 3), (4, 2), (6, 4)])
@pytest.mark.parametrize("transparent", [False, True])
def test_sixteen_bits_and_what_cannot_be_seen(decoders, colours, channels, transparent):
    """The upper eight bits of a channel, also where a pixel is transparent."""
    samples = np.random.default_rng(colours).integers(0, 1 << 16, (5, 7, channels))
    if channels in (2, 4):
        samples[0, :, -1], samples[1, :, -1] = 0, 0xFFFF
    clear = samples[0, 0].astype(">u2").tobytes() if transparent and channels in (1, 3) else b""
    seen = (samples >> 8)[..., : 3 if channels > 2 else 1]
    np.testing.assert_array_equal(decoded(decoders["RGB"], png(colours, samples, clear)), np.broadcast_to(seen, (5, 7, 3)))


def pam(depth: int, most: int, raster: bytes, kind: str = "") -> bytes:
    lines = ["P7", "# a comment", "WIDTH 2", "", f"DEPTH {depth}", "HEIGHT 1", f"MAXVAL {most}", f"TUPLTYPE {kind}" if kind else "#", "ENDHDR"]
    return "\n".join(lines).encode() + b"\n" + raster


@pytest.mark.parametrize(
    ("file", "pixels"),
    [
        (pam(3, 255, b"abcdef"), [[97, 98, 99], [100, 101, 102]]),
        (pam(4, 255, b"abc\0def\x80", "RGB_ALPHA"), [[97, 98, 99], [100, 101, 102]]),
        (pam(2, 255, b"a\0b\x80", "GRAYSCALE_ALPHA"), [[97] * 3, [98] * 3]),
        (pam(1, 1, b"\0\1", "BLACKANDWHITE"), [[0] * 3, [255] * 3]),
        (pam(1, 65535, b"\x80\x80\xff\xff", "GRAYSCALE"), [[128] * 3, [255] * 3]),
        (pam(1, 100, b"\x32\xff"), [[128] * 3, [255] * 3]),
        (b"P1\n# of\n2 1 # pixels\n0 1\n", [[255] * 3, [0] * 3]),
        (b"P1 2 1\n01", [[255] * 3, [0] * 3]),
        (b"P2\n# of\n2 1\n# levels\n15\n0 7\n", [[0] * 3, [119] * 3]),
    ],
)
def test_maps(decoders, file, pixels):
    np.testing.assert_array_equal(decoded(decoders["RGB"], file), [pixels])


@pytest.mark.parametrize("file", [
    pam(3, 255, b"abcde"), pam(3, 0, b"abcdef"), pam(3, 70000, b"abcdef"), pam(0, 255, b""), pam(999999999, 255, b"a"), b"P7\nWIDTH 2\n",
    b"P7\nWIDTH 99999999\nHEIGHT 99999999\nDEPTH 1\nMAXVAL 1\nENDHDR\n", b"P7\nWIDTH x\nENDHDR\n", b"P7\nCOLOUR 3\nENDHDR\n", b"P7\nWIDTH -1\nENDHDR\n",
])  # fmt: skip
def test_maps_that_are_none(decoders, file):
    assert decoded(decoders["RGB"], file).shape == (0, 0, 3)


@pytest.mark.parametrize("form", ["png", "jpeg", "webp", "tiff", "bmp", "ppm", "jpeg2000"])
def test_a_broken_file_is_an_empty_image(decoders, form):
    file, _ = written(picture(1, 40, 30), form, {}, "RGB")
    for broken in (b"", file[: len(file) // 3], b"x" + file):
        assert decoded(decoders["RGB"], broken).shape == (0, 0, 3)
    assert decoded(decoders["RGB"], file).shape == (30, 40, 3)


def huge(width=16000, height=10000):
    """A PNG of some kilobytes: its pixels are 480 MB."""
    rows = zlib.compress(bytes((1 + width // 8) * height), 9)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return np.frombuffer(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b""), np.uint8)


@pytest.mark.parametrize("limited", ["io", "execution"])
def test_a_limit_refuses_a_huge_picture_before_it_is_decoded(decoders, limited, tmp_path):
    code = f"""
import numpy as np, sys
import goruntime
limits = dict(io=dict(limit=100 << 20)) if {limited!r} == "io" else dict(io=dict(), execution=dict(limit=1 << 30))
arenas = dict(allocator=goruntime.ExecutionArena(**limits.get("execution", dict())), io_allocator=goruntime.IOArena(**limits["io"]))
evaluator = goruntime.ReferenceEvaluator(sys.argv[1], **arenas)
high = lambda: int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) >> 10
small = np.frombuffer(open(sys.argv[3], "rb").read(), np.uint8)
evaluator.run(None, dict(file=small))
before = high()
try:
    evaluator.run(None, dict(file=np.fromfile(sys.argv[2], np.uint8)))
except goruntime.LimitError as error:
    print("ImageDecoder" in str(error), high() - before < 50)
print(evaluator.run(None, dict(file=small))[0].shape)
"""
    paths = [tmp_path / name for name in ("model.onnx", "huge.png", "small.png")]
    paths[0].write_bytes(decoders["RGB"]._bytes)
    huge().tofile(paths[1])
    Image.new("RGB", (3, 2)).save(paths[2])
    done = subprocess.run([sys.executable, "-c", code, *map(str, paths)], capture_output=True, text=True, check=False)
    assert done.stdout.split("\n")[:2] == ["True True", "(2, 3, 3)"], done.stderr
