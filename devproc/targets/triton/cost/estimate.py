"""How long a compiled kernel runs, by a model of the GPU: its machine code and its work.

A program issues the instructions of its loops as often as the work asks; programs that
are resident on one multiprocessor share its four schedulers and its tensor cores, and hide
each other's latency. The kernel takes as long as its waves of programs or its bytes,
whichever is more, and the gap of a launch. Nothing is measured here: the model ranks schedules and
finds kernels far from the roofline. Its constants are those with which it fits 1,100 kernels
that were measured on an H100 (`benchmarks/RESULTS.md`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import fmean

from devproc.targets.triton.archs import Arch
from devproc.targets.triton.cost.work import Work
from devproc.targets.triton.machine_code import (
    TENSOR_CORE,
    THREADS,
    Instruction,
    MachineCode,
    MachineLoop,
)
from devproc.targets.triton.precision import PRODUCTS

SCHEDULERS = 4
"""Of a multiprocessor; each issues an instruction of one warp in a cycle."""

LAUNCH_SECONDS = 1e-6
"""From one kernel to the next in a CUDA graph."""

PRODUCT_SECONDS = 0.35e-6
"""More of a kernel with products, whose first operands pass through shared memory."""

SPECIAL_CYCLES = 8
"""In which a scheduler issues one exponential, reciprocal or the like: four lanes a cycle."""

LATENCY = 650
"""Cycles of a loop's iteration in which it waits for its loads from memory."""

PIPELINED_LATENCY = 600
"""The same of asynchronous copies, shared by the iterations that they are ahead."""

L2_BYTES = 39
"""From the L2 cache, for each cycle and multiprocessor if all of them read: 9 TB/s on an
H100, which products at 790 TFLOP/s in tiles of 128 x 256 take."""

PORT_BYTES = 64
"""The same for one multiprocessor alone."""

PROGRAM_LATENCY = 1200
"""Cycles of a program without products that no instruction fills: its first loads."""

FEW_NARROW_LOADS = 16
"""More 2-byte loads than these are operands that no asynchronous copy can take."""

Unit = Callable[[Instruction], int]


@dataclass(frozen=True)
class KernelTime:
    """The estimated time of one launch, and what it consists of."""

    seconds: float
    bound: str
    """What the time is spent on: "memory", "L2", "tensor cores", "instructions",
    "latency", or "launch" where the gap between launches is longer than the kernel."""
    moved_bytes: int
    """Read and written at least."""
    flops: float
    roofline_seconds: float
    """Of the products at the peak rate, or of the bytes."""
    occupancy: int
    """Programs that fit a multiprocessor."""
    executed: float
    """Instructions that one warp issues."""

    @property
    def roofline_share(self) -> float:
        """The share of the best time that hardware allows."""
        return self.roofline_seconds / self.seconds


def estimate(
    code: MachineCode, work: Work, argument_bytes: Sequence[int], gpu: Arch
) -> KernelTime:
    """The time of a kernel with this code; `argument_bytes`: the sizes of its arguments."""
    moved = work.moved_bytes(argument_bytes)
    memory = moved / gpu.bandwidth
    issue = executed(code, work) * code.warps / SCHEDULERS
    tensor = product_cycles(code, work, gpu)
    cached = operand_cycles(work, gpu)
    if is_sequential(code, work):
        share = code.count("MUFU") / len(code.instructions)
        special = issue * share * (SPECIAL_CYCLES - 1)
        busy = max(issue + tensor + special, cached)
    else:
        busy = max(issue, tensor, cached)
    fits = occupancy(code, gpu)
    resident = min(fits, ceil(work.programs / gpu.processors))
    waves = ceil(work.programs / (gpu.processors * resident))
    idle = latency(code, work)
    if waves == 1 and work.rounds:
        # Of persistent programs some have a tile more than others.
        waves = work.most_rounds / work.rounds
    computing = waves * max(busy * resident, busy + idle) / gpu.clock
    peaks = [work.flops / gpu.peak(dot.element) for dot in work.dots[:1]]
    bound = "tensor cores" if tensor > issue else "instructions"
    if cached > max(tensor, issue):
        bound = "L2"
    if busy * resident < busy + idle and idle > busy:
        bound = "latency"
    if memory >= computing:
        bound = "memory"
    longest = max(memory, computing)
    return KernelTime(
        seconds=longest + LAUNCH_SECONDS + (PRODUCT_SECONDS if work.dots else 0),
        bound="launch" if longest < LAUNCH_SECONDS else bound,
        moved_bytes=moved,
        flops=work.flops,
        roofline_seconds=max(memory, *peaks, 0.0),
        occupancy=fits,
        executed=executed(code, work),
    )


