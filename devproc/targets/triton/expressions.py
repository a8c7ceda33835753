"""The Triton expression of each op of a kernel: one table per kind of op.

The row of an op is a function from the op to an `Expr`; the printer handles statements
(stores, loops). The result is text; nothing here imports triton.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, i1
from xdsl.ir import Attribute, Operation, SSAValue

from devproc.errors import CompileError
from devproc.ir.types import dtype_name
from devproc.targets.triton import dialect as triton
from devproc.targets.triton.dialect import element_of, shape_of

# Binding strength of Python's operators, weakest first.
COMPARE, OR, XOR, AND, SHIFT, ADD, MUL, UNARY, ATOM = range(9)


@dataclass(frozen=True)
class Expr:
    """A Python expression, its binding strength, and the shape Triton gives it.

    The shape is smaller than that of the SSA value where broadcasting is left to
    Triton: a splat keeps the text and the empty shape of its scalar.
    """

    text: str
    level: int
    shape: tuple[int, ...] = ()

    def at(self, level: int) -> str:
        """The text, in parentheses if it binds weaker than `level`."""
        return self.text if self.level >= level else f"({self.text})"


class Operands(Protocol):
    """The operands of an op, as expressions."""

    def expr(self, value: SSAValue) -> Expr:
        """The operand as Triton sees it, possibly not broadcast yet."""
        ...

    def full(self, value: SSAValue) -> Expr:
        """The operand in the full shape of its type."""
        ...


Row = Callable[[Operands, Operation], Expr]


def tl_type(element: Attribute) -> str:
    """The Triton name of an element type: `tl.float32`."""
    if element == i1:
        return "tl.int1"
    return f"tl.{dtype_name(element)}"


def unsigned(element: Attribute) -> str:
    """The unsigned counterpart of an integer type: `tl.uint32`."""
    assert isinstance(element, IntegerType)
    return f"tl.uint{element.bitwidth}"


def literal(value: Attribute) -> Expr:
    """A number as Python text that rounds to the same value."""
    if isinstance(value, IntegerAttr):
        integer = cast(IntegerAttr[Any], value)
        number = integer.value.data
        if integer.type == i1:
            return Expr(str(bool(number)), ATOM)
        return Expr(str(number), ATOM if number >= 0 else UNARY)
    if not isinstance(value, FloatAttr):
        raise CompileError(f"cannot print the constant {value} as Triton source")
    value = cast(FloatAttr[Any], value)
    number = value.value.data
    if number != number or number in (float("inf"), float("-inf")):
        return Expr(f'float("{number}")', ATOM)
    if dtype_name(value.type) != "float32":
        return _number(repr(number))
    rounded, limits = np.float32(number), np.finfo(np.float32)
    text = str(rounded)
    # Triton 3.6 takes a number beyond the normal ones of float32 as a float64.
    if abs(float(text)) > float(limits.max):
        text = repr(float(rounded))
    if rounded and abs(rounded) < limits.smallest_normal:
        return Expr(f"tl.full([], {text}, tl.float32)", ATOM)
    return _number(text)


def _number(text: str) -> Expr:
    return Expr(text, UNARY if text.startswith("-") else ATOM)


def broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of an elementwise expression on blocks of these shapes."""
    return np.broadcast_shapes(*shapes)


def elementwise(operands: Operands, op: Operation) -> list[Expr]:
    """The operands of an elementwise op; they broadcast to the result's shape."""
    exprs = [operands.expr(value) for value in op.operands]
    shape = shape_of(op.results[0].type)
    if broadcast(*(e.shape for e in exprs)) != shape:
        exprs[0] = operands.full(op.operands[0])
    return exprs


def shaped(op: Operation, text: str, level: int = ATOM) -> Expr:
    """An expression in the full shape of the op's result."""
    return Expr(text, level, shape_of(op.results[0].type))


def binary(symbol: str, level: int) -> Row:
    """The row of an infix operator."""

    def row(operands: Operands, op: Operation) -> Expr:
        a, b = elementwise(operands, op)
        if symbol == "+" and b.text.startswith("-") and b.text[1:].isdigit():
            return shaped(op, f"{a.at(level)} - {b.text[1:]}", level)
        return shaped(op, f"{a.at(level)} {symbol} {b.at(level + 1)}", level)

    return row


