"""Errors for ops that no device can compute, and for requests that no op can meet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from devproc.errors import CompileError
from devproc.ir.text.location import describe_location
from devproc.transforms.placed.assignment.problem import ILLEGAL_NS, Problem
from devproc.transforms.placed.assignment.requests import Override, Requests


def require_all_legal(problem: Problem, where: Sequence[int], target: str) -> None:
    """Raises CompileError with all ops that are not on a device that can compute them.

    An assignment has such ops only if there is no other one.
    """
    whole = {op for u in problem.units if u.is_whole(where) for op in u.members}
    refused = [
        op
        for op, device in enumerate(where)
        if problem.times[device][op] == ILLEGAL_NS and op not in whole
    ]
    if not refused:
        return
    lines = "\n".join(
        f"  {number}. {_described(problem, op)}: {'; '.join(_reasons(problem, op))}"
        for number, op in enumerate(refused, 1)
    )
    raise CompileError(
        f"no device of the target '{target}' can compute {len(refused)} of the ops:\n"
        f"{lines}\nadd a device that can, or replace them in the model"
    )


def _described(problem: Problem, op: int) -> str:
    found = problem.ops[op]
    return f"{found.name} ({describe_location(found.location)})"


def _reasons(problem: Problem, op: int) -> Iterator[str]:
    """`npu: the weight is not constant`, for each device."""
    for device, name in enumerate(problem.devices):
        reasons = problem.reasons[device][op] or ("only with ops that are elsewhere",)
        yield f"{name}: {', '.join(reasons)}"


def require_possible(problem: Problem, requests: Requests) -> None:
    """Raises CompileError for a request that none of its ops can meet."""
    by_row: dict[Override, list[int]] = {}
    for op, row in requests.devices.items():
        by_row.setdefault(row, []).append(problem.ops.index(op))
    for row, ops in by_row.items():
        device = problem.devices.index(row.device)
        if any(problem.pinned.get(op) == device for op in ops):
            continue
        reasons = dict.fromkeys(r for op in ops for r in problem.reasons[device][op])
        # Without a reason, the ops have a fixed device, which the report explains.
        if reasons:
            raise CompileError(
                f"placement of '{row.pattern}' on '{row.device}' is not possible:"
                f" {', '.join(reasons)}"
            )
