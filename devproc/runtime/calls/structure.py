"""Structures of a call: nested containers that are flattened and rebuilt.

Tuples, lists and dicts are handled here, so that a program with no others runs without
PyTorch; named tuples, data classes and other containers are left to PyTorch's pytrees.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from devproc.errors import BundleError
from devproc.runtime.reading.typed_json import parse_json, read_as, shown

if TYPE_CHECKING:
    from torch.utils._pytree import TreeSpec

PROTOCOL = 1
"""Version of PyTorch's JSON form of a structure."""

DEEPEST = 100
"""Deepest nesting that is read, far more than a call has."""

CONTAINERS: dict[str, type] = {
    "builtins.tuple": tuple,
    "builtins.list": list,
    "builtins.dict": dict,
    "collections.OrderedDict": OrderedDict,
}
"""The containers that need no PyTorch, by their names in its JSON."""


@dataclass(frozen=True)
class _Spec:
    """A container in PyTorch's JSON; a leaf has no type."""

    type: str | None
    context: str | None
    children_spec: tuple[object, ...]


class Structure(Protocol):
    """The shape of nested containers, without their leaves."""

    @property
    def num_leaves(self) -> int:
        """How many leaves it has."""
        ...

    def flatten(self, value: object) -> list[Any] | None:
        """The leaves of a value in order; None if the value has another structure."""
        ...

    def unflatten(self, leaves: Sequence[Any]) -> Any:
        """The value with these leaves."""
        ...

    def dumps(self) -> str:
        """The structure as PyTorch's JSON."""
        ...


class _Different(Exception):
    """A value has another structure."""


@dataclass(frozen=True)
class PlainStructure:
    """Tuples, lists and dicts; a leaf has no `name`.

    `keys` are those of a dict, whose values may come in any order.
    """

    name: str | None = None
    children: tuple[PlainStructure, ...] = ()
    keys: tuple[Any, ...] | None = None

    @property
    def num_leaves(self) -> int:
        """How many leaves it has."""
        return 1 if self.name is None else sum(c.num_leaves for c in self.children)

    def flatten(self, value: object) -> list[Any] | None:
        """The leaves of a value in order; None if the value has another structure."""
        try:
            return list(self._leaves(value))
        except _Different:
            return None

    def _leaves(self, value: object) -> Iterator[Any]:
        if self.name is None:
            if type(value) in CONTAINERS.values():
                raise _Different
            yield value
            return
        if type(value) is not CONTAINERS[self.name]:
            raise _Different
        parts = cast(Sequence[object], value)
        if self.keys is not None:
            given = cast(Mapping[Any, object], value)
            if set(given) != set(self.keys):
                raise _Different
            parts = [given[key] for key in self.keys]
        if len(parts) != len(self.children):
            raise _Different
        for child, part in zip(self.children, parts, strict=True):
            yield from child._leaves(part)

    def unflatten(self, leaves: Sequence[Any]) -> Any:
        """The value with these leaves."""
        return self._build(iter(leaves))

    def _build(self, leaves: Iterator[Any]) -> Any:
        if self.name is None:
            return next(leaves)
        parts = [child._build(leaves) for child in self.children]
        if self.keys is not None:
            parts = zip(self.keys, parts, strict=True)
        return CONTAINERS[self.name](parts)

    def dumps(self) -> str:
        """The structure as PyTorch's JSON."""
        return json.dumps([PROTOCOL, self._as_json()])

    def _as_json(self) -> dict[str, Any]:
        context = None if self.name is None else json.dumps(self.keys)
        children = [child._as_json() for child in self.children]
        return {"type": self.name, "context": context, "children_spec": children}

    def __str__(self) -> str:
        if self.name is None:
            return "*"
        parts = [str(child) for child in self.children]
        if self.keys is not None:
            pairs = zip(self.keys, parts, strict=True)
            return "{" + ", ".join(f"{key!r}: {part}" for key, part in pairs) + "}"
        listed = ", ".join(parts)
        return f"[{listed}]" if CONTAINERS[self.name] is list else f"({listed})"


