"""Places in an arena for buffers that live at different times.

Finding the smallest arena is NP-hard (dynamic storage allocation). Greedy placement in a
few orders, and again with those first that came to lie on top, mostly reaches what the
buffers of one step need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from devproc.dialects import plan
from devproc.ir.lifetimes import Span


@dataclass(frozen=True)
class Request:
    """Memory asked for: its size, and the first and last step that needs it."""

    number: int
    byte_count: int
    live: Span

    @property
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


ROUNDS = 40
"""How often an order is changed to bring down what lies on top, at most."""

PLACEMENTS = 20_000
"""Buffers that are placed again for each order, at most: some 0.2 s of compilation."""


def place_requests(requests: Sequence[Request]) -> dict[Request, int]:
    """An offset for each request; the best of all `ORDERS`, and of changes to them."""
    least = live_bytes(requests)
    orders = [sorted(requests, key=order) for order in ORDERS]
    layouts = [_place_in_order(order) for order in orders]
    best = min(layouts, key=peak)
    rounds = min(ROUNDS, PLACEMENTS // max(1, len(requests)))
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


def _place_in_order(requests: Iterable[Request]) -> dict[Request, int]:
    """Each request in the smallest gap that holds it (best fit), else on top."""
    placed: dict[Request, int] = {}
    # By time, so that a request meets those of its own time alone, not all.
    nearby: dict[int, list[Request]] = {}
    for request in requests:
        first, last = request.live
        periods = range(first // PERIOD, last // PERIOD + 1)
        others = {r.number: r for p in periods for r in nearby.get(p, ())}
        for period in periods:
            nearby.setdefault(period, []).append(request)
        taken = sorted(
            (placed[other], placed[other] + other.size)
            for other in others.values()
            if other.live[0] <= last and first <= other.live[1]
        )
        best, best_gap, top = None, 0, 0
        for start, end in taken:
            gap = start - top
            if gap >= request.size and (best is None or gap < best_gap):
                best, best_gap = top, gap
            top = max(top, end)
        placed[request] = top if best is None else best
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
