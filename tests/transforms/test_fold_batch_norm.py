"""A batch norm after a layer changes its weights, and its results by roundings alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from devproc.driver import make_context, make_pass
from devproc.options import target_options
from devproc.reference.run.interpreter import evaluate
from devproc.runtime.execution.host_reader import find_function
from devproc.source import read_source

LAYERS: dict[str, Callable[[], tuple[nn.Module, torch.Tensor]]] = {
    "conv2d": lambda: (
        nn.Sequential(
            nn.Conv2d(6, 9, (3, 2), 2, 1, groups=3), nn.BatchNorm2d(9), nn.ReLU()
        ),
        torch.randn(2, 6, 9, 7),
    ),
    "without bias": lambda: (
        nn.Sequential(
            nn.Conv2d(3, 5, 3, bias=False), nn.BatchNorm2d(5, affine=False, eps=0.1)
        ),
        torch.randn(3, 3, 5, 8),
    ),
    "conv1d": lambda: (
        nn.Sequential(nn.Conv1d(3, 7, 3), nn.BatchNorm1d(7)),
        torch.randn(2, 3, 11),
    ),
    "linear": lambda: (
        nn.Sequential(nn.Linear(11, 5), nn.BatchNorm1d(5), nn.Linear(5, 3)),
        torch.randn(3, 11),
    ),
    "float64": lambda: (
        nn.Sequential(nn.Linear(11, 5), nn.BatchNorm1d(5)).double(),
        torch.randn(3, 11).double(),
    ),
}


def trained(model: nn.Module) -> nn.Module:
    """Statistics and factors that are not 0 and 1."""
    for module in model.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            module.get_buffer("running_mean").normal_()
            module.get_buffer("running_var").uniform_(0.2, 3)
            for parameter in module.parameters():
                parameter.data.normal_()
    return model.eval()


def folded(
    model: nn.Module, x: torch.Tensor, precision: str = "default"
) -> tuple[list[str], torch.Tensor]:
    """The names of the ops after the pass, and what they compute."""
    source = read_source(torch.export.export(model, (x,)))
    module = source.module
    module.attributes["devproc.target"] = target_options("cpu", 1, precision)
    for name in ("fold-batch-norm", "dce"):
        make_pass(name).apply(make_context(), module)
    module.verify()
    (result,) = evaluate(find_function(module, "main"), [x], source.weights)
    return [op.name for op in module.walk()], result


@pytest.mark.parametrize("name", LAYERS)
def test_result_differs_by_roundings(name: str) -> None:
    torch.manual_seed(0)
    model, x = LAYERS[name]()
    trained(model)
    x[0, 0] = 0
    names, found = folded(model, x)
    assert "nn.batch_norm" not in names
    with torch.no_grad():
        eager = model(x)
        exact = model.double()(x.double())
    assert found.dtype == eager.dtype
    error, bound = ((v.double() - exact).norm() for v in (found, eager))
    assert error <= 2 * bound + torch.finfo(x.dtype).eps * exact.norm()


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_not_finite_stays(value: float) -> None:
    torch.manual_seed(0)
    model, x = LAYERS["linear"]()
    x[1, 2] = value
    _, found = folded(trained(model), x)
    assert torch.equal(found.isfinite(), model(x).isfinite())


@pytest.mark.parametrize(("precision", "left"), [("strict", 1), ("fast", 0)])
def test_strict_folds_nothing(precision: str, left: int) -> None:
    model, x = LAYERS["conv2d"]()
    names, _ = folded(model.eval(), x, precision)
    assert names.count("nn.batch_norm") == left


def test_layer_that_others_read_stays() -> None:
    """A weight for two layers, or a result that is read before the norm too."""

    class Shared(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.norm = nn.Linear(5, 5), nn.BatchNorm1d(5)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.norm(self.layer(self.layer(x))) + x

    model, x = trained(Shared()), torch.randn(3, 5)
    names, found = folded(model, x)
    assert names.count("nn.batch_norm") == 1
    torch.testing.assert_close(found, model(x))
