"""Colour spaces: channels reordered, and weighted sums in fixed point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from devproc.dialects.pipe import spaces
from devproc.dialects.pipe.base.layout import layout_of
from devproc.ir.types import DTYPES, is_float, tensor_of
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import (
    Expression,
    Expressions,
)
from devproc.transforms.tensor.pipe_to_nn.formulas.rule import Rule

GRAY = {"opencv": (15, (9798, 19235, 3735)), "pillow": (16, (19595, 38470, 7471))}
"""Reference library -> fractional bits and the weights of red, green and blue."""

_SHIFT = 20
"""Fractional bits of `cv2.cvtColor`'s arithmetic on YUV."""

OPENCV_YUV = (1220542, 1673527, -852492, -409993, 2116026)
"""Its weights: of Y everywhere; of V for red; of V and of U for green; of U for blue."""

LUMA = {"bt601": (0.299, 0.114), "bt709": (0.2126, 0.0722)}
"""Standard -> the shares of red and of blue in the brightness."""


def _gray(e: Expressions, rgb: Sequence[Expression], like: str) -> Expression:
    dtype = rgb[0].dtype
    if is_float(DTYPES[dtype]):
        red, green, blue = rgb
        return red * 0.299 + green * 0.587 + blue * 0.114
    bits, weights = GRAY[like]
    total = e.constant(1 << (bits - 1), "int32")
    for channel, weight in zip(rgb, weights, strict=True):
        total = total + channel.cast("int32") * weight
    return (total >> bits).cast(dtype)


def _opaque(e: Expressions, like: Expression) -> Expression:
    element = DTYPES[like.dtype]
    top = 1.0 if is_float(element) else {"uint8": 255, "uint16": 65535}[like.dtype]
    return e.constant(top, like.dtype).expand(*like.shape)


def _color(op: spaces.ColorOp, e: Expressions) -> Sequence[SSAValue]:
    x, axis = e.of(op.operand), (layout_of(op.result.type) or "").index("C")
    if len(x.shape) < len(tensor_of(op.result).get_shape()):
        x = x.reshape(*x.shape, 1)
    letters = spaces.SPACES[op.source.data]
    wanted = spaces.SPACES[op.target.data]
    if wanted in (letters[:3], letters[2::-1]):
        step = 1 if wanted == letters[:3] else -1
        return [x.part(axis, 0 if step > 0 else 2, len(wanted), step).ssa]
    known = {letter: x.part(axis, i, 1) for i, letter in enumerate(letters)}
    if "Y" in known:
        known |= dict.fromkeys("RGB", known["Y"])
    elif "Y" in wanted:
        known["Y"] = _gray(e, [known[letter] for letter in "RGB"], op.like.data)
    if "A" not in known and "A" in wanted:
        known["A"] = _opaque(e, known[letters[0]])
    return [e.concat([known[letter] for letter in wanted], axis).ssa]


def yuv_weights(op: spaces.YuvOp) -> tuple[int, ...]:
    """The weights in fixed point, in the order of `OPENCV_YUV`."""
    if op.like.data == "opencv":
        return OPENCV_YUV
    red, blue = LUMA[op.matrix.data]
    green = 1 - red - blue
    luma, chroma = (
        (255 / 219, 255 / 112) if op.range.data == "limited" else (1.0, 255 / 127.5)
    )
    real = (
        luma,
        chroma * (1 - red),
        -chroma * (1 - red) * red / green,
        -chroma * (1 - blue) * blue / green,
        chroma * (1 - blue),
    )
    return tuple(round(weight * (1 << _SHIFT)) for weight in real)


def _planes(op: spaces.YuvOp, x: Expression) -> tuple[Expression, ...]:
    """Y, U and V with one element for each pixel: (batch, height, width)."""
    source, shape = op.source.data, tensor_of(op.result).get_shape()
    height, width = shape[-3:-1]
    batch = 1 if len(shape) == 3 else shape[0]
    if source == "YUYV":
        pairs = x.reshape(batch, height, width // 2, 2, 2)
        y = pairs.part(4, 0, 1)
        u, v = (pairs.part(3, i, 1).part(4, 1, 1) for i in (0, 1))
        u, v = (c.expand(batch, height, width // 2, 2, 1) for c in (u, v))
        return tuple(c.reshape(batch, height, width) for c in (y, u, v))
    rows = x.reshape(batch, height * 3 // 2, width)
    y, rest = rows.part(1, 0, height), rows.part(1, height, height // 2)
    down, across = height // 2, width // 2
    if source == "I420":
        halves = rest.reshape(batch, 2, down, across)
        u, v = (halves.part(1, i, 1) for i in (0, 1))
    else:
        pairs = rest.reshape(batch, down, across, 2)
        u, v = (pairs.part(3, i, 1) for i in (0, 1))
    u, v = (
        c.reshape(batch, down, 1, across, 1)
        .expand(batch, down, 2, across, 2)
        .reshape(batch, height, width)
        for c in (u, v)
    )
    return (y, v, u) if source == "NV21" else (y, u, v)


def _yuv(op: spaces.YuvOp, e: Expressions) -> Sequence[SSAValue]:
    y, u, v = (plane.cast("int32") for plane in _planes(op, e.of(op.operand)))
    of_y, red_v, green_v, green_u, blue_u = yuv_weights(op)
    if op.range.data == "limited":
        y = y - 16
        if op.like.data == "opencv":
            y = e.maximum(y, 0)
    base, u, v = y * of_y + (1 << (_SHIFT - 1)), u - 128, v - 128
    red, green, blue = (
        base + v * red_v,
        base + v * green_v + u * green_u,
        base + u * blue_u,
    )
    channels = [red, green, blue] if op.target.data == "RGB" else [blue, green, red]
    pixels = [
        e.minimum(e.maximum(c >> _SHIFT, 0), 255).cast("uint8").reshape(*c.shape, 1)
        for c in channels
    ]
    return [e.concat(pixels, 3).reshape(*tensor_of(op.result).get_shape()).ssa]


LOWERINGS: Mapping[type[Operation], Rule] = {
    spaces.ColorOp: _color,
    spaces.YuvOp: _yuv,
}
"""op class -> its lowering."""
