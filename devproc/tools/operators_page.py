"""docs/operators.md: the measured support of operators, and their import; see `tests/ops`."""

from __future__ import annotations

import inspect
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from xdsl.ir import Operation

from devproc.dialects.nn import FAMILIES
from devproc.frontends.torch_export.graph.refused import REFUSED, REMEDIES
from devproc.tools import op_matrix
from devproc.tools.core_aten import becomes, core_overloads, rules, standing
from devproc.tools.markdown import markdown_table

SUPPORT = Path(__file__).parents[2] / "docs" / "support.json"
"""The measured matrix, which `make support` writes."""

DTYPES = {
    "float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16",
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "bool": "bool", "complex64": "c64", "complex128": "c128",
}  # fmt: skip
"""dtype -> header of its column."""

REAL = {head for dtype, head in DTYPES.items() if not dtype.startswith("complex")}

ROUTES = {
    "cpu": "CPU",
    "cuda:interpret": "Interpreted Triton",
    "core": "Decomposed to core ATen, on the CPU",
}


INTRODUCTION = """\
What PyTorch operators become, and what was measured: `make support` runs PyTorch's own
samples of each operator (`torch.testing._internal`, `op_db`) and compares with eager
PyTorch {torch}. A cell is *passed / eligible samples*; it is empty where PyTorch itself
does not take the dtype on the CPU.

- **Eligible** is a sample that eager PyTorch takes, that `torch.export` exports, that is
  small, and that is an inference with static shapes. What is left out for another reason
  is listed with the operator. Of each operator at most {cpu[0]} samples are run in
  float32, int64 and bool and {cpu[1]} in the other dtypes, spread over all.
- **Passed**: integers and bools are equal; floats are within `assert_close`'s tolerances
  or, where they miss them, at most twice as far from the result in float64 as eager
  PyTorch is. Sums in another order and fewer roundings may differ, but not be worse.
- **Complex** samples enter and leave the programs as pairs of real numbers
  (`torch.view_as_real`).
- **Routes**: the CPU with the operators as they are exported (ATen); the CPU with what
  `ExportedProgram.run_decompositions()` leaves of them (core ATen, in float32, int64 and
  bool); and, for a part of the operators, printed Triton under its interpreter.
- **Error inputs** of `op_db` are wrong calls: eager PyTorch or `torch.export` refuses
  them before a program exists, so there is nothing to compile or to test here.
"""


def operators_page(note: str) -> str:
    """The whole page."""
    support = json.loads(SUPPORT.read_text())
    parts = ["# Operators\n\n", note, INTRODUCTION.format_map(_head(support)), "\n"]
    parts += [_totals(support), _core(support), _others(support)]
    parts += [_matrix(support, route) for route in ROUTES]
    parts += [_reasons(support), _refused(), _unclaimed(support)]
    parts += [_primitives(), _facets()]
    return "".join(parts)


def _head(support: Mapping[str, Any]) -> dict[str, Any]:
    return {"torch": support["torch"], **support["samples"]}


def _cells(rows: Iterable[Mapping[str, Any]], route: str) -> tuple[int, int]:
    """Passed and eligible samples of some operators on one route."""
    found = [cell for row in rows for cell in row.get(route, {}).values()]
    return sum(passed for passed, _ in found), sum(eligible for _, eligible in found)


def _ratio(cell: Sequence[int]) -> str:
    """`7/8`; bold if not all samples passed."""
    passed, eligible = cell
    if not eligible:
        return ""
    text = f"{passed}/{eligible}"
    return text if passed == eligible else f"**{text}**"


def _totals(support: Mapping[str, Any]) -> str:
    rows = support["operators"].values()
    lines: list[tuple[str, ...]] = []
    for route, name in ROUTES.items():
        passed, eligible = _cells(rows, route)
        count = sum(route in row for row in rows)
        share = f"{100 * passed / eligible:.2f} %" if eligible else ""
        lines.append((name, str(count), f"{passed}/{eligible}", share))
    return (
        markdown_table(("route", "operators of `op_db`", "samples", "passed"), lines)
        + "\n"
    )


