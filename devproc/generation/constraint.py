"""Which tokens may follow, as the caller of a generation says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from devproc.errors import InputError
from devproc.generation.properties import ALLOWED
from devproc.ir.weights.table import Array

if TYPE_CHECKING:
    from devproc.generation.token_sequence import TokenSequence

Allowed: TypeAlias = Any
"""Token ids, or a bool for each token of the vocabulary, or None for all."""


class Constraint:
    """The mask of the tokens that may follow, in the states of a constrained model.

    The tokens that a model does not begin with are masked for the first choice.
    """

    def __init__(self, model: TokenSequence, allowed: Allowed, sequence: int = 0):
        """`allowed`: tokens, or a function of the tokens so far that returns them."""
        self._state, self._properties = model.entries.state, model.properties
        self._allowed, self._sequence = allowed, sequence
        self._choices = 0

    @property
    def is_function(self) -> bool:
        """Whether it depends on the tokens so far."""
        return callable(self._allowed)

    def apply(self, ids: Sequence[int]) -> None:
        """Assigns the mask of the token after these; raises InputError if none may follow,
        or for what is neither tokens nor a mask."""
        self._choices += 1
        # After the second choice, only a function changes it.
        is_old = self._choices > 2 and not callable(self._allowed)
        if is_old or ALLOWED not in self._state:
            return
        allowed = self._allowed
        if callable(allowed):
            allowed = cast(Callable[[list[int]], Allowed], allowed)(list(ids))
        mask = mask_of(allowed, self._properties.vocabulary)
        if self._choices == 1:
            mask[list(self._properties.begin_suppress_tokens)] = False
        if not mask.any():
            raise InputError(f"allowed: no token may follow after {len(ids)} tokens")
        masks = self._state[ALLOWED]
        masks[self._sequence] = mask
        self._state[ALLOWED] = masks


def mask_of(allowed: Allowed, vocabulary: int) -> Array:
    """A bool for each token of the vocabulary, (V)."""
    if allowed is None:
        return np.ones(vocabulary, np.bool_)
    found = np.asarray(allowed)
    if found.dtype == np.bool_ and found.shape == (vocabulary,):
        return found.copy()
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        raise InputError(
            f"allowed must be token ids or a mask of {vocabulary}, got {found.dtype} of "
            f"shape {found.shape}"
        )
    wrong = found[(found < 0) | (found >= vocabulary)]
    if wrong.size:
        raise InputError(
            f"allowed: token {wrong[0]} is not one of the vocabulary of {vocabulary}"
        )
    mask = np.zeros(vocabulary, np.bool_)
    mask[found.astype(np.int64)] = True
    return mask
