"""Bounds of the family `generation`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import Bound, Key, exact

TIE = 1e-5
"""Noisy scores, or a sum of probabilities and p, may be ordered differently if they are
this close: they are float32."""

_NOISE = f"and Gumbel noise of Philox 4x32-10 in float64, but for ties within {TIE:g}"

BOUNDS: Mapping[Key, Bound] = {
    Key("next_token", "", "greedy", "float32"): exact(
        "torch.argmax, -1 for a row with a NaN"
    ),
    Key("next_token", "", "top_k", "float32"): exact(
        f"transformers' TopKLogitsWarper {_NOISE}"
    ),
    Key("next_token", "", "top_p", "float32"): exact(
        f"transformers' TopPLogitsWarper {_NOISE}"
    ),
    Key("count_tokens", "", "", "int32"): exact("numpy.add.at"),
    Key("count_tokens", "", "", "int64"): exact("numpy.add.at"),
    Key("penalize_tokens", "", "", "float32"): exact(
        "transformers' RepetitionPenaltyLogitsProcessor, numpy.subtract"
    ),
}
"""Step, form and dtype -> bound."""
