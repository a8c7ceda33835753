"""How products of f32 are computed, shared by all algorithms on `tl.dot`.

The tensor cores of NVIDIA GPUs take no f32, but TF32: its range with the ten fraction bits
of f16. `tf32x3` splits each factor into a TF32 number and a TF32 rest, and adds three of
the four products (Ootomo and Yokota, "Recovering single precision accuracy from Tensor
Cores while surpassing the FP32 theoretical peak performance", 2022): a factor keeps 22 to
23 of its 24 bits, and the product of the rests, 2^-22 of the result, is dropped. Triton adds the
sum of each block of terms to the accumulator by an ordinary addition, so that the
truncating additions of tensor cores form no chains longer than a block.
"""

from __future__ import annotations

from devproc.dialects.dev import TargetAttr
from devproc.targets.triton.archs import arch_of

WANTED = {"strict": "ieee", "default": "tf32x3", "fast": "tf32"}
"""Precision of a target -> that of its products of f32.

`ieee`: fused multiply-adds of f32, without tensor cores. `tf32x3`: within four times the
error of PyTorch's f32. `tf32`: three decimal digits, as PyTorch with
`torch.backends.cuda.matmul.allow_tf32`.
"""

PRODUCTS = {"ieee": 1, "tf32": 1, "tf32x3": 3}
"""Precision -> the products on tensor cores that one product takes."""


def dot_precision(target: TargetAttr) -> str:
    """The precision of products of f32: `ieee` where the GPU has no TF32."""
    wanted = WANTED[target.precision.data]
    return wanted if wanted in arch_of(target).dot_precisions else "ieee"


def precision_problem(precision: str, target: TargetAttr) -> str | None:
    """Why products of f32 cannot have a precision; None if they can."""
    if target.precision.data == "strict" and precision != "ieee":
        return "'precision' must be ieee where the target's is strict"
    if target.precision.data == "default" and precision == "tf32":
        return "'precision' may be tf32 only where the target's is fast"
    if precision not in arch_of(target).dot_precisions:
        return f"{arch_of(target).name} has no products of {precision}"
    return None
