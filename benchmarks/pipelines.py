"""Whole programs beside the best that can be composed of other libraries.

`python benchmarks/pipelines.py`: frame -> label, frame -> boxes, wave -> log-mel ->
encoder, against OpenCV, NumPy or PyTorch around ONNX Runtime or OpenVINO, and, in rows of
its own, against OpenVINO's PrePostProcessor. Random weights; the results are compared
before the times. Needs the extra `bench`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from engines import load_models
from torch import nn
from torch.export import export
from turns import Run, row, run_benchmark

MODELS = Path(__file__).parents[2] / "shared" / "bench" / "models.py"
FRAME, SIZE, BOXED = (1080, 1920, 3), (224, 224), (640, 640)
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
CLASSES, BINS, STRIDES = 80, 16, (8, 16, 32)
SCORE, OVERLAP, MOST = 0.25, 0.45, 100
RATE, WAVE_SECONDS = 16_000, 30

BORDER, PROCESSOR = 114, "PrePostProcessor"
"""The colour of a letterbox's border; what OpenVINO calls steps around a model."""

Model = Callable[[Any], Sequence[Any]]


class Detector(nn.Module):
    """Convolutions and a head with YOLOv8's maps: 8,400 places for 640 x 640 pixels."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        widths = (3, 16, 32, 64, 128, 256)
        self.stages = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(a, b, 3, 2, 1), nn.SiLU(), nn.Conv2d(b, b, 3, 1, 1), nn.SiLU()
            )
            for a, b in pairwise(widths)
        )
        for part in self.stages.modules():
            if isinstance(part, nn.Conv2d):
                nn.init.kaiming_normal_(part.weight)
        heads = [nn.Conv2d(width, 4 * BINS + CLASSES, 1) for width in widths[3:]]
        # So that some hundred scores of a noisy frame are above the threshold.
        for head, std in zip(heads, (3.5, 5.2, 7.0), strict=True):
            nn.init.normal_(head.weight, std=std)
            assert head.bias is not None
            nn.init.constant_(head.bias[4 * BINS :], -8.5)
        self.heads = nn.ModuleList(heads)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """The maps (1, 144, 640 / stride, 640 / stride)."""
        maps: list[torch.Tensor] = []
        for number, stage in enumerate(self.stages):
            x = stage(x)
            if number >= 2:
                maps.append(self.heads[number - 2](x))
        return tuple(maps)


class Encoder(nn.Module):
    """Whisper's encoder in the size "tiny", as a function of its features alone."""

    def __init__(self) -> None:
        super().__init__()
        from transformers import WhisperConfig
        from transformers.models.whisper.modeling_whisper import WhisperEncoder

        torch.manual_seed(0)
        self.encoder = WhisperEncoder(WhisperConfig())

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """(1, 1500, 384) of (1, 80, 3000)."""
        return self.encoder(features).last_hidden_state


def onnxruntime(module: nn.Module, example: torch.Tensor, threads: int) -> Model:
    """The model on ONNX Runtime."""
    import onnxruntime as ort  # pyright: ignore[reportMissingImports]

    path = str(Path(tempfile.mkdtemp()) / "model.onnx")
    torch.onnx.export(module, (example,), path, dynamo=True, verbose=False)
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    (given,) = session.get_inputs()
    return lambda x: session.run(None, {given.name: x})


def openvino_request(model: Any, threads: int) -> Any:
    """A request of a compiled OpenVINO model in float32."""
    import openvino as ov  # pyright: ignore[reportMissingImports]

    options = {
        "INFERENCE_NUM_THREADS": threads,
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": "f32",
    }
    return ov.Core().compile_model(model, "CPU", options).create_infer_request()


def openvino_model(module: nn.Module, example: torch.Tensor) -> Any:
    """The model as OpenVINO's."""
    import openvino as ov  # pyright: ignore[reportMissingImports]

    exported = export(module, (example,))
    return ov.convert_model(exported, example_input=(example,))


def openvino(module: nn.Module, example: torch.Tensor, threads: int) -> Model:
    """The model on OpenVINO."""
    request = openvino_request(openvino_model(module, example), threads)
    return lambda x: list(request.infer([x]).values())


def frame_to_input(frame: Any) -> Any:
    """OpenCV at its fastest: resize bytes, subtract and multiply, split into planes."""
    import cv2

    cv: Any = cv2
    small = cv2.resize(frame, SIZE[::-1], interpolation=cv2.INTER_LINEAR)
    mean = (*(255 * m for m in MEAN), 0.0)
    scale = (*(1 / (255 * s) for s in STD), 0.0)
    moved = cv.subtract(small, mean, dtype=cv2.CV_32F)
    scaled = cv.multiply(moved, scale, dtype=cv2.CV_32F)
    planes = np.empty((1, 3, *SIZE), np.float32)
    cv2.split(scaled, list(planes[0]))
    return planes


