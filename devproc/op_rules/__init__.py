"""What later passes ask of an op, a file for each family, a table for each facet.

SLICING: which parts of its operands a part of its result needs. BATCH: what has to split so
that its results do. CHANNELS_LAST: how it works on images in that layout. COST: its work.
TOLERANCE: how far from its reference it may be. A row is a rule, or the reason for none.
"""
