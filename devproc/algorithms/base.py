"""What an algorithm is to the passes that choose and expand schedules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation, SSAValue

from devproc.algorithms import ALGORITHMS
from devproc.dialects.dev import Layout, TargetAttr
from devproc.dialects.sched import Schedule, StartOp, TermOp, TileOp
from devproc.ir.concurrency.lazy_property import lazy_property

T = TypeVar("T")


class Nest(Protocol):
    """What an algorithm makes of the structured ops that one nest of loops covers."""

    @property
    def ops(self) -> Sequence[Operation]:
        """The ops that it covers, in order."""
        ...


@dataclass(frozen=True)
class KernelOps:
    """The structured ops of a kernel that have no schedule yet, in order.

    `family` is that of the kernel (`dev.kernel`): it says what form the ops have.
    """

    ops: Sequence[Operation]
    family: str

    @lazy_property
    def structured(self) -> list[LinalgStructuredOperation]:
        """Those that are loops around a body, in order."""
        return [op for op in self.ops if isinstance(op, LinalgStructuredOperation)]

    def shared(self, find: Callable[[KernelOps], T]) -> T:
        """The result of `find` for these ops, computed once for all algorithms."""
        if find not in self._found:
            self._found[find] = find(self)
        return self._found[find]

    @lazy_property
    def _found(self) -> dict[object, Any]:
        return {}


@dataclass(frozen=True)
class Choice:
    """A schedule that an algorithm proposes, and the reason for it, in one line.

    The reason names numbers: "49 = 7 x 7 rows; 21 sums fit 32 registers".
    """

    schedule: Schedule
    why: str


@dataclass(frozen=True)
class Refusal:
    """Why an algorithm does not take a nest, in one line.

    The reason completes the sentence "<algorithm> does not take it: ...".
    """

    why: str


Decision: TypeAlias = Choice | Refusal

N = TypeVar("N", bound=Nest)
S = TypeVar("S", bound=Schedule)
B = TypeVar("B")


Values: TypeAlias = Sequence[SSAValue]


class TileEmitter(Protocol):
    """Makes machine vectors of the ops that stand for tiles of one nest, or parts of them.

    A vector of a whole tile is several machine vectors, a scalar is itself alone.
    """

    def emit(self, op: Operation, given: Sequence[Values]) -> Sequence[Values]:
        """From the machine vectors of each operand after the indices to those of each
        result."""
        ...


@dataclass(frozen=True)
class Tiling(Generic[N, S, B]):
    """How an algorithm takes its nests through tiles to vectors, step by step.

    Each step takes `(nest, schedule, builder, target, ...)` and decides nothing.
    """

    loops: Callable[[N, S, B, TargetAttr, str], None]
    """Emit the loops around the tiles of a nest, and each tile as a `sched.tile` of the
    nest, which is called so."""

    emitter: Callable[[N, S, B, TargetAttr], TileEmitter]
    """What makes the vectors; emits what they need before all loops."""

    open: Callable[[N, S, B, TargetAttr, TileOp], None] | None = None
    """Emit what takes the place of a tile; nothing where it stays as it is."""

    split: Callable[[N, S, B, TargetAttr, StartOp], Values] | None = None
    """Emit the sums of a tile block by block; nothing where they are not long."""

    streams: Callable[[N, S, TargetAttr, TermOp, int], int] | None = None
    """How many of so many terms of a tile are added at a time, each to sums of its own."""


@dataclass(frozen=True)
class Algorithm(Generic[N, S]):
    """One way to compute a nest, as data and pure functions.

    `N`: what it makes of the ops of a nest. `S`: its schedules. The code that makes loops
    is loaded when a nest needs it: a program needs few algorithms.
    """

    schedule: type[S]
    """The class of its schedules, `#sched.<name>`."""

    match: Callable[[KernelOps], Iterable[N]]
    """The nests of a kernel that it could take, by the form of their ops; none overlap.

    Of the ops of a nest that it has taken, it finds that nest again.
    """

    plan: Callable[[N, str, TargetAttr], Decision]
    """`(nest, family, target)`: the schedule, or why it does not take the nest.

    Makes and changes no ops. With other numbers of threads only those fields differ that
    change no digits.
    """

    refuse: Callable[[N, S, TargetAttr], str | None]
    """`(nest, schedule, target)`: why a schedule is not legal for a nest; None if it is.

    What is slow is legal. What `plan` returns is legal.
    """

    tiled: bool = False
    """Whether its nests become vectors step by step, through tiles (`tiling`), rather than
    at once (`expand`)."""

    layout: Callable[[GenericOp, int, str, TargetAttr], Layout | None] | None = None
    """`(op, input, family, target)`: the layout that a product on tensors wants for the
    weight that is its input of this number; None if it does not take the product.

    Asked in the order of the algorithms; the first layout is the weight's, and the kernel
    belongs to this algorithm (`sched.algorithm`).
    """

    refuse_layout: Callable[[GenericOp, int, Any], str | None] | None = None
    """`(op, input, layout)`: why the weight that is this input of a product on tensors
    cannot lie in a layout of the class of `layout`'s; None if it can.

    What is slow is legal. What `layout` returns is legal.
    """

    copies_rows: bool = False
    """Whether it reads the rows of a product once, into a copy or into sums of blocks: how
    far apart they lie does not matter then."""

    straight_code: tuple[str, ...] = ()
    """Families whose kernels it computes in straight vector code, which leaves little to do
    for LLVM's passes: these would take most of the time of a compilation."""

    exclusive: bool = False
    """Whether no other algorithm computes what it matches: a refusal is an error."""

    @property
    def name(self) -> str:
        """The name after `sched.` of its schedules."""
        return self.schedule.name.partition(".")[2]

    @property
    def expand(self) -> Callable[..., None]:
        """`(nest, schedule, builder, target)`: emit the loops of a nest by a legal schedule.

        `builder` is an `Emitter` on the CPU, a block program on the GPU. Decides nothing;
        the caller erases the ops of the nest. `expand` of the package's `expand.py`.
        """
        return import_module(f"{ALGORITHMS[self.name]}.expand").expand

    @property
    def tiling(self) -> Tiling[Any, Any, Any] | None:
        """The steps from a nest to vectors, `TILING` of the package's `tiling.py`; None
        where there are no tiles in between."""
        if not self.tiled:
            return None
        return import_module(f"{ALGORITHMS[self.name]}.tiling").TILING

    def problem(self, nest: N, schedule: Schedule, target: TargetAttr) -> str | None:
        """Why any schedule is not legal for a nest; None if it is."""
        if not isinstance(schedule, self.schedule):
            return f"'{self.name}' takes #{self.schedule.name}, not #{schedule.name}"
        return self.refuse(nest, schedule, target)

    def nest_of(self, kernel: KernelOps) -> N | None:
        """All these ops as one nest; None if they are none that it knows."""
        for nest in self.match(kernel):
            if len(nest.ops) == len(kernel.ops):
                return nest
        return None
