"""Which tile of a product is fastest on an architecture, by an estimate in cycles.

No kernel is compiled and nothing is measured; on an H100 the tile of the smallest estimate
took 1.05 of the time of the best of 5 to 29 tiles, on average over 44 products and
convolutions (`benchmarks/RESULTS.md`). The estimate of one step of the loop over K
is the largest of three times: of the tensor cores, of issuing its instructions, and of
reading its operands from L2; the first loads, barriers and whole waves of programs are
added. Counts of registers and instructions are fits to compiled kernels of sm_80 and
sm_90. Tiles and stages follow the heuristics of Helion and Inductor (accumulators of at
most 128 registers, deep pipelines in shared memory).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product as combinations
from math import ceil
from typing import TypeAlias

from devproc.dialects.sched import BlockTileSchedule, PersistentTileSchedule
from devproc.dialects.sched.blocks import SMALLEST_DOT
from devproc.targets.triton.archs import Arch
from devproc.targets.triton.precision import PRODUCTS
from devproc.targets.triton.transforms.to_triton.sizes import ceil_div, power_of_two

AnyTile: TypeAlias = BlockTileSchedule | PersistentTileSchedule

L2_BYTES = 48
"""Bytes that one processor reads from L2 in a cycle."""
LATENCY = 700
"""Cycles from a load to its data, with other loads in flight."""
BARRIER = 100
"""Cycles of the waits and barriers of a step."""
START = 1200
"""Cycles before the first step has its operands, their transfer apart."""
LAUNCH = 1e-6
"""Seconds that another kernel in a queue costs."""
FLOAT_FLOPS = 256
"""Operations of f32 without tensor cores, per processor and cycle."""
SAME = 1.02
"""Estimates that are closer than this are not told apart."""
UNROLLED = 3
"""Steps of the longest loop that is unrolled."""
FEW_STAGES = 3
MOST_STAGES = 2
"""Numbers of stages of one tile that a tuner tries."""
WITH_DESCRIPTORS = 3
"""Tiles for which a tuner tries descriptors."""
GROUP = 8
"""Rows of tiles that share columns of tiles in L2."""


@dataclass(frozen=True)
class Product:
    """The sizes of a product, and how its factors are multiplied."""

    m: int
    n: int
    k: int
    batch: int
    bytes: int
    """Size of an element of the factors."""
    precision: str
    """Of products of f32; narrower types are exact on tensor cores."""
    is_simple: bool = True
    """Whether what follows the product is a few operations for each result."""
    held: int = 0
    """Bytes of each result that a program holds besides its accumulator."""

    @property
    def on_tensor_cores(self) -> bool:
        """Whether tensor cores multiply."""
        return self.bytes < 4 or self.precision != "ieee"

    @property
    def products(self) -> int:
        """The products on tensor cores that one product takes."""
        return PRODUCTS[self.precision] if self.bytes == 4 else 1

    def programs(self, schedule: AnyTile) -> int:
        """The tiles of all results: programs, if each computes one."""
        rows, columns = ceil_div(self.m, schedule.m), ceil_div(self.n, schedule.n)
        return rows * columns * self.batch


@dataclass(frozen=True)
class Load:
    """What one program of a tile needs, and what a step of it executes."""

    product: Product
    schedule: BlockTileSchedule
    arch: Arch

    @property
    def has_warpgroups(self) -> bool:
        """Whether `tl.dot` becomes wgmma, which reads its operands from shared memory."""
        return (
            self.arch.has_warpgroups
            and self.product.on_tensor_cores
            and self.schedule.m >= 64
        )

    @property
    def threads(self) -> int:
        """Threads of a program."""
        return 32 * self.schedule.warps

    @property
    def accumulators(self) -> int:
        """Registers of a thread that hold sums."""
        return ceil_div(self.schedule.m * self.schedule.n, self.threads)

    @property
    def factors(self) -> int:
        """Elements of both factors that a thread holds in registers in a step."""
        s = self.schedule
        if self.has_warpgroups:
            return s.m * s.k // self.threads if self.product.products > 1 else 0
        rows, columns = warp_tile(s.m, s.n, s.warps)
        return (rows + columns) * s.k // 32

    @property
    def step_bytes(self) -> int:
        """Bytes of both factors in one step."""
        return (
            (self.schedule.m + self.schedule.n) * self.schedule.k * self.product.bytes
        )

    @property
    def copies(self) -> float:
        """Copies of 16 bytes to shared memory that a thread makes in one step."""
        return self.step_bytes / 16 / self.threads

    @property
    def shared_bytes(self) -> int:
        """Shared memory of a program."""
        return self.step_bytes * self.schedule.stages

    @property
    def registers(self) -> int:
        """Registers of a thread."""
        p = self.product
        if not p.on_tensor_cores:
            return 56 + 2 * self.accumulators + 16 + self.held
        if self.has_warpgroups:
            sums = 2 if p.products > 1 else 1
            return 44 + sums * self.accumulators + 2 * self.factors + self.held
        if p.products > 1:
            # Factors are split in two; the next ones may be loaded in the meantime.
            parts = 3 if self.is_unrolled else 2
            return 44 + self.accumulators + parts * self.factors + self.held
        # The addresses of the copies of wide tiles take more than factors do.
        factors = max(self.factors * p.bytes // 8, int(3.6 * self.copies))
        return 44 + self.accumulators + factors + self.held

    @property
    def held(self) -> int:
        """Registers of a thread for results of another product: those, the scale and offset
        of a column for two accumulators each, and the pointers of another loop."""
        if not self.product.held:
            return 0
        pointers = ceil(self.copies)
        results = ceil_div(self.accumulators * self.product.held, 4)
        return results + self.accumulators + 2 * pointers

    @property
    def is_unrolled(self) -> bool:
        """Whether the loop over K is unrolled: it has few steps, and rows need no mask."""
        p, s = self.product, self.schedule
        return 1 < ceil_div(p.k, s.k) <= UNROLLED and p.m % s.m == 0

    @property
    def fits(self) -> bool:
        """Whether it compiles without spilling, in the shared memory that there is."""
        s, p = self.schedule, self.product
        if self.shared_bytes > self.arch.program_shared_bytes or self.registers > 232:
            return False
        if not p.on_tensor_cores:
            # All products of a step are unrolled.
            return self.accumulators <= 64 and self.accumulators * s.k <= 1024
        if p.products > 1 and self.has_warpgroups and s.m < 16 * s.warps:
            # Two warpgroups would split the same factors, each for its columns.
            return False
        wide = 128 if p.is_simple and self.has_warpgroups and p.products == 1 else 64
        return self.accumulators <= wide

    @property
    def resident(self) -> int:
        """The programs that one processor runs at a time."""
        registers = ceil_div(self.registers, 8) * 8 * self.threads
        return min(
            self.arch.registers // registers,
            self.arch.shared_bytes // (self.shared_bytes + self.arch.reserved_bytes),
            64 // self.schedule.warps,
        )

    @property
    def instructions(self) -> float:
        """Instructions of a warp in one step."""
        s, p = self.schedule, self.product
        count = 50 + 2 * self.copies
        if not p.on_tensor_cores:
            side = self.accumulators**0.5
            return count + (self.accumulators + 2 * side) * s.k
        if not self.has_warpgroups:
            count += s.m * s.n * s.k * p.bytes / 4096 / s.warps * p.products * 1.5
        if p.products > 1:
            loaded = (s.m + s.n) * s.k / self.threads
            split = loaded if self.has_warpgroups else self.factors
            count += 7 * split + 2 * self.accumulators
        return count

    @property
    def math_cycles(self) -> float:
        """Cycles in which a processor multiplies the factors of a step."""
        s, p = self.schedule, self.product
        rate = self.arch.tensor_16 * 4 / p.bytes if p.bytes > 1 else FLOAT_FLOPS
        if not p.on_tensor_cores:
            rate = FLOAT_FLOPS
        elif self.arch.has_warpgroups and not self.has_warpgroups:
            rate *= 0.6 if p.products > 1 else 0.35
        return 2 * s.m * s.n * s.k * p.products / rate

    @property
    def cycles(self) -> float:
        """Cycles of the whole product."""
        s, p, arch = self.schedule, self.product, self.arch
        reading = self.step_bytes / L2_BYTES
        issue = self.instructions * s.warps / 4
        if p.products > 1 and self.has_warpgroups:
            # Each wgmma waits for the factors that were split just before.
            step = overlapped(self.math_cycles + 1.2 * issue, reading)
        else:
            step = overlapped(self.math_cycles, issue, reading)
        here = ceil_div(p.programs(s), arch.processors)
        resident = max(1, min(here, self.resident))
        exposed = (LATENCY + reading) / max(s.stages - 1, 1)
        waits = BARRIER if self.has_warpgroups or p.products > 1 else 3 * BARRIER
        busy = max(resident * step, max(step, exposed) + waits)
        outputs = resident * (100 + 12 * self.accumulators) * s.warps / 4
        rounds = ceil_div(here, resident)
        start = START + resident * reading
        computing = start + rounds * (ceil_div(p.k, s.k) * busy + outputs)
        moved = p.batch * (p.m * p.k + p.k * p.n + p.m * p.n) * p.bytes
        memory = START + moved * arch.clock / arch.bandwidth
        return overlapped(computing, memory)


def overlapped(*cycles: float) -> float:
    """The time of parts that overlap, but not completely: for the most part the longest."""
    return max(cycles) + (sum(cycles) - max(cycles)) / 16


def warp_tile(m: int, n: int, warps: int) -> tuple[int, int]:
    """The rows and columns that each warp multiplies, of a tile without warpgroups."""
    while warps > 1:
        if m >= n and m > SMALLEST_DOT:
            m //= 2
        else:
            n = max(n // 2, 8)
        warps //= 2
    return m, n


def candidates(product: Product, arch: Arch) -> Iterator[BlockTileSchedule]:
    """The tiles that fit an architecture, and are no larger than the product."""
    most = 512 if product.m <= SMALLEST_DOT else 256
    depths = [k for k in (16, 32, 64, 128, 256) if k * product.bytes <= most]
    longest = max(power_of_two(product.k), SMALLEST_DOT)
    depths = [k for k in depths if min(64 // product.bytes, longest) <= k <= longest]
    for m, n, k in combinations(sides(product.m), sides(product.n), depths):
        steps = ceil_div(product.k, k)
        for stages in range(2, min(steps, arch.stages) + 1) if steps > 1 else (1,):
            for warps in (4, 8) if m * n > 4096 else (4,):
                tile = BlockTileSchedule(
                    m=m, n=n, k=k, warps=warps, stages=stages, group=1,
                    precision=product.precision,
                )  # fmt: skip
                if Load(product, tile, arch).fits:
                    yield tile


def sides(size: int) -> list[int]:
    """The rows, or columns, of tiles of so many: few of `tl.dot`'s least."""
    if size <= SMALLEST_DOT:
        return [SMALLEST_DOT]
    return [side for side in (32, 64, 128, 256) if side <= power_of_two(size)]


