"""speechmos: how good a sound is judged to be."""

import json

import numpy as np
from speechmos import dnsmos

t = np.arange(16000 * 10) / 16000
sound = 0.4 * np.sin(2 * np.pi * 220 * t) * (1 + np.sin(2 * np.pi * 3 * t)) / 2 + 0.01 * np.random.default_rng(2).standard_normal(t.size)
print(json.dumps({k: round(float(v), 3) for k, v in dnsmos.run(sound.astype(np.float32), sr=16000).items()}))
