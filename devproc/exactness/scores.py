"""Bounds of the family `scores`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import Bound, Key, absolute, exact

BOUNDS: Mapping[Key, Bound] = {
    Key("argmax", "", "", "float32"): exact("torch.argmax"),
    Key("sigmoid", "", "", "float32"): absolute(2e-7, "torch.sigmoid"),
    Key("softmax", "", "", "float32"): absolute(2e-7, "torch.softmax"),
    Key("top_k", "", "", "float32"): exact("torch.topk"),
}
"""Step, form and dtype -> bound."""
