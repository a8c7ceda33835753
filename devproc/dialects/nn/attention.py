"""Attention as one op, so that its scores are never stored as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    TensorType,
    f32,
    f64,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    eq,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure

from devproc.dialects.nn.base import (
    NNOp,
    Properties,
    broadcast_shapes,
    describe,
    flag_of,
    float_of,
    int_attr,
    int_of,
    ints,
    require,
    require_same_dtype,
)
from devproc.ir.directives import Int
from devproc.ir.dtypes import format_shape
from devproc.ir.op_definition import op_definition
from devproc.ir.types import AnyTensor, is_bool, is_float, item_size, tensor

SCALES = 2
"""Operands with the scales of keys and values in int8."""


@op_definition
class AttentionOp(NNOp):
    """softmax(query @ key.T * scale + mask) @ value
    (`aten.scaled_dot_product_attention`).

    A primitive because as products and a softmax it would store every score in memory.
    `decompose-nn` decomposes it if no device of the target keeps it (`Backend.keeps`).
    Half precision is computed in float32 and rounded once.

    Shapes: query (..., S, D), key (..., T, D), value (..., T, E); leading dimensions
    broadcast as in `nn.matmul`. The mask broadcasts to the scores (..., S, T): a float
    mask is added, a bool mask selects the keys that take part. A row whose scores are
    all -inf yields 0 with `empty 1`, and NaN, as a softmax alone does, with `empty 0`.
    With `band [low, high]`, query s also sees only the keys t with low <= t - s <= high:
    [-(S - 1), 0] is a causal mask. With `parts n`, which divides T, the keys are computed
    in n parts at once, which a second kernel combines; then there is no band.

    ```mlir
    %r = nn.attention %q, %k, %v mask %m scale 0.125 : f64 empty 1
       : (tensor<2x5x8xf32>, tensor<2x7x8xf32>, tensor<2x7x4xf32>, tensor<5x7xi1>) -> tensor<2x5x4xf32>
    ```
    """

    name = "nn.attention"

    query = operand_def(TensorType)
    key = operand_def(TensorType)
    value = operand_def(TensorType)
    mask = opt_operand_def(TensorType)
    scale = prop_def(FloatAttr)
    empty = prop_def(IntegerAttr)
    band = opt_prop_def(DenseArrayBase.constr(i64))
    parts = opt_prop_def(IntegerAttr.constr(eq(i64)))
    result = result_def(TensorType)

    assembly_format = (
        "$query `,` $key `,` $value (`mask` $mask^)? `scale` $scale"
        " `empty` custom<Int>($empty) (`band` $band^)? (`parts` $parts^)?"
        " attr-dict `:` functional-type(operands, results)"
    )

    custom_directives = (Int,)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        query, key, value = operands[:3]
        require_same_dtype(cls.name, operands[:3])
        require(
            is_float(query.element_type),
            f"{cls.name} takes floating-point operands, got {describe(query)}",
        )
        flag_of("empty", properties["empty"])
        scores = _scores_shape(query, key, value)
        for mask in operands[3:]:
            _require_mask(mask, query, scores)
        _require_band(properties.get("band"))
        _require_parts(properties, scores[-1])
        return [tensor(query.element_type, (*scores[:-1], value.get_shape()[-1]))]

    @classmethod
    def of(
        cls,
        query: SSAValue,
        key: SSAValue,
        value: SSAValue,
        mask: SSAValue | None,
        scale: float,
        empty: bool,
    ) -> AttentionOp:
        """Attention with these operands."""
        operands = [query, key, value, *([] if mask is None else [mask])]
        properties = {"scale": FloatAttr(scale, f64), "empty": int_attr(int(empty))}
        return cls.build_op(operands, properties)


def _scores_shape(query: AnyTensor, key: AnyTensor, value: AnyTensor) -> Sequence[int]:
    shapes = q, k, v = [t.get_shape() for t in (query, key, value)]
    require(
        min(map(len, shapes)) >= 2,
        "query, key and value must have rank 2 and above",
    )
    require(
        q[-1] == k[-1] and k[-2] == v[-2],
        f"query {describe(query)}, key {describe(key)} and value {describe(value)}"
        " do not fit: they are (..., S, D), (..., T, D), (..., T, E)",
    )
    return (*broadcast_shapes([s[:-2] for s in shapes]), q[-2], k[-2])


def _require_mask(mask: AnyTensor, query: AnyTensor, scores: Sequence[int]) -> None:
    element = mask.element_type
    require(
        is_bool(element) or element in (f32, query.element_type),
        f"the mask must be bool, float32 or as the query, got {describe(mask)}",
    )
    require(
        broadcast_shapes([mask.get_shape(), scores]) == scores,
        f"the mask {describe(mask)} does not broadcast to the scores"
        f" {format_shape(scores)}",
    )


def _require_band(band: Attribute | None) -> None:
    limits = (0, 0) if band is None else ints(band)
    require(
        len(limits) == 2 and limits[0] <= limits[1],
        f"the band must be [low, high] with low <= high, got {list(limits)}",
    )


def _require_parts(properties: Properties, keys: int) -> None:
    parts = properties.get("parts")
    count = 1 if parts is None else int_of(parts)
    require(
        count >= 1 and keys % count == 0,
        f"the {keys} keys are not {count} equal parts",
    )
    require(
        parts is None or properties.get("band") is None,
        "the keys of a band are not computed in parts",
    )


def _require_limits(properties: Properties, keys: int) -> None:
    window, softcap = properties.get("window"), properties.get("softcap")
    require(
        window is None or int_of(window) > 0,
        "the window must be of one key at least",
    )
    require(
        softcap is None or 0 < float_of(softcap) < float("inf"),
        "the softcap must be positive and finite",
    )
    _require_parts(properties, keys)


@op_definition
class CachedAttentionOp(NNOp):
    """`nn.attention` over the rows of a cache that are in use: query s sees only the keys
    t <= last[s], and with `window n` only those with last[s] - n < t. With `softcap c`, the
    scaled products x become c tanh(x / c) before masks.

    A primitive because a step of decoding then costs with its position, not with the
    capacity of the cache: no row that no query sees is read, whatever it contains.
    `decompose-nn` decomposes it to `nn.attention` with a mask if no device of the target
    keeps it (`Backend.keeps`).

    Shapes: query (..., S, D), key (..., T, D), value (..., T, E), last (int32 or int64)
    broadcasts to (..., S); mask, `scale` and `empty` as in `nn.attention`. A query with
    last[s] < 0 sees no key. Key and value may be of a narrower float type than the
    query, in whose precision the result is computed; or int8, with two float32 `scales`
    (..., T, 1), of the rows of keys and of values: a key is its numbers times its scale.
    With `parts n`, which divides T, the keys are computed in n parts at once, which a second
    kernel combines.

    ```mlir
    %r = nn.cached_attention %q, %k, %v last %last window 4 scale 0.125 : f64 empty 1
       : (tensor<2x5x8xf32>, tensor<2x7x8xbf16>, tensor<2x7x4xbf16>, tensor<5xi64>) -> tensor<2x5x4xf32>
    ```
    """

    name = "nn.cached_attention"

    query = operand_def(TensorType)
    key = operand_def(TensorType)
    value = operand_def(TensorType)
    last = operand_def(TensorType)
    scales = var_operand_def(TensorType)
    mask = opt_operand_def(TensorType)
    scale = prop_def(FloatAttr)
    empty = prop_def(IntegerAttr)
    window = opt_prop_def(IntegerAttr.constr(eq(i64)))
    parts = opt_prop_def(IntegerAttr.constr(eq(i64)))
    softcap = opt_prop_def(FloatAttr)
    result = result_def(TensorType)

    assembly_format = (
        "$query `,` $key `,` $value `last` $last"
        " (`scales` $scales^ `:` type($scales))? (`mask` $mask^)? (`window` $window^)?"
        " (`softcap` $softcap^)? `scale` $scale `empty` custom<Int>($empty)"
        " (`parts` $parts^)?"
        " attr-dict `:` `(` type($query) `,` type($key) `,` type($value) `,` type($last)"
        " (`,` type($mask)^)? `)` `->` type($result)"
    )

    custom_directives = (Int,)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(Pure())

    @classmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        query, key, value, last, *others = operands
        count = SCALES if key.element_type == i8 else 0
        scales, masks = others[:count], others[count:]
        _require_stored(query, key, value, scales)
        flag_of("empty", properties["empty"])
        scores = _scores_shape(query, key, value)
        for mask in masks:
            _require_mask(mask, query, scores)
        require(
            last.element_type in (i32, i64)
            and broadcast_shapes([last.get_shape(), scores[:-1]]) == scores[:-1],
            f"last must be int32 or int64 and broadcast to the rows of the scores"
            f" {format_shape(scores[:-1])}, got {describe(last)}",
        )
        _require_limits(properties, scores[-1])
        return [tensor(query.element_type, (*scores[:-1], value.get_shape()[-1]))]


def _require_stored(
    query: AnyTensor, key: AnyTensor, value: AnyTensor, scales: Sequence[AnyTensor]
) -> None:
    """Require keys and values in floats as narrow as the query, or in int8 with scales."""
    name = CachedAttentionOp.name
    floats = (query,) if key.element_type == i8 else (query, key, value)
    for type_ in floats:
        require(
            is_float(type_.element_type),
            f"{name} takes floating-point operands, got {describe(type_)}",
        )
    if key.element_type != i8:
        require(
            max(map(_bits, (key, value))) <= _bits(query),
            f"key {describe(key)} and value {describe(value)} must not be wider than the"
            f" query {describe(query)}",
        )
        return
    rows = [(f32, (*t.get_shape()[:-1], 1)) for t in (key, value)]
    require(
        value.element_type == i8
        and [(t.element_type, t.get_shape()) for t in scales] == rows,
        f"key {describe(key)} and value {describe(value)} in int8 need scales in float32,"
        f" one for each row, got {' and '.join(map(describe, scales)) or 'none'}",
    )


def _bits(type_: AnyTensor) -> int:
    return 8 * item_size(type_.element_type)


OPS: Sequence[type[IRDLOperation]] = (AttentionOp, CachedAttentionOp)
