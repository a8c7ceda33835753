"""Claims of the family `gather`: reading and writing at indices, and diagonals."""

import torch
from torch.testing._internal.opinfo.core import SampleInput
from torch.utils import _pytree as pytree

from tests.ops.harness import FLOATS
from tests.ops.shape import WIDTHS


def _has_mask(sample: SampleInput) -> str | None:
    leaves = pytree.tree_leaves(sample.args[0])
    if any(isinstance(a, torch.Tensor) and a.dtype == torch.bool for a in leaves):
        return "a bool mask as an index: the number of elements depends on the data"
    return None


def _counts_late(sample: SampleInput) -> str | None:
    if isinstance(sample.kwargs.get("repeats"), torch.Tensor):
        return "repeats as a tensor: the shape depends on the data"
    return None


def _classes_unknown(sample: SampleInput) -> str | None:
    if sample.kwargs.get("num_classes", -1) < 0:
        return "without num_classes the shape depends on the data"
    return None


def _renormalizes(sample: SampleInput) -> str | None:
    if sample.kwargs.get("max_norm") is not None:
        return "max_norm writes to the weight"
    return None


READS = (
    *("__getitem__", "_unsafe_masked_index", "diag", "diag_embed", "diagflat"),
    *("diagonal", "diagonal_copy", "diagonal_scatter", "gather", "index_select"),
    *("linalg.diagonal", "nn.functional.embedding", "nn.functional.one_hot"),
    *("nn.functional.unfold", "repeat_interleave", "take", "take_along_dim", "trace"),
    *("tril", "triu", "unfold", "unfold_copy", "as_strided", "as_strided_copy"),
    *("as_strided.partial_views", "_chunk_cat"),
)
WRITES = (
    *("index_add", "index_copy", "index_fill", "index_put", "index_reduce.amax"),
    *("index_reduce.amin", "index_reduce.prod", "scatter", "scatter_add"),
    *("scatter_reduce.amax", "scatter_reduce.amin", "scatter_reduce.prod"),
    *("scatter_reduce.sum", "index_reduce.mean", "scatter_reduce.mean", "put"),
    *("masked_scatter", "_unsafe_masked_index_put_accumulate", "as_strided_scatter"),
)

CLAIMED = {
    **dict.fromkeys((*READS, *WRITES), WIDTHS),
    "nn.functional.embedding_bag": FLOATS,
}

EXCUSES = {
    "__getitem__": _has_mask,
    "index_put": _has_mask,
    "nn.functional.embedding": _renormalizes,
    "nn.functional.embedding_bag": _renormalizes,
    "nn.functional.one_hot": _classes_unknown,
    "repeat_interleave": _counts_late,
}

INTERPRETED = ("gather", "index_put", "scatter_add", "tril", "unfold")
