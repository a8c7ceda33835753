"""Where the host has to wait for a stream."""

from __future__ import annotations

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, SSAValue

from devproc.dialects import dev

HOST = "cpu"
"""The memory that the program's inputs and outputs lie in."""


def insert_syncs(block: Block) -> None:
    """A sync before each host read of something that a stream has yet to finish."""
    pending: dict[SSAValue, str] = {}
    for op in list(block.ops):
        on_host = isinstance(op, ReturnOp) or (
            isinstance(op, dev.RegionOp) and dev.memory_of(op.device.data) == HOST
        )
        waiting = dict.fromkeys(pending[v] for v in op.operands if v in pending)
        if on_host and waiting:
            for device in waiting:
                block.insert_op_before(dev.SyncOp(device), op)
            pending = {v: d for v, d in pending.items() if d not in waiting}
        if isinstance(op, dev.CopyOp):
            devices = [dev.device_of(op.source.type), dev.device_of(op.result.type)]
            stream = next((d for d in devices if d in dev.STREAM_DEVICES), None)
            if stream is not None and devices[1] not in dev.STREAM_DEVICES:
                pending[op.result] = stream
