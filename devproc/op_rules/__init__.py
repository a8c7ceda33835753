"""Properties of ops that passes query: a file per family, a table per facet.

SLICING: the parts of its operands that a part of its result needs. BATCH: the operands
that must split for its results to split. CHANNELS_LAST: its form on images in that
layout. COST: its work. TOLERANCE: its allowed error against the reference. An entry is
a rule, or the reason why there is none.
"""
