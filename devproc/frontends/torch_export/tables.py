"""All import tables combined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

from xdsl.ir import SSAValue

from devproc.dialects.nn.base import NNOp
from devproc.extension import custom_op_for
from devproc.frontends.torch_export.complex_tables import COMPLEX
from devproc.frontends.torch_export.families import (
    activations,
    attention,
    checks,
    compare,
    constant,
    contraction,
    detection,
    elementary,
    gather,
    image,
    loop,
    normalization,
    pointwise,
    quantized,
    reduction,
    scan,
    shape,
    signal,
    sort,
    window,
)
from devproc.frontends.torch_export.graph.builder import (
    Complex,
    GraphBuilder,
    ImportRule,
)
from devproc.frontends.torch_export.graph.problems import Refusal

IMPORTS: dict[str, ImportRule] = {
    **activations.IMPORTS,
    **attention.IMPORTS,
    **checks.IMPORTS,
    **compare.IMPORTS,
    **constant.IMPORTS,
    **contraction.IMPORTS,
    **detection.IMPORTS,
    **elementary.IMPORTS,
    **gather.IMPORTS,
    **image.IMPORTS,
    **loop.IMPORTS,
    **normalization.IMPORTS,
    **pointwise.IMPORTS,
    **quantized.IMPORTS,
    **reduction.IMPORTS,
    **scan.IMPORTS,
    **shape.IMPORTS,
    **signal.IMPORTS,
    **sort.IMPORTS,
    **window.IMPORTS,
}
"""ATen overload -> import rule."""


def has_rule(overload: str) -> bool:
    """Whether an operator has an import rule."""
    return overload in IMPORTS


def import_rule(overload: str, complex_numbers: bool) -> ImportRule | None:
    """The import rule of an operator: a built-in one, or one that a user registered. For
    complex numbers, the built-in one for them.
    """
    if complex_numbers:
        return COMPLEX.get(overload)
    if overload in IMPORTS:
        return IMPORTS[overload]
    custom = custom_op_for(overload)
    if custom is None:
        return None
    build = custom.build or partial(_build_class, cast(type[NNOp], custom.op))
    return ImportRule(partial(_build_checked, build))


def _build_checked(
    build: Callable[..., Any], builder: GraphBuilder, *operands: Any, **keywords: Any
) -> Any:
    """The result of a registered `build`, which must have the types that were recorded."""
    built = build(builder, *operands, **keywords)
    values: Sequence[Any] = built if isinstance(built, tuple) else (built,)  # pyright: ignore
    types: list[Any] = [v.type for v in values if isinstance(v, SSAValue | Complex)]  # pyright: ignore
    if builder.results and types != list(builder.results):
        found = ", ".join(map(str, types)) or f"no value, but {built}"
        wanted = ", ".join(map(str, builder.results))
        raise Refusal(
            f"it was registered with a `build` that returns {found}, but the exporter "
            f"recorded {wanted}",
            "return values of these types from `build`",
        )
    return cast(Any, built)


def _build_class(op: type[NNOp], builder: GraphBuilder, *operands: Any) -> Any:
    """The op of a class that was registered without a `build` function."""
    if not all(isinstance(operand, SSAValue) for operand in operands):
        raise Refusal(
            f"'{op.name}' was registered without `build`, and an argument is no tensor",
            "register it with a `build` that makes properties of such arguments",
        )
    made = op.build_op(operands)
    builder.emit(made)
    return made.results[0] if len(made.results) == 1 else tuple(made.results)
