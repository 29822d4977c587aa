"""rapidocr-onnxruntime: text in a picture, found, turned and read by three networks."""

import json

import cv2
import numpy as np
from rapidocr_onnxruntime import RapidOCR

page = np.full((200, 520, 3), 255, np.uint8)
for i, line in enumerate(["Invoice 20417", "Total 1,299.50 EUR", "thank you"]):
    cv2.putText(page, line, (20, 50 + 55 * i), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (0, 0, 0), 2, cv2.LINE_AA)
found, _ = RapidOCR()(page)
print(json.dumps([[text, round(float(score), 2), np.round(np.array(box) / 3).tolist()] for box, text, score in found]))
assert len(found) == 3
assert found[0][1].endswith("20417")
assert "1,299.50" in found[1][1]
