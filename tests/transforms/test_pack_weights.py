"""Which weights are packed, how wide, and once each; the values through a program."""

from __future__ import annotations

import pytest
import torch

import devproc
from devproc.driver import make_context, make_pass, parse_module
from devproc.ir.verification.verify import verify_module
from devproc.targets.cpu.algorithms.register_tile.layout import panel_width

KERNEL = """
  func.func private @k(%x: !x, %w: !w) -> !y
      attributes {dev.kernel = #dev.kernel<"cpu", "contraction", ["nn.linear"]>} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : !y
    %f = linalg.fill ins(%zero : f32) outs(%e : !y) -> !y
    %r = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]
    } ins(%x, %w : !x, !w) outs(%f : !y) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    } -> !y
    func.return %r : !y
  }
"""
TYPES = """
!x = tensor<4x4xf32, #dev.on<"cpu">>
!w = tensor<4x4xf32, #dev.on<"cpu">>
!y = tensor<4x4xf32, #dev.on<"cpu">>
"""


def pack(main: str, kernel: str = KERNEL) -> str:
    """The module of `main` and the kernel @k after the pass, as text."""
    module = parse_module(f"{TYPES}\nbuiltin.module {{\n{main}\n{kernel}\n}}")
    verify_module(module)
    make_pass("pack-weights").apply(make_context(), module)
    verify_module(module)
    return str(module)


@pytest.mark.parametrize(
    ("columns", "element_bytes", "vector_bits", "width"),
    [
        (256, 4, 512, 32),
        (48, 4, 512, 48),
        (10, 4, 512, 16),
        (100, 4, 512, 32),
        (80, 4, 512, 48),
        (1, 4, 128, 4),
        (24, 4, 256, 24),
        (64, 8, 512, 16),
        (64, 2, 512, 32),
    ],
)
def test_width_of_a_panel(
    columns: int, element_bytes: int, vector_bits: int, width: int
) -> None:
    assert panel_width(columns, element_bytes, vector_bits) == width


@pytest.mark.parametrize("lanes", [4, 8, 16])
@pytest.mark.parametrize("vectors", range(1, 40))
def test_a_panel_of_one_vector_is_the_exception(lanes: int, vectors: int) -> None:
    """Panels have two or three, the last one, too, where that is possible."""
    for columns in (lanes * (vectors - 1) + 1, lanes * vectors):
        width = panel_width(columns, 4, 32 * lanes)
        panel = width // lanes
        last = vectors % panel or panel
        assert width % lanes == 0
        assert panel in ((1,) if vectors == 1 else (2, 3))
        possible = vectors > 1 and any(vectors % n in (0, 2) for n in (2, 3))
        assert last > 1 or not possible


def test_a_weight_in_two_places_is_packed_once() -> None:
    text = pack("""
    func.func @main(%x: !x) -> !y {
      %w = nn.weight @w hash "1f" : !w
      %a = dev.launch @k(%x, %w) : (!x, !w) -> !y
      %b = dev.launch @k(%a, %w) : (!y, !w) -> !y
      func.return %b : !y
    }""")
    assert text.count("nn.pack") == 1
    assert text.count("nn.weight @prepare.0") == 2


def test_a_kernel_that_also_takes_other_operands_keeps_its_type() -> None:
    text = pack("""
    func.func @main(%x: !x) -> !y {
      %w = nn.weight @w hash "1f" : !w
      %a = dev.launch @k(%x, %w) : (!x, !w) -> !y
      %b = dev.launch @k(%w, %a) : (!w, !y) -> !y
      func.return %b : !y
    }""")
    assert "nn.pack" not in text


def test_a_weight_on_the_left_stays() -> None:
    text = pack("""
    func.func @main(%x: !x) -> !y {
      %w = nn.weight @w hash "1f" : !w
      %a = dev.launch @k(%w, %x) : (!w, !x) -> !y
      func.return %a : !y
    }""")
    assert "nn.pack" not in text


def test_integers_stay() -> None:
    main = """
    func.func @main(%x: !x) -> !y {
      %w = nn.weight @w hash "1f" : !w
      %a = dev.launch @k(%x, %w) : (!x, !w) -> !y
      func.return %a : !y
    }"""
    kernel = KERNEL.replace("f32", "i32").replace("0.0", "0")
    kernel = kernel.replace("mulf", "muli").replace("addf", "addi")
    module = parse_module(
        f"{TYPES.replace('f32', 'i32')}\nbuiltin.module {{\n{main}\n{kernel}\n}}"
    )
    make_pass("pack-weights").apply(make_context(), module)
    assert "nn.pack" not in str(module)


class Layers(torch.nn.Module):
    """Weights of all forms: linear, matrix on the right, grouped and plain windows."""

    def __init__(self) -> None:
        super().__init__()
        self.grouped = torch.nn.Conv2d(4, 6, 3, padding=1, groups=2)
        self.plain = torch.nn.Conv2d(6, 5, 2, stride=2)
        self.linear = torch.nn.Linear(5, 19)
        self.matrix = torch.nn.Parameter(torch.randn(19, 7))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.plain(torch.relu(self.grouped(x)))
        return torch.relu(self.linear(y.permute(0, 2, 3, 1))) @ self.matrix


def test_values_through_packed_weights() -> None:
    torch.manual_seed(3)
    model, x = Layers().eval(), torch.randn(2, 4, 7, 5)
    with torch.no_grad():
        wanted = model(x)
    program = devproc.compile(torch.export.export(model, (x,)), target="cpu")
    assert program.ir("kernels").count("nn.pack") == 4
    torch.testing.assert_close(program(x), wanted, rtol=1e-5, atol=1e-5)
