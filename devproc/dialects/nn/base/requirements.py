"""Requirements of verifiers, with their messages."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextvars import ContextVar
from typing import ParamSpec

from xdsl.utils.exceptions import VerifyException

from devproc.dialects.dev import OnAttr
from devproc.errors import did_you_mean
from devproc.ir.dtypes import format_shape
from devproc.ir.types import (
    DTYPES,
    AnyTensor,
    dtype_name,
    is_known_dtype,
    product_type,
)

_Parameters = ParamSpec("_Parameters")

_FOUND = ContextVar[list[VerifyException] | None]("found", default=None)
"""Where `require` records failures instead of raising them."""


def describe(type_: AnyTensor) -> str:
    """A tensor type in a message: `float32 (1, 3, 8)`."""
    element = type_.element_type
    name = dtype_name(element) if is_known_dtype(element) else str(element)
    return f"{name} {format_shape(type_.get_shape())}"


class RemediedException(VerifyException):
    """A verifier's error whose message includes the remedy."""


def require(condition: bool, message: str, remedy: str = "") -> None:
    """Raise VerifyException with `message` unless `condition` holds.

    `remedy` is what the user can do; without one, the builder of the op adds it.
    """
    if condition:
        return
    error = VerifyException(message)
    if remedy:
        error = RemediedException(f"{message}; {remedy}")
    found = _FOUND.get()
    if found is None:
        raise error
    found.append(error)


def problems_of(
    build: Callable[_Parameters, object],
    *args: _Parameters.args,
    **kwargs: _Parameters.kwargs,
) -> list[VerifyException]:
    """All failed requirements of a call that is known to fail.

    The call continues after each failure, until it raises another exception.
    """
    found: list[VerifyException] = []
    token = _FOUND.set(found)
    try:
        build(*args, **kwargs)
    # Errors that follow from a failed requirement: an index, a key, a type.
    except Exception:
        return found
    finally:
        _FOUND.reset(token)
    return found


def require_known(name: str, type_: AnyTensor) -> None:
    """Require a static shape and one of the dtypes of `DTYPES`."""
    if not is_known_dtype(type_.element_type):
        raise VerifyException(
            f"{name} has no dtype that DevProc knows: {type_.element_type}; the dtypes "
            f"are {', '.join(DTYPES)}"
        )
    if not type_.has_static_shape():
        raise VerifyException(f"{name} must have a static shape, got {type_}")


def require_one_device(name: str, types: Sequence[AnyTensor]) -> None:
    """Require all values of an op to be on one device, or none to be placed yet."""
    encodings = [t.encoding for t in types]
    if encodings.count(encodings[0]) == len(encodings):
        return
    devices = {e.device.data if isinstance(e, OnAttr) else "" for e in encodings}
    listed = " and ".join(f"'{d}'" if d else "no device" for d in sorted(devices)[::-1])
    require(
        len(devices) == 1,
        f"{name} uses values of {listed}: a value crosses devices only through dev.copy",
    )


def require_same_dtype(name: str, types: Sequence[AnyTensor]) -> None:
    """Require operands of one element type; type promotion is up to the importer."""
    if len({t.element_type for t in types}) > 1:
        raise VerifyException(
            f"operands of {name} must have one dtype, got "
            + " and ".join(describe(t) for t in types)
        )


def require_factors(name: str, types: Sequence[AnyTensor]) -> None:
    """Require two factors of one dtype, and a bias, if any, of the dtype of their product."""
    require_same_dtype(name, types[:2])
    wanted = product_type(types[0].element_type)
    for bias in types[2:]:
        require(
            bias.element_type == wanted,
            f"operands of {name} must have one dtype, and the bias that of the product,"
            f" {dtype_name(wanted)}, got " + " and ".join(map(describe, types)),
        )


def require_bias(biases: Sequence[AnyTensor], outputs: int) -> None:
    """Require the bias, if there is one, to have a number for each output."""
    for bias in biases:
        require(
            bias.get_shape() == (outputs,),
            f"the bias must have shape ({outputs},), got {describe(bias)}",
        )


def broadcast_shapes(shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """NumPy's broadcasting rule; raises VerifyException naming both shapes."""
    rank = max((len(s) for s in shapes), default=0)
    result = [1] * rank
    for shape in shapes:
        for axis, size in enumerate(shape, start=rank - len(shape)):
            if size == 1 or size == result[axis]:
                continue
            require(
                result[axis] == 1,
                "shapes "
                + " and ".join(format_shape(s) for s in shapes)
                + " do not broadcast",
            )
            result[axis] = size
    return tuple(result)


def normalize_axis(axis: int, rank: int) -> int:
    """`axis` counted from the front; raises VerifyException if out of range."""
    require(-rank <= axis < rank, f"axis {axis} is out of range for rank {rank}")
    return axis % rank


def require_one_of(problem: str, name: str, known: Collection[str]) -> None:
    """Require a known name; the message lists the known ones and suggests one."""
    if name not in known:
        listed = ", ".join(f"'{k}'" if "," in k else k for k in known)
        require(False, problem, f"one of {listed}{did_you_mean(name, known)}")
