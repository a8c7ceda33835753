"""Every `nn` op has every facet, or a reason why not, in the file of its family."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region
from xdsl.irdl import irdl_op_definition, operand_def

from devproc.dialects.nn import FAMILIES, NN
from devproc.dialects.nn.base import NNOp, Properties
from devproc.dialects.nn.loop import YieldOp
from devproc.driver import module_text
from devproc.ir.types import AnyTensor
from devproc.tools.op_matrix import (
    DECOMPOSITIONS,
    FACETS,
    IMPORTS,
    LOWERINGS,
    REFERENCES,
    RULES,
    Row,
    has_file,
    rows,
    rule_cells,
    table,
)
from tests.exchange.test_round_trip import through_json
from tests.repository import ROOT, parse, sources

ROWS = rows()
TABLES = {
    IMPORTS: "IMPORTS",
    REFERENCES: "REFERENCE",
    LOWERINGS: "LOWERINGS",
    DECOMPOSITIONS: "DECOMPOSITIONS",
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.op.name)
def test_op_has_every_facet(row: Row) -> None:
    assert not row.holes, f"{row.op.name} ({row.family}) lacks: {', '.join(row.holes)}"


def test_matrix_covers_the_dialect() -> None:
    assert {row.op for row in ROWS} == set(NN.operations)


@pytest.mark.parametrize("family", FAMILIES)
def test_family_has_its_files(family: str) -> None:
    for package in ("devproc.dialects.nn", IMPORTS, REFERENCES, RULES):
        assert has_file(package, family), f"{package} has no file {family}.py"
    code = [table(LOWERINGS, family, name) for name in ("LOWERINGS", "NO_LOWERING")]
    assert any(code) or table(DECOMPOSITIONS, family, "DECOMPOSITIONS")


@pytest.mark.parametrize(("package", "name"), TABLES.items())
def test_tables_stand_in_files_of_families(package: str, name: str) -> None:
    """A file that holds a facet's table is named after a family."""
    folder = ROOT / package.replace(".", "/")
    for path in sources():
        if path.parent == folder and path.stem not in FAMILIES:
            assert f"\n{name} = {{" not in path.read_text(), f"{path} is no family"


@pytest.mark.parametrize("family", FAMILIES)
def test_rows_stand_in_the_file_of_their_family(family: str) -> None:
    for package, name in list(TABLES.items())[1:]:
        for op in table(package, family, name):
            assert op in FAMILIES[family], f"{op.name} is not of family {family}"


EXCUSES = (
    (IMPORTS, "NO_IMPORT", "imports"),
    (REFERENCES, "NO_REFERENCE", "reference"),
    (LOWERINGS, "NO_LOWERING", "code"),
)


@pytest.mark.parametrize(("package", "name", "column"), EXCUSES)
def test_no_reason_for_what_is_there(package: str, name: str, column: str) -> None:
    """A reason stands only where the facet is missing; a decomposition may have one."""
    cells = {row.op: getattr(row, column) for row in ROWS}
    for family in FAMILIES:
        for op in table(package, family, name):
            assert cells[op].startswith("no: ") or cells[op] == "decomposition"


@pytest.mark.parametrize("facet", FACETS)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_has_a_row_for_each_op(family: str, facet: str) -> None:
    """A rule, or the reason for none: no op gets one by what it is derived from."""
    assert set(table(RULES, family, facet)) == set(FAMILIES[family])


def test_tables_hold_the_dialect() -> None:
    for found in FACETS.values():
        assert set(found) == set(NN.operations)


SAMPLES = {
    op.name: op
    for family in FAMILIES
    for op in parse(
        (ROOT / f"tests/filecheck/dialects/nn/ops-{family}.mlir").read_text()
    ).walk()
    if type(op) in FAMILIES[family]
}
"""An op of each class, from the round trips of its family."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.op.name)
def test_op_is_written_to_json_and_read_back(row: Row) -> None:
    """Alone, with the arguments of a function for its operands; in a loop, with that."""
    op = SAMPLES[row.op.name]
    if isinstance(op, YieldOp):
        op = op.parent_op()
        assert op is not None
    main = Block(arg_types=[value.type for value in op.operands])
    values = dict(zip(op.operands, main.args, strict=False))
    alone = op.clone({value: values[value] for value in op.operands})
    main.add_ops([alone, ReturnOp(*alone.results)])
    types = [list(main.arg_types), [value.type for value in alone.results]]
    module = ModuleOp([FuncOp("main", (types[0], types[1]), Region(main))])
    assert module_text(through_json(module)) == module_text(module)


def test_an_op_without_rows_is_a_hole() -> None:
    @irdl_op_definition
    class NewOp(NNOp):
        name = "nn.new"
        operand = operand_def()

        @classmethod
        def infer(
            cls, operands: Sequence[AnyTensor], properties: Properties
        ) -> Sequence[AnyTensor]:
            return []

    assert rule_cells(NewOp) == dict.fromkeys(FACETS, "")
