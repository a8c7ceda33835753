"""Outlines each group of fused ops into a kernel, launched by the host program.

Before this pass a `dev.region` contains the ops of one device, marked with their group.
After it `@main` is a list of launches, copies and syncs, and each kernel is a function
that a target compiles by its family, independently of the program.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from devproc.dialects.dev import KernelAttr, LaunchOp, RegionOp
from devproc.dialects.nn.loop import LoopOp, last_of
from devproc.ir.program.structured import CHAIN, FAMILY, GROUP, SOURCES
from devproc.ir.text.location import fuse_locations
from devproc.transforms.kernels.units import (
    Unit,
    collect_units,
    is_cheap,
    operands_of,
    top_level,
)

NAMED_SOURCES = 3
"""Ops that a kernel's name lists before it ends in `more`."""


@dataclass
class Outliner:
    """Dissolves regions into launches; keeps the kernels and the names in use."""

    names: set[str]
    kernels: list[FuncOp] = field(default_factory=list)
    values: dict[SSAValue, SSAValue] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    """The next number to try for a name that is taken."""

    def dissolve(self, region: RegionOp) -> None:
        """Replace a region by the launches of its kernels."""
        self.values |= zip(region.body.block.args, region.inputs, strict=True)
        point = InsertPoint.before(region)
        self.lower_block(region.body.block, region.device.data, point)
        last = region.body.block.last_op
        assert last is not None
        for result, value in zip(region.results, last.operands, strict=True):
            result.replace_all_uses_with(self.values[value])
        region.detach()
        region.erase()

    def lower_block(self, block: Block, device: str, point: InsertPoint) -> None:
        """Insert the launches of a block, whose arguments are already mapped."""
        for unit in collect_units(block):
            if unit.loop is not None:
                self.lower_loop(unit.loop, device, point)
            elif not unit.is_view:
                Rewriter.insert_op(self.outline(unit, device), point)
            else:
                (view,) = unit.ops
                self.require(view.operands, device, point)
                Rewriter.insert_op(view.clone(self.values), point)
        last = block.last_op
        assert last is not None
        self.require(last.operands, device, point)

    def lower_loop(self, loop: LoopOp, device: str, point: InsertPoint) -> None:
        """Insert the same loop around the launches of its body."""
        self.require(loop.operands, device, point)
        old = loop.body.block
        new = Block(arg_types=[argument.type for argument in old.args])
        for argument, value in zip(old.args, new.args, strict=True):
            self.values[argument] = value
            value.name_hint = argument.name_hint
        self.lower_block(old, device, InsertPoint.at_end(new))
        new.add_op(last_of(loop.body).clone(self.values))
        outside = [self.values[value] for value in loop.operands]
        launches = type(loop).create(
            operands=outside,
            result_types=loop.result_types,
            properties=loop.properties,
            regions=[Region(new)],
        )
        launches.location = loop.location
        Rewriter.insert_op(launches, point)
        for result, value in zip(loop.results, launches.results, strict=True):
            self.values[result] = value
            value.name_hint = result.name_hint

    def require(
        self, values: Sequence[SSAValue], device: str, point: InsertPoint
    ) -> None:
        """Give constants that the host program reads as values their own kernel."""
        for value in values:
            if value not in self.values and isinstance(value.owner, Operation):
                launch = self.outline(Unit([value.owner]), device)
                Rewriter.insert_op(launch, point)

    def outline(self, unit: Unit, device: str) -> LaunchOp:
        """Create the kernel of a unit; its launch returns the values used outside."""
        members = set(unit.ops)
        inputs: dict[SSAValue, None] = {}
        for op in unit.ops:
            for operand in operands_of(op):
                if operand.owner not in members and not is_cheap(operand.owner):
                    inputs[operand] = None
        outputs = [
            result
            for op in unit.ops
            for result in op.results
            if any(top_level(use.operation, op) not in members for use in result.uses)
        ]
        body = self.clone_body(unit, list(inputs), outputs)
        types = ([v.type for v in inputs], [v.type for v in outputs])
        kernel = FuncOp(self.unique_name(unit), types, body, "private")
        kernel.attributes["dev.kernel"] = KernelAttr.get(
            device, unit.family, unit.sources
        )
        kernel.location = fuse_locations(op.location for op in unit.ops)
        self.kernels.append(kernel)
        operands = [self.values[value] for value in inputs]
        launch = LaunchOp(kernel.sym_name.data, operands, types[1])
        launch.location = kernel.location
        for output, result in zip(outputs, launch.results, strict=True):
            self.values[output] = result
            result.name_hint = output.name_hint
        return launch

    def clone_body(
        self, unit: Unit, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]
    ) -> Region:
        """The ops of a unit as a function body, with the constants they read."""
        block = Block(arg_types=[value.type for value in inputs])
        local: dict[SSAValue, SSAValue] = {}
        for value, argument in zip(inputs, block.args, strict=True):
            local[value] = argument
            argument.name_hint = self.values[value].name_hint

        def add(op: Operation) -> None:
            for operand in operands_of(op):
                owner = operand.owner
                if operand not in local and isinstance(owner, Operation):
                    add(owner)
            block.add_op(_unmarked(op.clone(local)))

        for op in unit.ops:
            add(op)
        block.add_op(ReturnOp(*(local[value] for value in outputs)))
        return Region(block)

    def unique_name(self, unit: Unit) -> str:
        """A name such as `linear_relu_fc1`: the ops, then the module of the model."""
        sources = [name.rpartition(".")[2] for name in unit.sources] or [unit.family]
        more = ["more"] if len(sources) > NAMED_SOURCES else []
        place = re.sub(r"\W+", "_", unit.place or "").strip("_")
        where = [place] if place and place not in sources else []
        base = name = "_".join([*sources[:NAMED_SOURCES], *more, *where])
        count = self.counts.get(base, 1)
        while name in self.names:
            name, count = f"{base}_{count}", count + 1
        self.counts[base] = count
        self.names.add(name)
        return name


