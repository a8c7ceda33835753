"""Claims of the family `pointwise`: arithmetic, activations, promotion."""

from tests.ops.harness import ALL, FLOATS, NUMBERS

CLAIMED = {
    "add": ALL,
    "sub": NUMBERS,
    "mul": ALL,
    "div.no_rounding_mode": ALL,
    "nn.functional.relu": NUMBERS,
    "exp": ALL,
    "sqrt": ALL,
    "rsqrt": ALL,
    "nn.functional.silu": FLOATS,
}

INTERPRETED = ("add", "exp")
