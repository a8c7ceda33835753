"""The `dev` dialect: where values live, what runs where, and the order between devices.

A tensor's encoding `#dev.on<"cpu">` names the device that holds it. Islands of ops are
`dev.region`s; a value crosses devices only through `dev.copy`. Work of a stream device
(`cuda`) is asynchronous: the host may read its results only after a `dev.sync`, and another
stream of the device only after a `dev.wait` for an event that a `dev.record` marks.
"""

from xdsl.ir import Dialect

from devproc.dialects.dev.attributes import (
    KernelAttr,
    OnAttr,
    PlaceAttr,
    byte_size,
    device_of,
    stored_as,
)
from devproc.dialects.dev.events import (
    EventType,
    RecordOp,
    WaitOp,
    set_stream,
    stream_number,
)
from devproc.dialects.dev.host_call import HostCallOp, OperandAttr, TorchAttr
from devproc.dialects.dev.layouts import (
    BlockFloatAttr,
    InnerProductAttr,
    Layout,
    LayoutAttr,
    StrassenAttr,
    WinogradAttr,
    WinogradLineAttr,
)
from devproc.dialects.dev.ops import (
    CopyOp,
    LaunchOp,
    RegionOp,
    SyncOp,
    YieldOp,
    is_region_function,
    verify_launch,
)
from devproc.dialects.dev.target import (
    TargetAttr,
    checks_bounds,
    checks_values,
    is_for_host_alone,
    target_of,
)
from devproc.dialects.dev.weight_only import WeightOnlyAttr

DEV = Dialect(
    "dev",
    [CopyOp, HostCallOp, LaunchOp, RecordOp, RegionOp, SyncOp, WaitOp, YieldOp],
    [
        BlockFloatAttr,
        EventType,
        InnerProductAttr,
        KernelAttr,
        LayoutAttr,
        OnAttr,
        OperandAttr,
        PlaceAttr,
        TargetAttr,
        TorchAttr,
        StrassenAttr,
        WeightOnlyAttr,
        WinogradAttr,
        WinogradLineAttr,
    ],
)

__all__ = [
    "DEV",
    "BlockFloatAttr",
    "CopyOp",
    "EventType",
    "HostCallOp",
    "InnerProductAttr",
    "KernelAttr",
    "LaunchOp",
    "Layout",
    "LayoutAttr",
    "OnAttr",
    "OperandAttr",
    "PlaceAttr",
    "RecordOp",
    "RegionOp",
    "StrassenAttr",
    "SyncOp",
    "TargetAttr",
    "TorchAttr",
    "WaitOp",
    "WeightOnlyAttr",
    "WinogradAttr",
    "WinogradLineAttr",
    "YieldOp",
    "byte_size",
    "checks_bounds",
    "checks_values",
    "device_of",
    "is_for_host_alone",
    "is_region_function",
    "set_stream",
    "stored_as",
    "stream_number",
    "target_of",
    "verify_launch",
]
