"""What a bundle says about its tensors: dtypes, shapes, axes, and what the values mean."""

from __future__ import annotations

import hashlib
import keyword
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from devproc.bundle.interface.description import TensorEntry
from devproc.errors import BundleError
from devproc.ir.dtypes import ITEM_SIZES, element_count
from devproc.runtime.calls.interface import Interface, TensorSpec

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue

DTYPES = (
    *("bool", "int8", "uint8", "int16", "uint16", "int32", "int64"),
    *("float16", "bfloat16", "float32", "float64"),
)
"""The dtypes of bundles, in the order of the runtime's numbers for them."""

C_TYPES = {
    "bool": "uint8_t",
    "float16": "uint16_t",
    "bfloat16": "uint16_t",
    "float32": "float",
    "float64": "double",
    **{n: f"{n}_t" for n in ("int8", "uint8", "int16", "uint16", "int32", "int64")},
}
"""Dtype -> the element's type in C; the bits of 16-bit floats are integers there."""

C_WORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for "
    "goto if inline int long register restrict return short signed sizeof static struct "
    "switch typedef union unsigned void volatile while bool class delete new operator "
    "private protected public template this throw try typename using virtual namespace "
    "and or not xor true false catch friend export explicit mutable".split()
)

DETECTION_PARTS = {
    "boxes": "boxes as x1, y1, x2, y2; 0 from the count on",
    "scores": "scores, the largest first; 0 from the count on",
    "classes": "numbers of classes; -1 from the count on",
    "rows": "numbers of the rows that the boxes come from; -1 from the count on",
    "count": "number of valid rows",
}
"""Part of an entry with detections -> what it means; see `Detections` of the DSL."""


@dataclass(frozen=True)
class Tensor:
    """An input, output or state as the C interface describes it.

    `bound` is the axis whose rows are valid up to the count that another output holds, or
    -1. `unit` is that of the first axis of a signal: `16000 Hz`.
    """

    name: str
    member: str
    """The name in C."""
    dtype: str
    shape: tuple[int, ...]
    layout: str = ""
    meaning: str = ""
    unit: str = ""
    bound: int = -1

    @property
    def strides(self) -> tuple[int, ...]:
        """The elements from one index to the next, by axis: row-major."""
        return tuple(element_count(self.shape[i + 1 :]) for i in range(len(self.shape)))

    @property
    def byte_count(self) -> int:
        """Bytes of all elements."""
        return element_count(self.shape) * ITEM_SIZES[self.dtype]

    @property
    def text(self) -> str:
        """One line for a comment: `uint8 [480][640][3], axes HWC, RGB, 0 to 255`."""
        axes = "".join(f"[{size}]" for size in self.shape) or " (one number)"
        words = [f"{self.dtype} {axes}"]
        words += [f"axes {self.layout}"] if self.layout else []
        words += [word for word in (self.meaning, self.unit) if word]
        return ", ".join(words)

    @property
    def entry(self) -> TensorEntry:
        """The entry in NAME.json."""
        return TensorEntry(
            self.name,
            self.member,
            self.dtype,
            C_TYPES[self.dtype],
            self.shape,
            self.strides,
            self.byte_count,
            self.layout,
            self.meaning,
            self.unit,
            None if self.bound < 0 else self.bound,
        )


@dataclass(frozen=True)
class EntryTensors:
    """The tensors of an entry; the name of a program without entries is empty."""

    name: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    states: tuple[Tensor, ...]

    @property
    def identity(self) -> int:
        """A number that differs for other tensors."""
        return _hashed(
            (kind, t.member, t.dtype, t.shape)
            for kind in ("inputs", "outputs", "states")
            for t in getattr(self, kind)
        )

    def prefix(self, name: str) -> str:
        """What begins the names of the entry's functions, in the bundle of a name."""
        return f"{name}_{self.name}" if self.name else name


@dataclass(frozen=True)
class Description:
    """The tensors of a program: of its entries, and the states that they share."""

    entries: tuple[EntryTensors, ...]

    @property
    def states(self) -> tuple[Tensor, ...]:
        """Each state once."""
        found = {state.name: state for entry in self.entries for state in entry.states}
        return tuple(found.values())

    @property
    def identity(self) -> int:
        """A number that differs for other tensors or entries."""
        if len(self.entries) == 1:
            return self.entries[0].identity
        return _hashed((entry.name, entry.identity) for entry in self.entries)


