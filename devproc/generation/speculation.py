"""Speculative decoding: a small model proposes tokens, the large one checks several at once.

Leviathan et al., Fast inference from transformers via speculative decoding (2023), for
greedy choices: the tokens are those that the large model alone would choose.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from devproc.errors import InputError

if TYPE_CHECKING:
    from devproc.generation.language_model import LanguageModel


class Speculation:
    """Steps of a model that a draft runs ahead of; both have read the same tokens."""

    def __init__(self, model: LanguageModel, draft: LanguageModel):
        """Raises InputError for models that cannot work together."""
        problems = _problems(model, draft)
        if problems:
            raise InputError("; ".join(problems))
        self._model, self._draft = model, draft
        self.proposed = self.accepted = 0

    def steps(self, token: int) -> Iterator[int]:
        """The tokens after `token`, which the model has chosen last."""
        model, draft = self._model, self._draft
        while model.position < model.capacity:
            count = model.check_size - 1
            position = model.position
            rooms = [m.capacity - position for m in (model, draft)]
            if min(rooms) <= count:
                # Near the end there is no room for tokens that may be wrong.
                token = model.step()
                yield token
                continue
            draft.place(position, token)
            proposals = [draft.step() for _ in range(count)]
            found = model.check([token, *proposals])
            right = next((n for n, p in enumerate(proposals) if p != found[n]), count)
            self.proposed += count
            self.accepted += right
            token = found[right]
            model.place(position + 1 + right, token)
            if right == count:
                draft.step()  # the last proposal is not in its cache
            yield from found[: right + 1]


def _problems(model: LanguageModel, draft: LanguageModel) -> list[str]:
    problems: list[str] = []
    if model.properties.vocabulary != draft.properties.vocabulary:
        problems.append(
            f"the draft has a vocabulary of {draft.properties.vocabulary}, the model of "
            f"{model.properties.vocabulary}"
        )
    recurrent = [n for n, m in (("model", model), ("draft", draft)) if m.recurrent]
    if recurrent:
        problems.append(
            f"the {' and the '.join(recurrent)} must take back tokens that were proposed "
            "wrongly, which recurrent states cannot: use models of attention alone, or "
            "generate without draft="
        )
    elif not model.check_size:
        problems.append("the model cannot check tokens: compile it with speculate=")
    if model is draft:
        problems.append("the model cannot be its own draft: load it twice")
    drawing = [n for n, m in (("model", model), ("draft", draft)) if not m.is_greedy]
    if drawing:
        listed = " and the ".join(drawing)
        problems.append(
            f"the {listed} must choose the most probable token, without sampling"
        )
    return problems
