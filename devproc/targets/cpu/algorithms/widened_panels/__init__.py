"""Products of many rows with a weight in fewer bits: each panel is widened once for all.

With few rows such a product waits for memory (`weight_only`), with many for its
multiply-adds. A panel of the weight becomes float32 in scratch memory that stays in a
cache, in the layout of Winograd's inner product, and all rows of a block are multiplied
with it as with a float32 weight: the tiles, the rows and the accuracy are those of
`inner_product`.
"""

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import WidenedPanelsSchedule
from devproc.targets.cpu.algorithms.widened_panels.plan import match, plan, refuse

ALGORITHM = Algorithm(
    schedule=WidenedPanelsSchedule,
    match=match,
    plan=plan,
    refuse=refuse,
    copies_rows=True,
)
