"""The canonicalization patterns of each op class."""

from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern

from devproc.dialects.nn_canonicalization import pointwise, reduction, shape

PATTERNS: dict[type[Operation], tuple[RewritePattern, ...]] = {
    **pointwise.PATTERNS,
    **reduction.PATTERNS,
    **shape.PATTERNS,
}
"""op class -> its patterns."""
