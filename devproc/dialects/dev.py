"""The `dev` dialect: where values live, what runs where, and the order between devices.

A tensor's encoding `#dev.on<"cpu">` names the device that holds it. Islands of ops are
`dev.region`s; a value crosses devices only through `dev.copy`. Work of a stream device
(`cuda`) is asynchronous: the host may read what it produced only after a `dev.sync`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    FunctionType,
    IntAttr,
    NoneAttr,
    StringAttr,
    SymbolRefAttr,
    TensorType,
)
from xdsl.ir import (
    Attribute,
    Block,
    Dialect,
    Operation,
    ParametrizedAttribute,
    Region,
    SSAValue,
)
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    param_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import (
    IsolatedFromAbove,
    IsTerminator,
    Pure,
    SymbolTable,
)
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.directives import Text

DEVICES = ("cpu", "cuda", "host")
"""Devices a value can live on; `host` is a PyTorch fallback region in host memory."""

STREAM_DEVICES = ("cuda",)
"""Devices whose work is queued and runs behind the host's back."""


def memory_of(device: str) -> str:
    """The memory a device reads: `host` regions share the CPU's."""
    return "cpu" if device == "host" else device


@irdl_attr_definition
class LayoutAttr(ParametrizedAttribute):
    """How a tensor lies in memory: the order of its dimensions and their tiles.

    `#dev.layout<[0, 2, 3, 1], [1, 16, 1, 1]>`: dimensions outermost first, then the
    tile of each logical dimension (1 = untiled); tiles lie innermost, in the same order.
    A size that a tile does not divide is padded with zeros.
    """

    name = "dev.layout"

    order: ArrayAttr[IntAttr] = param_def()
    tiles: ArrayAttr[IntAttr] = param_def()

    @staticmethod
    def get(order: Sequence[int], tiles: Sequence[int] | None = None) -> LayoutAttr:
        """The layout with this dimension order and these tiles (none by default)."""
        tiles = [1] * len(order) if tiles is None else tiles
        return LayoutAttr(
            ArrayAttr([IntAttr(d) for d in order]),
            ArrayAttr([IntAttr(t) for t in tiles]),
        )

    @property
    def order_of_dims(self) -> tuple[int, ...]:
        """Logical dimensions, outermost first."""
        return tuple(d.data for d in self.order)

    @property
    def tile_sizes(self) -> tuple[int, ...]:
        """Tile of each logical dimension; 1 where it is not tiled."""
        return tuple(t.data for t in self.tiles)

    def physical_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The row-major shape in memory of a tensor of this logical shape."""
        tiles = self.tile_sizes
        outer = [-(-shape[d] // tiles[d]) for d in self.order_of_dims]
        inner = [tiles[d] for d in self.order_of_dims if tiles[d] > 1]
        return (*outer, *inner)

    def verify(self) -> None:
        if sorted(self.order_of_dims) != list(range(len(self.order))):
            raise VerifyException(
                f"layout order {list(self.order_of_dims)} is not a permutation"
            )
        if len(self.tiles) != len(self.order):
            raise VerifyException("layout needs one tile per dimension")
        if any(t < 1 for t in self.tile_sizes):
            raise VerifyException("layout tiles must be positive")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            order = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, parser.parse_integer
            )
            parser.parse_punctuation(",")
            tiles = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, parser.parse_integer
            )
        return (
            ArrayAttr([IntAttr(d) for d in order]),
            ArrayAttr([IntAttr(t) for t in tiles]),
        )

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{list(self.order_of_dims)}, ")
            printer.print_string(str(list(self.tile_sizes)))


@irdl_attr_definition
class OnAttr(ParametrizedAttribute):
    """The device and layout of a value: `#dev.on<"cuda">`, `#dev.on<"cpu", #dev.layout<..>>`.

    The encoding of tensors and the memory space of memrefs. Without a layout the value
    is dense and row-major.
    """

    name = "dev.on"

    device: StringAttr = param_def()
    layout: LayoutAttr | NoneAttr = param_def()

    @staticmethod
    def get(device: str, layout: LayoutAttr | None = None) -> OnAttr:
        """The attribute for this device and, where not row-major, this layout."""
        return OnAttr(StringAttr(device), layout or NoneAttr())

    def physical_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The row-major shape in memory of a value of this logical shape."""
        if isinstance(self.layout, LayoutAttr):
            return self.layout.physical_shape(shape)
        return tuple(shape)

    def verify(self) -> None:
        if self.device.data not in DEVICES:
            raise VerifyException(
                f"unknown device '{self.device.data}'; one of {', '.join(DEVICES)}"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            device = StringAttr(parser.parse_str_literal())
            layout: Attribute = NoneAttr()
            if parser.parse_optional_punctuation(",") is not None:
                layout = parser.parse_attribute()
        return (device, layout)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.device.data)
            if isinstance(self.layout, LayoutAttr):
                printer.print_string(", ")
                printer.print_attribute(self.layout)


