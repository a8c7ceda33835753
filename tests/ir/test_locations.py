"""Where an op comes from, and what it was a part of."""

from __future__ import annotations

from xdsl.dialects.builtin import UNKNOWN_LOC
from xdsl.ir import Operation

from devproc.driver import module_text, parse_module
from devproc.exchange.locations import encode_location
from devproc.ir.text.location import (
    composite_names,
    describe_location,
    fuse_locations,
    is_known,
    location_name,
    make_location,
    part_of,
)


def relu() -> Operation:
    text = """
    func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %y = nn.relu %x : (tensor<3xf32>) -> tensor<3xf32> loc("act"("net.py":7:0))
      func.return %y : tensor<3xf32>
    }"""
    return next(op for op in parse_module(text).walk() if op.name == "nn.relu")


def test_a_part_keeps_place_and_name() -> None:
    op = relu()
    for _ in range(2):
        op.location = part_of(op)
    assert list(composite_names(op.location)) == ["nn.relu", "nn.relu"]
    assert location_name(op.location) == "act"
    assert describe_location(op.location) == "act at net.py:7"
    assert encode_location(op.location) == encode_location(relu().location)
    module = op.get_toplevel_object()
    text = module_text(module)  # pyright: ignore[reportArgumentType]
    assert text == module_text(parse_module(text))


def test_fused_parts_keep_their_names_and_one_place() -> None:
    op, other = relu(), make_location("fc", None)
    fused = fuse_locations([part_of(op), op.location, other, UNKNOWN_LOC])
    assert list(composite_names(fused)) == ["nn.relu"]
    assert describe_location(fused) == "act at net.py:7, fc"
    assert location_name(fused) == "fc"


def test_a_part_of_an_op_without_a_place_has_none() -> None:
    op = relu()
    op.location = UNKNOWN_LOC
    for location in (part_of(op), fuse_locations([part_of(op), UNKNOWN_LOC])):
        assert not is_known(location)
        assert describe_location(location) == "unknown source"
        assert list(composite_names(location)) == ["nn.relu"]
