"""Weights in fewer bits: what is stored, products against float64, options, reports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import devproc
from devproc.ir.weight_format import BITS
from devproc.targets.cpu.machine.cpu_target import host_vector_bits

RNG = np.random.default_rng(5)
INTEGERS = ("int8", "int8:64", "int4", "int4:64", "uint8:64", "uint4")
FORMATS = (*INTEGERS, "bfloat16", "float16")
ROWS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 128)


def quantized(
    weight: np.ndarray, bits: int, group: int
) -> tuple[np.ndarray, np.ndarray]:
    """Integers and float16 scales of groups by the formulas of Q8_0 and Q4_0 in GGUF's
    package (`gguf.quants`)."""
    groups = weight.reshape(weight.shape[0], -1, group)
    with np.errstate(divide="ignore"):
        if bits == 8:
            scale = np.abs(groups).max(-1, keepdims=True) / np.float32(127)
            scaled = groups * np.where(scale == 0, np.float32(0), 1 / scale)
            whole = np.floor(np.abs(scaled))
            rounded = whole + np.floor(2 * (np.abs(scaled) - whole))
            return np.sign(scaled) * rounded, scale.astype(np.float16)
        place = np.abs(groups).argmax(-1)[..., None]
        scale = np.take_along_axis(groups, place, -1) / np.float32(-8)
        inverse = np.where(scale == 0, np.float32(0), 1 / scale)
    scaled = np.float64(groups) * np.float64(inverse)
    return np.trunc(scaled + 8.5).clip(0, 15) - 8, scale.astype(np.float16)


def with_zero_points(weight: np.ndarray, bits: int, group: int) -> np.ndarray:
    """A weight in unsigned integers with float16 scales and zero points, in float64; the
    range and the integers are those of PyTorch."""
    groups, top = torch.from_numpy(weight.reshape(-1, group)), 2**bits - 1
    low, high = groups.amin(1).clamp(max=0), groups.amax(1).clamp(min=0)
    scales = ((high - low) / top).half().float()
    usable = torch.where(scales == 0, 1.0, scales)
    zeros = torch.round(-low / usable).clamp(0, top).int()
    wide = torch.fake_quantize_per_channel_affine(groups, usable, zeros, 0, 0, top)
    # Whole multiples of the scale again, which float32 has rounded.
    numbers = torch.round(wide.double() / usable.double()[:, None])
    return (numbers * scales.double()[:, None]).numpy().reshape(weight.shape)


def stored(weight: np.ndarray, text: str) -> np.ndarray:
    """What a weight is in a format, in float64."""
    dtype, _, group = text.partition(":")
    if dtype.startswith("uint"):
        return with_zero_points(weight, int(dtype[4:]), int(group or 32))
    if dtype.startswith("int"):
        numbers, scales = quantized(weight, int(dtype[3:]), int(group or 32))
        return (numbers * np.float64(scales)).reshape(weight.shape)
    return torch.from_numpy(weight).to(getattr(torch, dtype)).double().numpy()


class Layer(nn.Module):
    """One layer for several inputs, of different numbers of rows."""

    def __init__(self, outputs: int, inputs: int, bias: bool = True):
        super().__init__()
        self.layer = nn.Linear(inputs, outputs, bias=bias)

    def forward(self, *rows: Tensor) -> list[Tensor]:
        return [self.layer(x) for x in rows]

    @property
    def weight(self) -> np.ndarray:
        return self.layer.weight.detach().numpy()

    @property
    def bias(self) -> np.ndarray:
        return self.layer.bias.detach().numpy().astype(np.float64)


def floats(*shape: int) -> Tensor:
    return torch.from_numpy(RNG.standard_normal(shape).astype(np.float32))


def compiled(
    model: nn.Module, rows: Sequence[Tensor], weights: str, **options: Any
) -> Any:
    exported = torch.export.export(model.eval(), tuple(rows))
    options = {"threads": 1, "cache": False, **options}
    return devproc.compile(exported, weights=weights, **options)


def error(found: Tensor, wanted: np.ndarray) -> float:
    difference = found.detach().numpy() - wanted
    return float(np.linalg.norm(difference) / np.linalg.norm(wanted))


def check(
    model: Layer, weights: str, rows: Sequence[Tensor], most: float, **options: Any
) -> None:
    """The products of all rows against float64 with the stored weight."""
    program = compiled(model, rows, weights, **options)
    matrix = stored(model.weight, weights)
    for x, found in zip(rows, program(*rows), strict=True):
        wanted = x.double().numpy() @ matrix.T + model.bias
        assert error(found, wanted) < most, x.shape


@pytest.mark.parametrize("weights", FORMATS)
def test_products_of_any_number_of_rows(weights: str) -> None:
    """Odd outputs; terms that 32 divides but, with groups of 32, not 64. Of many rows, pairs of
    terms are multiplied at once, with an error of up to 3.1e-7."""
    inputs = 192 if "64" in weights else 160
    few, many = [floats(m, inputs) for m in ROWS[:-1]], [floats(ROWS[-1], inputs)]
    layer = Layer(203, inputs)
    check(layer, weights, few, 3e-7)
    check(layer, weights, many, 4e-7)


@pytest.mark.skipif(host_vector_bits() < 512, reason="needs vectors of 512 bits")
@pytest.mark.parametrize("adders", [True, False])
def test_24_bits_for_any_number_of_rows(
    adders: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One form of the weight, with an exponent for each block of terms; many rows have one of
    their own without separate adders."""
    separate = "devproc.targets.cpu.machine.attribute.MachineAttr.has_separate_adders"
    monkeypatch.setattr(separate, property(lambda _: adders))
    model = Layer(203, 576)
    rows = [floats(m, 576) for m in (1, 2, 7, 16, 23, 24, 65, 128)]
    program = compiled(model, rows, "float24")
    weight = np.float64(model.weight)
    for x, found in zip(rows, program(*rows), strict=True):
        assert error(found, x.double().numpy() @ weight.T + model.bias) < 4e-7
    names = program.artifact.weight_names
    sizes = sorted(program.weights.array(name).nbytes for name in names)
    _, size, *others = sizes  # the bias first
    # Panels of 64 columns, 56 or 64 terms to a scale.
    assert size < 0.79 * 4 * 256 * 576
    assert bool(others) != adders