def _hashed(rows: Iterable[object]) -> int:
    """64 bits of a SHA-256."""
    digest = hashlib.sha256(repr(list(rows)).encode()).digest()
    return int.from_bytes(digest[:8], "little")


def describe(name: str, interface: Interface, program_text: str) -> EntryTensors:
    """The tensors of an entry with what its first stage says about them.

    Raises BundleError for a dtype that has no form in C.
    """
    from devproc.driver import parse_module
    from devproc.runtime.execution.host_reader import find_function

    main = find_function(parse_module(program_text), "main")
    types = main.function_type.outputs.data
    taken: set[str] = set()
    inputs = [
        _input(spec, argument)
        for spec, argument in zip(
            _tensors(interface.inputs, "input", taken), main.body.block.args
        )
    ]
    outputs = [
        _output(tensor, type_)
        for tensor, type_ in zip(_tensors(interface.outputs, "output", taken), types)
    ]
    states = _tensors(interface.states, "state", set())
    return EntryTensors(name, tuple(inputs), tuple(outputs), tuple(states))


def c_name(name: str) -> str:
    """A name as an identifier of C, C++ and Python."""
    word = re.sub(r"\W", "_", name, flags=re.ASCII)
    word = f"_{word}" if not word or word[0].isdigit() else word
    return f"{word}_" if word in C_WORDS or keyword.iskeyword(word) else word


def _tensors(specs: Iterable[TensorSpec], kind: str, taken: set[str]) -> list[Tensor]:
    """The tensors, whose members differ from those taken, in more than upper and lower case:
    macros and variables of the files in C are named after inputs and outputs alike.
    """
    found: list[Tensor] = []
    for spec in specs:
        if spec.dtype not in DTYPES:
            raise BundleError(
                f"{kind} '{spec.name}' is {spec.dtype}, which has no form in C; split it "
                "into real and imaginary parts"
            )
        member = c_name(spec.name)
        while member.lower() in taken:
            member += "_"
        taken.add(member.lower())
        found.append(Tensor(spec.name, member, spec.dtype, spec.shape, spec.layout))
    return found


def _input(tensor: Tensor, argument: SSAValue) -> Tensor:
    words = [*_colors(argument), *_range(tensor)]
    return replace(tensor, meaning=", ".join(words), unit=_rate(argument))


def _range(tensor: Tensor) -> Sequence[str]:
    limits = {"uint8": "0 to 255", "bool": "0 or 1"}
    return [limits[tensor.dtype]] if tensor.dtype in limits else []


def _colors(argument: SSAValue) -> Sequence[str]:
    """The order of the channels, where a step names it."""
    from devproc.dialects.pipe.spaces import ColorOp, YuvOp

    for use in argument.uses:
        if isinstance(use.operation, ColorOp | YuvOp):
            return [use.operation.source.data]
    return []


def _rate(argument: SSAValue) -> str:
    """The rate of samples that the first step which names one expects, or nothing."""
    from devproc.dialects.pipe.audio import ResampleAudioOp
    from devproc.dialects.pipe.mel import LogMelOp

    for use in argument.uses:
        if isinstance(use.operation, ResampleAudioOp):
            return f"{use.operation.source.value.data} Hz"
        if isinstance(use.operation, LogMelOp):
            return f"{use.operation.sample_rate.value.data} Hz"
    return ""


def _output(tensor: Tensor, type_: Attribute) -> Tensor:
    from devproc.dialects.pipe.base.layout import bounded_axis, layout_of

    axis = bounded_axis(type_)
    entry, dot, part = tensor.name.rpartition(".")
    meaning = DETECTION_PARTS.get(part, "") if dot else ""
    if axis is not None and dot:
        meaning = meaning or f"rows are valid up to the count {entry}.count"
    return replace(
        tensor,
        layout=layout_of(type_) or "",
        meaning=meaning,
        bound=-1 if axis is None else axis,
    )
