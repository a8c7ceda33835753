"""The memory plan, proved by running it: every byte read is the byte that was written.

The oracle knows nothing of lifetimes. It executes random programs on tagged bytes, once
with every queued operation done at once and once with all of them as late as a sync
allows; a plan that lets two live buffers overlap shows a wrong tag in one of them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from devproc.dialects import plan
from devproc.dialects.dev import SyncOp, device_of
from devproc.ir.verification.verify import verify_module
from devproc.transforms.buffers.placement import (
    Request,
    live_bytes,
    peak,
    place_requests,
)
from devproc.transforms.buffers.plan_memory import PlanMemoryPass
from devproc.transforms.host.outline_segments import OutlineSegmentsPass
from tests.repository import context, parse

CONTEXT = context()


class RandomProgram:
    """The text of a correct host program: launches, copies and syncs on allocs."""

    def __init__(self, rng: random.Random, steps: int, devices: list[str]):
        self.rng = rng
        self.lines: list[str] = []
        self.kernels: list[str] = []
        self.types = {"x": self.type_of("cpu", 24)}
        self.pending: set[str] = set()
        for _ in range(steps):
            self.step(rng.choice(devices))
        self.finish()

    @staticmethod
    def type_of(device: str, count: int) -> str:
        return f'memref<{count}xf32, #dev.on<"{device}">>'

    def on(self, device: str) -> list[str]:
        return [name for name, type_ in self.types.items() if f'"{device}"' in type_]

    def new(self, type_: str) -> str:
        name = f"v{len(self.types)}"
        self.lines.append(f"%{name} = memref.alloc() : {type_}")
        self.types[name] = type_
        return name

    def recent(self, names: list[str]) -> list[str]:
        """Some of them, new ones more often: so that lives end."""
        weights = [1.0 + i * i for i in range(len(names))]
        count = self.rng.randint(1, 3)
        return list(dict.fromkeys(self.rng.choices(names, weights, k=count)))

    def step(self, device: str) -> None:
        inputs = self.recent(self.on(device)) if self.on(device) else []
        if not inputs or self.rng.random() < 0.2:
            self.copy(device)
            return
        if device == "cpu" and self.pending & set(inputs):
            self.sync()
        outputs = [
            self.new(self.type_of(device, self.rng.choice([0, 1, 3, 16, 17, 100])))
            for _ in range(self.rng.randint(1, 2))
        ]
        self.launch(device, inputs, outputs)

    def launch(self, device: str, inputs: list[str], outputs: list[str]) -> None:
        if self.rng.random() < 0.2:
            inputs = [self.view(inputs[0]), *inputs[1:]]
        name = f"k{len(self.kernels)}"
        types = [[self.types[v] for v in names] for names in (inputs, outputs)]
        self.kernels.append(
            f"func.func private @{name}({', '.join(types[0] + types[1])}) -> ()"
            f' attributes {{dev.kernel = #dev.kernel<"{device}", "pointwise", []>}}'
        )
        ins, outs = (", ".join("%" + v for v in names) for names in (inputs, outputs))
        self.lines.append(
            f"plan.launch @{name}({ins}) -> ({outs}) :"
            f" ({', '.join(types[0])}) -> ({', '.join(types[1])})"
        )

    def view(self, name: str) -> str:
        type_ = self.types[name]
        new = f"view{len(self.lines)}"
        wide = type_.replace("memref<", "memref<1x")
        self.lines.append(f"%{new} = plan.view %{name} : {type_} -> {wide}")
        self.types[new] = wide
        if name in self.pending:
            self.pending.add(new)
        return new

    def copy(self, device: str) -> None:
        other = "cuda" if device == "cpu" else "cpu"
        sources = self.on(other)
        if not sources:
            return
        source = self.rng.choice(sources)
        target = self.new(self.types[source].replace(other, device))
        self.lines.append(
            f"plan.copy %{source} to %{target} :"
            f" {self.types[source]} to {self.types[target]}"
        )
        if device == "cpu":
            self.pending.add(target)

    def sync(self) -> None:
        self.lines.append('dev.sync "cuda"')
        self.pending.clear()

    def finish(self) -> None:
        self.sync()
        inputs = self.on("cpu")[-3:]
        self.types["y"] = self.type_of("cpu", 8)
        self.launch("cpu", inputs, ["y"])

    @property
    def text(self) -> str:
        body = "\n  ".join(self.lines)
        return (
            f"func.func @main(%x: {self.types['x']}, %y: {self.types['y']}) {{\n"
            f"  {body}\n  func.return\n}}\n" + "\n".join(self.kernels)
        )


def main_block(module: ModuleOp) -> list[Operation]:
    return next(
        list(f.body.block.ops)
        for f in module.ops
        if isinstance(f, FuncOp) and f.sym_name.data == "main"
    )


class TaggedMemory:
    """Executes a planned program on bytes that remember who wrote them."""

    def __init__(self, ops: list[Operation], lazy: bool):
        self.ops = ops
        self.lazy = lazy
        self.arenas: dict[SSAValue, np.ndarray] = {}
        self.outside: dict[SSAValue, np.ndarray] = {}
        self.tags: dict[SSAValue, int] = {}
        self.queue: list[Operation] = []

    def bytes_of(self, value: SSAValue) -> np.ndarray:
        owner = value.owner
        if isinstance(owner, plan.ViewOp):
            return self.bytes_of(owner.source)
        if isinstance(owner, plan.BufferOp):
            start, end = owner.span
            return self.arenas[owner.arena][start:end]
        return self.outside.setdefault(value, np.zeros(1, int))

    @staticmethod
    def root(value: SSAValue) -> SSAValue:
        while isinstance(value.owner, plan.ViewOp):
            value = value.owner.source
        return value

    def run(self) -> None:
        for op in self.ops:
            if isinstance(op, plan.ArenaOp):
                self.arenas[op.result] = np.full(op.byte_count, -1)
            elif isinstance(op, SyncOp):
                for queued in self.queue:
                    self.execute(queued)
                self.queue.clear()
            elif isinstance(op, plan.LaunchOp | plan.CopyOp):
                devices = {device_of(v.type) for v in op.operands}
                if "cuda" in devices and self.lazy:
                    self.queue.append(op)
                else:
                    self.execute(op)
        assert not self.queue

    def execute(self, op: Operation) -> None:
        if isinstance(op, plan.CopyOp):
            reads, writes = [op.source], [op.destination]
        else:
            assert isinstance(op, plan.LaunchOp)
            reads, writes = list(op.inputs), list(op.outputs)
        for value in reads:
            wanted = self.tags.get(self.root(value), 0)
            found = self.bytes_of(value)
            assert (found == wanted).all(), f"{op} reads what is no longer there"
        for value in writes:
            tag = len(self.tags) + 1
            self.tags[self.root(value)] = tag
            self.bytes_of(value)[...] = tag


def planned(seed: int, devices: list[str], steps: int = 25) -> ModuleOp:
    module = parse(RandomProgram(random.Random(seed), steps, devices).text, CONTEXT)
    verify_module(module)
    PlanMemoryPass().apply(CONTEXT, module)
    verify_module(module)
    return module


@pytest.mark.parametrize("seed", range(40))
def test_no_live_byte_is_overwritten(seed: int) -> None:
    module = planned(seed, ["cpu", "cuda"] if seed % 2 else ["cpu"])
    for lazy in (False, True):
        TaggedMemory(main_block(module), lazy).run()


@pytest.mark.parametrize("seed", range(20))
def test_numbers_survive_segments(seed: int) -> None:
    """After steps have been merged into segments the plan still verifies."""
    module = planned(seed, ["cpu", "cpu", "cuda"])
    OutlineSegmentsPass(max_launches=seed % 4).apply(CONTEXT, module)
    verify_module(module)


def overlapping_mutations(module: ModuleOp) -> Iterator[plan.BufferOp]:
    """Buffers that a change of offset makes overlap another one live with them."""
    buffers = [op for op in main_block(module) if isinstance(op, plan.BufferOp)]
    for a in buffers:
        for b in buffers:
            together = a.lifetime[0] <= b.lifetime[1] and b.lifetime[0] <= a.lifetime[1]
            real = a.span[0] < a.span[1] and b.span[0] < b.span[1]
            if a is not b and a.arena is b.arena and together and real:
                old = a.properties["offset"]
                a.properties["offset"] = b.properties["offset"]
                yield a
                a.properties["offset"] = old


def test_verifier_sees_every_overlap() -> None:
    module = planned(3, ["cpu", "cuda"])
    count = 0
    for _ in overlapping_mutations(module):
        count += 1
        with pytest.raises(
            VerifyException, match=r"overlap|after the end of its arena"
        ):
            module.verify()
    assert count > 10
    module.verify()


def random_requests(rng: random.Random, count: int) -> list[Request]:
    sizes = [1, 64, 100, 800, 4096, 9000, rng.randint(1, 100_000)]
    return [
        Request(i, rng.choice(sizes), (i, i + 1 + int(rng.expovariate(0.4))))
        for i in range(count)
    ]


@pytest.mark.parametrize("seed", range(30))
def test_arena_is_close_to_what_one_step_needs(seed: int) -> None:
    rng = random.Random(seed)
    requests = random_requests(rng, rng.randint(1, 60))
    layout = place_requests(requests)
    assert peak(layout) <= 1.1 * live_bytes(requests)
    for r in requests:
        assert layout[r] % plan.ALIGNMENT == 0


@pytest.mark.parametrize("seed", range(10))
def test_small_arenas_are_optimal(seed: int) -> None:
    """Against every order of first fit, one of which is optimal."""

    def first_fit(order: tuple[Request, ...]) -> int:
        placed: dict[Request, int] = {}
        for r in order:
            offset = 0
            for other, o in sorted(placed.items(), key=lambda item: item[1]):
                apart = other.live[1] < r.live[0] or r.live[1] < other.live[0]
                if not apart and offset + r.size > o:
                    offset = max(offset, o + other.size)
            placed[r] = offset
        return max(offset + r.size for r, offset in placed.items())

    requests = random_requests(random.Random(seed), 6)
    best = min(first_fit(order) for order in permutations(requests))
    assert peak(place_requests(requests)) <= 1.1 * best


def test_empty_program() -> None:
    assert place_requests([]) == {}
    assert peak({}) == 0


BUFFER, ARENA = 'memref<16xf32, #dev.on<"cpu">>', 'memref<64xi8, #dev.on<"cpu">>'


def numbered(live: str, steps: str) -> ModuleOp:
    """A planned program with one buffer and these steps."""
    kernel = f"{BUFFER}, {BUFFER}"
    return parse(
        f"func.func private @k({kernel})\n"
        f"func.func @main(%x: {BUFFER}, %y: {BUFFER}) {{\n"
        f'  %arena = plan.arena "cpu" : {ARENA}\n'
        f"  %a = plan.buffer %arena id 0 offset 0 bytes 64 live {live}"
        f" : {ARENA} -> {BUFFER}\n{steps}\n  func.return\n}}",
        CONTEXT,
    )


def launch(inputs: str, outputs: str, numbers: str = "") -> str:
    return (
        f"  plan.launch @k({inputs}) -> ({outputs}) {numbers}"
        f" : ({BUFFER}) -> ({BUFFER})\n"
    )


def test_a_split_kernel_stays_one_step() -> None:
    """An op without a number belongs to the step before it."""
    steps = (
        launch("%x", "%a", "{plan.step = 3 : i64}")
        + launch("%x", "%a")
        + launch("%a", "%y", "{plan.step = 4 : i64}")
    )
    verify_module(numbered("3 to 4", steps))
    with pytest.raises(VerifyException, match="used from step 3 to 4, but planned"):
        numbered("3 to 3", steps).verify()


@pytest.mark.parametrize(
    ("live", "fits"),
    [
        ("2 to 2", True),
        ("0 to 3", True),
        ("5 to 9", True),
        ("0 to 1", False),
        ("6 to 6", False),
    ],
)
def test_a_segment_uses_what_is_live_in_it(live: str, fits: bool) -> None:
    numbers = "{plan.step = 2 : i64, plan.last_step = 5 : i64}"
    module = numbered(live, launch("%x", "%a", numbers))
    if fits:
        verify_module(module)
        return
    with pytest.raises(VerifyException, match="is used between step 2 and 5, but"):
        module.verify()
