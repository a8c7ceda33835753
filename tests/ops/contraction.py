"""Claims of the family `contraction`: matrix products and attention."""

from torch.testing._internal.opinfo.core import SampleInput

from tests.ops.harness import COMPLEX, FLOATS, NUMBERS

PRODUCTS = (*NUMBERS, *COMPLEX)

CLAIMED = {
    "addbmm": NUMBERS,
    "addmm": NUMBERS,
    "addmv": NUMBERS,
    "addr": NUMBERS,
    "baddbmm": NUMBERS,
    **dict.fromkeys(("bmm", "mm", "mv", "matmul", "dot", "vdot", "outer"), PRODUCTS),
    "einsum": (*FLOATS, *COMPLEX),
    **dict.fromkeys(("inner", "tensordot", "linalg.multi_dot"), NUMBERS),
    **dict.fromkeys(("linalg.vecdot", "linalg.matrix_power"), FLOATS),
    **dict.fromkeys(("cross", "linalg.cross", "linalg.vander"), NUMBERS),
    "__rmatmul__": NUMBERS,
    "nn.functional.bilinear": NUMBERS,
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


def _inverts(sample: SampleInput) -> str | None:
    return "the inverse of a matrix" if sample.args[0] < 0 else None


EXCUSES = {
    "linalg.matrix_power": _inverts,
    "einsum": _repeats,
    "nn.functional.scaled_dot_product_attention": _drops,
}
