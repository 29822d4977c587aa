"""Tokens from decoder models, as transformers and optimum export them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import dtypes
from .errors import ArgumentError, ShapeError

if TYPE_CHECKING:
    import numpy as np

    from .evaluator import ReferenceEvaluator

    Array = np.ndarray[Any, Any]


class Decoder:
    """Which inputs and outputs of a model are what.

    Of the inputs, those named past... hold the cache, attention_mask, position_ids and
    use_cache_branch what their names say, and the one that is left the tokens. Of the
    outputs, those named present... are the cache of the next step, in the order of the
    inputs, and the first other one, or that named logits, the logits [B, T, V].
    """

    def __init__(self, evaluator: ReferenceEvaluator) -> None:
        self.evaluator = evaluator
        inputs, outputs = evaluator.required_inputs, evaluator.output_names
        helpers = ("attention_mask", "position_ids", "use_cache_branch")
        self.past = [n for n in inputs if n.startswith("past")]
        self.present = [n for n in outputs if n.startswith("present")]
        self.helpers = [n for n in inputs if n in helpers]
        tokens = [n for n in inputs if n not in self.past and n not in helpers]
        logits = [n for n in outputs if n not in self.present]
        if len(tokens) != 1 or not logits or len(self.past) != len(self.present):
            raise ArgumentError(
                f"generate() needs one input of tokens, an output of logits and as many past as present caches: "
                f"the model has the inputs {inputs} and the outputs {outputs}"
            )
        self.tokens, self.logits = tokens[0], "logits" if "logits" in logits else logits[0]
        self.types = dict(zip(evaluator.input_names, evaluator.input_types, strict=True))

    def empty(self, batch: int) -> dict[str, Array]:
        """Return the caches before the first token: dimensions that the model leaves
        open are the batch, where it names them like that of the tokens, or empty."""
        import numpy as np

        named = self.types[self.tokens].shape
        caches = {}
        for name in self.past:
            kind = self.types[name]
            if kind.shape is None:
                raise ShapeError(f"the model declares no shape for the cache {name!r}: generate() cannot begin with an empty one")
            dims = [d if isinstance(d, int) else batch if named and d is not None and d == named[0] else 0 for d in kind.shape]
            caches[name] = np.zeros(dims, dtypes.numpy_of(dtypes.number_declared(kind.type)))
        return caches

    def feeds(self, tokens: Array, seen: int, cache: dict[str, Array]) -> dict[str, Any]:
        """Return the feeds of one step: tokens [B, T] behind the first seen ones."""
        import numpy as np

        batch, new = tokens.shape
        helpers = {
            "attention_mask": np.ones((batch, seen + new), np.int64),
            "position_ids": np.tile(np.arange(seen, seen + new), (batch, 1)),
            "use_cache_branch": np.array([seen > 0]),
        }
        return {self.tokens: tokens, **cache, **{n: helpers[n] for n in self.helpers}}


def greedy(logits: Array) -> Array:
    """Return the most likely token of each row of logits [B, V]."""
    chosen: Array = logits.argmax(-1)
    return chosen


def generate(
    evaluator: ReferenceEvaluator, input_ids: Any, max_new_tokens: int, eos_token_id: int | None, choose: Callable[[Array], Any], options: dict[str, Any]
) -> Array:
    """See ReferenceEvaluator.generate."""
    import numpy as np

    ids = np.atleast_2d(np.asarray(input_ids, np.int64))
    if ids.ndim != 2 or ids.shape[1] == 0:
        raise ShapeError(f"input_ids: tokens [B, T] with T above 0 expected, shape {ids.shape} given")
    if max_new_tokens < 0:
        raise ArgumentError(f"max_new_tokens is {max_new_tokens}: it must not be negative")
    decoder = Decoder(evaluator)
    cache, step, seen = decoder.empty(len(ids)), ids, 0
    done = np.zeros(len(ids), bool)
    for _ in range(max_new_tokens):
        logits, *caches = evaluator.run([decoder.logits, *decoder.present], decoder.feeds(step, seen, cache), **options)
        token = np.asarray(choose(logits[:, -1]), np.int64).reshape(len(ids))
        if eos_token_id is not None:
            token = np.where(done, eos_token_id, token)
            done |= token == eos_token_id
        ids = np.concatenate([ids, token[:, None]], 1)
        if done.all():
            break
        if decoder.past:
            cache, seen, step = dict(zip(decoder.past, caches, strict=True)), ids.shape[1] - 1, token[:, None]
        else:
            step = ids
    return ids
