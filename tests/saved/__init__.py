"""A saved program of each released format, and of the present one: what the files hold."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

import devproc

FOLDER = Path(__file__).parent
RELEASED: tuple[int, ...] = ()
"""The formats of releases, whose files stay for good."""
PROCESSOR = "x86-64-v3"
SHAPE = (9, 11, 3)
MEAN, STD = 0.5, 0.25


class Classifier(nn.Module):
    """A convolution, a linear layer, and a sum over the calls, with weights from a formula."""

    sum: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.linear = nn.Linear(8, 5)
        self.register_buffer("sum", torch.zeros(1, 5))
        with torch.no_grad():
            for weight in self.parameters():
                numbers = torch.arange(weight.numel(), dtype=torch.float64)
                weight.copy_(torch.sin(numbers * 0.7).view(weight.shape))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Scores of an image (1, 3, H, W), and half the sum of all scores so far."""
        scores = self.linear(F.relu(self.conv(x)).mean((2, 3)))
        self.sum.add_(scores)
        return scores, self.sum / 2


def pipeline() -> devproc.Pipeline:
    """From a uint8 image to scores, a label and a state."""
    height, width, channels = SHAPE
    example = torch.zeros(1, channels, height, width)
    exported = torch.export.export(Classifier().eval(), (example,))
    pipe = devproc.pipeline("classify")
    x = pipe.normalize(pipe.input("image", "uint8", SHAPE), (MEAN,) * 3, (STD,) * 3)
    scores, half = pipe.model(exported, pipe.layout(x, "HWC->NCHW"))
    pipe.output("label", pipe.argmax(scores, axis=-1))
    pipe.output("scores", scores)
    pipe.output("half", half)
    return pipe


def file_of(number: int) -> Path:
    """The program that was saved in a format."""
    return FOLDER / f"format_{number}.devproc"
