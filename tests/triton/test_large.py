"""Kernels on more than 2^31 elements: offsets and joint indices are computed in i64."""

from __future__ import annotations

import re

import pytest

from tests.triton import programs
from tests.triton.support import kernels

ADD = "%r = arith.addf %o0, %a : f32"

LARGE = {
    "columns": programs.reduction((40_000, 100_000), 0, "f32", "0.0", ADD),
    "rows": programs.reduction((40_000, 100_000), 1, "f32", "0.0", ADD),
    "pointwise": programs.elementwise(
        "%r = arith.addf %a, %b : f32", "f32", (3_000_000_000,), "f32", "f32"
    ),
    "transpose": programs.transpose((60_000, 50_000), (1, 0)),
    "linear": programs.linear(70_000, 40_000, 64),
    "matmul": programs.batched_matmul(40_000, 300, 300, 40),
    "scan": programs.scan(
        (40_000, 100_000),
        1,
        "f32",
        ["f32"],
        ["0.0"],
        "%r = arith.addf %a0, %b0 : f32",
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_indices_are_wide(name: str) -> None:
    """Positions in the grid, lanes and loop counters are converted before any product."""
    for kernel in kernels(LARGE[name], interpret=False):
        body = kernel.source.split('"""')[2]
        names = re.findall(r"(\w+) = tl\.program_id|for (\w+) in", body)
        for name in filter(None, sum(names, ())):
            uses = [m.start() for m in re.finditer(rf"\b{name}\b", body)][1:]
            wide = f"tl.cast({name}, tl.int32).to(tl.int64)"
            assert uses
            assert body.count(wide) == len(uses), body
        lanes = re.findall(r"tl\.arange\(0, \d+\)(.{0,13})", body)
        assert lanes
        assert set(lanes) == {".to(tl.int64)"}, body


def test_a_large_space_of_small_tensors() -> None:
    """60,000 x 60,000 pairs of numbers are reduced, none of which is in memory."""
    vector, out = programs.memref((60_000,)), programs.memref(())
    op = programs.generic(
        "rr",
        ["d0", "d1", ""],
        [("%x", vector), ("%y", vector)],
        [("%out", out)],
        "    %p = arith.mulf %a, %b : f32\n    %r = arith.addf %o0, %p : f32\n"
        "    linalg.yield %r : f32",
    )
    text = programs.function(
        "pairs",
        "reduction",
        ["nn.sum"],
        f"%x: {vector}, %y: {vector}, %out: {out}",
        programs.fill("0.0", "f32", "%out", out) + "\n" + op,
    )
    (kernel,) = kernels(text, interpret=False)
    assert "tl.int64" in kernel.source
