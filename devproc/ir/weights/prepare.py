"""The function `@prepare`: work on weights that is done once, at compile time.

It takes nothing and returns what the program uses in the place of the original weights:
its result `i` is named by `nn.weight @"prepare.<i>"`. The hash of such a weight is that
of the ops and weights that it comes from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue

from devproc.dialects.nn.constant import WeightOp
from devproc.ir.identity_cache import cached_by_identity
from devproc.ir.verification.verify import PREPARE
from devproc.ir.weights.table import HASH_DIGITS

PREFIX = PREPARE + "."


def prepare_function(module: ModuleOp) -> FuncOp | None:
    """The function `@prepare` of a module, if it has one."""
    for op in module.body.block.ops:
        if isinstance(op, FuncOp) and op.sym_name.data == PREPARE:
            return op
    return None


def prepared_index(name: str) -> int | None:
    """The result of `@prepare` that a weight name stands for; None for other weights."""
    digits = name.removeprefix(PREFIX)
    # A module of the user's may be called "prepare", too.
    return int(digits) if name.startswith(PREFIX) and digits.isdecimal() else None


def append_to_prepare(
    module: ModuleOp, ops: Sequence[Operation], result: SSAValue
) -> tuple[str, str]:
    """Adds one result to `@prepare`; gives the key and hash of its `nn.weight`.

    See `extend_prepare`.
    """
    return extend_prepare(module, ops, [result])[0]


def extend_prepare(
    module: ModuleOp, ops: Sequence[Operation], results: Sequence[SSAValue]
) -> list[tuple[str, str]]:
    """Copies `ops` to the end of `@prepare` (made where missing) and returns `results`.

    The ops stand in order and use values of one another only. A weight that is itself
    prepared is replaced by the value it names. Gives key and hash of each result.
    """
    function = prepare_function(module) or _new_function(module)
    block = function.body.block
    last = block.last_op
    assert isinstance(last, ReturnOp)
    returned = list(last.arguments)
    values: dict[SSAValue, SSAValue] = {}
    for op in ops:
        index = prepared_index(op.weight_name) if isinstance(op, WeightOp) else None
        if index is not None:
            values[op.results[0]] = returned[index]
            continue
        missing = [v for v in op.operands if v not in values]
        if missing:
            raise ValueError(f"'{op.name}' uses a value from outside of the ops given")
        block.insert_op_before(op.clone(values), last)
    return add_results(function, [values[result] for result in results])


def add_results(function: FuncOp, values: Sequence[SSAValue]) -> list[tuple[str, str]]:
    """Returns these values of `@prepare` as well; gives key and hash of each."""
    block = function.body.block
    last = block.last_op
    assert isinstance(last, ReturnOp)
    first = len(last.arguments)
    returned = [*last.arguments, *values]
    block.insert_op_before(ReturnOp(*returned), last)
    block.erase_op(last)
    function.function_type = FunctionType.from_lists([], [v.type for v in returned])
    hashes = result_hashes(function, first)
    return [(f"{PREFIX}{first + i}", digest) for i, digest in enumerate(hashes)]


def result_hashes(function: FuncOp, first: int = 0) -> list[str]:
    """The hashes of the results of `@prepare` from `first` on."""
    last = function.body.block.last_op
    assert isinstance(last, ReturnOp)
    digests: dict[Operation, bytes] = {}
    return [_hash(value, digests) for value in last.arguments[first:]]


def _new_function(module: ModuleOp) -> FuncOp:
    body = Region(Block([ReturnOp()]))
    function = FuncOp(PREPARE, ((), ()), body, visibility="private")
    module.body.block.add_op(function)
    return function


def _hash(value: SSAValue, digests: dict[Operation, bytes]) -> str:
    assert isinstance(value, OpResult)
    text = _digest(value.op, digests) + str(value.index).encode()
    return hashlib.sha256(text).hexdigest()[:HASH_DIGITS]


@cached_by_identity
def _text(attribute: Attribute) -> str:
    """Printed once: `@prepare` is looked through again for each weight that is packed."""
    return str(attribute)


def _digest(op: Operation, digests: dict[Operation, bytes]) -> bytes:
    """A digest of an op and all it comes from; locations and names play no part."""
    if op not in digests:
        parts = [
            op.name,
            *(f"{k}={_text(op.properties[k])}" for k in sorted(op.properties)),
            *(_text(t) for t in op.result_types),
        ]
        content = "\n".join(parts).encode()
        for operand in op.operands:
            assert isinstance(operand, OpResult)
            content += _digest(operand.op, digests) + str(operand.index).encode()
        digests[op] = hashlib.sha256(content).digest()
    return digests[op]
