"""Products with a weight in fewer bits: int8 and int4 in groups, bfloat16, float16.

A product of few rows is bound by reading its weight. Each number of a row is split into up
to three signed bytes that share a scale in each group of terms:

    x = scale * (q0 + 256 q1 + 65536 q2)

Dot product instructions (`vpdpbusd`, `sdot`) multiply the bytes with the integers of the weight;
their sums are exact within a group. With three bytes, 24 bits, the result is as accurate
as with a float32 row; with `precision="fast"` there is one. On other processors, and for narrow
floats, the weight is widened in registers.
"""

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import WeightOnlySchedule
from devproc.targets.cpu.algorithms.weight_only.layout import stored_layout
from devproc.targets.cpu.algorithms.weight_only.plan import match, plan, refuse

ALGORITHM = Algorithm(
    schedule=WeightOnlySchedule,
    match=match,
    plan=plan,
    refuse=refuse,
    stored_layout=stored_layout,
    copies_rows=True,
    exclusive=True,
)
