"""The normal forms of kernels on memory, which schedules rely on.

`structured.py` describes what each family computes; the forms verified here hold after
stage `buffers`. A kernel is a function without results, whose arguments and local buffers
have static shapes. Its one block holds constants, buffers, and structured ops in the order
that `FORMS` gives for each family; a `linalg.fill` is followed by an op that writes to the
filled memory, or to a part of it.

A generic writes memory and has no results; its parallel loops come first, except in
reductions. It writes to a different element in each parallel iteration: no loop is used by
two indices, and no index uses two loops. Except in windows and gathers the same holds for
each index that it reads. An epilogue has the parallel loops of its anchor.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, ShapedType
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.ir import Operation
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap
from xdsl.utils.exceptions import VerifyException

from devproc.ir.devices import HOST
from devproc.ir.program.kernel_modules import marked_functions
from devproc.ir.program.structured import (
    is_parallel,
    loop_sizes,
    maps_of,
    reads_captured,
)
from devproc.ir.text.location import describe_location

ANCHOR_FIRST = "[fp]*{}(f*p)?"
"""Ops that compute operands or initialise the sum; the anchor; optionally an epilogue, which
may write into filled memory."""

SUMS, ONE = "r([fp]*r)*", "r"
"""Products with the same parallel loops, each perhaps after what is computed of those before
it, and what prepares its own factors; a CPU has one."""

FORMS: dict[str, str] = {
    "pointwise": "f*p",
    "reduction": "[fpPrR]*[rR][fpPrR]*",
    "contraction": ANCHOR_FIRST.format(SUMS),
    "vector_product": ANCHOR_FIRST.format("r[fpr]*r(f+r)*"),
    "window": ANCHOR_FIRST.format(SUMS),
    "gather": ANCHOR_FIRST.format("[PR]"),
    "attention": "frpfrpfrfrp?",
    "bottleneck": "(f*r(f*p)?){3}",
    "scan": "[fpP]*x",
    "scatter": "[fpP]*x",
    "sort": "[fpP]*x",
    "nms": "[fpP]*x",
}
"""Family -> its structured ops in order, a letter for each: `f` a fill, `p` a generic whose
loops are all parallel, `r` one that reduces, `P` and `R` the same with indexed loads, `x` an
op of `linalg_ext`. Kernels of other families hold no code."""

MANY_LOOPS = frozenset({"window", "gather", "bottleneck"})
"""Families whose generics read at indices that use several loops."""

Kernel: TypeAlias = func.FuncOp


def verify_kernel_forms(module: ModuleOp) -> None:
    """Checks that each kernel is in the normal form of its family; raises VerifyException."""
    for kernel, mark in marked_functions(module):
        family = mark.family.data
        if family not in FORMS or kernel.is_declaration:
            continue
        form = FORMS[family]
        if mark.device.data == HOST:
            form = form.replace(SUMS, ONE)
        wrong = _wrong_with(kernel, family, form)
        if wrong is not None:
            raise VerifyException(
                f"the kernel @{kernel.sym_name.data} of the family '{family}' "
                f"({describe_location(kernel.location)}) is not in its normal form: {wrong}"
            )


def _wrong_with(kernel: Kernel, family: str, form: str) -> str | None:
    if len(kernel.body.blocks) != 1 or kernel.function_type.outputs.data:
        return "it needs one block, and no results"
    if any(map(_is_dynamic, kernel.body.block.args)):
        return "its arguments need static shapes"
    structured: list[Operation] = []
    for op in kernel.body.block.ops:
        if _letter(op):
            structured.append(op)
        elif op.regions or any(map(_is_dynamic, op.results)):
            return f"'{op.name}' is not allowed among its structured ops"
    letters = "".join(map(_letter, structured))
    if re.fullmatch(form, letters) is None:
        return f"its ops are '{letters}', expected {form}"
    checks: tuple[Callable[[list[Operation], str], str | None], ...]
    checks = (_wrong_fill, _wrong_generic, _wrong_epilogue)
    return next((why for check in checks if (why := check(structured, family))), None)


def _letter(op: Operation) -> str:
    """The letter of a structured op; empty for other ops."""
    if isinstance(op, FillOp):
        return "f"
    if isinstance(op, GenericOp):
        letter = "p" if all(is_parallel(op)) else "r"
        return letter.upper() if reads_captured(op) else letter
    return "x" if op.dialect_name() == "linalg_ext" else ""


def _is_dynamic(value: object) -> bool:
    type_ = getattr(value, "type", None)
    return isinstance(type_, ShapedType) and DYNAMIC_INDEX in type_.get_shape()


def _wrong_fill(ops: Sequence[Operation], _: str) -> str | None:
    filled: list[object] = []
    for op in ops:
        if isinstance(op, FillOp):
            filled.append(op.outputs[0])
            continue
        if any(value not in op.operands for value in filled):
            return "a fill is not followed by what writes into the same memory"
        filled = []
    return "nothing follows a fill" if filled else None


def _wrong_generic(ops: Sequence[Operation], family: str) -> str | None:
    for op in ops:
        if not isinstance(op, GenericOp):
            continue
        kinds, count = is_parallel(op), len(op.inputs)
        maps = maps_of(op)
        if op.results:
            return "a generic has results"
        if family != "reduction" and kinds != sorted(kinds, reverse=True):
            return "the parallel loops of a generic do not come first"
        if not all(map(_takes_loops_once, maps[count:])):
            return "a generic writes at an index of several loops"
        if family not in MANY_LOOPS and not all(map(_takes_loops_once, maps)):
            return "a generic reads at an index of several loops"
    return None


def _takes_loops_once(map_: AffineMap) -> bool:
    """Whether no index uses two loops, and no loop is used by two indices."""
    seen: set[int] = set()
    for index in map_.results:
        used = _loops_of(index)
        if len(used) > 1 or used & seen:
            return False
        seen |= used
    return True


def _loops_of(index: AffineExpr) -> set[int]:
    if isinstance(index, AffineDimExpr):
        return {index.position}
    return set() if isinstance(index, AffineConstantExpr) else index.used_dims()


def _wrong_epilogue(ops: Sequence[Operation], family: str) -> str | None:
    if family not in ("contraction", "window", "gather"):
        return None
    generics = [op for op in ops if isinstance(op, GenericOp)]
    position = next(i for i, op in enumerate(generics) if _letter(op) in "rPR")
    outer = _parallel_sizes(generics[position])
    for number, op in enumerate(generics[position + 1 :], position + 1):
        if _letter(op) == "p" and _is_operand(op, generics[number + 1 :]):
            continue
        if _parallel_sizes(op) != outer:
            what = "epilogue" if _letter(op) == "p" else "second product"
            return f"the {what} has other loops than the parallel ones of its anchor"
    return None


def _parallel_sizes(op: GenericOp) -> list[int]:
    return [s for s, p in zip(loop_sizes(op), is_parallel(op), strict=True) if p]


def _is_operand(op: GenericOp, rest: Sequence[GenericOp]) -> bool:
    """Whether a later product multiplies what an elementwise op computes."""
    return any(
        value in other.inputs
        for other in rest
        if not all(is_parallel(other))
        for value in op.outputs
    )
