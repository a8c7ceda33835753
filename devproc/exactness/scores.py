"""Bounds of the family `scores`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import Bound, Key

BOUNDS: Mapping[Key, Bound] = {}
"""Step, form and dtype -> bound."""
