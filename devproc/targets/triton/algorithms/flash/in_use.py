"""The rows of a cache that the queries of a program see, known when it runs."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from devproc.targets.triton.algorithms.flash.nest import Attention, Bound
from devproc.targets.triton.dialect import element_of, shape_of
from devproc.targets.triton.transforms.to_triton.builder import BlockBuilder, Value
from devproc.targets.triton.transforms.to_triton.kernel import Kernel, Site


@dataclass(frozen=True)
class KeysInUse:
    """Places of keys, relative to the first one of the part that the program computes."""

    last: SSAValue
    """The last key that each row sees; below 0 for none."""
    window: int | None
    begin: Value
    """The first key that any row sees."""
    end: Value
    """The key after the last one that any row sees."""
    all_from: Value
    """The first key that all rows see."""
    all_to: Value
    """The key after the last one that all rows see."""

    def seen(self, b: BlockBuilder, key: SSAValue) -> SSAValue:
        """Whether each row sees a key."""
        seen = b.compare("sle", key, self.last)
        if self.window is None:
            return seen
        first = b.offset(self.last, 1 - self.window)
        return both(b, seen, b.compare("sge", key, b.ssa(first)))

    def by_any(self, b: BlockBuilder, key: SSAValue) -> SSAValue:
        """Whether some row may see a key: what no row sees is not read."""
        inside = b.compare("slt", key, b.ssa(self.end))
        if self.window is None:
            return inside
        return both(b, inside, b.compare("sge", key, b.ssa(self.begin)))


def both(b: BlockBuilder, one: SSAValue, other: SSAValue) -> SSAValue:
    """The conjunction of two masks."""
    return b.elementwise(arith.AndIOp, one, other)


def keys_in_use(nest: Attention, bound: Bound, kernel: Kernel, site: Site) -> KeysInUse:
    """The keys that the rows of a program see, by their numbers in memory."""
    b, keys, window = kernel.builder, nest.sizes[1], bound.window
    weigh = nest.steps[1]
    found = kernel.read(weigh.inputs[bound.last], weigh.maps[bound.last], site)
    parts = 1 if bound.part is None else nest.scores.extents[bound.part[0]]
    # No int64 beyond the cache is cut to 32 bits.
    element, most = element_of(found.type), keys * parts - 1 + (window or 0)
    found = b.elementwise(arith.MinSIOp, found, b.constant(most, element))
    found = b.elementwise(arith.MaxSIOp, found, b.constant(-1, element))
    last = b.to_index(found)
    if bound.part is not None:
        dim, size = bound.part
        last = b.ssa(b.sub(last, b.mul(site.space.dim(dim), size)))

    def over_rows(kind: str, rest: int) -> SSAValue:
        value, mask = last, site.space.mask()
        if not shape_of(value.type):
            return value
        if mask is not None:
            value = b.where(mask, value, b.ssa(rest))
        for _ in shape_of(value.type):
            value = b.reduce(kind, value, 0, keep=False)
        return value

    def place(of: SSAValue, extra: int) -> Value:
        return b.minimum(b.maximum(b.offset(of, extra), 0), keys)

    least, largest = over_rows("min", most), over_rows("max", -keys * parts - 1)
    begin: Value = 0
    all_from: Value = 0
    if window is not None:
        begin, all_from = place(least, 1 - window), place(largest, 1 - window)
    return KeysInUse(last, window, begin, place(largest, 1), all_from, place(least, 1))
