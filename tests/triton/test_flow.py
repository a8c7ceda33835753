"""Which ops share a program: what a later op may read of an earlier one, and where."""

from __future__ import annotations

import pytest
import torch
from xdsl.dialects import func

from devproc.algorithms import algorithm
from devproc.algorithms.base import KernelOps
from devproc.algorithms.choosing import refusals_of
from devproc.dialects.sched.ops import is_structured
from devproc.targets.triton.backend import ALGORITHMS
from tests.targets import target_attr
from tests.triton.programs import fill, function, generic, memref, multiply_add
from tests.triton.support import kernels, parse, run

COPY = "    linalg.yield %a : f32"
SUM = "    %r = arith.addf %a, %o0 : f32\n    linalg.yield %r : f32"
SQUARE, ROW = memref((9, 9)), memref((9,))
TEMPORARY = f"  %t = memref.alloca() : {SQUARE}\n"
ARGUMENTS = f"%x: {SQUARE}, %y: {SQUARE}, %row: {ROW}, %z: {ROW}"

REDUCE = generic("pr", ["d0, d1", "d0"], [("%x", SQUARE)], [("%row", ROW)], SUM)
REDUCED_ELSEWHERE = [
    REDUCE,
    generic("p", ["8 - d0", "d0"], [("%row", ROW)], [("%z", ROW)], COPY),
]
OTHER_DIMENSIONS = [
    REDUCE,
    generic("pp", ["d1", "d0, d1"], [("%row", ROW)], [("%y", SQUARE)], COPY),
]
READ_BEFORE_WRITTEN = [
    generic("pp", ["d0, d1"] * 2, [("%t", SQUARE)], [("%y", SQUARE)], COPY),
]
WRITTEN_IN_PARTS = [
    generic("p", ["d0", f"d0, d0 + {n}"], [("%row", ROW)], [("%y", SQUARE)], COPY)
    for n in (0, 0)
]
COMPUTED_PLACES = [
    generic("pp", ["d0, d1", "d0, 8 - d1"], [("%x", SQUARE)], [("%t", SQUARE)], COPY),
    generic("pp", ["d0, d1"] * 2, [("%t", SQUARE)], [("%y", SQUARE)], COPY),
]


@pytest.mark.parametrize(
    ("ops", "problem"),
    [
        (REDUCED_ELSEWHERE, "a later op reads a reduced value at other indices"),
        (OTHER_DIMENSIONS, "two ops of the kernel have different dimensions"),
        (
            READ_BEFORE_WRITTEN,
            f"a temporary of type {SQUARE} is read before written",
        ),
        (WRITTEN_IN_PARTS, "an output is written in several steps"),
        (COMPUTED_PLACES, "a temporary is written at computed indices"),
    ],
)
def test_refused(ops: list[str], problem: str) -> None:
    text = function("k", "reduction", [], ARGUMENTS, TEMPORARY + "\n".join(ops))
    module = parse(text)
    (kernel,) = (op for op in module.ops if isinstance(op, func.FuncOp))
    algorithms = [algorithm(name) for name in ALGORITHMS]
    structured = list(filter(is_structured, kernel.body.block.ops))
    ops_of = KernelOps(structured, "reduction")
    refusals = refusals_of(ops_of, target_attr("cuda"), algorithms)
    assert f"blocks: {problem}" in refusals


def product_of_computed(k: int) -> str:
    """out[i, j] = the sum over k of two temporaries that do not depend on k."""
    a, b, out = memref((20, k)), memref((k, 20)), memref((20, 20))
    row = memref((20,))
    body = [
        f"  %t = memref.alloca() : {a}\n  %u = memref.alloca() : {b}",
        generic("pp", ["d0", "d0, d1"], [("%x", row)], [("%t", a)], COPY),
        generic("pp", ["d1", "d0, d1"], [("%y", row)], [("%u", b)], COPY),
        fill("0.0", "f32", "%out", out),
        generic(
            "ppr",
            ["d0, d2", "d2, d1", "d0, d1"],
            [("%t", a), ("%u", b)],
            [("%out", out)],
            multiply_add("f32", "f32"),
        ),
    ]
    arguments = f"%x: {row}, %y: {row}, %out: {out}"
    return function("k", "contraction", [], arguments, "\n".join(body))


@pytest.mark.parametrize("k", [40, 64])
def test_terms_past_the_end_of_a_sum(k: int) -> None:
    """Loads whose masks do not depend on K give more than zeros past its end."""
    x, y, out = torch.randn(20), torch.randn(20), torch.zeros(20, 20)
    text = product_of_computed(k)
    assert "tl.dot" in kernels(text, interpret=False)[0].source
    run(text, x, y, out)
    wanted = x.double()[:, None] * y.double() * k
    torch.testing.assert_close(out.double(), wanted, rtol=1e-5, atol=1e-4)
