"""The base of all `nn` ops: their class, checks of verifiers, access to properties."""

from devproc.dialects.nn.base.op import NNOp
from devproc.dialects.nn.base.properties import (
    Properties,
    flag_of,
    float_of,
    floats,
    int_array,
    int_attr,
    int_of,
    ints,
    positive,
    text_of,
)
from devproc.dialects.nn.base.requirements import (
    RemediedException,
    broadcast_shapes,
    describe,
    normalize_axis,
    problems_of,
    require,
    require_bias,
    require_factors,
    require_known,
    require_one_of,
    require_same_dtype,
)

__all__ = [
    "NNOp",
    "Properties",
    "RemediedException",
    "broadcast_shapes",
    "describe",
    "flag_of",
    "float_of",
    "floats",
    "int_array",
    "int_attr",
    "int_of",
    "ints",
    "normalize_axis",
    "positive",
    "problems_of",
    "require",
    "require_bias",
    "require_factors",
    "require_known",
    "require_one_of",
    "require_same_dtype",
    "text_of",
]
