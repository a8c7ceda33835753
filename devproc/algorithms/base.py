"""The interface between algorithms and the passes that choose and expand schedules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation, SSAValue

from devproc.algorithms import module_of
from devproc.dialects.dev import Layout, TargetAttr
from devproc.dialects.sched import Schedule, StartOp, TermOp, TileOp
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.ir.weight_format import WeightFormat

T = TypeVar("T")


class Nest(Protocol):
    """The structured ops that one nest of loops computes, as an algorithm matched
    them."""

    @property
    def ops(self) -> Sequence[Operation]:
        """The ops of the nest, in order."""
        ...


@dataclass(frozen=True)
class KernelOps:
    """The structured ops of a kernel that have no schedule yet, in order.

    `family` is that of the kernel (`dev.kernel`) and determines the form of the ops.
    """

    ops: Sequence[Operation]
    family: str

    @lazy_property
    def structured(self) -> list[LinalgStructuredOperation]:
        """The ops that are loops around a body, in order."""
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

    The reason gives numbers: "49 = 7 x 7 rows; 21 sums fit 32 registers".
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


def choice_or_refusal(schedule: Schedule, why: str, problem: str | None) -> Decision:
    """The choice of a schedule; a refusal if there is a problem with it (`refuse`)."""
    return Choice(schedule, why) if problem is None else Refusal(problem)


N = TypeVar("N", bound=Nest)
S = TypeVar("S", bound=Schedule)
B = TypeVar("B")


Values: TypeAlias = Sequence[SSAValue]


class TileEmitter(Protocol):
    """Lowers the ops that represent tiles of one nest, or parts of tiles, to machine
    vectors.

    A vector of a whole tile becomes several machine vectors; a scalar stays one value.
    """

    def emit(self, op: Operation, given: Sequence[Values]) -> Sequence[Values]:
        """The machine vectors of each result. `given`: those of each operand, without
        the indices."""
        ...


@dataclass(frozen=True)
class Tiling(Generic[N, S, B]):
    """The steps by which an algorithm lowers its nests through tiles to vectors.

    Each step takes `(nest, schedule, builder, target, ...)` and makes no decisions.
    """

    loops: Callable[[N, S, B, TargetAttr, str], None]
    """Emit the loops around the tiles of a nest, each tile as a `sched.tile`. The last
    argument is the name of the nest."""

    emitter: Callable[[N, S, B, TargetAttr], TileEmitter]
    """Create the emitter of vectors; emits the values that they need before all
    loops."""

    open: Callable[[N, S, B, TargetAttr, TileOp], None] | None = None
    """Emit the replacement of a tile; emits nothing if the tile is kept."""

    split: Callable[[N, S, B, TargetAttr, StartOp], Values] | None = None
    """Emit the sums of a tile block by block; emits nothing if they are not long."""

    streams: Callable[[N, S, TargetAttr, TermOp, int], int] | None = None
    """How many of this many terms of a tile are added at a time, each to separate
    sums."""


@dataclass(frozen=True)
class Algorithm(Generic[N, S]):
    """One way to compute a nest, as data and pure functions.

    `N`: what it makes of the ops of a nest. `S`: its schedules. The code that makes loops
    is loaded when a nest needs it: a program needs few algorithms.
    """

    schedule: type[S]
    """The class of its schedules, `#sched.<name>`."""

    match: Callable[[KernelOps], Iterable[N]]
    """The candidate nests of a kernel, by the form of their ops; they do not overlap.

    Given exactly the ops of a nest that it accepted, it returns that nest again.
    """

    plan: Callable[[N, str, TargetAttr], Decision]
    """`(nest, family, target)`: the schedule, or why the algorithm refuses the nest.

    Creates and changes no ops. The number of threads may only affect fields that do not
    change results.
    """

    refuse: Callable[[N, S, TargetAttr], str | None]
    """`(nest, schedule, target)`: why a schedule is not legal for a nest; None if it
    is.

    A slow schedule is legal, and so is every schedule that `plan` returns.
    """

    candidates: Callable[[N, str, TargetAttr], Sequence[Schedule]] | None = None
    """`(nest, family, target)`: the schedules that a tuner tries besides the planned one,
    the most promising first, also those of other algorithms; illegal ones among them are left
    out. None: those that differ from the planned one in one field which changes no digits.

    Digits may change within the accuracy of the planned schedule.
    """

    tiled: bool = False
    """Whether its nests become vectors step by step, through tiles (`tiling`), rather than
    at once (`expand`)."""

    layout: Callable[[GenericOp, int, str, TargetAttr], Layout | None] | None = None
    """`(op, input, family, target)`: the layout for the weight that is this input of a
    product on tensors; None if the algorithm does not compute the product.

    Algorithms are tried in order; the first layout becomes the weight's, and the kernel
    is assigned to this algorithm (`sched.algorithm`).
    """

    refuse_layout: Callable[[GenericOp, int, Any], str | None] | None = None
    """`(op, input, layout)`: why the weight that is this input of a product on tensors
    cannot have a layout of the class that `layout` returns; None if it can.

    A slow layout is legal, and so is every layout that `layout` returns.
    """

    stored_layout: (
        Callable[[WeightFormat, Sequence[int], TargetAttr], Layout | None] | None
    ) = None
    """`(format, shape, target)`: the layout in which it reads the weight (N, K) of a
    linear layer that is stored in a format; None if it does not read that.

    The layout depends on nothing else, so that products of one weight share it.
    """

    parts: Callable[[Operation, TargetAttr], int] | None = None
    """`(op, target)`: into how many parts the sums of an `nn` op are split where it becomes
    loops, so that a device of many processors is busy with few results.

    Asked for convolutions with channels last, whose channels the parts divide, or the
    longer side of the window if there are groups; and for scans, which have about so many.
    """

    joins: Callable[[Sequence[GenericOp], bool, TargetAttr], bool] | None = None
    """`(products, are_added, target)`: whether one kernel is better than several for products
    with different factors but the same parallel loops, which only elementwise ops of that
    kernel read.

    `are_added`: whether those only add them, so that one accumulator suffices.
    """

    copies_rows: bool = False
    """Whether it reads the rows of a product once, into a copy or into sums of blocks,
    so that the stride between rows does not matter."""

    straight_code: tuple[str, ...] = ()
    """Families whose kernels it emits as straight-line vector code. LLVM's passes gain
    little there and would take most of the compile time."""

    exclusive: bool = False
    """Whether no other algorithm computes the nests it matches: a refusal is an
    error."""

    @property
    def name(self) -> str:
        """The name after `sched.` of its schedules."""
        return self.schedule.name.partition(".")[2]

    def reads(self, layout: Layout) -> bool:
        """Whether a weight that is stored in this layout is one of its own."""
        item = self.schedule.fields.get("weight")
        return self.stored_layout is not None and bool(item and item.allows(layout))

    @property
    def expand(self) -> Callable[..., None]:
        """`(nest, schedule, builder, target)`: emit the loops of a nest by a legal schedule.

        `builder` is what its device builds code with. Decides nothing;
        the caller erases the ops of the nest. `expand` of the package's `expand.py`.
        """
        return import_module(f"{module_of(self.name)}.expand").expand

    @property
    def tiling(self) -> Tiling[Any, Any, Any] | None:
        """The steps from a nest to vectors, `TILING` of the package's `tiling.py`; None
        where there are no tiles in between."""
        if not self.tiled:
            return None
        return import_module(f"{module_of(self.name)}.tiling").TILING

    def problem(self, nest: N, schedule: Schedule, target: TargetAttr) -> str | None:
        """Why a schedule of any algorithm is not legal for a nest; None if it is."""
        if not isinstance(schedule, self.schedule):
            return f"'{self.name}' takes #{self.schedule.name}, not #{schedule.name}"
        return self.refuse(nest, schedule, target)

    def nest_of(self, kernel: KernelOps) -> N | None:
        """All these ops as one nest; None if the algorithm does not match them."""
        for nest in self.match(kernel):
            if len(nest.ops) == len(kernel.ops):
                return nest
        return None
