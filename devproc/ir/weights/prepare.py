"""The function `@prepare`: work on weights that is done once, at compile time.

It has no arguments and returns the weights that the program uses in place of the original
ones: `nn.weight @"prepare.<i>"` names its result `i`. The hash of such a weight covers the
ops and weights that it is computed from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue

from devproc.dialects.nn.constant import WeightOp
from devproc.ir.functions import function_named
from devproc.ir.identity_cache import cached_by_identity
from devproc.ir.verification.verify import PREPARE
from devproc.ir.weights.table import HASH_DIGITS

PREFIX = PREPARE + "."


def prepare_function(module: ModuleOp) -> FuncOp | None:
    """The function `@prepare` of a module, if it has one."""
    return function_named(module, PREPARE)


def prepared_index(name: str) -> int | None:
    """The index of the result of `@prepare` that a weight names; None for other weights."""
    digits = name.removeprefix(PREFIX)
    # A module of the user may be called "prepare" as well.
    return int(digits) if name.startswith(PREFIX) and digits.isdecimal() else None


def append_to_prepare(
    module: ModuleOp, ops: Sequence[Operation], result: SSAValue
) -> tuple[str, str]:
    """Adds one result to `@prepare`; returns the key and hash of its `nn.weight`.

    See `extend_prepare`.
    """
    return extend_prepare(module, ops, [result])[0]


def extend_prepare(
    module: ModuleOp, ops: Sequence[Operation], results: Sequence[SSAValue]
) -> list[tuple[str, str]]:
    """Appends `ops` to `@prepare` (created if missing) and `results` to what it returns.

    The ops are in order and use only values of one another. A weight that is itself
    prepared is replaced by the value that it names. Returns key and hash of each result.
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
            raise ValueError(f"'{op.name}' uses a value from outside of the given ops")
        block.insert_op_before(op.clone(values), last)
    return add_results(function, [values[result] for result in results])


def add_results(function: FuncOp, values: Sequence[SSAValue]) -> list[tuple[str, str]]:
    """Makes `@prepare` return further values; returns key and hash of each."""
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
    """Cached, because `@prepare` is hashed again for each packed weight."""
    return str(attribute)


def _digest(op: Operation, digests: dict[Operation, bytes]) -> bytes:
    """A digest of an op and everything it depends on, without locations and names."""
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
