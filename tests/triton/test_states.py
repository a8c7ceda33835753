"""States in place on a device: what a scatter writes, and in which order."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn

import devproc

ROWS = 11


class Table(nn.Module):
    """Rows that are replaced at some indices, and summed up at the same."""

    rows: torch.Tensor
    sums: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("rows", torch.randn(3, ROWS, 70).bfloat16())
        self.register_buffer("sums", torch.randn(3, ROWS))

    def forward(
        self, x: torch.Tensor, at: torch.Tensor, own: torch.Tensor
    ) -> torch.Tensor:
        self.rows.index_copy_(1, at, x)
        self.sums.scatter_add_(1, own, x.float().mean(-1))
        return self.sums * 1


def test_of_several_updates_of_a_row_the_last_one_stays() -> None:
    torch.manual_seed(0)
    model = Table()
    count = 9
    x = torch.randn(3, count, 70).bfloat16()
    at = torch.tensor([4, 0, 4, ROWS - 1, 4, 0, 7, 7, 1])
    own = torch.randint(0, 4, (3, count))
    exported = torch.export.export(model, (x, at, own))
    program = devproc.compile(exported, "cuda:interpret", cache=False)
    assert all(row.in_place for row in program.report().states.rows)
    assert {
        str(row.schedule).split("<")[0] for row in program.report().schedules.rows
    } >= {"#sched.block_update"}
    for scale in (1, 2):
        program(x * scale, at, own)
        rows = model.rows.float().numpy()
        sums = model.sums.double().numpy()
        for k in range(count):
            rows[:, at[k]] = (x[:, k] * scale).float().numpy()
        means = (x * scale).float().mean(-1).double().numpy()
        for head in range(3):
            np.add.at(sums[head], own[head].numpy(), means[head])
        model.rows.copy_(torch.from_numpy(rows))
        model.sums.copy_(torch.from_numpy(sums))
        np.testing.assert_array_equal(program.state["rows"], rows)
        found: Any = program.state["sums"]
        np.testing.assert_allclose(found, sums, rtol=1e-5, atol=1e-5)
