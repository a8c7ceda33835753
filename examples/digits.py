"""The whole road once: raw digits to labels, on CPU and GPU code.

Trains two small models on scikit-learn's 1,797 handwritten digits, exports them, builds
`uint8 image -> resize -> normalize -> model -> softmax -> argmax` with the DSL, compiles
it for `cpu` and for `cpu+cuda`, and compares every label with PyTorch's.

Run by `make demo`; what it leaves lies in `build/demo/`.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_digits
from torch import nn

import devproc
from devproc.driver import dump_stages

SIZE = (12, 10)
"""Height and width the model sees; not the digits' own 8 x 8, and not square."""

MEAN, STD = (0.3,), (0.35,)

LAYERS = {
    "mlp": ("nn.linear", "nn.relu"),
    "convnet": ("nn.conv2d", "nn.relu", "nn.max_pool2d", "nn.linear"),
}
"""The ops of each model that the mixed program puts on the GPU."""

Images = NDArray[np.uint8]


@dataclass(frozen=True)
class Digits:
    """Training images and the held-out third, uint8 (n, 8, 8), with their labels."""

    train: Images
    train_labels: NDArray[np.int64]
    test: Images
    test_labels: NDArray[np.int64]


def read_digits() -> Digits:
    """scikit-learn's digits as bytes, split two thirds to one."""
    digits: Any = load_digits()
    images = np.round(digits.images * (255 / 16)).astype(np.uint8)
    order = np.random.default_rng(0).permutation(len(images))
    cut = len(images) * 2 // 3
    train, test = order[:cut], order[cut:]
    labels = digits.target.astype(np.int64)
    return Digits(images[train], labels[train], images[test], labels[test])


def preprocess(image: Images) -> torch.Tensor:
    """What Pillow and PyTorch do before the model: (8, 8) uint8 -> (1, 1, H, W)."""
    height, width = SIZE
    resized = Image.fromarray(image).resize((width, height), Image.Resampling.BILINEAR)
    x = torch.from_numpy(np.array(resized)).float() / 255
    return ((x - MEAN[0]) / STD[0])[None, None]


def mlp() -> nn.Module:
    """Two linear layers."""
    features = SIZE[0] * SIZE[1]
    return nn.Sequential(
        nn.Flatten(), nn.Linear(features, 48), nn.ReLU(), nn.Linear(48, 10)
    )


def convnet() -> nn.Module:
    """Two convolutions, each with a pool, and a linear layer."""
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(16 * (SIZE[0] // 4) * (SIZE[1] // 4), 10),
    )


def train(make: Callable[[], nn.Module], digits: Digits, epochs: int) -> nn.Module:
    """Trains a model on the preprocessed training images; some seconds."""
    torch.manual_seed(0)
    model = make()
    inputs = torch.cat([preprocess(image) for image in digits.train])
    labels = torch.from_numpy(digits.train_labels)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(epochs):
        for batch in torch.randperm(len(inputs)).split(64):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(inputs[batch]), labels[batch]).backward()
            optimizer.step()
    return model.eval()


def export(model: nn.Module, path: Path) -> Path:
    """Exports a model for one image and saves it as `.pt2`."""
    program = torch.export.export(model, (torch.zeros(1, 1, *SIZE),))
    torch.export.save(program, path)
    return path


def build_pipeline(name: str, model: Path) -> devproc.Pipeline:
    """The whole program: the camera's bytes to a label and its probabilities."""
    pipe = devproc.pipeline(name)
    image = pipe.input("image", "uint8", (8, 8))
    x = pipe.resize(image, SIZE, like="pillow", mode="bilinear")
    x = pipe.normalize(x, mean=MEAN, std=STD)
    x = pipe.layout(x, "HW->NCHW")
    logits = pipe.model(model, x)
    probabilities = pipe.softmax(logits, axis=-1)
    pipe.output("probabilities", probabilities)
    pipe.output("label", pipe.argmax(probabilities, axis=-1))
    return pipe


@dataclass(frozen=True)
class Outcome:
    """Labels and probabilities of a run over images."""

    labels: NDArray[np.int64]
    probabilities: NDArray[np.float32]
    seconds: list[float]


