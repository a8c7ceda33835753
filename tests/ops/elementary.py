"""Claims of the family `elementary`: functions of `math.h`, powers."""

from torch.testing._internal.opinfo.core import SampleInput

from tests.ops.harness import ALL, COMPLEX, EVERY, FLOATS, NUMBERS

CLAIMED = {
    **dict.fromkeys(("ceil", "floor", "trunc", "round"), NUMBERS),
    **dict.fromkeys(("exp2", "expm1", "log1p"), ALL),
    **dict.fromkeys(("log", "log10", "log2"), EVERY),
    **dict.fromkeys(("sin", "cos", "tan", "sinh", "cosh", "tanh"), EVERY),
    **dict.fromkeys(("asin", "acos", "atan", "asinh", "acosh", "atanh"), ALL),
    **dict.fromkeys(("erf", "atan2", "deg2rad", "rad2deg", "sinc", "logit"), ALL),
    **dict.fromkeys(("xlogy", "special.xlog1py", "special.entr", "ldexp"), ALL),
    **dict.fromkeys(("logaddexp", "logaddexp2", "hypot", "nextafter", "frexp"), FLOATS),
    **dict.fromkeys(("copysign", "signbit"), ALL),
    "angle": EVERY,
    # Of int64 a kernel has 91 steps: right, but slow to compile.
    "gcd": ("int8", "int16", "uint8", "int32"),
    "lcm": ("int8", "uint8"),
    **dict.fromkeys(("erfc", "erfinv", "special.erfcx", "special.ndtr"), ALL),
    **dict.fromkeys(("special.log_ndtr", "special.ndtri"), ALL),
    **dict.fromkeys(("lgamma", "digamma"), ALL),
    "polygamma.polygamma_n_0": FLOATS,
    **dict.fromkeys((f"mvlgamma.mvlgamma_p_{p}" for p in (1, 3, 5)), NUMBERS),
    **dict.fromkeys(("i0", "special.i0e", "special.i1", "special.i1e"), ALL),
    "frac": FLOATS,
    "round.decimals_0": FLOATS,
    "round.decimals_3": FLOATS,
    "round.decimals_neg_3": FLOATS,
    "pow": (*NUMBERS, *COMPLEX),
    "__rpow__": NUMBERS,
    "float_power": ALL,
}


def _high_order(sample: SampleInput) -> str | None:
    return "only orders 0 and 1 are supported" if sample.args[0] > 1 else None


EXCUSES = {"polygamma.polygamma_n_0": _high_order}

INTERPRETED = (
    "floor",
    "round",
    "log1p",
    "expm1",
    "sin",
    "tanh",
    "erf",
    "pow",
    "nextafter",
)

COSTLY = (
    *("erfc", "erfinv", "special.erfcx", "special.ndtr", "special.log_ndtr"),
    *("special.ndtri", "lgamma", "digamma", "i0", "special.i0e", "special.i1"),
    *("special.i1e", *(f"mvlgamma.mvlgamma_p_{p}" for p in (1, 3, 5))),
)
