"""Reads calling conventions from JSON."""

from __future__ import annotations

from devproc.errors import BundleError
from devproc.runtime.calls.calling import Calling, NamedCalling
from devproc.runtime.calls.interface import Interface
from devproc.runtime.reading.typed_json import member


def calling_from_json(data: object, interface: Interface) -> Calling:
    """The convention that `as_json` wrote; raises BundleError for another."""
    kind = member(data, "kind")
    if kind == "named":
        return NamedCalling(interface)
    if kind == "texts":
        from devproc.runtime.calls.tokenizing import TextCalling

        return TextCalling.from_json(data, interface)
    if kind == "pytree":
        from devproc.runtime.calls.pytree_calling import PytreeCalling

        return PytreeCalling.from_json(data, interface)
    raise BundleError(f"there is no calling convention of kind {kind!r}")
