"""Each form of a step that its verifier accepts has a bound."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from itertools import chain, product

import pytest
from xdsl.dialects import test as xdsl_test
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.nn.signal import MEL_LIKES
from devproc.dialects.pipe import (
    OPS,
    audio,
    color,
    crop,
    generation,
    geometry,
    spaces,
    warp,
    yolo,
)
from devproc.dialects.pipe.base.step import PipeOp
from devproc.exactness.steps.tables import MODES, bound_of
from devproc.ir.types import DTYPES, AnyTensor, tensor, tensor_of, with_encoding
from tests.repository import parse

LIKES = {
    *(*geometry.MODES, *warp.AFFINE_LIKES, *warp.BOX_LIKES, *spaces.COLOR_DTYPES),
    *(*spaces.YUV_LIKES, *audio.RESAMPLE_LIKES, *MEL_LIKES),
}
CHOICES = {
    *chain(*geometry.MODES.values()),
    *(*crop.PAD_MODES, *warp.AFFINE_MODES, *warp.GRID_MODES),
    *(*color.ROUNDINGS, *yolo.VERSIONS, *generation.STRATEGIES),
}
"""What `like` and a mode may say in some step."""

EXAMPLE = re.compile(r"```mlir\n(.*?)```", re.DOTALL)
SHORT_EXAMPLE = re.compile(r"`(%.*?)`", re.DOTALL)
TYPE = re.compile(r"tensor<[^<>]*(?:<[^<>]*>)?>")


def example(op_class: type[PipeOp]) -> PipeOp:
    """The op that stands in its class's docstring."""
    docstring = inspect.cleandoc(op_class.__doc__ or "")
    found = EXAMPLE.search(docstring) or SHORT_EXAMPLE.search(docstring)
    assert found, f"{op_class.name}: no example"
    text = found.group(1)
    names = re.findall(r"%\w+", text.split("=", 1)[1])
    types = TYPE.findall(text.split("->")[0])
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types, strict=True))
    module = parse(f"func.func @main({arguments}) {{\n{text}\nfunc.return }}")
    return next(op for op in module.walk() if isinstance(op, op_class))


def forms(op: PipeOp) -> Iterator[Operation]:
    """The op with each library, mode and dtype that is known, where they fit."""
    texts = {
        name: LIKES if name == "like" else CHOICES
        for name in ("like", *MODES)
        if name in op.properties
    }
    for chosen in product(*texts.values()):
        changed = zip(texts, map(StringAttr, chosen), strict=True)
        properties = {**op.properties, **dict(changed)}
        for dtype, all_alike in product(DTYPES, (False, True)):
            operands = [tensor_of(v) for v in op.operands]
            alike = {operands[0]} if not all_alike else set(operands)
            types = [
                of_dtype(t, dtype)
                if t in alike and t.element_type == operands[0].element_type
                else t
                for t in operands
            ]
            values = xdsl_test.TestOp(result_types=types).results
            try:
                results = op.infer(types, properties)
            except VerifyException:
                continue
            yield type(op).create(
                operands=values, result_types=results, properties=properties
            )


def of_dtype(type_: AnyTensor, dtype: str) -> AnyTensor:
    """The same type of another dtype."""
    return with_encoding(tensor(dtype, type_.get_shape()), type_.encoding)


@pytest.mark.parametrize("op_class", OPS, ids=lambda op: op.name)
def test_each_form_has_a_bound(op_class: type[PipeOp]) -> None:
    found = list(forms(example(op_class)))
    assert found
    for op in found:
        assert bound_of(op), op
