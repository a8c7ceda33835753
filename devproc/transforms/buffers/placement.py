"""Places in an arena for buffers that live at different times.

Finding the smallest arena is NP-hard (dynamic storage allocation). Greedy placement in a
few orders, and again with those first that came to lie on top, mostly reaches what the
buffers of one step need.
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
    """Memory asked for: its size, and the first and last step that needs it."""

    number: int
    byte_count: int
    live: Span

    @lazy_property
    def size(self) -> int:
        """Bytes with padding to the alignment; an empty buffer takes none."""
        return -(-self.byte_count // plan.ALIGNMENT) * plan.ALIGNMENT


ORDERS: tuple[Callable[[Request], tuple[int, ...]], ...] = (
    lambda r: (-r.size, r.live[0]),
    lambda r: (-r.size * (r.live[1] - r.live[0] + 1), r.live[0]),
    lambda r: (r.live[0], -r.size),
    lambda r: (-r.live[1], -r.size),
    lambda r: (r.live[0] - r.live[1], -r.size),
)
"""Orders to place buffers in: big ones first; big and long-lived; by birth; by death,
backwards; long-lived. No order is best for all programs, and trying is cheap."""


PERIOD = 32
"""Steps that are looked up together."""

LONG = 4
"""Periods that a request may live for and still be looked up by them."""

AT_ALL_TIMES = -1
"""In the place of a period: where what lives for longer is looked up."""


ROUNDS = 40
"""How often an order is changed to bring down what lies on top, at most."""

MEETINGS = 250_000
"""Buffers that others meet while each order is placed again, at most: some 0.2 s of
compilation."""


def place_requests(requests: Sequence[Request]) -> dict[Request, int]:
    """An offset for each request; the best of all `ORDERS`, and of changes to them."""
    least = live_bytes(requests)
    orders = [sorted(requests, key=order) for order in ORDERS]
    layouts = [_place_in_order(order) for order in orders]
    best = min(layouts, key=peak)
    rounds = min(ROUNDS, MEETINGS // max(1, _meetings(requests)))
    for order, layout in zip(orders, layouts, strict=True):
        for _ in range(rounds):
            if peak(best) == least:
                return best
            # What lies on top came too late: let it choose first.
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
    """The times at which a request is live."""
    first, last = request.live
    return range(first // PERIOD, last // PERIOD + 1)


def _shelves(request: Request) -> Sequence[int]:
    """Where a request is found: at its times; what lives for long, in one place."""
    periods = _periods(request)
    return periods if len(periods) <= LONG else (AT_ALL_TIMES,)


def _meetings(requests: Sequence[Request]) -> int:
    """How many others the requests look at, all together, while they are placed."""
    crowd = Counter(shelf for r in requests for shelf in _shelves(r))
    seen = sum(crowd[p] for r in requests for p in (AT_ALL_TIMES, *_periods(r)))
    return seen // 2


def _place_in_order(requests: Iterable[Request]) -> dict[Request, int]:
    """Each request in the smallest gap that holds it (best fit), else on top."""
    placed: dict[Request, int] = {}
    # By time, so that a request meets those of its own time alone, not all.
    nearby: dict[int, list[tuple[int, int, int, int]]] = {}
    for request in requests:
        first, last = request.live
        size = request.size
        shelves = (
            nearby.get(shelf, ()) for shelf in (AT_ALL_TIMES, *_periods(request))
        )
        best, best_gap, top = None, 0, 0
        # Sorting what is sorted in parts is merging. One that is met twice does no harm.
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
    """The largest sum of sizes that one step needs: no arena can be smaller."""
    changes: dict[int, int] = {}
    for r in requests:
        first, last = r.live
        changes[first] = changes.get(first, 0) + r.size
        changes[last + 1] = changes.get(last + 1, 0) - r.size
    sums = accumulate(change for _, change in sorted(changes.items()))
    return max(sums, default=0)
