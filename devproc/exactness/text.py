"""Bounds of the family `text`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import ANY, Bound, Key, absolute, exact, relative

_POOLING = "sentence_transformers' Pooling: torch.sum, torch.clamp, torch.div"
_NORMALIZE = "torch.nn.functional.normalize"

BOUNDS: Mapping[Key, Bound] = {
    Key("attention_mask", "", "", ANY): exact("torch.ne"),
    Key("cls_pool", "", "", ANY): exact("numpy slicing"),
    Key("pad_tokens", "", "", ANY): exact("numpy slicing, numpy.pad"),
    Key("mean_pool", "", "", "float64"): relative(1.5e-15, _POOLING),
    Key("mean_pool", "", "", "float32"): relative(6e-7, _POOLING),
    Key("mean_pool", "", "", "float16"): relative(1e-3, _POOLING),
    Key("mean_pool", "", "", "bfloat16"): relative(8e-3, _POOLING),
    Key("l2_normalize", "", "", "float64"): absolute(4e-16, _NORMALIZE),
    Key("l2_normalize", "", "", "float32"): absolute(2e-7, _NORMALIZE),
    Key("cosine_similarity", "", "", "float32"): absolute(
        1e-6, "sentence_transformers.util.cos_sim"
    ),
}
"""Step, form and dtype -> bound."""
