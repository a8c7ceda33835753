"""A package with a pass, installed for a moment; FileCheck; and passes that a test must tell
from the right one."""

from __future__ import annotations

import contextlib
import inspect
import io
import math
import sys
import textwrap
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from filecheck.error import CheckError, ParseError
from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import Options
from filecheck.parser import Parser, pattern_for_opts
from package import package_on_path
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.pointwise import DivOp, MulOp
from devproc.driver import module_text, parse_module
from devproc.ir.text.location import replace_op

Rewrite = Callable[[DivOp, PatternRewriter], None]

SOURCE = '''\
"""Multiplies by reciprocals instead of dividing: a package of your own."""

import math
from dataclasses import dataclass

from xdsl.dialects.builtin import f32
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.pointwise import DivOp, MulOp
from devproc.ir.text.location import replace_op
from devproc.plugins import PassPlugin


{rewrite}

class Reciprocal(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DivOp, rewriter: PatternRewriter) -> None:
        {name}(op, rewriter)


@dataclass(frozen=True)
class MultiplyByReciprocalPass(ModulePass):
    name = "multiply-by-reciprocal"

    def apply(self, ctx, op) -> None:
        PatternRewriteWalker(Reciprocal()).rewrite_module(op)


PASS = PassPlugin(MultiplyByReciprocalPass, {place})
'''

LOOK = '''\
"""A pass that changes nothing and remembers the divisions by constants that it sees."""

from dataclasses import dataclass

from xdsl.passes import ModulePass

from devproc.dialects.nn.constant import ConstantOp
from devproc.dialects.nn.pointwise import DivOp
from devproc.plugins import PassPlugin

SEEN = []


@dataclass(frozen=True)
class LookPass(ModulePass):
    name = "look"

    def apply(self, ctx, op) -> None:
        divisions = [o for o in op.walk() if isinstance(o, DivOp)]
        SEEN[:] = [o for o in divisions if isinstance(o.rhs.owner, ConstantOp)]


PASS = PassPlugin(LookPass, {place})
'''


def look(place: Mapping[str, str]) -> str:
    """The module of a package whose pass only remembers what it sees, in `SEEN`."""
    return LOOK.format(place=_arguments(place))


def _arguments(place: Mapping[str, str]) -> str:
    """A dict as keyword arguments in source code."""
    return ", ".join(f"{name}={value!r}" for name, value in place.items())


def package_source(rewrite: Rewrite, place: Mapping[str, str]) -> str:
    """The module of a package whose pass does `rewrite` for each division."""
    own = textwrap.dedent(inspect.getsource(rewrite))
    own = own[own.index("def ") :]  # without the decorator of a notebook's cell
    return SOURCE.format(rewrite=own, name=rewrite.__name__, place=_arguments(place))


@contextlib.contextmanager
def installed(name: str, source: str) -> Generator[Path]:
    """A package with the pass `name`, whose module is in the folder that is returned."""
    module = name.replace("-", "_")
    sys.modules.pop(module, None)
    with package_on_path(module, "devproc.passes", name, f"{module}:PASS") as folder:
        (folder / f"{module}.py").write_text(source)
        yield folder


def mismatch(test: str, output: str) -> str | None:
    """Where an output is not what the CHECK lines of a test say; None if it is."""
    options = Options("test.mlir")
    try:
        parser = Parser(options, io.StringIO(test), *pattern_for_opts(options))
        matcher = Matcher(options, FInput("<stdin>", output), parser)
        matcher.stderr = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()):
            failed = matcher.run()
    except (CheckError, ParseError) as error:
        return error.message
    if not failed:
        return None
    return next(iter(matcher.stderr.getvalue().splitlines()), "there is no CHECK line")


def after(rewrite: Rewrite, program: str) -> str:
    """The text of a program after `rewrite` was tried on each division."""

    class Try(RewritePattern):
        @op_type_rewrite_pattern
        def match_and_rewrite(self, op: DivOp, rewriter: PatternRewriter, /) -> None:
            rewrite(op, rewriter)

    module = parse_module(program)
    PatternRewriteWalker(Try()).rewrite_module(module)
    return module_text(module, locations=False)


@dataclass(frozen=True)
class Version:
    """One way to write the pass: which constants it takes, and what it multiplies by."""

    takes: Callable[[float], bool]
    factor: Callable[[float], float] = lambda c: 1 / c

    def __call__(self, op: DivOp, rewriter: PatternRewriter) -> None:
        constant = op.rhs.owner
        if isinstance(constant, ConstantOp):
            numbers = cast(Sequence[float], constant.value.get_values())
            if all(map(self.takes, numbers)):
                type_ = constant.result.type
                made = ConstantOp.of(type_, [self.factor(c) for c in numbers])
                replace_op(rewriter, op, [made, MulOp.build_op([op.lhs, made.result])])


def is_power_of_two(c: float) -> bool:
    """Whether c, or -c, is one."""
    return abs(math.frexp(c)[0]) == 0.5


RIGHT = Version(is_power_of_two)
WRONG = {
    "changes nothing": Version(lambda c: False),
    "multiplies by c itself": Version(is_power_of_two, lambda c: c),
    "rewrites `x / 3.0` as well": Version(lambda c: c != 0),
}
"""What a wrong version does -> the version."""
