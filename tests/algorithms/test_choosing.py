"""Who takes which ops of a kernel: small algorithms that stand for real ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import Operation

from devproc.algorithms import algorithm, module_of
from devproc.algorithms.base import Algorithm, Choice, Decision, KernelOps, Refusal
from devproc.algorithms.choosing import choose, nest_for
from devproc.backend.installed import backends
from devproc.dialects.dev import KernelAttr, TargetAttr
from devproc.dialects.sched import (
    SCHEDULES,
    ElementsSchedule,
    PaddingSchedule,
    RowsSchedule,
    Schedule,
)
from devproc.errors import CompileError
from tests.repository import parse
from tests.targets import target_attr

TARGET = target_attr(vector_bits=512)
ELEMENTS = ElementsSchedule(spread=0, grain=None)
PADDING = PaddingSchedule(lanes=16)
ROWS = RowsSchedule(lanes=16, vectors=(4,), block=None, grain=None)

KERNEL = """
func.func private @k(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %z: memref<4x8xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<4x8xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>) {
  ^bb0(%a: f32, %old: f32):
    linalg.yield %a : f32
  }
  linalg.fill ins(%zero : f32) outs(%z : memref<4x8xf32>)
  func.return
}
"""


@dataclass(frozen=True)
class Ops:
    ops: Sequence[Operation]


def fills(kernel: KernelOps) -> Iterator[Ops]:
    yield from (Ops([op]) for op in kernel.ops if isinstance(op, FillOp))


def each(kernel: KernelOps) -> Iterator[Ops]:
    yield from (Ops([op]) for op in kernel.ops)


def whole(kernel: KernelOps) -> Iterator[Ops]:
    if len(kernel.ops) > 1:
        yield Ops(kernel.ops)


def making(
    schedule: Schedule, match: Callable[[KernelOps], Iterator[Ops]], refusal: str = ""
) -> Algorithm[Ops, Any]:
    """An algorithm with one schedule for all, or one that refuses all."""

    def plan(nest: Ops, family: str, target: TargetAttr) -> Decision:
        reason = f"{len(nest.ops)} of {family}"
        return Refusal(refusal) if refusal else Choice(schedule, reason)

    def refuse(nest: Ops, asked: Schedule, target: TargetAttr) -> str | None:
        return None if asked == schedule else f"the one schedule is {schedule}"

    return Algorithm(type(schedule), match, plan, refuse)


@pytest.fixture(scope="module")
def kernel() -> KernelOps:
    function = parse(KERNEL).body.block.first_op
    assert isinstance(function, FuncOp)
    ops = [op for op in function.body.block.ops if op.dialect_name() == "linalg"]
    return KernelOps(ops, "pointwise")


def test_the_first_that_takes_a_nest_gets_it(kernel: KernelOps) -> None:
    algorithms = [
        making(ROWS, whole, "there is no reduction"),
        making(PADDING, fills),
        making(ELEMENTS, each),
    ]
    chosen = choose(kernel, TARGET, algorithms)
    assert [c.algorithm.name for c in chosen] == ["padding", "elements", "padding"]
    assert [list(c.nest.ops) for c in chosen] == [[op] for op in kernel.ops]
    assert [c.choice.why for c in chosen] == ["1 of pointwise"] * 3


def test_a_nest_of_several_ops(kernel: KernelOps) -> None:
    (chosen,) = choose(kernel, TARGET, [making(ROWS, whole), making(ELEMENTS, each)])
    assert chosen.choice == Choice(ROWS, "3 of pointwise")


def test_what_all_refuse_is_left_out(kernel: KernelOps) -> None:
    chosen = choose(kernel, TARGET, [making(PADDING, fills)])
    assert [list(c.nest.ops) for c in chosen] == [[kernel.ops[0]], [kernel.ops[2]]]
    assert choose(kernel, TARGET, []) == []


def test_schedules_that_are_given(
    kernel: KernelOps, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {"padding": making(PADDING, fills), "rows": making(ROWS, whole)}
    monkeypatch.setattr("devproc.algorithms.choosing.algorithm", known.__getitem__)

    def problem(schedule: Schedule, *ops: Operation, device: str = "cpu") -> str | None:
        found = nest_for(schedule, ops, KernelAttr.get(device, "pointwise", []), TARGET)
        return found.why if isinstance(found, Refusal) else None

    fill, generic, _ = kernel.ops
    assert problem(PADDING, fill) is None
    assert problem(ROWS, *kernel.ops) is None
    assert problem(PADDING, generic) == (
        "linalg.generic: no nest that 'padding' computes"
    )
    assert problem(PADDING, *kernel.ops) == (
        "linalg.fill, linalg.generic, linalg.fill: no nest that 'padding' computes"
    )
    assert problem(PADDING.replace(lanes=3), fill) == (
        "the one schedule is #sched.padding<lanes = 16>"
    )
    assert problem(PADDING, fill, device="cuda") == (
        "'padding' computes no kernels of the device 'cuda'"
    )


def test_schedule_of_another_algorithm(kernel: KernelOps) -> None:
    padding = making(PADDING, fills)
    nest = Ops(kernel.ops[:1])
    assert padding.problem(nest, ROWS, TARGET) == (
        "'padding' takes #sched.padding, not #sched.rows"
    )


def test_each_kind_of_schedule_has_an_algorithm() -> None:
    algorithms = [name for device in backends().values() for name in device.algorithms]
    assert sorted(algorithms) == sorted(SCHEDULES)
    assert all(module_of(name).endswith(f".{name}") for name in algorithms)
    assert all(d.lowers_kernels == bool(d.algorithms) for d in backends().values())


def test_unknown_algorithm() -> None:
    with pytest.raises(
        CompileError, match=r"'strasen'; there .* did you mean 'strassen'"
    ):
        algorithm("strasen")
