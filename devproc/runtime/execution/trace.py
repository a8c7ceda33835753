"""A Chrome trace (chrome://tracing, Perfetto) of one inference."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from devproc.backend.installed import device_names
from devproc.runtime.execution.host_program import Step

Event = tuple[Step, float, float]
"""A step with its begin and end, in seconds of `time.perf_counter`."""


def write_events(path: Path, seen: Sequence[Event]) -> None:
    """Writes a Chrome trace: one complete event ("ph": "X") per step, times in
    microseconds from the first step, one lane per device.
    """
    lanes = {device: lane for lane, device in enumerate(device_names(), 1)}
    origin = seen[0][1] if seen else 0.0
    events: list[dict[str, Any]] = [
        {
            "ph": "M",
            "pid": 0,
            "tid": lane,
            "name": "thread_name",
            "args": {"name": device},
        }
        for device, lane in lanes.items()
    ]
    for step, begin, end in seen:
        events.append(
            {
                "ph": "X",
                "pid": 0,
                "tid": lanes[step.device],
                "name": " ".join(step.kernels) or step.kind,
                "cat": step.kind,
                "ts": (begin - origin) * 1e6,
                "dur": (end - begin) * 1e6,
                "args": {"bytes": step.byte_count, "source": step.where},
            }
        )
    path.write_text(json.dumps({"traceEvents": events, "displayTimeUnit": "ns"}))
