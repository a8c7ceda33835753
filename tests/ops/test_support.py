"""The committed support matrix is complete and still true."""

from __future__ import annotations

import random

import pytest
import torch

from devproc.frontends.torch_export.graph.refused import REFUSED
from devproc.frontends.torch_export.tables import IMPORTS
from devproc.tools.core_aten import core_overloads, standing
from devproc.tools.op_matrix import rows as op_rows
from devproc.tools.operators_page import primitives, why_primitive
from tests.ops import matrix
from tests.ops.support import ROUTES, Entry, entries, measure

COMMITTED = matrix.load()
RUN = "run `python -m tests.ops --matrix --missing`, then `make docs`"
REMEASURED = 60


def committed_entries() -> list[Entry]:
    return sorted(
        Entry(name, route, dtype)
        for name, row in COMMITTED.items()
        for route in ROUTES
        for dtype in row.get(route, {})
    )


def some_entries() -> list[Entry]:
    """The same in every run, so that a failure repeats."""
    found = committed_entries()
    return random.Random(0).sample(found, min(REMEASURED, len(found)))


def is_of_another_torch() -> bool:
    return matrix.measured_with() != torch.__version__.partition("+")[0]


def test_matrix_has_every_claim_and_nothing_else() -> None:
    wanted, found = set(entries()), set(committed_entries())
    missing = sorted({e.operator for e in wanted - found})
    text = f"docs/support.json lacks cells of {len(missing)} operators"
    # Another PyTorch has samples of more dtypes.
    assert not missing or is_of_another_torch(), f"{text} ({missing[:8]}, ...); {RUN}"
    assert found <= wanted, f"nobody claims {found - wanted}; {RUN}"


@pytest.mark.parametrize(
    "entry", some_entries(), ids=lambda e: "-".join(vars(e).values())
)
def test_cell_is_still_true(entry: Entry) -> None:
    if is_of_another_torch():
        pytest.skip("the matrix was measured with another PyTorch")
    found = measure(entry)
    recorded = COMMITTED[entry.operator][entry.route][entry.dtype]
    remedy = f"run `python -m tests.ops --matrix {entry.operator}`, then `make docs`"
    details = f"{dict(found.reasons)} {found.examples}"
    assert [found.passed, found.eligible] == recorded, f"{details}; {remedy}"


def test_every_sample_that_did_not_pass_has_a_reason() -> None:
    for entry in committed_entries():
        row = COMMITTED[entry.operator]
        passed, eligible = row[entry.route][entry.dtype]
        cell = f"{entry.route} {entry.dtype}"
        explained = sum(cells.get(cell, 0) for cells in row["reasons"].values())
        assert explained == eligible - passed, entry


@pytest.mark.parametrize("overload", core_overloads())
def test_core_operator_is_imported_or_refused_with_a_reason(overload: str) -> None:
    assert standing(overload), f"no row in IMPORTS and none in REFUSED for {overload}"
    assert not (overload in IMPORTS and overload in REFUSED), (
        "both imported and refused"
    )


def test_the_core_set_is_pytorchs() -> None:
    names = core_overloads()
    assert len(names) > 180
    assert {"aten.add.Tensor", "aten.convolution.default"} <= set(names)
    assert "aten.linear.default" not in names


def test_primitives_say_why() -> None:
    chosen = {row.op for row in primitives()}
    for row in op_rows():
        said = why_primitive(row.op)
        if row.op in chosen:
            assert said, f"{row.op.name}: 'A primitive because ...' in its docstring?"
        else:
            assert not said, f"{row.op.name} is no primitive, but says why it is one"
