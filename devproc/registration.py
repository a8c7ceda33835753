"""Operators of users: one registration provides all facets of an `nn` op.

`docs/custom_ops.md` shows both kinds, a composition of `nn` ops and an op class of the
user. PyTorch is imported only for operators of ATen, to look up their import rules.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from devproc import registry
from devproc.errors import RegistrationError
from devproc.extension import REGISTERED, CustomOp, Facet

if TYPE_CHECKING:
    from xdsl.irdl import IRDLOperation
    from xdsl.pattern_rewriter import RewritePattern


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
    replace: bool = False,
) -> None:
    """Registers an operator for this process.

    `target`: the operator in exported graphs, `"mylib::swish"` or with its overload,
    `"mylib::swish.out"`. `build(builder, *args, **kwargs)` makes ops with the importer's
    `GraphBuilder` and returns the result, or a tuple; without it the arguments must be
    tensors, and become the operands of `op`. Of `nn` ops alone, it needs nothing else.

    `op`: an op class in a dialect of your own, a subclass of `NNOp`, whose `infer` is
    the shape rule. It needs `reference(op, *tensors)`, a tuple of tensors, and either
    `lowering(op, lowering)`, structured loops made with `Lowering`, or
    `decomposition(op, builder)`, the values of other ops. `pattern` puts it in the place
    of `nn` ops that mean the same. `sources`: further files that decide what it computes.
    `replace`: an earlier registration of the operator is undone first, as when a cell of a
    notebook runs again.

    Raises RegistrationError with all that is wrong with the registration.
    """
    files = tuple(map(Path, sources))
    custom = CustomOp(
        target, build, op, pattern, reference, lowering, decomposition, files
    )
    same = custom.overload if replace else None
    others = [c for c in REGISTERED if same is None or c.overload != same]
    problems = [*_problems_of_target(custom, others), *_problems_of_facets(custom)]
    if op is not None:
        problems += _problems_of_class(custom, op, others)
    if problems:
        name = target or (op.name if isinstance(op, type) else "an op")
        raise RegistrationError(name, problems)
    REGISTERED[:] = [*others, custom]


def _problems_of_target(custom: CustomOp, others: Sequence[CustomOp]) -> Iterator[str]:
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
    if any(other.overload == custom.overload for other in others):
        yield (
            "the operator is registered already; register it once, or with `replace=True`"
        )
    elif target.startswith("aten::"):
        from devproc.frontends.torch_export.tables import IMPORTS

        if custom.overload in IMPORTS:
            yield "the compiler knows this operator; register one of your own"


def _problems_of_facets(custom: CustomOp) -> Iterator[str]:
    from xdsl.pattern_rewriter import RewritePattern

    of_class = ("reference", "lowering", "decomposition")
    for name in ("build", *of_class):
        facet = getattr(custom, name)
        if facet is not None and not callable(facet):
            yield f"`{name}` is a {type(facet).__name__}; give a function"
    for name in of_class:
        if custom.op is None and getattr(custom, name) is not None:
            yield f"`{name}` belongs to an op class; give the class as `op`"
    if custom.pattern is not None:
        if not isinstance(custom.pattern, RewritePattern):  # pyright: ignore[reportUnnecessaryIsInstance]
            yield "`pattern` is not a RewritePattern; give an instance of one"
        if custom.op is None:
            yield "`pattern` makes an op class; give the class as `op`"
    for path in custom.sources:
        if not path.is_file():
            yield f"the file '{path}' of `sources` does not exist; correct its path"


def _problems_of_class(
    custom: CustomOp, op: type[IRDLOperation], others: Sequence[CustomOp]
) -> Iterator[str]:
    from devproc.dialects.nn.base import NNOp

    if not (isinstance(op, type) and issubclass(op, NNOp)):  # pyright: ignore[reportUnnecessaryIsInstance]
        yield "`op` is not a subclass of devproc.dialects.nn.base.NNOp; derive it from that"
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
    if any(other.op is not None and other.op.name == op.name for other in others):
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

    return frozenset({*get_all_dialects(), *registry.dialects()})
