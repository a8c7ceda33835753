"""Bounds of the family `axes`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import ANY, Bound, Key, exact

BOUNDS: Mapping[Key, Bound] = {
    Key("layout", "", "", ANY): exact("numpy.transpose"),
    Key("select", "", "", ANY): exact("numpy.take"),
    Key("stack", "", "", ANY): exact("numpy.stack, numpy.concatenate"),
}
"""Step, form and dtype -> bound."""
