"""Prints `triton` functions as Triton source: one readable kernel per function.

Values with one use are inlined into the expression that uses them; others, and every load,
get a line and the name that the compiler hinted. Constants are inlined.
"""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, field
from typing import IO, ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import ModuleOp, f32, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.target import Target

from devproc.dialects.dev import KernelAttr
from devproc.errors import CompileError
from devproc.ir.text.location import describe_location, is_known
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.dialect import PtrType, element_of, shape_of
from devproc.targets.triton.expressions import ATOM, ROWS, Expr, tl_type

HEADER = "import triton\nimport triton.language as tl\n"

MAX_INLINE = 48
"""Longest text, in characters, that is inlined into the expression that uses it."""

RESERVED = {"tl", "triton", "float", "int", "range", "min", "max", "sum", "abs"}

# Ops that always get their own line: for the order of accesses, and visible cost.
LOADS = (triton.LoadOp, triton.LoadDescriptorOp)
NAMED_OPS = (
    *(*LOADS, triton.DotOp, triton.ReduceOp),
    *(triton.ProgramIdOp, triton.MakeDescriptorOp),
)
# Ops that never do: they are part of the text of their operand.
FOLDED_OPS = (arith.ConstantOp, triton.SplatOp, triton.BroadcastOp, triton.AddPtrOp)

DEFAULT_NAMES: dict[type[Operation], str] = {
    arith.AddfOp: "total",
    arith.AddiOp: "offset",
    arith.AndIOp: "mask",
    arith.DivfOp: "quotient",
    arith.DivSIOp: "index",
    arith.MulfOp: "product",
    arith.MuliOp: "offset",
    arith.RemSIOp: "index",
    arith.SubfOp: "difference",
    math.ExpOp: "exp",
    triton.CompareOp: "mask",
    triton.DotOp: "acc",
    triton.LoadDescriptorOp: "loaded",
    triton.LoadOp: "loaded",
    triton.MakeDescriptorOp: "blocks",
    triton.ProgramIdOp: "pid",
    triton.ReduceOp: "reduced",
    triton.WhereOp: "chosen",
}
"""The names of values without a hint."""


