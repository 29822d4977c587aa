"""nudenet: boxes in a picture, and what its network says of it."""

import json

import numpy as np
from nudenet import NudeDetector

random = np.random.default_rng(1)
picture = (random.random((240, 200, 3)) * 255).astype(np.uint8)
picture[60:180, 50:150] = (120, 160, 220)
detector = NudeDetector()
session = detector.onnx_session
(raw,) = session.run(None, {session.get_inputs()[0].name: random.random((1, 3, 320, 320)).astype(np.float32)})
print(json.dumps([detector.detect(picture), np.round(raw[0, :6, ::300].astype(float), 2).tolist(), list(raw.shape)]))
