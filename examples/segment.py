"""A photograph to a coloured mask of its own size, by a SegFormer.

    python examples/segment.py [folder]

The program takes bytes and gives bytes: resize, normalisation, model, resize of the
scores, argmax and palette. The classes are compared with transformers'
`post_process_semantic_segmentation`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from PIL import Image
from rich.console import Console
from small_models import exported, photograph, segformer

import devproc

SIZE = (128, 160)
COLORS = np.array(
    [(0, 0, 0), (128, 0, 0), (0, 128, 0), (128, 128, 0), (0, 0, 128), (128, 0, 128)],
    np.uint8,
)


def image_processor() -> Any:
    """What the model's authors do to an image, with Pillow."""
    from transformers.models.segformer.image_processing_pil_segformer import (
        SegformerImageProcessorPil,
    )

    return SegformerImageProcessorPil(size={"height": SIZE[0], "width": SIZE[1]})


def build(shape: tuple[int, ...], model: torch.nn.Module) -> devproc.Program:
    """The program of a uint8 image: classes and colours of each of its pixels."""
    pipe = devproc.pipeline("segment")
    image = pipe.input("image", "uint8", shape)
    x = pipe.hf_processor(image, image_processor())
    (logits,) = pipe.model(exported(model, "logits", x=torch.zeros(1, 3, *SIZE)), x)
    classes = pipe.argmax(pipe.resize_mask(logits, shape[:2]), axis=1)
    pipe.output("classes", classes)
    pipe.output("mask", pipe.palette(classes, COLORS))
    return devproc.compile(pipe)


def demo(folder: Path, console: Console) -> float:
    """Segment a photograph; gives the share of pixels that differ from transformers."""
    image, processor = photograph("flower"), image_processor()
    model = segformer(len(COLORS))
    out = build(image.shape, model)(image=image)
    with torch.no_grad():
        logits = model(**processor(image, return_tensors="pt")).logits
    given = SimpleNamespace(logits=logits)
    wanted = processor.post_process_semantic_segmentation(given, [image.shape[:2]])[0]
    differing = float(np.mean(out["classes"][0] != wanted.numpy()))
    path = folder / "segments.png"
    blended = (image.astype(np.uint16) + out["mask"][0]) // 2
    Image.fromarray(blended.astype(np.uint8)).save(path)
    shares = np.bincount(out["classes"].ravel(), minlength=len(COLORS)) / wanted.numel()
    console.print(
        f"{differing:.2%} of the pixels differ; shares {shares.round(2)}: {path}"
    )
    return differing


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
    target.mkdir(parents=True, exist_ok=True)
    demo(target, Console())
