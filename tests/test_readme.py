"""The README's example runs as it stands, and agrees with PyTorch and Pillow."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import torch
from PIL import Image

from tests.repository import ROOT

README = (ROOT / "README.md").read_text()
EXAMPLE = re.search(r"```python\n(.*?)```", README, re.DOTALL)


def example() -> str:
    """The source of the example; its model has the same weights each time."""
    assert EXAMPLE, "the README lost its example"
    return f"import torch\ntorch.manual_seed(0)\n{EXAMPLE.group(1)}"


@cache
def names_of_example() -> dict[str, Any]:
    """What the example defines, run in this process."""
    names: dict[str, Any] = {}
    exec(compile(example(), "README.md", "exec"), names)
    return names


def check(probabilities: Any, label: Any) -> None:
    """The outputs of the example are those of PyTorch and Pillow."""
    names = names_of_example()
    small = Image.fromarray(names["frame"]).resize((32, 32), Image.Resampling.BILINEAR)
    mean, std = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
    scaled = (np.asarray(small) / 255 - mean) / std
    x = torch.from_numpy(scaled).float().permute(2, 0, 1)[None]
    with torch.no_grad():
        wanted = torch.softmax(names["model"](x), dim=-1).numpy()
    np.testing.assert_allclose(probabilities, wanted, atol=1e-5)
    assert label.tolist() == wanted.argmax(-1).tolist()


def test_example() -> None:
    check(**names_of_example()["out"])


def test_example_is_short() -> None:
    assert EXAMPLE
    code = [line for line in EXAMPLE.group(1).splitlines() if line.strip()]
    assert len(code) <= 25