@dataclass
class KernelPrinter:
    """Prints one function, and provides operands to the rows of `expressions`."""

    lines: list[str] = field(default_factory=list[str])
    indent: int = 1
    kernel: str = ""
    functions: list[str] = field(default_factory=list[str])
    """Functions that the kernel calls."""
    exprs: dict[SSAValue, Expr] = field(default_factory=dict[SSAValue, Expr])
    used: set[str] = field(default_factory=set[str])

    def expr(self, value: SSAValue) -> Expr:
        """The value as Triton sees it, possibly not broadcast yet."""
        return self.exprs[value]

    def full(self, value: SSAValue) -> Expr:
        """The value in the full shape of its type."""
        expr, shape = self.exprs[value], shape_of(value.type)
        if expr.shape == shape and not self.is_literal(value):
            return expr
        element = element_of(value.type)
        if expr.shape or isinstance(element, PtrType):
            return Expr(f"tl.broadcast_to({expr.text}, {list(shape)})", ATOM, shape)
        text = f"tl.full({list(shape)}, {expr.text}, {tl_type(element)})"
        return Expr(text, ATOM, shape)

    @staticmethod
    def is_literal(value: SSAValue) -> bool:
        """Whether the value is a constant, which is untyped in Python text."""
        return isinstance(value.owner, arith.ConstantOp)

    def name(self, value: SSAValue, default: str) -> str:
        """A new Python name, from the hint of the value if it has one."""
        hint = re.sub(r"\W", "_", value.name_hint or default)
        if isinstance(value.type, PtrType):
            hint += "_ptr"
        if hint[0].isdigit() or keyword.iskeyword(hint) or hint in RESERVED:
            hint = f"v_{hint}"
        name, count = hint, 0
        while name in self.used:
            count += 1
            name = f"{hint}_{count}"
        self.used.add(name)
        return name

    def emit(self, line: str) -> None:
        """One line at the current depth."""
        self.lines.append("    " * self.indent + line)

    def bind(self, value: SSAValue, name: str) -> None:
        """Makes the value the variable `name`."""
        self.exprs[value] = Expr(name, ATOM, shape_of(value.type))

    def print_block(self, block: Block) -> None:
        """Prints all ops of a block except its terminator."""
        for op in block.ops:
            if isinstance(op, scf.ForOp):
                self.print_for(op)
            elif isinstance(op, triton.StoreOp | triton.AtomicOp):
                self.print_store(op)
            elif isinstance(op, triton.ScanOp):
                self.print_scan(op)
            elif not isinstance(op, scf.YieldOp | triton.YieldOp | triton.ReturnOp):
                self.print_value(op)

    def print_value(self, op: Operation) -> None:
        """Prints an op with one result as a line, or inlines it into a later one."""
        row = ROWS.get(type(op))
        if row is None:
            raise CompileError(
                f"'{op.name}' ({describe_location(op.location)}) has no Triton form:"
                " convert-linalg-to-triton must expand it"
            )
        result, expr = op.results[0], row(self, op)
        if self.is_inline(op, expr):
            self.exprs[result] = expr
            return
        if expr.shape != shape_of(result.type):
            self.exprs[result] = expr
            expr = self.full(result)
        name = self.name(result, DEFAULT_NAMES.get(type(op), "x"))
        self.emit(f"{name} = {expr.text}")
        self.bind(result, name)

    def is_inline(self, op: Operation, expr: Expr) -> bool:
        """Whether the op is inlined into the expression of its only user."""
        if isinstance(op, FOLDED_OPS):
            return True
        if self.is_next_carried(op) and not isinstance(op, LOADS):
            return True
        if isinstance(op, NAMED_OPS):
            return False
        if (
            isinstance(op, triton.ExpandDimsOp)
            and self.exprs[op.source].text.isidentifier()
        ):
            return True
        uses = list(op.results[0].uses)
        if len(uses) != 1 or len(expr.text) > MAX_INLINE:
            return not uses
        user: Operation | None = uses[0].operation
        while isinstance(user, FOLDED_OPS):
            uses = list(user.results[0].uses)
            user = uses[0].operation if len(uses) == 1 else None
        if user is None or user.parent is not op.parent:
            return False
        narrows = isinstance(op, triton.CastOp) and op.kind.data == "truncf"
        return not (narrows and self.is_held(op, user))

    @staticmethod
    def is_held(op: Operation, user: Operation) -> bool:
        """Whether a value is in registers during a product: a narrow one takes half of those
        of what it is computed from."""
        following = op.next_op
        while following is not None and following is not user:
            if isinstance(following, scf.ForOp | triton.DotOp):
                return True
            following = following.next_op
        return False

    @staticmethod
    def is_next_carried(op: Operation) -> bool:
        """Whether an op's result is used only as the next value of a carried one."""
        uses = list(op.results[0].uses)
        return len(uses) == 1 and isinstance(uses[0].operation, scf.YieldOp)

    def print_store(self, op: triton.StoreOp | triton.AtomicOp) -> None:
        """`tl.store`, or an atomic op, which orders nothing else; mask by keyword."""
        arguments = [self.full(op.pointer).text, self.full(op.value).text]
        if op.mask is not None:
            arguments.append(f"mask={self.expr(op.mask).text}")
        function = "store"
        if isinstance(op, triton.AtomicOp):
            function = f"atomic_{op.kind.data}"
            arguments.append('sem="relaxed"')
        self.emit(f"tl.{function}({', '.join(arguments)})")

    def print_scan(self, op: triton.ScanOp) -> None:
        """Prints `tl.associative_scan`, and a function for its region."""
        function = f"{self.kernel}_combine_{len(self.functions)}"
        self.functions.append(print_combination(function, op.body.block))
        sources = ", ".join(self.full(value).text for value in op.sources)
        names = [self.name(result, "scanned") for result in op.results]
        if len(names) > 1:
            sources = f"({sources})"
        call = f"tl.associative_scan({sources}, {op.axis.value.data}, {function})"
        self.emit(f"{', '.join(names)} = {call}")
        for result, name in zip(op.results, names, strict=True):
            self.bind(result, name)

    def print_for(self, op: scf.ForOp) -> None:
        """Prints a loop; carried values are variables, assigned before it and at its end."""
        counter, *carried = op.body.block.args
        names: list[str] = []
        for argument, start, result in zip(carried, op.iter_args, op.res, strict=True):
            name = self.name(argument, "acc")
            self.emit(f"{name} = {self.full(start).text}")
            self.bind(argument, name)
            self.bind(result, name)
            names.append(name)
        limits = [self.expr(v).text for v in (op.lb, op.ub, op.step)]
        bounds = ", ".join(limits[:2] if limits[2] == "1" else limits)
        name = self.name(counter, "i")
        if triton.FLATTEN in op.attributes:
            self.emit(f"for {name} in tl.range({bounds}, flatten=True):")
        else:
            self.emit(f"for {name} in range({bounds}):")
        self.bind(counter, name)
        self.indent += 1
        if counter.type == i64 and counter.uses:
            # The bounds are literals, which Triton counts in int32.
            wide = self.name(counter, "i")
            self.emit(f"{wide} = tl.cast({name}, tl.int64)")
            self.bind(counter, wide)
        lines = len(self.lines)
        self.print_block(op.body.block)
        last = op.body.block.last_op
        assert last is not None
        self.print_yield(names, [self.full(v).text for v in last.operands])
        if len(self.lines) == lines:
            self.emit("pass")
        self.indent -= 1

    def print_yield(self, names: list[str], texts: list[str]) -> None:
        """Assigns the carried values, in one statement if one needs the old value of another."""
        pairs = [(n, t) for n, t in zip(names, texts, strict=True) if n != t]
        names, texts = [n for n, _ in pairs], [t for _, t in pairs]
        entangled = any(
            re.search(rf"\b{re.escape(name)}\b", text)
            for index, name in enumerate(names)
            for text in texts[index + 1 :]
        )
        if entangled:
            self.emit(f"{', '.join(names)} = {', '.join(texts)}")
            return
        for name, text in pairs:
            self.emit(f"{name} = {text}")


