"""Every `nn` op has every facet, or a reason why not, in the file of its family."""

from __future__ import annotations

import pytest

from devproc.dialects.nn import FAMILIES, NN
from devproc.tools.op_matrix import (
    DECOMPOSITIONS,
    IMPORTS,
    LOWERINGS,
    REFERENCES,
    Row,
    has_file,
    rows,
    table,
)
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
