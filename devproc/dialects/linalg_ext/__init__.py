"""The `linalg_ext` dialect: structured ops that `linalg` lacks, modelled on its ops."""

from __future__ import annotations

from xdsl.ir import Dialect

from devproc.dialects.linalg_ext.generic import SizedGenericOp
from devproc.dialects.linalg_ext.order import (
    FirstPlacesOp,
    KthValueOp,
    MergeRunsOp,
    SortOp,
    SortRunsOp,
)
from devproc.dialects.linalg_ext.scan import ScanOp, ScanPartsOp, ScanTotalsOp
from devproc.dialects.linalg_ext.sequential import NmsOp, ScatterOp, ScatterSortedOp

LINALG_EXT = Dialect(
    "linalg_ext",
    [
        SizedGenericOp,
        FirstPlacesOp,
        KthValueOp,
        MergeRunsOp,
        NmsOp,
        ScanOp,
        ScanPartsOp,
        ScanTotalsOp,
        ScatterOp,
        ScatterSortedOp,
        SortOp,
        SortRunsOp,
    ],
)
