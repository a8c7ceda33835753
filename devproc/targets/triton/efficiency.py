"""The share of a GPU's peak rate that an op reaches."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation

from devproc.dialects.nn.base import int_of
from devproc.ir.types import tensor_of
from devproc.targets.triton.algorithms.block_sort.plan import LONGEST_RUN

DEFAULT = 0.5

MOST_TESTED = 64
"""Updates of a scatter up to which each element tests all."""

SHARES = {
    **dict.fromkeys(
        ("nn.argmax", "nn.reduce_max", "nn.reduce_prod", "nn.reduce_sum"), 0.05
    ),
    **dict.fromkeys(("nn.max_pool2d", "nn.sum_pool2d"), 0.1),
    # Each element waits for the previous one.
    **{
        f"nn.{name}": 0.05
        for name in ("cummax", "cummin", "cumprod", "cumsum", "logcumsumexp")
    },
}
"""Name of an op -> its share."""


def _row(op: Operation) -> int:
    return tensor_of(op.operands[0]).get_shape()[-1]


def _sorted_by_network(op: Operation) -> float:
    """A network has log2(n) / 2 times the steps of a merge sort; each pass over a longer row
    searches three runs, in as many steps as the passes of a merge sort."""
    bits = max(_row(op).bit_length(), 2)
    return 2 / bits if _row(op) <= LONGEST_RUN else 1 / (2 * bits)


def _chosen_from_order(op: Operation) -> float:
    """The whole row is sorted, instead of 32 operations for each element."""
    return _sorted_by_network(op) * 8 / max(_row(op).bit_length(), 4)


def _collected_updates(op: Operation) -> float:
    """Each element of the result tests all updates along the axis, or searches among
    sorted ones, which takes about as long as `MOST_TESTED` tests."""
    axis, shape = int_of(op.properties["axis"]), tensor_of(op.results[0]).get_shape()
    return 1 / min(max(shape[axis], 1), MOST_TESTED)


USEFUL: dict[str, Callable[[Operation], float]] = {
    "nn.sort": _sorted_by_network,
    "nn.kth_value": _chosen_from_order,
    "nn.scatter": _collected_updates,
}
"""Name of an op -> the share of the operations of its algorithm that others need too."""


def share_of(op: Operation) -> float:
    """The share of an op, of useful operations alone."""
    useful = USEFUL.get(op.name)
    return SHARES.get(op.name, DEFAULT) * (useful(op) if useful is not None else 1)
