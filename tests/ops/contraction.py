"""Claims of the family `contraction`: matrix products and attention."""

from torch.testing._internal.opinfo.core import SampleInput

from tests.ops.harness import FLOATS, NUMBERS

CLAIMED = {
    "addbmm": NUMBERS,
    "addmm": NUMBERS,
    "addmv": NUMBERS,
    "addr": NUMBERS,
    "baddbmm": NUMBERS,
    "bmm": NUMBERS,
    "mm": NUMBERS,
    "mv": NUMBERS,
    "matmul": NUMBERS,
    "dot": NUMBERS,
    "vdot": NUMBERS,
    "outer": NUMBERS,
    "einsum": FLOATS,
    "nn.functional.linear": FLOATS,
    "nn.functional.scaled_dot_product_attention": FLOATS,
}

INTERPRETED = ("nn.functional.scaled_dot_product_attention",)


def _drops(sample: SampleInput) -> str | None:
    drops = sample.kwargs.get("dropout_p", 0.0) > 0
    return "dropout draws random numbers" if drops else None


def _repeats(sample: SampleInput) -> str | None:
    terms = sample.args[0].replace("...", "").split("->")[0].split(",")
    repeats = any(len(set(term)) < len(term) for term in terms)
    return "an index stands twice in one operand" if repeats else None


EXCUSES = {
    "einsum": _repeats,
    "nn.functional.scaled_dot_product_attention": _drops,
}
