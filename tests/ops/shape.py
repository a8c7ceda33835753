"""Claims of the family `shape`: views, pieces, joins, borders, constants."""

from torch.testing._internal.opinfo.core import SampleInput

WIDTHS = ("float32", "bfloat16", "int64", "uint8", "bool")
"""To move an element is to know its size: a dtype or two for each size."""


def _is_number_known_late(sample: SampleInput) -> str | None:
    if any(hasattr(a, "item") for a in (*sample.args, *sample.kwargs.values())):
        return "a tensor as a start or as sections: the shape depends on the data"
    return None


VIEWS = (
    *("H", "T", "alias_copy", "atleast_1d", "atleast_2d", "atleast_3d", "clone"),
    *("contiguous", "expand", "expand_as", "expand_copy", "flatten", "mH", "mT"),
    *("movedim", "permute", "permute_copy", "ravel", "reshape", "reshape_as"),
    *("squeeze", "squeeze.multiple", "squeeze_copy", "t", "t_copy", "transpose"),
    *("transpose_copy", "unflatten", "unsqueeze", "unsqueeze_copy", "view"),
    *("view_as", "view_copy", "broadcast_tensors", "broadcast_to"),
)
PIECES = (
    *("chunk", "dsplit", "flip", "fliplr", "flipud", "hsplit", "narrow"),
    *("narrow_copy", "roll", "rot90", "select", "slice", "split"),
    *("split.list_args", "split_with_sizes", "split_with_sizes_copy"),
    *("tensor_split", "unbind", "unbind_copy", "unsafe_chunk", "unsafe_split"),
    "vsplit",
)
JOINS = (
    *(
        "block_diag",
        "cartesian_prod",
        "cat",
        "column_stack",
        "diff",
        "dstack",
        "hstack",
    ),
    *("meshgrid.list_of_tensors", "meshgrid.variadic_tensors", "repeat"),
    *("select_scatter", "slice_scatter", "stack", "tile", "vstack"),
    *("nn.functional.channel_shuffle", "nn.functional.pixel_shuffle"),
    "nn.functional.pixel_unshuffle",
)
BORDERS = (
    *("constant_pad_nd", "nn.functional.pad.circular", "nn.functional.pad.constant"),
    *("nn.functional.pad.reflect", "nn.functional.pad.replicate"),
    "nn.functional.pad.replicate_negative",
)
CONSTANTS = (
    *("fill", "full", "full_like", "new_full", "new_ones", "new_zeros"),
    *("ones", "ones_like", "scalar_tensor", "zeros", "zeros_like"),
)

CLAIMED = {
    **dict.fromkeys(VIEWS, ("float32", "bool", "complex64")),
    **dict.fromkeys((*PIECES, *JOINS, *BORDERS, *CONSTANTS), (*WIDTHS, "complex64")),
    "eye": WIDTHS,
    **dict.fromkeys(("arange", "linspace", "logspace"), WIDTHS[:-1]),
    "tril_indices": ("int32", "int64"),
    "triu_indices": ("int32", "int64"),
}

EXCUSES = {
    "narrow": _is_number_known_late,
    "tensor_split": _is_number_known_late,
}

INTERPRETED = ("cat", "constant_pad_nd", "expand", "flip", "select_scatter")