@irdl_attr_definition
class TargetAttr(ParametrizedAttribute):
    """All options of a compilation, kept on the module as `devproc.target`.

    Passes read it, so that the text of any stage is enough to go on from there:
    `#dev.target<"cpu+cuda", vector_bits = 512, threads = 2, precision = "default",
    arch = "sm_90", interpret = false>`.
    """

    name = "dev.target"

    devices: StringAttr = param_def()
    vector_bits: IntAttr = param_def()
    threads: IntAttr = param_def()
    precision: StringAttr = param_def()
    arch: StringAttr = param_def()
    interpret: IntAttr = param_def()

    FIELDS: ClassVar = ("vector_bits", "threads", "precision", "arch", "interpret")

    @staticmethod
    def get(
        devices: str = "cpu",
        *,
        vector_bits: int = 256,
        threads: int = 1,
        precision: str = "default",
        arch: str = "sm_90",
        interpret: bool = False,
    ) -> TargetAttr:
        """The target for these devices; every option has a safe default."""
        return TargetAttr(
            StringAttr(devices),
            IntAttr(vector_bits),
            IntAttr(threads),
            StringAttr(precision),
            StringAttr(arch),
            IntAttr(int(interpret)),
        )

    @property
    def device_names(self) -> tuple[str, ...]:
        """The devices, in order of preference: `cpu+cuda` -> ("cpu", "cuda")."""
        return tuple(self.devices.data.split("+"))

    def verify(self) -> None:
        for device in self.device_names:
            if device not in DEVICES:
                raise VerifyException(f"unknown device '{device}' in target")
        if self.precision.data not in ("strict", "default", "fast"):
            raise VerifyException(
                f"precision must be strict, default or fast, got '{self.precision.data}'"
            )
        if self.vector_bits.data not in (128, 256, 512):
            raise VerifyException("vector_bits must be 128, 256 or 512")
        if self.threads.data < 1:
            raise VerifyException("threads must be at least 1")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            values: list[Attribute] = [StringAttr(parser.parse_str_literal())]
            for field in cls.FIELDS:
                parser.parse_punctuation(",")
                parser.parse_keyword(field)
                parser.parse_punctuation("=")
                if field in ("precision", "arch"):
                    values.append(StringAttr(parser.parse_str_literal()))
                else:
                    values.append(IntAttr(parser.parse_integer()))
        return values

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.devices.data)
            for field in self.FIELDS:
                value = cast(StringAttr | IntAttr, getattr(self, field))
                printer.print_string(f", {field} = ")
                if isinstance(value, StringAttr):
                    printer.print_string_literal(value.data)
                else:
                    printer.print_string(str(value.data))


@irdl_attr_definition
class PlaceAttr(ParametrizedAttribute):
    """Where an op was placed and why: `#dev.place<"cuda", "12 MFLOP ...">`."""

    name = "dev.place"

    device: StringAttr = param_def()
    why: StringAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            device = StringAttr(parser.parse_str_literal())
            parser.parse_punctuation(",")
            why = StringAttr(parser.parse_str_literal())
        return (device, why)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.device.data)
            printer.print_string(", ")
            printer.print_string_literal(self.why.data)


@irdl_attr_definition
class KernelAttr(ParametrizedAttribute):
    """Marks a function as a kernel: its device, family, and the ops it came from.

    `#dev.kernel<"cpu", "contraction", ["nn.linear", "nn.relu"]>`
    """

    name = "dev.kernel"

    FAMILIES: ClassVar = ("pointwise", "reduction", "contraction", "window", "gather")

    device: StringAttr = param_def()
    family: StringAttr = param_def()
    sources: ArrayAttr[StringAttr] = param_def()

    @staticmethod
    def get(device: str, family: str, sources: Sequence[str]) -> KernelAttr:
        """The attribute for a kernel of this device and family."""
        return KernelAttr(
            StringAttr(device),
            StringAttr(family),
            ArrayAttr([StringAttr(s) for s in sources]),
        )

    def verify(self) -> None:
        if self.device.data not in DEVICES:
            raise VerifyException(f"unknown device '{self.device.data}' of a kernel")
        if self.family.data not in self.FAMILIES:
            raise VerifyException(
                f"unknown kernel family '{self.family.data}'; one of "
                + ", ".join(self.FAMILIES)
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            device = StringAttr(parser.parse_str_literal())
            parser.parse_punctuation(",")
            family = StringAttr(parser.parse_str_literal())
            parser.parse_punctuation(",")
            sources = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, parser.parse_str_literal
            )
        return (device, family, ArrayAttr([StringAttr(s) for s in sources]))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.device.data)
            printer.print_string(", ")
            printer.print_string_literal(self.family.data)
            printer.print_string(", [")
            printer.print_list(
                self.sources, lambda s: printer.print_string_literal(s.data)
            )
            printer.print_string("]")