@pytest.mark.parametrize("options", [{"cpu": "x86-64-v3"}, {"precision": "strict"}])
def test_24_bits_where_they_are_not_as_fast(options: dict[str, str]) -> None:
    """The weights stay as they are."""
    rows = [floats(m, 160) for m in (1, 3, 40)]
    model = Layer(503, 160)
    program = compiled(model, rows, "float24", **options)
    assert "block_float" not in program.ir("kernels")
    weight = np.float64(model.weight)
    for x, found in zip(rows, program(*rows), strict=True):
        assert error(found, x.double().numpy() @ weight.T + model.bias) < 4e-7


@pytest.mark.parametrize(
    "options", [{"cpu": "x86-64-v3"}, {"cpu": "x86-64"}, {"precision": "strict"}]
)
@pytest.mark.parametrize("weights", ["int8", "int4", "uint8", "uint4", "float16"])
def test_widened_weights(weights: str, options: dict[str, str]) -> None:
    rows = [floats(m, 160) for m in (1, 3, 9)]
    check(Layer(203, 160), weights, rows, 3e-7, **options)


class Tied(nn.Module):
    """A matrix whose rows are picked, and which is multiplied with another row for each
    sequence, as in a language model."""

    def __init__(self, rows: int, columns: int, dtype: torch.dtype = torch.float32):
        super().__init__()
        # A scale of uint4 may round to another float16 than PyTorch's: one in 10000.
        torch.manual_seed(0)
        self.table = nn.Embedding(rows, columns, dtype=dtype)

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        x = self.table(ids)
        return x, F.linear(torch.tanh(x[:, 1]), self.table.weight)

    @property
    def matrix(self) -> np.ndarray:
        return self.table.weight.detach().float().numpy()


