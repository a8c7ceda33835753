"""The op x facet matrix: the facets of each `nn` op, or the reasons for missing ones.

A family has one file of the same name in every facet folder. Each file holds a literal
table keyed by op class (the import table: by ATen operator), or a reason for each op. A cell
is a text: the facet, or `no: <reason>`; an empty cell is a hole, for which a test fails.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import Any

from xdsl.ir import Block, Operation
from xdsl.irdl import IRDLOperation

from devproc.dialects.nn import FAMILIES, NN
from devproc.dialects.nn.checks import CheckOp
from devproc.dialects.nn.pointwise import PointwiseOp
from devproc.dialects.nn.shape import PackOp
from devproc.transforms.placed import cost_model
from devproc.transforms.placed.batch import batch_rules
from devproc.transforms.tensor import channels_last, slice_rules
from devproc.transforms.tensor.channels_last import ChannelsLast

IMPORTS = "devproc.frontends.torch_export.families"
REFERENCES = "devproc.reference"
LOWERINGS = "devproc.transforms.kernels.nn_to_linalg"
DECOMPOSITIONS = "devproc.transforms.tensor.decompositions"


@dataclass(frozen=True)
class Row:
    """The facets of one op."""

    op: type[IRDLOperation]
    family: str
    imports: str
    reference: str
    code: str
    slicing: str
    batch: str
    channels_last: str
    cost: str

    @property
    def holes(self) -> tuple[str, ...]:
        """The facets that are missing without a reason."""
        cells = [field.name for field in fields(self)[2:]]
        return tuple(name for name in cells if not getattr(self, name))


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
            *(later_facet(op, code(op), *facet) for facet in LATER_FACETS),
        )
        for family, ops in FAMILIES.items()
        for op in ops
    ]


def later_facet(
    op: type[IRDLOperation],
    code: str,
    rules: Collection[type[Operation]],
    reasons: Mapping[type[Operation], str],
) -> str:
    """The cell of a facet of later passes: a rule of the class or of a base class.

    Otherwise the reason why there is none, as for an op that these passes never see.
    """
    if issubclass(op, tuple(rules)):
        return "rule"
    if code == "decomposition":
        return "no: opened by decompose-nn before"
    if issubclass(op, PackOp):
        return "no: in @prepare alone"
    if issubclass(op, CheckOp):
        return "no: lowered by lower-value-checks before"
    if not op.get_irdl_definition().operands:
        return "no: without operands it is known at compile time"
    return excuse(reasons, op)


NAMED = {op.name: op for op in NN.operations}
"""name -> op class."""

COSTS = (
    *(cost_model.FLOPS, cost_model.SEVERAL_FLOPS),
    *(cost_model.ONE_FLOP, cost_model.FREE),
)

LATER_FACETS: tuple[
    tuple[Collection[type[Operation]], Mapping[type[Operation], str]], ...
] = (
    (slice_rules.RULES, slice_rules.NO_RULE),
    ((PointwiseOp, *batch_rules.RULES), batch_rules.NO_RULE),
    (tuple(ChannelsLast(Block()).rules()), channels_last.NO_RULE),
    (
        [NAMED[name] for names in COSTS for name in names],
        {NAMED[name]: why for name, why in cost_model.NO_COST.items()},
    ),
)
"""Slicing, batch splitting, channels last, cost: the rules, and reasons for none."""


def excuse(reasons: Mapping[Any, str], op: type[IRDLOperation]) -> str:
    """`no: <reason>`, or an empty text without a reason."""
    return f"no: {reasons[op]}" if op in reasons else ""
