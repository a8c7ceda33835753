"""Claims of the family `sort`: orders, and what is found by them."""

from __future__ import annotations

from torch.testing._internal.opinfo.core import SampleInput

from tests.ops.harness import ALL, FLOATS, NUMBERS

STABLE_SIZE = 16
"""Up to here PyTorch sorts by insertion, which keeps the order of equal elements."""


def _names_any(sample: SampleInput) -> str | None:
    if sample.input.unique().numel() < sample.input.numel():
        return "of equal elements PyTorch names any; see tests/frontends/test_sort.py"
    return None


def _names_any_of_many(sample: SampleInput) -> str | None:
    if any(size > STABLE_SIZE for size in sample.input.shape):
        return "of equal elements PyTorch names any; see tests/frontends/test_sort.py"
    return None


CLAIMED = {
    **dict.fromkeys(("sort", "argsort", "msort"), ALL),
    **dict.fromkeys(("searchsorted", "bucketize"), NUMBERS),
    **dict.fromkeys(("median", "nanmedian", "kthvalue", "topk"), NUMBERS),
    **dict.fromkeys(("cummax", "cummin", "isin", "mode"), ALL),
    **dict.fromkeys(("histc", "logcumsumexp", "nanquantile", "quantile"), FLOATS),
}

EXCUSES = {
    "kthvalue": _names_any,
    "mode": _names_any_of_many,
    "topk": _names_any,
}

INTERPRETED = ("sort", "topk")