IDS = torch.tensor([[3, 300, 7], [0, 17, 3]])


def bytes_of(program: Any) -> int:
    return sum(program.weights.array(n).nbytes for n in program.artifact.weight_names)


@pytest.mark.parametrize("options", [{}, {"cpu": "x86-64-v3"}, {"precision": "strict"}])
@pytest.mark.parametrize("weights", FORMATS)
def test_rows_of_a_matrix_that_is_multiplied_too(
    weights: str, options: dict[str, str]
) -> None:
    """They come from the panels that the product reads: nothing else is kept."""
    model = Tied(301, 192)
    program = compiled(model, (IDS,), weights, **options)
    matrix = stored(model.matrix, weights)
    rows = matrix[IDS.numpy()]
    picked, products = program(IDS)
    np.testing.assert_array_equal(picked.detach().numpy(), np.float32(rows))
    assert error(products, np.tanh(rows[:, 1]) @ matrix.T) < 4e-7
    kind = weights.partition(":")[0]
    # A scale of 16 bits and a zero point of 8 for each group; 301 rows in panels.
    bits = BITS[kind] + (24 / 32 if "int" in kind else 0)
    assert bytes_of(program) <= bits / 8 * 320 * 192


@pytest.mark.skipif(host_vector_bits() < 512, reason="needs vectors of 512 bits")
def test_rows_in_24_bits() -> None:
    """They are those of the panels, with the error of half a unit in the last place of each
    block's largest number. Infinities and NaN stay."""
    model = Tied(515, 576)
    with torch.no_grad():
        model.table.weight[17] *= 1e-30
        model.table.weight[3, 70], model.table.weight[7, 575] = torch.inf, torch.nan
    program = compiled(model, (IDS,), "float24")
    rows = model.matrix[IDS.numpy()].reshape(2, 3, -1, 64)
    found = program(IDS)[0].detach().numpy().reshape(rows.shape)
    largest = np.abs(rows).max(-1, keepdims=True)
    is_finite = np.isfinite(largest)
    limit = np.where(is_finite, largest, 0) * 2.0**-23
    with np.errstate(invalid="ignore"):
        wrong = np.abs(found - rows) > limit + 2.0**-124
    assert not (wrong & is_finite).any()
    assert found.reshape(2, 3, -1)[0, 0, 70] == np.inf
    assert np.isnan(found.reshape(2, 3, -1)[0, 2, 575])
    # Panels of 64 rows, with three bytes of a number and a scale for 64.
    assert bytes_of(program) == 576 * 576 * 49 // 16


@pytest.mark.parametrize("weights", ["float24", "int4"])
def test_rows_of_stored_weights_are_verified(weights: str) -> None:
    exported = torch.export.export(Tied(515, 576).eval(), (IDS,))
    result = devproc.verify(exported, inputs={"ids": IDS.numpy()}, weights=weights)
    assert result.passed, result


@pytest.mark.parametrize(
    ("dtype", "options"),
    [
        (torch.bfloat16, {}),
        (torch.float16, {}),
        (torch.bfloat16, {"cpu": "x86-64-v3"}),
        (torch.float32, {"cpu": "x86-64-v3"}),
        (torch.float32, {"precision": "strict"}),
    ],
)
def test_rows_of_a_matrix_in_panels(
    dtype: torch.dtype, options: dict[str, str]
) -> None:
    """They are exact, and the matrix is in the program once, in panels of up to 32 rows."""
    model = Tied(301, 192, dtype)
    program = compiled(model, (IDS,), "original", **options)
    picked = program(IDS)[0].detach()
    assert torch.equal(picked, model.table.weight[IDS])
    assert bytes_of(program) <= 320 * 192 * dtype.itemsize