def docstring(func: triton.FuncOp) -> list[str]:
    """The docstring of a kernel: its ops, their source lines, its grid, and how its
    products of f32 are computed."""
    kernel = func.attributes.get("dev.kernel")
    text = func.sym_name.data
    if isinstance(kernel, KernelAttr):
        text = ", ".join(s.data for s in kernel.sources)
    if is_known(func.location):
        text += f" of {describe_location(func.location)}"
    text = text.replace("\\", "/").replace('"', "'")
    grid = " x ".join(str(n) for n in func.grid_sizes)
    launch = f"{grid} programs of {func.num_warps.value.data} warps"
    precisions = {
        op.input_precision.data: None
        for op in func.body.walk()
        if isinstance(op, triton.DotOp) and element_of(op.a.type) == f32
    }
    if precisions:
        launch += f"; products of f32: {', '.join(precisions)}"
    return [f'    """{text}', "", f"    {launch}.", '    """']


def base_pointer(value: SSAValue) -> SSAValue:
    """The argument that a block of pointers is based on."""
    while isinstance(value.owner, Operation):
        value = value.owner.operands[0]
    return value


def parameters(func: triton.FuncOp, printer: KernelPrinter) -> list[str]:
    """The kernel's parameter names; binds the arguments to them."""
    names: list[str] = []
    written = {
        base_pointer(op.pointer)
        for op in func.body.walk()
        if isinstance(op, triton.StoreOp | triton.AtomicOp)
    }
    for argument in func.body.block.args:
        name = printer.name(argument, "out" if argument in written else "arg")
        printer.bind(argument, name)
        names.append(name)
    return names


def print_combination(name: str, block: Block) -> str:
    """The source of the combine function of a scan."""
    printer, names = KernelPrinter(kernel=name), list[str]()
    for argument in block.args:
        names.append(printer.name(argument, "element"))
        printer.bind(argument, names[-1])
    printer.print_block(block)
    last = block.last_op
    assert last is not None
    result = ", ".join(printer.full(value).text for value in last.operands)
    header = ["@triton.jit", f"def {name}({', '.join(names)}):"]
    return "\n".join([*header, *printer.lines, f"    return {result}"]) + "\n"


def function_name(symbol: str) -> str:
    """The Python function of a kernel: one of `nn.and` cannot be called `and`."""
    return f"{symbol}_" if keyword.iskeyword(symbol) else symbol


def print_kernel(func: triton.FuncOp) -> str:
    """The source of one kernel, preceded by the functions that it calls."""
    printer = KernelPrinter(kernel=func.sym_name.data)
    names = parameters(func, printer)
    printer.print_block(func.body.block)
    name = function_name(func.sym_name.data)
    header = ["@triton.jit", f"def {name}({', '.join(names)}):"]
    body = printer.lines or ["    pass"]
    text = "\n".join([*header, *docstring(func), *body]) + "\n"
    return "\n\n".join([*printer.functions, text])


def print_module(module: ModuleOp) -> str:
    """The source file of all kernels of a program."""
    kernels = [print_kernel(op) for op in module.ops if isinstance(op, triton.FuncOp)]
    return "\n\n".join([HEADER, *kernels])


@dataclass(frozen=True)
class TritonTarget(Target):
    """`devproc-opt -t triton-source`: all kernels of a module as one Python file."""

    name: ClassVar[str] = "triton-source"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(print_module(module))
