"""Why an op is where it is: neighbours, the cost of other devices, what would change it.

Every number comes from another cut: the cheapest placement of the whole program with the op
on a given device, and with a faster link or op.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf, log10

from devproc.ir.text.location import describe_location
from devproc.transforms.placed.assignment.choice import Choice
from devproc.transforms.placed.assignment.cost_model import CostModel, si
from devproc.transforms.placed.assignment.problem import ILLEGAL_NS, Problem

FACTOR = 1 << 20
"""The most by which a link is made faster or slower in the search."""

STEPS = 16
"""Halvings of the interval of rates; the rest of it is less than the digits printed."""


@dataclass(frozen=True)
class Neighbour:
    """An op that makes or reads a value of the explained one."""

    relation: str
    """"reads from" or "is read by"."""
    op: str
    device: str
    byte_count: int

    def __str__(self) -> str:
        return f"{self.relation} {self.op} on {self.device}: {si(self.byte_count)}B"


@dataclass(frozen=True)
class Alternative:
    """Another device for an op, with the cheapest placement of all other ops."""

    device: str
    reasons: tuple[str, ...]
    """Why it is impossible; then there are no numbers."""
    more_us: float = 0.0
    """How much longer the whole program takes."""
    time_us: float = 0.0
    """Of the op on the device, or of the composite that it is a part of there."""
    time_to_win_us: float | None = None
    """A time of the op there that makes the device the choice; None if not even 0 does."""
    link_device: str = ""
    """The device whose link would matter."""
    link_rate: float = 0.0
    """Bytes per second of its link."""
    rate_to_win: float | None = None
    """A rate of the link that makes the device the choice; None if none does."""

    def __str__(self) -> str:
        if self.reasons:
            return f"{self.device}: impossible, {', '.join(self.reasons)}"
        if self.more_us < 0:
            return f"{self.device}: {-self.more_us:.3g} us less, but not as requested"
        changes: list[str] = []
        if self.rate_to_win is not None:
            changes.append(
                f"a link of {self.link_device} with {si(self.rate_to_win)}B/s instead of "
                f"{si(self.link_rate)}B/s"
            )
        if self.time_to_win_us is not None:
            changes.append(
                f"a time of {self.time_to_win_us:.3g} us instead of {self.time_us:.3g} us"
            )
        wins = " or ".join(changes) or "no other link, and no other time of this op"
        return (
            f"{self.device}: {self.more_us:.3g} us more for the program; "
            f"it would win with {wins}"
        )


@dataclass(frozen=True)
class Explanation:
    """One op of a program and its placement."""

    op: str
    where: str
    device: str
    why: str
    neighbours: tuple[Neighbour, ...]
    alternatives: tuple[Alternative, ...]

    def __str__(self) -> str:
        lines = [f"{self.op} ({self.where}) is on {self.device}: {self.why}"]
        lines += [f"  {neighbour}" for neighbour in self.neighbours]
        lines += [f"  {alternative}" for alternative in self.alternatives]
        return "\n".join(lines)


def explain(choice: Choice, model: CostModel, op: int) -> Explanation:
    """Explains the placement of an op by its index."""
    problem = choice.problem
    found, here = problem.ops[op], choice.where[op]
    devices = range(len(problem.devices)) if found not in choice.fixed else ()
    others = (device for device in devices if device != here)
    return Explanation(
        found.name,
        describe_location(found.location),
        problem.devices[here],
        choice.place(found).why.data,
        tuple(_neighbours(choice, op)),
        tuple(_alternative(choice, model, op, device) for device in others),
    )


def _neighbours(choice: Choice, op: int) -> Iterator[Neighbour]:
    problem, where = choice.problem, choice.where

    def row(relation: str, other: int | None, byte_count: int) -> Neighbour:
        if other is None:
            what = "an input" if relation == "reads from" else "the caller"
            return Neighbour(relation, what, problem.devices[0], byte_count)
        found = problem.ops[other]
        name = f"{found.name} ({describe_location(found.location)})"
        return Neighbour(relation, name, problem.devices[where[other]], byte_count)

    for flow in problem.flows:
        if op in flow.readers:
            yield row("reads from", flow.producer, flow.byte_count)
    for flow in problem.flows:
        if flow.producer == op:
            for reader in (*flow.readers, *((None,) if flow.is_output else ())):
                yield row("is read by", reader, flow.byte_count)


def _alternative(choice: Choice, model: CostModel, op: int, device: int) -> Alternative:
    problem, here, name = (
        choice.problem,
        choice.where[op],
        choice.problem.devices[device],
    )
    if name not in problem.asked:
        return Alternative(name, ("the target is without it",))
    there = problem.pin(op, device).assigned()
    cost = problem.cost(there)
    if cost >= ILLEGAL_NS // 2:
        return Alternative(name, tuple(problem.reasons[device][op]))
    more, time = cost - _cost(problem.pin(op, here)), _time(problem, there, op)
    # The cost of the program falls as much as the time of its op; ties go to the device
    # that is named first.
    least = time - max(more, 0) - (here < device)
    slow = here if device == 0 else device
    link = model.described(problem.devices[slow]).link
    rate = link.bytes_per_second if link else 0.0
    to_win, free = None, problem.free(op)
    if link is not None:

        def wins(rate: float) -> bool:
            changed = free.with_link(slow, link.seconds, rate)
            return changed.assigned()[op] == device

        to_win = _rate_to_win(wins, rate, faster=device != 0)
    return Alternative(
        name,
        (),
        more / 1000,
        time / 1000,
        _rounded(least / 1000, floor) if least >= 0 else None,
        problem.devices[slow],
        rate,
        to_win,
    )


def _cost(problem: Problem) -> int:
    return problem.cost(problem.assigned())


def _time(problem: Problem, where: Sequence[int], op: int) -> int:
    """Nanoseconds of an op, or of the composite that is computed with it."""
    for unit in problem.units:
        if op in unit.members and unit.is_whole(where):
            alone = sum(problem.times[unit.device][member] for member in unit.members)
            return alone - unit.saving_ns
    return problem.times[where[op]][op]


def _rate_to_win(
    wins: Callable[[float], bool], rate: float, *, faster: bool
) -> float | None:
    """The rate closest to `rate` for which the device wins, rounded away from it."""
    loses, won = rate, rate * FACTOR if faster else rate / FACTOR
    if not wins(won):
        return None
    for _ in range(STEPS):
        middle = (loses * won) ** 0.5
        loses, won = (loses, middle) if wins(middle) else (middle, won)
    rounded = _rounded(won, ceil if faster else floor)
    return rounded if wins(rounded) else won


def _rounded(number: float, direction: Callable[[float], int]) -> float:
    """A number with three digits, rounded in a direction."""
    if number in (0, inf):
        return number
    scale = 10.0 ** (floor(log10(number)) - 2)
    return direction(number / scale) * scale
