"""Chooses a device for every op, and records the reason on the op."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from devproc.backend.installed import backend
from devproc.dialects.dev import HostCallOp, PlaceAttr, TargetAttr
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.errors import CompileError
from devproc.ir.devices import FALLBACK, HOST
from devproc.transforms.placed.assignment.choice import ONLY, Choice
from devproc.transforms.placed.assignment.cost_model import CostModel
from devproc.transforms.placed.assignment.problem import problem_of
from devproc.transforms.placed.assignment.refusals import (
    require_all_legal,
    require_possible,
)
from devproc.transforms.placed.assignment.requests import Requests, read_requests
from devproc.transforms.placed.main_block import rewrite_main


def placeable_ops(block: Block) -> list[Operation]:
    """The ops of `@main` that compute something."""
    unplaced = WeightOp | ConstantOp | ReturnOp
    return [op for op in block.ops if not isinstance(op, unplaced)]


def choose_places(
    ops: Sequence[Operation], target: TargetAttr, requests: Requests
) -> dict[Operation, PlaceAttr]:
    """The placement of each op.

    Raises CompileError for ops that no device can compute, and for requests that cannot
    be met.
    """
    fixed = fixed_places(ops)
    names = target.device_names
    if len(names) == 1 and _is_enough(names[0], ops, fixed, requests):
        only = PlaceAttr(StringAttr(names[0]), StringAttr(ONLY))
        return dict.fromkeys(ops, only) | fixed
    choice = choice_of(ops, target, requests)
    return {op: choice.place(op) for op in ops}


def choice_of(
    ops: Sequence[Operation], target: TargetAttr, requests: Requests
) -> Choice:
    """The cheapest placement of ops on the devices of a target and the host."""
    names = target.device_names
    if len(names) > 1 and names[0] != HOST:
        raise CompileError(
            f"the first of several devices is '{HOST}', which the copies between the"
            f" others go over; got target '{target.devices.data}'"
        )
    devices = names if HOST in names else (HOST, *names)
    fixed = fixed_places(ops)
    problem = problem_of(ops, devices, CostModel(target), requests, fixed)
    require_possible(problem, requests)
    choice = Choice(problem, requests, fixed)
    require_all_legal(problem, choice.where, target.devices.data)
    return choice


def _is_enough(
    device: str,
    ops: Sequence[Operation],
    fixed: Mapping[Operation, PlaceAttr],
    requests: Requests,
) -> bool:
    """Whether the only device of a target can compute all ops, with no limit of memory."""
    return not requests.memory and not any(
        requests.reasons(op, device) or backend(device).legal([op])
        for op in ops
        if op not in fixed
    )


def fixed_places(ops: Sequence[Operation]) -> dict[Operation, PlaceAttr]:
    """The placement of ops that have one already."""
    return {op: place for op in ops if (place := _fixed_place(op))}


def _fixed_place(op: Operation) -> PlaceAttr | None:
    if isinstance(op, HostCallOp):
        return PlaceAttr(StringAttr(FALLBACK), op.why)
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
        for function in op.ops:
            if isinstance(function, FuncOp) and function.sym_name.data == "main":
                ops = placeable_ops(function.body.block)
                requests = read_requests(op, ops, target.device_names)
                rewrite_main(op, GivePlace(choose_places(ops, target, requests)))
