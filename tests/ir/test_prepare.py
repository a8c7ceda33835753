"""`@prepare` grows; its weights are named and hashed by where they come from."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from devproc.ir.verification.verify import verify_module
from devproc.ir.weights.prepare import (
    append_to_prepare,
    prepare_function,
    prepared_index,
)
from tests.repository import parse

PROGRAM = """
func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {{
  %{name} = nn.weight @w hash "{hash}" : tensor<2x3xf32> {location}
  %e = nn.{op} %{name} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %t = nn.transpose %e by [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  func.return %t : tensor<3x2xf32>
}}
"""


def program(
    name: str = "w", hash: str = "1f", op: str = "exp", location: str = ""
) -> tuple[ModuleOp, FuncOp]:
    """A program and its main function, in which all but the input is constant."""
    module = parse(PROGRAM.format(name=name, hash=hash, op=op, location=location))
    main = module.body.block.first_op
    assert isinstance(main, FuncOp)
    return module, main


def prepared(module: ModuleOp, main: FuncOp) -> tuple[str, str]:
    """Key and hash of the value that main returns, prepared."""
    *ops, last = main.body.block.ops
    return append_to_prepare(module, ops, last.operands[0])


def test_function_is_made_and_grows() -> None:
    module, main = program()
    assert prepare_function(module) is None
    assert prepared(module, main)[0] == "prepare.0"
    assert prepared(module, main)[0] == "prepare.1"
    verify_module(module)
    function = prepare_function(module)
    assert function is not None
    assert len(function.function_type.outputs) == 2
    assert [op.name for op in function.body.block.ops].count("func.return") == 1


def test_hash_says_where_the_value_comes_from() -> None:
    key, digest = prepared(*program())
    assert key == "prepare.0"
    assert len(digest) == 16
    assert prepared(*program(name="other", location='loc("here")'))[1] == digest
    others = [prepared(*program(hash="2f"))[1], prepared(*program(op="relu"))[1]]
    assert len({digest, *others}) == 3


def test_hash_does_not_depend_on_what_is_prepared_already() -> None:
    module, main = program()
    first, second = prepared(module, main), prepared(module, main)
    assert first[1] == second[1]


def test_ops_must_be_complete() -> None:
    module, main = program()
    *ops, last = main.body.block.ops
    with pytest.raises(ValueError, match=r"'nn\.exp' uses a value from outside"):
        append_to_prepare(module, ops[1:], last.operands[0])


def test_prepared_index() -> None:
    assert prepared_index("prepare.12") == 12
    assert prepared_index("model.prepare.1") is None
    assert prepared_index("fc.weight") is None
