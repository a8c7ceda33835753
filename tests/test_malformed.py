"""Malformed IR: hundreds of programs, each refused with its own message."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.cf import Cf
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import ParseError, VerifyException

from devproc.dialects.nn import NN, checks, signal
from devproc.ir.verification.verify import verify_module
from tests.malformed import (
    attention,
    audio,
    compare,
    contraction,
    detection,
    elementary,
    gather,
    image,
    images,
    normalization,
    pipe,
    pointwise,
    programs,
    quantized,
    reduction,
    scan,
    shape,
    sort,
    text,
    window,
)
from tests.malformed.cases import Bad
from tests.malformed.mutations import Mutation, mutations
from tests.malformed.samples import SAMPLES, Sample, sample_module
from tests.repository import context, parse

TABLES = (
    attention,
    audio,
    compare,
    elementary,
    gather,
    contraction,
    detection,
    image,
    images,
    normalization,
    pipe,
    pointwise,
    quantized,
    reduction,
    scan,
    shape,
    sort,
    text,
    window,
)
CASES = tuple(case for table in TABLES for case in table.CASES)
CONTEXT = context()
CONTEXT.load_dialect(Cf)  # for dominance across blocks


def first_op(module: ModuleOp) -> Operation:
    """The first op of the first function."""
    function = module.body.block.first_op
    assert isinstance(function, FuncOp)
    op = function.body.block.first_op
    assert op is not None
    return op


def refuse(module: ModuleOp, message: str) -> None:
    """The module does not verify, and says why."""
    with pytest.raises(VerifyException) as caught:
        verify_module(module)
    assert message in str(caught.value)


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.text}-{c.operands}")
def test_case(case: Bad) -> None:
    refuse(parse(case.module, CONTEXT), case.message)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: s[0])
def test_sample_is_well_formed(sample: Sample) -> None:
    verify_module(parse(sample_module(sample), CONTEXT))


def mutated_samples() -> Iterator[object]:
    """Each mutation of each sample, named after both."""
    for sample in SAMPLES:
        op = first_op(parse(sample_module(sample), CONTEXT))
        for mutation in mutations(op):
            yield pytest.param(sample, mutation, id=f"{sample[0]}-{mutation.name}")


@pytest.mark.parametrize(("sample", "mutation"), list(mutated_samples()))
def test_mutation(sample: Sample, mutation: Mutation) -> None:
    module = parse(sample_module(sample), CONTEXT)
    mutation.apply(first_op(module))
    refuse(module, mutation.message)


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_program(name: str) -> None:
    text, message = programs.PROGRAMS[name]
    with pytest.raises((VerifyException, ParseError)) as caught:
        verify_module(parse(text, CONTEXT))
    assert message in str(caught.value)


def test_every_op_has_a_sample() -> None:
    sampled = {first_op(parse(sample_module(s), CONTEXT)).name for s in SAMPLES}
    # No operands or no result, or a body: these stand in `programs` instead.
    tables = {op.name for op in (*signal.OPS, *checks.OPS)} | {
        "nn.resample_taps",
        "nn.quantize_groups",
    }
    whole = {"nn.constant", "nn.weight", "nn.loop", "nn.yield"} | tables
    assert {op.name for op in NN.operations} == sampled | whole
    for name in whole:
        assert any(name in text for text, _ in programs.PROGRAMS.values())


def test_there_are_hundreds() -> None:
    assert len(CASES) + len(list(mutated_samples())) + len(programs.PROGRAMS) >= 300
