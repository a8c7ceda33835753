"""Attributes of ops to and from plain data, tagged with the name of their kind.

The kinds cover all properties of ops, so that a new op needs nothing here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isinf, isnan, nan
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, ParametrizedAttribute

from devproc.ir.dtypes import element_count
from devproc.ir.types import (
    DTYPES,
    AnyTensor,
    dtype_name,
    is_float,
    is_known_dtype,
    item_size,
    tensor,
)
from devproc.registry import dialects

_NUMBERS = {"nan": nan, "inf": inf, "-inf": -inf}


def encode_attributes(attributes: Mapping[str, Attribute]) -> dict[str, Any]:
    """Each attribute by name; raises ValueError naming the first without a kind."""
    return {name: encode(value, name) for name, value in attributes.items()}


def encode(value: Attribute, name: str) -> dict[str, Any]:
    """An attribute as an object of one member: kind and value."""
    for kind in KINDS:
        found = kind.encode(value, name)
        if found is not None:
            return {kind.name: found}
    raise ValueError(f"attribute '{name}' has no form in JSON: {value}")


def decode_attributes(
    data: Mapping[str, Any], context: Context
) -> dict[str, Attribute]:
    """The attributes that `encode_attributes` wrote; raises ValueError."""
    return {name: decode(value, context) for name, value in data.items()}


def decode(data: Mapping[str, Any], context: Context) -> Attribute:
    """The attribute of an object of one member; raises ValueError."""
    ((name, value),) = data.items()
    kind = next((k for k in KINDS if k.name == name), None)
    if kind is None:
        raise ValueError(f"no attribute has the kind '{name}'")
    return kind.decode(value, context)


@dataclass(frozen=True)
class Kind:
    """One kind of attribute; `encode` returns None for an attribute of another kind."""

    name: str
    encode: Callable[[Any, str], Any]
    decode: Callable[[Any, Context], Attribute]


def encode_number(value: float) -> float | str:
    """A number; NaN and infinities, which JSON lacks, as strings."""
    if isnan(value):
        return "nan"
    return str(value) if isinf(value) else value


def decode_number(value: float | str) -> float:
    """The number that `encode_number` wrote."""
    return _NUMBERS[value] if isinstance(value, str) else float(value)


def _when(class_: type, take: Callable[[Any], Any]) -> Callable[[Any, str], Any]:
    """An encoder of attributes of one class; `take` may return None for some of them."""
    return lambda value, _: take(value) if isinstance(value, class_) else None


def _array(type_: Attribute) -> Callable[[Any], list[Any] | None]:
    return lambda value: (
        list(map(encode_number, value.get_values()))
        if value.elt_type == type_
        else None
    )


def _list(value: Attribute, name: str) -> list[Any] | None:
    if not isinstance(value, ArrayAttr):
        return None
    return [encode(v, name) for v in cast(ArrayAttr[Attribute], value).data]


def _tensor(value: Attribute, name: str) -> dict[str, Any] | None:
    """Elements as numbers if these round-trip, else as bytes."""
    if not isinstance(value, DenseIntOrFPElementsAttr):
        return None
    type_ = cast(AnyTensor, value.type)
    if not is_known_dtype(type_.element_type):
        return None
    dtype, shape = dtype_name(type_.element_type), list(type_.get_shape())
    numbers: Sequence[Any] = value.get_values()
    if dtype == "bool":
        numbers = [bool(n) for n in numbers]
    elif is_float(type_.element_type):
        numbers = [encode_number(n) for n in numbers]
    found = {"dtype": dtype, "shape": shape, "values": list(numbers)}
    if _constant(found) == value:
        return found
    return {"dtype": dtype, "shape": shape, "bytes": value.data.data.hex().upper()}


def _constant(data: Mapping[str, Any]) -> DenseIntOrFPElementsAttr:
    """The constant of `dtype`, `shape` and `values` or `bytes`; raises ValueError."""
    shape, element = [int(size) for size in data["shape"]], DTYPES[data["dtype"]]
    type_, count = tensor(element, shape), element_count(shape)
    if "bytes" in data:
        raw = bytes.fromhex(data["bytes"])
        if len(raw) != count * item_size(element):
            raise ValueError(f"{len(raw)} bytes for {data['dtype']} {shape}")
        return DenseIntOrFPElementsAttr(cast(Any, type_), BytesAttr(raw))
    values = cast(list[Any], data["values"])
    if len(values) != count:
        raise ValueError(f"{len(values)} values for the shape {shape}")
    if is_float(element):
        numbers: list[Any] = [decode_number(v) for v in values]
    else:
        numbers = [_whole(v, data["dtype"]) for v in values]
    return DenseIntOrFPElementsAttr.from_list(cast(Any, type_), numbers)


def _whole(value: Any, dtype: str) -> int:
    """An element of an integer or bool constant; raises ValueError for others."""
    bits = 1 if dtype == "bool" else int(dtype.lstrip("uint"))
    low = 0 if dtype == "bool" or dtype[0] == "u" else -(2 ** (bits - 1))
    if (
        isinstance(value, str)
        or value != int(value)
        or not low <= value < low + 2**bits
    ):
        raise ValueError(f"{value!r} is not a valid {dtype}")
    return int(value)


def _record(value: Attribute, name: str) -> dict[str, Any] | None:
    """A parametrized attribute of our dialects."""
    if not isinstance(value, ParametrizedAttribute):
        return None
    if value.name.partition(".")[0] not in dialects():
        return None
    names = [n for n, _ in value.get_irdl_definition().parameters]
    fields = dict(zip(names, value.parameters, strict=True))
    return {"name": value.name, "fields": encode_attributes(fields)}


def _decode_record(data: Mapping[str, Any], context: Context) -> Attribute:
    name: str = data["name"]
    known = name.partition(".")[0] in dialects()
    class_ = context.get_optional_attr(name) if known else None
    if class_ is None or not issubclass(class_, ParametrizedAttribute):
        raise ValueError(f"no attribute is named '{name}'")
    fields = decode_attributes(data["fields"], context)
    names = [n for n, _ in class_.get_irdl_definition().parameters]
    if set(names) != set(fields):
        raise ValueError(f"'{name}' has the fields {', '.join(names) or 'none'}")
    return class_.new([fields[n] for n in names])


KINDS: tuple[Kind, ...] = (
    Kind(
        "bool",
        _when(IntegerAttr, lambda v: bool(v.value.data) if v.type == i1 else None),
        lambda v, _: IntegerAttr(int(v), i1),
    ),
    Kind(
        "int",
        _when(IntegerAttr, lambda v: v.value.data if v.type == i64 else None),
        lambda v, _: IntegerAttr(int(v), i64),
    ),
    Kind("index", _when(IntAttr, lambda v: v.data), lambda v, _: IntAttr(int(v))),
    Kind(
        "float",
        _when(
            FloatAttr, lambda v: encode_number(v.value.data) if v.type == f64 else None
        ),
        lambda v, _: FloatAttr(decode_number(v), f64),
    ),
    Kind("string", _when(StringAttr, lambda v: v.data), lambda v, _: StringAttr(v)),
    Kind(
        "symbol",
        _when(
            SymbolRefAttr,
            lambda v: None if v.nested_references.data else v.root_reference.data,
        ),
        lambda v, _: SymbolRefAttr(v),
    ),
    Kind(
        "dtype",
        lambda v, _: dtype_name(v) if is_known_dtype(v) else None,
        lambda v, _: DTYPES[v],
    ),
    Kind(
        "ints",
        _when(DenseArrayBase, _array(i64)),
        lambda v, _: DenseArrayBase.from_list(i64, [int(n) for n in v]),
    ),
    Kind(
        "floats",
        _when(DenseArrayBase, _array(f64)),
        lambda v, _: DenseArrayBase.from_list(f64, [decode_number(n) for n in v]),
    ),
    Kind("list", _list, lambda v, context: ArrayAttr([decode(x, context) for x in v])),
    Kind(
        "dict",
        _when(DictionaryAttr, lambda v: encode_attributes(v.data)),
        lambda v, context: DictionaryAttr(decode_attributes(v, context)),
    ),
    Kind("unit", _when(UnitAttr, lambda _: True), lambda v, _: UnitAttr()),
    Kind("tensor", _tensor, lambda v, _: _constant(v)),
    Kind("record", _record, _decode_record),
)
"""All kinds of attributes."""