def unsigned_binary(symbol: str, level: int) -> Row:
    """The row of an infix operator on the operands' unsigned readings."""

    def row(operands: Operands, op: Operation) -> Expr:
        element = element_of(op.operands[0].type)
        a, b = (cast_text(e.text, unsigned(element)) for e in elementwise(operands, op))
        text = f"{a} {symbol} {b}"
        if element_of(op.results[0].type) == i1:
            return shaped(op, text, level)
        return shaped(op, f"({text}).to({tl_type(element)})")

    return row


def call(function: str, suffix: str = "") -> Row:
    """The row of a function call."""

    def row(operands: Operands, op: Operation) -> Expr:
        arguments = ", ".join(e.text for e in elementwise(operands, op))
        return shaped(op, f"{function}({arguments}{suffix})")

    return row


def cast_text(text: str, type_name: str) -> str:
    """A conversion that also accepts Python scalars, such as loop counters."""
    return f"tl.cast({text}, {type_name})"


NAN = ", propagate_nan=tl.PropagateNan.ALL"

ELEMENTWISE: dict[type[Operation], Row] = {
    arith.AddiOp: binary("+", ADD),
    arith.SubiOp: binary("-", ADD),
    arith.MuliOp: binary("*", MUL),
    arith.DivSIOp: binary("//", MUL),
    arith.RemSIOp: binary("%", MUL),
    arith.DivUIOp: unsigned_binary("//", MUL),
    arith.RemUIOp: unsigned_binary("%", MUL),
    arith.AndIOp: binary("&", AND),
    arith.OrIOp: binary("|", OR),
    arith.XOrIOp: binary("^", XOR),
    arith.ShLIOp: binary("<<", SHIFT),
    arith.ShRSIOp: binary(">>", SHIFT),
    arith.ShRUIOp: unsigned_binary(">>", SHIFT),
    arith.MaxSIOp: call("tl.maximum"),
    arith.MinSIOp: call("tl.minimum"),
    arith.AddfOp: binary("+", ADD),
    arith.SubfOp: binary("-", ADD),
    arith.MulfOp: binary("*", MUL),
    arith.MaximumfOp: call("tl.maximum", NAN),
    arith.MinimumfOp: call("tl.minimum", NAN),
    arith.MaxnumfOp: call("tl.maximum"),
    arith.MinnumfOp: call("tl.minimum"),
    math.AbsFOp: call("tl.abs"),
    math.AbsIOp: call("tl.abs"),
    math.CeilOp: call("tl.ceil"),
    math.CosOp: call("tl.cos"),
    math.ErfOp: call("tl.erf"),
    math.Exp2Op: call("tl.exp2"),
    math.ExpOp: call("tl.exp"),
    math.FloorOp: call("tl.floor"),
    math.Log2Op: call("tl.log2"),
    math.LogOp: call("tl.log"),
    math.RsqrtOp: call("tl.rsqrt"),
    math.SinOp: call("tl.sin"),
}
"""The arith and math ops that are one operator or function in Triton."""

SYMBOLS = {
    **{"eq": "==", "ne": "!=", "slt": "<", "sle": "<=", "sgt": ">", "sge": ">="},
    **{"oeq": "==", "une": "!=", "olt": "<", "ole": "<=", "ogt": ">", "oge": ">="},
}
UNSIGNED_SYMBOLS = {"ult": "<", "ule": "<=", "ugt": ">", "uge": ">="}
NEGATED = {"ult": "oge", "ule": "ogt", "ugt": "ole", "uge": "olt", "one": "ueq"}
"""Unordered float predicate -> the ordered one that it negates."""


def negate(operands: Operands, op: Operation) -> Expr:
    """`-x`."""
    return shaped(op, f"-{operands.full(op.operands[0]).at(UNARY)}", UNARY)


