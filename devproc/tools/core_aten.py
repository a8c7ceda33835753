"""The ops that ATen operators are imported as, in particular PyTorch's core set."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportPrivateUsage=false

from __future__ import annotations

import torch

from devproc.dialects.nn import FAMILIES
from devproc.frontends.torch_export.families.checks import CHECKS
from devproc.frontends.torch_export.graph.builder import ImportRule
from devproc.frontends.torch_export.graph.refused import REFUSED
from devproc.tools.op_matrix import IMPORTS, table

IN_PYTORCH = "composed by PyTorch of other operators"
UNCHANGED = "its operand"
TRAINING = "refused: it belongs to training; only inference is compiled"


def core_overloads() -> list[str]:
    """The overloads that PyTorch tags as core, in alphabetical order."""
    found: list[str] = []
    for name in torch._C._dispatch_get_all_op_names():
        namespace, _, rest = name.partition("::")
        operator, _, variant = rest.partition(".")
        if namespace != "aten":
            continue
        packet = getattr(torch.ops.aten, operator, None)
        overload = getattr(packet, variant or "default", None)
        if torch.Tag.core in getattr(overload, "tags", ()):
            found.append(str(overload))
    return sorted(found)


def rules() -> dict[str, dict[str, ImportRule]]:
    """Family -> overload -> how it is imported."""
    return {name: table(IMPORTS, name, "IMPORTS") for name in FAMILIES}


def becomes(rule: ImportRule) -> str:
    """The ops that an operator is imported as, in words."""
    if rule.makes:
        return ", ".join(f"`{op.name}`" for op in rule.makes)
    built_by = rule.build.__qualname__
    if "composed_of" in built_by:
        return IN_PYTORCH
    return TRAINING if "_trains" in built_by else UNCHANGED


def standing(overload: str) -> str:
    """How an overload is imported, or why it is refused; empty if neither is known."""
    for imports in rules().values():
        if overload in imports:
            return becomes(imports[overload])
    if overload in CHECKS:
        return "nothing: a check, which no result needs"
    if overload in REFUSED:
        return f"refused: {REFUSED[overload]}"
    if overload.endswith(".out"):
        return "its form without `out=`, by functionalization"
    return ""