def test_rows_of_a_matrix_that_the_product_rounds() -> None:
    """Rows are exact, and so not those of the panels, without `weights="float24"`."""
    model = Tied(515, 576)
    program = compiled(model, (IDS[:1],), "original")
    assert torch.equal(program(IDS[:1])[0].detach(), model.table.weight[IDS[:1]])
    rows = program.report().weights.rows
    if host_vector_bits() >= 512:
        (row,) = rows
        assert (row.format, row.shape) == ("float32", (515, 576))
        assert "24 bits" in row.why
    else:
        assert not rows


class Experts(nn.Module):
    """Each row times the matrix (N, K) of its expert, or its transpose as it is stored."""

    def __init__(self, experts: int, outputs: int, inputs: int, is_transposed: bool):
        super().__init__()
        shape = (inputs, outputs) if is_transposed else (outputs, inputs)
        self.matrices = nn.Parameter(floats(experts, *shape), requires_grad=False)
        self.is_transposed = is_transposed

    def forward(self, x: Tensor, expert: Tensor) -> Tensor:
        chosen = self.matrices[expert]
        if self.is_transposed:
            return torch.bmm(x.unsqueeze(1), chosen).squeeze(1)
        return torch.bmm(chosen, x.unsqueeze(2)).squeeze(2)


@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize("weights", [*FORMATS, "int4 in bfloat16", "uint4 on a GPU"])
def test_matrices_of_experts(weights: str, is_transposed: bool) -> None:
    """Experts that several rows choose, and that none does."""
    weights, _, where = weights.partition(" ")
    model = Experts(5, 67, 192, is_transposed)
    x, expert = floats(7, 192), torch.tensor([4, 1, 1, 0, 4, 4, 1])
    dtype = torch.bfloat16 if "bfloat16" in where else torch.float32
    target = "cuda:interpret" if "GPU" in where else "cpu"
    program = compiled(model.to(dtype), (x.to(dtype), expert), weights, target=target)
    matrices = model.matrices.float().numpy()
    if is_transposed:
        matrices = np.ascontiguousarray(matrices.transpose(0, 2, 1))
    matrices = stored(matrices.reshape(-1, 192), weights).reshape(matrices.shape)
    rows = x.to(dtype).double().numpy()
    wanted = np.einsum("snk,sk->sn", matrices[expert.numpy()], rows)
    found = program(x.to(dtype), expert).float()
    assert error(found, wanted) < (3e-7 if dtype == torch.float32 else 3e-3)
    (row,) = program.report().weights.rows
    assert (row.format.partition(":32")[0], row.why) == (weights, "")


class SumOfExperts(Experts):
    """The same, each row added to those before."""

    def forward(self, x: Tensor, expert: Tensor) -> Tensor:
        return super().forward(x, expert).cumsum(0)


@pytest.mark.parametrize("weights", FORMATS)
def test_many_rows_of_experts(weights: str) -> None:
    """Rows of an expert share what is widened, scales included."""
    model = SumOfExperts(5, 67, 192, is_transposed=False)
    x, expert = floats(41, 192), torch.arange(41) ** 2 % 5
    program = compiled(model, (x, expert), weights)
    assert "#sched.grouped_rows" in program.ir("schedules")
    matrices = model.matrices.numpy()
    matrices = stored(matrices.reshape(-1, 192), weights).reshape(matrices.shape)
    products = np.einsum("snk,sk->sn", matrices[expert.numpy()], x.double().numpy())
    assert error(program(x, expert), products.cumsum(0)) < 5e-7


class Broadcast(nn.Module):
    """One row times the matrices of several experts."""

    def __init__(self, matrices: Tensor):
        super().__init__()
        self.matrices = nn.Parameter(matrices, requires_grad=False)

    def forward(self, x: Tensor, expert: Tensor) -> Tensor:
        return self.matrices[expert] @ x


