"""How likely a causal language model finds each of several replies to a prompt: log-probabilities in nats.

A prompt is read once: its keys and values are kept for all of its replies, and the first token of every reply
is scored where the prompt ends. A reply is cut into tokens together with its prompt, and spaces at the end of
a prompt belong to the reply, as in lm-evaluation-harness.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from salva._types import Ints64
from salva.models.tokens import Tokens

# Per call of the model: tokens of prompts, counted once per reply, and tokens of replies, each of which has a
# row as long as the vocabulary.
_READ = {"cpu": 8_192, "cuda": 262_144}
_SCORED = {"cpu": 1_024, "cuda": 16_384}


class Choice(NamedTuple):
    """A prompt and its replies as tokens; `cut` if the prompt lost its beginning."""

    prompt: list[int]
    replies: list[list[int]]
    cut: bool = False


class OptionScorer:
    """A causal model that is asked how likely replies are; `limit` is how many tokens it can read."""

    def __init__(self, model: Any, tokenizer: Any, limit: int | None) -> None:
        self._model, self._tokenizer, self._limit = model, tokenizer, limit
        known = inspect.signature(model.forward).parameters
        self._has_positions = "position_ids" in known
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in known else {}

    def encode(self, prompt: str, replies: Sequence[str], *, special: bool = True) -> Choice:
        """Return a prompt and its replies as tokens; `special` adds the tokens that begin a text."""
        bare = prompt.rstrip()
        spaces = prompt[len(bare) :]
        whole = self._ids([bare, *(f"{bare}{spaces}{reply}" for reply in replies)], special=special)
        begin, ends = whole[0], [ids[len(whole[0]) :] for ids in whole[1:]]
        if not begin:
            first = self._tokenizer.bos_token_id
            begin = [self._tokenizer.eos_token_id if first is None else first]
        room = None if self._limit is None else max(self._limit - max(map(len, ends), default=0), 1)
        kept = begin if room is None else begin[-room:]
        return Choice(kept, ends, len(kept) < len(begin))

    def score(self, choices: Sequence[Choice]) -> list[list[float]]:
        """Return the log-probability of every reply; every reply must have a token."""
        import torch

        scores: list[list[float]] = [[] for _ in choices]
        with torch.inference_mode():
            for batch in self._batches(choices):
                some = [choices[place] for place in batch]
                found = iter(self._score(some))
                for place, choice in zip(batch, some, strict=True):
                    scores[place] = [next(found) for _ in choice.replies]
        return scores

    def _ids(self, texts: list[str], *, special: bool) -> list[list[int]]:
        ids: list[list[int]] = self._tokenizer(texts, add_special_tokens=special, verbose=False)["input_ids"]
        return ids

    def _batches(self, choices: Sequence[Choice]) -> Iterator[list[int]]:
        """Yield positions of prompts of similar length, longest first, as many as fit into memory."""
        device = self._model.device.type
        read, scored = _READ.get(device, _READ["cpu"]), _SCORED.get(device, _SCORED["cpu"])
        order = sorted(range(len(choices)), key=lambda place: -len(choices[place].prompt))
        batch: list[int] = []
        replies = longest = 0
        for place in order:
            choice = choices[place]
            replies += len(choice.replies)
            longest = max(longest, *map(len, choice.replies))
            tokens = replies * (len(choices[(batch or [place])[0]].prompt) + longest)
            if batch and (tokens > read or replies * longest > scored):
                yield batch
                batch, replies, longest = [], len(choice.replies), max(map(len, choice.replies))
            batch.append(place)
        if batch:
            yield batch

    def _score(self, choices: list[Choice]) -> list[float]:
        """Return the log-probabilities of all replies of some prompts, one after the other."""
        import torch

        device = self._model.device
        lengths = [len(choice.prompt) for choice in choices]
        # Padding is on the left, so that every prompt ends where its replies begin.
        ids = np.flip(_padded([choice.prompt[::-1] for choice in choices]), axis=1).copy()
        mask = np.arange(ids.shape[1]) >= ids.shape[1] - np.array(lengths)[:, None]
        seen = torch.from_numpy(mask.astype(np.int64)).to(device)
        out = self._read(torch.from_numpy(ids).to(device), seen, 0, use_cache=True, **self._last_only)
        owners = torch.tensor([k for k, choice in enumerate(choices) for _ in choice.replies], device=device)
        replies = [reply for choice in choices for reply in choice.replies]
        first = torch.log_softmax(out.logits[:, -1].float(), dim=-1)
        scores = first[owners, torch.tensor([reply[0] for reply in replies], device=device)].double()
        if max(map(len, replies)) > 1:
            scores += self._score_rest(replies, owners, seen, out.past_key_values)
        return [float(score) for score in scores.cpu()]

    def _score_rest(self, replies: list[list[int]], owners: Any, seen: Any, cache: Any) -> Any:
        """Return the log-probability of each reply after its first token."""
        import torch

        given = torch.from_numpy(_padded([reply[:-1] for reply in replies])).to(owners.device)
        asked = torch.from_numpy(_padded([reply[1:] for reply in replies])).to(owners.device)
        lengths = torch.tensor([len(reply) - 1 for reply in replies], device=owners.device)
        real = torch.arange(given.shape[1], device=owners.device) < lengths[:, None]
        cache.batch_select_indices(owners)
        mask = torch.cat([seen[owners], real.long()], dim=1)
        logits = self._read(given, mask, seen.shape[1], past_key_values=cache).logits.float()
        each = logits.gather(2, asked[..., None])[..., 0] - torch.logsumexp(logits, dim=-1)
        return torch.where(real, each.double(), 0.0).sum(dim=1)

    def _read(self, ids: Any, mask: Any, start: int, **options: Any) -> Any:
        """Return what the model makes of tokens that begin at a place of the mask."""
        places = (mask.cumsum(dim=1) - 1).clamp(min=0)[:, start:]
        positions = {"position_ids": places} if self._has_positions else {}
        return self._model(input_ids=ids, attention_mask=mask, **positions, **options)


def _padded(rows: list[list[int]]) -> Ints64:
    """Return rows of tokens as one table, padded on the right."""
    tokens = Tokens.of(rows, [False] * len(rows))
    table = np.empty((len(rows), int(tokens.lengths.max())), np.int64)
    tokens.padded_ids(np.arange(len(rows)), 0, table)
    return table
