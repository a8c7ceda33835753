"""Claims of the family `elementary`: functions of `math.h`, powers."""

from tests.ops.harness import ALL, FLOATS, NUMBERS

CLAIMED = {
    **dict.fromkeys(("ceil", "floor", "trunc", "round"), NUMBERS),
    **dict.fromkeys(("exp2", "expm1", "log", "log10", "log1p", "log2"), ALL),
    **dict.fromkeys(("sin", "cos", "tan", "asin", "acos", "atan"), ALL),
    **dict.fromkeys(("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"), ALL),
    **dict.fromkeys(("erf", "atan2", "deg2rad", "rad2deg", "sinc", "logit"), ALL),
    "xlogy": ALL,
    "frac": FLOATS,
    "round.decimals_0": FLOATS,
    "round.decimals_3": FLOATS,
    "round.decimals_neg_3": FLOATS,
    "pow": NUMBERS,
    "__rpow__": NUMBERS,
    "float_power": ALL,
}

INTERPRETED = ("floor", "round", "log1p", "expm1", "sin", "tanh", "erf", "pow")
