"""What an algorithm is to the passes that choose and expand schedules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation

from devproc.algorithms import ALGORITHMS
from devproc.dialects.dev import Layout, TargetAttr
from devproc.dialects.sched import Schedule
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
        """What `find` finds in these ops: several algorithms ask for it, one looks."""
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


@dataclass(frozen=True)
class Algorithm(Generic[N, S]):
    """One way to compute a nest, as data and pure functions.

    `N`: what it makes of the ops of a nest. `S`: its schedules.
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

    layout: Callable[[GenericOp, int, str, TargetAttr], Layout | None] | None = None
    """`(op, input, family, target)`: the layout that a product on tensors wants for the
    weight that is its input of this number; None if it does not take the product.

    Asked in the order of the algorithms; the first layout is the weight's, and the kernel
    belongs to this algorithm (`sched.algorithm`).
    """

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
        the caller erases the ops of the nest. It is `expand` of the package's `expand.py`,
        which is loaded now: a program needs few of them.
        """
        return import_module(f"{ALGORITHMS[self.name]}.expand").expand

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
