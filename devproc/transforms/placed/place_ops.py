"""Chooses a device for every op, and records the reason on the op."""

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
from devproc.transforms.placed.choice import Choice, Override, names_of
from devproc.transforms.placed.main_block import rewrite_main

OVERRIDES = "devproc.placement"
"""Module attribute with the user's overrides: `[["model.fc*", "cuda"], ...]`."""


CPU_ONLY = {
    "nn.nms": "each box depends on the boxes kept before it: no block program",
}
"""op name -> why only the CPU supports it; it runs there on every target."""


def read_overrides(module: ModuleOp, devices: Sequence[str]) -> list[Override]:
    """The user's overrides; raises CompileError for a device that the target lacks."""
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
    """The override of each op (the last that matches); raises CompileError for an
    override that matches no op."""
    requests: dict[Operation, Override] = {}
    for override in overrides:
        matched = [op for op in ops if override.matches(op)]
        if not matched:
            known = sorted({name for op in ops for name in names_of(op)})
            names, close = ", ".join(known), did_you_mean(override.pattern, known)
            raise CompileError(
                f"placement of '{override.pattern}' on '{override.device}' matches no op;"
                f" patterns match op names ({names}) or places such as 'model.fc*'"
                + close
            )
        requests |= dict.fromkeys(matched, override)
    return requests


def choose_places(
    block: Block, target: TargetAttr, overrides: list[Override]
) -> dict[Operation, PlaceAttr]:
    """The placement of every op of `@main` that computes something."""
    unplaced = WeightOp | ConstantOp | ReturnOp
    ops = [op for op in block.ops if not isinstance(op, unplaced)]
    requests = apply_overrides(ops, overrides)
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
    choice = Choice(target, ops, requests, fixed)
    return {op: fixed.get(op) or choice.place(op) for op in ops}


def _fixed_place(op: Operation, devices: Sequence[str]) -> PlaceAttr | None:
    """The placement of an op that has one already, or that only one device supports."""
    if isinstance(op, HostCallOp):
        return PlaceAttr(StringAttr("host"), op.why)
    if op.name in CPU_ONLY and set(devices) != {"cpu"}:
        return PlaceAttr(StringAttr("cpu"), StringAttr(CPU_ONLY[op.name]))
    place = op.attributes.get("dev.place")
    return place if isinstance(place, PlaceAttr) else None


@dataclass
class GivePlace(RewritePattern):
    """Attach the chosen placement to an op.

    Before:

    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
        cpu = #cpu.machine<vector_bits = 256>>} {
      func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        %a = nn.exp %x : (tensor<4xf32>) -> tensor<4xf32>
        func.return %a : tensor<4xf32>
      }
    }
    ```

    After:

    ```mlir
    builtin.module attributes {devproc.target = #dev.target<"cpu", precision = "default", threads = 1,
        cpu = #cpu.machine<vector_bits = 256>>} {
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
    """Place all ops of the program at once by estimated time, and record the reasons.

    Weights and constants have no placement: each device that reads one gets its own.
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
