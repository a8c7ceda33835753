"""What a language model consists of, and what a generation returns, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

DECODE, PREFILL, CHECK, ENCODE = "decode", "prefill_", "check_", "encode"
"""The entry of one token, the beginning of the names of those that read prompts and of the
one that checks several tokens, and the entry that reads the source of an encoder-decoder.
"""

TOKEN, SEED, POSITION, COUNTS = "token", "seed", "model.position", "counts"
"""States: the token chosen last, the seed of the next choice, the number of tokens in the
cache, and how often each token appeared, where that matters.
"""

ALLOWED = "allowed"
"""The state of a constrained model that says which tokens may follow."""

ACTIVE = "active"
"""The state of a model of several sequences that says which of them take part in a step: 1,
and 0 for the others. Their other states have a row for each.
"""

RECURRENT = ("model.conv_", "model.recurrent_")
"""The beginnings of the names of states that hold all tokens before: of convolutions and of
recurrences, which no token can be taken out of.
"""

SOURCE_COUNT, CROSS = "source_count", "cross_"
"""States of an encoder-decoder: how long its source is, 0 before the first one, and the
beginning of the names of the keys and values that were computed from it.
"""


@dataclass(frozen=True)
class Properties:
    """What a language model keeps beside its entries."""

    capacity: int
    vocabulary: int
    """How many tokens there are."""
    stop_tokens: tuple[int, ...] = ()
    tokenizer: str | None = None
    """The whole `tokenizer.json`."""
    start_tokens: tuple[int, ...] = ()
    """Those with which the decoder of an encoder-decoder begins."""
    begin_suppress_tokens: tuple[int, ...] = ()
    """Those that do not follow the prompt directly."""
    chat_templates: Mapping[str, str] = field(default_factory=dict[str, str])
    """Those of the tokenizer, by name."""
    special_tokens: Mapping[str, str] = field(default_factory=dict[str, str])
    """Their texts by name, such as `bos_token`."""

    def as_json(self) -> dict[str, Any]:
        """The properties as plain data."""
        values: dict[str, Any] = asdict(self)
        tuples = (n for n, v in values.items() if isinstance(v, tuple))
        return values | {name: list(values[name]) for name in tuples}


@dataclass(frozen=True)
class Generation:
    """What was generated, why it ended, and how long it took."""

    ids: tuple[int, ...]
    """The tokens after the prompt; without the one that ended it."""
    text: str | None
    """Their text; None without a tokenizer."""
    reason: str
    """Why it ended: "stop", "max_tokens", "capacity" or "interrupted"."""
    prompt_tokens: int
    """How many tokens the prompt has."""
    prompt_seconds: float = field(compare=False)
    """Seconds until the first token, for the source, where there is one, and the prompt."""
    seconds: float = field(compare=False)
    """Seconds for all tokens but the first, which comes with the prompt."""

    @property
    def tokens_per_second(self) -> float:
        """Tokens after the first one, per second; 0 if there was one."""
        return max(len(self.ids) - 1, 0) / self.seconds if self.seconds > 0 else 0.0
