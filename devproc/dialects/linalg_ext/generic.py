"""A `linalg.generic` whose operands may be larger than its iteration space."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import I64, DenseArrayBase, ShapedType, i64
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineMap
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

LOOP_SIZES = "loop_sizes"


class SizedGenericOp(GenericOp):
    """A `linalg.generic` with an explicit trip count for each loop.

    `linalg` infers trip counts from the operands: a loop that is an index by itself
    spans the whole dimension. Here a loop may cover a part of a dimension (a slice, a
    padded result, rows with a stride larger than their length), and need not be an
    index by itself in any map.

    ```mlir
    linalg_ext.generic {
      indexing_maps = [affine_map<(m, k) -> (m, k + 3)>, affine_map<(m, k) -> (m, k)>],
      iterator_types = ["parallel", "parallel"]
    } ins(%x : memref<2x9xf32>) outs(%y : memref<2x8xf32>)
        attrs = {loop_sizes = array<i64: 2, 5>} {
    ^bb0(%a: f32, %unused: f32):
      linalg.yield %a : f32
    }
    ```
    """

    name = "linalg_ext.generic"

    def get_static_loop_ranges(self) -> tuple[int, ...]:
        """The trip count of each loop."""
        sizes = self.attributes.get(LOOP_SIZES)
        return sizes.get_values() if isinstance(sizes, DenseArrayBase) else ()

    def set_sizes(self, sizes: Sequence[int]) -> None:
        """Set the trip count of each loop."""
        self.attributes[LOOP_SIZES] = DenseArrayBase.from_list(i64, sizes)

    def verify_(self) -> None:
        # That of `linalg.generic`, which comes next, takes no longer operands.
        self.get_irdl_definition().verify(self)
        sizes, maps = self.get_static_loop_ranges(), self.indexing_maps.data
        is_typed = isa(self.attributes.get(LOOP_SIZES), DenseArrayBase[I64])
        count = len(self.iterator_types.data)
        if not is_typed or len(sizes) != count or min(sizes, default=0) < 0:
            raise VerifyException(
                f"{self.name} needs '{LOOP_SIZES}', a non-negative i64 for each loop"
            )
        if len(maps) != len(self.operands):
            raise VerifyException(f"{self.name} needs an indexing map for each operand")
        domain = (len(sizes), 0)
        if any((m.data.num_dims, m.data.num_symbols) != domain for m in maps):
            raise VerifyException(
                f"{self.name} has a map over other loops than its own"
            )
        elements = tuple(_element(value.type) for value in self.operands)
        if self.body.block.arg_types != elements:
            raise VerifyException(
                f"the body of {self.name} takes an element of each operand"
            )
        for map_, value in zip(maps, self.operands, strict=True):
            if isinstance(value.type, ShapedType) and 0 not in sizes:
                _verify_inside(map_.data, sizes, value.type.get_shape())


def _element(type_: Attribute) -> Attribute:
    """The type of the body's argument for an operand; of a scalar, its own type."""
    return getattr(type_, "element_type", type_)


def _verify_inside(map_: AffineMap, sizes: Sequence[int], shape: Sequence[int]) -> None:
    """Verify that loops of these sizes stay within a value of this shape."""
    if len(map_.results) != len(shape):
        raise VerifyException(f"{map_} does not index {len(shape)} dimensions")
    lows = highs = start = map_.eval([0] * len(sizes), [])
    for loop, size in enumerate(sizes):
        end = map_.eval([(size - 1) * (d == loop) for d in range(len(sizes))], [])
        steps = [place - first for place, first in zip(end, start, strict=True)]
        lows = [low + min(step, 0) for low, step in zip(lows, steps, strict=True)]
        highs = [high + max(step, 0) for high, step in zip(highs, steps, strict=True)]
    for low, high, size in zip(lows, highs, shape, strict=True):
        if low < 0 or high >= size:
            raise VerifyException(
                f"{map_} goes from {low} to {high} in a dimension of {size}"
            )
