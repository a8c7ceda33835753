"""Complex numbers within a program, operator by operator, beside PyTorch."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils import _pytree as pytree

import devproc
from devproc.errors import UnsupportedError
from devproc.frontends.torch_export.complex_tables import COMPLEX
from devproc.frontends.torch_export.importer import import_program
from tests.frontends.imported import check, export

aten = torch.ops.aten
INF, NAN = float("inf"), float("nan")


def random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    generator = torch.Generator().manual_seed(len(shape))
    return torch.randn(shape, generator=generator, dtype=dtype)


def compiled(
    model: nn.Module | Callable[..., Any], *args: torch.Tensor, **options: Any
) -> Any:
    exported = export(model, args)
    return devproc.compile(exported, threads=1, cache=False, **options)(*args)


def problems(model: Callable[..., Any], *args: torch.Tensor) -> list[str]:
    with pytest.raises(UnsupportedError) as caught:
        import_program(export(model, args))
    return [str(problem) for problem in caught.value.problems]


def close(found: Any, wanted: Any, **tolerance: Any) -> None:
    torch.testing.assert_close(found, wanted, equal_nan=True, **tolerance)


# Operators

UNARY = (
    *("exp", "log", "log2", "log10", "sqrt", "rsqrt", "sin", "cos", "tan", "sinh"),
    *("cosh", "tanh", "sigmoid", "reciprocal", "square", "sgn", "neg", "conj", "abs"),
    *("angle", "isnan", "isinf", "isfinite", "real", "imag", "conj_physical"),
)
SPECIAL = (0.0, -0.0, 1.0, -2.5, 1e30, INF, -INF, NAN)
NONFINITE = ("abs", "angle", "neg", "conj", "isnan", "isinf", "isfinite", "imag")
"""Operators that are as PyTorch's of infinities and NaN too."""


def as_real(value: torch.Tensor) -> torch.Tensor:
    return torch.view_as_real(value.resolve_conj()) if value.is_complex() else value


def every(names: tuple[str, ...]) -> Callable[..., list[torch.Tensor]]:
    """A model that calls each operator on complex numbers, given as pairs."""

    def model(*pairs: torch.Tensor) -> list[torch.Tensor]:
        numbers = [torch.view_as_complex(pair) for pair in pairs]
        return [as_real(getattr(torch, name)(*numbers)) for name in names]

    return model


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_functions_of_random_numbers(dtype: torch.dtype) -> None:
    x = random(3, 7, 11, 2, dtype=dtype).transpose(0, 1)
    close(compiled(every(UNARY), x), every(UNARY)(x))


def pairs_of(values: tuple[float, ...]) -> torch.Tensor:
    return torch.cartesian_prod(torch.tensor(values), torch.tensor(values))


def test_functions_of_infinity_nan_and_zero() -> None:
    x = pairs_of(SPECIAL)
    close(compiled(every(NONFINITE), x), every(NONFINITE)(x))


def test_exponentials_of_infinity_nan_and_zero() -> None:
    x = pairs_of((0.0, -0.0, 1.0, -2.5, INF, -INF, NAN))
    # The real part of what infinity is turned by no angle to is NaN here.
    x = x[(x[:, 0] != INF) | x[:, 1].isfinite()]
    close(compiled(every(("exp",)), x), every(("exp",))(x))


def test_roots_at_the_cut() -> None:
    x = pairs_of((0.0, -0.0, 1.0, -4.0, 2e38, 1e-37, -1e-30))
    found, wanted = compiled(every(("sqrt",)), x)[0], every(("sqrt",))(x)[0]
    close(found, wanted)
    assert torch.equal(found.signbit(), wanted.signbit())


FINITE = (0.0, 1.0, -1e30, 1e-30, 3.0)


@pytest.mark.parametrize(
    ("names", "values"),
    # Of infinity, PyTorch adds 1 times the second number, which makes NaN of it.
    [(("mul", "eq", "ne"), SPECIAL), (("mul", "div", "add", "sub"), FINITE)],
)
def test_arithmetic(names: tuple[str, ...], values: tuple[float, ...]) -> None:
    """A product multiplies plainly: infinity times (2 + 0i) has a NaN in it."""
    numbers = pairs_of(values)
    x = numbers.repeat_interleave(len(numbers), 0)
    y = numbers.repeat(len(numbers), 1)
    found, wanted = compiled(every(names), x, y), every(names)(x, y)
    close(found, wanted)


