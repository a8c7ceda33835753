"""Reference of non-maximum suppression."""

from __future__ import annotations

import torch
from torch import Tensor

from devproc.dialects.nn.base import int_of
from devproc.dialects.nn.detection import NmsOp, thresholds_of


def _nms(
    op: NmsOp, boxes: Tensor, scores: Tensor, classes: Tensor | None = None
) -> tuple[Tensor, ...]:
    overlap, least = thresholds_of(op.properties)
    images, n, c = scores.shape
    boxes = boxes.expand(images, n, c, 4).reshape(images, n * c, 4)
    if int_of(op.agnostic):
        classes = torch.zeros(scores.shape, dtype=torch.int64)
    elif classes is None:
        classes = torch.arange(c).expand(scores.shape)
    indices = torch.full((images, int_of(op.max_n)), -1, dtype=torch.int64)
    counts = torch.zeros(images, dtype=torch.int64)
    for image in range(images):
        score = scores[image].flatten()
        (places,) = torch.where(score > least)
        order = score[places].sort(descending=True, stable=True).indices
        places = places[order]
        group = classes[image].flatten()[places]
        kept = _greedy(op, boxes[image][places], group, overlap)
        indices[image, : len(kept)] = places[kept]
        counts[image] = len(kept)
    return indices, counts


def _greedy(op: NmsOp, boxes: Tensor, group: Tensor, overlap: float) -> list[int]:
    """The rows that are kept, of boxes in decreasing order of score."""
    most, of_smaller = int_of(op.max_n), op.iom is not None and int_of(op.iom)
    x1, y1, x2, y2 = boxes.unbind(1)
    areas = (x2 - x1) * (y2 - y1)
    alive = torch.ones(len(boxes), dtype=torch.bool)
    kept: list[int] = []
    for i in range(len(boxes)):
        if len(kept) == most:
            break
        if not alive[i]:
            continue
        kept.append(i)
        width = torch.minimum(x2[i], x2) - torch.maximum(x1[i], x1)
        height = torch.minimum(y2[i], y2) - torch.maximum(y1[i], y1)
        both = width.clamp(min=0) * height.clamp(min=0)
        union = areas[i] + areas - both
        shared = both / (torch.minimum(areas, areas[i]) if of_smaller else union)
        alive &= ~((shared.double() > overlap) & (group == group[i]))
    return kept


REFERENCE = {NmsOp: _nms}
"""op class -> function of the op and its operands."""
