"""Finds the part of a mask that is a band: the keys t with low <= t - s <= high.

Exporters write causal masks and sliding windows as comparisons of indices, or as weights,
whose values are not in the IR: their content hash is compared with that of a band.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from xdsl.ir import SSAValue

from devproc.dialects.nn.compare import AndOp, LeOp, LtOp, WhereOp, XorOp
from devproc.dialects.nn.constant import WeightOp
from devproc.dialects.nn.pointwise import AddOp, CastOp, SubOp
from devproc.dialects.nn.shape import ExpandOp, ReshapeOp, SliceOp
from devproc.dialects.nn_canonicalization.folding import Array, constant_array
from devproc.ir.types import dtype_name, is_bool, is_float, tensor_of
from devproc.ir.weights.table import hash_of

NONE = float("-inf")

HIDES = -1e30
"""An addend no larger than this hides a key from a query that sees others."""


@dataclass(frozen=True)
class Band:
    """low <= t - s <= high."""

    low: int
    high: int

    def both(self, other: Band) -> Band:
        """The keys in two bands."""
        return Band(max(self.low, other.low), min(self.high, other.high))

    def shows_some(self, queries: int, keys: int) -> bool:
        """Whether each query sees a key."""
        first, last = 0, queries - 1
        return all(s + self.low < keys and s + self.high >= 0 for s in (first, last))


@dataclass(frozen=True)
class Ramp:
    """A tensor whose elements are offset + the sum of step * index."""

    steps: tuple[int, ...]
    """For each dimension; 0 for one of size 1."""
    offset: int


@dataclass(frozen=True)
class BandedMask:
    """A mask as a band, and the mask of what is in it."""

    band: Band
    rest: tuple[SSAValue, ...]
    """Bool masks that all have to hold, or addends that are summed."""


@dataclass(frozen=True)
class Bands:
    """Finds bands in the masks of so many queries and keys."""

    queries: int
    keys: int

    @property
    def everything(self) -> Band:
        """The band that hides no key."""
        return Band(1 - self.queries, self.keys - 1)

    def split(self, mask: SSAValue) -> BandedMask | None:
        """The band of a mask and what else it hides; None if no part of it is one."""
        band, rest = self.everything, list[SSAValue]()
        parts = _parts(mask)
        for part in parts:
            found = self.of(part)
            # Of two addends that are large but finite, each may hide less than the other.
            if found is None or (len(parts) > 1 and not _is_exact(part)):
                rest.append(part)
            else:
                band = band.both(found)
        return None if len(rest) == len(parts) else BandedMask(band, tuple(rest))

    def of(self, mask: SSAValue) -> Band | None:
        """The band that a mask is; None for one that hides anything else."""
        shape, op = tensor_of(mask).get_shape(), mask.owner
        if any(size != 1 for size in shape[:-2]):
            return None
        if _is_true(mask):
            return self.everything
        match op:
            case ExpandOp():
                return self.of(op.operand)
            case ReshapeOp():
                inner = tensor_of(op.operand).get_shape()
                return self.of(op.operand) if inner[-2:] == shape[-2:] else None
            case AndOp():
                found = [self.of(value) for value in op.operands]
                if None in found:
                    return None
                return found[0].both(found[1])  # type: ignore[union-attr, arg-type]
            case LeOp() | LtOp():
                return self._compared(op)
            case XorOp() if _is_all(op.rhs, True):
                found = self.of(op.lhs)
                return None if found is None else self._outside(found)
            case WhereOp() if is_float(tensor_of(mask).element_type):
                return self._chosen(op)
            case WeightOp():
                return self._weight(op)
            case _:
                array = constant_array(mask)
                return None if array is None else self._constant(array)

    def _compared(self, op: LeOp | LtOp) -> Band | None:
        """lhs <= rhs or lhs < rhs, where rhs - lhs is t - s + n or s - t + n."""
        rhs, lhs = ramp(op.rhs), ramp(op.lhs)
        if rhs is None or lhs is None:
            return None
        least = int(isinstance(op, LtOp))
        key, query = (_step(rhs, axis) - _step(lhs, axis) for axis in (1, 2))
        others = any(any(r.steps[:-2]) for r in (rhs, lhs))
        bound = least - (rhs.offset - lhs.offset)
        whole = self.everything
        if others or key != -query or abs(key) != 1:
            return None
        return Band(bound, whole.high) if key == 1 else Band(whole.low, -bound)

    def _outside(self, band: Band) -> Band | None:
        """The keys that are not in a band, if they are one too."""
        whole = self.everything
        if band.low <= whole.low:
            return Band(band.high + 1, whole.high)
        return Band(whole.low, band.low - 1) if band.high >= whole.high else None

    def _chosen(self, op: WhereOp) -> Band | None:
        """where(seen, 0, minus infinity), or where(hidden, minus infinity, 0)."""
        found = self.of(op.condition)
        if found is None:
            return None
        for seen, kept, hidden in (
            (found, op.lhs, op.rhs),
            (self._outside(found), op.rhs, op.lhs),
        ):
            if seen is not None and _is_all(kept, 0.0) and self._hides(hidden, seen):
                return seen
        return None

    def _hides(self, value: SSAValue, band: Band) -> bool:
        array = constant_array(value)
        if array is None or not array.size:
            return False
        most = float(array.max())
        return most == NONE or (
            most <= HIDES and band.shows_some(self.queries, self.keys)
        )

    def _constant(self, array: Array) -> Band | None:
        if not array.size or array.ndim == 0:
            return self.everything if _shows(array) else None
        if array.shape[-2:] != (self.queries, self.keys):
            return self.everything if _shows(array) else None
        seen = array.reshape(self.queries, self.keys)
        if array.dtype != bool:
            if not np.all((seen == 0) | (seen <= HIDES)):
                return None
            is_exact, seen = bool(np.all((seen == 0) | (seen == NONE))), seen == 0
        else:
            is_exact = True
        places = np.subtract.outer(np.arange(self.keys), np.arange(self.queries)).T
        if not seen.any():
            return None
        band = Band(int(places[seen].min()), int(places[seen].max()))
        is_band = np.array_equal(seen, (places >= band.low) & (places <= band.high))
        fits = is_exact or band.shows_some(self.queries, self.keys)
        return band if is_band and fits else None

    def _weight(self, op: WeightOp) -> Band | None:
        """The causal masks, whose last query sees the last key, or its own."""
        type_ = tensor_of(op.result)
        shape, dtype = type_.get_shape(), dtype_name(type_.element_type)
        if shape[-2:] != (self.queries, self.keys) or dtype not in ("bool", "float32"):
            return None
        for high in dict.fromkeys((0, self.keys - self.queries)):
            if op.hash.data in causal_hashes(shape, dtype, high):
                return Band(self.everything.low, high)
        return None


@cache
def causal_hashes(shape: tuple[int, ...], dtype: str, high: int) -> list[str]:
    """The content hashes of causal masks: of bools, or addends of minus infinity."""
    seen = np.tri(*shape[-2:], k=high, dtype=bool).reshape(shape)
    if dtype == "bool":
        return [hash_of(seen, dtype)]
    lowest = [NONE, np.finfo(np.float32).min] if high >= 0 else [NONE]
    return [
        hash_of(np.where(seen, 0.0, value).astype(np.float32), dtype)
        for value in lowest
    ]


def _parts(mask: SSAValue) -> list[SSAValue]:
    """The masks that a conjunction of bools, or a sum of addends, consists of."""
    op = mask.owner
    if isinstance(op, ExpandOp):
        # The mask of an attention broadcasts to the scores.
        return _parts(op.operand)
    is_float_mask = is_float(tensor_of(mask).element_type)
    if isinstance(op, AddOp if is_float_mask else AndOp):
        return [part for value in op.operands for part in _parts(value)]
    return [mask]


def ramp(value: SSAValue) -> Ramp | None:
    """The ramp that a tensor is; None for other values."""
    shape, op = tensor_of(value).get_shape(), value.owner
    match op:
        case CastOp():
            return ramp(op.operand)
        case ReshapeOp():
            return _reshaped(op, shape)
        case ExpandOp():
            inner, old = ramp(op.operand), tensor_of(op.operand).get_shape()
            if inner is None:
                return None
            return Ramp((0,) * (len(shape) - len(old)) + inner.steps, inner.offset)
        case AddOp() | SubOp():
            lhs, rhs = ramp(op.lhs), ramp(op.rhs)
            if lhs is None or rhs is None:
                return None
            sign, rank = (1 if isinstance(op, AddOp) else -1), len(shape)
            steps = tuple(
                _step(lhs, rank - d) + sign * _step(rhs, rank - d) for d in range(rank)
            )
            return Ramp(steps, lhs.offset + sign * rhs.offset)
        case WeightOp():
            count = int(np.prod(shape))
            name = dtype_name(tensor_of(value).element_type)
            if name not in ("int64", "int32") or max(shape, default=1) != count:
                return None
            line = np.arange(count, dtype=name).reshape(shape)
            if hash_of(line, name) != op.hash.data:
                return None
            return Ramp(tuple(int(size > 1) for size in shape), 0)
        case _:
            array = constant_array(value)
            return None if array is None else _constant_ramp(array)


def _reshaped(op: ReshapeOp, shape: tuple[int, ...]) -> Ramp | None:
    """A ramp along one dimension, which another shape keeps."""
    inner, old = ramp(op.operand), tensor_of(op.operand).get_shape()
    if inner is None or [n for n in old if n > 1] != [n for n in shape if n > 1]:
        return None
    steps = iter(s for s, size in zip(inner.steps, old, strict=True) if size > 1)
    return Ramp(tuple(next(steps) if n > 1 else 0 for n in shape), inner.offset)


def _constant_ramp(array: Array) -> Ramp | None:
    if not array.size or not np.all(array == np.trunc(array)):
        return None
    first, steps = int(array[(0,) * array.ndim]), list[int]()
    for axis, size in enumerate(array.shape):
        place = tuple(int(d == axis) for d in range(array.ndim))
        steps.append(int(array[place]) - first if size > 1 else 0)
        if not np.all(np.diff(array.astype(np.int64), axis=axis) == steps[-1]):
            return None
    return Ramp(tuple(steps), first)


def _step(found: Ramp, place: int) -> int:
    """The step of a dimension, counted from the last one, 1."""
    return found.steps[-place] if place <= len(found.steps) else 0


def _is_all(value: SSAValue, number: float) -> bool:
    array = constant_array(value)
    return array is not None and array.size > 0 and bool(np.all(array == number))


def _shows(array: Array) -> bool:
    """Whether a mask hides nothing."""
    return array.size > 0 and bool(np.all(array if array.dtype == bool else array == 0))


def _is_true(mask: SSAValue) -> bool:
    """Whether comparisons of indices are true everywhere, such as 0 <= s, which exporters
    write for a mask that hides nothing."""
    match op := mask.owner:
        case ExpandOp() | ReshapeOp() | SliceOp():
            return _is_true(op.operand)
        case AndOp():
            return all(map(_is_true, op.operands))
        case LeOp() | LtOp():
            rhs, lhs = ramp(op.rhs), ramp(op.lhs)
            if rhs is None or lhs is None:
                return False
            shape = tensor_of(mask).get_shape()[::-1]
            steps = (_step(rhs, n) - _step(lhs, n) for n, _ in enumerate(shape, 1))
            falls = (step * (size - 1) for step, size in zip(steps, shape, strict=True))
            least = rhs.offset - lhs.offset + sum(min(0, fall) for fall in falls)
            return least >= int(isinstance(op, LtOp))
        case _:
            return False


def _is_exact(mask: SSAValue) -> bool:
    """Whether what a mask hides has a score of minus infinity: bools, or such addends."""
    if is_bool(tensor_of(mask).element_type):
        return True
    op = mask.owner
    values = (op.lhs, op.rhs) if isinstance(op, WhereOp) else (mask,)
    arrays = [constant_array(value) for value in values]
    return any(a is not None and a.size and a.min() == NONE for a in arrays)