def run_torch(model: nn.Module, images: Images) -> Outcome:
    """Pillow and PyTorch, one image at a time."""
    rows: list[torch.Tensor] = []
    seconds: list[float] = []
    for image in images:
        start = time.perf_counter()
        with torch.no_grad():
            rows.append(torch.softmax(model(preprocess(image)), -1)[0])
        seconds.append(time.perf_counter() - start)
    probabilities = torch.stack(rows)
    return Outcome(probabilities.argmax(-1).numpy(), probabilities.numpy(), seconds)


def run_program(program: devproc.Program, images: Images) -> Outcome:
    """The compiled program, one image at a time."""
    labels: list[int] = []
    rows: list[NDArray[np.float32]] = []
    seconds: list[float] = []
    for image in images:
        start = time.perf_counter()
        out = program(image=image)
        seconds.append(time.perf_counter() - start)
        labels.append(int(out["label"][0]))
        rows.append(out["probabilities"][0])
    return Outcome(np.array(labels), np.array(rows), seconds)


def compare(
    title: str, ours: Outcome, reference: Outcome, truth: NDArray[np.int64]
) -> Table:
    """One row for PyTorch, one for us; raises SystemExit if a label differs."""
    count = len(ours.labels)
    agree = int((ours.labels == reference.labels[:count]).sum())
    distance = np.abs(ours.probabilities - reference.probabilities[:count]).max()
    table = Table(
        "", "accuracy", "labels agree", "largest diff", "median latency", title=title
    )
    for name, outcome in (("PyTorch + Pillow", reference), ("DevProc", ours)):
        accuracy = (outcome.labels[:count] == truth[:count]).mean()
        median = statistics.median(outcome.seconds) * 1e6
        mine = outcome is ours
        table.add_row(
            name,
            f"{accuracy:.2%}",
            f"{agree} of {count}" if mine else "",
            f"{distance:.1e}" if mine else "",
            f"{median:,.1f} us",
        )
    if agree != count:
        raise SystemExit(f"{title}: only {agree} of {count} labels agree")
    return table


def choose_gpu_target(console: Console) -> tuple[str, int | None]:
    """The mixed target, and how many images to run on it (None: all)."""
    if torch.cuda.is_available():
        return "cpu+cuda", None
    console.print(
        "no GPU here: the GPU part runs in Triton's interpreter, on 24 of the images"
    )
    return "cpu+cuda:interpret", 24


def demo(folder: Path, epochs: int, console: Console) -> None:
    """Everything the module docstring says."""
    folder.mkdir(parents=True, exist_ok=True)
    digits = read_digits()
    target, limit = choose_gpu_target(console)
    for name, make in (("mlp", mlp), ("convnet", convnet)):
        model = train(make, digits, epochs)
        reference = run_torch(model, digits.test)
        pt2 = export(model, folder / f"{name}.pt2")
        pipe = build_pipeline(name, pt2)
        program = devproc.compile(pipe, target="cpu")
        ours = run_program(program, digits.test)
        console.rule(f"{name} on cpu")
        console.print(compare(f"{name}, cpu", ours, reference, digits.test_labels))
        print_report(program, console)
        # A net this small is best left on the CPU, and placement would do so; put its
        # layers on the GPU by name, to see copies, syncs and two devices at work.
        on_gpu = dict.fromkeys(LAYERS[name], "cuda")
        mixed = devproc.compile(pipe, target=target, placement=on_gpu)
        ours = run_program(mixed, digits.test[:limit])
        console.rule(f"{name} on {target}")
        console.print(compare(f"{name}, {target}", ours, reference, digits.test_labels))
        print_report(mixed, console)
        leave(mixed, folder / name, digits.test[0], console)


def print_report(program: devproc.Program, console: Console) -> None:
    """Placement, copies, memory plan, compile time by stage."""
    report = program.report()
    for view in (report.placement, report.copies, report.memory, report.timings):
        console.print(view)


def leave(
    program: devproc.Program, folder: Path, image: Images, console: Console
) -> None:
    """Writes the stages, the generated code and a trace, and says so."""
    written: Sequence[Path] = dump_stages(program.artifact.program_text, folder)
    program.trace(folder / "trace.json", image=image)
    names = ", ".join(path.name for path in (*written, folder / "trace.json"))
    console.print(f"left in {folder}: {names}")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("build/demo"))
    parser.add_argument("--epochs", type=int, default=12)
    arguments = parser.parse_args()
    demo(arguments.folder, arguments.epochs, Console(highlight=False, width=120))


if __name__ == "__main__":
    main()
