# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportPrivateUsage=false
# pyright: reportMissingTypeStubs=false
"""Triton's library under the interpreter: what is patched, and how it is restored.

Triton chooses between compiling and interpreting when its library is imported, by an
environment variable. Here the library is interpreted between `interpret` and `restore`,
so that the same process can compile: its builtins compute on NumPy arrays, its jitted
helpers (`tl.sum`, `tl.cdiv`, ...) are plain functions.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

# Triton's launcher imports Gluon on first use, which asserts compiled helpers.
import triton.experimental.gluon
import triton.language as tl
from triton.language.semantic import TritonSemantic
from triton.runtime import interpreter
from triton.runtime.jit import JITFunction

from devproc.targets.triton.interpretation.folds import associative_scan, reduce
from devproc.targets.triton.interpretation.values import ProgramsBuilder

assert triton.experimental.gluon

BUILDER = ProgramsBuilder()

Attributes = list[tuple[Any, dict[str, Any]]]

_original: Attributes = []
"""The patched scopes with their attributes before; empty unless the library is patched."""

_patched: Attributes = []
"""The attributes that differ under the interpreter, once they are known."""


def is_interpreted() -> bool:
    """Whether the library is patched."""
    return bool(_original)


def interpret() -> None:
    """Patches the library."""
    _original.extend((scope, dict(vars(scope))) for scope in _scopes())
    if not _patched:
        _patch()
        _patched.extend((scope, _changes(scope, old)) for scope, old in _original)
        return
    for scope, attributes in _patched:
        for name, value in attributes.items():
            setattr(scope, name, value)


def restore() -> None:
    """Makes the library what it was before `interpret`."""
    for scope, attributes in _original:
        for name, value in list(vars(scope).items()):
            if name not in attributes:
                # Names that the interpreter adds to a module's globals are looked up by
                # functions it has cached; they shadow nothing.
                if isinstance(scope, type):
                    delattr(scope, name)
            elif value is not attributes[name]:
                setattr(scope, name, attributes[name])
    _original.clear()


def _scopes() -> list[Any]:
    """The modules and classes that Triton's interpreter and this module patch."""
    names = ("core", "standard", "math", "random")
    scopes = [tl, *(getattr(tl, name) for name in names), interpreter]
    scopes += [tl.core.tensor, tl.core.dtype, interpreter.TensorDescHandle]
    scopes.append(interpreter.FunctionRewriter)
    for name in ("condition", "tensor_descriptor_base"):
        if hasattr(tl.core, name):
            scopes.append(getattr(tl.core, name))
    return scopes


def _changes(scope: Any, old: dict[str, Any]) -> dict[str, Any]:
    new = vars(scope).items()
    return {k: v for k, v in new if k not in old or v is not old[k]}


def _patch() -> None:
    interpreter.interpreter_builder = BUILDER
    interpreter.interpreter_semantic = TritonSemantic(BUILDER)
    for scope in (tl, tl.core, tl.standard, tl.math, tl.random, tl.core.tensor):
        for name, value in list(vars(scope).items()):
            if isinstance(value, JITFunction):
                setattr(scope, name, _helper(value))
    user: Any = SimpleNamespace(__globals__={"tl": tl, "core": tl.core})
    interpreter._patch_lang(user)
    modules: tuple[Any, ...] = (tl, tl.core)
    for module in modules:
        module.reduce, module.associative_scan = reduce, associative_scan
    tensor: Any = tl.core.tensor
    tensor.__index__, tensor.__bool__ = _index, _truth
    tensor.T = property(_transposed)
    interpreter.TensorDescHandle.materialize_pointers = _descriptor_pointers
    # The names that rewritten functions find in their globals.
    patched: Any = interpreter
    patched.both, patched.either = both, either
    interpreter.FunctionRewriter.ast_transformer = Rewriter()


class Rewriter(interpreter.ASTTransformer):
    """Converts assigned values to Triton's, and `and` and `or` to functions.

    Python's would ask for one truth of all elements.
    """

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        """Older versions leave the operands of the assigned expression as they are."""
        node.value = self.visit(node.value)
        return super().visit_Assign(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """Calls of `both` or `either`, with the right operand as a function."""
        left, *rest = [self.visit(value) for value in node.values]
        name = "both" if isinstance(node.op, ast.And) else "either"
        for right in rest:
            nothing = ast.arguments([], [], None, [], [], None, [])
            arguments: list[ast.expr] = [left, ast.Lambda(nothing, right)]
            left = ast.Call(ast.Name(name, ast.Load()), arguments, [])
        return ast.copy_location(left, node)


def both(left: Any, right: Callable[[], Any]) -> Any:
    """`left and right()`, of each element if they are values of a kernel."""
    if isinstance(left, tl.tensor):
        return left.logical_and(right())
    return left and right()


def either(left: Any, right: Callable[[], Any]) -> Any:
    """`left or right()`, of each element if they are values of a kernel."""
    if isinstance(left, tl.tensor):
        return left.logical_or(right())
    return left or right()


@cache
def _helper(function: Any) -> Callable[..., Any]:
    """A jitted function as a plain one, made once: reductions compare combinations by
    identity."""

    @cache
    def rewritten() -> Callable[..., Any]:
        return interpreter.InterpretedFunction(function.fn).rewrite()

    def helper(*args: Any, **options: Any) -> Any:
        return rewritten()(*args, **options)

    return helper


def _index(self: Any) -> int:
    return int(_only(self.handle.data))


def _truth(self: Any) -> bool:
    return bool(_only(self.handle.data)) if not self.type.is_block() else True


def _only(data: Any) -> Any:
    """The value of a scalar that all programs running together share."""
    values = np.asarray(data).reshape(-1)
    assert (values == values[0]).all(), "programs that run together take other paths"
    return values[0]


def _transposed(self: Any) -> Any:
    return tl.permute(self, [*range(len(self.shape) - 2), -1, -2])


def _descriptor_pointers(self: Any, offsets: Any) -> tuple[Any, Any]:
    """The addresses of a block of a tensor descriptor, and which are inside."""
    element = self.base.dtype.element_ty
    size, rank = element.primitive_bitwidth // 8, len(self.block_shape)
    pointers = self.base.data.reshape(-1, *[1] * rank)
    inside: Any = np.ones((1,) * (rank + 1), bool)
    assert (offsets[-1].data * size % 16 == 0).all(), "a block must begin at 16 bytes"
    for axis, count in enumerate(self.block_shape):
        shape = [1] * rank
        shape[axis] = count
        start = offsets[axis].data.reshape(-1, *[1] * rank).astype(np.int64)
        index = start + np.arange(count).reshape(1, *shape)
        stride = int(self.strides[axis].data[0])
        pointers = pointers + (index * stride * size).astype(np.uint64)
        inside = inside & (index >= 0) & (index < int(self.shape[axis].data[0]))
    handle = interpreter.TensorHandle
    full = np.broadcast_shapes(pointers.shape, inside.shape)
    return (
        handle(np.broadcast_to(pointers, full), self.base.dtype.scalar),
        handle(np.broadcast_to(inside, full), tl.int1),
    )
