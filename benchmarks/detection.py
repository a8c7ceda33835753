"""Times a YOLO head's decoding and suppression beside the same in PyTorch, interleaved.

8,400 places, 80 classes, a few hundred candidates around some thirty objects. PyTorch
decodes every place, as Ultralytics does, or what is above the threshold alone; ours
decodes every place. Suppression is a loop over the kept boxes, each beside all others
at once, since torchvision's kernel is no composition. `python benchmarks/detection.py`
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from turns import Run, row, run_benchmark

import devproc

STRIDES, CLASSES, BINS = (8, 16, 32), 80, 16
SCORE, OVERLAP, MOST = 0.25, 0.45, 300

Maps = Sequence[torch.Tensor]
Found = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
"""Boxes, scores, classes."""


def maps(seed: int = 0) -> list[torch.Tensor]:
    """Feature maps of a head: background, and objects that several places see."""
    rng = np.random.default_rng(seed)
    found = [
        rng.normal(0, 1, (1, 4 * BINS + CLASSES, 640 // s, 640 // s)).astype(np.float32)
        for s in STRIDES
    ]
    for x in found:
        x[:, 4 * BINS :] = rng.normal(-9, 1.5, x[:, 4 * BINS :].shape)
    for number in range(30):
        x = found[number % 3]
        size = x.shape[-1]
        row, column = rng.integers(1, size - 2, 2)
        near = x[0, :, row - 1 : row + 2, column - 1 : column + 2]
        near[4 * BINS + rng.integers(CLASSES)] = rng.normal(1.5, 0.7, near.shape[1:])
        for side in range(4):
            near[side * BINS + rng.integers(3, BINS)] += 6
    return [torch.from_numpy(x) for x in found]


def anchors(given: Maps) -> tuple[torch.Tensor, torch.Tensor]:
    """The middle of each place (2, n), and its stride (n)."""
    points: list[torch.Tensor] = []
    strides: list[torch.Tensor] = []
    for x, stride in zip(given, STRIDES, strict=True):
        h, w = x.shape[-2:]
        y, x_ = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        points.append(torch.stack([x_.flatten(), y.flatten()]) + 0.5)
        strides.append(torch.full((h * w,), float(stride)))
    return torch.cat(points, 1), torch.cat(strides)


def suppressed(
    boxes: torch.Tensor, scores: torch.Tensor, classes: torch.Tensor
) -> Found:
    """Class-wise suppression of candidates."""
    order = scores.argsort(descending=True, stable=True)
    boxes, scores, classes = boxes[order], scores[order], classes[order]
    x1, y1, x2, y2 = boxes.unbind(1)
    areas = (x2 - x1) * (y2 - y1)
    width = torch.minimum(x2[:, None], x2) - torch.maximum(x1[:, None], x1)
    height = torch.minimum(y2[:, None], y2) - torch.maximum(y1[:, None], y1)
    both = width.clamp(min=0) * height.clamp(min=0)
    overlaps = both / (areas[:, None] + areas - both) > OVERLAP
    overlaps &= classes[:, None] == classes
    # Rows as NumPy's: an index into a tensor costs more than the comparison of a row.
    rows, alive = overlaps.numpy(), np.ones(len(boxes), bool)
    kept: list[int] = []
    for i in range(len(rows)):
        if alive[i]:
            kept.append(i)
            alive &= ~rows[i]
    kept = kept[:MOST]
    return boxes[kept], scores[kept], classes[kept]


def torch_all(given: Maps, points: torch.Tensor, strides: torch.Tensor) -> Found:
    """Decodes every place, as Ultralytics' head and `non_max_suppression` do."""
    x = torch.cat([m.flatten(2) for m in given], 2)
    sides, logits = x.split((4 * BINS, CLASSES), 1)
    bins = torch.arange(float(BINS))
    shape = sides.view(1, 4, BINS, -1).softmax(2)
    sides = (shape * bins[:, None]).sum(2)
    first, last = points - sides[:, :2], points + sides[:, 2:]
    boxes = (torch.cat([first, last], 1) * strides)[0].T
    scores, classes = logits.sigmoid()[0].max(0)
    stays = scores > SCORE
    return suppressed(boxes[stays], scores[stays], classes[stays])


def torch_filtered(given: Maps, points: torch.Tensor, strides: torch.Tensor) -> Found:
    """Decodes what is above the threshold alone."""
    best = [m[0, 4 * BINS :].flatten(1).max(0) for m in given]
    scores = torch.cat([b.values for b in best]).sigmoid()
    classes = torch.cat([b.indices for b in best])
    (stays,) = torch.where(scores > SCORE)
    counts = [m.shape[-1] * m.shape[-2] for m in given]
    parts: list[torch.Tensor] = []
    start = 0
    for m, count in zip(given, counts, strict=True):
        here = stays[(stays >= start) & (stays < start + count)] - start
        parts.append(m[0, : 4 * BINS].flatten(1)[:, here])
        start += count
    shape = torch.cat(parts, 1).view(4, BINS, -1).softmax(1)
    sides = (shape * torch.arange(float(BINS))[:, None]).sum(1)
    first, last = points[:, stays] - sides[:2], points[:, stays] + sides[2:]
    boxes = (torch.cat([first, last]) * strides[stays]).T
    return suppressed(boxes, scores[stays], classes[stays])


def ours(given: Maps, threads: int) -> Run:
    """The same steps of the DSL."""
    pipe = devproc.pipeline("yolo")
    values = [
        pipe.input(f"map_{i}", "float32", tuple(x.shape), "")
        for i, x in enumerate(given)
    ]
    boxes, scores = pipe.decode_yolo(values)
    found = pipe.nms(boxes, scores, OVERLAP, SCORE, MOST, multi_label=False)
    pipe.output("found", found)
    program = devproc.compile(pipe, threads=threads)
    return lambda: program(*given)


def agree(run: Run, wanted: Found) -> None:
    """Stop where the results differ."""
    found = run()["found"]
    count = int(found["count"][0])
    assert count == len(wanted[0]), (count, len(wanted[0]))
    torch.testing.assert_close(
        found["boxes"][0, :count], wanted[0], rtol=1e-4, atol=1e-3
    )
    torch.testing.assert_close(found["scores"][0, :count], wanted[1])
    assert torch.equal(found["classes"][0, :count], wanted[2])


def rows(threads: int) -> list[str]:
    """A row for each way of PyTorch's."""
    torch.set_num_threads(threads)
    given = maps()
    run, fixed = ours(given, threads), anchors(given)
    found: list[str] = []
    for name, peer in (
        ("PyTorch decodes every place", torch_all),
        ("PyTorch decodes what is above the threshold", torch_filtered),
    ):
        agree(run, peer(given, *fixed))
        runs: dict[str, Run] = {"DevProc": run}
        runs["PyTorch"] = lambda p=peer: p(given, *fixed)
        found.append(row(name, runs))
    return found


if __name__ == "__main__":
    run_benchmark(__file__, "Detection", rows)
