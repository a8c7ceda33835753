"""Vectors along one loop, planned where they are emitted."""

from __future__ import annotations

from devproc.algorithms.vectors.expand import VectorLoops
from devproc.algorithms.vectors.match import VectorizableNest
from devproc.algorithms.vectors.plan import block_of, schedule_of, split_of
from devproc.dialects.dev import TargetAttr
from devproc.transforms.cpu.loops.emitter import Emitter
from devproc.transforms.cpu.nests.nest import Nest


class VectorNest(VectorLoops):
    """Emits one nest along one loop; `outer`, `width`, `whole` and `threads` may change."""

    def __init__(
        self, nest: Nest, loop: int, emitter: Emitter, vector_bits: int, threads: int
    ):
        target = TargetAttr.get(vector_bits=vector_bits, threads=threads)
        schedule = schedule_of(VectorizableNest(nest, loop), target)
        inside = (loop, schedule.inner, schedule.crossing)
        super().__init__(
            nest,
            loop,
            emitter,
            lanes=schedule.lanes,
            vectors=schedule.vectors,
            outer=[d for d, p in enumerate(nest.parallel) if p and d not in inside],
            inner=schedule.inner,
            crossing=schedule.crossing,
            repeats=schedule.ragged == "repeat",
        )
        self.vector_bits, self.threads = vector_bits, threads

    def emit(self) -> None:
        """Emit the loops."""
        target = TargetAttr.get(vector_bits=self.vector_bits, threads=self.threads)
        nest, loop = self.nest, self.loop
        self.block = block_of(nest)
        self.split_loop, grain = split_of(
            nest.sizes, loop, self.outer, self.whole, nest.work, target
        )
        self.grain = grain or 1
        super().emit()
