"""The kernels of the CPU apart from their program: each is lowered and compiled alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.memref import GetGlobalOp, GlobalOp
from xdsl.ir import Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.dev import KernelAttr

LOOP = "loop"
"""The family of a function that loops over launches of kernels, and holds no code of its
own."""


def kernel_mark(op: Operation) -> KernelAttr | None:
    """What marks a function as a kernel; None for any other op."""
    mark = op.attributes.get("dev.kernel")
    return mark if isinstance(op, FuncOp) and isinstance(mark, KernelAttr) else None


def cpu_kernels(module: ModuleOp, *families: str) -> Iterator[FuncOp]:
    """The CPU kernels with a body; of these families where some are named."""
    for op in module.ops:
        mark = kernel_mark(op)
        if (
            isinstance(op, FuncOp)
            and mark is not None
            and mark.device.data == "cpu"
            and mark.family.data != LOOP
            and not op.is_declaration
            and (not families or mark.family.data in families)
        ):
            yield op


def loop_functions(module: ModuleOp) -> list[FuncOp]:
    """The functions that loop over launches, inner ones first."""
    return [
        op
        for op in module.ops
        if isinstance(op, FuncOp)
        and not op.is_declaration
        and (mark := kernel_mark(op)) is not None
        and mark.family.data == LOOP
    ]


def returned_by(kernel: FuncOp) -> Sequence[SSAValue]:
    """What a kernel returns."""
    last = kernel.body.block.last_op
    assert last is not None
    return last.operands


def declare(kernel: FuncOp) -> None:
    """Write the types of a kernel's arguments and results into its own."""
    arguments = [argument.type for argument in kernel.body.block.args]
    results = [value.type for value in returned_by(kernel)]
    kernel.function_type = FunctionType.from_lists(arguments, results)


def take_kernels(module: ModuleOp) -> list[ModuleOp]:
    """Each kernel of the CPU in a module of its own, with the tables it reads.

    `module` keeps a declaration in the place of each.
    """
    tables = {op.sym_name.data: op for op in module.ops if isinstance(op, GlobalOp)}
    taken: list[ModuleOp] = []
    for op in list(cpu_kernels(module)):
        block = module.body.block
        block.insert_op_before(_declaration(op), op)
        op.detach()
        read = dict.fromkeys(
            inner.name_.root_reference.data
            for inner in op.walk()
            if isinstance(inner, GetGlobalOp)
        )
        missing = [name for name in read if name not in tables]
        if missing:
            raise VerifyException(f"@{op.sym_name.data} reads @{missing[0]}, not here")
        part = ModuleOp([*(tables[name].clone() for name in read), op])
        part.attributes.update(module.attributes)
        taken.append(part)
    return taken


def _declaration(kernel: FuncOp) -> FuncOp:
    found = FuncOp(kernel.sym_name.data, kernel.function_type, Region(), "private")
    found.arg_attrs = kernel.arg_attrs
    found.attributes.update(kernel.attributes)
    found.location = kernel.location
    return found
