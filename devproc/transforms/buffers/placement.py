"""Assigns offsets in an arena to buffers with different live ranges.

Finding the smallest arena is NP-hard (dynamic storage allocation). Greedy placement in
several orders, repeated with the topmost buffers moved to the front, usually reaches
the lower bound: the live bytes of one step.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

from devproc.dialects import plan
from devproc.ir.concurrency.lazy_property import lazy_property
from devproc.ir.host.lifetimes import Span


@dataclass(frozen=True)
class Request:
    """A memory request: its size, and the first and last step of its live range."""

    number: int
    byte_count: int
    live: Span
    alignment: int = plan.ALIGNMENT
    """The same for all requests of an arena."""

    @lazy_property
    def size(self) -> int:
        """Bytes including padding to the alignment; 0 for an empty buffer."""
        return -(-self.byte_count // self.alignment) * self.alignment


ORDERS: tuple[Callable[[Request], tuple[int, ...]], ...] = (
    lambda r: (-r.size, r.live[0]),
    lambda r: (-r.size * (r.live[1] - r.live[0] + 1), r.live[0]),
    lambda r: (r.live[0], -r.size),
    lambda r: (-r.live[1], -r.size),
    lambda r: (r.live[0] - r.live[1], -r.size),
)
"""Placement orders: by size; by size and lifetime; by first step; by last step,
descending; by lifetime. No order is best for all programs, and each costs little."""


PERIOD = 32
"""Steps per period; placed buffers are indexed by period."""

LONG = 4
"""Buffers that live for more periods are indexed once, as `AT_ALL_TIMES`."""

AT_ALL_TIMES = -1
"""The index key of long-lived buffers, instead of a period."""


ROUNDS = 40
"""Most rounds in which an order moves the topmost buffers to the front."""

MEETINGS = 250_000
"""Most pairs of buffers to examine while each order is placed again: about 0.2 s of
compile time."""


def place_requests(requests: Sequence[Request]) -> dict[Request, int]:
    """An offset for each request: the best of all `ORDERS` and their changed forms."""
    least = live_bytes(requests)
    orders = [sorted(requests, key=order) for order in ORDERS]
    layouts = [_place_in_order(order) for order in orders]
    best = min(layouts, key=peak)
    rounds = min(ROUNDS, MEETINGS // max(1, _meetings(requests)))
    for order, layout in zip(orders, layouts, strict=True):
        for _ in range(rounds):
            if peak(best) == least:
                return best
            # Place the topmost buffers first in the next round.
            top = peak(layout)
            late = {r.number for r, offset in layout.items() if offset + r.size == top}
            order.sort(key=lambda r: r.number not in late)
            layout = _place_in_order(order)
            best = min(best, layout, key=peak)
    return best


def peak(layout: dict[Request, int]) -> int:
    """Bytes of the arena that a layout needs."""
    return max((offset + r.size for r, offset in layout.items()), default=0)


def _periods(request: Request) -> range:
    """The periods in which a request is live."""
    first, last = request.live
    return range(first // PERIOD, last // PERIOD + 1)


def _shelves(request: Request) -> Sequence[int]:
    """The index keys of a request: its periods, or `AT_ALL_TIMES` if long-lived."""
    periods = _periods(request)
    return periods if len(periods) <= LONG else (AT_ALL_TIMES,)


def _meetings(requests: Sequence[Request]) -> int:
    """The number of pairs of requests that one placement examines."""
    crowd = Counter(shelf for r in requests for shelf in _shelves(r))
    seen = sum(crowd[p] for r in requests for p in (AT_ALL_TIMES, *_periods(r)))
    return seen // 2


def _place_in_order(requests: Iterable[Request]) -> dict[Request, int]:
    """Place each request in the smallest gap that fits (best fit), else on top."""
    placed: dict[Request, int] = {}
    # Indexed by period, so that a request is compared only with nearby ones.
    nearby: dict[int, list[tuple[int, int, int, int]]] = {}
    for request in requests:
        first, last = request.live
        size = request.size
        shelves = (
            nearby.get(shelf, ()) for shelf in (AT_ALL_TIMES, *_periods(request))
        )
        best, best_gap, top = None, 0, 0
        # Sorting sorted runs merges them. Duplicates are harmless.
        for start, end, born, dead in sorted(chain.from_iterable(shelves)):
            if born > last or first > dead:
                continue
            gap = start - top
            if gap >= size and (best is None or gap < best_gap):
                best, best_gap = top, gap
            top = max(top, end)
        offset = placed[request] = top if best is None else best
        for shelf in _shelves(request):
            insort(nearby.setdefault(shelf, []), (offset, offset + size, first, last))
    return placed


def live_bytes(requests: Sequence[Request]) -> int:
    """The largest sum of live sizes in a step, a lower bound on the arena."""
    changes: dict[int, int] = {}
    for r in requests:
        first, last = r.live
        changes[first] = changes.get(first, 0) + r.size
        changes[last + 1] = changes.get(last + 1, 0) - r.size
    sums = accumulate(change for _, change in sorted(changes.items()))
    return max(sums, default=0)
