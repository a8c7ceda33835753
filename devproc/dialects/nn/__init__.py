"""The `nn` dialect: tensor ops with value semantics, by family.

A family has the same file name in every facet folder: `dialects/nn` (class, verifier,
shape rule), `frontends/torch_export/families` (import row), `reference` (semantics),
`transforms/kernels/nn_to_linalg` (lowering) or `transforms/tensor/decompositions`, and
`op_rules` (properties that later passes query).
"""

from xdsl.ir import Dialect

from devproc.dialects.nn import (
    activations,
    attention,
    checks,
    compare,
    constant,
    contraction,
    detection,
    elementary,
    gather,
    image,
    loop,
    normalization,
    pointwise,
    quantized,
    reduction,
    scan,
    shape,
    signal,
    sort,
    window,
)

FAMILIES = {
    "constant": constant.OPS,
    "pointwise": pointwise.OPS,
    "elementary": elementary.OPS,
    "activations": activations.OPS,
    "compare": compare.OPS,
    "contraction": contraction.OPS,
    "attention": attention.OPS,
    "quantized": quantized.OPS,
    "window": window.OPS,
    "reduction": reduction.OPS,
    "normalization": normalization.OPS,
    "scan": scan.OPS,
    "loop": loop.OPS,
    "shape": shape.OPS,
    "gather": gather.OPS,
    "checks": checks.OPS,
    "sort": sort.OPS,
    "detection": detection.OPS,
    "image": image.OPS,
    "signal": signal.OPS,
}
"""family name -> its op classes."""

NN = Dialect("nn", [op for ops in FAMILIES.values() for op in ops])
