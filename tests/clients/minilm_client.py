"""Sentence embeddings through a tokenizer: words to numbers, a network, the mean of its
words. The package ships no vocabulary, so it is made of the sentences' words."""

import json
import pathlib

import numpy as np
import onnxruntime
import tokenizers

SENTENCES = ["A man is eating food.", "A man eats a piece of bread.", "The girl is carrying a baby.", "Stocks fell on Monday."]

words = sorted({word for s in SENTENCES for word in s.lower().replace(".", " .").split()})
vocabulary = {word: i for i, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words])}
tokenizer = tokenizers.BertWordPieceTokenizer(vocabulary)
tokenizer.enable_padding()
model = next(p for p in pathlib.Path(tokenizers.__file__).parents[1].glob("vital*/**/*.onnx"))
session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
encoded = tokenizer.encode_batch(SENTENCES)
feeds = {"input_ids": np.array([e.ids for e in encoded]), "attention_mask": np.array([e.attention_mask for e in encoded]),
         "token_type_ids": np.array([e.type_ids for e in encoded])}  # fmt: skip
results = session.run(None, {i.name: feeds[i.name] for i in session.get_inputs()})
hidden = next(r for r in results if r.ndim == 3)  # a vector for each word
mask = feeds["attention_mask"][..., None]
vectors = (hidden * mask).sum(axis=1) / mask.sum(axis=1)
vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
print(json.dumps([np.round(vectors @ vectors.T, 4).tolist(), np.round(vectors[:, :8].astype(float), 4).tolist()]))
