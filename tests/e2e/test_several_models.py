"""Several models in one pipeline, with steps before, between and behind them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import devproc
from devproc.frontends.dsl import Pipeline
from devproc.program import Program

HEIGHT, WIDTH, BOXES, CROP = 13, 17, 3, (6, 5)
MEAN, STD = (0.4, 0.5, 0.6), (0.2, 0.3, 0.25)


class Detector(nn.Module):
    """Boxes as corners in pixels, and scores; weights `conv` and `head`."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.head = nn.Conv2d(3, 4, 3, padding=1), nn.Linear(4, 5 * BOXES)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        features = torch.relu(self.conv(x)).mean((2, 3))
        found = torch.sigmoid(self.head(features)).reshape(BOXES, 5)
        corner = found[:, :2] * torch.tensor([WIDTH / 2, HEIGHT / 2])
        sizes = found[:, 2:4] * torch.tensor([WIDTH / 2, HEIGHT / 2]) + 1
        return torch.cat([corner, corner + sizes], 1), found[:, 4]


class Classifier(nn.Module):
    """Scores of crops; its weights have the detector's names."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.head = nn.Conv2d(3, 4, 3, padding=1), nn.Linear(4, 7)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(torch.relu(self.conv(x)).mean((2, 3)))


def models() -> tuple[Detector, Classifier]:
    with torch.random.fork_rng():
        torch.manual_seed(5)
        return Detector().eval(), Classifier().eval()


def pipeline() -> Pipeline:
    """The detector, the classifier on its crops, and once more on the flipped crops."""
    detector, classifier = models()
    detect = torch.export.export(detector, (torch.zeros(1, 3, HEIGHT, WIDTH),))
    classify = torch.export.export(classifier, (torch.zeros(BOXES, 3, *CROP),))
    pipe = devproc.pipeline("detect-classify")
    image = pipe.input("image", "uint8", (HEIGHT, WIDTH, 3))
    pixels = pipe.normalize(image, mean=MEAN, std=STD)
    boxes, scores = pipe.model(detect, pipe.layout(pixels, "HWC->NCHW"))
    crops = pipe.crop_and_resize(pixels, boxes, CROP, like="torchvision")
    crops = pipe.layout(crops, "NHWC->NCHW")
    straight = pipe.softmax(pipe.model(classify, crops), axis=-1)
    mirrored = pipe.model(classify, pipe.flip(crops, "horizontal"))
    pipe.output("boxes", boxes)
    pipe.output("scores", scores)
    pipe.output("straight", straight)
    pipe.output("mirrored", mirrored)
    pipe.output("label", pipe.argmax(straight, axis=-1))
    return pipe


def crop(image: Tensor, box: Tensor) -> Tensor:
    """One bilinear sample in the middle of each bin: `roi_align(aligned=True)`."""
    left, top, right, bottom = (box - 0.5).tolist()
    ys = top + (torch.arange(CROP[0]) + 0.5) * (bottom - top) / CROP[0]
    xs = left + (torch.arange(CROP[1]) + 0.5) * (right - left) / CROP[1]
    grid = torch.stack(torch.meshgrid(xs, ys, indexing="xy"), -1)
    scale = torch.tensor([WIDTH - 1, HEIGHT - 1]) / 2
    grid = (grid.double() / scale - 1)[None]
    return nn.functional.grid_sample(
        image.double(), grid, padding_mode="border", align_corners=True
    )


def wanted(image: np.ndarray) -> dict[str, Tensor]:
    """The same by PyTorch, in float64 but for the detector."""
    detector, classifier = models()
    pixels = torch.from_numpy(image).float() / 255
    pixels = ((pixels - torch.tensor(MEAN)) / torch.tensor(STD)).permute(2, 0, 1)[None]
    with torch.no_grad():
        boxes, scores = detector(pixels)
        crops = torch.cat([crop(pixels, box) for box in boxes])
        straight = classifier.double()(crops).softmax(-1)
        mirrored = classifier(crops.flip(-1))
    label = straight.argmax(-1)
    return {
        "boxes": boxes,
        "scores": scores,
        "straight": straight,
        "mirrored": mirrored,
        "label": label,
    }


def image(seed: int) -> np.ndarray:
    shape = (HEIGHT, WIDTH, 3)
    return np.random.default_rng(seed).integers(0, 256, shape, np.uint8)


@pytest.fixture(scope="module", params=["cpu", "cuda:interpret"])
def program(request: pytest.FixtureRequest) -> Program:
    return devproc.compile(pipeline(), target=request.param, threads=2)


def test_detector_then_classifier_on_its_crops(program: Program) -> None:
    for seed in range(3):
        found = program(image=image(seed))
        for name, value in wanted(image(seed)).items():
            np.testing.assert_allclose(found[name], value, rtol=2e-5, atol=2e-6)


def test_saved_and_loaded(program: Program, tmp_path: Path) -> None:
    program.save(tmp_path / "program")
    loaded = devproc.load(tmp_path / "program")
    found, again = program(image=image(4)), loaded(image=image(4))
    for name, value in found.items():
        np.testing.assert_array_equal(again[name], value)


def test_a_model_used_twice_has_its_weights_once() -> None:
    """Two models of equal weight names have weights of their own."""
    weights = pipeline().weights
    convolutions = [name for name in weights if name.endswith("conv.weight")]
    assert len(convolutions) == 2
    first, second = (weights.array(name) for name in convolutions)
    assert not np.array_equal(first, second)


def test_targets_agree_from_pixels_to_labels() -> None:
    """Pre-processing, models and post-processing on the CPU and as printed Triton."""
    pipe = devproc.pipeline("ends")
    frame = pipe.input("frame", "uint8", (11, 9, 3))
    x = pipe.resize(frame, (7, 6), like="pillow", mode="bilinear")
    x = pipe.normalize(x, mean=MEAN, std=STD)
    net = nn.Sequential(nn.Conv2d(3, 5, 3), nn.ReLU(), nn.Flatten(), nn.Linear(100, 9))
    exported = torch.export.export(net.eval(), (torch.zeros(1, 3, 7, 6),))
    logits = pipe.model(exported, pipe.layout(x, "HWC->NCHW"))
    values, labels = pipe.top_k(pipe.softmax(logits, axis=-1), 3)
    pipe.output("pixels", x)
    pipe.output("values", values)
    pipe.output("labels", labels)
    on_host, printed, both = (
        devproc.compile(pipe, target=target)
        for target in ("cpu", "cuda:interpret", "cpu+cuda:interpret")
    )
    assert on_host.artifact.code.keys() == {"cpu"}
    assert printed.artifact.code.keys() == {"cuda"}
    pixels = np.random.default_rng(1).integers(0, 256, (11, 9, 3), np.uint8)
    first, *others = (p(frame=pixels) for p in (on_host, printed, both))
    with torch.no_grad():
        given = torch.from_numpy(first["pixels"]).permute(2, 0, 1)[None].double()
        scores = net.double()(given).softmax(-1).topk(3)
    np.testing.assert_allclose(first["values"], scores.values, rtol=1e-5)
    np.testing.assert_array_equal(first["labels"], scores.indices)
    for other in others:
        # Integers of the resize, and what is normalised of them, are the same bits.
        np.testing.assert_array_equal(other["pixels"], first["pixels"])
        np.testing.assert_array_equal(other["labels"], first["labels"])
        np.testing.assert_allclose(other["values"], first["values"], rtol=1e-6)
