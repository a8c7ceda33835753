# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
# pyright: reportPrivateUsage=false
"""Reductions and scans of an interpreted kernel, in about log2(n) calls of a combination.

Triton's interpreter itself calls it for each element of a block. As on a GPU, elements are
combined in the order of a tree. See `values` for the shapes of values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter
from triton.runtime.interpreter import TensorHandle


def reduce(
    input: Any, axis: Any, combine_fn: Any, keep_dims: bool = False, **_: Any
) -> Any:
    """`tl.reduce`: the combination of all elements along an axis (None: of all axes)."""
    sources = input if isinstance(input, tuple) else (input,)
    place, shape = getattr(axis, "value", axis), list(sources[0].shape)
    arrays = np.broadcast_arrays(*(source.handle.data for source in sources))
    if place is None:
        arrays = [array.reshape(len(array), -1) for array in arrays]
    else:
        place %= len(shape)
        arrays = [np.moveaxis(array, place + 1, -1) for array in arrays]
    dtypes = [source.dtype for source in sources]
    reduced = known_reduction(arrays[0], combine_fn)
    done = tree(arrays, dtypes, combine_fn) if reduced is None else [reduced]
    kept = [1 if d == place or place is None else n for d, n in enumerate(shape)]
    left = [] if place is None else [*shape[:place], *shape[place + 1 :]]
    result = tuple(
        tensor(array, dtype, kept if getattr(keep_dims, "value", keep_dims) else left)
        for array, dtype in zip(done, dtypes, strict=True)
    )
    return result if isinstance(input, tuple) else result[0]


def known_reduction(array: Any, combine: Any) -> Any:
    """The sum, maximum or minimum along the last axis; None for another combination.

    A maximum ignores NaN, as on a GPU.
    """
    standard: Any = tl.standard
    is_float = array.dtype.kind == "f"
    if combine is standard._sum_combine:
        return array.sum(-1)
    if combine is standard._elementwise_max:
        return (np.fmax if is_float else np.maximum).reduce(array, -1)
    if combine is standard._elementwise_min:
        return (np.fmin if is_float else np.minimum).reduce(array, -1)
    return None


def tree(arrays: list[Any], dtypes: list[Any], combine: Any) -> list[Any]:
    """The arrays combined along their last axis, whose size is a power of two."""
    while arrays[0].shape[-1] > 1:
        left, right = ([array[..., i::2] for array in arrays] for i in (0, 1))
        arrays = combined(combine, left, right, dtypes)
    return [array[..., 0] for array in arrays]


def associative_scan(
    input: Any, axis: Any, combine_fn: Any, reverse: bool = False, **_: Any
) -> Any:
    """`tl.associative_scan`: inclusive, in steps of doubling distance (Hillis and Steele)."""
    sources = input if isinstance(input, tuple) else (input,)
    place, shape = getattr(axis, "value", axis), list(sources[0].shape)
    place %= len(shape)
    dtypes = [source.dtype for source in sources]
    blocks = np.broadcast_arrays(*(source.handle.data for source in sources))
    arrays = [np.moveaxis(block, place + 1, -1) for block in blocks]
    turn = slice(None, None, -1 if getattr(reverse, "value", reverse) else 1)
    arrays, distance = [array[..., turn] for array in arrays], 1
    while distance < arrays[0].shape[-1]:
        left = [array[..., :-distance] for array in arrays]
        right = [array[..., distance:] for array in arrays]
        done = combined(combine_fn, left, right, dtypes)
        arrays = [
            np.concatenate([array[..., :distance], new], axis=-1)
            for array, new in zip(arrays, done, strict=True)
        ]
        distance *= 2
    result = tuple(
        tensor(np.moveaxis(array[..., turn], -1, place + 1), dtype, shape)
        for array, dtype in zip(arrays, dtypes, strict=True)
    )
    return result if isinstance(input, tuple) else result[0]


def combined(
    combine: Callable[..., Any], left: list[Any], right: list[Any], dtypes: list[Any]
) -> list[Any]:
    """The combinations of arrays, element by element, which it sees as scalars."""
    shape = left[0].shape
    scalars = [
        tl.tensor(TensorHandle(array.reshape(-1), dtype), dtype)
        for array, dtype in zip((*left, *right), dtypes * 2, strict=True)
    ]
    made = combine(*scalars)
    made = made if isinstance(made, tuple) else (made,)
    return [
        np.broadcast_to(value.handle.data, (scalars[0].handle.data.size,)).reshape(
            shape
        )
        for value in made
    ]


def tensor(array: Any, dtype: Any, shape: list[int]) -> Any:
    """A value of a kernel, from an array for all programs that run together."""
    data = array.astype(interpreter._get_np_dtype(dtype)).reshape(len(array), *shape)
    type_ = tl.block_type(dtype, shape) if shape else dtype
    return tl.tensor(TensorHandle(data, dtype), type_)
