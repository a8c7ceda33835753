"""The README's example runs as it stands, and agrees with PyTorch and Pillow."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import torch
from PIL import Image

from tests.repository import ROOT

README = (ROOT / "README.md").read_text()
EXAMPLE = re.search(r"```python\n(.*?)```", README, re.DOTALL)


def test_example() -> None:
    assert EXAMPLE, "the README lost its example"
    torch.manual_seed(0)
    names: dict[str, Any] = {}
    exec(compile(EXAMPLE.group(1), "README.md", "exec"), names)
    small = Image.fromarray(names["frame"]).resize((32, 32), Image.Resampling.BILINEAR)
    mean, std = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
    scaled = (np.asarray(small) / 255 - mean) / std
    x = torch.from_numpy(scaled).float().permute(2, 0, 1)[None]
    with torch.no_grad():
        wanted = torch.softmax(names["model"](x), dim=-1).numpy()
    out = names["out"]
    np.testing.assert_allclose(out["probabilities"], wanted, atol=1e-5)
    assert out["label"].tolist() == wanted.argmax(-1).tolist()


def test_example_is_short() -> None:
    assert EXAMPLE
    code = [line for line in EXAMPLE.group(1).splitlines() if line.strip()]
    assert len(code) <= 25
