"""The generated code of small programs, word for word: a refactor changes none of it.

`pytest tests/e2e/test_golden.py --update-golden` writes the files in `tests/golden/`;
the change of the code is then what one reads in the diff. The options stand in the
programs, so that the host's CPU plays no part.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from devproc.targets.cpu.llvm_ir import print_module as print_llvm
from devproc.targets.triton.printer import print_module as print_triton
from tests.conftest import GOLDEN
from tests.generated_code import IN_TESTS, all_hashes, as_json
from tests.repository import lowered

CPU = (
    '#dev.target<"cpu", precision = "{precision}", threads = {threads}, '
    "cpu = #cpu.machine<vector_bits = {bits}>>"
)
CUDA = CPU.replace('"cpu"', '"cuda"')

LINEAR_RELU = """
func.func @main(%x: tensor<5x19xf32>) -> tensor<5x7xf32> {
  %w = nn.weight @fc.weight hash "6a9fe95ea6d1680d" : tensor<7x19xf32>
  %b = nn.weight @fc.bias hash "ccd76d5e4b81be61" : tensor<7xf32>
  %fc = nn.linear %x, %w bias %b
     : (tensor<5x19xf32>, tensor<7x19xf32>, tensor<7xf32>) -> tensor<5x7xf32>
  %relu = nn.relu %fc : (tensor<5x7xf32>) -> tensor<5x7xf32>
  func.return %relu : tensor<5x7xf32>
}
"""

CONV_POOL = """
func.func @main(%x: tensor<2x3x9x11xf32>) -> tensor<2x4x4x5xf32> {
  %w = nn.weight @conv.weight hash "6a9fe95ea6d1680d" : tensor<4x3x3x3xf32>
  %conv = nn.conv2d %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1
     : (tensor<2x3x9x11xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x9x11xf32>
  %pool = nn.max_pool2d %conv kernel [2, 2] stride [2, 2] padding [0, 0]
     dilation [1, 1] ceil 0 : (tensor<2x4x9x11xf32>) -> tensor<2x4x4x5xf32>
  func.return %pool : tensor<2x4x4x5xf32>
}
"""

SOFTMAX_ARGMAX = """
func.func @main(%x: tensor<3x37xf32>) -> (tensor<3x37xf32>, tensor<3xi64>) {
  %p = nn.softmax %x axis 1 : (tensor<3x37xf32>) -> tensor<3x37xf32>
  %i = nn.argmax %p axis 1 keep 0 : (tensor<3x37xf32>) -> tensor<3xi64>
  func.return %p, %i : tensor<3x37xf32>, tensor<3xi64>
}
"""

IMAGE = """
func.func @main(%x: tensor<6x8x3xui8>) -> tensor<3x5x4xf32> {
  %r = nn.resize %x axes [0, 1] to [5, 4] mode "bilinear" like "pillow"
     : (tensor<6x8x3xui8>) -> tensor<5x4x3xui8>
  %n = nn.normalize %r axis 2 mean [0.4, 0.5, 0.6] std [0.2, 0.3, 0.4]
     : (tensor<5x4x3xui8>) -> tensor<5x4x3xf32>
  %t = nn.transpose %n by [2, 0, 1] : (tensor<5x4x3xf32>) -> tensor<3x5x4xf32>
  func.return %t : tensor<3x5x4xf32>
}
"""

ATTENTION = """
func.func @main(
    %q: tensor<2x11x8xf32>, %k: tensor<2x8x13xf32>, %v: tensor<2x13x8xf32>
) -> tensor<2x11x8xf32> {
  %s = nn.matmul %q, %k
     : (tensor<2x11x8xf32>, tensor<2x8x13xf32>) -> tensor<2x11x13xf32>
  %p = nn.softmax %s axis 2 : (tensor<2x11x13xf32>) -> tensor<2x11x13xf32>
  %o = nn.matmul %p, %v
     : (tensor<2x11x13xf32>, tensor<2x13x8xf32>) -> tensor<2x11x8xf32>
  func.return %o : tensor<2x11x8xf32>
}
"""


def module(
    program: str, target: str, bits: int, threads: int = 1, precision: str = "default"
) -> str:
    """The program as a module that carries its options."""
    options = target.format(bits=bits, threads=threads, precision=precision)
    return f"module attributes {{devproc.target = {options}}} {{{program}}}"


Golden = Callable[[str, str], None]


def test_linear_relu_avx2(golden: Golden) -> None:
    golden("ll", print_llvm(lowered(module(LINEAR_RELU, CPU, 256))))


def test_conv_pool_avx512_two_threads(golden: Golden) -> None:
    golden("ll", print_llvm(lowered(module(CONV_POOL, CPU, 512, threads=2))))


def test_softmax_argmax_strict(golden: Golden) -> None:
    text = module(SOFTMAX_ARGMAX, CPU, 256, precision="strict")
    golden("ll", print_llvm(lowered(text)))


def test_image_neon(golden: Golden) -> None:
    golden("ll", print_llvm(lowered(module(IMAGE, CPU, 128))))


@pytest.mark.parametrize("precision", ["strict", "default"])
def test_attention_cuda(golden: Golden, precision: str) -> None:
    text = module(ATTENTION, CUDA, 256, precision=precision)
    golden("triton", print_triton(lowered(text)))


def test_conv_pool_cuda(golden: Golden) -> None:
    golden("triton", print_triton(lowered(module(CONV_POOL, CUDA, 256))))


def test_image_cuda(golden: Golden) -> None:
    golden("triton", print_triton(lowered(module(IMAGE, CUDA, 256))))


def test_generated_code(golden: Golden) -> None:
    """Of larger programs, hashes: `python -m tests.generated_code` shows the texts."""
    golden("json", as_json(all_hashes(IN_TESTS)))


def test_no_golden_file_is_left_over() -> None:
    names = {name for name in globals() if name.startswith("test_")}
    for path in GOLDEN.iterdir():
        assert "test_" + path.name.partition(".")[0].partition("-")[0] in names
