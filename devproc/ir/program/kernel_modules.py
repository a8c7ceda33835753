"""Kernels split from their program: each CPU kernel is lowered and compiled alone."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.dialects.memref import GetGlobalOp, GlobalOp
from xdsl.ir import Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from devproc.backend.installed import backends
from devproc.dialects.dev import KernelAttr
from devproc.ir.devices import HOST
from devproc.ir.functions import functions_of

LOOP = "loop"
"""The family of a function that only loops over launches of kernels."""

ALGORITHM = "sched.algorithm"
"""Attribute of a kernel with packed weights: the algorithm that reads their layout."""

SCRATCH = "dev.scratch"
"""Attribute of a kernel: the numbers of its arguments that no other kernel uses."""

NATIVE_CODE = "llvm"
"""The dialect of the host's own code."""


def kernel_mark(op: Operation) -> KernelAttr | None:
    """The attribute that marks a function as a kernel; None for any other op."""
    mark = op.attributes.get("dev.kernel")
    return mark if isinstance(mark, KernelAttr) else None


def algorithm_of(kernel: FuncOp) -> str | None:
    """The algorithm that a kernel with packed weights belongs to; None for others."""
    name = kernel.attributes.get(ALGORITHM)
    return name.data if isinstance(name, StringAttr) else None


def device_of_code(op: Operation) -> str | None:
    """The device that a function is code for; None for the host program and other ops."""
    if op.dialect_name() == NATIVE_CODE:
        return HOST
    mark = kernel_mark(op)
    return mark.device.data if mark and mark.family.data != LOOP else None


def marked_functions(module: ModuleOp) -> Iterator[tuple[FuncOp, KernelAttr]]:
    """The functions that are marked as kernels, each with its mark."""
    for function in functions_of(module):
        mark = kernel_mark(function)
        if mark is not None:
            yield function, mark


def host_kernels(module: ModuleOp, *families: str) -> Iterator[FuncOp]:
    """The host's kernels with a body, of these families if any are named."""
    return device_kernels(module, (HOST,), *families)


def lowered_kernels(module: ModuleOp) -> Iterator[FuncOp]:
    """The kernels with a body of all devices that lower kernels."""
    devices = [name for name, d in backends().items() if d.lowers_kernels]
    return device_kernels(module, devices)


def device_kernels(
    module: ModuleOp, devices: Container[str], *families: str
) -> Iterator[FuncOp]:
    """The kernels of these devices with a body, of these families if any are named."""
    for function, mark in marked_functions(module):
        family = mark.family.data
        wanted = family in families if families else family != LOOP
        if mark.device.data in devices and wanted and not function.is_declaration:
            yield function


def take_functions(module: ModuleOp) -> dict[str, list[Operation]]:
    """Detaches the functions of devices other than the host, by device."""
    found: dict[str, list[Operation]] = {}
    for op in list(module.body.block.ops):
        device = device_of_code(op)
        if device is not None and device != HOST:
            op.detach()
            found.setdefault(device, []).append(op)
    return found


def loop_functions(module: ModuleOp) -> list[FuncOp]:
    """The functions that loop over launches, inner ones first."""
    return [
        function
        for function, mark in marked_functions(module)
        if mark.family.data == LOOP and not function.is_declaration
    ]


def returned_by(kernel: FuncOp) -> Sequence[SSAValue]:
    """The values that a kernel returns."""
    last = kernel.body.block.last_op
    assert last is not None
    return last.operands


def declare(kernel: FuncOp) -> None:
    """Updates the function type of a kernel from its arguments and returned values."""
    arguments = [argument.type for argument in kernel.body.block.args]
    results = [value.type for value in returned_by(kernel)]
    kernel.function_type = FunctionType.from_lists(arguments, results)


@dataclass(frozen=True)
class KernelModule:
    """A CPU kernel in its own module."""

    name: str
    module: ModuleOp


def take_kernels(module: ModuleOp) -> list[KernelModule]:
    """Moves each CPU kernel, with the tables that it reads, into its own module.

    A declaration replaces it in `module`. Raises VerifyException for a missing table.
    """
    tables = {op.sym_name.data: op for op in module.ops if isinstance(op, GlobalOp)}
    taken: list[KernelModule] = []
    for op in list(host_kernels(module)):
        read = dict.fromkeys(
            inner.name_.root_reference.data
            for inner in op.walk()
            if isinstance(inner, GetGlobalOp)
        )
        missing = [name for name in read if name not in tables]
        if missing:
            raise VerifyException(
                f"@{op.sym_name.data} reads @{missing[0]}, which is missing"
            )
        module.body.block.insert_op_before(_declaration(op), op)
        op.detach()
        part = ModuleOp([*(tables[name].clone() for name in read), op])
        part.attributes.update(module.attributes)
        taken.append(KernelModule(op.sym_name.data, part))
    return taken


def put_back(module: ModuleOp, kernels: Iterable[KernelModule]) -> None:
    """Replaces the declarations of kernels by the kernels, once all are at one stage.

    What their lowering added comes along: functions before the kernel, `llvm` globals in
    place of the tables they replace, declarations of other functions at the end.
    """
    block = module.body.block
    here = {symbol_of(op): op for op in block.ops}
    for kernel in kernels:
        place = here[kernel.name]
        for op in list(kernel.module.body.block.ops):
            op.detach()
            name = symbol_of(op)
            known = here.get(name)
            if isinstance(op, llvm.FuncOp) and not op.body.blocks:
                if known is None:
                    here[name] = op
                    block.add_op(op)
            elif isinstance(op, FuncOp | llvm.FuncOp):
                block.insert_op_before(op, place)
            elif isinstance(known, GlobalOp) and not isinstance(op, GlobalOp):
                here[name] = op
                block.insert_op_before(op, known)
                block.erase_op(known)
        block.erase_op(place)


def symbol_of(op: Operation) -> str:
    """The name of a symbol; empty for an op that is not a symbol."""
    name = op.get_attr_or_prop("sym_name")
    return name.data if isinstance(name, StringAttr) else ""


def _declaration(kernel: FuncOp) -> FuncOp:
    found = FuncOp(kernel.sym_name.data, kernel.function_type, Region(), "private")
    found.arg_attrs = kernel.arg_attrs
    found.attributes.update(kernel.attributes)
    found.location = kernel.location
    return found
