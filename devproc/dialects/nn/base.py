"""What all `nn` ops share: a shape rule that builds and verifies result types."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from typing import ParamSpec, Self, cast

from xdsl.dialects.builtin import (
    DenseArrayBase,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, traits_def
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.dev import OnAttr
from devproc.errors import did_you_mean
from devproc.ir.dtypes import format_shape
from devproc.ir.types import DTYPES, AnyTensor, dtype_name, is_known_dtype

Properties = Mapping[str, Attribute]

_Parameters = ParamSpec("_Parameters")

_FOUND = ContextVar[list[VerifyException] | None]("found", default=None)
"""Where `require` notes what does not hold, instead of raising it."""


class Canonicalization(HasCanonicalizationPatternsTrait):
    """The op's patterns stand in the tables of `dialects/nn_canonicalization`."""

    def get_patterns(self, op: type[Operation]) -> tuple[RewritePattern, ...]:
        """The patterns of this op class."""
        # The patterns name the op classes, which are made of this module.
        from devproc.dialects.nn_canonicalization.tables import PATTERNS

        return PATTERNS.get(op, ())

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return ()


class NNOp(IRDLOperation, ABC):
    """An op on tensors with value semantics, whose result types follow from a rule.

    The rule `infer` is the only place that knows shapes: `build` calls it to make the
    op, `verify_` calls it to check one that was parsed.
    """

    traits = traits_def(Canonicalization())

    @classmethod
    @abstractmethod
    def infer(
        cls, operands: Sequence[AnyTensor], properties: Properties
    ) -> Sequence[AnyTensor]:
        """Result types (without encoding) from operand types and properties.

        Raises VerifyException where operands or properties do not fit each other.
        """

    @classmethod
    def build_op(
        cls, operands: Sequence[SSAValue], properties: Properties | None = None
    ) -> Self:
        """The op with inferred result types; they inherit the operands' device."""
        properties = dict(properties or {})
        types = [cast(AnyTensor, v.type) for v in operands]
        results = cls.infer(types, properties)
        device = next(
            (t.encoding.device.data for t in types if isinstance(t.encoding, OnAttr)),
            None,
        )
        if device is not None:
            on = OnAttr.get(device)
            results = [TensorType(r.element_type, r.shape, on) for r in results]
        return cls.create(
            operands=operands, result_types=results, properties=properties
        )

    def verify_(self) -> None:
        operands = [cast(AnyTensor, v.type) for v in self.operands]
        found = [cast(AnyTensor, r.type) for r in self.results]
        for index, type_ in enumerate(operands):
            require_known(f"operand {index} of {self.name}", type_)
        require_one_device(self.name, (*operands, *found))
        wanted = self.infer(operands, self.properties)
        require(
            len(wanted) == len(found),
            f"{self.name} has {len(wanted)} results, got {len(found)}",
        )
        for index, (want, have) in enumerate(zip(wanted, found, strict=True)):
            if (want.shape, want.element_type) != (have.shape, have.element_type):
                raise VerifyException(
                    f"result {index} must be {describe(want)}, got {describe(have)}"
                )


def describe(type_: AnyTensor) -> str:
    """A tensor type in a message: `float32 (1, 3, 8)`."""
    element = type_.element_type
    name = dtype_name(element) if is_known_dtype(element) else str(element)
    return f"{name} {format_shape(type_.get_shape())}"


class RemediedException(VerifyException):
    """A verifier's message that says itself what to do."""


def require(condition: bool, message: str, remedy: str = "") -> None:
    """Raise VerifyException with `message` unless `condition` holds.

    `remedy` is what to do about it; without, whoever built the op says so.
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
    """All that `require` refuses in a call that is known to be refused.

    The call goes on after each, until what does not hold makes it fail otherwise.
    """
    found: list[VerifyException] = []
    token = _FOUND.set(found)
    try:
        build(*args, **kwargs)
    # Whatever follows from what does not hold: an index, a key, a type.
    except Exception:
        return found
    finally:
        _FOUND.reset(token)
    return found


def require_known(name: str, type_: AnyTensor) -> None:
    """A tensor has a static shape and one of the dtypes of `DTYPES`."""
    if not is_known_dtype(type_.element_type):
        raise VerifyException(
            f"{name} has no dtype that DevProc knows: {type_.element_type}; the dtypes "
            f"are {', '.join(DTYPES)}"
        )
    if not type_.has_static_shape():
        raise VerifyException(f"{name} must have a static shape, got {type_}")


def require_one_device(name: str, types: Sequence[AnyTensor]) -> None:
    """All values of an op lie on one device, or none is placed yet."""
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
    """All operands have one element type (promotion is the importer's work)."""
    if len({t.element_type for t in types}) > 1:
        raise VerifyException(
            f"operands of {name} must have one dtype, got "
            + " and ".join(describe(t) for t in types)
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


def ints(attribute: Attribute) -> tuple[int, ...]:
    """The integers of an `array<i64: ...>` property."""
    array = cast(DenseArrayBase[IntegerType], attribute)
    if array.elt_type != i64:
        raise VerifyException(f"expected an i64 array, got {array}")
    return tuple(array.get_values())


def floats(attribute: Attribute) -> tuple[float, ...]:
    """The numbers of an `array<f64: ...>` property."""
    return tuple(cast(DenseArrayBase[Float64Type], attribute).get_values())


def int_of(attribute: Attribute) -> int:
    """The value of an i64 property."""
    number = cast(IntegerAttr, attribute)
    if number.type != i64:
        raise VerifyException(f"expected an i64 number, got {number}")
    return number.value.data


def flag_of(name: str, attribute: Attribute) -> bool:
    """The value of an integer property that is 0 or 1."""
    value = int_of(attribute)
    require(value in (0, 1), f"{name} must be 0 or 1, got {value}")
    return bool(value)


def positive(name: str, attribute: Attribute) -> int:
    """The value of an integer property that is at least 1."""
    value = int_of(attribute)
    require(value >= 1, f"{name} must be positive, got {value}")
    return value


def float_of(attribute: Attribute) -> float:
    """The value of a floating-point property."""
    return cast(FloatAttr, attribute).value.data


def text_of(name: str, attribute: Attribute, known: Collection[str]) -> str:
    """The value of a string property that is one of `known`."""
    value = cast(StringAttr, attribute).data
    require_one_of(f"unknown {name} '{value}'", value, known)
    return value


def require_one_of(problem: str, name: str, known: Collection[str]) -> None:
    """A name is a known one; else `problem`, the known ones, and the one meant."""
    if name not in known:
        listed = ", ".join(f"'{k}'" if "," in k else k for k in known)
        require(False, problem, f"one of {listed}{did_you_mean(name, known)}")


def int_array(values: Sequence[int]) -> DenseArrayBase:
    """An `array<i64: ...>` property."""
    return _int_array(tuple(values))


@cache
def _int_array(values: tuple[int, ...]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, values)


def int_attr(value: int) -> IntegerAttr:
    """An i64 property."""
    return IntegerAttr(value, i64)