def with_pre_processor(
    module: nn.Module,
    threads: int,
    size: tuple[int, int],
    inner: tuple[int, int],
    mean: Sequence[float],
    std: Sequence[float],
) -> Model:
    """Resize, border, scale and layout inside OpenVINO's model.

    `inner` is the size of the resized frame, centred in the model's `size`.
    """
    from openvino import Layout, Type  # pyright: ignore[reportMissingImports]
    from openvino.preprocess import (  # pyright: ignore[reportMissingImports]
        PaddingMode,
        PrePostProcessor,
        ResizeAlgorithm,
    )

    model = openvino_model(module, torch.zeros(1, 3, *size))
    model.reshape([1, 3, *size])
    steps = PrePostProcessor(model)
    info = steps.input()
    info.tensor().set_element_type(Type.u8).set_shape([1, *FRAME]).set_layout(
        Layout("NHWC")
    )
    process = info.preprocess()
    process.convert_element_type(Type.f32)
    process.resize(ResizeAlgorithm.RESIZE_LINEAR, *inner)
    if inner != size:
        rest = [n - m for n, m in zip(size, inner, strict=True)]
        first = [n // 2 for n in rest]
        last = [n - m for n, m in zip(rest, first, strict=True)]
        constant = PaddingMode.CONSTANT
        process.pad([0, *first, 0], [0, *last, 0], BORDER, constant)
    process.mean([255 * m for m in mean]).scale([255 * s for s in std])
    info.model().set_layout(Layout("NCHW"))
    request = openvino_request(steps.build(), threads)
    return lambda x: list(request.infer([x[None]]).values())


def classify(name: str, threads: int) -> dict[str, Run]:
    """1080p frame -> label."""
    import devproc

    module = load_models(MODELS).build(name)[0].eval()
    example = torch.zeros(1, 3, *SIZE)
    frame = np.random.default_rng(0).integers(0, 256, FRAME, np.uint8)
    pipe = devproc.pipeline("classify")
    x = pipe.resize(pipe.input("frame", "uint8", FRAME), SIZE, "opencv")
    x = pipe.layout(pipe.normalize(x, MEAN, STD), "HWC->NCHW")
    pipe.output("label", pipe.argmax(pipe.model(export(module, (example,)), x)))
    program = devproc.compile(pipe, threads=threads)
    runs: dict[str, Run] = {"DevProc": lambda: program(frame=frame)["label"]}
    for engine in (onnxruntime, openvino):
        model = engine(module, example, threads)
        runs[f"OpenCV + {engine.__name__}"] = lambda m=model: np.argmax(
            m(frame_to_input(frame))[0], -1
        )
    ready = with_pre_processor(module, threads, SIZE, SIZE, MEAN, STD)
    runs[PROCESSOR] = lambda: np.argmax(ready(frame)[0], -1)
    labels = {key: int(run()[0]) for key, run in runs.items()}
    assert len({v for k, v in labels.items() if k != PROCESSOR}) == 1, labels
    return runs


def fitted() -> tuple[int, int]:
    """(height, width) of the frame in the detector's square; its width fills it."""
    scale = min(BOXED[0] / FRAME[0], BOXED[1] / FRAME[1])
    return round(FRAME[0] * scale), round(FRAME[1] * scale)


def letterboxed(frame: Any) -> Any:
    """OpenCV: fit into 640 x 640, border of 114, planes from 0 to 1."""
    import cv2

    height, width = fitted()
    small = cv2.resize(frame, (width, height), interpolation=cv2.INTER_LINEAR)
    top = (BOXED[0] - height) // 2
    bottom = BOXED[0] - height - top
    border = cv2.BORDER_CONSTANT
    whole = cv2.copyMakeBorder(small, top, bottom, 0, 0, border, value=(BORDER,) * 3)
    return cv2.dnn.blobFromImage(whole, 1 / 255)


def chosen(maps: Sequence[Any]) -> Any:
    """NumPy decodes what is above the threshold, OpenCV suppresses; boxes of the frame."""
    import cv2

    cv: Any = cv2
    scale = min(BOXED[0] / FRAME[0], BOXED[1] / FRAME[1])
    boxes, scores, classes = [], [], []
    limit = -np.log(1 / SCORE - 1)
    for x, stride in zip(maps, STRIDES, strict=True):
        label, row_, column = np.nonzero(x[0, 4 * BINS :] > limit)
        scores.append(1 / (1 + np.exp(-x[0, 4 * BINS + label, row_, column])))
        classes.append(label)
        sides = x[0, : 4 * BINS, row_, column].reshape(-1, 4, BINS)
        weights = np.exp(sides - sides.max(-1, keepdims=True))
        far = (weights / weights.sum(-1, keepdims=True)) @ np.arange(BINS, dtype="f4")
        middle = np.stack([column, row_], 1) + 0.5
        boxes.append(
            np.concatenate([middle - far[:, :2], middle + far[:, 2:]], 1) * stride
        )
    found = np.concatenate(boxes).astype(np.float32)
    given = found.copy()
    given[:, 2:] -= given[:, :2]
    score, label = np.concatenate(scores), np.concatenate(classes)
    kept = cv.dnn.NMSBoxesBatched(given, score, label, SCORE, OVERLAP)
    kept = np.asarray(kept, int)[:MOST]
    offset = (0, (BOXED[0] - round(FRAME[0] * scale)) // 2) * 2
    return (found[kept] - offset) / scale, score[kept], label[kept]


def noisy_frame() -> Any:
    """A frame (1080, 1920, 3) of random uint8."""
    return np.random.default_rng(0).integers(0, 256, FRAME, np.uint8)


def detection(module: nn.Module, example: torch.Tensor, threads: int) -> Any:
    """The program of a frame `frame` to its boxes `found`, by a detector."""
    import devproc

    pipe = devproc.pipeline("detect")
    image = pipe.input("frame", "uint8", FRAME)
    boxed = pipe.letterbox(image, BOXED)
    x = pipe.layout(pipe.normalize(boxed, 0.0, 1.0), "HWC->NCHW")
    boxes, scores = pipe.decode_yolo(pipe.model(export(module, (example,)), x))
    found = pipe.nms(boxes, scores, OVERLAP, SCORE, MOST)
    pipe.output("found", pipe.map_boxes(found, image=boxed, source=image))
    return devproc.compile(pipe, threads=threads)


def detect(threads: int) -> dict[str, Run]:
    """1080p frame -> boxes in its own pixels."""
    module, example = Detector().eval(), torch.zeros(1, 3, *BOXED)
    frame = noisy_frame()
    program = detection(module, example, threads)
    runs: dict[str, Run] = {"DevProc": lambda: program(frame=frame)["found"]}
    ours = runs["DevProc"]()
    count = int(ours["count"].ravel()[0])
    assert count > MOST // 2, count
    for engine in (onnxruntime, openvino):
        model = engine(module, example, threads)
        key = f"OpenCV, NumPy + {engine.__name__}"
        runs[key] = lambda m=model: chosen(m(letterboxed(frame)))
        # Ours are held within the frame.
        boxes = runs[key]()[0].clip(0, (FRAME[1], FRAME[0]) * 2)
        np.testing.assert_allclose(ours["boxes"][0, :count], boxes, atol=0.5)
    ready = with_pre_processor(module, threads, BOXED, fitted(), (0.0,) * 3, (1.0,) * 3)
    runs[f"{PROCESSOR}, NumPy"] = lambda: chosen(ready(frame))
    return runs


def listen(threads: int) -> dict[str, Run]:
    """30 s of sound -> states of Whisper's encoder."""
    from transformers import WhisperFeatureExtractor

    import devproc

    extract: Any = WhisperFeatureExtractor()
    module, example = Encoder().eval(), torch.zeros(1, 80, 3000)
    rng = np.random.default_rng(0)
    wave = rng.standard_normal(RATE * WAVE_SECONDS).astype(np.float32) / 10
    pipe = devproc.pipeline("listen")
    features = pipe.log_mel(pipe.stack([pipe.input("wave", "float32", wave.shape)]))
    pipe.output("states", pipe.model(export(module, (example,)), features))
    program = devproc.compile(pipe, threads=threads)
    filters = torch.from_numpy(np.ascontiguousarray(extract.mel_filters.T, np.float32))
    given, window = torch.from_numpy(wave), torch.hann_window(400)

    def log_mel() -> Any:
        spectrum = torch.stft(given, 400, 160, window=window, return_complex=True)
        power = spectrum[..., :-1].abs() ** 2
        found = (filters @ power).clamp(min=1e-10).log10()
        return ((torch.maximum(found, found.max() - 8.0) + 4.0) / 4.0)[None].numpy()

    runs: dict[str, Run] = {"DevProc": lambda: program(wave=wave)["states"]}
    wanted = runs["DevProc"]()
    for engine in (onnxruntime, openvino):
        model = engine(module, example, threads)
        key = f"torch.stft + {engine.__name__}"
        runs[key] = lambda m=model: m(log_mel())[0]
        np.testing.assert_allclose(runs[key](), wanted, atol=1e-3)
    return runs


def with_processor(name: str, runs: Mapping[str, Run]) -> list[str]:
    """A row beside the best other, and one beside OpenVINO's PrePostProcessor."""
    ours, key = "DevProc", next(key for key in runs if key.startswith(PROCESSOR))
    own = {ours: runs[ours], key: runs[key]}
    return [row(name, runs), row(f"{name}, beside {PROCESSOR}", own)]


def rows(threads: int) -> list[str]:
    """The rows of this number of threads."""
    import cv2

    cv2.setNumThreads(threads)
    torch.set_num_threads(threads)
    with torch.no_grad():
        return [
            *with_processor("frame -> label, resnet18", classify("resnet18", threads)),
            *with_processor(
                "frame -> label, mobilenet_v2", classify("mobilenet_v2", threads)
            ),
            *with_processor("frame -> boxes", detect(threads)),
            row("wave -> log-mel -> encoder", listen(threads)),
        ]


if __name__ == "__main__":
    run_benchmark(__file__, "Whole programs", rows)
