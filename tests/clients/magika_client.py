"""magika: what kind of file some bytes are."""

import json

from magika import Magika

TEXTS = [b"import os\n\ndef main():\n    print(os.getcwd())\n" * 5, b'{"a": [1, 2, 3], "b": null}' * 9, b"<html><body><p>text</p></body></html>" * 5,
         b"#include <stdio.h>\nint main(void) { return 0; }\n" * 5, bytes(range(256)) * 8, b""]  # fmt: skip

magika = Magika()
found = [magika.identify_bytes(text) for text in TEXTS]
print(json.dumps([[r.output.label, round(float(r.score), 4)] for r in found]))
