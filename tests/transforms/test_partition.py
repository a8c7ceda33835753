"""Partition: few islands, one copy per value and device, no sync too many or too few."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException, VerifyException

from devproc.dialects import dev
from devproc.ir.verification.verify import verify_module
from devproc.transforms.placed.partition_by_device import PartitionByDevicePass
from tests.repository import context, parse

CONTEXT = context()
X = "tensor<4xf32>"


def program(rng: random.Random, count: int) -> str:
    """A random graph of adds, each on a random device; some constants and weights."""
    lines = [
        f'%w = nn.weight @w hash "0" : {X}',
        f"%c = nn.constant dense<1.0> : {X} : {X}",
    ]
    values = ["x", "y", "w", "c"]
    for index in range(count):
        device = rng.choice(["cpu", "cuda"])
        a, b = (rng.choice(values[-6:]) for _ in range(2))
        lines.append(
            f'%v{index} = nn.add %{a}, %{b} {{dev.place = #dev.place<"{device}", "">}}'
            f' : ({X}, {X}) -> {X} loc("step{index}")'
        )
        values.append(f"v{index}")
    results = [*rng.sample(values, 2), values[-1]]
    body = "\n  ".join(lines)
    return (
        f"func.func @main(%x: {X}, %y: {X}) -> ({X}, {X}, {X}) {{\n  {body}\n"
        f"  func.return {', '.join('%' + r for r in results)} : {X}, {X}, {X}\n}}"
    )


def partitioned(seed: int, count: int = 12) -> tuple[ModuleOp, ModuleOp]:
    """The program before and after the pass."""
    before = parse(program(random.Random(seed), count), CONTEXT)
    after = before.clone()
    PartitionByDevicePass().apply(CONTEXT, after)
    verify_module(after)
    return before, after


def host_ops(module: ModuleOp) -> list[Operation]:
    main = next(op for op in module.ops if isinstance(op, FuncOp))
    return list(main.body.block.ops)


def meaning(module: ModuleOp) -> list[str]:
    """Each output as an expression: regions opened, copies and syncs gone."""
    main = next(op for op in module.ops if isinstance(op, FuncOp))
    known: dict[SSAValue, str] = {a: f"arg{a.index}" for a in main.body.block.args}

    def visit(ops: Sequence[Operation]) -> list[str]:
        for op in ops:
            if isinstance(op, dev.RegionOp):
                inside = op.body.block
                known.update(
                    {a: known[v] for a, v in zip(inside.args, op.inputs, strict=True)}
                )
                known.update(zip(op.results, visit(list(inside.ops)), strict=True))
            elif isinstance(op, dev.CopyOp):
                known[op.result] = known[op.source]
            elif op.results:
                reads = ", ".join(known[v] for v in op.operands)
                known[op.results[0]] = f"{op.name}({reads})"
        return [known[v] for v in ops[-1].operands]

    return visit(list(main.body.block.ops))


@pytest.mark.parametrize("seed", range(60))
def test_the_program_stays_the_same(seed: int) -> None:
    before, after = partitioned(seed)
    assert meaning(before) == meaning(after)


@pytest.mark.parametrize("seed", range(60))
def test_no_copy_is_redundant(seed: int) -> None:
    """Each value goes to a device once, and only where it is read."""
    _, after = partitioned(seed)
    copies = [op for op in host_ops(after) if isinstance(op, dev.CopyOp)]
    targets = [(op.source, dev.device_of(op.result.type)) for op in copies]
    assert len(set(targets)) == len(targets)
    for copy in copies:
        assert copy.result.uses
        # What came from the other side is not sent back there.
        assert not isinstance(copy.source.owner, dev.CopyOp)
        # Weights are loaded where they are read.
        assert getattr(copy.source.owner, "name", "") != "nn.weight"


@pytest.mark.parametrize("seed", range(60))
def test_no_sync_is_redundant(seed: int) -> None:
    """Without any one of its syncs the program is wrong."""
    _, after = partitioned(seed)
    for sync in [op for op in host_ops(after) if isinstance(op, dev.SyncOp)]:
        block, following = sync.parent, sync.next_op
        assert block is not None
        assert following is not None
        sync.detach()
        with pytest.raises(VerifyException, match=r"before the dev\.sync"):
            verify_module(after)
        block.insert_op_before(sync, following)


def fewest_islands(ops: Sequence[Operation]) -> int:
    """By search over all orders: sets of done ops and the device that ran last."""
    numbers: dict[object, int] = {op: i for i, op in enumerate(ops)}
    devices = [op.attributes["dev.place"] for op in ops]
    needs = [
        sum(1 << numbers[v.owner] for v in set(op.operands) if v.owner in numbers)
        for op in ops
    ]

    @cache
    def search(done: int, last: object) -> int:
        best = 0 if done == (1 << len(ops)) - 1 else 1000
        for i, need in enumerate(needs):
            if not done >> i & 1 and need & done == need:
                cost = devices[i] != last
                best = min(best, cost + search(done | 1 << i, devices[i]))
        return best

    return search(0, None)


@pytest.mark.parametrize("seed", range(40))
def test_islands_are_as_few_as_possible(seed: int) -> None:
    before, after = partitioned(seed, count=8)
    live: list[Operation] = []
    for op in reversed(host_ops(before)):
        readers = [use.operation for r in op.results for use in r.uses]
        if op.name == "func.return" or any(reader in live for reader in readers):
            live.append(op)
    ops = [op for op in reversed(live) if "dev.place" in op.attributes]
    regions = [
        op
        for op in host_ops(after)
        if isinstance(op, dev.RegionOp)
        and any("dev.place" in child.attributes for child in op.body.block.ops)
    ]
    assert len(regions) == fewest_islands(ops)


def test_an_op_without_a_place_is_refused() -> None:
    module = parse(
        f"func.func @main(%x: {X}) -> {X} {{\n"
        f"  %r = nn.relu %x : ({X}) -> {X}\n  func.return %r : {X}\n}}",
        CONTEXT,
    )
    with pytest.raises(PassFailedException, match=r"'nn\.relu'.* run place-ops first"):
        PartitionByDevicePass().apply(CONTEXT, module)


def test_source_lines_survive() -> None:
    _, after = partitioned(1)
    for op in after.walk():
        if op.name == "nn.add":
            assert str(op.location).startswith('loc("step')
