"""The bundles that the programs in this folder use, and something for them to look at.

    python examples/bundle/export.py FOLDER
    make -C examples/bundle BUNDLES=FOLDER

From then on there is no Python: the Makefile calls `cc` alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image
from rich.console import Console

sys.path.append(str(Path(__file__).parents[1]))

import camera
import classify
from small_models import photograph, resnet

CONSOLE = Console()


def main(folder: Path, console: Console = CONSOLE) -> None:
    """Writes the bundles `classify` and `camera`, a photograph and some frames."""
    image = photograph()
    programs = {
        "classify": classify.build(image.shape, resnet(classify.CLASSES)),
        "camera": camera.build(),
    }
    for name, program in programs.items():
        bundle = program.export_bundle(folder / name, name=name, threads="own")
        console.print(str(bundle), highlight=False)
    height, width = image.shape[:2]
    header = f"P6\n# scikit-learn's china\n{width} {height}\n255\n".encode()
    (folder / "photograph.ppm").write_bytes(header + image.tobytes())
    Image.fromarray(image).save(folder / "photograph.jpg", quality=95)
    frames = np.stack(list(camera.frames(5)))
    (folder / "frames.nv12").write_bytes(frames.tobytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
