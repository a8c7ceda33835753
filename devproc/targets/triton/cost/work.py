"""What one program of a kernel does: its loops, products, loads and stores, by the IR.

Bounds of loops and positions may depend on the program; they are evaluated for a sample
of programs, and the numbers are means over the sample.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from statistics import fmean
from typing import TypeAlias

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from devproc.ir.types import item_size
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.dialect import element_of, shape_of
from devproc.targets.triton.precision import PRODUCTS

SAMPLE = 64
"""Programs for which loops that depend on the program are evaluated."""

GOLDEN_RATIO = 0.6180339887498949
"""Multiples of it, modulo 1, are spread evenly and follow no period of a grid."""

UNKNOWN_TRIPS = 1.0
"""The trips of a loop whose bounds are read from memory."""

Transfer: TypeAlias = (
    triton.LoadOp | triton.LoadDescriptorOp | triton.StoreOp | triton.AtomicOp
)

Program = tuple[int, int, int]
"""A position in the grid."""


@dataclass(frozen=True)
class Dot:
    """A `triton.dot`, as often as one program computes it."""

    times: float
    m: int
    n: int
    k: int
    element: str
    """The type of the factors: "bf16"."""
    precision: str

    @property
    def multiply_adds(self) -> float:
        """Those of the mathematical product."""
        return self.times * self.m * self.n * self.k

    @property
    def machine_multiply_adds(self) -> float:
        """Those that the instructions compute; the precision is that of f32 alone."""
        products = PRODUCTS[self.precision] if self.element == "f32" else 1
        return self.multiply_adds * products


@dataclass(frozen=True)
class Access:
    """A load or store of a block, as often as one program makes it."""

    times: float
    argument: int
    """The position of the argument whose memory it accesses."""
    elements: int
    item_bytes: int
    is_store: bool
    is_in_loop: bool
    is_factor: bool = False
    """Whether it loads a factor of a dot, or what one is computed from."""

    @property
    def byte_count(self) -> float:
        """The bytes of all lanes, with those that a mask turns off."""
        return self.times * self.elements * self.item_bytes


@dataclass(frozen=True)
class Loop:
    """An innermost loop: how often a program runs its body, with all loops around it."""

    trips: float
    has_dot: bool


@dataclass
class Work:
    """The work of one program, on average."""

    programs: int
    stages: int = 1
    """Iterations of a loop whose loads are in flight."""
    rounds: float = 0.0
    """How often a program runs the loop around that of its dots; 0 without one."""
    most_rounds: float = 0.0
    """The same of the program that does it most often."""
    dots: list[Dot] = field(default_factory=list[Dot])
    accesses: list[Access] = field(default_factory=list[Access])
    loops: list[Loop] = field(default_factory=list[Loop])

    @property
    def flops(self) -> float:
        """The additions and multiplications of the dots of all programs."""
        return 2 * self.programs * sum(dot.multiply_adds for dot in self.dots)

    def moved_bytes(self, argument_bytes: Sequence[int]) -> int:
        """The bytes that all programs must move, each element of an argument once."""
        total = 0.0
        for is_store in (False, True):
            for argument, size in enumerate(argument_bytes):
                found = (a for a in self.accesses if a.argument == argument)
                asked = sum(a.byte_count for a in found if a.is_store == is_store)
                total += min(size, asked * self.programs)
        return round(total)

    @property
    def requested_bytes(self) -> float:
        """The bytes that all programs request, with repetitions."""
        return self.programs * sum(access.byte_count for access in self.accesses)


def work_of(func: triton.FuncOp) -> Work:
    """The work of a kernel."""
    work = Work(prod(func.grid_sizes), func.num_stages.value.data)
    sample = list(programs(func.grid_sizes))
    dots = (op for op in func.walk() if isinstance(op, triton.DotOp))
    factors = {load for dot in dots for load in factor_loads(dot)}
    _add_block(func.body.block, [1.0] * len(sample), sample, work, factors, False)
    return work


def factor_loads(dot: triton.DotOp) -> Iterator[Operation]:
    """The loads that the factors of a dot are computed from. Those of a factor that is
    computed from another dot, as the weights of an attention are from scores, are not."""
    for factor in (dot.a, dot.b):
        sources, queue = dict[Operation, None](), [factor]
        while queue:
            op = queue.pop().owner
            if isinstance(op, Operation) and op not in sources:
                sources[op] = None
                queue += () if isinstance(op, Transfer) else op.operands
        if not any(isinstance(op, triton.DotOp) for op in sources):
            yield from (op for op in sources if isinstance(op, Transfer))


def programs(grid: Sequence[int]) -> Iterator[Program]:
    """All positions of a grid, or `SAMPLE` of them, evenly spread."""
    count = prod(grid)
    for number in range(min(count, SAMPLE)):
        at = number if count <= SAMPLE else int(count * (number * GOLDEN_RATIO % 1))
        yield at % grid[0], at // grid[0] % grid[1], at // (grid[0] * grid[1])


def _add_block(
    block: Block,
    times: Sequence[float],
    sample: Sequence[Program],
    work: Work,
    factors: Collection[Operation],
    is_in_loop: bool,
) -> None:
    """Adds the ops of a block that each sampled program runs so many times; `factors` are
    the loads of factors of dots."""
    mean = fmean(times)
    for op in block.ops:
        if isinstance(op, triton.DotOp):
            work.dots.append(_dot(op, mean))
        elif isinstance(op, Transfer):
            work.accesses.append(_access(op, mean, op in factors, is_in_loop))
        elif isinstance(op, scf.ForOp):
            pairs = zip(times, sample, strict=True)
            inner = [count * trips(op, program) for count, program in pairs]
            ops = list(op.body.walk())
            has_dot = any(isinstance(o, triton.DotOp) for o in ops)
            if any(isinstance(o, scf.ForOp) for o in ops):
                if has_dot:
                    work.rounds, work.most_rounds = fmean(inner), max(inner)
            else:
                work.loops.append(Loop(fmean(inner), has_dot))
            _add_block(op.body.block, inner, sample, work, factors, True)


def _dot(op: triton.DotOp, times: float) -> Dot:
    (m, k), (_, n) = shape_of(op.a.type), shape_of(op.b.type)
    element = str(element_of(op.a.type))
    return Dot(times, m, n, k, element, op.input_precision.data)


def _access(op: Transfer, times: float, is_factor: bool, is_in_loop: bool) -> Access:
    value = op.value if isinstance(op, triton.StoreOp | triton.AtomicOp) else op.result
    return Access(
        times,
        _argument_of(op.operands[0]),
        prod(shape_of(value.type)),
        item_size(element_of(value.type)),
        isinstance(op, triton.StoreOp | triton.AtomicOp),
        is_in_loop,
        is_factor,
    )


def _argument_of(pointer: SSAValue) -> int:
    """The position of the argument that a pointer or a descriptor is derived from."""
    while isinstance(owner := pointer.owner, Operation):
        pointer = owner.operands[0]
    return pointer.index  # type: ignore[attr-defined]


def trips(loop: scf.ForOp, program: Program) -> float:
    """How often a program runs the body of a loop, by its bounds."""
    known: dict[SSAValue, int | None] = {}
    low, high, step = (
        evaluate(value, program, known) for value in (loop.lb, loop.ub, loop.step)
    )
    if low is None or high is None or not step:
        return UNKNOWN_TRIPS
    return float(max(0, -(-(high - low) // step)))


def evaluate(
    value: SSAValue, program: Program, known: dict[SSAValue, int | None]
) -> int | None:
    """An integer of one program; None if it depends on memory or on a loop."""
    if value not in known:
        known[value] = _evaluated(value.owner, program, known)
    return known[value]


def _evaluated(
    owner: Operation | Block, program: Program, known: dict[SSAValue, int | None]
) -> int | None:
    if isinstance(owner, Block):
        return None
    if isinstance(owner, arith.ConstantOp):
        literal = owner.value
        return literal.value.data if isinstance(literal, IntegerAttr) else None
    if isinstance(owner, triton.ProgramIdOp):
        return program[owner.axis.value.data]
    given = [evaluate(operand, program, known) for operand in owner.operands]
    numbers = [number for number in given if number is not None]
    if len(numbers) < len(given):
        return None
    if isinstance(owner, triton.CastOp):
        return numbers[0]
    return _arithmetic(owner, numbers)


def _arithmetic(op: Operation, numbers: Sequence[int]) -> int | None:
    """The result of index arithmetic, whose operands are not negative."""
    match op, numbers:
        case arith.AddiOp(), (a, b):
            return a + b
        case arith.SubiOp(), (a, b):
            return a - b
        case arith.MuliOp(), (a, b):
            return a * b
        case ((arith.DivSIOp() | arith.DivUIOp()), (a, b)):
            return a // b if b else None
        case ((arith.RemSIOp() | arith.RemUIOp()), (a, b)):
            return a % b if b else None
        case ((arith.MinSIOp() | arith.MinUIOp()), (a, b)):
            return min(a, b)
        case ((arith.MaxSIOp() | arith.MaxUIOp()), (a, b)):
            return max(a, b)
        case _:
            return None
