"""A cascade of three networks over one photograph, as MTCNN finds faces.

    python examples/faces.py

A network of 12 x 12 windows runs over the photograph at several sizes; what it finds is
merged and suppressed, cut out of the photograph by averaging areas, and judged by a second
network, whose boxes are cut out larger for a third. All between the networks is steps:
arithmetic on their maps, `merge_detections`, `nms`, and `crop_and_resize(like="pytorch")`.
The networks have random weights, so what they find are no faces; the same cascade written
with PyTorch, Pillow and loops must find the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from rich.console import Console
from small_models import Images, photograph
from torch import nn

import devproc
from devproc import Pipeline

Floats = NDArray[np.float32]

SHAPE = (427, 640, 3)
SCALES = (0.12, 0.085, 0.06)
CELL, STRIDE = 12, 2
MOST, CUT = 24, (24, 48)
"""Boxes that each network is given, and the sizes they are cut out in."""
FIRST, LATER = 0.25, 0.5
"""Scores from which on a box of the first network stays, and one of the others."""


def first_network() -> nn.Sequential:
    """Windows of 12 x 12 pixels, one every second pixel: a score and how to move it."""
    layers = [nn.Conv2d(3, 10, 3), nn.PReLU(10), nn.MaxPool2d(2, 2, ceil_mode=True)]
    layers += [nn.Conv2d(10, 16, 3), nn.PReLU(16), nn.Conv2d(16, 6, 3)]
    return nn.Sequential(*layers)


def later_network(size: int) -> nn.Sequential:
    """The same of whole boxes."""
    layers = [nn.Conv2d(3, 8, 3, 2), nn.PReLU(8), nn.Conv2d(8, 8, 3, 2), nn.PReLU(8)]
    side = ((size - 1) // 2 - 1) // 2
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(8 * side * side, 6))


def models() -> list[nn.Module]:
    """The three networks, always with the same weights."""
    torch.manual_seed(0)
    found = [first_network(), *map(later_network, CUT)]
    for net in found:
        # Scores that differ from window to window.
        weight, bias = net[-1].parameters()
        weight.data[:2] *= 10
        bias.data[:2] = 0
    return [net.eval() for net in found]


def windows(height: int, width: int) -> Floats:
    """Corners of all windows (height * width, 4), in pixels of the resized photograph."""
    y, x = (n.ravel() * STRIDE for n in np.mgrid[:height, :width])
    return np.stack([x, y, x + CELL, y + CELL], 1).astype(np.float32)


def build(nets: list[nn.Module]) -> devproc.Program:
    """The program of the whole cascade."""
    pipe = devproc.pipeline("faces")
    image = pipe.input("image", np.uint8, SHAPE)
    found = [search(pipe, image, nets[0], scale) for scale in SCALES]
    boxes, scores, _ = pipe.merge_detections(found, [1 / scale for scale in SCALES])
    kept = pipe.nms(boxes, scores, 0.7, FIRST, MOST)
    for net, size in zip(nets[1:], CUT, strict=True):
        boxes, scores = pipe.fill_padding(kept.boxes), pipe.fill_padding(kept.scores)
        cut = pipe.crop_and_resize(image, boxes, (size, size), "pytorch")
        x = pipe.layout((cut - 127.5) / 128, "NHWC->NCHW")
        given = (torch.zeros(MOST, 3, size, size),)
        judged = pipe.model(torch.export.export(net, given), x)
        # A row that is padding has no box, whatever the network says of it.
        chances = pipe.where(scores > 0, pipe.softmax(judged[:, :2])[:, 1], 0)
        boxes = moved(pipe, boxes, judged[:, 2:])
        kept = pipe.nms(boxes, chances, 0.7, LATER, MOST, overlap="iom")
    pipe.output("found", pipe.clip_boxes(kept, SHAPE[:2]))
    return devproc.compile(pipe)


def search(pipe: Pipeline, image: Any, net: nn.Module, scale: float) -> Any:
    """What the first network finds in the photograph at one size, in its pixels there."""
    size = [round(n * scale) for n in SHAPE[:2]]
    small = pipe.resize(image, size, like="pillow", mode="box")
    x = pipe.layout(pipe.normalize(small, 127.5, 128, scale=1), "HWC->NCHW")
    map_ = pipe.model(torch.export.export(net, (torch.zeros(x.shape),)), x)[0]
    rows = pipe.reshape(pipe.transpose(map_, (1, 2, 0)), (-1, 6))
    scores = pipe.softmax(rows[:, :2])[:, 1]
    boxes = windows(*map_.shape[1:]) + rows[:, 2:] * float(CELL)
    return pipe.nms(boxes, scores, 0.5, FIRST, MOST)


def moved(pipe: Pipeline, boxes: Any, change: Any) -> Any:
    """Boxes whose corners moved by parts of their size."""
    size = boxes[:, 2:] - boxes[:, :2]
    return boxes + change * pipe.concat([size, size], axis=1)


def suppressed(
    boxes: Floats,
    scores: Floats,
    overlap: float,
    least: float,
    of_smaller: bool = False,
) -> list[int]:
    """Greedy suppression as a loop."""
    kept: list[int] = []
    for i in np.argsort(-scores, kind="stable"):
        if scores[i] <= least or len(kept) == MOST:
            break
        for j in kept:
            low = np.maximum(boxes[i, :2], boxes[j, :2])
            size = np.maximum(np.minimum(boxes[i, 2:], boxes[j, 2:]) - low, 0)
            both = size.prod()
            areas = [(boxes[k, 2:] - boxes[k, :2]).prod() for k in (i, j)]
            if both / (min(areas) if of_smaller else sum(areas) - both) > overlap:
                break
        else:
            kept.append(int(i))
    return kept


def cut_out(image: Images, box: Floats, size: int) -> torch.Tensor:
    """The pixels of a box within the photograph, averaged to a square."""
    x1, y1, x2, y2 = (max(int(n), 0) for n in box)
    part = torch.from_numpy(image[y1:y2, x1:x2].astype(np.float32))
    if not part.numel():
        return torch.zeros(1, 3, size, size)
    planes = part.permute(2, 0, 1)[None]
    return torch.nn.functional.interpolate(planes, (size, size), mode="area")


def by_pytorch(nets: list[nn.Module], image: Images) -> Floats:
    """The boxes that the cascade finds, by PyTorch, Pillow and loops."""
    every: list[Floats] = []
    chances: list[Floats] = []
    with torch.no_grad():
        for scale in SCALES:
            height, width = (round(n * scale) for n in SHAPE[:2])
            resized = Image.fromarray(image).resize(
                (width, height), Image.Resampling.BOX
            )
            x = torch.from_numpy((np.array(resized, np.float32) - 127.5) / 128)
            (map_,) = nets[0](x.permute(2, 0, 1)[None])
            scores = map_[:2].softmax(0)[1].flatten().numpy()
            boxes = windows(*map_.shape[1:]) + map_[2:].flatten(1).T.numpy() * CELL
            kept = suppressed(boxes, scores, 0.5, FIRST)
            every.append((boxes[kept] / scale).astype(np.float32))
            chances.append(scores[kept])
        boxes, scores = np.concatenate(every), np.concatenate(chances)
        boxes = boxes[suppressed(boxes, scores, 0.7, FIRST)]
        for net, size in zip(nets[1:], CUT, strict=True):
            cut = torch.cat([cut_out(image, box, size) for box in boxes])
            judged = net((cut - 127.5) / 128)
            scores = judged[:, :2].softmax(1)[:, 1].numpy()
            sides = boxes[:, 2:] - boxes[:, :2]
            boxes = boxes + judged[:, 2:].numpy() * np.concatenate([sides, sides], 1)
            boxes = boxes[suppressed(boxes, scores, 0.7, LATER, of_smaller=True)]
    return np.clip(boxes, 0, [SHAPE[1], SHAPE[0]] * 2).astype(np.float32)


def demo(console: Console) -> float:
    """Run the cascade; gives the largest difference of a box, in pixels."""
    nets, image = models(), photograph("china")
    found = build(nets)(image=image)["found"]
    wanted, count = by_pytorch(nets, image), int(found["count"])
    assert count == len(wanted) > 0, "as many boxes as PyTorch and loops find"
    difference = float(np.abs(found["boxes"][:count] - wanted).max())
    console.print(f"{count} boxes, at most {difference:.1e} pixels away")
    return difference


if __name__ == "__main__":
    demo(Console())
