"""Client packages run their own pipelines on goruntime, unmodified, with the results
that they have on onnxruntime: make test-clients. PyTorch shares memory: make test-torch.
"""

from __future__ import annotations

import pathlib

import pytest
from environments import CLIENTS, HERE, OURS, answer, environment, same, wheel

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]  # most of it is the packages' way from PyPI


@pytest.fixture(scope="session")
def built() -> pathlib.Path:
    return wheel()


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_gets_the_same(built, name):
    python, script = environment(name, built), str(HERE / f"{name}_client.py")
    theirs, mine = answer(python, script), answer(python, "-c", OURS.format(script))
    assert same(mine, theirs), f"ours {mine}, theirs {theirs}"


def test_torch_shares_memory(built):
    """No client of onnxruntime; PyTorch is in silero-vad's environment."""
    answer(environment("silero", built), str(HERE / "torch_dlpack.py"))
