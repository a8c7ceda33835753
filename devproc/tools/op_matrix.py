"""The op x facet matrix: the facets of each `nn` op, or the reasons for missing ones.

A family has one file of the same name in every facet folder. Each file holds a literal
table keyed by op class (the import table: by ATen operator), or a reason for each op. A cell
is a text: the facet, or `no: <reason>`; an empty cell is a hole, for which a test fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from xdsl.irdl import IRDLOperation

from devproc.dialects.nn import FAMILIES
from devproc.exchange.writer import DIALECTS
from devproc.op_rules.facets import tables

IMPORTS = "devproc.frontends.torch_export.families"
REFERENCES = "devproc.reference"
LOWERINGS = "devproc.transforms.kernels.nn_to_linalg"
DECOMPOSITIONS = "devproc.transforms.tensor.decompositions"
RULES = "devproc.op_rules"

FACETS: Mapping[str, tables.Table[Any]] = {
    "SLICING": tables.SLICING,
    "BATCH": tables.BATCH,
    "CHANNELS_LAST": tables.CHANNELS_LAST,
    "COST": tables.COST,
    "TOLERANCE": tables.TOLERANCE,
}
"""The facets of `op_rules`, a table each in the file of a family."""


@dataclass(frozen=True)
class Row:
    """The facets of one op."""

    op: type[IRDLOperation]
    family: str
    imports: str
    reference: str
    code: str
    json: str
    rules: Mapping[str, str]
    """The cell of each of `FACETS`."""

    @property
    def holes(self) -> tuple[str, ...]:
        """The facets that are neither there nor excused."""
        cells = {
            "import row": self.imports,
            "reference": self.reference,
            "lowering or decomposition": self.code,
            "JSON": self.json,
            **self.rules,
        }
        return tuple(name for name, cell in cells.items() if not cell)


def has_file(package: str, family: str) -> bool:
    """Whether a facet folder has the file of a family."""
    folder = Path(*package.split(".")[1:])
    return (Path(__file__).parents[1] / folder / f"{family}.py").is_file()


def table(package: str, family: str, name: str) -> dict[Any, Any]:
    """A table of a facet file; empty if the file or the table is missing."""
    if not has_file(package, family):
        return {}
    return getattr(import_module(f"{package}.{family}"), name, {})


def merged(package: str, name: str) -> dict[Any, Any]:
    """The table of all families."""
    return {
        k: v for family in FAMILIES for k, v in table(package, family, name).items()
    }


def rows() -> list[Row]:
    """One row for each op, in the order of the families."""
    makers: dict[type[IRDLOperation], list[str]] = {}
    for target, rule in merged(IMPORTS, "IMPORTS").items():
        for op in rule.makes:
            makers.setdefault(op, []).append(str(target))
    no_import = merged(IMPORTS, "NO_IMPORT")
    references = merged(REFERENCES, "REFERENCE")
    no_reference = merged(REFERENCES, "NO_REFERENCE")
    lowerings = merged(LOWERINGS, "LOWERINGS")
    no_lowering = merged(LOWERINGS, "NO_LOWERING")
    decompositions = merged(DECOMPOSITIONS, "DECOMPOSITIONS")

    def code(op: type[IRDLOperation]) -> str:
        if op in lowerings and op in decompositions:
            return "lowering to linalg, or decomposition"
        if op in lowerings:
            return "lowering to linalg"
        if op in decompositions:
            return "decomposition"
        return excuse(no_lowering, op)

    return [
        Row(
            op,
            family,
            ", ".join(f"`{target}`" for target in makers.get(op, ()))
            or excuse(no_import, op),
            "yes" if op in references else excuse(no_reference, op),
            code(op),
            "yes" if op.name.partition(".")[0] in DIALECTS else "",
            rule_cells(op),
        )
        for family, ops in FAMILIES.items()
        for op in ops
    ]


def rule_cells(op: type[IRDLOperation]) -> dict[str, str]:
    """What an op has in each of `FACETS`: a rule, `no: <reason>`, or nothing."""

    def cell(table: tables.Table[Any]) -> str:
        row = table.get(op, "")
        return ("no: " + row if row else "") if isinstance(row, str) else "rule"

    return {name: cell(table) for name, table in FACETS.items()}


def excuse(reasons: Mapping[Any, str], op: type[IRDLOperation]) -> str:
    """`no: <reason>`, or an empty text without a reason."""
    return f"no: {reasons[op]}" if op in reasons else ""
