"""`hf:DIRECTORY` for models that write, and for causal ones that choose: the option they find most likely.

Models that write are encoder-decoder or causal ones, which decode greedily. A causal model is padded on the
left, or after the beginning that all prompts share, which it reads once. If its tokenizer has a chat
template, it gets the text as a message of the user, unless options say otherwise.

To choose, the log-probabilities of several replies to a prompt, in nats, are compared. What all prompts share
is read once, and so is the rest of each prompt: keys and values are kept for all its replies, and the first
token of every reply is scored where the prompt ends. A reply is cut into tokens together with its prompt, and
spaces at the end of a prompt belong to the reply, as in lm-evaluation-harness. The weights are not rounded,
also on a GPU, unless the user says so: options are often close.

A shared beginning, such as a system message or examples, is read once. Keys and values of its tokens are
kept, and every prompt goes on from there. Padding is between the shared tokens and the rest, where the mask
hides it and positions do not count it.
"""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from salva._torch import find_device, inference
from salva._types import Ints64
from salva.models.hugging_face import LOCAL, check_folder, load_folder, token_limit
from salva.models.protocol import (
    ANSWERED,
    PER_CHARACTER,
    REPLY,
    TRUNCATED,
    Adapted,
    Answer,
    Answers,
    ModelOptions,
    Prompt,
    Text,
    as_text,
    combined,
    of_folder,
)
from salva.models.tokens import Tokens, encode, length_batches, set_limit

# Per call of the model, including padding and what it writes. A step of a small model takes a GPU as long for
# two thousand texts as for two hundred.
_TOKENS = {"cpu": 8_192, "cuda": 1_048_576}
_TEXTS = {"cpu": 1_024, "cuda": 2_048}
# The same to choose, if they fit into the memory of a GPU: tokens of prompts, counted once per reply, and
# tokens of replies, each of which has a row as long as the vocabulary.
_READ = {"cpu": 8_192, "cuda": 262_144}
_SCORED = {"cpu": 1_024, "cuda": 16_384}
_USUAL = "torch.float32"
# Tokens. A small model on a CPU is 1.1 times as fast with 8 of them, 1.3 with 32, 2.5 with 128, 6 with 512.
LEAST = 32
_INNER = 8  # tensors as wide as the widest of a layer that exist at the same time
_LOGITS = 3  # copies of a row of the vocabulary, of four bytes per number


