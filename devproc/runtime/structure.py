"""Structures of a call: containers of containers, taken apart and put together again.

Tuples, lists and dicts are handled here, so that a program which has no others runs
without PyTorch; named tuples, data classes and what else PyTorch's pytrees know are its
own work.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from devproc.errors import BundleError

if TYPE_CHECKING:
    from torch.utils._pytree import TreeSpec

PROTOCOL = 1
"""Version of PyTorch's JSON of a structure."""

CONTAINERS: dict[str, type] = {
    "builtins.tuple": tuple,
    "builtins.list": list,
    "builtins.dict": dict,
    "collections.OrderedDict": OrderedDict,
}
"""The containers that need no PyTorch, by their names in its JSON."""


class Structure(Protocol):
    """The shape of nested containers, without their leaves."""

    @property
    def num_leaves(self) -> int:
        """How many leaves it has."""
        ...

    def flatten(self, value: object) -> list[Any] | None:
        """The leaves of a value in order; None where the value is built otherwise."""
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
        """The leaves of a value in order; None where the value is built otherwise."""
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
    """Containers that only PyTorch's pytrees know."""

    spec: TreeSpec

    @property
    def num_leaves(self) -> int:
        """How many leaves it has."""
        return self.spec.num_leaves

    def flatten(self, value: object) -> list[Any] | None:
        """The leaves of a value in order; None where the value is built otherwise."""
        from torch.utils._pytree import tree_flatten

        leaves, spec = tree_flatten(value)
        return leaves if spec == self.spec else None

    def unflatten(self, leaves: Sequence[Any]) -> Any:
        """The value with these leaves."""
        from torch.utils._pytree import tree_unflatten

        return tree_unflatten(leaves, self.spec)

    def dumps(self) -> str:
        """The structure as PyTorch's JSON; raises BundleError for one without a name."""
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
    """A structure that PyTorch gives."""
    structure = TorchStructure(spec)
    try:
        return loads_structure(structure.dumps())
    except BundleError:
        return structure


def loads_structure(text: str) -> Structure:
    """The structure of PyTorch's JSON."""
    protocol, spec = json.loads(text)
    plain = _plain(spec) if protocol == PROTOCOL else None
    if plain is not None:
        return plain
    from torch.utils._pytree import treespec_loads

    return TorchStructure(treespec_loads(text))


def _plain(spec: Mapping[str, Any]) -> PlainStructure | None:
    """The structure where it has none but plain containers."""
    name = spec["type"]
    children = [_plain(child) for child in spec["children_spec"]]
    known = [child for child in children if child is not None]
    if len(known) != len(children) or (name is not None and name not in CONTAINERS):
        return None
    keys = json.loads(spec["context"] or "null")
    return PlainStructure(name, tuple(known), None if keys is None else tuple(keys))
