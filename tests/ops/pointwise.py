"""Claims of the family `pointwise`: arithmetic, activations, promotion."""

import torch
from torch.testing._internal.opinfo.core import SampleInput

from tests.ops.harness import ALL, COMPLEX, EVERY, FLOATS, INTEGERS, NUMBERS

CLAIMED = {
    "add": EVERY,
    "sub": (*NUMBERS, *COMPLEX),
    "rsub": (*NUMBERS, *COMPLEX),
    "mul": EVERY,
    **dict.fromkeys(("__radd__", "__rmul__", "__rdiv__"), ALL),
    "__rsub__": NUMBERS,
    "div.no_rounding_mode": EVERY,
    "true_divide": ALL,
    "div.trunc_rounding": NUMBERS,
    "div.floor_rounding": NUMBERS,
    "floor_divide": NUMBERS,
    "fmod": NUMBERS,
    "remainder": NUMBERS,
    "__rmod__": NUMBERS,
    "real": EVERY,
    "to": ALL,
    "sign": ALL,
    **dict.fromkeys(("abs", "sgn", "square", "reciprocal", "positive"), EVERY),
    "neg": (*NUMBERS, *COMPLEX),
    **dict.fromkeys(("exp", "sqrt", "rsqrt", "sigmoid"), EVERY),
    **dict.fromkeys(("maximum", "minimum", "max.binary", "min.binary"), ALL),
    **dict.fromkeys(("clamp", "clamp_min", "clamp_max"), NUMBERS),
    **dict.fromkeys(("addcmul", "addcdiv"), (*NUMBERS, *COMPLEX)),
    "lerp": FLOATS,
    "heaviside": ALL,
    "nn.functional.relu": NUMBERS,
    "nn.functional.relu6": NUMBERS,
    "nn.functional.hardtanh": (*FLOATS, *INTEGERS),
    "nn.functional.threshold": NUMBERS,
    **dict.fromkeys(
        (
            f"nn.functional.{name}"
            for name in (
                *("celu", "elu", "gelu", "hardshrink", "hardsigmoid", "hardswish"),
                *("leaky_relu", "logsigmoid", "mish", "prelu", "selu", "silu"),
                *("softplus", "softshrink", "softsign", "tanhshrink", "glu", "rrelu"),
                *("batch_norm", "batch_norm.without_cudnn"),
            )
        ),
        FLOATS,
    ),
    **dict.fromkeys(("float", "double", "half", "bfloat16"), ALL),
    **dict.fromkeys(("bool", "byte", "char", "short", "int", "long"), ALL),
}


def _training(sample: SampleInput) -> str | None:
    if sample.kwargs.get("training"):
        return "only inference is compiled"
    return None


def _training_with_statistics(sample: SampleInput) -> str | None:
    return _training(sample) if sample.args[0] is not None else None


def _dtype_that_is_missing(sample: SampleInput) -> str | None:
    others = [sample.kwargs.get("dtype"), *sample.args]
    if any(isinstance(a, torch.dtype) and a.is_complex for a in others):
        return "complex numbers"
    return None


EXCUSES = {
    "nn.functional.rrelu": _training,
    "nn.functional.batch_norm": _training_with_statistics,
    "nn.functional.batch_norm.without_cudnn": _training_with_statistics,
}

INTERPRETED = ("add", "exp", "remainder", "div.floor_rounding", "clamp", "sign", "abs")