def samples_of(support: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """ATen overload -> the samples of the operators whose programs hold it."""
    found: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for row in support["operators"].values():
        for route, overloads in row["aten"].items():
            passed, eligible = _cells([row], route)
            for overload in overloads:
                found[overload][0] += passed
                found[overload][1] += eligible
    return {name: (passed, eligible) for name, (passed, eligible) in found.items()}


def _core(support: Mapping[str, Any]) -> str:
    samples = samples_of(support)
    names = core_overloads()
    count = sum(not standing(name).startswith("refused") for name in names)
    lines = [(f"`{n}`", standing(n), _ratio(samples.get(n, (0, 0)))) for n in names]
    return (
        "\n## Core ATen\n\n"
        f"The {len(names)} overloads that PyTorch tags as core; {count} are imported. "
        "Samples: of all operators of `op_db` whose programs, exported or decomposed, "
        "hold the overload.\n\n"
        + markdown_table(("operator", "becomes", "samples"), lines)
        + "\n"
    )


def _others(support: Mapping[str, Any]) -> str:
    """The imported overloads outside of the core set, by family."""
    core, samples = set(core_overloads()), samples_of(support)
    parts = ["\n## Other ATen operators\n\nThose that are imported, by family.\n"]
    for family, imports in rules().items():
        grouped: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        for name, rule in sorted(imports.items()):
            if name not in core:
                operator, _, _ = name.rpartition(".")
                grouped[operator, becomes(rule)].append(name)
        if not grouped:
            continue
        lines = [
            (_overloads(names), made, _ratio(_sum(samples, names)))
            for (_, made), names in grouped.items()
        ]
        parts.append(f"\n### From `{family}`\n\n")
        parts.append(markdown_table(("operator", "becomes", "samples"), lines) + "\n")
    return "".join(parts)


def _overloads(names: Sequence[str]) -> str:
    """`aten.add.Scalar`, `.Tensor`."""
    first, *others = names
    more = [f"`.{name.rpartition('.')[2]}`" for name in others]
    return ", ".join([f"`{first}`", *more])


def _sum(
    samples: Mapping[str, tuple[int, int]], names: Iterable[str]
) -> tuple[int, int]:
    found = [samples[name] for name in names if name in samples]
    return sum(p for p, _ in found), sum(e for _, e in found)


def _matrix(support: Mapping[str, Any], route: str) -> str:
    """Operator x dtype on one route, a table for each family."""
    parts = [f"\n## Support matrix: {ROUTES[route]}\n"]
    by_family: defaultdict[str, list[str]] = defaultdict(list)
    for name, row in support["operators"].items():
        if route in row:
            by_family[row["family"]].append(name)
    for family, names in sorted(by_family.items()):
        rows = {name: support["operators"][name][route] for name in names}
        used = [d for d in DTYPES if any(d in row for row in rows.values())]
        lines = [
            (f"`{name}`", *(_ratio(row.get(dtype, (0, 0))) for dtype in used))
            for name, row in rows.items()
        ]
        parts.append(f"\n### Family `{family}`\n\n")
        parts.append(
            markdown_table(("operator", *(DTYPES[d] for d in used)), lines) + "\n"
        )
    return "".join(parts)


def _reasons(support: Mapping[str, Any]) -> str:
    """Why samples did not pass or were left out, operator by operator."""
    parts: list[str] = []
    for title, kind in (
        ("What did not pass", "reasons"),
        ("What was left out", "left_out"),
    ):
        lines = [
            (f"`{name}`", why, _where(cells), str(sum(cells.values())))
            for name, row in support["operators"].items()
            for why, cells in sorted(row.get(kind, {}).items())
        ]
        header = ("operator", "why", "where", "samples")
        parts.append(f"\n## {title}\n\n{markdown_table(header, lines)}\n")
    return "".join(parts)


def _where(cells: Mapping[str, int]) -> str:
    """`cpu: f32, f64; core: f32` of `route dtype`."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for cell in cells:
        route, _, dtype = cell.rpartition(" ")
        found[route].append(DTYPES[dtype])
    everywhere = [
        f"{route}: " + ("all" if REAL <= set(dtypes) else ", ".join(dtypes))
        for route, dtypes in found.items()
    ]
    return "; ".join(everywhere)


def _refused() -> str:
    """The overloads that are refused, by reason."""
    by_reason: defaultdict[str, list[str]] = defaultdict(list)
    for name, reason in REFUSED.items():
        by_reason[reason].append(f"`{name.removeprefix('aten.')}`")
    lines = [
        (reason, REMEDIES[reason], ", ".join(sorted(names)))
        for reason, names in by_reason.items()
    ]
    header = ("why", "what to do", "operators, without `aten.`")
    return f"\n## Refused\n\n{markdown_table(header, lines)}\n"


def _unclaimed(support: Mapping[str, Any]) -> str:
    names = ", ".join(f"`{name}`" for name in support["not claimed"])
    text = (
        "Operators of `op_db` that the matrix does not run, since nothing is claimed:"
    )
    return f"\n## Not claimed\n\n{text} {names}.\n"


def why_primitive(op: type[Operation]) -> str:
    """The reason in the docstring of a primitive (`A primitive because ...`)."""
    text = " ".join(inspect.cleandoc(op.__doc__ or "").split())
    found = re.search(r"A primitive because (.*?\.)(?= [A-Z`]|$)", text)
    return found.group(1) if found else ""


def primitives() -> list[op_matrix.Row]:
    """The ops with a lowering of their own."""
    return [row for row in op_matrix.rows() if row.code.startswith("lowering")]


def _primitives() -> str:
    rows = primitives()
    lines = [(f"`{r.op.name}`", r.family, why_primitive(r.op)) for r in rows]
    total = sum(len(ops) for ops in FAMILIES.values())
    return (
        f"\n## Primitives\n\n{len(rows)} of the {total} `nn` ops are primitives: they "
        "have a lowering of their own.\n\n"
        + markdown_table(("op", "family", "a primitive because"), lines)
        + "\n"
    )


def _facets() -> str:
    lines = [
        (f"`{r.op.name}`", r.family, r.reference, r.code)
        for r in op_matrix.rows()
        if r.code != "lowering to linalg" or r.reference != "yes"
    ]
    return (
        "\n## Other `nn` ops\n\nThose that are decomposed, or lack a facet.\n\n"
        + markdown_table(("op", "family", "reference", "code"), lines)
        + "\n"
    )
