"""What `tests.generated_code` compares, and how it says what differs."""

from __future__ import annotations

import json

from devproc.driver import parse_module
from devproc.ir.text.location import make_location
from tests.conftest import GOLDEN
from tests.generated_code import Hashes, differences, forget_locations

KINDS = {
    "attention",
    "bottleneck",
    "contraction",
    "contraction bf16_dot",
    "contraction block_float",
    "contraction inner_product",
    "contraction strassen",
    "gather",
    "nms",
    "pointwise",
    "reduction",
    "scan",
    "scatter",
    "sort",
    "triton",
    "window",
    "window winograd",
    "window winograd_line",
}


def test_every_family_and_algorithm_is_compared() -> None:
    stored: Hashes = json.loads((GOLDEN / "generated_code.json").read_text())
    values = [value for hashes in stored.values() for value in hashes.values()]
    assert {value.partition(" ")[2] for value in values} == KINDS | {""}


def test_differences_name_kernels() -> None:
    before: Hashes = {
        "same": {"program": "1", "a": "2 window"},
        "other kind": {"program": "1", "a": "2 window"},
        "changed": {"program": "1", "a": "2 window", "b": "3 sort", "c": "4 scan"},
        "order": {"program": "1", "a": "2 scan"},
        "gone": {"program": "1"},
    }
    after: Hashes = {
        "same": {"program": "1", "a": "2 window"},
        "other kind": {"program": "1", "a": "2 window winograd"},
        "changed": {"program": "9", "a": "8 window", "b": "3 sort", "d": "5 nms"},
        "order": {"program": "9", "a": "2 scan"},
        "new": {"program": "1"},
    }
    assert differences(before, before) == []
    assert differences(before, after) == [
        "changed: changed",
        "    a: changed window",
        "    c: gone scan",
        "    d: new nms",
        "gone: gone",
        "new: new",
        "order: changed",
    ]


def test_locations_play_no_part() -> None:
    module = parse_module("module { func.func @main() { func.return } }")
    before = str(forget_locations(module.clone()))
    for op in module.walk():
        op.location = make_location("step", "somewhere.py", 7)
    assert str(forget_locations(module)) == before
    assert all(str(op.location) == "loc(unknown)" for op in module.walk())
