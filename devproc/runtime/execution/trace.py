"""A Chrome trace (chrome://tracing, Perfetto) of one inference."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from devproc.backend.installed import device_names
from devproc.errors import BundleError
from devproc.ir.devices import HOST
from devproc.runtime.execution.host_program import HostProgram, Step

Event = tuple[Step, float, float]
"""A step with its begin and end, in seconds of `time.perf_counter`."""


class Watch:
    """The events of a run: the kernels of native segments, and the steps of devices."""

    def __init__(self, host: HostProgram):
        """Raises BundleError if the program does not say which kernels it calls, or where."""
        native = [step for step in host.steps if _is_native(step)]
        called = {name for step in native for name in step.kernels}
        # Loops over kernels are among those called, but are no kernels.
        is_known = not called or not called.isdisjoint(host.kernels)
        if not is_known or not all(kernel.places for kernel in host.kernels.values()):
            raise BundleError(
                "the program does not say what is to be traced: it was saved by another"
                " version of DevProc; compile and save it again with this one"
            )
        self.operands = {name: k.operands for name, k in host.kernels.items()}
        """The number of operands of each kernel."""
        self.events: list[Event] = []
        self._kernels = host.kernels
        self._segments = {step.symbol: step for step in native}
        self._calls = Counter[str]()

    def clear(self) -> None:
        """Forgets what it has seen."""
        self.events.clear()
        self._calls.clear()

    def note(self, name: str, begin: float, end: float) -> None:
        """Adds a run of a kernel, or of a segment whose kernels are not seen."""
        if name in self._segments:
            step = self._segments[name]
        else:
            places, number = self._kernels[name].places, self._calls[name]
            self._calls[name] += 1
            where = places[number % len(places)]
            step = Step("launch", HOST, name, kernels=(name,), where=where)
        self.events.append((step, begin, end))

    def observe(self, step: Step, begin: float, end: float) -> None:
        """Adds a step, unless it is a native segment, whose kernels are noted."""
        if not _is_native(step):
            self.events.append((step, begin, end))


def _is_native(step: Step) -> bool:
    return step.kind == "launch" and step.device == HOST


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