def estimates(product: Product, arch: Arch) -> list[tuple[BlockTileSchedule, float]]:
    """The tiles that fit, and their cycles."""
    return [(t, Load(product, t, arch).cycles) for t in candidates(product, arch)]


@cache
def best_tile(product: Product, arch: Arch) -> tuple[BlockTileSchedule, float] | None:
    """The tile of the smallest estimate, and its cycles; None if none fits."""
    found = estimates(product, arch)
    if not found:
        return None
    tile, cycles = preferred(found, product, arch)
    return grouped(tile, product, arch), cycles


def grouped(tile: BlockTileSchedule, product: Product, arch: Arch) -> BlockTileSchedule:
    """The tile with its order of programs: columns share what L2 holds."""
    is_short = ceil_div(product.m, tile.m) <= GROUP
    if is_short or product.programs(tile) > arch.processors:
        return tile.replace(group=GROUP)
    return tile


def described(
    tile: BlockTileSchedule, product: Product, arch: Arch
) -> list[PersistentTileSchedule]:
    """The tile with factors read by descriptors: each by a program of its own, and, where
    there are several waves of tiles, by as many programs as are resident.

    Those have the first blocks of the next tile in shared memory while the results pass
    through it, so they may have fewer stages.
    """
    load, tiles = Load(product, tile, arch), product.programs(tile)
    results = tile.m * tile.n * product.bytes
    room = (arch.program_shared_bytes - results) // load.step_bytes
    forms = {
        tiles: tile.stages,
        arch.processors * max(load.resident, 1): min(tile.stages, room),
    }
    return [
        PersistentTileSchedule(
            m=tile.m,
            n=tile.n,
            k=tile.k,
            warps=tile.warps,
            stages=stages,
            group=tile.group,
            precision=tile.precision,
            programs=programs,
            loads="descriptors",
        )
        for programs, stages in forms.items()
        if programs <= tiles and stages > 0
    ]


