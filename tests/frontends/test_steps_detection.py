"""Steps on scores, boxes and masks: what they refuse, and how counts travel."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import devproc
from devproc.driver import make_context, parse_module, run_pass
from devproc.errors import BuildError, CompileError, InputError
from devproc.frontends.dsl import Pipeline, Value
from devproc.frontends.dsl.values.detections import Detections
from tests.frontends.refusals import Wrong, assert_refused


def floats(p: Pipeline, *shape: int) -> Value:
    return p.input(f"x{p.name}{len(p.block.args)}", "float32", shape, "")


def found(p: Pipeline) -> Detections:
    return p.nms(floats(p, 9, 4), floats(p, 9), 0.5, max_n=5)


WRONG: dict[str, Wrong] = {
    "sigmoid of pixels": (
        lambda p, x: p.sigmoid(x),
        r"sigmoid takes floating-point values, got uint8 \(8, 9, 3\) HWC",
    ),
    "too many of the largest": (
        lambda p, x: p.top_k(x, 4),
        r"k must be from 1 to 3, the size of axis 2 of uint8 \(8, 9, 3\) HWC, got 4",
    ),
    "half of the largest": (
        lambda p, x: p.top_k(x, 1.5),  # pyright: ignore
        r"top_k: k is 1.5; give an integer",
    ),
    "boxes of pixels": (
        lambda p, x: p.clip_boxes(x, (4, 4)),
        r"clip_boxes takes float32 boxes \(..., 4\) or points \(..., 2\), got uint8",
    ),
    "boxes in no order": (
        lambda p, x: p.convert_boxes(floats(p, 4), "xyxy"),
        r"'xyxy' is no change of boxes; write 'cxcywh->xyxy'",
    ),
    "boxes in another order": (
        lambda p, x: p.convert_boxes(floats(p, 4), "yxyx->xyxy"),
        r"unknown box format 'yxyx'; one of xyxy, xywh, cxcywh",
    ),
    "anchors of other boxes": (
        lambda p, x: p.decode_boxes(floats(p, 9, 4), np.zeros((8, 4), np.float32)),
        r"anchors float32 \(8, 4\) do not fit deltas float32 \(9, 4\); give float32",
    ),
    "anchors of words": (
        lambda p, x: p.decode_boxes(floats(p, 9, 4), "anchors"),
        r"decode_boxes: anchors is 'anchors'; give an array of float32",
    ),
    "bins of another head": (
        lambda p, x: p.decode_dfl(floats(p, 1, 64, 9), 8),
        r"4 \* 8 numbers along axis 1, got float32 \(1, 64, 9\); give the model's",
    ),
    "suppression by more than all": (
        lambda p, x: p.nms(floats(p, 9, 4), floats(p, 9), 1.5),
        r"an overlap from 0 to 1 and a finite score as thresholds, got \[1.5, 0.0\]",
    ),
    "suppression by NaN": (
        lambda p, x: p.nms(floats(p, 9, 4), floats(p, 9), float("nan")),
        r"an overlap from 0 to 1",
    ),
    "suppression above all scores": (
        lambda p, x: p.nms(floats(p, 9, 4), floats(p, 9), 0.5, float("inf")),
        r"an overlap from 0 to 1 and a finite score",
    ),
    "an overlap misspelt": (
        lambda p, x: p.nms(floats(p, 9, 4), floats(p, 9), 0.5, overlap="iuo"),
        r"nms: unknown overlap 'iuo'; use one of iou, iom; did you mean 'iou'\?",
    ),
    "boxes merged": (
        lambda p, x: p.merge_detections([floats(p, 9, 4)]),  # pyright: ignore
        r"merge_detections: <Value float32 \(9, 4\)> is no detections; give a list of what",
    ),
    "nothing merged": (
        lambda p, x: p.merge_detections([]),
        r"merge_detections: \[\] is no list of detections",
    ),
    "merged with too many scales": (
        lambda p, x: p.merge_detections([found(p)], (1, 2)),
        r"1 detections have 2 scales; give one for each, or none",
    ),
    "no place": (
        lambda p, x: p.nms(floats(p, 9, 4), floats(p, 9), 0.5, max_n=0),
        r"max_n must be positive",
    ),
    "scores of other boxes": (
        lambda p, x: p.nms(floats(p, 9, 4), floats(p, 8, 3), 0.5),
        r"boxes float32 \(9, 4\) and scores float32 \(8, 3\); give float32 boxes",
    ),
    "classes of scores that have some": (
        lambda p, x: p.nms(
            floats(p, 9, 4), floats(p, 9, 3), 0.5, classes=p.argmax(floats(p, 9, 3))
        ),
        r"classes are int64 of the shape of scores without classes",
    ),
    "one map": (
        lambda p, x: p.decode_yolo(floats(p, 1, 144, 2, 2)),  # pyright: ignore
        r"decode_yolo: maps is <Value float32 \(1, 144, 2, 2\)>; give a list",
    ),
    "too few maps": (
        lambda p, x: p.decode_yolo([floats(p, 1, 144, 2, 2)]),
        r"a map for each stride, got 1 for \[8, 16, 32\]",
    ),
    "queries of other logits": (
        lambda p, x: p.decode_detr(floats(p, 1, 9, 3), floats(p, 1, 8, 4), (4, 4)),
        r"takes float32 logits \(b, q, classes \+ 1\) and boxes \(b, q, 4\)",
    ),
    "classes above a number": (
        lambda p, x: p.threshold(x, 0.5),
        r"threshold takes floating-point values, got uint8 \(8, 9, 3\) HWC",
    ),
    "too bright a palette": (
        lambda p, x: p.palette(p.argmax(x), [[0, 0, 256]]),
        r"palette: colors has numbers that are no uint8; convert it before",
    ),
    "a palette of gray": (
        lambda p, x: p.palette(p.argmax(x), [[0], [255]]),
        r"a palette is uint8 \(colors, 3\), got uint8 \(2, 1\)",
    ),
    "colours of channels": (
        lambda p, x: p.palette(x, [[0, 0, 0]]),
        r"palette takes classes \(int32, int64\) without channels, got uint8",
    ),
    "heatmaps of one image": (
        lambda p, x: p.decode_keypoints(floats(p, 17, 8, 6)),
        r"float32 heatmaps \(b, k, h, w\), got float32 \(17, 8, 6\)",
    ),
    "a mask of one row": (
        lambda p, x: p.resize_mask(floats(p, 9), (4, 4)),
        r"resize needs axes H and W, got float32 \(9,?\)",
    ),
    "boxes of another image": (
        lambda p, x: p.map_boxes(
            floats(p, 9, 4), image=p.input("y", "uint8", (4, 4, 3)), source=x
        ),
        r"map_boxes: .*was not made of",
    ),
    "scores without their count": (
        lambda p, x: p.softmax(found(p).scores),
        r"softmax of <Value float32 \(5\) bounded along axis 0>: pipe.softmax ignores the"
        r" count of float32 \(5\) bounded along axis 0, of which rows from the count on",
    ),
    "an output without its count": (
        lambda p, x: p.output("boxes", found(p).boxes),
        r"has rows that are padding, and no count beside it; give the detections as a",
    ),
    "an output that has a part's name": (
        lambda p, x: p.output("boxes.count", x),
        r"output 'boxes.count': '.' parts an entry from its parts; leave it out",
    ),
    "rows of what has none": (
        lambda p, x: p.take_rows(
            floats(p, 9), p.decode_detr(floats(p, 1, 9, 3), floats(p, 1, 9, 4), (4, 4))
        ),
        r"take_rows: .* has no rows; give what nms returns",
    ),
    "the padding of a plain value": (
        lambda p, x: p.fill_padding(x, 0),
        r"fill_padding takes a bounded value of numbers, got uint8 \(8, 9, 3\) HWC",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused_at_the_users_line(name: str) -> None:
    assert_refused(WRONG[name], __file__)


def test_models_take_no_bounded_values() -> None:
    net = torch.export.export(torch.nn.Identity(), (torch.zeros(5, 4),))
    pipe = devproc.pipeline("p")
    boxes = found(pipe)
    with pytest.raises(BuildError, match=r"input '.*' has no count, but float32"):
        pipe.model(net, boxes.boxes)
    assert pipe.model(net, pipe.fill_padding(boxes.boxes)).shape == (5, 4)


def test_detections_are_one_entry_of_the_result() -> None:
    pipe = devproc.pipeline("p")
    x = pipe.input("x", "float32", (3, 4), "")
    scores = pipe.input("scores", "float32", (3,), "")
    pipe.output("scores", pipe.sigmoid(scores))
    boxes = pipe.nms(x, scores, 0.5, max_n=2)
    assert repr(boxes.count) == "<Value int64 ()>"
    pipe.output("boxes", pipe.scale_boxes(boxes, 2))
    program = devproc.compile(pipe, threads=1)
    given = np.array([[0, 0, 2, 2], [0, 0, 2, 2.5], [4, 4, 5, 5]], np.float32)
    out = program(given, np.array([0.5, 0.9, np.nan], np.float32))
    assert list(out) == ["scores", "boxes"]
    assert list(out["boxes"]) == ["boxes", "scores", "classes", "rows", "count"]
    assert out["boxes"]["boxes"].tolist() == [[0, 0, 4, 5], [0, 0, 0, 0]]
    assert out["boxes"]["rows"].tolist() == [1, -1]
    assert out["boxes"]["count"] == 1
    with pytest.raises(InputError, match="input 'scores'"):
        program(given, np.zeros(4, np.float32))


def test_bounded_outputs_of_a_parsed_program_have_their_count() -> None:
    text = """func.func @main(%x: tensor<5x4xf32, #pipe.bounded<0>>)
        -> tensor<5x4xf32, #pipe.bounded<0>> {
      func.return %x : tensor<5x4xf32, #pipe.bounded<0>>
    }"""
    context = make_context()
    with pytest.raises(CompileError, match=r"output 0 is .* its count is no output"):
        run_pass("lower-pipe", parse_module(text, context), context, "tensor")