def device_of(type_: Attribute) -> str | None:
    """The device in a tensor's encoding or a memref's memory space; None if unplaced."""
    encoding = (
        type_.encoding
        if isinstance(type_, TensorType)
        else getattr(type_, "memory_space", None)
    )
    return encoding.device.data if isinstance(encoding, OnAttr) else None


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends a `dev.region`: `dev.yield %a, %b : tensor<2xf32>, tensor<i64>`."""

    name = "dev.yield"

    values = var_operand_def(TensorType)

    assembly_format = "($values^ `:` type($values))? attr-dict"

    traits = traits_def(IsTerminator())


@irdl_op_definition
class RegionOp(IRDLOperation):
    """An island of ops that run on one device.

    ```mlir
    %y = dev.region "cpu" (%x) : (tensor<2xf32, #dev.on<"cpu">>) -> (tensor<2xf32, #dev.on<"cpu">>) {
    ^bb0(%a: tensor<2xf32, #dev.on<"cpu">>):
      %r = nn.relu %a : (tensor<2xf32, #dev.on<"cpu">>) -> tensor<2xf32, #dev.on<"cpu">>
      dev.yield %r : tensor<2xf32, #dev.on<"cpu">>
    }
    ```
    """

    name = "dev.region"

    device = prop_def(StringAttr)
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)
    body = region_def("single_block")

    assembly_format = (
        "custom<Text>($device) `(` $inputs `)` `:`"
        " functional-type($inputs, $outputs) $body attr-dict"
    )

    custom_directives = (Text,)

    traits = traits_def(IsolatedFromAbove(), Pure())

    def __init__(
        self,
        device: str,
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        body: Region | None = None,
    ):
        if body is None:
            body = Region(Block(arg_types=[value.type for value in inputs]))
        super().__init__(
            operands=[inputs],
            result_types=[result_types],
            properties={"device": StringAttr(device)},
            regions=[body],
        )

    def verify_(self) -> None:
        block = self.body.block
        if [a.type for a in block.args] != [v.type for v in self.inputs]:
            raise VerifyException("the block arguments must have the inputs' types")
        last = block.last_op
        if not isinstance(last, YieldOp):
            raise VerifyException("the body must end in dev.yield")
        if [v.type for v in last.values] != [r.type for r in self.outputs]:
            raise VerifyException("dev.yield must give the region's result types")
        wanted = memory_of(self.device.data)
        for op in (self, *self.body.walk()):
            for value in (*op.operands, *op.results):
                if isinstance(value.type, TensorType):
                    _verify_on(op, cast(Attribute, value.type), wanted)


def _verify_on(op: Operation, type_: Attribute, wanted: str) -> None:
    found = device_of(type_)
    if found is None:
        raise VerifyException(f"'{op.name}' in a region on '{wanted}' has no device")
    if found != wanted:
        raise VerifyException(
            f"'{op.name}' in a region on '{wanted}' uses a value of '{found}': "
            "a value crosses devices only through dev.copy"
        )


@irdl_op_definition
class CopyOp(IRDLOperation):
    """A copy of a value to another device's memory.

    ```mlir
    %y = dev.copy %x : tensor<2xf32, #dev.on<"cpu">> to tensor<2xf32, #dev.on<"cuda">>
    ```
    """

    name = "dev.copy"

    source = operand_def(TensorType)
    result = result_def(TensorType)

    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue, result_type: Attribute):
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        source = cast(TensorType[Attribute], self.source.type)
        result = cast(TensorType[Attribute], self.result.type)
        if (source.shape, source.element_type) != (result.shape, result.element_type):
            raise VerifyException("dev.copy keeps shape and element type")
        if device_of(source) is None or device_of(result) is None:
            raise VerifyException("both sides of dev.copy need a device")
        if device_of(source) == device_of(result):
            raise VerifyException(
                f"dev.copy from '{device_of(source)}' to itself is redundant"
            )

    @property
    def byte_count(self) -> int:
        """Bytes moved."""
        return byte_size(self.result.type)


@irdl_op_definition
class SyncOp(IRDLOperation):
    """The host waits until the stream of a device has run dry: `dev.sync "cuda"`."""

    name = "dev.sync"

    device = prop_def(StringAttr)

    assembly_format = "custom<Text>($device) attr-dict"

    custom_directives = (Text,)

    def __init__(self, device: str):
        super().__init__(properties={"device": StringAttr(device)})

    def verify_(self) -> None:
        if self.device.data not in STREAM_DEVICES:
            raise VerifyException(
                f"'{self.device.data}' runs in the host's order and needs no sync"
            )


@irdl_op_definition
class LaunchOp(IRDLOperation):
    """Runs a kernel on tensors: `%y = dev.launch @k(%x, %w) : (..) -> (..)`."""

    name = "dev.launch"

    kernel = prop_def(SymbolRefAttr)
    inputs = var_operand_def(AnyAttr())
    outputs = var_result_def(TensorType)

    assembly_format = (
        "$kernel `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)"
    )

    traits = traits_def(Pure())

    def __init__(
        self, kernel: str, inputs: Sequence[SSAValue], result_types: Sequence[Attribute]
    ):
        super().__init__(
            operands=[inputs],
            result_types=[result_types],
            properties={"kernel": SymbolRefAttr(kernel)},
        )

    def verify_(self) -> None:
        verify_launch(
            self,
            self.kernel,
            FunctionType.from_lists(
                [v.type for v in self.inputs], [v.type for v in self.outputs]
            ),
        )


def verify_launch(op: Operation, kernel: SymbolRefAttr, wanted: FunctionType) -> None:
    """The launched symbol exists and has this function type (where it has one)."""
    if op.parent_op() is None:
        return
    callee = SymbolTable.lookup_symbol(op, kernel)
    if callee is None:
        raise VerifyException(f"no kernel named {kernel}")
    found = getattr(callee, "function_type", None)
    if isinstance(found, FunctionType) and found != wanted:
        raise VerifyException(f"kernel {kernel} has type {found}, launched as {wanted}")


def byte_size(type_: Attribute) -> int:
    """Bytes of a tensor or memref in memory, in its physical layout."""
    from devproc.ir.types import item_size

    shaped = cast(TensorType[Attribute], type_)
    encoding = getattr(shaped, "encoding", None) or getattr(
        shaped, "memory_space", None
    )
    shape: Sequence[int] = shaped.get_shape()
    if isinstance(encoding, OnAttr):
        shape = encoding.physical_shape(shape)
    return prod(shape) * item_size(shaped.element_type)


def verify_device_order(ops: Sequence[Operation]) -> None:
    """In a host function, no value is read on another device without a copy, and no
    result of a stream is read by the host before the sync that orders it.

    `ops`: the ops of the function's block in order. Values produced by a stream device
    (a region, a kernel, or a copy from it) are pending until the next `dev.sync`.
    """
    pending: dict[SSAValue, str] = {}
    for op in ops:
        if isinstance(op, SyncOp):
            pending = {v: d for v, d in pending.items() if d != op.device.data}
            continue
        runs_on = _runs_on(op)
        if runs_on not in STREAM_DEVICES:
            for operand in op.operands:
                if operand in pending:
                    raise VerifyException(
                        f"'{op.name}' reads a result of '{pending[operand]}' on the "
                        f'host before the dev.sync "{pending[operand]}" that orders it'
                    )
        _verify_operands(op, runs_on)
        stream = runs_on if runs_on in STREAM_DEVICES else None
        for result in op.results:
            if stream and device_of(result.type) is not None:
                pending[result] = stream
            elif any(operand in pending for operand in op.operands):
                pending[result] = next(
                    pending[operand] for operand in op.operands if operand in pending
                )


def _runs_on(op: Operation) -> str | None:
    """The device that executes an op of a host function; None for the host itself."""
    if isinstance(op, RegionOp):
        return op.device.data
    if isinstance(op, CopyOp):
        ends = (device_of(op.source.type), device_of(op.result.type))
        return next((d for d in ends if d in STREAM_DEVICES), None)
    if isinstance(op, LaunchOp):
        callee = SymbolTable.lookup_symbol(op, op.kernel)
        mark = callee.attributes.get("dev.kernel") if callee is not None else None
        return mark.device.data if isinstance(mark, KernelAttr) else None
    return None


def _verify_operands(op: Operation, runs_on: str | None) -> None:
    if isinstance(op, CopyOp) or runs_on is None:
        return
    for operand in op.operands:
        found = device_of(operand.type)
        if found is not None and found != memory_of(runs_on):
            raise VerifyException(
                f"'{op.name}' on '{runs_on}' uses a value of '{found}' without a "
                "dev.copy"
            )


DEV = Dialect(
    "dev",
    [CopyOp, LaunchOp, RegionOp, SyncOp, YieldOp],
    [KernelAttr, LayoutAttr, OnAttr, PlaceAttr, TargetAttr],
)
