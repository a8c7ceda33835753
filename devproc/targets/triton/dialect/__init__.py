"""The `triton` dialect: block programs, the language of the GPU kernels.

It mirrors the Triton language: a `triton.func` runs once per point of its grid, on
scalars and on blocks (ranked tensors whose dimensions are powers of two). Arithmetic on
both is `arith` and `math`, loops are `scf.for`; only what those cannot express on
blocks is an op here. There is no implicit broadcasting: shapes are matched by
`triton.splat` and `triton.broadcast`, which the printer omits where Triton broadcasts
implicitly.
"""

from xdsl.ir import Dialect

from devproc.targets.triton.dialect import (
    blocks,
    compute,
    descriptors,
    memory,
    program,
    scan,
)
from devproc.targets.triton.dialect.blocks import (
    ArangeOp,
    BroadcastOp,
    ExpandDimsOp,
    ReshapeOp,
    SortOp,
    SplatOp,
    TransOp,
)
from devproc.targets.triton.dialect.compute import (
    CastOp,
    CompareOp,
    DotOp,
    ReduceOp,
    WhereOp,
)
from devproc.targets.triton.dialect.descriptors import (
    DescriptorType,
    LoadDescriptorOp,
    MakeDescriptorOp,
)
from devproc.targets.triton.dialect.memory import AddPtrOp, AtomicOp, LoadOp, StoreOp
from devproc.targets.triton.dialect.options import GPUAttr
from devproc.targets.triton.dialect.program import (
    FLATTEN,
    FuncOp,
    ProgramIdOp,
    ReturnOp,
)
from devproc.targets.triton.dialect.scan import ScanOp, YieldOp
from devproc.targets.triton.dialect.types import PtrType, block_of, element_of, shape_of

TRITON = Dialect(
    "triton",
    [
        *(*program.OPS, *blocks.OPS, *memory.OPS, *descriptors.OPS),
        *(*compute.OPS, *scan.OPS),
    ],
    [DescriptorType, GPUAttr, PtrType],
)

__all__ = [
    "FLATTEN",
    "TRITON",
    "AddPtrOp",
    "ArangeOp",
    "AtomicOp",
    "BroadcastOp",
    "CastOp",
    "CompareOp",
    "DescriptorType",
    "DotOp",
    "ExpandDimsOp",
    "FuncOp",
    "GPUAttr",
    "LoadDescriptorOp",
    "LoadOp",
    "MakeDescriptorOp",
    "ProgramIdOp",
    "PtrType",
    "ReduceOp",
    "ReshapeOp",
    "ReturnOp",
    "ScanOp",
    "SortOp",
    "SplatOp",
    "StoreOp",
    "TransOp",
    "WhereOp",
    "YieldOp",
    "block_of",
    "element_of",
    "shape_of",
]
