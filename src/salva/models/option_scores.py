"""How likely a causal language model finds each of several replies to a prompt: log-probabilities in nats.

What all prompts share is read once, and so is the rest of each prompt: keys and values are kept for all its
replies, and the first token of every reply is scored where the prompt ends. A reply is cut into tokens
together with its prompt, and spaces at the end of a prompt belong to the reply, as in lm-evaluation-harness.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from salva._torch import inference
from salva.models.memory import logits_room, token_room
from salva.models.prefixes import SharedPrefix, pad_right
from salva.models.tokens import encode, set_limit

# Per call of the model, if they fit into the memory of a GPU: tokens of prompts, counted once per reply, and
# tokens of replies, each of which has a row as long as the vocabulary.
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
        if tokenizer.is_fast:
            set_limit(tokenizer.backend_tokenizer, None)

    def encode(self, asked: Sequence[tuple[str, Sequence[str]]], *, special: bool = True) -> list[Choice]:
        """Return prompts and their replies as tokens; `special` adds the tokens that begin a text."""
        texts = [
            text for prompt, replies in asked for text in (prompt.rstrip(), *map(prompt.__add__, replies))
        ]
        ids = iter(self._ids(texts, special=special))
        return [self._choice(next(ids), [next(ids) for _ in replies]) for _, replies in asked]

    def _choice(self, begin: list[int], whole: list[list[int]]) -> Choice:
        """Return the choice between texts as tokens that begin in the same way."""
        ends = [ids[len(begin) :] for ids in whole]
        if not begin:
            first = self._tokenizer.bos_token_id
            begin = [self._tokenizer.eos_token_id if first is None else first]
        room = None if self._limit is None else max(self._limit - max(map(len, ends), default=0), 1)
        kept = begin if room is None else begin[-room:]
        return Choice(kept, ends, len(kept) < len(begin))

    def score(self, choices: Sequence[Choice]) -> list[list[float]]:
        """Return the log-probability of every reply; every reply must have a token."""
        scores: list[list[float]] = [[] for _ in choices]
        shared = SharedPrefix(self._model, [choice.prompt for choice in choices])
        with inference():
            for batch in self._batches(choices):
                some = [choices[place] for place in batch]
                found = iter(self._score(some, shared))
                for place, choice in zip(batch, some, strict=True):
                    scores[place] = [next(found) for _ in choice.replies]
        return scores

    def _ids(self, texts: list[str], *, special: bool) -> list[list[int]]:
        if self._tokenizer.is_fast:
            backend = self._tokenizer.backend_tokenizer
            return [encoded.ids for encoded in encode(backend, texts, add_special_tokens=special)]
        ids: list[list[int]] = self._tokenizer(texts, add_special_tokens=special, verbose=False)["input_ids"]
        return ids

    def _batches(self, choices: Sequence[Choice]) -> Iterator[list[int]]:
        """Yield positions of prompts of similar length, longest first, as many as fit into memory."""
        device = self._model.device.type
        scored = _fitting(_SCORED.get(device, _SCORED["cpu"]), logits_room(self._model))
        read = _fitting(_READ.get(device, _READ["cpu"]), token_room(self._model))
        if not self._last_only:  # every token of a prompt has a row of the vocabulary, too
            read = min(read, scored)
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

    def _score(self, choices: list[Choice], shared: SharedPrefix) -> list[float]:
        """Return the log-probabilities of all replies of some prompts, one after the other."""
        import torch

        device = self._model.device
        ids, seen, cache = shared.pad([choice.prompt for choice in choices], 0)
        start = len(shared.tokens)
        known = {} if cache is None else {"past_key_values": cache}
        out = self._read(ids[:, start:], seen, start, use_cache=True, **known, **self._last_only)
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

        given = torch.from_numpy(pad_right([reply[:-1] for reply in replies])).to(owners.device)
        asked = torch.from_numpy(pad_right([reply[1:] for reply in replies])).to(owners.device)
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


def _fitting(most: int, room: int | None) -> int:
    return most if room is None else min(most, room)
