"""Malformed choices among boxes: the op, and the user's steps with their counts."""

from __future__ import annotations

from tests.malformed.cases import Bad

B, S = "2x9x1x4xf32", "2x9x3xf32"
OUT = ("2x5xi64", "2xi64")


def nms(
    message: str,
    operands: tuple[str, ...] = (B, S),
    thresholds: str = "[0.5, 0.05]",
    max_n: int = 5,
    agnostic: int = 0,
    results: tuple[str, ...] = OUT,
) -> Bad:
    """A suppression: boxes, scores, classes."""
    classes = "classes %2 " if len(operands) > 2 else ""
    numbers = f"thresholds {thresholds} max_n {max_n} agnostic {agnostic}"
    return Bad(f"nn.nms %0, %1 {classes}{numbers}", operands, results, message)


F = "9x4xf32"
ROWS, COUNTED = "5xi64, #pipe.bounded<0>", "5x4xf32, #pipe.bounded<0>"
FOUND = (COUNTED, "5xf32, #pipe.bounded<0>", ROWS, ROWS, "i64")
DETR = ("2x5x4xf32, #pipe.bounded<1>", "2x5xf32, #pipe.bounded<1>")
DETR_OUT = (*DETR, "2x5xi64, #pipe.bounded<1>", "2xi64")
CONVERT = 'pipe.convert_boxes %0 from "cxcywh" to "xyxy"'
NMS = "pipe.nms %0, %1 thresholds [0.5, 0.0] max_n 5 agnostic 0 multi_label 1"
EIGHT = 'pipe.decode_yolo %0 version "v8" strides [8] bins 2 anchors []'
FIVE = 'pipe.decode_yolo %0 version "v5" strides [8] bins 2 anchors [1.0, 2.0]'
DECODE = "pipe.decode_boxes %0, %1 weights [1.0, 1.0, 1.0, 1.0] clip [4.0]"
DFL = "pipe.decode_dfl %0 bins 3 axis 1"
FIND = "pipe.decode_detr %0, %1 threshold [0.5] size [8.0, 9.0]"
FILL = "pipe.fill_padding %0 with [0.0] count %1"
COLORS = "pipe.palette %0 colors %1"
POINTS = ("1x2x2xf32", "1x2xf32")

