"""The kernel function and its position in the grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    StringAttr,
    SymbolNameConstraint,
    i32,
    i64,
)
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.ir import Attribute, Region
from xdsl.irdl import (
    IRDLOperation,
    attr_def,
    eq,
    opt_attr_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    Pure,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from devproc.ir.op_definition import op_definition
from devproc.targets.triton.dialect.types import I32

FLATTEN = "triton.flatten"
"""Marks a loop around another: Triton makes one of both, whose loads for the next
iteration of the outer one overlap with the end of this one."""

RESERVED = ("sym_name", "function_type")
"""Properties that the textual form shows in the signature."""


def _signature(name: str, inputs: Sequence[Attribute]) -> dict[str, Attribute]:
    return {
        "sym_name": StringAttr(name),
        "function_type": FunctionType.from_lists(list(inputs), []),
    }


def _launch(grid: Sequence[int], warps: int, stages: int) -> dict[str, Attribute]:
    return {
        "grid": DenseArrayBase.from_list(i64, list(grid)),
        "num_warps": IntegerAttr(warps, i32),
        "num_stages": IntegerAttr(stages, i32),
    }


def _verify_launch(sizes: Sequence[int], warps: int) -> None:
    if len(sizes) != 3 or any(size < 1 for size in sizes):
        raise VerifyException(f"grid must be three positive sizes, got {list(sizes)}")
    if sizes[1] > 65535 or sizes[2] > 65535:
        raise VerifyException(
            f"grid {list(sizes)}: CUDA allows 65535 programs along y and z"
        )
    if warps not in (1, 2, 4, 8, 16, 32):
        raise VerifyException(f"num_warps must be a power of two to 32, got {warps}")


def _verify_body(body: Region, type_: FunctionType) -> None:
    """Verify the arguments, and that loop counters have the type that Triton gives them by
    their limits."""
    if body.block.arg_types != type_.inputs.data:
        raise VerifyException("the entry block must have the function's arguments")
    for loop in body.walk():
        if not isinstance(loop, scf.ForOp):
            continue
        limits = (loop.lb.owner, loop.ub.owner, loop.step.owner)
        values = [
            limit.value.value.data
            for limit in limits
            if isinstance(limit, arith.ConstantOp)
            and isinstance(limit.value, IntegerAttr)
        ]
        is_narrow = len(values) == 3 and all(abs(value) < 1 << 31 for value in values)
        if is_narrow and loop.lb.type == i64:
            raise VerifyException(
                f"the counter of a loop to {values[1]} is i32 in Triton, but i64 here;"
                " convert it inside of the loop"
            )


@op_definition
class FuncOp(IRDLOperation):
    """A kernel: `grid` programs of `num_warps` warps each.

    ```mlir
    triton.func @k(%x: !triton.ptr<f32>) attributes {grid = array<i64: 4, 1, 1>,
        num_warps = 4 : i32, num_stages = 1 : i32} {
      triton.return
    }
    ```
    """

    name = "triton.func"

    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    grid = attr_def(DenseArrayBase.constr(i64))
    num_warps = attr_def(I32)
    num_stages = attr_def(I32)
    variant_of = opt_attr_def(StringAttr)
    """The kernel in whose place it is launched on `arch`."""
    arch = opt_attr_def(StringAttr)
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def __init__(
        self,
        name: str,
        inputs: Sequence[Attribute],
        grid: Sequence[int],
        num_warps: int = 4,
        num_stages: int = 1,
        *,
        body: Region,
    ):
        super().__init__(
            properties=_signature(name, inputs),
            attributes=_launch(grid, num_warps, num_stages),
            regions=[body],
        )

    @classmethod
    def parse(cls, parser: Parser) -> FuncOp:
        parsed = parse_func_op_like(parser, reserved_attr_names=RESERVED)
        name, inputs, results, region, extra, _, _ = parsed
        if results:
            parser.raise_error("triton.func has no results")
        return cls.create(
            properties=_signature(name, inputs),
            attributes={} if extra is None else dict(extra.data),
            regions=[region],
        )

    def print(self, printer: Printer) -> None:
        print_func_op_like(
            *(printer, self.sym_name, self.function_type, self.body, self.attributes),
            reserved_attr_names=RESERVED,
        )

    @property
    def grid_sizes(self) -> tuple[int, int, int]:
        """Programs along x, y and z."""
        return cast(tuple[int, int, int], tuple(self.grid.get_values()))

    def verify_(self) -> None:
        if (self.arch is None) != (self.variant_of is None):
            raise VerifyException("a variant of a kernel names it and its `arch`")
        _verify_launch(self.grid.get_values(), self.num_warps.value.data)
        _verify_body(self.body, self.function_type)


@op_definition
class ReturnOp(IRDLOperation):
    """Ends a kernel: `triton.return`."""

    name = "triton.return"

    assembly_format = "attr-dict"

    traits = traits_def(IsTerminator(), HasParent(FuncOp))


@op_definition
class ProgramIdOp(IRDLOperation):
    """This program's position along a grid axis: `%p = triton.program_id 0 : i32`."""

    name = "triton.program_id"

    axis = prop_def(I32)
    result = result_def(eq(i32))

    assembly_format = "$axis attr-dict `:` type($result)"

    traits = traits_def(Pure())

    def verify_(self) -> None:
        if self.axis.value.data not in (0, 1, 2):
            raise VerifyException(f"grid axis must be 0..2, got {self.axis.value.data}")


OPS = [FuncOp, ReturnOp, ProgramIdOp]
