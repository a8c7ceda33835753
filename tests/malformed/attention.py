"""Malformed attention."""

from tests.malformed.cases import Bad

ATTENTION = "nn.attention %0, %1, %2 scale 0.5 : f64 empty 0"
MASKED = "nn.attention %0, %1, %2 mask %3 scale 0.5 : f64 empty 0"
Q, K, V, R = "3x5x8xf32", "3x7x8xf32", "3x7x4xf32", "3x5x4xf32"

CACHED = "nn.cached_attention %0, %1, %2 last %3 scale 0.5 : f64 empty 0"
LAST = "5xi64"

CASES = (
    Bad(ATTENTION, ("5x8xi8", "7x8xi8", "7x4xi8"), ("5x4xi8",), "floating-point operands"),
    Bad(ATTENTION, ("5x8xf32", "7x8xf16", "7x4xf32"), ("5x4xf32",), "have one dtype"),
    Bad(ATTENTION, (Q, "8xf32", V), (R,), "must have rank 2 and above"),
    Bad(ATTENTION, (Q, "3x7x9xf32", V), (R,), "do not fit"),
    Bad(ATTENTION, (Q, K, "3x6x4xf32"), (R,), "do not fit"),
    Bad(ATTENTION, (Q, "2x7x8xf32", V), (R,), "do not broadcast"),
    Bad(ATTENTION, (Q, K, V), ("3x5x7xf32",), "result 0 must be float32 (3, 5, 4)"),
    Bad(MASKED, (Q, K, V, "5x7xi32"), (R,), "the mask must be bool, float32 or as the query"),
    Bad(MASKED, (Q, K, V, "7x5xf32"), (R,), "do not broadcast"),
    Bad(MASKED, (Q, K, V, "2x3x5x7xi1"), (R,), "does not broadcast to the scores"),
    Bad(
        "nn.attention %0, %1, %2 scale 0.5 : f64 empty 2", (Q, K, V), (R,), "empty"
    ),
    Bad(
        f"{ATTENTION} band [1, 0]", (Q, K, V), (R,), "low <= high, got"
    ),
    Bad(f"{ATTENTION} band [1]", (Q, K, V), (R,), "the band must be [low, high]"),
    Bad(f"{ATTENTION} parts 2", (Q, K, V), (R,), "the 7 keys are not 2 equal parts"),
    Bad(
        f"{ATTENTION} band [0, 1] parts 7", (Q, K, V), (R,), "a band are not"
    ),
    Bad(CACHED, (Q, K, "3x7x4xi8", LAST), (R,), "floating-point operands"),
    Bad(CACHED, (Q, "3x7x8xi8", "3x7x4xi8", LAST), (R,), "need scales in float32"),
    Bad(CACHED, ("3x5x8xbf16", K, V, LAST), ("3x5x4xbf16",), "must not be wider than"),
    Bad(CACHED, (Q, "3x7x9xf16", V, LAST), (R,), "do not fit"),
    Bad(CACHED, (Q, K, V, "5xf32"), (R,), "last must be int32 or int64"),
    Bad(CACHED, (Q, K, V, "2x3x5xi64"), (R,), "broadcast to the rows of the scores"),
    Bad(CACHED, (Q, K, V, "4xi64"), (R,), "do not broadcast"),
    Bad(CACHED, (Q, K, V, LAST), ("3x5x7xf32",), "result 0 must be float32 (3, 5, 4)"),
    Bad(
        CACHED.replace("scale", "window 0 scale"), (Q, K, V, LAST), (R,), "of one key"
    ),
    Bad(f"{CACHED} parts 2", (Q, K, V, LAST), (R,), "the 7 keys are not 2 equal parts"),
    Bad(
        CACHED.replace("scale", "softcap -1.0 : f64 scale"), (Q, K, V, LAST), (R,),
        "positive and finite"
    ),
    Bad(
        CACHED.replace("scale", "mask %4 scale"), (Q, K, V, LAST, "5x7xi32"), (R,),
        "the mask must be bool"
    ),
)  # fmt: skip
