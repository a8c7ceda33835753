"""A detector whose head ends at its feature maps: boxes are decoded by steps.

    python examples/yolo_head.py

The model returns what the last convolutions of a YOLOv8 give, one map for each stride. All
that follows, the distributions of the sides, anchors, strides and suppression, is written
with reshape, concat, slices and arithmetic of values. `decode_yolo` does the same in one
step; a head of one's own is written so.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from small_models import Images, photograph
from torch import nn

import devproc

Floats = NDArray[np.float32]

SIZE, STRIDES, BINS, CLASSES = (96, 128), (8, 16), 8, 3
OVERLAP, SCORE, MOST = 0.5, 0.55, 40


class RawHead(nn.Module):
    """A backbone and the convolutions of a head, with random weights."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 8, 3, 4, 1), nn.SiLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.SiLU()
        )
        self.deeper = nn.Sequential(nn.Conv2d(16, 16, 3, 2, 1), nn.SiLU())
        heads = [nn.Conv2d(16, 4 * BINS + CLASSES, 1) for _ in STRIDES]
        for head in heads:
            nn.init.normal_(head.weight, std=2.0)
        self.heads = nn.ModuleList(heads)

    def forward(self, x: torch.Tensor) -> list[torch.Tensor]:
        """A map (1, 4 * bins + classes, h, w) for each stride."""
        near = self.stem(x)
        levels = (near, self.deeper(near))
        return [head(level) for head, level in zip(self.heads, levels, strict=True)]


def model() -> nn.Module:
    """The model, always with the same weights."""
    torch.manual_seed(0)
    return RawHead().eval()


def places() -> tuple[Floats, Floats]:
    """Middles of all places (2, n) in their map, and their strides (1, n)."""
    middles: list[Floats] = []
    strides: list[Floats] = []
    for stride in STRIDES:
        y, x = np.mgrid[: SIZE[0] // stride, : SIZE[1] // stride]
        middles.append(np.stack([x, y]).reshape(2, -1).astype(np.float32) + 0.5)
        strides.append(np.full((1, x.size), stride, np.float32))
    return np.concatenate(middles, 1), np.concatenate(strides, 1)


def build(net: nn.Module) -> devproc.Program:
    """The program from a photograph to detections."""
    pipe = devproc.pipeline("yolo_head")
    image = pipe.input("image", "uint8", (427, 640, 3))
    x = pipe.layout(pipe.resize(image, SIZE) / 255, "HWC->NCHW")
    exported = torch.export.export(net, (torch.zeros(1, 3, *SIZE),))
    maps = pipe.model(exported, x)
    whole = pipe.concat([pipe.reshape(m, (*m.shape[:2], -1)) for m in maps], axis=2)
    sides = pipe.decode_dfl(whole[:, : 4 * BINS], BINS)
    scores = pipe.sigmoid(whole[:, 4 * BINS :])
    middles, strides = places()
    corners = [middles - sides[:, :2], middles + sides[:, 2:]]
    boxes = pipe.concat(corners, axis=1) * strides
    boxes, scores = (pipe.transpose(v, (0, 2, 1)) for v in (boxes, scores))
    found = pipe.nms(boxes, scores, OVERLAP, SCORE, MOST)
    pipe.output("found", pipe.map_boxes(found, image=x, source=image))
    return devproc.compile(pipe)


def suppressed(boxes: Floats, scores: Floats, classes: NDArray[np.int64]) -> list[int]:
    """Greedy suppression of each class, as a loop."""
    kept: list[int] = []
    for i in np.argsort(-scores, kind="stable"):
        if scores[i] <= SCORE or len(kept) == MOST:
            break
        for j in kept:
            low = np.maximum(boxes[i, :2], boxes[j, :2])
            size = np.maximum(np.minimum(boxes[i, 2:], boxes[j, 2:]) - low, 0)
            both = size.prod()
            areas = [(boxes[k, 2:] - boxes[k, :2]).prod() for k in (i, j)]
            if classes[i] == classes[j] and both / (sum(areas) - both) > OVERLAP:
                break
        else:
            kept.append(int(i))
    return kept


def by_pytorch(net: nn.Module, image: Images) -> Floats:
    """Boxes in the photograph's pixels, by Pillow, PyTorch and a loop."""
    from PIL import Image

    small = Image.fromarray(image).resize((SIZE[1], SIZE[0]), Image.Resampling.BILINEAR)
    x = torch.from_numpy(np.array(small)).permute(2, 0, 1)[None] / 255
    with torch.no_grad():
        flat = torch.cat([m.flatten(2) for m in net(x)], 2)[0]
    sides = flat[: 4 * BINS].unflatten(0, (4, BINS)).softmax(1)
    sides = (sides * torch.arange(BINS)[None, :, None]).sum(1)
    middles, strides = map(torch.from_numpy, places())
    boxes = torch.cat([middles - sides[:2], middles + sides[2:]]) * strides
    chances = flat[4 * BINS :].sigmoid().T.numpy()
    every = np.repeat(boxes.T.numpy(), CLASSES, 0)
    classes = np.tile(np.arange(CLASSES), len(chances))
    kept = suppressed(every, chances.ravel(), classes)
    height, width = image.shape[:2]
    scale = np.array([width / SIZE[1], height / SIZE[0]] * 2, np.float32)
    return np.clip(every[kept] * scale, 0, [width, height] * 2).astype(np.float32)


def demo(console: Console) -> float:
    """Detect in a photograph; gives the largest difference of a box, in pixels."""
    net, image = model(), photograph("china")
    found = build(net)(image=image)["found"]
    wanted = by_pytorch(net, image)
    count = int(found["count"][0])
    assert count == len(wanted) > 0, "as many boxes as PyTorch and a loop find"
    difference = float(np.abs(found["boxes"][0, :count] - wanted).max())
    console.print(f"{count} boxes, at most {difference:.1e} pixels away")
    return difference


if __name__ == "__main__":
    demo(Console())