def shortlist(
    tiles: Sequence[tuple[BlockTileSchedule, float]],
) -> list[BlockTileSchedule]:
    """The tiles by their estimates, each with the best `MOST_STAGES` numbers of stages."""
    counts: Counter[BlockTileSchedule] = Counter()
    found: list[BlockTileSchedule] = []
    for tile, _ in sorted(tiles, key=lambda pair: pair[1]):
        counts[tile.replace(stages=1)] += 1
        if counts[tile.replace(stages=1)] <= MOST_STAGES:
            found.append(tile)
    return found


def preferred(
    tiles: Sequence[tuple[BlockTileSchedule, float]], product: Product, arch: Arch
) -> tuple[BlockTileSchedule, float]:
    """The tile of the smallest estimate, of nearly equal ones that of the longest steps.

    With one program for each processor more stages hide more of its latency than the
    estimate says; with several, they take memory from the first level of caches.
    """
    least = min(cycles for _, cycles in tiles)
    near = [(tile, cycles) for tile, cycles in tiles if cycles <= SAME * least]

    def rank(pair: tuple[BlockTileSchedule, float]) -> tuple[int, int]:
        tile, _ = pair
        is_single = product.programs(tile) <= arch.processors
        return tile.k, tile.stages if is_single else -abs(tile.stages - FEW_STAGES)

    return max(near, key=rank)
