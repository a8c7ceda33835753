"""Every `nn` op has every facet, or a reason why not, in the file of its family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from xdsl.ir import Operation
from xdsl.irdl import irdl_op_definition, operand_def

from devproc.dialects.nn import FAMILIES, NN
from devproc.dialects.nn.base import NNOp, Properties
from devproc.ir.types import AnyTensor
from devproc.tools.op_matrix import (
    DECOMPOSITIONS,
    IMPORTS,
    LATER_FACETS,
    LOWERINGS,
    REFERENCES,
    Row,
    has_file,
    later_facet,
    rows,
    table,
)
from devproc.transforms.placed import cost_model
from devproc.transforms.placed.batch import batch_rules
from devproc.transforms.tensor import channels_last, slice_rules
from tests.repository import ROOT, sources

ROWS = rows()
FACETS = {
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
    for package in ("devproc.dialects.nn", IMPORTS, REFERENCES):
        assert has_file(package, family), f"{package} has no file {family}.py"
    code = [table(LOWERINGS, family, name) for name in ("LOWERINGS", "NO_LOWERING")]
    assert any(code) or table(DECOMPOSITIONS, family, "DECOMPOSITIONS")


@pytest.mark.parametrize(("package", "name"), FACETS.items())
def test_tables_stand_in_files_of_families(package: str, name: str) -> None:
    """A file that holds a facet's table is named after a family."""
    folder = ROOT / package.replace(".", "/")
    for path in sources():
        if path.parent == folder and path.stem not in FAMILIES:
            assert f"\n{name} = {{" not in path.read_text(), f"{path} is no family"


@pytest.mark.parametrize("family", FAMILIES)
def test_rows_stand_in_the_file_of_their_family(family: str) -> None:
    for package, name in list(FACETS.items())[1:]:
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


LATER = (
    ("slicing", slice_rules.NO_RULE),
    ("batch", batch_rules.NO_RULE),
    ("channels_last", channels_last.NO_RULE),
)


@pytest.mark.parametrize(("column", "reasons"), LATER, ids=[name for name, _ in LATER])
def test_no_reason_for_a_rule_that_is_there(
    column: str, reasons: Mapping[type[Operation], str]
) -> None:
    cells: dict[type[Operation], str] = {r.op: getattr(r, column) for r in ROWS}
    for op, why in reasons.items():
        assert cells[op] == f"no: {why}"


def test_each_op_has_one_cost() -> None:
    """A name in two tables would have the cost of the first that is asked."""
    tables = (
        cost_model.FLOPS,
        cost_model.SEVERAL_FLOPS,
        cost_model.ONE_FLOP,
        cost_model.FREE,
        cost_model.NO_COST,
    )
    names = [name for table in tables for name in table]
    assert len(names) == len(set(names))


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

    assert [later_facet(NewOp, "", *facet) for facet in LATER_FACETS] == [""] * 4
