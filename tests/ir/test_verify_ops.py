"""Verification that asks once for each form: as strict as xDSL's, op by op."""

from __future__ import annotations

import inspect

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, f32, i32
from xdsl.ir import Block, Region
from xdsl.irdl import IRDLOperation
from xdsl.utils.exceptions import VerifyException

from devproc.driver import make_context, parse_module, run_stages
from devproc.errors import CompileError
from devproc.ir.verify_ops import LOCAL_DIALECTS, VerifiedForms, is_local
from devproc.pipeline import Stage


def local_classes() -> list[type[IRDLOperation]]:
    """Every class whose verdict is remembered."""
    context = make_context()
    classes = [
        op
        for name in sorted(LOCAL_DIALECTS)
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
