# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# pyright: reportIncompatibleMethodOverride=false, reportAny=false
"""Tensors in the memory of a recorder, which see every copy."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch.utils._pytree import tree_map

if TYPE_CHECKING:
    from devproc.targets.triton.recording.recorder import Recorder

PLACE = torch.device("cuda", 0)
"""Where these tensors say they are."""

META = torch.device("meta")

aten = torch.ops.aten


class RecordedTensor(torch.Tensor):
    """A tensor over memory of the host that behaves as one on a GPU."""

    host: torch.Tensor
    recorder: Recorder

    @staticmethod
    def __new__(cls: Any, host: torch.Tensor, recorder: Recorder) -> RecordedTensor:
        """A tensor over the memory of `host`."""
        # PyTorch without CUDA refuses to index a tensor that is really called one of CUDA.
        made = torch.Tensor._make_wrapper_subclass(  # pyright: ignore[reportAttributeAccessIssue]
            cls, host.shape, strides=host.stride(), dtype=host.dtype, device=META
        )
        made.host, made.recorder = host, recorder
        return made

    def __init__(self, host: torch.Tensor, recorder: Recorder) -> None:
        """Everything is done in `__new__`."""

    device = property(lambda self: PLACE)  # pyright: ignore[reportAssignmentType]
    is_cuda = property(lambda self: True)  # pyright: ignore[reportAssignmentType]
    is_cpu = property(lambda self: False)  # pyright: ignore[reportAssignmentType]

    def data_ptr(self) -> int:
        """The address on the host."""
        return self.host.data_ptr()

    def __repr__(self, *, tensor_contents: object = None) -> str:
        return f"<{tuple(self.shape)} {self.dtype} in the memory of a recorder>"

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Queues copies; views are free; anything else waits for all streams."""
        given: dict[str, Any] = dict(kwargs or {})
        found = [a for a in (*args, *given.values()) if isinstance(a, RecordedTensor)]
        recorder = found[0].recorder
        if func is aten.copy_.default:
            _queue_copy(recorder, *args, **given)
            return args[0]
        place = given.pop("device", None)
        host_args, host_given = tree_map(_host, args), tree_map(_host, given)
        made = func(*host_args, **host_given)
        if place is None and _is_view(made, found[0].host):
            return RecordedTensor(made, recorder)
        recorder.finish_all()
        made = func(*host_args, **host_given)
        if place is not None and torch.device(place).type == "cpu":
            recorder.trip(str(func))
            return made
        return tree_map(partial(_recorded, recorder=recorder), made)


def _recorded(value: Any, recorder: Recorder) -> Any:
    is_tensor = isinstance(value, torch.Tensor)
    return RecordedTensor(value, recorder) if is_tensor else value


def _host(value: Any) -> Any:
    return value.host if isinstance(value, RecordedTensor) else value


def _is_view(made: Any, source: torch.Tensor) -> bool:
    return (
        isinstance(made, torch.Tensor)
        and made.untyped_storage().data_ptr() == source.untyped_storage().data_ptr()
    )


def _queue_copy(
    recorder: Recorder,
    destination: torch.Tensor,
    source: torch.Tensor,
    non_blocking: bool = False,
) -> None:
    from devproc.targets.triton.recording.order import Access

    kinds = {(True, True): "copy", (True, False): "upload", (False, True): "download"}
    ends = (destination, source)
    kind = kinds[
        (isinstance(destination, RecordedTensor), isinstance(source, RecordedTensor))
    ]
    to, of = map(_host, ends)
    access = [Access.of(to, True), Access.of(of, False)]
    recorder.queue_copy(kind, access, lambda: to.copy_(of))
    if not non_blocking:
        recorder.synchronize(recorder.current)