def compare(operands: Operands, op: triton.CompareOp) -> Expr:
    """A comparison; float predicates that hold for NaN are negations."""
    predicate = op.predicate.data
    a, b = elementwise(operands, op)
    if op.lhs is op.rhs:
        b = a
    if isinstance(element_of(op.lhs.type), IntegerType):
        if predicate in UNSIGNED_SYMBOLS:
            return unsigned_binary(UNSIGNED_SYMBOLS[predicate], COMPARE)(operands, op)
    elif predicate in ("uno", "ord"):
        symbol, join = ("!=", "|") if predicate == "uno" else ("==", "&")
        tests = [f"{e.at(OR)} {symbol} {e.at(OR)}" for e in (a, b)]
        if tests[0] == tests[1]:
            return shaped(op, tests[0], COMPARE)
        return shaped(op, f"({tests[0]}) {join} ({tests[1]})", AND)
    elif predicate in ("one", "ueq"):
        test = f"({a.at(OR)} < {b.at(OR)}) | ({a.at(OR)} > {b.at(OR)})"
        return shaped(op, test if predicate == "one" else f"~({test})", OR)
    elif predicate in NEGATED:
        symbol = SYMBOLS[NEGATED[predicate]]
        return shaped(op, f"~({a.at(OR)} {symbol} {b.at(OR)})", UNARY)
    if predicate not in SYMBOLS:
        raise CompileError(f"comparison '{predicate}' has no Triton form")
    return shaped(op, f"{a.at(OR)} {SYMBOLS[predicate]} {b.at(OR)}", COMPARE)


def convert(operands: Operands, op: triton.CastOp) -> Expr:
    """A conversion; unsigned readings go through the unsigned type."""
    source, target = element_of(op.source.type), element_of(op.result.type)
    text, kind = operands.full(op.source).at(ATOM), op.kind.data
    if not shape_of(op.source.type):
        text = cast_text(text, tl_type(source))
    if kind == "bitcast":
        return shaped(op, f"{text}.to({tl_type(target)}, bitcast=True)")
    if kind in ("sitofp", "extsi") and source == i1:
        return shaped(op, f"-{text}.to({tl_type(target)})", UNARY)
    if kind in ("uitofp", "extui") and source != i1:
        text = f"{text}.to({unsigned(source)})"
    if kind == "fptoui" and target != i1:
        text = f"{text}.to({unsigned(target)})"
    if kind == "trunci" and target == i1:
        return shaped(op, f"({text} & 1) != 0", COMPARE)
    return shaped(op, f"{text}.to({tl_type(target)})")


def where(operands: Operands, op: triton.WhereOp) -> Expr:
    """`tl.where`; Triton types a literal as float32 or int32, so others get their type."""
    exprs = elementwise(operands, op)
    element = element_of(op.result.type)
    if tl_type(element) not in ("tl.float32", "tl.int32"):
        for index in (1, 2):
            if isinstance(op.operands[index].owner, triton.SplatOp | arith.ConstantOp):
                exprs[index] = operands.full(op.operands[index])
    return shaped(op, f"tl.where({', '.join(e.text for e in exprs)})")


def fma(operands: Operands, op: math.FmaOp) -> Expr:
    """`tl.fma`, which takes a literal as float32: other constants are spelt out."""
    exprs = elementwise(operands, op)
    if dtype_name(element_of(op.result.type)) != "float32":
        for index, value in enumerate(op.operands):
            if isinstance(value.owner, triton.SplatOp | arith.ConstantOp):
                exprs[index] = operands.full(value)
    return shaped(op, f"tl.fma({', '.join(e.text for e in exprs)})")


def alias(operands: Operands, op: triton.SplatOp | triton.BroadcastOp) -> Expr:
    """The source, still in its own shape: the op has no text."""
    return operands.expr(op.source)


def expand_dims(operands: Operands, op: triton.ExpandDimsOp) -> Expr:
    """`x[:, None]`."""
    source = operands.full(op.source)
    index = [":"] * len(shape_of(op.source.type))
    index.insert(op.axis.value.data, "None")
    return shaped(op, f"{source.at(ATOM)}[{', '.join(index)}]")


def addptr(operands: Operands, op: triton.AddPtrOp) -> Expr:
    """`base + offset`; the offset may be narrower than the pointer block."""
    base, offset = operands.expr(op.pointer), operands.expr(op.offset)
    return Expr(f"{base.at(ADD)} + {offset.at(ADD)}", ADD, offset.shape)


