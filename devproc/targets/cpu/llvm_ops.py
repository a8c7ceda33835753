"""The LLVM IR text of each `llvm` op: one function per kind of instruction, one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    VectorType,
    bf16,
)
from xdsl.dialects.utils import FastMathAttrBase
from xdsl.ir import Attribute, Operation

from devproc.ir.identity_cache import cached_by_identity
from devproc.targets.cpu.llvm_text import constant_text, mangled, type_text

if TYPE_CHECKING:
    from devproc.targets.cpu.llvm_ir import FunctionText

Emitter = Callable[["FunctionText", Operation], str]
"""The text of one op, without its result."""

FASTMATH_ORDER = ("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn")


@cached_by_identity
def _flags_text(flags: Attribute | None) -> str:
    """`contract nsz ` with a space at the end, or nothing."""
    if not isinstance(flags, FastMathAttrBase) or not flags.data:
        return ""
    names = {str(flag) for flag in flags.data}
    if len(names) == len(FASTMATH_ORDER):
        return "fast "
    return "".join(f"{name} " for name in FASTMATH_ORDER if name in names)


def _fastmath(op: Operation) -> str:
    return _flags_text(op.properties.get("fastmathFlags"))


OVERFLOW_TEXT = ("", "nsw ", "nuw ", "nuw nsw ")


def _overflow(op: Operation) -> str:
    flags = op.properties.get("overflowFlags")
    return OVERFLOW_TEXT[flags.value.data if isinstance(flags, IntegerAttr) else 0]


Words = Callable[[Operation], str]
"""The words between an opcode and its operands, each followed by a space."""


def _flag(name: str, word: str) -> Words:
    """One optional word: `exact`, `disjoint`, `nneg`."""
    return lambda op: f"{word} " if name in op.properties else ""


def _predicate(names: Sequence[str]) -> Words:
    """The predicate of a comparison, after its fast-math flags."""

    def words(op: Operation) -> str:
        predicate = cast(IntegerAttr, op.properties["predicate"]).value.data
        return f"{_fastmath(op)}{names[predicate].removeprefix('_')} "

    return words


def _nothing(_: Operation) -> str:
    return ""


def _binary(opcode: str, words: Words = _nothing) -> Emitter:
    def emit(text: FunctionText, op: Operation) -> str:
        a, b = op.operands
        return f"{opcode} {words(op)}{text.typed(a)}, {text.names[b]}"

    return emit


def _cast(opcode: str, words: Words = _nothing) -> Emitter:
    def emit(text: FunctionText, op: Operation) -> str:
        result = type_text(op.results[0].type)
        return f"{opcode} {words(op)}{text.typed(op.operands[0])} to {result}"

    return emit


def _typed(opcode: str, words: Words = _nothing) -> Emitter:
    """An instruction whose operands all have their types in front."""

    def emit(text: FunctionText, op: Operation) -> str:
        return f"{opcode} {words(op)}{', '.join(map(text.typed, op.operands))}"

    return emit


def _call(text: FunctionText, op: Operation, name: str, extra: str = "") -> str:
    arguments = ", ".join(map(text.typed, op.operands))
    return _call_with(op, name, arguments + extra)


def _call_with(op: Operation, name: str, arguments: str) -> str:
    result = type_text(op.results[0].type) if op.results else "void"
    return f"call {_fastmath(op)}{result} @{name}({arguments})"


def _boolean(op: Operation, name: str) -> str:
    """A trailing i1 argument from a property."""
    value = cast(IntegerAttr, op.properties[name]).value.data
    return f", i1 {'true' if value else 'false'}"


def _intrinsic(name: str, flag: str | None = None) -> Emitter:
    """An intrinsic overloaded on its result; `flag` is a trailing i1 property."""

    def emit(text: FunctionText, op: Operation) -> str:
        extra = "" if flag is None else _boolean(op, flag)
        return _call(text, op, f"llvm.{name}.{mangled(op.results[0].type)}", extra)

    return emit


def _reduction(name: str) -> Emitter:
    def emit(text: FunctionText, op: Operation) -> str:
        source = mangled(op.operands[-1].type)
        return _call(text, op, f"llvm.vector.reduce.{name}.{source}")

    return emit


def _alignment(op: Operation) -> str:
    alignment = op.properties.get("alignment")
    return (
        f", align {alignment.value.data}" if isinstance(alignment, IntegerAttr) else ""
    )


def _masked_alignment(text: FunctionText, op: Operation) -> int:
    """The alignment of a masked access; LLVM's parser checks that of others."""
    found = op.properties["alignment"]
    value = found.value.data if isinstance(found, IntegerAttr) else 0
    if value.bit_count() != 1 or not 0 < value < 1 << 32:
        # LLVM would abort the process.
        text.fail(f"has the alignment {found}, which is not a power of two", op)
    return value


