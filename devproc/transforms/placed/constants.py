"""Before the partition: dead ops go, and constants that need memory become weights."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block

from devproc.dialects.nn.constant import ConstantOp, WeightOp
from devproc.ir.weights.prepare import append_to_prepare


def erase_dead_ops(block: Block) -> None:
    """Erase ops that no output needs, so that no island or copy is made for them."""
    for op in reversed(list(block.ops)):
        if not isinstance(op, ReturnOp) and not any(r.uses for r in op.results):
            op.detach()
            op.erase()


def name_constants(module: ModuleOp, block: Block) -> None:
    """Constants whose elements differ become results of `@prepare`; one number stays."""
    for op in list(block.ops):
        if not isinstance(op, ConstantOp):
            continue
        if not op.result.type.element_count() or op.value.is_splat():
            continue
        key, digest = append_to_prepare(module, [op], op.result)
        weight = WeightOp(key, digest, op.result.type)
        weight.location = op.location
        weight.result.name_hint = op.result.name_hint
        block.insert_op_before(weight, op)
        op.result.replace_all_uses_with(weight.result)
        op.detach()
        op.erase()
