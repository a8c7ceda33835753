"""Prints the `llvm` dialect as LLVM IR text.

A table maps each op name to its printer; a line costs a few microseconds. xDSL's own
converter builds llvmlite's IR classes, is four times slower, and drops linkage, fast-math
flags of intrinsics and function attributes.

LLVM aborts the process on input that it cannot select, so everything is checked here
first: an op without a printer is an error that names it. Intrinsics need no declarations.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Sequence
from functools import cache
from typing import IO, NoReturn, cast

from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.target import Target

from devproc.errors import CompileError
from devproc.ir.text.location import describe_location
from devproc.targets.cpu.llvm_ops import EMITTERS, LITERALS
from devproc.targets.cpu.llvm_text import (
    initializer_text,
    type_text,
)
from devproc.targets.cpu.loop_metadata import LoopMetadata

GENERATED = re.compile(r"[bv]\d+")
"""The names of blocks, and of values without a hint; they are in one name space."""


class FunctionText:
    """The text of one function: names of its values and blocks, then lines."""

    def __init__(self, function: llvm.FuncOp, loops: LoopMetadata):
        self.function, self.loops = function, loops
        self.names: dict[SSAValue, str] = {}
        self.labels: dict[Block, str] = {}
        self.incoming: dict[Block, list[tuple[Block, Sequence[SSAValue]]]] = {}
        self.before: list[str] = []
        """Lines that an emitter wants before its op."""
        self._name_values()

    def _name_values(self) -> None:
        numbers = itertools.count()
        hints: set[str] = set()
        for index, block in enumerate(self.function.body.blocks):
            self.labels[block] = f"b{index}"
            for arg in block.args:
                hint = arg.name_hint if index == 0 else None
                if hint and not GENERATED.fullmatch(hint) and hint not in hints:
                    hints.add(hint)
                    self.names[arg] = f"%{hint}"
                else:
                    self.names[arg] = f"%v{next(numbers)}"
            for op in block.ops:
                if op.results:
                    literal = LITERALS.get(op.name)
                    name = literal(op) if literal else f"%v{next(numbers)}"
                    self.names[op.results[0]] = name
        for block in self.function.body.blocks:
            self._note_jumps(block)

    def _note_jumps(self, block: Block) -> None:
        terminator = block.last_op
        if terminator is None:
            self.fail("a block does not end in a terminator", self.function)
        if isinstance(terminator, llvm.BrOp):
            jumps = [(terminator.successor, terminator.arguments)]
        elif isinstance(terminator, llvm.CondBrOp):
            jumps = [
                (terminator.then_block, terminator.then_arguments),
                (terminator.else_block, terminator.else_arguments),
            ]
            if jumps[0][0] is jumps[1][0] and jumps[0][0].args:
                self.fail("jumps to one block with two sets of arguments", terminator)
        else:
            return
        for target, arguments in jumps:
            self.incoming.setdefault(target, []).append((block, arguments))

    def fail(self, why: str, op: Operation) -> NoReturn:
        """Raises CompileError: the op cannot be printed."""
        raise CompileError(
            f"llvm-ir: in @{self.function.sym_name.data} "
            f"({describe_location(op.location)}): '{op.name}' {why}"
        )

    def typed(self, value: SSAValue) -> str:
        """`float %v3`."""
        return f"{type_text(value.type)} {self.names[value]}"

    def lines(self, linkage: str | None = None) -> list[str]:
        """The lines of the function; `linkage` replaces its own."""
        header = self.signature(linkage)
        if not self.function.body.blocks:
            return [f"declare {header}"]
        lines = [f"define {header} {{"]
        for block in self.function.body.blocks:
            lines.append(f"{self.labels[block]}:")
            if block in self.incoming:
                lines += self._phis(block)
            for op in block.ops:
                name = op.name
                if name in LITERALS:
                    continue
                emitter = EMITTERS.get(name)
                if emitter is None:
                    self.fail("has no form in LLVM IR; lower it first", op)
                text = emitter(self, op)
                if self.before:
                    lines += [f"  {line}" for line in self.before]
                    self.before.clear()
                if op.results:
                    text = f"{self.names[op.results[0]]} = {text}"
                lines.append(f"  {text}")
        lines.append("}")
        return lines

    def _phis(self, block: Block) -> list[str]:
        lines: list[str] = []
        for index, arg in enumerate(block.args):
            sources = ", ".join(
                f"[ {self.names[values[index]]}, %{self.labels[source]} ]"
                for source, values in self.incoming[block]
            )
            lines.append(f"  {self.names[arg]} = phi {type_text(arg.type)} {sources}")
        return lines

    def signature(self, linkage: str | None = None) -> str:
        """Linkage, type, name, arguments and attributes."""
        function = self.function
        linkage = linkage or function.linkage.linkage.data
        prefix = "" if linkage == "external" else f"{linkage} "
        type_ = function.function_type
        promised = function.arg_attrs.data if function.arg_attrs is not None else ()
        entry = function.body.blocks.first
        arguments: list[str] = []
        for index, argument in enumerate(type_.inputs.data):
            words = [type_text(argument)]
            if promised:
                words += argument_attributes(promised[index])
            if entry is not None:
                words.append(self.names[entry.args[index]])
            arguments.append(" ".join(words))
        attributes = "".join(f" {word}" for word in function_attributes(function))
        return (
            f"{prefix}{type_text(type_.output)} @{function.sym_name.data}"
            f"({', '.join(arguments)}){attributes}"
        )


WORDS = ("noalias", "nonnull", "noundef", "readonly", "writeonly", "readnone", "nofree")
"""Argument attributes that are one word, the same in LLVM IR."""


NUMBERED_WORDS = {"align": "align {}", "dereferenceable": "dereferenceable({})"}


@cache
def argument_attributes(promised: DictionaryAttr) -> tuple[str, ...]:
    """The `llvm.*` attributes of an argument in LLVM IR."""
    words: list[str] = []
    for key, value in promised.data.items():
        name = key.removeprefix("llvm.")
        if name in WORDS:
            words.append(name)
        elif name == "nocapture":
            words.append("captures(none)")
        elif name in NUMBERED_WORDS and isinstance(value, IntegerAttr):
            words.append(NUMBERED_WORDS[name].format(value.value.data))
        else:
            raise CompileError(f"llvm-ir: unknown argument attribute '{key} = {value}'")
    return tuple(words)


FUNCTION_WORDS = {
    "no_unwind": "nounwind",
    "no_inline": "noinline",
    "always_inline": "alwaysinline",
    "optimize_none": "optnone",
}

NUMBERED = ("alignstack",)
"""Function attributes with a number; any other pair is printed as two strings."""


def function_attributes(function: llvm.FuncOp) -> list[str]:
    """The attributes of a function in LLVM IR; the parser makes some of them properties."""
    found = {**function.attributes, **function.properties}
    words = [word for key, word in FUNCTION_WORDS.items() if key in found]
    passthrough = found.get("passthrough")
    if isinstance(passthrough, ArrayAttr):
        for item in cast("ArrayAttr[Attribute]", passthrough):
            if isinstance(item, StringAttr):
                words.append(item.data)
            elif isinstance(item, ArrayAttr):
                name, value = (s.data for s in cast("ArrayAttr[StringAttr]", item))
                is_number = name in NUMBERED
                words.append(f"{name}({value})" if is_number else f'"{name}"="{value}"')
    return words


def global_text(op: llvm.GlobalOp) -> str:
    """A constant table, or one that the loader provides."""
    name, linkage = f"@{op.sym_name.data}", op.linkage.linkage.data
    if op.value is None and linkage != "external":
        raise CompileError(f"llvm-ir: global {name} has no value")
    type_ = type_text(op.global_type)
    if op.value is None:
        return f"{name} = external global {type_}"
    kind = "constant" if op.constant is not None else "global"
    alignment = op.alignment.value.data if op.alignment is not None else 64
    value = initializer_text(op.value, op.global_type)
    return f"{name} = {linkage} {kind} {type_} {value}, align {alignment}"


def print_module(module: ModuleOp, exported: Container[str] = ()) -> str:
    """The LLVM IR of all `llvm` functions and globals; other ops are left out.

    Other object files of the same program may call the functions in `exported`.
    """
    parts: list[str] = []
    loops = LoopMetadata()
    for op in module.ops:
        if isinstance(op, llvm.GlobalOp):
            parts.append(global_text(op))
        elif isinstance(op, llvm.FuncOp):
            linkage = "hidden" if op.sym_name.data in exported else None
            parts.append("\n".join(FunctionText(op, loops).lines(linkage)))
    nodes = loops.lines()
    if nodes:
        parts.append("\n".join(nodes))
    return "\n\n".join(parts) + "\n"


class LLVMIRTarget(Target):
    """`devproc-opt -t llvm-ir`: the CPU part of a module as LLVM IR text."""

    name = "llvm-ir"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """Write the text."""
        output.write(print_module(module))
