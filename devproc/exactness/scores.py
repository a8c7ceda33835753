"""Bounds of the family `scores`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import ANY, Bound, Key, absolute, exact

SIGMOID = {"float64": 5e-16, "float32": 2e-7, "float16": 5e-4, "bfloat16": 4e-3}
SOFTMAX = {"float64": 2e-15, "float32": 5e-7, "float16": 5e-4, "bfloat16": 4e-3}
"""dtype -> the largest distance; for half precision one unit in the last place near 1."""

BOUNDS: Mapping[Key, Bound] = {
    Key("argmax", "", "", ANY): exact("torch.argmax"),
    Key("top_k", "", "", ANY): exact("torch.topk, of equal elements the first"),
    **{
        Key(step, "", "", dtype): absolute(limit, f"torch.{step}")
        for step, limits in (("sigmoid", SIGMOID), ("softmax", SOFTMAX))
        for dtype, limit in limits.items()
    },
}
"""Step, form and dtype -> bound."""
