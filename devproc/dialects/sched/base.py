"""The base classes of schedules: attributes of named fields that print on one line.

A schedule holds all decisions about the loops of one nest: its expansion reads the
kernel and the schedule and decides nothing. In text every field is required, as `name =
value`, in any order:

```mlir
#sched.pixel_tile<vectors = 2, pixels = 4, block = none, split = 1, grain = 2>
```

In Python it is constructed with keywords, and its fields are plain values:

```python
tile = PixelTileSchedule(vectors=2, pixels=4, block=None, split=1, grain=2)
assert tile.pixels == 4
wider = tile.replace(vectors=1, pixels=8)
```
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.sched.fields import (
    Field,
    Value,
    count,
    counts,
    flag,
    nested,
    nested_list,
    power,
    time,
    word,
)
from devproc.errors import did_you_mean


def _reader(place: int) -> property:
    """A property that reads the value of the field at this position."""
    return property(lambda record: record.data[place])


@dataclass(frozen=True, init=False, repr=False)
class Record(Data[tuple[Value, ...]]):
    """An attribute of named fields; `data` holds their values in the order of `fields`.

    Two records are equal if their classes and values are equal.
    """

    # Not a parameter of the constructors: type checkers see keyword-only fields.
    data: tuple[Value, ...] = field(init=False)

    fields: ClassVar[dict[str, Field]] = {}
    """The fields by name, in the order in which they print."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.fields = {n: f for n, f in vars(cls).items() if isinstance(f, Field)}
        for place, name in enumerate(cls.fields):
            setattr(cls, name, _reader(place))

    def __init__(self, data: tuple[Value, ...] | None = None, /, **values: Value):
        if data is None:
            problem = (
                self.misnamed(values) if values.keys() != self.fields.keys() else None
            )
            if problem is not None:
                raise TypeError(problem)
            data = tuple([values[name] for name in self.fields])
        super().__init__(data)  # pyright: ignore[reportUnknownMemberType]

    def __repr__(self) -> str:
        return str(self)

    @property
    def values(self) -> dict[str, Value]:
        """The fields with their values."""
        return dict(zip(self.fields, self.data, strict=True))

    def replace(self, **changes: Value) -> Self:
        """The same record with other values of some fields."""
        return type(self)(**(self.values | changes))

    @classmethod
    def misnamed(cls, given: Mapping[str, Value]) -> str | None:
        """The problem with a set of field names; None if all are present and known."""
        known = ", ".join(cls.fields)
        for name in given.keys() - cls.fields.keys():
            close = did_you_mean(name, cls.fields)
            return f"#{cls.name} has no field '{name}', but {known}{close}"
        lacking = [f"'{name}'" for name in cls.fields if name not in given]
        fields = "field" if len(lacking) == 1 else "fields"
        return (
            f"#{cls.name} needs the {fields} {', '.join(lacking)}" if lacking else None
        )

    def verify(self) -> None:
        for item, value in zip(self.fields.values(), self.data, strict=True):
            if item.optional if value is None else item.allows(value):
                continue
            raise VerifyException(f"#{self.name}: {item.problem(value)}")
        problem = self.conflict()
        if problem is not None:
            raise VerifyException(f"#{self.name}: {problem}")

    def conflict(self) -> str | None:
        """Why these values are inconsistent; None if they are consistent."""
        return None

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[Value, ...]:
        """The values between angle brackets, in the order of `fields`."""
        values: dict[str, Value] = {}

        def parse_field() -> None:
            start = parser.pos
            name = parser.parse_identifier()
            if name in values or name not in cls.fields:
                problem = cls.misnamed({name: None})
                if name in values:
                    problem = f"#{cls.name} has the field '{name}' twice"
                parser.raise_error(problem or "", start, parser.pos)
            parser.parse_punctuation("=")
            values[name] = cls.fields[name].parse(parser)

        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parse_field)
        problem = cls.misnamed(values)
        if problem is not None:
            parser.raise_error(problem)
        return tuple([values[name] for name in cls.fields])

    def print_parameter(self, printer: Printer) -> None:
        """Print the fields between angle brackets, on one line."""
        with printer.in_angle_brackets():
            for place, item in enumerate(self.fields.values()):
                printer.print_string(f"{', ' if place else ''}{item.name} = ")
                item.print(printer, self.data[place])


class Schedule(Record):
    """The base class of schedules, with one subclass for each algorithm.

    The name after `sched.` is that of the algorithm that expands the schedule.
    """

    @property
    def algorithm(self) -> str:
        """The algorithm that expands it."""
        return self.name.partition(".")[2]

    @property
    def fixed(self) -> dict[str, object]:
        """The fields that a tuner must keep, since they may change result digits.

        A nested schedule appears as its name with its own fields to keep.
        """
        found: dict[str, object] = {}
        for name, value in self.values.items():
            inner = _fixed_within(value)
            if self.fields[name].digits or inner is not None:
                found[name] = value if inner is None else inner
        return found


def _fixed_within(value: Value) -> object:
    """What a tuner keeps of the schedules nested in a value; None if it has none."""
    if isinstance(value, Schedule):
        return value.name, value.fixed
    if isinstance(value, tuple) and any(isinstance(v, Schedule) for v in value):
        return tuple(map(_fixed_within, value))
    return None


_Record = TypeVar("_Record", bound=Record)


@dataclass_transform(
    frozen_default=True,
    kw_only_default=True,
    field_specifiers=(
        count, counts, flag, nested, nested_list, power, time, word,
    ),
)  # fmt: skip
def record_definition(cls: type[_Record]) -> type[_Record]:
    """Class decorator of a record: its constructor takes the fields as keywords."""
    return irdl_attr_definition(cls)


def parallel_conflict(name: str, is_spread: bool, grain: int | None) -> str | None:
    """The problem of a grain without parallel loops or the reverse; None if consistent.

    `name`: the field that selects the parallel loops.
    """
    if is_spread == (grain is not None):
        return None
    wanted = "a number" if is_spread else "none"
    return f"with this '{name}', 'grain' must be {wanted}"


GRAIN = (
    "Iterations of the parallel loops in one chunk of work for a thread;"
    " none: single-threaded."
)
"""The meaning of the field `grain` in most schedules."""
