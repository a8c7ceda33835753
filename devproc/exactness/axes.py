"""Bounds of the family `axes`."""

from __future__ import annotations

from collections.abc import Mapping

from devproc.exactness.bound import ANY, Bound, Key, exact

BOUNDS: Mapping[Key, Bound] = {
    Key("concat", "", "", ANY): exact("numpy.concatenate"),
    Key("layout", "", "", ANY): exact("numpy.transpose"),
    Key("reshape", "", "", ANY): exact("numpy.reshape"),
    Key("select", "", "", ANY): exact("numpy.take"),
    Key("slice", "", "", ANY): exact("numpy slicing"),
    Key("stack", "", "", ANY): exact("numpy.stack, numpy.concatenate"),
    Key("transpose", "", "", ANY): exact("numpy.transpose"),
}
"""Step, form and dtype -> bound."""
