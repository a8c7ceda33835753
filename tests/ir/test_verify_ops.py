"""Verification that asks once for each form: as strict as xDSL's, op by op."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FunctionType, ModuleOp, f32, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region
from xdsl.irdl import IRDLOperation
from xdsl.utils.exceptions import VerifyException

from devproc.backend import Stage
from devproc.driver import make_context, parse_module, run_stages
from devproc.errors import CompileError
from devproc.ir.verification import verify_ops
from devproc.ir.verification.verify_ops import (
    LOCAL_DIALECTS,
    LOCAL_OPS,
    VerifiedForms,
    is_local,
)


def local_classes() -> list[type[IRDLOperation]]:
    """Every class whose verdict is remembered."""
    context = make_context()
    classes = [
        op
        for name in sorted(LOCAL_DIALECTS | {op.split(".")[0] for op in LOCAL_OPS})
        for op in context.get_dialect(name).operations
    ]
    return [op for op in classes if issubclass(op, IRDLOperation) and is_local(op)]


def test_remembered_verifiers_read_the_op_alone() -> None:
    """No verifier of a remembered class looks at parents, owners, uses or symbols."""
    classes = local_classes()
    assert len(classes) > 150
    for op in classes:
        for base in op.__mro__:
            custom = vars(base).get("verify_")
            if custom is None or not base.__module__.startswith(
                ("devproc", "xdsl.dia")
            ):
                continue
            cells = [c.cell_contents for c in custom.__closure__ or ()]
            for function in [custom, *filter(inspect.isfunction, cells)]:
                names = {*function.__code__.co_names}
                around = {"parent", "parent_op", "owner", "uses", "next_op", "prev_op"}
                # The type of the function is part of the signature of its return.
                if op is ReturnOp:
                    around.remove("parent_op")
                assert not names & around, f"{op.name}: {names & around}"


def test_a_second_op_of_another_form_is_still_refused() -> None:
    number = arith.ConstantOp.from_int_and_width(1, i32)
    good = [arith.AddiOp(number, number) for _ in range(3)]
    bad = arith.AddiOp.create(
        operands=[number.result, number.result], result_types=[f32]
    )
    module = ModuleOp(Region(Block([number, *good, bad])))
    forms = VerifiedForms()
    with pytest.raises(VerifyException):
        module.verify()
    with pytest.raises(VerifyException):
        forms.verify(module)
    bad.detach()
    forms.verify(module)
    module.body.block.add_op(bad)
    with pytest.raises(VerifyException):
        forms.verify(module)


def test_attributes_belong_to_the_form() -> None:
    text = """
    func.func @main(%v: vector<4xf32>) -> f32 {
      %a = vector.extract %v[1] : f32 from vector<4xf32>
      %b = vector.extract %v[2] : f32 from vector<4xf32>
      func.return %b : f32
    }"""
    module = parse_module(text)
    forms = VerifiedForms()
    forms.verify(module)
    ops = [op for op in module.walk() if op.name == "vector.extract"]
    ops[1].properties["static_position"] = ops[0].properties["static_position"]
    forms.verify(module)
    del ops[1].properties["static_position"]
    with pytest.raises(VerifyException):
        forms.verify(module)


def test_terminators_and_regions_have_forms_of_their_own() -> None:
    text = """
    func.func @main(%n: index, %x: f32) -> f32 {
      %a = scf.for %i = %n to %n step %n iter_args(%s = %x) -> (f32) {
        scf.yield %s : f32
      }
      %b = scf.for %i = %n to %n step %n iter_args(%s = %x) -> (f32) {
        scf.yield %s : f32
      }
      func.return %b : f32
    }"""

    def refused(change: Callable[[scf.ForOp, scf.YieldOp], object]) -> None:
        module = parse_module(text)
        forms = VerifiedForms()
        forms.verify(module)
        loop = [op for op in module.walk() if isinstance(op, scf.ForOp)][1]
        end = loop.body.block.last_op
        assert isinstance(end, scf.YieldOp)
        change(loop, end)
        with pytest.raises(VerifyException):
            module.verify()
        with pytest.raises(VerifyException):
            forms.verify(module)

    refused(lambda loop, end: setattr(end, "operands", [loop.lb]))
    refused(lambda loop, end: end.detach())
    refused(lambda loop, end: loop.body.block.add_op(scf.YieldOp(loop.iter_args[0])))
    refused(lambda loop, end: loop.body.block.erase_arg(loop.body.block.args[0], False))

    def ends_the_function(loop: scf.ForOp, end: scf.YieldOp) -> None:
        function = loop.parent_op()
        assert isinstance(function, FuncOp)
        last = function.body.block.last_op
        assert last is not None
        last.detach()
        function.body.block.add_op(scf.YieldOp(*loop.results))

    refused(ends_the_function)


def test_only_some_ops_let_any_op_end_their_block() -> None:
    number = arith.ConstantOp.from_int_and_width(1, i32)
    forms = VerifiedForms()
    forms.verify(ModuleOp([number.clone()]))
    function = FuncOp("f", ((), ()), Region(Block([number])))
    for _ in range(2):
        with pytest.raises(VerifyException, match="is not a terminator"):
            forms.verify(ModuleOp([function.clone()]))


def test_attributes_and_symbols_of_a_module_are_verified() -> None:
    forms = VerifiedForms()
    functions = [FuncOp.external("f", [], []), FuncOp.external("g", [], [])]
    module = ModuleOp([*functions])
    forms.verify(module)
    module.properties["sym_name"] = i32
    for _ in range(2):
        with pytest.raises(VerifyException, match="i32"):
            forms.verify(module)
    del module.properties["sym_name"]
    functions[1].sym_name = functions[0].sym_name
    with pytest.raises(VerifyException, match="Redefinition"):
        forms.verify(module)


FUNCTIONS = """
    func.func @f(%x: f32) -> f32 {
      func.return %x : f32
    }
    func.func @g(%x: f32) -> f32 {
      func.return %x : f32
    }"""


@pytest.mark.parametrize("types", [([i32], [f32]), ([f32], [i32]), ([f32], [])])
@pytest.mark.parametrize("name", ["f", "g"])
def test_the_type_of_a_function_belongs_to_its_form_and_that_of_its_return(
    name: str, types: tuple[list[Attribute], list[Attribute]]
) -> None:
    module = parse_module(FUNCTIONS)
    VerifiedForms().verify(module)
    (function,) = (
        op
        for op in module.body.block.ops
        if isinstance(op, FuncOp) and op.sym_name.data == name
    )
    function.function_type = FunctionType.from_lists(*types)
    with pytest.raises(VerifyException):
        module.verify()
    with pytest.raises(VerifyException):
        VerifiedForms().verify(module)


def test_the_forms_of_earlier_runs_are_remembered_up_to_a_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def verify(self: ReturnOp, verify_nested_ops: bool = True) -> None:
        asked.append(self.name)

    VerifiedForms().verify(parse_module(FUNCTIONS))
    monkeypatch.setattr(ReturnOp, "verify", verify)
    VerifiedForms().verify(parse_module(FUNCTIONS))
    assert asked == []
    monkeypatch.setattr(verify_ops, "MOST_FORMS", 0)
    VerifiedForms().verify(parse_module(FUNCTIONS))
    assert asked == ["func.return"]


def test_the_pass_is_named_where_each_is_verified(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = """
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = nn.relu %x : (tensor<2xf32>) -> tensor<3xf32>
      func.return %x : tensor<2xf32>
    }"""
    stage = Stage("tensor", "", ("hoist-constants", "dce"), frozenset({"func", "nn"}))
    # The dead op is gone when the stage ends.
    run_stages(parse_module(text), make_context(), [stage])
    monkeypatch.setenv("DEVPROC_VERIFY", "pass")
    with pytest.raises(CompileError, match="after pass 'hoist-constants'"):
        run_stages(parse_module(text), make_context(), [stage])
    monkeypatch.setenv("DEVPROC_VERIFY", "never")
    with pytest.raises(Exception, match="expected 'stage' or 'pass'"):
        run_stages(parse_module(text), make_context(), [stage])
