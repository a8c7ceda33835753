"""Bounds of the steps on tokens and embeddings."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import Bound, Key, absolute, relative

BOUNDS: Mapping[Key, Bound] = {
    Key("mean_pool", "", "", "float32"): relative(
        1e-6, "sentence_transformers' Pooling: torch.sum, torch.clamp, torch.div"
    ),
    Key("l2_normalize", "", "", "float32"): absolute(
        1e-6, "torch.nn.functional.normalize"
    ),
    Key("cosine_similarity", "", "", "float32"): absolute(
        1e-6, "sentence_transformers.util.cos_sim"
    ),
}
"""Step, form and dtype -> bound."""