@pytest.mark.parametrize("weights", ["int8", "int4", "bfloat16"])
def test_one_row_for_several_experts(weights: str) -> None:
    matrices, x, expert = floats(5, 67, 96), floats(1, 96, 1), torch.tensor([0, 4, 4])
    program = compiled(Broadcast(matrices), (x, expert), weights)
    wide = stored(matrices.numpy().reshape(-1, 96), weights).reshape(5, 67, 96)
    wanted = wide[expert.numpy()] @ x.double().numpy()
    assert error(program(x, expert), wanted) < 3e-7


def test_matrices_of_experts_that_stay() -> None:
    model = Experts(3, 40, 200, False)
    given = floats(2, 200), torch.tensor([2, 0])
    program = compiled(model, given, "int8")
    torch.testing.assert_close(program(*given), model(*given))
    (row,) = program.report().weights.rows
    assert row.why == "its 200 terms are no multiple of 32"


def test_matrices_of_experts_take_the_bytes_of_their_format(tmp_path: Path) -> None:
    model = Experts(6, 64, 256, False)
    given = floats(2, 256), torch.tensor([2, 0])
    for weights, group_bytes in (("int8", 34), ("int4", 18), ("uint4", 19)):
        path = tmp_path / "experts.devproc"
        compiled(model, given, weights).save(path)
        content = np.fromfile(path, np.uint8)
        assert model.matrices.numel() // 32 * group_bytes < content.size
        assert content.size < model.matrices.numel() // 32 * group_bytes + 60_000


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("weights", ["int8", "int4"])
def test_products_in_half_precision(weights: str, dtype: torch.dtype) -> None:
    """Summed in float32, and rounded once."""
    model = Layer(203, 160).to(dtype)
    rows = [floats(m, 160).to(dtype) for m in (1, 3, 17)]
    program = compiled(model, rows, weights)
    assert "nn.dequantize" in program.ir("tensor")
    matrix = stored(model.layer.weight.detach().float().numpy(), weights)
    bias = model.layer.bias.detach().double()
    for x, found in zip(rows, program(*rows), strict=True):
        wanted = x.double() @ torch.from_numpy(matrix).T + bias
        assert found.dtype == dtype
        limit = torch.finfo(dtype).eps
        assert torch.allclose(found.double(), wanted, rtol=limit, atol=1e-5)


@pytest.mark.parametrize("weights", INTEGERS)
def test_fast_rows_have_one_byte(weights: str) -> None:
    """Each number has an error of up to 1/254 of the largest of its group."""
    rows = [floats(m, 192) for m in (1, 9, 130)]
    check(Layer(203, 192), weights, rows, 8e-3, precision="fast")


def test_rows_of_several_blocks() -> None:
    """More rows than the scratch memory of their bytes holds at a time."""
    check(Layer(67, 2048), "int4", [floats(203, 2048)], 3e-7)


@pytest.mark.parametrize("precision", ["default", "fast"])
@pytest.mark.parametrize("weights", ["int8", "int4"])
def test_threads_compute_the_same(weights: str, precision: str) -> None:
    model, x = Layer(1031, 512), [floats(m, 512) for m in (1, 5, 61)]
    one, two = (
        compiled(model, x, weights, threads=n, precision=precision)(*x) for n in (1, 2)
    )
    for a, b in zip(one, two, strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 3e38, 1e-38, 0.0])