def _checked_alignment(text: FunctionText, op: Operation, type_: Attribute) -> str:
    alignment = _alignment(op)
    if not alignment and isinstance(type_, VectorType):
        text.fail(
            "of a vector must state its alignment: LLVM would assume its size", op
        )
    return alignment


def _load(text: FunctionText, op: Operation) -> str:
    type_ = op.results[0].type
    alignment = _checked_alignment(text, op, type_)
    return f"load {type_text(type_)}, {text.typed(op.operands[0])}{alignment}"


def _store(text: FunctionText, op: Operation) -> str:
    value, pointer = op.operands
    alignment = _checked_alignment(text, op, value.type)
    return f"store {text.typed(value)}, {text.typed(pointer)}{alignment}"


def _alloca(text: FunctionText, op: Operation) -> str:
    type_ = type_text(op.properties["elem_type"])
    return f"alloca {type_}, {text.typed(op.operands[0])}{_alignment(op)}"


@cached_by_identity
def _integers(array: Attribute) -> tuple[int, ...]:
    """The numbers of an array, unpacked from its bytes."""
    return tuple(cast("DenseArrayBase[IntegerType]", array).get_values())


def _getelementptr(text: FunctionText, op: Operation) -> str:
    pointer, *dynamic = op.operands
    values = iter(dynamic)
    indices = ", ".join(
        text.typed(next(values)) if index == llvm.GEP_USE_SSA_VAL else f"i32 {index}"
        for index in _integers(op.properties["rawConstantIndices"])
    )
    inbounds = "inbounds " if "inbounds" in op.properties else ""
    element = type_text(op.properties["elem_type"])
    return f"getelementptr {inbounds}{element}, {text.typed(pointer)}, {indices}"


def _masked_read(name: str) -> Emitter:
    """A masked load or gather, overloaded on its result and its pointers."""

    def emit(text: FunctionText, op: Operation) -> str:
        pointers, mask, other = map(text.typed, op.operands)
        alignment, type_ = _masked_alignment(text, op), op.results[0].type
        types = f"{mangled(type_)}.{mangled(op.operands[0].type)}"
        return (
            f"call {type_text(type_)} @llvm.masked.{name}.{types}"
            f"({pointers}, i32 {alignment}, {mask}, {other})"
        )

    return emit


def _masked_store(text: FunctionText, op: Operation) -> str:
    value, pointer, mask = map(text.typed, op.operands)
    alignment = _masked_alignment(text, op)
    return (
        f"call void @llvm.masked.store.{mangled(op.operands[0].type)}.p0"
        f"({value}, {pointer}, i32 {alignment}, {mask})"
    )


def _memcpy(text: FunctionText, op: Operation) -> str:
    name = f"llvm.memcpy.p0.p0.{mangled(op.operands[2].type)}"
    return _call(text, op, name, _boolean(op, "isVolatile"))


def _shufflevector(text: FunctionText, op: Operation) -> str:
    a, b = map(text.typed, op.operands)
    mask = _integers(op.properties["mask"])
    if not any(mask):
        return f"shufflevector {a}, {b}, <{len(mask)} x i32> zeroinitializer"
    lanes = ", ".join("i32 poison" if m < 0 else f"i32 {m}" for m in mask)
    return f"shufflevector {a}, {b}, <{len(mask)} x i32> <{lanes}>"


def _plain_call(text: FunctionText, op: Operation) -> str:
    """Of a function by its name; without one the first operand is its address."""
    callee = op.properties.get("callee")
    if isinstance(callee, SymbolRefAttr):
        return _call(text, op, callee.string_value())
    address, *operands = op.operands
    arguments = ", ".join(map(text.typed, operands))
    return f"call {type_text(op.results[0].type)} {text.names[address]}({arguments})"


@cached_by_identity
def _is_bfloat_vector(type_: Attribute) -> bool:
    if not isinstance(type_, VectorType):
        return False
    return cast("VectorType[Attribute]", type_).element_type == bf16


def _call_intrinsic(text: FunctionText, op: Operation) -> str:
    """Intrinsics of processors take vectors of bf16 as such, elsewhere these are bits."""
    arguments: list[str] = []
    for number, operand in enumerate(op.operands):
        argument = text.typed(operand)
        if _is_bfloat_vector(operand.type):
            lanes = cast("VectorType[Attribute]", operand.type).get_shape()[0]
            place = f"{text.names[op.results[0]]}.{number}"
            text.before.append(f"{place} = bitcast {argument} to <{lanes} x bfloat>")
            argument = f"<{lanes} x bfloat> {place}"
        arguments.append(argument)
    name = cast(StringAttr, op.properties["intrin"]).data
    return _call_with(op, name, ", ".join(arguments))


