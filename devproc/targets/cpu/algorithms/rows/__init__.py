"""Chains of reductions and pointwise ops over the columns of rows, row by row.

Softmax is the typical case: the maximum of a row, the exponentials and their sum, the
quotients. A row is finished before the next one begins, in as few passes over its
columns as possible: an op runs in the same pass as its predecessor unless it needs a
value of the whole row that this pass computes. A pass processes several vectors of
columns at a time, each with separate accumulators; the shape determines how these are
combined, so results do not depend on the number of threads. Long sums are added in
blocks (pairwise summation: Higham, "The accuracy of floating point summation", 1993).

The sum of rows of 16 elements, with a register of 16 lanes:

```mlir
linalg.fill ins(%zero : f32) outs(%y : memref<4xf32>)
linalg.generic ... ins(%x : memref<4x16xf32>) outs(%y : memref<4xf32>) { addf }
```

by `#sched.rows<lanes = 16, vectors = [1], block = none, grain = none>` becomes

```mlir
scf.for %i = %c0 to %c4 step %c1 {
  %a = vector.load %x[%i, %c0] : memref<4x16xf32>, vector<16xf32>
  %s = arith.addf %none, %a : vector<16xf32>
  %across = vector.reduction <add>, %s fastmath<reassoc> : vector<16xf32> into f32
  %sum = arith.addf %zero, %across : f32
  memref.store %sum, %y[%i] : memref<4xf32>
}
```

It pays wherever the columns are contiguous: each pass reads them once, in vectors.
Reductions over strided columns are vectorised along their results instead (`vectors`).
"""

from __future__ import annotations

from devproc.algorithms.base import Algorithm
from devproc.dialects.sched import RowsSchedule
from devproc.targets.cpu.algorithms.rows.plan import plan, refuse
from devproc.targets.cpu.algorithms.rows.row_chain import match

ALGORITHM = Algorithm(RowsSchedule, match, plan, refuse, tiled=True)
