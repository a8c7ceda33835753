"""Applies the lowering tables of all families to the steps of the user's program."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException

from devproc.dialects.pipe.base.layout import bounded_axis, describe_value, layout_of
from devproc.dialects.pipe.base.step import count_of
from devproc.ir.text.location import copy_location_between
from devproc.ir.types import AnyTensor, tensor_of, with_encoding
from devproc.transforms.tensor.pipe_to_nn import (
    arithmetic,
    audio,
    axes,
    boxes,
    color,
    crop,
    detection,
    generation,
    geometry,
    masks,
    mel,
    scores,
    spaces,
    spectra,
    text,
    warp,
    yolo,
)
from devproc.transforms.tensor.pipe_to_nn.formulas.expression import Expressions

LOWERINGS = {
    **geometry.LOWERINGS,
    **color.LOWERINGS,
    **scores.LOWERINGS,
    **boxes.LOWERINGS,
    **yolo.LOWERINGS,
    **detection.LOWERINGS,
    **masks.LOWERINGS,
    **audio.LOWERINGS,
    **spectra.LOWERINGS,
    **mel.LOWERINGS,
    **text.LOWERINGS,
    **generation.LOWERINGS,
    **crop.LOWERINGS,
    **spaces.LOWERINGS,
    **axes.LOWERINGS,
    **arithmetic.LOWERINGS,
    **warp.LOWERINGS,
}
"""op class -> its lowering."""


class LowerStep(RewritePattern):
    """Replaces a step by the ops that its lowering builds before it."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        rule = LOWERINGS.get(type(op))
        if rule is None:
            return
        before = op.prev_op
        results = rule(op, Expressions(rewriter))
        copy_location_between(before, op)
        rewriter.replace(op, [], results)


def _plain(type_: Attribute) -> Attribute:
    if layout_of(type_) is None and bounded_axis(type_) is None:
        return type_
    return with_encoding(cast(AnyTensor, type_), None)


def _require_counts(function: FuncOp) -> None:
    """Require that the count of a bounded output is an output, too."""
    last = function.body.block.last_op
    outputs = list(last.operands) if last else []
    for number, value in enumerate(outputs):
        if bounded_axis(value.type) is not None and count_of(value) not in outputs:
            raise PassFailedException(
                f"lower-pipe: output {number} is {describe_value(tensor_of(value))}, but"
                " its count is no output: rows from the count on are padding"
            )


def _drop_layouts(function: FuncOp) -> None:
    for argument in tuple(function.args):
        location = argument.location
        new = Rewriter.replace_value_with_new_type(argument, _plain(argument.type))
        cast(BlockArgument, new).location = location
    old = function.function_type
    function.function_type = FunctionType.from_lists(
        [_plain(t) for t in old.inputs], [_plain(t) for t in old.outputs]
    )


def lower_steps(module: ModuleOp) -> None:
    """Lowers all steps of a module, and drops the layouts of its functions."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            _require_counts(function)
    # In reverse, because a step reads the layout of an operand that is not yet lowered.
    PatternRewriteWalker(
        GreedyRewritePatternApplier([LowerStep()], dce_enabled=False),
        apply_recursively=False,
        walk_reverse=True,
    ).rewrite_module(module)
    for function in module.ops:
        if isinstance(function, FuncOp):
            _drop_layouts(function)
