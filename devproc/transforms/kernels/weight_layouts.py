"""Decides which weights of a kernel get a layout, and which algorithm reads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument

from devproc.algorithms import algorithm
from devproc.backend.installed import backend
from devproc.dialects.dev import KernelAttr, Layout, OnAttr, TargetAttr
from devproc.dialects.sched import Schedule
from devproc.dialects.sched.overrides import illegal
from devproc.ir.program.kernel_modules import kernel_mark
from devproc.ir.program.structured import Generic, is_multiply_add
from devproc.ir.program.weight_values import is_read_by_element
from devproc.ir.types import is_float, tensor_of

PACKED = ("contraction", "window", "bottleneck")
"""Families of kernels that read packed weights."""


@dataclass(frozen=True)
class Packing:
    """An argument of a kernel, by number, its new layout, and the algorithm that the
    kernel then uses."""

    argument: int
    layout: Layout
    algorithm: str


def packable(kernel: FuncOp, target: TargetAttr) -> Iterator[Packing]:
    """The arguments that benefit from a layout: that of the first algorithm which
    supports the product."""
    family = family_of(kernel)
    takers = [a for a in map(algorithm, algorithms_for(kernel)) if a.layout is not None]
    for op, arguments in products(kernel):
        found = (
            Packing(argument.index, layout, taker.name)
            for index, argument in arguments.items()
            for taker in takers
            if taker.layout is not None
            and (layout := taker.layout(op, index, family, target)) is not None
        )
        packing = next(found, None)
        if packing is not None:
            yield packing


def prepacked(kernel: FuncOp) -> str | None:
    """The algorithm that reads a weight of the kernel that has a layout already; None if
    there is no such weight."""
    for argument in kernel.body.block.args:
        layout = layout_of(argument.type)
        if layout is not None and not is_read_by_element(argument):
            takers = map(algorithm, algorithms_for(kernel))
            return next((a.name for a in takers if a.reads(layout)), None)
    return None


def read_by_element(kernel: FuncOp) -> list[int]:
    """The numbers of row-major arguments that a kernel reads at computed indices."""
    return [
        argument.index
        for argument in kernel.body.block.args
        if is_read_by_element(argument) and layout_of(argument.type) is None
    ]


def layout_of(type_: Attribute) -> Layout | None:
    """The layout of a tensor; None if it is row-major."""
    encoding = type_.encoding if isinstance(type_, TensorType) else None
    layout = encoding.layout if isinstance(encoding, OnAttr) else None
    return layout if isinstance(layout, Layout) else None


def packed_as(kernel: FuncOp, schedule: Schedule) -> Packing | None:
    """The argument to pack as the `weight` of a user's schedule, if it has one.

    Raises CompileError if no weight of the kernel can have this layout.
    """
    layout, taker = schedule.values["weight"], algorithm(schedule.algorithm)
    if not isinstance(layout, Layout) or taker.refuse_layout is None:
        return None
    if taker.name not in algorithms_for(kernel):
        return None
    problems: list[str] = []
    for op, arguments in products(kernel):
        for index, argument in arguments.items():
            misfit = layout.misfit(tensor_of(argument))
            problem = misfit and f"'weight': its weight {misfit}"
            problem = problem or taker.refuse_layout(op, index, layout)
            if problem is None:
                return Packing(argument.index, layout, taker.name)
            problems.append(problem)
    name = kernel.sym_name.data
    raise illegal(name, schedule, problems or ["'weight': it has no product"])


def products(kernel: FuncOp) -> Iterator[tuple[Generic, dict[int, BlockArgument]]]:
    """The products of a kernel, each with its packable inputs by number, the second
    input first."""
    if family_of(kernel) not in PACKED:
        return
    for op in kernel.body.block.ops:
        if isinstance(op, Generic) and is_multiply_add(op):
            inputs = {index: op.inputs[index] for index in (1, 0)}
            yield (
                op,
                {
                    index: value
                    for index, value in inputs.items()
                    if isinstance(value, BlockArgument)
                    and value.uses.get_length() == 1
                    and layout_of(value.type) is None
                    and is_float(tensor_of(value).element_type)
                    and 0 not in tensor_of(value).get_shape()
                },
            )


def algorithms_for(kernel: FuncOp) -> Mapping[str, str]:
    """The algorithms of the device of a kernel, in order."""
    return backend(_mark_of(kernel).device.data).algorithms


def family_of(kernel: FuncOp) -> str:
    """The family of a kernel."""
    return _mark_of(kernel).family.data


def _mark_of(kernel: FuncOp) -> KernelAttr:
    mark = kernel_mark(kernel)
    assert mark is not None
    return mark