CASES = (
    nms("takes float32 boxes and scores", ("2x9x1x4xf64", S)),
    nms("takes float32 boxes and scores", (B, "2x9x3xf16")),
    nms("boxes (b, n, 1, 4) or (b, n, c, 4) belong to", ("2x9x2x4xf32", S)),
    nms("boxes (b, n, 1, 4) or (b, n, c, 4) belong to", ("2x8x1x4xf32", S)),
    nms("boxes (b, n, 1, 4) or (b, n, c, 4) belong to", (B, "18x3xf32")),
    nms("of at least one box and class", ("2x0x1x4xf32", "2x0x3xf32")),
    nms("classes must be int64 of the scores' shape", (B, S, "2x9xi64")),
    nms("classes must be int64 of the scores' shape", (B, S, "2x9x3xi32")),
    nms("an overlap from 0 to 1", thresholds="[1.5, 0.0]"),
    nms("an overlap from 0 to 1", thresholds="[-0.5, 0.0]"),
    nms("an overlap from 0 to 1", thresholds="[0.5]"),
    nms("max_n must be positive", max_n=0, results=("2x0xi64", "2xi64")),
    nms("agnostic must be 0 or 1", agnostic=2),
    nms("result 0 must be int64 (2, 5)", results=("2x6xi64", "2xi64")),
    # A bounded value comes with its count.
    Bad(CONVERT, (COUNTED,), (COUNTED,), "needs the count that belongs to"),
    Bad(
        f"{CONVERT} count %1",
        (COUNTED, "1xi64"),
        (COUNTED,),
        "needs the count that belongs to",
    ),
    Bad(CONVERT, (COUNTED,), ("5x4xf32",), "needs the count that belongs to"),
    Bad(
        f"{CONVERT} count %1",
        (COUNTED, "i64"),
        ("5x4xf32",),
        "result 0 must have layout none bounded along axis 0, got none",
    ),
    Bad(
        "pipe.softmax %0 axis -1",
        (COUNTED,),
        ("5x4xf32",),
        "pipe.softmax ignores the count of float32 (5, 4) bounded along axis 0",
    ),
    Bad(
        "pipe.take_rows %0 at %1 count %2",
        (F, "5xi64", "i64"),
        (COUNTED,),
        "at bounded int64 rows",
    ),
    Bad(FILL, ("5x4xf32", "i64"), ("5x4xf32",), "fill_padding takes a bounded value"),
    Bad(
        FILL.replace("0.0", "0.5"),
        (ROWS, "i64"),
        ("5xi64",),
        "with 0.5, which its dtype does not have",
    ),
    Bad(
        f"{CONVERT} count %1",
        ("5x4xf32, #pipe.bounded<2>", "i64"),
        ("5x4xf32, #pipe.bounded<2>",),
        "float32 (5, 4) has no axis 2 to be bounded",
    ),
    # Boxes.
    Bad(CONVERT, ("9x3xf32",), ("9x3xf32",), "takes float32 boxes (..., 4), got"),
    Bad(CONVERT, ("9x4xf64",), ("9x4xf64",), "takes float32 boxes (..., 4), got"),
    Bad(CONVERT.replace("xyxy", "yxyx"), (F,), (F,), "unknown box format 'yxyx'"),
    Bad(
        "pipe.scale_boxes %0 by [1.0] from [0.0, 0.0]",
        (F,),
        (F,),
        "scale must be 2 finite numbers, got [1.0]",
    ),
    Bad("pipe.clip_boxes %0 to [-1.0, 4.0]", (F,), (F,), "an image has no size"),
    Bad(
        "pipe.clip_boxes %0 to [1.0, 4.0]", ("3xf32",), ("3xf32",), "or points (..., 2)"
    ),
    Bad(DECODE, (F, "8x4xf32"), (F,), "anchors float32 (8, 4) do not fit deltas"),
    Bad(DECODE, ("4xf32", "4xf32"), ("4xf32",), "do not fit deltas"),
    Bad(DECODE.replace("[1.0", "[0.0"), (F, F), (F,), "weights must be positive"),
    Bad(DFL, ("1x9x2xf32",), ("1x4x2xf32",), "4 * 3 numbers along axis 1"),
    Bad(DFL, ("12xf32",), ("4xf32",), "axis 1 is out of range for rank 1"),
    # Suppression as the user has it.
    Bad(NMS, (F, "8xf32"), FOUND, "scores are float32 (n) or (n, c) for boxes (n, 4)"),
    Bad(NMS, (F, "9x2x2xf32"), FOUND, "scores are float32 (n) or (n, c)"),
    Bad(NMS, ("4xf32", "f32"), FOUND, "scores are float32 (n) or (n, c)"),
    Bad(NMS, ("0x4xf32", "0xf32"), FOUND, "scores are float32 (n) or (n, c)"),
    Bad(NMS, (F, "9xf64"), FOUND, "scores are float32 (n) or (n, c)"),
    Bad(NMS, (F, "9xf32"), ("5x4xf32", *FOUND[1:]), "must have layout none bounded"),
    Bad(NMS.replace("0.5", "2.0"), (F, "9xf32"), FOUND, "an overlap from 0 to 1"),
    Bad(NMS[:-1] + "3", (F, "9xf32"), FOUND, "multi_label must be 0 or 1, got 3"),
    Bad(
        NMS.replace("%1 ", "%1 classes %2 "),
        (F, "9x2xf32", "9xi64"),
        FOUND,
        "classes are int64 of the shape of scores without classes",
    ),
    # Heads.
    Bad(EIGHT, ("1x8x2x2xf32",), ("1x4x4xf32", "1x4x1xf32"), "at least one class"),
    Bad(EIGHT, ("1x9x2xf32",), ("1x4x4xf32", "1x4x1xf32"), "maps are float32 (b,"),
    Bad(
        EIGHT.replace("[8]", "[8, 16]"),
        ("1x9x2x2xf32",),
        ("1x4x4xf32", "1x4x1xf32"),
        "a map for each stride, got 1 for [8, 16]",
    ),
    Bad(
        EIGHT.replace("v8", "v9"),
        ("1x9x2x2xf32",),
        ("1x4x4xf32", "1x4x1xf32"),
        "unknown version 'v9'; one of v5, v8",
    ),
    Bad(
        EIGHT.replace("[]", "[1.0, 2.0]"),
        ("1x9x2x2xf32",),
        ("1x4x4xf32", "1x4x1xf32"),
        "version v8 has no anchors",
    ),
    Bad(FIVE, ("1x5x2x2xf32",), ("1x4x4xf32", "1x4x1xf32"), "5 numbers and classes"),
    Bad(
        FIVE.replace(", 2.0", ""),
        ("1x6x2x2xf32",),
        ("1x4x4xf32", "1x4x1xf32"),
        "6 channels are not 5 numbers and classes for each of",
    ),
    Bad(FIND, ("2x5x1xf32", "2x5x4xf32"), DETR_OUT, "takes float32 logits (b, q, "),
    Bad(FIND, ("2x5x3xf32", "2x6x4xf32"), DETR_OUT, "takes float32 logits (b, q, "),
    Bad(
        FIND.replace("8.0", "0.0"),
        ("2x5x3xf32", "2x5x4xf32"),
        DETR_OUT,
        "an image has no size [0.0, 9.0]",
    ),
    # Scores, masks and heatmaps.
    Bad(
        "pipe.sigmoid %0", ("3xi64",), ("3xi64",), "sigmoid takes floating-point values"
    ),
    Bad(
        "pipe.top_k %0 k 4 axis 0",
        ("3xf32",),
        ("4xf32", "4xi64"),
        "k must be from 1 to 3, the size of axis 0",
    ),
    Bad("pipe.threshold %0 above [0.5]", ("3xi64",), ("3xi1",), "takes floating-point"),
    Bad(COLORS, ("3xf32", "4x3xui8"), ("3x3xui8",), "palette takes classes (int32, "),
    Bad(COLORS, ("3xi64", "4x4xui8"), ("3x3xui8",), "a palette is uint8 (colors, 3)"),
    Bad(COLORS, ("3xi64", "4x3xf32"), ("3x3xui8",), "a palette is uint8 (colors, 3)"),
    Bad("pipe.decode_keypoints %0", ("2x4x5xf32",), POINTS, "float32 heatmaps (b, k,"),
)