def load(operands: Operands, op: triton.LoadOp) -> Expr:
    """`tl.load`, mask and other by keyword."""
    arguments = [operands.full(op.pointer).text]
    if op.mask is not None and op.other is not None:
        arguments.append(f"mask={operands.expr(op.mask).text}")
        arguments.append(f"other={operands.expr(op.other).text}")
    return shaped(op, f"tl.load({', '.join(arguments)})")


def make_descriptor(operands: Operands, op: triton.MakeDescriptorOp) -> Expr:
    """`tl.make_tensor_descriptor`, all but the base by keyword."""
    assert isinstance(op.result.type, triton.DescriptorType)
    base = operands.expr(op.pointer).text
    block = list(shape_of(op.result.type.block))
    shape, strides = (list(sizes.get_values()) for sizes in (op.shape, op.strides))
    sizes = f"shape={shape}, strides={strides}, block_shape={block}"
    return Expr(f"tl.make_tensor_descriptor({base}, {sizes})", ATOM)


def load_descriptor(operands: Operands, op: triton.LoadDescriptorOp) -> Expr:
    """`blocks.load([i, j])`."""
    indices = ", ".join(operands.expr(index).text for index in op.indices)
    return shaped(op, f"{operands.expr(op.descriptor).at(ATOM)}.load([{indices}])")


def dot(operands: Operands, op: triton.DotOp) -> Expr:
    """`tl.dot` into the accumulator; only f32 has a choice of precision."""
    blocks = [operands.full(value).text for value in op.operands]
    if dtype_name(element_of(op.a.type)) == "float32":
        blocks.append(f'input_precision="{op.input_precision.data}"')
    return shaped(op, f"tl.dot({', '.join(blocks)})")


def exact_or_fast(fast: Row, exact: Row) -> Row:
    """The row of an op with a fast and an exact form; float64 is always exact."""

    def row(operands: Operands, op: Operation) -> Expr:
        single = dtype_name(element_of(op.results[0].type)) == "float32"
        plain = op.properties["fastmath"] == arith.FastMathFlagsAttr("none")
        return (exact if single and plain else fast)(operands, op)

    return row


def constant(operands: Operands, op: arith.ConstantOp) -> Expr:
    """A number."""
    return literal(op.value)


def plain(form: Callable[[Any], str]) -> Row:
    """The row of a call of a function of `tl`.

    `form` gives the text of the call for an op, with `{}` in place of each operand.
    """

    def row(operands: Operands, op: Operation) -> Expr:
        sources = [operands.full(value).text for value in op.operands]
        return shaped(op, f"tl.{form(op).format(*sources)}")

    return row


BLOCKS: dict[type[Operation], Callable[..., Expr]] = {
    arith.ConstantOp: constant,
    arith.DivfOp: exact_or_fast(binary("/", MUL), call("tl.div_rn")),
    arith.NegfOp: negate,
    arith.SelectOp: where,
    math.FmaOp: fma,
    math.SqrtOp: exact_or_fast(call("tl.sqrt"), call("tl.sqrt_rn")),
    triton.AddPtrOp: addptr,
    triton.ArangeOp: plain(lambda op: f"arange(0, {shape_of(op.result.type)[0]})"),
    triton.BroadcastOp: alias,
    triton.CastOp: convert,
    triton.CompareOp: compare,
    triton.DotOp: dot,
    triton.ExpandDimsOp: expand_dims,
    triton.LoadDescriptorOp: load_descriptor,
    triton.LoadOp: load,
    triton.MakeDescriptorOp: make_descriptor,
    triton.ProgramIdOp: plain(lambda op: f"program_id({op.axis.value.data})"),
    triton.ReduceOp: plain(
        lambda op: f"{op.kind.data}({{}}, axis={op.axis.value.data})"
    ),
    triton.ReshapeOp: plain(
        lambda op: f"reshape({{}}, {list(shape_of(op.result.type))})"
    ),
    triton.SortOp: plain(lambda op: f"sort({{}}, dim={op.axis.value.data})"),
    triton.SplatOp: alias,
    triton.TransOp: plain(lambda op: f"permute({{}}, {list(op.order.get_values())})"),
    triton.WhereOp: where,
}
"""Ops on blocks and memory, and those with an exact and a fast form."""

ROWS: dict[type[Operation], Callable[..., Expr]] = {**ELEMENTWISE, **BLOCKS}
