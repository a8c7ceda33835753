"""A survey takes each model as far as it comes and says what stopped it."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from devproc.survey import STEPS, Row, survey


def fine() -> tuple[nn.Module, tuple[Any, ...]]:
    return nn.Sequential(nn.Linear(6, 5), nn.ReLU()), (torch.randn(2, 6),)


class Fft(nn.Module):
    """Two operators that no compiled program has."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.linalg.eigvalsh(x), torch.linalg.inv(x)


def unsupported() -> tuple[nn.Module, tuple[Any, ...]]:
    return Fft(), (torch.eye(3),)


class Branch(nn.Module):
    """Python control flow on data, which the exporter refuses."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x if x.sum() > 0 else -x


def not_exported() -> tuple[nn.Module, tuple[Any, ...]]:
    return Branch(), (torch.ones(3),)


def broken() -> tuple[nn.Module, tuple[Any, ...]]:
    raise OSError("no such file")


class Named(nn.Module):
    """Outputs with structure, and with NaN and infinity in them."""

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"root": torch.sqrt(x), "quotient": x / 0, "flags": x > 0}


def named() -> tuple[nn.Module, tuple[Any, ...]]:
    return Named(), (torch.tensor([-1.0, 0.0, 2.0]),)


def test_survey() -> None:
    seen: list[Row] = []
    models = {
        "fine": fine,
        "named": named,
        "unsupported": unsupported,
        "not_exported": not_exported,
        "broken": broken,
    }
    found = survey(models, on_row=seen.append, threads=1, cache=False)
    assert [row.name for row in found.rows] == list(models)
    assert found.rows == seen
    rows = {row.name: row for row in found.rows}
    assert rows["fine"].matched
    assert rows["fine"].obstacle == ""
    assert rows["fine"].error is not None
    assert rows["fine"].torch_error is not None
    assert 0 < rows["fine"].error < 1e-6
    assert 0 < rows["fine"].torch_error < 1e-6
    assert rows["fine"].compile_seconds > 0
    assert rows["named"].matched, rows["named"].obstacles
    assert rows["unsupported"].passed == ["exported"]
    assert len(rows["unsupported"].obstacles) == 2
    assert "linalg_eigvalsh" in rows["unsupported"].obstacle
    assert rows["not_exported"].passed == []
    assert "data-dependent" in rows["not_exported"].obstacle
    assert rows["broken"].obstacle == "OSError: no such file"


def test_table() -> None:
    models = {"fine": fine, "unsupported": unsupported}
    lines = str(survey(models, threads=1, cache=False)).splitlines()
    assert lines[0].split() == [
        "model",
        *STEPS,
        "error",
        "PyTorch's",
        "first",
        "obstacle",
    ]
    assert lines[1].split()[:5] == ["fine", "yes", "yes", "yes", "yes"]
    assert all(0 < float(error) < 1e-6 for error in lines[1].split()[5:])
    assert lines[2].split()[:5] == ["unsupported", "yes", "-", "-", "-"]
    assert lines[2].split()[5:7] == ["-", "-"]
    assert lines[2].endswith("(and 1 more)")


class Wrong(nn.Module):
    """Eager PyTorch and the compiled program compute different numbers."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2 if torch.compiler.is_exporting() else x


def wrong() -> tuple[nn.Module, tuple[Any, ...]]:
    return Wrong(), (torch.ones(3),)


def test_a_difference_is_an_obstacle() -> None:
    (row,) = survey({"wrong": wrong}, threads=1, cache=False).rows
    assert row.passed == ["exported", "imported", "compiled"]
    assert row.obstacle.startswith("output 0 differs by 1")