def _unmarked(op: Operation) -> Operation:
    for mark in (GROUP, FAMILY, SOURCES, CHAIN):
        op.attributes.pop(mark, None)
    return op


@dataclass(frozen=True)
class OutlineKernelsPass(ModulePass):
    """Outlines kernels into functions, each compiled separately by its family.

    Before:

    ```mlir
    func.func @main(%x: tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">> {
      %r = dev.region "cpu" (%x) : (tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">> {
      ^bb0(%a: tensor<4xf32, #dev.on<"cpu">>):
        %empty = tensor.empty() : tensor<4xf32, #dev.on<"cpu">>
        %y = linalg.generic {
          indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%a : tensor<4xf32, #dev.on<"cpu">>) outs(%empty : tensor<4xf32, #dev.on<"cpu">>)
          attrs = {kernel.group = 0 : i64, kernel.family = "pointwise", kernel.sources = ["nn.exp"]} {
        ^bb1(%v: f32, %o: f32):
          %e = math.exp %v : f32
          linalg.yield %e : f32
        } -> tensor<4xf32, #dev.on<"cpu">>
        dev.yield %y : tensor<4xf32, #dev.on<"cpu">>
      }
      func.return %r : tensor<4xf32, #dev.on<"cpu">>
    }
    ```

    After:

    ```mlir
    func.func @main(%x: tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">> {
      %r = dev.launch @exp(%x) : (tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">>
      func.return %r : tensor<4xf32, #dev.on<"cpu">>
    }
    func.func private @exp(%a: tensor<4xf32, #dev.on<"cpu">>) -> tensor<4xf32, #dev.on<"cpu">>
        attributes {dev.kernel = #dev.kernel<"cpu", "pointwise", ["nn.exp"]>} {
      %empty = tensor.empty() : tensor<4xf32, #dev.on<"cpu">>
      %y = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<4xf32, #dev.on<"cpu">>) outs(%empty : tensor<4xf32, #dev.on<"cpu">>) {
      ^bb1(%v: f32, %o: f32):
        %e = math.exp %v : f32
        linalg.yield %e : f32
      } -> tensor<4xf32, #dev.on<"cpu">>
      func.return %y : tensor<4xf32, #dev.on<"cpu">>
    }
    ```
    """

    name = "outline-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        names = {f.sym_name.data for f in op.ops if isinstance(f, FuncOp)}
        outliner = Outliner(names)
        for function in list(op.ops):
            if isinstance(function, FuncOp) and function.sym_name.data == "main":
                for host_op in list(function.body.block.ops):
                    if isinstance(host_op, RegionOp):
                        outliner.dissolve(host_op)
        op.body.block.add_ops(outliner.kernels)
