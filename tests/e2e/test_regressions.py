"""Programs that once failed, as small as they can be."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import devproc
from tests.fuzz.compare import guarded_outputs
from tests.vectors import vectors

Function = Callable[[torch.Tensor], torch.Tensor]

FOUND: dict[str, tuple[Function, torch.Tensor]] = {
    # A bool is a byte behind a GPU kernel's pointer, and an i1 in the memref.
    "bool_input": (lambda x: x + 1.5, torch.tensor([True, False, True])),
    "bool_output": (lambda x: x.to(torch.bool), torch.tensor([0.0, 2.0, -0.0])),
    # All reduced sizes are 1: the row of a block is a scalar.
    "argmax_of_one": (lambda x: x.argmax(1), torch.ones(1, 1, 1)),
    "argmax_of_a_scalar": (lambda x: x.argmax(), torch.tensor(-3)),
    # Nothing reads the product: its kernel would have no result.
    "padded_empty_image": (lambda x: F.pad(x * 2, [1, 1]), torch.zeros(2, 0, 3)),
    # Its innermost loop has no channel to interleave.
    "stacked_empty_rows": (lambda x: torch.stack([x[:, :0]] * 2), torch.ones(17, 3)),
}


class Model(nn.Module):
    """A function as a module."""

    def __init__(self, function: Function) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x)


@pytest.mark.parametrize("target", ["cpu", "cuda:interpret"])
@pytest.mark.parametrize("name", FOUND)
def test_found_by_random_models(name: str, target: str) -> None:
    function, x = FOUND[name]
    exported = torch.export.export(Model(function), (x,))
    ours = devproc.compile(exported, target=target, cache=False)(x)
    assert torch.equal(ours, function(x))


@pytest.mark.parametrize("bits", [128, 256, 512])
@pytest.mark.parametrize("width", [17, 33])
def test_last_pixel_of_a_row_is_one_byte(width: int, bits: int) -> None:
    """LLVM stored four: see `convert-to-llvm`'s lowering of a masked store."""
    pipe = devproc.pipeline("resize")
    image = pipe.input("image", "uint8", (3, 9))
    pipe.output("image", pipe.resize(image, (2, width)))
    with vectors(bits):
        program = devproc.compile(pipe, cache=False)
    with guarded_outputs():
        program(image=torch.full((3, 9), 255, dtype=torch.uint8))


def test_infinite_vector_is_defined_before_each_loop_that_reads_it() -> None:
    """A parallel kernel's two column loops compare with one infinity: the vector was put
    together in the first of them.
    """

    class Masked(nn.Module):
        def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            scores = torch.matmul(a, b)
            return (scores == float("-inf")).logical_not().any(-1)

    a, b = torch.randn(6, 15, 10), torch.randn(6, 10, 15)
    a[2, 3] = float("-inf")
    b[2] = b[2].abs()
    exported = torch.export.export(Masked(), (a, b))
    program = devproc.compile(exported, threads=2, cache=False)
    assert torch.equal(program(a, b), Masked()(a, b))
