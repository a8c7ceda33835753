"""A photograph to the five most likely classes, by a ResNet.

    python examples/classify.py

Pillow's resize, torchvision's normalisation, the model, softmax and top-k are one
program; its probabilities are compared with those of Pillow, torchvision's arithmetic and
PyTorch.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from rich.console import Console
from small_models import Images, exported, photograph, resnet

import devproc

CLASSES, SHORTER, SIZE = 10, 128, (112, 96)
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def build(shape: tuple[int, ...], model: torch.nn.Module) -> devproc.Program:
    """The program of a uint8 image (height, width, 3)."""
    pipe = devproc.pipeline("classify")
    image = pipe.input("image", "uint8", shape)
    x = pipe.resize_shorter_edge(image, SHORTER, like="pillow")
    x = pipe.center_crop(x, SIZE)
    x = pipe.layout(pipe.normalize(x, MEAN, STD), "HWC->NCHW")
    (logits,) = pipe.model(exported(model, "logits", x=torch.zeros(1, 3, *SIZE)), x)
    values, classes = pipe.top_k(pipe.softmax(logits), 5)
    pipe.output("probabilities", values)
    pipe.output("classes", classes)
    return devproc.compile(pipe)


def expected(image: Images, model: torch.nn.Module) -> NDArray[np.float32]:
    """The probabilities of all classes, by Pillow and PyTorch."""
    height, width = image.shape[:2]
    short = min(height, width)
    size = [int(SHORTER * side / short) for side in (width, height)]
    resized = Image.fromarray(image).resize(
        (size[0], size[1]), Image.Resampling.BILINEAR
    )
    top, left = (
        round((a - b) / 2)
        for a, b in zip((resized.height, resized.width), SIZE, strict=True)
    )
    crop = np.asarray(resized)[top : top + SIZE[0], left : left + SIZE[1]]
    x = torch.tensor(crop).permute(2, 0, 1)[None].float() / 255
    x = (x - torch.tensor(MEAN)[:, None, None]) / torch.tensor(STD)[:, None, None]
    with torch.no_grad():
        return model(x).logits.softmax(-1)[0].numpy()


def demo(console: Console) -> float:
    """Classify two photographs; gives the largest difference from PyTorch."""
    model = resnet(CLASSES)
    images = [photograph("china"), photograph("flower")]
    program = build(images[0].shape, model)
    largest = 0.0
    for image in images:
        out = program(image=image)
        wanted = expected(image, model)
        found = zip(out["classes"][0], out["probabilities"][0], strict=True)
        console.print(*(f"class {c}: {p:.4f}" for c, p in found), sep="   ")
        difference = np.abs(out["probabilities"][0] - wanted[out["classes"][0]])
        largest = max(largest, float(difference.max()))
    console.print(f"largest difference from Pillow and PyTorch: {largest:.1e}")
    return largest


if __name__ == "__main__":
    demo(Console())
