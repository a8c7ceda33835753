"""All import tables together."""

from __future__ import annotations

from devproc.frontends.torch_export import (
    compare,
    constant,
    contraction,
    elementary,
    gather,
    image,
    pointwise,
    reduction,
    shape,
    window,
)
from devproc.frontends.torch_export.builder import ImportRule

IMPORTS: dict[str, ImportRule] = {
    **compare.IMPORTS,
    **constant.IMPORTS,
    **contraction.IMPORTS,
    **elementary.IMPORTS,
    **gather.IMPORTS,
    **image.IMPORTS,
    **pointwise.IMPORTS,
    **reduction.IMPORTS,
    **shape.IMPORTS,
    **window.IMPORTS,
}
"""ATen overload -> how to build it."""

IGNORED = frozenset(
    {
        "aten._assert_scalar.default",
        "aten._assert_tensor_metadata.default",
        "aten.sym_constrain_range_for_size.default",
    }
)
"""Operators without a result that only check what static shapes make certain."""
