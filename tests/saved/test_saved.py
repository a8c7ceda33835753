"""Programs of all formats: read and run, or refused with the numbers of both formats."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import torch

import devproc
from devproc.errors import BundleError
from devproc.runtime.bundles.manifest import FORMAT
from devproc.targets.cpu.machine.cpu_target import required_cpu, why_not_here
from tests.saved import (
    FOLDER,
    MEAN,
    PROCESSOR,
    RELEASED,
    SHAPE,
    STD,
    Classifier,
    file_of,
)

FILES = sorted(FOLDER.glob("*.devproc"))


def test_each_format_has_a_file() -> None:
    assert set(FILES) == {file_of(n) for n in (*RELEASED, FORMAT)}, "run `make saved`"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_program_of_a_format(path: Path) -> None:
    number = int(re.findall(r"\d+", path.stem)[0])
    if number == FORMAT:
        check_that_it_runs(path)
        return
    with pytest.raises(
        BundleError,
        match=rf"saved in format {number}, .* reads format {FORMAT}; compile",
    ):
        devproc.load(path)


def check_that_it_runs(path: Path) -> None:
    """Two calls give the scores, labels and sums of the model in PyTorch."""
    if (why := why_not_here(required_cpu(PROCESSOR))) is not None:
        pytest.skip(why)
    program, model = devproc.load(path), Classifier().eval()
    rng = np.random.default_rng(0)
    for image in rng.integers(0, 256, (2, *SHAPE), dtype=np.uint8):
        x = torch.from_numpy((image / 255 - MEAN) / STD).float().permute(2, 0, 1)[None]
        with torch.no_grad():
            scores, half = model(x)
        out = program(image=image)
        np.testing.assert_allclose(out["scores"], scores, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(out["half"], half, rtol=1e-5, atol=1e-5)
        assert out["label"].tolist() == scores.argmax(-1).tolist()