def _br(text: FunctionText, op: Operation) -> str:
    return f"br label %{text.labels[op.successors[0]]}"


def _cond_br(text: FunctionText, op: Operation) -> str:
    then, otherwise = (text.labels[block] for block in op.successors)
    branch = f"br {text.typed(op.operands[0])}, label %{then}, label %{otherwise}"
    return branch + text.loops.attach(op)


def _return(text: FunctionText, op: Operation) -> str:
    return f"ret {text.typed(op.operands[0])}" if op.operands else "ret void"


def _constant(op: Operation) -> str:
    return constant_text(op.properties["value"], op.results[0].type)


def _address(op: Operation) -> str:
    return f"@{cast(SymbolRefAttr, op.properties['global_name']).string_value()}"


LITERALS: dict[str, Callable[[Operation], str]] = {
    "llvm.mlir.constant": _constant,
    "llvm.mlir.addressof": _address,
    "llvm_ext.mlir.poison": lambda _: "poison",
    "llvm.mlir.undef": lambda _: "undef",
    "llvm.mlir.zero": lambda op: (
        "null"
        if isinstance(op.results[0].type, llvm.LLVMPointerType)
        else "zeroinitializer"
    ),
}
"""Ops that are not instructions: their users print the value."""

UNARY_OR_BINARY_INTRINSICS = (
    *("fabs", "ceil", "sqrt", "floor", "exp2", "log", "exp", "sin", "cos", "log2"),
    *("pow", "maxnum", "minnum", "maximum", "minimum", "copysign", "fma", "round"),
    *("roundeven", "trunc", "smax", "smin", "umax", "umin", "ctpop"),
)

_EMITTERS: dict[str, Emitter] = {
    **{
        f"llvm.{name}": _binary(name, words)
        for names, words in (
            (("add", "sub", "mul", "shl"), _overflow),
            (("urem", "srem", "and", "xor"), _nothing),
            (("udiv", "sdiv", "lshr", "ashr"), _flag("isExact", "exact")),
            (("or",), _flag("isDisjoint", "disjoint")),
            (("fadd", "fsub", "fmul", "fdiv", "frem"), _fastmath),
            (("icmp",), _predicate(llvm.ALL_ICMP_FLAGS)),
            (("fcmp",), _predicate(llvm.ALL_FCMP_FLAGS)),
        )
        for name in names
    },
    "llvm.zext": _cast("zext", _flag("nonNeg", "nneg")),
    **{
        f"llvm.{name}": _cast(name)
        for name in (
            *("trunc", "sext", "bitcast", "sitofp", "uitofp", "fptosi", "fptoui"),
            *("fpext", "fptrunc", "inttoptr", "ptrtoint"),
        )
    },
    **{f"llvm.intr.{name}": _intrinsic(name) for name in UNARY_OR_BINARY_INTRINSICS},
    **{
        f"llvm.intr.vector.reduce.{name}": _reduction(name)
        for name in (
            *("fadd", "fmul", "add", "mul", "and", "or", "xor", "smax", "smin"),
            *("umax", "umin", "fmax", "fmin", "fmaximum", "fminimum"),
        )
    },
    "llvm.intr.abs": _intrinsic("abs", "is_int_min_poison"),
    "llvm.intr.ctlz": _intrinsic("ctlz", "is_zero_poison"),
    "llvm.intr.cttz": _intrinsic("cttz", "is_zero_poison"),
    "llvm.intr.masked.load": _masked_read("load"),
    "llvm.intr.masked.store": _masked_store,
    "llvm.intr.masked.gather": _masked_read("gather"),
    "llvm.intr.memcpy": _memcpy,
    "llvm.fneg": _typed("fneg", _fastmath),
    "llvm.select": _typed("select", _fastmath),
    "llvm.load": _load,
    "llvm.store": _store,
    "llvm.alloca": _alloca,
    "llvm.getelementptr": _getelementptr,
    "llvm.insertelement": _typed("insertelement"),
    "llvm.extractelement": _typed("extractelement"),
    "llvm.shufflevector": _shufflevector,
    "llvm.call": _plain_call,
    "llvm.call_intrinsic": _call_intrinsic,
    "llvm.br": _br,
    "llvm.cond_br": _cond_br,
    "llvm.return": _return,
    "llvm.unreachable": lambda _, __: "unreachable",
}

EMITTERS: dict[str, Emitter] = {
    f"{dialect}.{name.removeprefix('llvm.')}": emitter
    for name, emitter in _EMITTERS.items()
    for dialect in ("llvm", "llvm_ext")
}
"""Op name -> the function that prints it; the dialects share the ops of LLVM."""