def test_real_numbers_beside_complex_ones() -> None:
    """Python's numbers, tensors without dimensions, of integers and of float64."""

    def model(x: torch.Tensor, pair: torch.Tensor) -> list[torch.Tensor]:
        z = torch.view_as_complex(pair)
        count = torch.arange(5)
        found = [
            *(z * 2, 1j * x, z / 2, 2 / z, z + 1, 1 - z, z - 3j, x + z, z / x, x / z),
            *(z * count, z * x.double(), x[0] * z[0], z.sum() * 1j, x.sum() + z, z**2),
            *(z**3, z**-1, z**0.5, z ** (1 + 2j), 2**z, x**z, z**x, z.add(x, alpha=3)),
            *(torch.where(x > 0, z, 0), torch.where(x > 0, 1j, z), z.mean(0)),
            *(z.masked_fill(x < 0, 2j), z.cumsum(0), torch.addcmul(z, z, z * 1j)),
            *(
                torch.rsub(z, 2),
                z.to(torch.complex128),
                x.to(torch.complex64),
                ~(z == z),
            ),
            *(
                torch.full((2, 40), 1 + 2j) * z[0],
                torch.zeros_like(z),
                torch.ones_like(z),
            ),
            *(z.norm(), torch.linalg.vector_norm(z, 1), torch.linalg.norm(z)),
        ]
        return [as_real(value) for value in found]

    x, pair = random(5), random(5, 2)
    close(compiled(model, x, pair), model(x, pair))
    pair = torch.tensor([[INF, 0.0], [NAN, 1.0], [0.0, -0.0], [1.0, INF], [-1.0, 2.0]])
    few: Callable[..., Any] = lambda x, pair: [  # noqa: E731
        as_real(v)
        for z in [torch.view_as_complex(pair)]
        for v in (z * 2, x * z, z + 1, z - x, z * 1j)
    ]
    close(compiled(few, x, pair), few(x, pair))


def test_what_only_moves_elements() -> None:
    def model(pair: torch.Tensor, index: torch.Tensor) -> list[torch.Tensor]:
        z = torch.view_as_complex(pair)
        parts = [*z.unbind(0), *z.split(2, 1), *z.chunk(2, 2)]
        found = [
            *(
                *parts,
                z.flip(0),
                z.roll(1, 2),
                z.mT,
                z.mH,
                z.permute(2, 0, 1),
                z[0, 1:],
            ),
            *(z.repeat(2, 1, 1), z.reshape(-1, 2), z.flatten(), z[:, index], z[None]),
            *(
                torch.cat([z, pair[..., 0]], 1),
                torch.stack([z, 1j * z]),
                z.expand(2, 3, 4, 6),
            ),
            *(torch.nn.functional.pad(z, [1, 2], value=3), z.index_select(1, index)),
            *(z.gather(1, index[None, :, None].expand(3, 5, 6)), z.diagonal(0, 1, 2)),
            *(
                z.tril(),
                z.unfold(2, 3, 2),
                torch.fft.fftshift(z),
                z.squeeze(),
                z.clone(),
            ),
            *(torch.meshgrid(z[0, 0], z[0, :, 0], indexing="ij"), z.diff(dim=1)),
        ]
        return [as_real(value) for value in pytree.tree_leaves(found)]

    pair, index = random(3, 4, 6, 2), torch.tensor([3, 0, 0, 1, 2])
    program = check(model, pair, index)
    types = [str(v.type) for op in program.function.body.block.ops for v in op.results]
    assert not any("complex" in type_ for type_ in types)
    close(compiled(model, pair, index), model(pair, index), rtol=0, atol=0)


def test_matrix_products() -> None:
    def model(left: torch.Tensor, right: torch.Tensor) -> list[torch.Tensor]:
        x, y = torch.view_as_complex(left), torch.view_as_complex(right)
        found = [
            *(x @ y, x[0] @ y[1], x[0] @ y[0, :, 0], x.mT.conj() @ x, torch.bmm(x, y)),
            *(
                torch.einsum("bij,bjk->ki", x, y),
                torch.tensordot(x, y, ([0, 2], [0, 1])),  # pyright: ignore
            ),
            *(torch.dot(x[0, 0], x[0, 1]), torch.vdot(x[0, 0], x[0, 1])),
            *(torch.outer(x[0, 0], y[0, 0]), torch.kron(x[0], y[0])),
            *(torch.addmm(y[0, :3], x[0], y[0]), torch.baddbmm(x @ y, x, y, alpha=2)),
            *(
                nn.functional.linear(x, y.mT[0]),
                nn.functional.linear(x, y[0].mT, y[0, 0]),
            ),
        ]
        return [as_real(value) for value in found]

    left, right = random(2, 3, 5, 2), random(2, 5, 7, 2)
    close(compiled(model, left, right), model(left, right))


def test_rows_name_operators_that_exist() -> None:
    importlib.import_module("transformers.integrations.moe")
    for name in COMPLEX:
        namespace, operator, overload = name.split(".")
        found = getattr(getattr(torch.ops, namespace), operator)
        assert hasattr(found, overload), name


# What is refused


def test_complex_numbers_do_not_leave() -> None:
    (text,) = problems(torch.fft.fft, random(3, 4))
    assert "complex64 cannot leave the program; return torch.view_as_real" in text


def test_operators_without_a_complex_form() -> None:
    def model(x: torch.Tensor) -> torch.Tensor:
        z = torch.complex(x, x)
        return z.asin().real + torch.add(z, z, alpha=2j).imag

    first, second = problems(model, random(3))
    assert "aten.asin.default of complex64 (3)" in first
    assert "not supported for complex numbers" in first
    assert "alpha is a complex number" in second


def test_a_complex_state_is_refused() -> None:
    class Phase(nn.Module):
        turn: torch.Tensor

        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("turn", torch.ones(3, dtype=torch.complex64))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.turn.mul_(1j)
            return (x * self.turn).real

    with pytest.raises(UnsupportedError, match=r"buffer 'turn'.*complex64"):
        import_program(export(Phase(), (random(3),)))
