"""A camera's frames to boxes, 300 times: latency and memory.

    python examples/camera.py [frames]

A stand-in for a camera pans over a photograph and hands out NV12 frames. Colour
conversion, letterbox, normalisation, a detector, decoding, suppression and the way back to
the frame's pixels are one program, which allocates nothing while it runs.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from small_models import Images, photograph
from torch import nn

import devproc

FRAME, SIZE, CLASSES, BINS = (240, 320), (160, 160), 4, 4
WARM_UP = 50


class Detector(nn.Module):
    """A head like YOLOv8's on a few convolutions: maps of strides 8 and 16."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        out = 4 * BINS + CLASSES
        self.stem = nn.Sequential(
            nn.Conv2d(3, 8, 3, 2, 1), nn.SiLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.SiLU()
        )
        self.near = nn.Sequential(nn.Conv2d(16, 24, 3, 2, 1), nn.SiLU())
        self.far = nn.Sequential(nn.Conv2d(24, 32, 3, 2, 1), nn.SiLU())
        heads = [nn.Conv2d(24, out, 1), nn.Conv2d(32, out, 1)]
        for head in heads:
            nn.init.normal_(head.weight, std=3.0)
        self.heads = nn.ModuleList(heads)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """(b, 4 * BINS + CLASSES, h / stride, w / stride) for each stride."""
        near = self.near(self.stem(x))
        maps = zip(self.heads, (near, self.far(near)), strict=True)
        return tuple(head(features) for head, features in maps)


def nv12(image: Images) -> Images:
    """An RGB image as a camera delivers it: luma, then half-size chroma pairs."""
    r, g, b = (image[..., i].astype(np.float32) for i in range(3))
    luma = 16 + 0.257 * r + 0.504 * g + 0.098 * b
    blue = 128 - 0.148 * r - 0.291 * g + 0.439 * b
    red = 128 + 0.439 * r - 0.368 * g - 0.071 * b
    chroma = np.stack([blue[::2, ::2], red[::2, ::2]], -1)
    rows = chroma.reshape(image.shape[0] // 2, image.shape[1])
    return np.concatenate([luma, rows]).round().astype(np.uint8)


def frames(count: int) -> Iterator[Images]:
    """Views of a photograph, each a little further."""
    whole = photograph("china")
    height, width = FRAME
    for number in range(count):
        top = (3 * number) % (whole.shape[0] - height)
        left = (5 * number) % (whole.shape[1] - width)
        yield nv12(whole[top : top + height, left : left + width])


def build(target: str = "cpu") -> devproc.Program:
    """The program of an NV12 frame (height * 3 / 2, width)."""
    exported = torch.export.export(Detector().eval(), (torch.zeros(1, 3, *SIZE),))
    pipe = devproc.pipeline("camera")
    frame = pipe.input("frame", "uint8", (FRAME[0] * 3 // 2, FRAME[1]))
    image = pipe.yuv(frame, "NV12->RGB")
    boxed = pipe.letterbox(image, SIZE)
    x = pipe.layout(pipe.normalize(boxed, 0.0, 1.0), "HWC->NCHW")
    maps = pipe.model(exported, x)
    boxes, scores = pipe.decode_yolo(maps, "v8", strides=(8, 16), bins=BINS)
    found = pipe.nms(boxes, scores, iou_threshold=0.5, score_threshold=0.75, max_n=100)
    pipe.output("found", pipe.map_boxes(found, image=boxed, source=image))
    return devproc.compile(pipe, target)


@dataclass(frozen=True)
class Run:
    """What was measured over all frames."""

    latencies: list[float]
    """Seconds of each frame behind the first ones."""
    growth: int | None
    """Bytes by which the memory of the process grew after the first frames; None where
    the system does not say.
    """
    counts: list[int]
    """Boxes found in each frame."""


STATM = Path("/proc/self/statm")


def resident_bytes() -> int | None:
    """The memory that the process has now; None where there is no `/proc`, as on macOS.

    Not the most that it ever had, below which memory may be lost unseen.
    """
    if not STATM.exists():
        return None
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def demo(count: int, console: Console) -> Run:
    """Feed `count` frames."""
    program = build()
    images = list(frames(count))
    latencies: list[float] = []
    counts: list[int] = []
    before = None
    for number, image in enumerate(images):
        if number == WARM_UP:
            before = resident_bytes()
        start = time.perf_counter()
        out = program(frame=image)
        latencies.append(time.perf_counter() - start)
        counts.append(int(out["found"]["count"][0]))
    after = resident_bytes()
    growth = None if before is None or after is None else after - before
    run = Run(latencies[WARM_UP:], growth, counts)
    memory = "unknown" if growth is None else f"grew by {growth / 2**20:.1f} MiB"
    p50, p90, p99 = np.percentile(run.latencies, (50, 90, 99)) * 1e3
    console.print(
        f"{count} frames: p50 {p50:.2f} ms, p90 {p90:.2f} ms, p99 {p99:.2f} ms; "
        f"memory {memory}; {min(counts)} to {max(counts)} boxes"
    )
    return run


if __name__ == "__main__":
    demo(int(sys.argv[1]) if len(sys.argv) > 1 else 300, Console())
