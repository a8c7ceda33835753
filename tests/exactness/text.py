"""Checks of the family `text`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import Key
from tests.exactness.measuring import Check

CHECKS: Mapping[Key, Check] = {}
"""Step, form and dtype -> what measures it."""
