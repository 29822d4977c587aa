"""silero-vad: where somebody speaks in a sound."""

import json
import pathlib
import sys

import numpy as np
import torch
from silero_vad import VADIterator, get_speech_timestamps, load_silero_vad

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples"))
from speech import voice


def main() -> None:
    random = np.random.default_rng(7)
    silence = 0.001 * random.standard_normal(16000)
    sound = torch.from_numpy(np.concatenate([silence, voice(2.0, random), silence, voice(1.0, random), silence]).astype(np.float32))
    answers = []
    for opset in (16, 15):
        model = load_silero_vad(onnx=True, opset_version=opset)
        found = get_speech_timestamps(sound, model, sampling_rate=16000)
        chances = model.audio_forward(sound[:8192], sr=16000)[0].tolist()
        stream = VADIterator(model, sampling_rate=16000)
        events = [stream(sound[at : at + 512]) for at in range(0, len(sound) - 511, 512)]
        answers.append([[[s["start"], s["end"]] for s in found], chances, [e for e in events if e]])
    assert answers[0][0], "no speech was found"
    print(json.dumps(answers))


main()
