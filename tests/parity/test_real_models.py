"""Real models give what onnxruntime gives: within 1e-4 of the largest magnitude,
at one and two threads, with the same bits from run to run, between one and two
threads, and for a row alone or in a batch."""

from __future__ import annotations

import pathlib

import fetch
import numpy as np
import onnxruntime
import pytest

from goruntime import ReferenceEvaluator

HERE = pathlib.Path(__file__).resolve().parent
RANDOM = np.random.default_rng(3)


def speech(samples: int) -> dict[str, np.ndarray]:
    t = np.arange(samples, dtype=np.float32) / 16000
    sound = 0.3 * np.sin(2 * np.pi * 150 * t) + 0.05 * RANDOM.standard_normal(samples)
    return {
        "input": sound.astype(np.float32)[None],
        "state": RANDOM.standard_normal((2, 1, 128)).astype(np.float32) * 0.1,
        "sr": np.array(16000 if samples > 400 else 8000),
    }


def sentences(batch: int, length: int) -> dict[str, np.ndarray]:
    mask = np.ones((batch, length), np.int64)
    mask[-1, length // 2 :] = 0
    return {"input_ids": RANDOM.integers(1000, 20000, (batch, length)), "attention_mask": mask}


CASES = {
    "silero_vad 16 kHz": ("silero_vad", speech(576)),
    "silero_vad 8 kHz": ("silero_vad", speech(288)),
    "minilm_l3 1x128": ("minilm_l3", sentences(1, 128)),
    "minilm_l3 2x32": ("minilm_l3", sentences(2, 32)),
    "mtcnn_onet": ("mtcnn_onet", {"input_3": RANDOM.standard_normal((5, 48, 48, 3)).astype(np.float32)}),
    "gradient_boosting_regressor": ("gradient_boosting_regressor", {"input": RANDOM.standard_normal((50, 4)).astype(np.float32)}),
    "lightgbm_reg": ("lightgbm_reg", {"X": RANDOM.standard_normal((40, 10)).astype(np.float32)}),
}


def path_of(name: str) -> pathlib.Path:
    return HERE / "lightgbm_reg.onnx" if name == "lightgbm_reg" else fetch.model(name)


@pytest.mark.parametrize("case", CASES)
def test_real_model(case: str) -> None:
    name, feeds = CASES[case]
    path = str(path_of(name))
    expected = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, feeds)
    bits = set()
    for threads in (1, 2):
        evaluator = ReferenceEvaluator(path, num_threads=threads)
        for _ in range(3):
            results = evaluator.run(None, feeds)
            for got, want in zip(results, expected, strict=True):
                assert got.shape == want.shape
                assert got.dtype == want.dtype
                np.testing.assert_allclose(got, want, rtol=0, atol=1e-4 * max(np.abs(want).max(), 1e-30))
            bits.add(b"".join(r.tobytes() for r in results))
    assert len(bits) == 1, "runs or thread numbers differ in their bits"


@pytest.mark.parametrize(("name", "feed"), [("mtcnn_onet", "input_3"), ("gradient_boosting_regressor", "input"), ("lightgbm_reg", "X")])
def test_a_row_alone_has_the_bits_of_the_batch(name: str, feed: str) -> None:
    feeds = next(f for n, f in CASES.values() if n == name)
    evaluator = ReferenceEvaluator(str(path_of(name)))
    whole = evaluator.run(None, feeds)
    for row in range(3):
        alone = evaluator.run(None, {feed: feeds[feed][row : row + 1]})
        for a, w in zip(alone, whole, strict=True):
            assert a.tobytes() == w[row : row + 1].tobytes()


def test_a_speech_model_needs_no_copies_and_no_new_memory(bench) -> None:
    evaluator = ReferenceEvaluator(str(path_of("silero_vad")), allocator=bench.execution, io_allocator=bench.io)
    feeds = speech(576)
    for _ in range(3):
        evaluator.run(None, feeds)
    before = bench.execution.stats(), bench.io.stats()
    for _ in range(50):
        evaluator.run(None, feeds)
    after = bench.execution.stats(), bench.io.stats()
    for b, a in zip(before, after, strict=True):
        assert a["system_allocations"] == b["system_allocations"]
        assert a["copies"] == b["copies"]
        assert a["migrations"] == 0
