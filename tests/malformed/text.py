"""Malformed steps on tokens and embeddings."""

from tests.malformed.cases import Bad

PAD = 'pipe.pad_tokens %0 to 5 value 0 side "right"'
POOL = "pipe.mean_pool %0, %1"
NEXT = (
    'pipe.next_token %0 seed %1 strategy "top_k" k 2 p 1.0 : f64 temperature 1.0 : f64'
)
MIN_P = NEXT.replace("temp", "min_p 0.5 : f64 temp")
COUNT = "pipe.count_tokens %0, %1 length %2"
PENALTY = "pipe.penalize_tokens %0, %1 repetition 1.5 : f64 presence 0.5 : f64 frequency 0.0 : f64"
C = "2x5xi32"
L, S, R = "2x5xf32", "1xi64", ("2xi64",)

CASES = (
    Bad(PAD, ("2x3xf32",), ("2x5xf32",), "pad_tokens takes int64 or int32 tokens"),
    Bad(PAD.replace("5", "0"), ("2x3xi64",), ("2x0xi64",), "length must be positive"),
    Bad(PAD.replace("right", "top"), ("2x3xi64",), ("2x5xi64",), "unknown side 'top'"),
    Bad(PAD, ("2x3xi64",), ("2x3xi64",), "result 0 must be int64 (2, 5)"),
    Bad("pipe.attention_mask %0 pad_id 0", ("i64",), ("i64",), "tokens (..., length)"),
    Bad(POOL, ("2x5xf32", "2x5xi64"), ("2xf32",), "states (batch, length, size)"),
    Bad(POOL, ("2x5x4xf32", "5xi64"), ("2x4xf32",), "is (2, 5), got int64 (5)"),
    Bad("pipe.cls_pool %0", ("2x5x4xi64",), ("2x4xi64",), "floating-point states"),
    Bad("pipe.cls_pool %0", ("2x0x4xf32",), ("2x4xf32",), "cls_pool takes floating"),
    Bad("pipe.l2_normalize %0 axis 2", (L,), (L,), "axis 2 is out of range for rank 2"),
    Bad("pipe.l2_normalize %0 axis 0", ("4xi64",), ("4xi64",), "float32 or float64"),
    Bad(
        "pipe.cosine_similarity %0, %1",
        ("2x4xf32", "3x5xf32"),
        ("2x3xf32",),
        "takes float32 (n, size) and (m, size), got float32 (2, 4) and float32 (3, 5)",
    ),
    Bad(NEXT, ("5xf32", S), R, "next_token takes float32 (batch, vocabulary)"),
    Bad(NEXT, ("2x5xf64", S), R, "next_token takes float32 (batch, vocabulary)"),
    Bad(NEXT.replace("k 2", "k 6"), (L, S), R, "k is 6, must be 1 to 5"),
    Bad(NEXT.replace("k 2", "k 0"), (L, S), R, "k is 0, must be 1 to 5"),
    Bad(NEXT.replace("p 1.0", "p 1.5"), (L, S), R, "p is 1.5, must be above 0"),
    Bad(NEXT.replace("p 1.0", "p 0.0"), (L, S), R, "p is 0.0, must be above 0"),
    Bad(NEXT.replace("ture 1.0", "ture 0.0"), (L, S), R, "0 is strategy greedy"),
    Bad(NEXT.replace("top_k", "beam"), (L, S), R, "unknown strategy 'beam'"),
    Bad(NEXT.replace("top_k", "greedy"), (L, S), R, '"greedy" takes no seed'),
    Bad(NEXT.replace(" seed %1", ""), (L,), R, 'strategy "top_k" needs a seed'),
    Bad(NEXT, (L, "3xi64"), R, "a seed is int64 (1) or (2), got int64 (3)"),
    Bad(NEXT, (L, "1xi32"), R, "a seed is int64 (1) or (2), got int32 (1)"),
    Bad(MIN_P.replace("min_p 0.5", "min_p 0.0"), (L, S), R, "min_p is 0.0, must be"),
    Bad(MIN_P.replace("min_p 0.5", "min_p 1.5"), (L, S), R, "min_p is 1.5, must be"),
    Bad(COUNT, ("2x5xf32", "2x3xi64", S), (C,), "takes int32 or int64 counts"),
    Bad(COUNT, ("2x0xi32", "2x3xi64", S), ("2x0xi32",), "takes int32 or int64 counts"),
    Bad(COUNT, (C, "2x3xi32", S), (C,), "takes int64 tokens (batch, n), got int32"),
    Bad(
        COUNT,
        (C, "3x3xi64", S),
        (C,),
        "takes int64 tokens (batch, n), got int64 (3, 3)",
    ),
    Bad(COUNT, (C, "2x3xi64", "3xi64"), (C,), "a length is int64 (1) or (2), got"),
    Bad(
        PENALTY,
        ("2x6xf32", C),
        ("2x6xf32",),
        "counts of that shape, got float32 (2, 6)",
    ),
    Bad(PENALTY, ("2x5xf64", C), ("2x5xf64",), "takes float32 (batch, vocabulary)"),
    Bad(PENALTY, (L, L), (L,), "takes int32 or int64 counts"),
    Bad(PENALTY.replace("n 1.5", "n 0.0"), (L, C), (L,), "repetition is 0.0, must be"),
    Bad(PENALTY.replace("0.5", "0x7FF0000000000000"), (L, C), (L,), "presence is inf"),
)
