"""Choose a device for every op, and keep the reason on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from devproc.dialects.dev import HostCallOp, PlaceAttr, TargetAttr, byte_size, memory_of
from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.errors import CompileError, did_you_mean
from devproc.ir.text.location import location_name
from devproc.transforms.placed.cost_model import copy_time, op_time, si, work_of
from devproc.transforms.placed.minimum_cut import Flow, assign

OVERRIDES = "devproc.placement"
"""Module attribute with the user's wishes: `[["model.fc*", "cuda"], ...]`."""


CPU_ONLY = {
    "nn.nms": "each box waits for those kept before it, which no block program does",
}
"""op name -> why only the CPU has it; it runs there whatever the target."""


@dataclass(frozen=True)
class Override:
    """A wish of the user: ops of this name, or from this place, on this device."""

    pattern: str
    device: str

    def matches(self, op: Operation) -> bool:
        """By the op's name (`nn.conv2d`), or by a glob on its place in the program."""
        place = location_name(op.location) or ""
        return fnmatchcase(op.name, self.pattern) or fnmatchcase(place, self.pattern)


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


@dataclass
class Choice:
    """Host or device for each op of a program: the cheapest, wishes granted."""

    target: TargetAttr
    ops: Sequence[Operation]
    wishes: dict[Operation, Override]

    def __post_init__(self) -> None:
        self.devices = host, device = self.target.device_names
        self.number = {op: index for index, op in enumerate(self.ops)}
        self.flows = list(flows_of(self.number))
        self.nanoseconds = [
            [round(1000 * op_time(op, name, self.target)) for op in self.ops]
            for name in (host, device)
        ]
        pinned = {self.number[op]: w.device == device for op, w in self.wishes.items()}
        for index, op in enumerate(self.ops):
            if isinstance(place := op.attributes.get("dev.place"), PlaceAttr):
                pinned[index] = memory_of(place.device.data) == device
        self.on_device = assign(
            self.nanoseconds[0], self.nanoseconds[1], self.flows, pinned
        )

    def place(self, op: Operation) -> PlaceAttr:
        """The device of an op with the numbers that speak for and against it."""
        index = self.number[op]
        chosen = self.on_device[index]
        costs = [times[index] / 1000 for times in self.nanoseconds]
        here, there = costs[chosen], costs[not chosen]
        rejected = self.devices[not chosen]
        otherwise = [*self.on_device]
        otherwise[index] = not chosen
        before = self.copies_around(index, self.on_device)
        after = self.copies_around(index, otherwise)
        more_bytes, more_us = after[0] - before[0], after[1] - before[1]
        slower = there - here + more_us
        verdict = f"{slower:.3g} us slower" if slower >= 0 else "faster, but not wished"
        why = (
            f"{work_of(op)}: {here:.3g} us; rejected {rejected}: {there:.3g} us and"
            f" {_signed(more_bytes)}B of copies ({more_us:+.3g} us), {verdict}"
        )
        if (wish := self.wishes.get(op)) is not None:
            why = f"wished by the user for '{wish.pattern}'; {why}"
        return PlaceAttr(StringAttr(self.devices[chosen]), StringAttr(why))

    def copies_around(self, op: int, on_device: Sequence[bool]) -> tuple[int, float]:
        """Bytes and microseconds of the copies of what an op reads and makes."""
        copied = [
            flow
            for flow in self.flows
            if (flow.producer == op or op in flow.readers) and flow.copied(on_device)
        ]
        return sum(f.byte_count for f in copied), sum(f.copy_ns for f in copied) / 1000


def _signed(count: int) -> str:
    return f"{'-' if count < 0 else '+'}{si(abs(count))}"


def flows_of(number: Mapping[Operation, int]) -> Iterator[Flow]:
    """The values that may cross between devices; weights are uploaded once, at load."""
    values: dict[SSAValue, None] = {}
    for op in number:
        values |= dict.fromkeys(op.operands) | dict.fromkeys(op.results)
    for value in values:
        owner = value.owner
        if isinstance(owner, WeightOp | ConstantOp):
            continue
        users = dict.fromkeys(use.operation for use in value.uses)
        count = byte_size(value.type)
        yield Flow(
            number[owner] if isinstance(owner, Operation) else None,
            tuple(number[user] for user in users if user in number),
            any(isinstance(user, ReturnOp) for user in users),
            count,
            round(1000 * copy_time(count)),
        )


def place_block(block: Block, target: TargetAttr, overrides: list[Override]) -> None:
    """Give every op of `@main` that computes something its `dev.place`."""
    unplaced = WeightOp | ConstantOp | ReturnOp
    ops = [op for op in block.ops if not isinstance(op, unplaced)]
    wishes = apply_overrides(ops, overrides)
    devices = target.device_names
    for op in ops:
        if isinstance(op, HostCallOp):
            op.attributes["dev.place"] = PlaceAttr(StringAttr("host"), op.why)
        elif op.name in CPU_ONLY and set(devices) != {"cpu"}:
            why = StringAttr(CPU_ONLY[op.name])
            op.attributes["dev.place"] = PlaceAttr(StringAttr("cpu"), why)
    if len(set(devices)) == 1:
        (device,) = set(devices)
        only = PlaceAttr(StringAttr(device), StringAttr("the only device"))
        for op in ops:
            op.attributes.setdefault("dev.place", only)
        return
    if len(devices) != 2 or devices[0] != "cpu":
        raise CompileError(
            f"place-ops weighs the CPU against one other device, got target"
            f" '{target.devices.data}'; use cpu, cuda or cpu+cuda"
        )
    choice = Choice(target, ops, wishes)
    for op, place in [(op, choice.place(op)) for op in ops]:
        op.attributes.setdefault("dev.place", place)


@dataclass(frozen=True)
class PlaceOpsPass(ModulePass):
    """Where each op runs, decided once for the whole program by time, with the reason.

    Weights and constants have no place: each device that reads one gets its own.

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

    name = "place-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = op.attributes.get("devproc.target", TargetAttr.get())
        assert isinstance(target, TargetAttr)
        overrides = read_overrides(op, target.device_names)
        for function in op.ops:
            if isinstance(function, FuncOp) and function.sym_name.data == "main":
                place_block(function.body.block, target, overrides)
