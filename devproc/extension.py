"""The operators registered by users, as the compiler looks them up.

Nothing here imports PyTorch, since `devproc-opt` reads extensions as well; nor xDSL before
there is a registration, since keys of compiled programs use the digest of them all.
"""

from __future__ import annotations

import hashlib
import inspect
import marshal
import re
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from devproc import settings

if TYPE_CHECKING:
    from xdsl.ir import Dialect, Operation
    from xdsl.irdl import IRDLOperation
    from xdsl.pattern_rewriter import RewritePattern

Facet: TypeAlias = Callable[..., Any]

TARGET = re.compile(r"(\w+)::(\w+)(?:\.(\w+))?")


@dataclass(frozen=True)
class CustomOp:
    """One registration, checked; see `register_op` for what the fields mean."""

    target: str | None
    build: Facet | None
    op: type[IRDLOperation] | None
    pattern: RewritePattern | None
    reference: Facet | None
    lowering: Facet | None
    decomposition: Facet | None
    sources: tuple[Path, ...]

    @property
    def overload(self) -> str | None:
        """The name of the operator in a graph: `mylib.swish.default`."""
        found = TARGET.fullmatch(self.target or "")
        return found and ".".join((found[1], found[2], found[3] or "default"))

    def digest(self) -> str:
        """A hash of the code of all facets."""
        parts: list[Any] = [self.build, self.op, self.reference, self.lowering]
        parts += [self.decomposition, self.pattern and type(self.pattern)]
        digest = hashlib.sha256(str(self.target).encode())
        for part in parts:
            digest.update(b"\0" if part is None else _code_of(part))
        for path in self.sources:
            digest.update(path.read_bytes())
        return digest.hexdigest()


REGISTERED: list[CustomOp] = []
"""The valid registrations, added by `devproc.register_op`."""


def custom_ops() -> Sequence[CustomOp]:
    """All registrations; imports the modules of `DEVPROC_EXTENSIONS` first."""
    for module in settings.extensions():
        import_module(module)
    return REGISTERED


def custom_op_of(class_: type[Operation]) -> CustomOp | None:
    """The registration of an op class."""
    return next((c for c in custom_ops() if c.op is class_), None)


def custom_op_for(overload: str) -> CustomOp | None:
    """The registration of an operator, named as in a graph: `mylib.swish.default`."""
    return next((c for c in custom_ops() if c.overload == overload), None)


def patterns() -> list[RewritePattern]:
    """The patterns of all registrations."""
    return [c.pattern for c in custom_ops() if c.pattern is not None]


def dialects() -> dict[str, Dialect]:
    """The dialects of all registered op classes, by name."""
    from xdsl.ir import Dialect

    classes: dict[str, list[type[Operation]]] = {}
    for custom in custom_ops():
        if custom.op is not None:
            classes.setdefault(custom.op.dialect_name(), []).append(custom.op)
    return {name: Dialect(name, ops) for name, ops in classes.items()}


def with_dialects(legal: frozenset[str]) -> frozenset[str]:
    """The legal dialects, with those of users if `nn` is legal."""
    return legal | dialects().keys() if "nn" in legal else legal


def digest() -> str:
    """A hash of all registrations: a part of the key of a compiled program."""
    return "".join(custom.digest() for custom in custom_ops())


def forget(target: str) -> None:
    """Undo the registration of an operator, named as it was registered."""
    REGISTERED[:] = [c for c in custom_ops() if c.target != target]


@contextmanager
def temporary() -> Generator[None]:
    """Undoes registrations within the context at its end, for tests."""
    saved = list(custom_ops())
    try:
        yield
    finally:
        REGISTERED[:] = saved


def _code_of(facet: Any) -> bytes:
    """The source file that defines a function or class, else its byte code."""
    while isinstance(getattr(facet, "func", None), Callable):
        facet = facet.func
    try:
        path = inspect.getsourcefile(facet)
    except TypeError:
        path = None
    if path is not None and Path(path).is_file():
        # Lambdas of one file share their name.
        line = getattr(getattr(facet, "__code__", None), "co_firstlineno", 0)
        return f"{facet.__qualname__}:{line}\0".encode() + Path(path).read_bytes()
    functions = [facet, *vars(facet).values()] if isinstance(facet, type) else [facet]
    codes = [cast(Any, getattr(f, "__code__", None)) for f in functions]
    return b"".join(marshal.dumps(c) for c in codes if isinstance(c, CodeType))