@pytest.mark.parametrize("weights", ["int8", "int4", "uint4"])
def test_special_numbers(weights: str, value: float) -> None:
    """Rows with infinities and NaN give what floats give; the others are as accurate as
    ever. Equal rows give equal results."""
    model, x = Layer(203, 160), floats(4, 160)
    with torch.no_grad():
        model.layer.weight[7, 41] = 0
        model.layer.bias.zero_()
    x[1, 41], x[3] = value, x[0]
    if abs(value) < 1:
        x[1] = value
    (found,) = compiled(model, [x], weights)(x)
    matrix = stored(model.weight, weights).astype(np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        wanted = x.numpy().astype(np.float64) @ matrix.T.astype(np.float64)
    y = found.detach().numpy()
    np.testing.assert_array_equal(np.isnan(y[1]), np.isnan(wanted[1]))
    np.testing.assert_array_equal(y[1] == np.inf, wanted[1] > 3.5e38)
    np.testing.assert_array_equal(y[1] == -np.inf, wanted[1] < -3.5e38)
    usual = np.abs(wanted[1]) < 3e38
    largest = np.abs(wanted[1][usual]).max(initial=0)
    np.testing.assert_allclose(
        y[1][usual], wanted[1][usual], rtol=0, atol=1e-6 * largest
    )
    assert error(found[0], wanted[0]) < 3e-7
    assert torch.equal(found[0], found[3])


def test_weights_of_zeros() -> None:
    model = Layer(128, 160)
    with torch.no_grad():
        model.layer.weight[3:9] = 0
    for weights in ("int8", "int4", "uint8", "uint4"):
        check(model, weights, [floats(1, 160)], 3e-7)


class Block(nn.Module):
    """Gate, up and down, as in a language model, with a residual connection."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.up = nn.Linear(128, 192), nn.Linear(128, 192, bias=False)
        self.down = nn.Linear(192, 128, bias=False)
        self.transposed = nn.Parameter(floats(128, 160))

    def forward(self, x: Tensor) -> Tensor:
        hidden = F.silu(self.gate(x)) * self.up(x)
        return (x + self.down(hidden)) @ self.transposed


def test_epilogues_and_transposed_weights() -> None:
    model, x = Block(), floats(1, 3, 128)
    program = compiled(model, [x], "int8")
    for layer in (model.gate, model.up, model.down):
        layer.weight.data = torch.from_numpy(
            stored(layer.weight.detach().numpy(), "int8")
        )
    matrix = model.transposed.detach().T.contiguous().numpy()
    model.transposed.data = torch.from_numpy(stored(matrix, "int8").T.copy())
    assert error(program(x), model.double()(x.double()).detach().numpy()) < 1e-6
    assert {row.format for row in program.report().weights.rows} == {"int8:32"}
    assert len(program.report().kernels.rows) == 4


def test_verify_knows_what_weights_mean() -> None:
    exported = torch.export.export(Block().eval(), (floats(1, 3, 128),))
    assert devproc.verify(exported, weights="int4", threads=1).passed


@pytest.mark.parametrize(("weights", "group_bytes"), [("int4", 18), ("uint4", 19)])
def test_stored_once_and_saved(tmp_path: Path, weights: str, group_bytes: int) -> None:
    """The bytes are those of the format; a saved program has the same."""
    model, rows = Layer(192, 160, bias=False), [floats(1, 160), floats(9, 160)]
    program = compiled(model, rows, weights, cpu="x86-64-v3")
    # 32 numbers of half a byte, a scale of two, and a zero point of one.
    assert program.weights.byte_count() == 192 * 160 // 32 * group_bytes
    program.save(tmp_path / "layer.devproc")
    again = devproc.load(tmp_path / "layer.devproc")
    assert again.weights.byte_count() == program.weights.byte_count()
    for a, b in zip(program(*rows), again(*rows), strict=True):
        assert torch.equal(a, b)


def test_packed_form_does_not_depend_on_the_rows() -> None:
    """Programs for one row and for many share the bytes of a weight."""
    model = Layer(192, 160, bias=False)
    programs = [compiled(model, [floats(m, 160)], "int8") for m in (1, 64)]
    one, many = ({p.weights.hash(n) for n in p.weights} for p in programs)
    assert one == many


def test_stored_numbers() -> None:
    """Bit by bit those of the formulas, ties and signs of scales among them."""
    model = Layer(128, 192, bias=False)
    with torch.no_grad():
        model.layer.weight[0, :64] = torch.arange(-32, 32) / 4
        model.layer.weight[1, 5], model.layer.weight[1, 9] = 3, -3
    for bits in (8, 4):
        program = compiled(model, [floats(1, 192)], f"int{bits}", cpu="x86-64-v3")
        (name,) = program.weights
        words = program.weights.array(name).view(np.uint8).reshape(8, 6, -1)
        numbers, scales = words[..., :-32], words[..., -32:].copy().view(np.float16)
        wanted, wanted_scales = quantized(model.weight, bits, 32)
        # (output, group, term) -> (panel, group, row of words, output, byte)
        shape = (8, 16, 6, -1, 4) if bits == 8 else (8, 16, 6, -1, 2, 4)
        unsigned = (wanted + 2 ** (bits - 1)).astype(np.uint8).reshape(shape)
        if bits == 4:
            unsigned = unsigned[..., 0, :] | unsigned[..., 1, :] << 4
        unsigned = unsigned.transpose(0, 2, 3, 1, 4).reshape(8, 6, -1)
        np.testing.assert_array_equal(numbers, unsigned)
        wanted_scales = wanted_scales.reshape(8, 16, 6).transpose(0, 2, 1)
        np.testing.assert_array_equal(scales, wanted_scales)


class Others(nn.Module):
    """Matrices that stay as they are."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(300, 160)
        self.small, self.odd = nn.Linear(160, 8), nn.Linear(160, 300)
        self.last = nn.Linear(300, 160, bias=False)

    def forward(self, ids: Tensor) -> tuple[Tensor, ...]:
        x = self.embedding(ids)
        tied = F.linear(x, self.embedding.weight)
        return tied, self.small(x), self.last(self.odd(x))


def test_report_says_what_stays_and_why() -> None:
    ids = torch.arange(5)
    report = compiled(Others(), [ids], "int8").report().weights
    found = {row.weight: (row.format, row.why) for row in report.rows}
    assert found == {
        "embedding.weight": ("int8:32", ""),
        "small.weight": ("float32", "it is small: 8 x 160, below 16384 elements"),
        "odd.weight": ("int8:32", ""),
        "last.weight": ("float32", "its 300 terms are no multiple of 32"),
    }
    assert report.title == "weights of products: 2 as int8:32, 2 as float32"
    assert not compiled(Others(), [ids], "original").report().weights.rows


def test_a_format_as_wide_as_the_weight_changes_nothing() -> None:
    model = Layer(192, 160).to(torch.bfloat16)
    x = floats(1, 160).bfloat16()
    (row,) = compiled(model, [x], "float16").report().weights.rows
    assert row.why == "it is bfloat16, not wider than the format"


@pytest.mark.parametrize("weights", ["int5", "int8:33", "bfloat16:32", "INT8", ""])
def test_unknown_formats(weights: str) -> None:
    with pytest.raises(
        devproc.CompileError, match=r"unknown weights '.*'; one of original"
    ):
        compiled(Layer(192, 160), [floats(1, 160)], weights)


@pytest.mark.parametrize("weights", ["int8", "uint4"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -1e8])
def test_weights_without_scales(weights: str, value: float) -> None:
    model = Layer(192, 160)
    with torch.no_grad():
        model.layer.weight[1, 2] = value
    with pytest.raises(devproc.CompileError, match="whose scale is no float16"):
        compiled(model, [floats(1, 160)], weights)


@pytest.mark.skipif(host_vector_bits() != 512, reason="this machine has no AVX-512")
def test_rows_are_split_where_the_processor_multiplies_bytes() -> None:
    program = compiled(Layer(192, 160), [floats(1, 160)], "int8")
    has_dot = "avx512vnni" in program.ir("tensor").partition("\n")[0]
    assert ("digits = 3" in program.ir("schedules")) == has_dot
    assert ("vpdpbusd.512" in program.ir("llvm-ir")) == has_dot