@dataclass(frozen=True)
class TorchStructure:
    """Containers that only PyTorch's pytrees support."""

    spec: TreeSpec

    @property
    def num_leaves(self) -> int:
        """How many leaves it has."""
        return self.spec.num_leaves

    def flatten(self, value: object) -> list[Any] | None:
        """The leaves of a value in order; None if the value has another structure."""
        from torch.utils._pytree import tree_flatten

        leaves, spec = tree_flatten(value)
        return leaves if spec == self.spec else None

    def unflatten(self, leaves: Sequence[Any]) -> Any:
        """The value with these leaves."""
        from torch.utils._pytree import tree_unflatten

        return tree_unflatten(leaves, self.spec)

    def dumps(self) -> str:
        """The structure as PyTorch's JSON; raises BundleError for an unregistered container."""
        from torch.utils._pytree import treespec_dumps

        try:
            return treespec_dumps(self.spec)
        except NotImplementedError as error:
            raise BundleError(
                f"a container of the model's inputs or outputs cannot be saved: {error}"
            ) from error

    def __str__(self) -> str:
        return str(self.spec)


def structure_of(spec: TreeSpec) -> Structure:
    """The structure of a `TreeSpec`."""
    structure = TorchStructure(spec)
    try:
        return loads_structure(structure.dumps())
    except BundleError:
        return structure


def loads_structure(text: str) -> Structure:
    """The structure in PyTorch's JSON; raises BundleError for an invalid text.

    Containers other than `CONTAINERS` are read by PyTorch, which imports the classes that
    the text names.
    """
    plain = plain_structure(text)
    if plain is not None:
        return plain
    from torch.utils._pytree import treespec_loads

    try:
        return TorchStructure(treespec_loads(text))
    # PyTorch may raise anything for a missing class or a damaged text.
    except Exception as error:
        raise BundleError(f"PyTorch does not know a container: {error}") from error


def plain_structure(text: str) -> PlainStructure | None:
    """The structure in PyTorch's JSON; None if it has other containers than `CONTAINERS`.

    Imports nothing. Raises BundleError for an invalid text.
    """
    parsed = parse_json(text, "a structure of inputs or outputs")
    row = cast(list[object], parsed) if isinstance(parsed, list) else []
    if len(row) != 2:
        raise _no_structure(text)
    return _plain(row[1], 0) if row[0] == PROTOCOL else None


def _plain(spec: object, depth: int) -> PlainStructure | None:
    row = read_as(_Spec, spec, "a structure of inputs or outputs")
    if depth > DEEPEST:
        raise BundleError(f"a structure of inputs or outputs is over {DEEPEST} deep")
    children = [_plain(child, depth + 1) for child in row.children_spec]
    known = [child for child in children if child is not None]
    if len(known) != len(children) or row.type not in (None, *CONTAINERS):
        return None
    keys = _keys_of(row)
    has_keys = row.type in ("builtins.dict", "collections.OrderedDict")
    if (row.type is None and children) or has_keys != (keys is not None):
        raise _no_structure(spec)
    if keys is not None and len(set(keys)) != len(children):
        raise _no_structure(spec)
    return PlainStructure(row.type, tuple(known), keys)


def _keys_of(row: _Spec) -> tuple[Any, ...] | None:
    """The keys of a dict: numbers, strings and None; None for other containers."""
    keys = parse_json(row.context or "null", "the keys of a container")
    if keys is None:
        return None
    listed = cast(list[object], keys) if isinstance(keys, list) else [keys, keys]
    if not all(isinstance(key, int | float | str | None) for key in listed):
        raise _no_structure(row)
    return tuple(listed)


def _no_structure(found: object) -> BundleError:
    return BundleError(f"not a structure of inputs or outputs: {shown(found)}")
