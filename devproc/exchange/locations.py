"""Source locations to and from plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
)

from devproc.ir.text.location import fused_parts


def encode_location(location: LocationAttr) -> dict[str, Any] | None:
    """A location as a JSON object; None for an unknown one."""
    if isinstance(location, NameLoc):
        return {
            "name": location.desc.data,
            **(encode_location(location.location) or {}),  # pyright: ignore
        }
    if isinstance(location, FileLineColLoc):
        return {
            "file": location.filename.data,
            "line": location.line.data,
            "column": location.column.data,
        }
    if isinstance(location, FusedLoc):
        return {"fused": [encode_location(p) or {} for p in fused_parts(location)]}
    if isinstance(location, CallSiteLoc):
        # A program as JSON has ops whole: that an op was a part of one is not written.
        return encode_location(location.caller)  # pyright: ignore
    return None


def decode_location(data: Mapping[str, Any] | None) -> LocationAttr:
    """The location that `encode_location` wrote."""
    if data is None:
        return UNKNOWN_LOC
    if "fused" in data:
        return FusedLoc(tuple(map(decode_location, data["fused"])), NoneAttr())
    where: LocationAttr | NoneAttr = NoneAttr()
    if "file" in data:
        line, column = int(data.get("line", 0)), int(data.get("column", 0))
        where = FileLineColLoc(StringAttr(data["file"]), IntAttr(line), IntAttr(column))
    if "name" in data:
        return NameLoc(StringAttr(data["name"]), where)
    return where if isinstance(where, FileLineColLoc) else UNKNOWN_LOC
