"""A call of an operator that DevProc does not compile: PyTorch runs it on the host."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntAttr,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    param_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from devproc.ir.directives import Text
from devproc.ir.op_definition import op_definition
from devproc.ir.types import is_host_dtype, is_known_dtype


@irdl_attr_definition
class OperandAttr(ParametrizedAttribute):
    """A tensor argument of a call, by operand number: `#dev.operand<0>`."""

    name = "dev.operand"

    index: IntAttr = param_def()

    @staticmethod
    def get(index: int) -> OperandAttr:
        """The operand of this number."""
        return OperandAttr(IntAttr(index))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return (IntAttr(parser.parse_integer()),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(str(self.index.data))


@irdl_attr_definition
class TorchAttr(ParametrizedAttribute):
    """A named constant of PyTorch as an argument: `#dev.torch<"dtype", "float32">`."""

    name = "dev.torch"

    KINDS: ClassVar = ("dtype", "layout", "memory_format", "device", "complex")

    kind: StringAttr = param_def()
    value: StringAttr = param_def()

    @staticmethod
    def get(kind: str, value: str) -> TorchAttr:
        """The constant of this kind and name."""
        return TorchAttr(StringAttr(kind), StringAttr(value))

    def verify(self) -> None:
        if self.kind.data not in self.KINDS:
            raise VerifyException(
                f"unknown kind '{self.kind.data}' of a PyTorch constant; one of "
                + ", ".join(self.KINDS)
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            kind = StringAttr(parser.parse_str_literal())
            parser.parse_punctuation(",")
            return (kind, StringAttr(parser.parse_str_literal()))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.kind.data)
            printer.print_string(", ")
            printer.print_string_literal(self.value.data)


@op_definition
class HostCallOp(IRDLOperation):
    """Calls a registered PyTorch operator by the name of its overload.

    `args` and `kwargs` are the arguments as the exported graph gives them: tensors as
    `#dev.operand<i>`, None as `unit`, lists as arrays. Only here may tensors be
    complex. `why` is the reason that the compiler could not compile the operator.

    ```mlir
    %y = dev.host_call "aten.logit.default" (%x) args [#dev.operand<0>, 1.0e-3 : f64] kwargs {}
       why "the operator is not supported" : (tensor<4xf32>) -> tensor<4xf32>
    ```
    """

    name = "dev.host_call"

    target = prop_def(StringAttr)
    arguments = prop_def(ArrayAttr)
    keywords = prop_def(DictionaryAttr)
    why = prop_def(StringAttr)
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)

    assembly_format = (
        "custom<Text>($target) `(` $inputs `)` `args` $arguments `kwargs` $keywords"
        " `why` custom<Text>($why) attr-dict `:` functional-type($inputs, $outputs)"
    )

    custom_directives = (Text,)

    traits = traits_def(Pure())

    def __init__(
        self,
        target: str,
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        arguments: Sequence[Attribute],
        keywords: Mapping[str, Attribute],
        why: str,
    ):
        super().__init__(
            operands=[inputs],
            result_types=[result_types],
            properties={
                "target": StringAttr(target),
                "arguments": ArrayAttr(arguments),
                "keywords": DictionaryAttr(dict(keywords)),
                "why": StringAttr(why),
            },
        )

    def verify_(self) -> None:
        if len(self.target.data.split(".")) != 3:
            raise VerifyException(
                f"'{self.target.data}' is not an overload: expected"
                " namespace.operator.overload"
            )
        if not self.outputs:
            raise VerifyException(f"{self.target.data} returns no tensor")
        named = {a.index.data for a in _operands_in((self.arguments, self.keywords))}
        if named != set(range(len(self.inputs))):
            raise VerifyException(
                f"the arguments name the operands {sorted(named)},"
                f" the call has {len(self.inputs)}"
            )
        for value in (*self.inputs, *self.outputs):
            _verify_type(cast(TensorType[Attribute], value.type))


def _operands_in(attributes: Sequence[Attribute]) -> Iterator[OperandAttr]:
    """The tensors in nested arguments."""
    for attribute in attributes:
        if isinstance(attribute, OperandAttr):
            yield attribute
        elif isinstance(attribute, ArrayAttr):
            yield from _operands_in(cast(ArrayAttr[Attribute], attribute).data)
        elif isinstance(attribute, DictionaryAttr):
            yield from _operands_in(tuple(attribute.data.values()))


def _verify_type(type_: TensorType[Attribute]) -> None:
    element = type_.element_type
    if not (is_known_dtype(element) or is_host_dtype(element)):
        raise VerifyException(f"a host call cannot take or return {type_}")
    if not type_.has_static_shape():
        raise VerifyException(f"a host call needs static shapes, got {type_}")
