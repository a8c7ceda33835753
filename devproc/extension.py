"""Operators of users: one registration gives everything that an `nn` op has.

`docs/custom_ops.md` shows both ways, a composition of `nn` ops and an op class of the
user's own. Nothing here imports PyTorch: `devproc-opt` reads extensions, too. Nor xDSL,
before there is a registration: the key of a compiled program is asked for the digest of
them all.
"""

from __future__ import annotations

import hashlib
import inspect
import marshal
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from devproc import registry, settings
from devproc.errors import RegistrationError

if TYPE_CHECKING:
    from xdsl.ir import Dialect, Operation
    from xdsl.irdl import IRDLOperation
    from xdsl.pattern_rewriter import RewritePattern

Facet: TypeAlias = Callable[..., Any]

_TARGET = re.compile(r"(\w+)::(\w+)(?:\.(\w+))?")


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
        """The operator as a graph names it: `mylib.swish.default`."""
        found = _TARGET.fullmatch(self.target or "")
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


_registered: list[CustomOp] = []


def register_op(
    target: str | None = None,
    *,
    build: Facet | None = None,
    op: type[IRDLOperation] | None = None,
    pattern: RewritePattern | None = None,
    reference: Facet | None = None,
    lowering: Facet | None = None,
    decomposition: Facet | None = None,
    sources: Sequence[str | Path] = (),
) -> None:
    """Teaches the compiler an operator, for this process.

    `target`: the operator in exported graphs, `"mylib::swish"` or with its overload,
    `"mylib::swish.out"`. `build(builder, *args, **kwargs)` makes ops with the importer's
    `GraphBuilder` and returns the result, or a tuple; without it the arguments must be
    tensors, and become the operands of `op`. Of `nn` ops alone, it needs nothing else.

    `op`: an op class in a dialect of your own, a subclass of `NNOp`, whose `infer` is
    the shape rule. It needs `reference(op, *tensors)`, a tuple of tensors, and either
    `lowering(op, lowering)`, structured loops made with `Lowering`, or
    `decomposition(op, builder)`, the values of other ops. `pattern` puts it in the place
    of `nn` ops that mean the same. `sources`: further files that decide what it computes.

    Raises RegistrationError with all that is wrong with the registration.
    """
    custom = CustomOp(
        target,
        build,
        op,
        pattern,
        reference,
        lowering,
        decomposition,
        tuple(Path(path) for path in sources),
    )
    problems = [*_problems_of_target(custom), *_problems_of_facets(custom)]
    if op is not None:
        problems += _problems_of_class(custom, op)
    if problems:
        name = target or (op.name if isinstance(op, type) else "an op")
        raise RegistrationError(name, problems)
    _registered.append(custom)


def _problems_of_target(custom: CustomOp) -> Iterator[str]:
    target = custom.target
    if target is None:
        if custom.pattern is None:
            yield "neither `target` nor `pattern` says where it comes from; give one"
        if custom.build is not None:
            yield "`build` imports an operator; name the operator as `target`"
        return
    if custom.overload is None:
        yield f"`target` is '{target}'; write it as 'namespace::operator'"
        return
    if custom.build is None and custom.op is None:
        yield "nothing says what the operator becomes; give `build`, or `op`"
    if any(other.overload == custom.overload for other in _registered):
        yield "the operator is registered already; register it once"
    elif target.startswith("aten::"):
        from devproc.frontends.torch_export.graph.tables import IMPORTS

        if custom.overload in IMPORTS:
            yield "the compiler knows this operator; register one of your own"


def _problems_of_facets(custom: CustomOp) -> Iterator[str]:
    from xdsl.pattern_rewriter import RewritePattern

    facets = {
        "build": custom.build,
        "reference": custom.reference,
        "lowering": custom.lowering,
        "decomposition": custom.decomposition,
    }
    for name, facet in facets.items():
        if facet is not None and not callable(facet):
            yield f"`{name}` is a {type(facet).__name__}; give a function"
    if custom.op is None:
        for name in ("reference", "lowering", "decomposition"):
            if facets[name] is not None:
                yield f"`{name}` belongs to an op class; give the class as `op`"
    if custom.pattern is not None:
        if not isinstance(custom.pattern, RewritePattern):  # pyright: ignore[reportUnnecessaryIsInstance]
            yield "`pattern` is no RewritePattern; give an instance of one"
        if custom.op is None:
            yield "`pattern` makes an op class; give the class as `op`"
    for path in custom.sources:
        if not path.is_file():
            yield f"the file '{path}' of `sources` does not exist; correct its path"


def _problems_of_class(custom: CustomOp, op: type[IRDLOperation]) -> Iterator[str]:
    from devproc.dialects.nn.base import NNOp

    if not (isinstance(op, type) and issubclass(op, NNOp)):  # pyright: ignore[reportUnnecessaryIsInstance]
        yield "`op` is no subclass of devproc.dialects.nn.base.NNOp; derive it from that"
        return
    if "name" not in vars(op) or "get_irdl_definition" not in vars(op):
        yield f"`op` {op.__name__} has no decorator @irdl_op_definition; add it"
        return
    if inspect.isabstract(op):
        yield f"`op` {op.__name__} has no shape rule; define the class method `infer`"
    dialect, dot, _ = op.name.partition(".")
    if not dot or dialect in _known_dialects():
        yield (
            f"the name '{op.name}' is in no dialect of your own; "
            "name it '<your dialect>.<op>'"
        )
    if any(other.op is not None and other.op.name == op.name for other in _registered):
        yield f"an op named '{op.name}' is registered already; choose another name"
    if custom.reference is None:
        yield "no `reference`; give its meaning as a PyTorch function"
    if custom.lowering is None and custom.decomposition is None:
        yield "neither `lowering` nor `decomposition`; give one"
    if custom.lowering is not None and custom.decomposition is not None:
        yield "both `lowering` and `decomposition`; one must do"


@cache
def _known_dialects() -> frozenset[str]:
    from xdsl.dialects import get_all_dialects

    return frozenset({*get_all_dialects(), *registry.DIALECTS})


def custom_ops() -> Sequence[CustomOp]:
    """All registrations; first imports what `DEVPROC_EXTENSIONS` names."""
    for module in settings.extensions():
        import_module(module)
    return _registered


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
    """The dialects that may remain; those of users wherever `nn` may."""
    return legal | dialects().keys() if "nn" in legal else legal


def digest() -> str:
    """A hash of all registrations: a part of the key of a compiled program."""
    return "".join(custom.digest() for custom in custom_ops())


def forget(target: str) -> None:
    """Undo the registration of an operator, named as it was registered."""
    _registered[:] = [c for c in custom_ops() if c.target != target]


@contextmanager
def temporary() -> Generator[None]:
    """Registrations in this context end with it, for tests."""
    saved = list(custom_ops())
    try:
        yield
    finally:
        _registered[:] = saved


def _code_of(facet: Any) -> bytes:
    """The file that defines a function or class, else the code itself."""
    while isinstance(getattr(facet, "func", None), Callable):
        facet = facet.func
    try:
        path = inspect.getsourcefile(facet)
    except TypeError:
        path = None
    if path is not None and Path(path).is_file():
        return f"{facet.__qualname__}\0".encode() + Path(path).read_bytes()
    functions = [facet, *vars(facet).values()] if isinstance(facet, type) else [facet]
    codes = [cast(Any, getattr(f, "__code__", None)) for f in functions]
    return b"".join(marshal.dumps(c) for c in codes if isinstance(c, CodeType))