class HuggingFaceGenerator(Adapted):
    """A model that writes; a reply without an end is truncated, and `cut` marks texts that are too long."""

    def __init__(self, folder: Path, name: str, options: ModelOptions) -> None:
        self._device = find_device(options.device)
        self._model, self._tokenizer = load_folder(
            folder,
            self._device,
            "model that writes text",
            lambda auto: _generator_class(folder, auto),
            dtype=options.dtype,
        )
        if self._tokenizer.pad_token_id is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token or self._tokenizer.unk_token
        self._settings = _decoding(self._model, self._tokenizer, options.max_new_tokens)
        ends = self._settings.eos_token_id
        self._ends = ends if isinstance(ends, list) else [] if ends is None else [ends]
        self._causal = not self._model.config.is_encoder_decoder
        self._chat = self._causal and options.chat_template and self._tokenizer.chat_template is not None
        self._budget = min(_TOKENS.get(self._device.type, _TOKENS["cpu"]), token_room(self._model))
        # A causal model needs room for what it writes, too.
        reserved = options.max_new_tokens if self._causal else 0
        limit = token_limit(self._model, self._tokenizer)
        self._limit = None if limit is None else max(limit - reserved, 1)
        digest = combined(
            "hf",
            "generate",
            of_folder(folder),
            str(self._model.dtype),
            options.max_new_tokens,
            options.model_id,
            *(() if options.chat_template else ("plain",)),
        )
        texts = _TEXTS.get(self._device.type, _TEXTS["cpu"])
        super().__init__(name, digest, options.batch_size or texts)

    def predict(self, texts: list[Text]) -> Answers:
        """Return what the model writes in reply to, or as a continuation of, each text."""
        prompts = [_as_asked(self._tokenizer, text, chat=self._chat) for text in texts]
        # A template adds its own special tokens.
        rows = self._tokenizer(prompts, add_special_tokens=not self._chat, verbose=False)["input_ids"]
        fitting = [row if self._limit is None else row[-self._limit :] for row in rows]
        answers = [Answer("")] * len(texts)
        shared = SharedPrefix(self._model, [row for row in fitting if row]) if self._causal else None
        # A text without a token is not sent.
        most = self._settings.max_new_tokens
        lengths = np.array([len(row) + most if row else 0 for row in fitting], np.int64)
        for batch in map(np.ndarray.tolist, length_batches(lengths, self._budget)):
            some = [fitting[i] for i in batch]
            replies, ended = self._written(some) if shared is None else self._continued(some, shared)
            for place, text, whole in zip(batch, replies, ended, strict=True):
                answers[place] = Answer(text, status=ANSWERED if whole else TRUNCATED)
        cut = [len(short) < len(row) for short, row in zip(fitting, rows, strict=True)]
        return Answers.of_each(answers, cut)

    def _continued(self, rows: list[list[int]], shared: SharedPrefix) -> tuple[list[str], list[bool]]:
        """Return what a causal model writes after some rows of tokens, and whether it reached its end."""
        ids, mask, cache = shared.pad(rows, self._tokenizer.pad_token_id or 0)
        return self._generate(ids, mask, ids.shape[1], cache)

    def _written(self, rows: list[list[int]]) -> tuple[list[str], list[bool]]:
        """Return what a decoder writes about some rows of tokens; it begins with a start token."""
        inputs = self._tokenizer.pad({"input_ids": rows}, padding_side="right", return_tensors="pt")
        ids, mask = (inputs[name].to(self._device) for name in ("input_ids", "attention_mask"))
        return self._generate(ids, mask, 1, {})

    def _generate(
        self, ids: Any, mask: Any, start: int, cache: dict[str, Any]
    ) -> tuple[list[str], list[bool]]:
        import torch

        with inference():
            out = self._model.generate(
                input_ids=ids, attention_mask=mask, generation_config=self._settings, **cache
            )
        new = out[:, start:]
        ended = torch.isin(new, torch.tensor(self._ends, dtype=new.dtype, device=new.device)).any(dim=1)
        written = self._tokenizer.batch_decode(
            new, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return written, ended.tolist()


def _as_asked(tokenizer: Any, text: Text, *, chat: bool) -> str:
    """Return a text as a model gets it, in the chat template of its tokenizer or as it is."""
    plain = as_text(text)
    if not chat:
        return plain
    message = text.dicts if isinstance(text, Prompt) else [{"role": "user", "content": plain}]
    return str(tokenizer.apply_chat_template(message, tokenize=False, add_generation_prompt=True))


def _generator_class(folder: Path, auto: Any) -> Any:
    both = auto.AutoConfig.from_pretrained(str(folder), **LOCAL).is_encoder_decoder
    return auto.AutoModelForSeq2SeqLM if both else auto.AutoModelForCausalLM


def _decoding(model: Any, tokenizer: Any, most: int) -> Any:
    """Return how to decode: always the most likely token, up to the end token, whatever the folder says."""
    settings = copy.deepcopy(model.generation_config)
    changes = {"do_sample": False, "num_beams": 1, "max_length": None, "max_new_tokens": most}
    unused = dict.fromkeys(("temperature", "top_p", "top_k", "min_p", "typical_p"))
    for name, value in (changes | unused | {"pad_token_id": tokenizer.pad_token_id}).items():
        setattr(settings, name, value)
    return settings


class HuggingFaceChooser(Adapted):
    """A causal model that gives every prompt its most likely option; `cut` marks prompts that are too long.

    The probability is that among the options. If they are compared per character, long ones have no
    disadvantage.
    """

    def __init__(self, folder: Path, name: str, options: ModelOptions) -> None:
        self._per_character = options.choose_by == PER_CHARACTER
        model, self._tokenizer = load_folder(
            folder,
            find_device(options.device),
            "causal language model",
            lambda auto: auto.AutoModelForCausalLM,
            exact=True,
            dtype=options.dtype,
        )
        self._chat = options.chat_template and self._tokenizer.chat_template is not None
        self._scorer = OptionScorer(model, self._tokenizer, token_limit(model, self._tokenizer))
        extras = [] if options.chat_template else ["plain"]
        if str(model.dtype) != _USUAL:
            extras.append(str(model.dtype))
        digest = combined("hf", options.choose_by, of_folder(folder), options.model_id, *extras)
        super().__init__(name, digest, options.batch_size or 1024)

    def predict(self, texts: list[Text]) -> Answers:
        """Return the most likely option of each prompt."""
        choices = self._choices(texts)
        scores = iter(self._scorer.score([choice for choice in choices if isinstance(choice, Choice)]))
        answers = [
            self._best(text, np.array(next(scores))) if isinstance(choice, Choice) else Answer(error=choice)
            for text, choice in zip(texts, choices, strict=True)
        ]
        cut = [isinstance(choice, Choice) and choice.cut for choice in choices]
        return Answers.of_each(answers, cut)

    def _choices(self, texts: list[Text]) -> list[Choice | str]:
        """Return the prompts and their options as tokens, or why they cannot be compared."""
        prompts = [text for text in texts if isinstance(text, Prompt) and len(text.options) > 1]
        encoded = iter(self._scorer.encode(list(map(self._asked, prompts)), special=not self._chat))
        choices: list[Choice | str] = []
        for text in texts:
            if not isinstance(text, Prompt) or len(text.options) < 2:
                choices.append("there are no options to compare; choose by the reply")
            else:
                choice = next(encoded)
                whole = all(choice.replies)
                choices.append(choice if whole else "the tokenizer finds no token in an option")
        return choices

    def _asked(self, prompt: Prompt) -> tuple[str, list[str]]:
        """Return a prompt and its options as texts that follow it."""
        asked = _as_asked(self._tokenizer, prompt, chat=self._chat)
        gap = "" if self._chat or asked[-1:].isspace() else " "
        return asked, [gap + option for option in prompt.options]

    def _best(self, text: Text, scores: Any) -> Answer:
        options = text.options if isinstance(text, Prompt) else ()
        if self._per_character:
            scores = scores / np.array([max(len(option), 1) for option in options])
        shares = np.exp(scores - scores.max())
        best = int(np.argmax(scores))
        return Answer(options[best], float(shares[best] / shares.sum()))


def open_hugging_face_text(rest: str, options: ModelOptions) -> HuggingFaceGenerator | HuggingFaceChooser:
    """Open `hf:DIRECTORY` as a model that writes, or that chooses."""
    kind = HuggingFaceGenerator if options.choose_by == REPLY else HuggingFaceChooser
    return kind(check_folder(rest), f"hf:{rest}", options)


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
            found = encode(self._tokenizer.backend_tokenizer, texts, add_special_tokens=special)
            return [encoded.ids for encoded in found]
        return list(self._tokenizer(texts, add_special_tokens=special, verbose=False)["input_ids"])

    def _batches(self, choices: Sequence[Choice]) -> Iterator[list[int]]:
        """Yield positions of prompts of similar length, longest first, as many as fit into memory."""
        device = self._model.device.type
        scored = min(_SCORED.get(device, _SCORED["cpu"]), logits_room(self._model))
        read = min(_READ.get(device, _READ["cpu"]), token_room(self._model))
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
        ids, seen, known = shared.pad([choice.prompt for choice in choices], 0)
        start = len(shared.tokens)
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


class SharedPrefix:
    """The first tokens of some rows, if they are the same in all of them and worth keeping."""

    def __init__(self, model: Any, rows: list[list[int]]) -> None:
        self._model, self.tokens = model, find_prefix(rows)
        self._cache: Any = None
        if len(self.tokens) >= LEAST and "position_ids" in inspect.signature(model.forward).parameters:
            self._cache = self._read()
        if self._cache is None:
            self.tokens = []

    def _read(self) -> Any:
        """Return the keys and values of the prefix; None if the model keeps anything else."""
        import torch
        from transformers import DynamicCache
        from transformers.cache_utils import DynamicLayer

        ids = torch.tensor([self.tokens], device=self._model.device)
        with inference():
            cache = self._model(input_ids=ids, use_cache=True).past_key_values
        # A layer with a window forgets the beginning, and some models keep states that padding would change.
        plain = type(cache) is DynamicCache and all(type(layer) is DynamicLayer for layer in cache.layers)
        return cache if plain else None

    def pad(self, rows: list[list[int]], filler: int) -> tuple[Any, Any, dict[str, Any]]:
        """Return some of the rows with padding after the prefix, their mask, and the cache to go on from."""
        import torch

        size, device = len(self.tokens), self._model.device
        # Padding is on the left of the rest, so that all rows end at the same place.
        rest = np.flip(pad_right([row[size:][::-1] for row in rows], filler), axis=1)
        begin = np.tile(np.array(self.tokens, np.int64), (len(rows), 1))
        ids = np.concatenate([begin, rest], axis=1)
        hidden = ids.shape[1] - np.array([len(row) for row in rows])
        places = np.arange(ids.shape[1])
        mask = (places < size) | (places >= size + hidden[:, None])
        known = {}
        if self._cache is not None:
            known["past_key_values"] = copy.deepcopy(self._cache)
            known["past_key_values"].batch_repeat_interleave(len(rows))
        seen = torch.from_numpy(mask.astype(np.int64)).to(device)
        return torch.from_numpy(ids).to(device), seen, known


def pad_right(rows: list[list[int]], filler: int = 0) -> Ints64:
    """Return rows of tokens as one table, padded on the right."""
    tokens = Tokens.of(rows, [False] * len(rows))
    table = np.empty((len(rows), int(tokens.lengths.max())), np.int64)
    tokens.padded_ids(np.arange(len(rows)), filler, table)
    return table


def find_prefix(rows: list[list[int]]) -> list[int]:
    """Return the tokens with which all rows begin; of every row, at least one token is left over.

    >>> find_prefix([[1, 2, 3, 4], [1, 2, 3], [1, 2, 5, 6]]), find_prefix([[1, 2]]), find_prefix([])
    ([1, 2], [], [])
    """
    if len(rows) < 2:
        return []
    low, high = min(rows), max(rows)  # what these two share, all rows between them share, too
    same = [a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(low, high, strict=False))]
    return same[: max(min(map(len, rows)) - 1, 0)]


