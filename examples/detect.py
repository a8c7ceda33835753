"""A photograph to boxes in its own pixels, drawn on it and saved, by a YOLOS.

    python examples/detect.py [folder]

The steps in front are those of the model's own image processor, read by
`pipe.hf_processor`; behind it `decode_detr` chooses and scales the boxes. They are
compared with transformers' `post_process_object_detection`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from PIL import Image, ImageDraw
from rich.console import Console
from small_models import Images, exported, photograph, yolos

import devproc

CLASSES, THRESHOLD = 5, 0.35


def image_processor() -> Any:
    """What the model's authors do to an image, with Pillow."""
    from transformers.models.yolos.image_processing_pil_yolos import (
        YolosImageProcessorPil,
    )

    return YolosImageProcessorPil(size={"shortest_edge": 128, "longest_edge": 200})


def build(
    shape: tuple[int, ...], model: torch.nn.Module, size: tuple[int, ...]
) -> devproc.Program:
    """The program of a uint8 image; the model sees pixels of `size`."""
    pipe = devproc.pipeline("detect")
    image = pipe.input("image", "uint8", shape)
    x = pipe.hf_processor(image, image_processor())
    program = exported(model, "logits", "pred_boxes", x=torch.zeros(size))
    logits, boxes = pipe.model(program, x)
    pipe.output("found", pipe.decode_detr(logits, boxes, shape[:2], THRESHOLD))
    return devproc.compile(pipe)


def draw(image: Images, found: dict[str, Any], path: Path) -> None:
    """The picture with its boxes."""
    picture = Image.fromarray(image)
    canvas = ImageDraw.Draw(picture)
    for row in range(int(found["count"][0])):
        box = [float(v) for v in found["boxes"][0, row]]
        canvas.rectangle(box, outline=(255, 0, 0), width=3)
        label = f"{found['classes'][0, row]}: {found['scores'][0, row]:.2f}"
        canvas.text((box[0] + 4, box[1] + 4), label, fill=(255, 0, 0))
    picture.save(path)


def demo(folder: Path, console: Console) -> float:
    """Detect in a photograph; gives the largest difference of a box, in pixels."""
    image, processor = photograph("china"), image_processor()
    pixels = processor(image, return_tensors="pt")["pixel_values"]
    model = yolos(tuple(pixels.shape[2:]), CLASSES)
    found = build(image.shape, model, tuple(pixels.shape))(image=image)["found"]
    with torch.no_grad():
        output = model(pixels)
    given = SimpleNamespace(logits=output.logits, pred_boxes=output.pred_boxes)
    sizes = torch.tensor([image.shape[:2]])
    (wanted,) = processor.post_process_object_detection(given, THRESHOLD, sizes)
    count = int(found["count"][0])
    assert count == len(wanted["boxes"]), "as many boxes as transformers finds"
    assert np.array_equal(found["classes"][0, :count], wanted["labels"].numpy())
    difference = np.abs(found["boxes"][0, :count] - wanted["boxes"].numpy())
    path = folder / "detections.png"
    draw(image, found, path)
    console.print(f"{count} boxes, at most {difference.max():.1e} pixels away: {path}")
    return float(difference.max())


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples")
    target.mkdir(parents=True, exist_ok=True)
    demo(target, Console())
