"""Choose a device for every op, and keep the reason on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from devproc.dialects.dev import HostCallOp, PlaceAttr, TargetAttr
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.errors import CompileError, did_you_mean
from devproc.transforms.placed.choice import Choice, Override
from devproc.transforms.placed.main_block import rewrite_main

OVERRIDES = "devproc.placement"
"""Module attribute with the user's wishes: `[["model.fc*", "cuda"], ...]`."""


CPU_ONLY = {
    "nn.nms": "each box waits for those kept before it, which no block program does",
}
"""op name -> why only the CPU has it; it runs there whatever the target."""


def read_overrides(module: ModuleOp, devices: Sequence[str]) -> list[Override]:
    """The user's wishes; raises CompileError for a device that the target lacks."""
    overrides: list[Override] = []
    given = module.attributes.get(OVERRIDES)
    rows = cast(ArrayAttr[ArrayAttr[StringAttr]], given) if given else ()
    for row in rows:
        pattern, device = (item.data for item in row)
        if device not in devices:
            raise CompileError(
                f"placement of '{pattern}' on '{device}': the target has only"
                f" {', '.join(devices)}; compile for a target with that device"
            )
        overrides.append(Override(pattern, device))
    return overrides


def apply_overrides(
    ops: Sequence[Operation], overrides: Sequence[Override]
) -> dict[Operation, Override]:
    """The wish that holds for each op (the last one); none may be without effect."""
    wishes: dict[Operation, Override] = {}
    for override in overrides:
        matched = [op for op in ops if override.matches(op)]
        if not matched:
            known = sorted({op.name for op in ops})
            names, close = ", ".join(known), did_you_mean(override.pattern, known)
            raise CompileError(
                f"placement of '{override.pattern}' on '{override.device}' matches no op;"
                f" patterns match op names ({names}) or places such as 'model.fc*'"
                + close
            )
        wishes |= dict.fromkeys(matched, override)
    return wishes


def choose_places(
    block: Block, target: TargetAttr, overrides: list[Override]
) -> dict[Operation, PlaceAttr]:
    """The place of every op of `@main` that computes something."""
    unplaced = WeightOp | ConstantOp | ReturnOp
    ops = [op for op in block.ops if not isinstance(op, unplaced)]
    wishes = apply_overrides(ops, overrides)
    devices = target.device_names
    fixed = {op: place for op in ops if (place := _fixed_place(op, devices))}
    if len(set(devices)) == 1:
        only = PlaceAttr(StringAttr(devices[0]), StringAttr("the only device"))
        return dict.fromkeys(ops, only) | fixed
    if devices[0] != "cpu":
        raise CompileError(
            f"the first of several devices is the CPU, which the copies between the others"
            f" go over; got target '{target.devices.data}'"
        )
    choice = Choice(target, ops, wishes, fixed)
    return {op: fixed.get(op) or choice.place(op) for op in ops}


def _fixed_place(op: Operation, devices: Sequence[str]) -> PlaceAttr | None:
    """The place of an op that has one already, or no choice."""
    if isinstance(op, HostCallOp):
        return PlaceAttr(StringAttr("host"), op.why)
    if op.name in CPU_ONLY and set(devices) != {"cpu"}:
        return PlaceAttr(StringAttr("cpu"), StringAttr(CPU_ONLY[op.name]))
    place = op.attributes.get("dev.place")
    return place if isinstance(place, PlaceAttr) else None


@dataclass
class GivePlace(RewritePattern):
    """An op gets the place that was chosen for it.

    Before:

    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 256,
        threads = 1, precision = "default", arch = "sm_90", interpret = 0>} {
      func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        %a = nn.exp %x : (tensor<4xf32>) -> tensor<4xf32>
        func.return %a : tensor<4xf32>
      }
    }
    ```

    After:

    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", vector_bits = 256,
        threads = 1, precision = "default", arch = "sm_90", interpret = 0>} {
      func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        %a = nn.exp %x {dev.place = #dev.place<"cpu", "the only device">} : (tensor<4xf32>) -> tensor<4xf32>
        func.return %a : tensor<4xf32>
      }
    }
    ```
    """

    places: Mapping[Operation, PlaceAttr]

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if (place := self.places.get(op)) is not None:
            op.attributes["dev.place"] = place
            rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class PlaceOpsPass(ModulePass):
    """Where each op runs, decided once for the whole program by time, with the reason.

    Weights and constants have no place: each device that reads one gets its own.
    """

    name = "place-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = op.attributes.get("devproc.target", TargetAttr.get())
        assert isinstance(target, TargetAttr)
        overrides = read_overrides(op, target.device_names)
        for function in op.ops:
            if isinstance(function, FuncOp) and function.sym_name.data == "main":
                places = choose_places(function.body.block, target, overrides)
                rewrite_main(op, GivePlace(places))