def token_room(model: Any) -> int:
    """Return how many tokens need half of a GPU's memory next to the weights; on a CPU, no limit.

    How much of the memory is free does not matter, so that a run that is continued has the same batches.
    """
    if model.device.type != "cuda":
        return sys.maxsize
    import torch

    half = torch.cuda.get_device_properties(model.device).total_memory // 2
    weights = sum(own.numel() * own.element_size() for own in model.parameters())
    return max(int((half - weights) // bytes_per_token(model.config, model.dtype.itemsize)), 1)


def logits_room(model: Any) -> int:
    """Return for how many tokens the scores of the whole vocabulary need an eighth of a GPU's memory."""
    if model.device.type != "cuda":
        return sys.maxsize
    import torch

    eighth = torch.cuda.get_device_properties(model.device).total_memory // 8
    return max(int(eighth // (_LOGITS * 4 * model.config.get_text_config().vocab_size)), 1)


def bytes_per_token(config: Any, size: int) -> int:
    """Return how many bytes a token takes in a model whose numbers have `size` bytes.

    >>> from types import SimpleNamespace
    >>> sizes = {"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 16}
    >>> about = SimpleNamespace(**sizes)
    >>> about.get_text_config = lambda: about
    >>> bytes_per_token(about, 2)  # 2 x 2 layers x 8 numbers, and 8 x 16
    320
    """
    own = config.get_text_config()
    wide = own.hidden_size
    heads = own.num_attention_heads
    kept = getattr(own, "num_key_value_heads", None) or heads
    each = getattr(own, "head_dim", None) or wide // heads
    inner = getattr(own, "intermediate_size", None) or 4 * wide
    return int(size * (2 * own.num_hidden_layers * kept * each + _INNER * inner))
