"""Operators imported through PyTorch's composition, and those that are refused."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import mpmath
import pytest
import torch
import torch.nn.functional as F

import devproc
from devproc.errors import UnsupportedError
from devproc.frontends.torch_export.elementwise import special
from devproc.frontends.torch_export.graph.composites import trace
from devproc.frontends.torch_export.graph.refused import REFUSED, REMEDIES
from devproc.frontends.torch_export.importer import import_program
from devproc.frontends.torch_export.tables import IMPORTS
from tests.frontends.imported import Wrap

aten = torch.ops.aten
GENERATOR = torch.Generator().manual_seed(0)
X = torch.randn(3, 5, generator=GENERATOR)
Y = torch.randn(3, 5, generator=GENERATOR)


def compiled(model: Callable[..., Any], *args: torch.Tensor) -> Any:
    exported = torch.export.export(Wrap(model), args)
    return devproc.compile(exported, threads=1, cache=False)(*args)


def problems(model: Callable[..., Any], *args: torch.Tensor) -> list[str]:
    exported = torch.export.export(Wrap(model), args)
    with pytest.raises(UnsupportedError) as caught:
        import_program(exported)
    return [str(problem) for problem in caught.value.problems]


GONE = ("aten.cholesky.default", "aten.qr.default")
"""Operators that PyTorch 2.14 no longer has."""


def test_refused_operators_exist_and_have_no_row() -> None:
    for name, reason in REFUSED.items():
        _, operator, overload = name.split(".")
        if name not in GONE:
            assert hasattr(getattr(aten, operator), overload), name
        assert name not in IMPORTS
        assert reason in REMEDIES


def test_every_core_operator_has_a_row_or_a_reason() -> None:
    missing: list[str] = []
    for name in torch._C._dispatch_get_all_op_names():
        namespace, _, full = name.partition("::")
        operator, _, overload = full.partition(".")
        if namespace != "aten" or not hasattr(aten, operator):
            continue
        op = getattr(getattr(aten, operator), overload or "default")
        known = str(op) in IMPORTS or str(op) in REFUSED
        if torch.Tag.core in op.tags and not known:
            missing.append(str(op))
    # Out variants become functional before the import.
    assert set(missing) <= {"aten.atan2.out", *ELSEWHERE}


ELSEWHERE = ("aten._embedding_bag.default", "aten.masked_scatter.default")


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (lambda x: x + torch.rand(3, 5), "random numbers"),
        (lambda x: x + torch.randperm(5), "random numbers"),
        (lambda x: x.sigmoid().bernoulli(), "random numbers"),
        (lambda x: x.clone().uniform_(), "random numbers"),
        (lambda x: torch.nonzero(x), "depends on the values"),
        (lambda x: x * x.sum().item(), "known only at run time"),
        (lambda x: torch.linalg.svd(x)[0], "factorizations"),
        (lambda x: torch.linalg.norm(x, "nuc"), "factorizations"),
        (lambda x: torch.special.bessel_j0(x), "special function"),
        (lambda x: torch.where(x > 0)[0], "depends on the values"),
        (lambda x: torch.where(x > 0)[0], "torch.where with three arguments"),
        (lambda x: torch.polar(x, x).asin().real, "not supported for complex numbers"),
        (lambda x: torch.polygamma(2, x), "order 2"),
    ],
)
def test_refusals_say_why(model: Callable[..., Any], reason: str) -> None:
    assert any(reason in problem for problem in problems(model, X))


def test_problem_within_a_composition_names_the_operator_and_the_line() -> None:
    (problem,) = problems(lambda x: torch.linalg.norm(x, "nuc"), X)
    assert "aten._linalg_svd.default" in problem
    assert "within aten.linalg_norm" in problem
    assert "imported.py" in problem


def test_two_compositions_in_one_program_do_not_mix() -> None:
    def model(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        first = torch.nn.functional.cosine_similarity(x, y)
        second = torch.nn.functional.cosine_similarity(x, y + first[:, None])
        return first, second, torch.pdist(x), torch.pdist(y)

    torch.testing.assert_close(compiled(model, X, Y), model(X, Y))


def test_out_variants_and_operators_with_assignment() -> None:
    def model(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        angle = torch.zeros(3, 5)
        torch.atan2(x.sin(), y, out=angle)
        bits = (x * 9).long()
        bits &= (y * 9).long()
        bits <<= 1
        return angle + 1, bits

    torch.testing.assert_close(compiled(model, X, Y), model(X, Y))


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0, 2.0, 3.0, float("inf")])
def test_distances_of_every_order(p: float) -> None:
    def model(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.cdist(x, y, p), torch.pdist(x, p), torch.dist(x[:3], y, p)

    rows = torch.randn(7, 5, generator=GENERATOR)
    torch.testing.assert_close(compiled(model, rows, X), model(rows, X))


@pytest.mark.parametrize("dtype", [torch.float32, torch.int16, torch.bool])
def test_kronecker_products(dtype: torch.dtype) -> None:
    x = torch.randint(-9, 9, (2, 1, 3), generator=GENERATOR).to(dtype)
    y = torch.randint(-9, 9, (4, 5), generator=GENERATOR).to(dtype)

    def model(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return torch.kron(x, y), torch.kron(y, x), torch.kron(x, y[0, 0])

    torch.testing.assert_close(compiled(model, x, y), model(x, y))


VIEWS = [
    (torch.float32, torch.int32),
    (torch.int64, torch.float64),
    (torch.float16, torch.int16),
    (torch.bfloat16, torch.float16),
    (torch.int8, torch.uint8),
]


@pytest.mark.parametrize(("source", "to"), VIEWS)
def test_view_as_another_dtype(source: torch.dtype, to: torch.dtype) -> None:
    bits = torch.randint(-128, 128, (3, 5, 8), generator=GENERATOR).to(torch.int8)
    x = bits.view(source)
    found = compiled(lambda x: x.view(to).clone(), x)
    assert torch.equal(found.view(torch.int8), x.view(torch.int8))


def test_view_as_a_dtype_of_another_width_is_refused() -> None:
    (problem,) = problems(lambda x: x.view(torch.int16), X)
    assert "width" in problem


def test_product_is_as_exact_as_that_of_pytorch() -> None:
    x = torch.rand(64, 50, generator=GENERATOR) + 0.5
    exact = x.double().prod(1)
    mine, theirs = (
        ((v.double() - exact) / exact).abs().max()
        for v in (compiled(lambda x: x.prod(1), x), x.prod(1))
    )
    assert mine <= 2 * theirs


def test_equal_nodes_share_a_trace_and_no_values() -> None:
    similarity = torch.nn.functional.cosine_similarity

    def model(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> list[torch.Tensor]:
        pairs = [(x, y), (y, x * x), (x.double(), y.double()), (z, z + 1)]
        return [similarity(a, b, dim=-1) for a, b in pairs]

    operands = (X, Y, torch.randn(2, 7, generator=GENERATOR))
    trace.cache_clear()
    found = compiled(model, *operands)
    assert trace.cache_info().misses == 3
    assert trace.cache_info().hits == 1
    for mine, theirs in zip(found, model(*operands), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-6, atol=1e-6)


def test_constants_of_other_types_are_other_traces() -> None:
    for power in (2, 2.0, True):
        x = torch.arange(-3, 4)
        found = compiled(lambda x, p=power: torch.special.xlog1py(x, p), x)
        wanted = torch.special.xlog1py(x, power)
        assert found.dtype == wanted.dtype
        torch.testing.assert_close(found, wanted, equal_nan=True)


@pytest.mark.parametrize(
    "ends", [[3, 3, 7, 12, 13], [0, 2, 4, 6, 9], [13] * 5, [0] * 5]
)
def test_rows_times_the_matrix_of_their_group(ends: list[int]) -> None:
    """Empty groups, and rows after the last, among them."""
    importlib.import_module("transformers.integrations.moe")
    x = torch.randn(13, 24, generator=GENERATOR)
    matrices = torch.randn(5, 24, 8, generator=GENERATOR)
    fallback = torch.ops.transformers.grouped_mm_fallback
    offsets = torch.tensor(ends, dtype=torch.int32)
    found = compiled(fallback, x, matrices, offsets)
    wanted = fallback(x.double(), matrices.double(), offsets).float()
    torch.testing.assert_close(found, wanted, rtol=1e-6, atol=2e-6)
    narrow = x.bfloat16(), matrices.bfloat16()
    found = compiled(lambda *a: F.grouped_mm(*a[:2], offs=a[2]), *narrow, offsets)
    wanted = fallback(*narrow, offsets)
    torch.testing.assert_close(found, wanted, rtol=8e-3, atol=8e-3)


def test_groups_of_columns_are_refused() -> None:
    x, y = (torch.randn(16, 16).bfloat16() for _ in range(2))
    ends = torch.tensor([8, 16], dtype=torch.int32)
    (problem,) = problems(lambda *a: F.grouped_mm(*a[:2], offs=a[2]), x, y, ends)
    assert "groups are supported of the rows of x (S, K)" in problem


FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any], float, float]] = {
    "erfc": (special._erfc, mpmath.erfc, -6, 26),
    "erfcx": (special._erfcx, lambda x: mpmath.exp(x * x) * mpmath.erfc(x), -20, 900),
    "erfinv": (special._erfinv, mpmath.erfinv, -0.9999, 0.9999),
    "lgamma": (special._lgamma, lambda x: mpmath.log(mpmath.gamma(x)), 2.5, 150),
    "digamma": (special._digamma, mpmath.digamma, 2, 90),
    "i0e": (special._I0E, lambda x: mpmath.exp(-abs(x)) * mpmath.besseli(0, x), -9, 40),
    "i1e": (special._I1E, lambda x: mpmath.exp(-abs(x)) * mpmath.besseli(1, x), -9, 40),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_functions_are_exact_to_a_few_units(name: str) -> None:
    function, exact, low, high = FUNCTIONS[name]
    x = torch.rand(60, dtype=torch.float64, generator=GENERATOR) * (high - low) + low
    with mpmath.workdps(30):
        for mine, value in zip(function(x).tolist(), x.tolist(), strict=True):
            wanted = exact(mpmath.mpf(value))
            assert abs(mine - wanted) <= 4e-15 * abs(wanted), value