def is_sequential(code: MachineCode, work: Work) -> bool:
    """Whether a program computes its products and everything else in turns.

    In attention each product needs the result of the other one; factors that are split in
    three wait in shared memory for a warpgroup.
    """
    is_split = code.count("HGMMA") > 0 and any(
        dot.element == "f32" and PRODUCTS[dot.precision] > 1 for dot in work.dots
    )
    has_exponentials = any(each.base == "MUFU" for each in code.hot_loop)
    return is_split or (len(work.dots) > 1 and has_exponentials)


def occupancy(code: MachineCode, gpu: Arch) -> int:
    """The programs that are resident on a multiprocessor at once; at least 1."""
    registers = ceil(code.registers / 8) * 8 * THREADS * code.warps
    shared = code.shared_bytes + gpu.reserved_bytes
    limits = (
        gpu.registers // registers,
        gpu.shared_bytes // shared,
        gpu.warps // code.warps,
        gpu.blocks,
    )
    return max(1, min(limits))


def product_cycles(code: MachineCode, work: Work, gpu: Arch) -> float:
    """The cycles that the dots of one program keep the arithmetic units busy."""
    on_tensor_cores = code.count(*TENSOR_CORE) > 0
    return sum(
        dot.machine_multiply_adds / gpu.rate(dot.element, on_tensor_cores)
        for dot in work.dots
    )


def operand_cycles(work: Work, gpu: Arch) -> float:
    """The cycles in which the operands of one program's dots come from the L2 cache.

    Without dots the first level of caches may serve what is loaded again.
    """
    if not work.dots:
        return 0.0
    reading = min(work.programs, gpu.processors)
    rate = min(PORT_BYTES, L2_BYTES * gpu.processors / reading)
    return work.requested_bytes / work.programs / rate


def latency(code: MachineCode, work: Work) -> float:
    """The cycles of one program in which it waits, if no other one runs meanwhile."""
    if not work.dots:
        return PROGRAM_LATENCY
    narrow = code.mix.get("LDG.U16", 0)
    is_asynchronous = code.count("LDGSTS", "UTMALDG") > 0 and narrow <= FEW_NARROW_LOADS
    steps = max((loop.trips for loop in work.loops if loop.has_dot), default=1.0)
    ahead = work.stages - 1 if is_asynchronous else 0
    return max(steps, 1) * (PIPELINED_LATENCY / ahead if ahead else LATENCY)


def executed(code: MachineCode, work: Work) -> float:
    """The instructions that one warp issues, loops as often as they run."""
    inside = sum(loop.end - loop.begin for loop in code.innermost)
    repeated = 0.0
    for loop in code.innermost:
        times = iterations(code, work, loop)
        # A flattened loop branches over what only the outer one of the two does.
        seldom = loop.skipped if work.rounds else 0
        repeated += times * (loop.end - loop.begin - seldom)
        repeated += min(times, work.rounds) * seldom
    return len(code.instructions) - inside + repeated


def iterations(code: MachineCode, work: Work, loop: MachineLoop) -> float:
    """How often a warp runs an innermost loop of the machine code.

    Compilers unroll loops and take iterations out of them, so it is what the program has to
    do (multiply-adds, or else bytes of loads), over what one pass of all loops does.
    """
    unit, wanted = _volume(code, work)
    bodies = [code.body(other) for other in code.innermost]
    done = [sum(map(unit, body)) for body in bodies]
    own = sum(map(unit, code.body(loop)))
    if own:
        # Loads before a loop are often those of its first iterations.
        outside = sum(map(unit, code.instructions)) - sum(done) if work.dots else 0
        return max(1.0, (wanted - outside) / sum(done))
    # None of the counted instructions is in this loop: as often as a loop of the program.
    return fmean([loop.trips for loop in work.loops] or [1.0])


def _volume(code: MachineCode, work: Work) -> tuple[Unit, float]:
    """What is counted of an instruction, and its sum over all that one warp executes."""
    if work.dots:
        total = sum(dot.machine_multiply_adds for dot in work.dots)
        return (lambda instruction: instruction.multiply_adds), total / code.warps
    threads = THREADS * code.warps
    loaded = sum(
        # Blocks smaller than the number of threads are loaded by several at once.
        access.times * max(access.elements, threads) * access.item_bytes
        for access in work.accesses
        if access.is_in_loop and not access.is_store
    )
    return _loaded_bytes, loaded / code.warps


def _loaded_bytes(instruction: Instruction) -> int:
    is_load = instruction.base in ("LDG", "LDGSTS")
    return THREADS * instruction.width if is_load else 0
