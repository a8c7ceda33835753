"""The options of a compilation: an attribute of the `dev` dialect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import ArrayAttr, IntAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.dev.attributes import verify_device
from devproc.ir.cpus import (
    CPUS,
    EXTENSIONS,
    INSTRUCTIONS,
    NATIVE,
    vector_registers,
)
from devproc.ir.devices import HOST


@irdl_attr_definition
class TargetAttr(ParametrizedAttribute):
    """All options of a compilation, kept on the module as `devproc.target`.

    Passes read it, so compilation can resume from the text of any stage:
    `#dev.target<"cpu+cuda", vector_bits = 512, threads = 2, precision = "default",
    arch = "sm_90", interpret = false>`. Eight more fields print only if they are not
    the default: `cpu = "x86-64-v3"` first (default "native", the compiling machine),
    and after `vector_bits` the CPU's `vector_registers = 32`, `missing = ["fma"]` and
    `extensions = ["avx512bf16"]`, `separate_adders = 1` if it adds in units other than
    those of its multiply-adds, `prefetch_level = 2` if it prefetches into its L2 cache,
    `check_bounds = 1` and `check_values = 1`.
    """

    name = "dev.target"

    devices: StringAttr = param_def()
    cpu: StringAttr = param_def()
    vector_bits: IntAttr = param_def()
    vector_registers: IntAttr = param_def()
    missing: ArrayAttr[StringAttr] = param_def()
    extensions: ArrayAttr[StringAttr] = param_def()
    separate_adders: IntAttr = param_def()
    prefetch_level: IntAttr = param_def()
    check_bounds: IntAttr = param_def()
    check_values: IntAttr = param_def()
    threads: IntAttr = param_def()
    precision: StringAttr = param_def()
    arch: StringAttr = param_def()
    interpret: IntAttr = param_def()

    FIELDS: ClassVar = (
        *("cpu", "vector_bits", "vector_registers", "missing", "extensions"),
        *("separate_adders", "prefetch_level", "check_bounds", "check_values"),
        *("threads", "precision", "arch", "interpret"),
    )
    OPTIONAL: ClassVar = (
        *("cpu", "vector_registers", "missing", "extensions", "separate_adders"),
        *("prefetch_level", "check_bounds", "check_values"),
    )

    @staticmethod
    def get(
        devices: str = "cpu",
        *,
        cpu: str = NATIVE,
        vector_bits: int = 256,
        registers: int | None = None,
        missing: Sequence[str] = (),
        extensions: Sequence[str] = (),
        separate_adders: bool = False,
        prefetch_level: int = 1,
        threads: int = 1,
        precision: str = "default",
        arch: str = "sm_90",
        interpret: bool = False,
        check_bounds: bool = False,
        check_values: bool = False,
    ) -> TargetAttr:
        """The target for these devices; every option has a safe default.

        A named CPU implies its vector features; for "native" the caller passes them.
        """
        if cpu in CPUS:
            known = CPUS[cpu]
            vector_bits, registers = known.vector_bits, known.vector_registers
            missing = known.missing
        if registers is None:
            registers = vector_registers(vector_bits)
        return TargetAttr(
            StringAttr(devices),
            StringAttr(cpu),
            IntAttr(vector_bits),
            IntAttr(registers),
            ArrayAttr([StringAttr(name) for name in missing]),
            ArrayAttr([StringAttr(name) for name in extensions]),
            IntAttr(int(separate_adders)),
            IntAttr(prefetch_level),
            IntAttr(int(check_bounds)),
            IntAttr(int(check_values)),
            IntAttr(threads),
            StringAttr(precision),
            StringAttr(arch),
            IntAttr(int(interpret)),
        )

    @property
    def device_names(self) -> tuple[str, ...]:
        """The devices, in order of preference: `cpu+cuda` -> ("cpu", "cuda")."""
        return tuple(self.devices.data.split("+"))

    @property
    def missing_names(self) -> tuple[str, ...]:
        """The instructions of `devproc.ir.cpus.INSTRUCTIONS` that the CPU lacks."""
        return tuple(name.data for name in self.missing)

    def has_extension(self, name: str) -> bool:
        """Whether the CPU has an extension, one of `devproc.ir.cpus.EXTENSIONS`."""
        return any(extension.data == name for extension in self.extensions)

    @property
    def has_separate_adders(self) -> bool:
        """Whether the CPU adds vectors in units other than those of multiply-adds."""
        return bool(self.separate_adders.data)

    @property
    def checks_bounds(self) -> bool:
        """Whether CPU kernels check their accesses against the bounds of buffers."""
        return bool(self.check_bounds.data)

    @property
    def checks_values(self) -> bool:
        """Whether a call checks for values that PyTorch rejects."""
        return bool(self.check_values.data)

    def with_checks(self, option: str) -> TargetAttr:
        """The same options with `check_bounds` or `check_values`."""
        values = {field: getattr(self, field) for field in self.FIELDS}
        values[option] = IntAttr(1)
        return TargetAttr(self.devices, *values.values())

    def verify(self) -> None:
        self._verify_cpu()
        for device in self.device_names:
            verify_device(StringAttr(device), "the target")
        if self.precision.data not in ("strict", "default", "fast"):
            raise VerifyException(
                f"precision must be strict, default or fast, got '{self.precision.data}'"
            )
        if self.threads.data < 1:
            raise VerifyException("threads must be at least 1")

    def _verify_cpu(self) -> None:
        bits, registers = self.vector_bits.data, self.vector_registers.data
        if bits not in (128, 256, 512):
            raise VerifyException("vector_bits must be 128, 256 or 512")
        if registers < 8:
            raise VerifyException(
                f"vector_registers must be 8 or more, got {registers}"
            )
        if self.prefetch_level.data not in (1, 2):
            raise VerifyException(
                f"prefetch_level must be 1 or 2, got {self.prefetch_level.data}"
            )
        for name in self.missing_names:
            if name not in INSTRUCTIONS:
                raise VerifyException(
                    f"unknown instruction '{name}' in missing; one of "
                    + ", ".join(INSTRUCTIONS)
                )
        for extension in self.extensions:
            if extension.data not in EXTENSIONS:
                raise VerifyException(
                    f"unknown extension '{extension.data}'; one of "
                    + ", ".join(EXTENSIONS)
                )
        if self.cpu.data == NATIVE:
            return
        known = CPUS.get(self.cpu.data)
        if known is None:
            raise VerifyException(
                f"unknown cpu '{self.cpu.data}'; one of {', '.join((NATIVE, *CPUS))}"
            )
        wanted = (known.vector_bits, known.vector_registers, known.missing)
        if (bits, registers, self.missing_names) != wanted:
            raise VerifyException(
                f"cpu '{self.cpu.data}' has vector_bits = {wanted[0]}, "
                f"vector_registers = {wanted[1]}, missing = {list(wanted[2])}"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        # The last field comes after every optional one, so a comma always follows.
        with parser.in_angle_brackets():
            devices = StringAttr(parser.parse_str_literal())
            parser.parse_punctuation(",")
            values: dict[str, Attribute] = {"cpu": StringAttr(NATIVE)}
            for field in cls.FIELDS:
                if field not in cls.OPTIONAL:
                    parser.parse_keyword(field)
                elif parser.parse_optional_keyword(field) is None:
                    continue
                parser.parse_punctuation("=")
                values[field] = cls._parse_field(parser, field)
                if field != cls.FIELDS[-1]:
                    parser.parse_punctuation(",")
        bits = cast(IntAttr, values["vector_bits"]).data
        values.setdefault("vector_registers", IntAttr(vector_registers(bits)))
        values.setdefault("missing", ArrayAttr[StringAttr](()))
        values.setdefault("extensions", ArrayAttr[StringAttr](()))
        values.setdefault("separate_adders", IntAttr(0))
        values.setdefault("prefetch_level", IntAttr(1))
        values.setdefault("check_bounds", IntAttr(0))
        values.setdefault("check_values", IntAttr(0))
        return [devices, *(values[field] for field in cls.FIELDS)]

    @staticmethod
    def _parse_field(parser: AttrParser, field: str) -> Attribute:
        if field in ("missing", "extensions"):
            names = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, parser.parse_str_literal
            )
            return ArrayAttr([StringAttr(name) for name in names])
        if field in ("cpu", "precision", "arch"):
            return StringAttr(parser.parse_str_literal())
        return IntAttr(parser.parse_integer())

    def _is_usual(self, field: str) -> bool:
        """Whether an optional field has its default value."""
        match field:
            case "cpu":
                return self.cpu.data == NATIVE
            case "vector_registers":
                usual = vector_registers(self.vector_bits.data)
                return self.vector_registers.data == usual
            case "separate_adders":
                return not self.has_separate_adders
            case "prefetch_level":
                return self.prefetch_level.data == 1
            case "check_bounds":
                return not self.checks_bounds
            case "check_values":
                return not self.checks_values
            case "extensions":
                return not self.extensions.data
            case _:
                return not self.missing.data

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.devices.data)
            for field in self.FIELDS:
                if field in self.OPTIONAL and self._is_usual(field):
                    continue
                printer.print_string(f", {field} = ")
                self._print_value(printer, getattr(self, field))

    @staticmethod
    def _print_value(printer: Printer, value: Attribute) -> None:
        match value:
            case IntAttr():
                printer.print_string(str(value.data))
            case StringAttr():
                printer.print_string_literal(value.data)
            case _:
                names = cast("ArrayAttr[StringAttr]", value)
                printer.print_string("[")
                printer.print_list(
                    names, lambda name: printer.print_string_literal(name.data)
                )
                printer.print_string("]")


def target_of(module: ModuleOp) -> TargetAttr:
    """The options of the compilation; safe defaults if the module has none."""
    target = module.attributes.get("devproc.target")
    return target if isinstance(target, TargetAttr) else TargetAttr.get()


def checks_bounds(module: ModuleOp) -> bool:
    """Whether kernels check their accesses, which are numbered across all kernels."""
    target = module.attributes.get("devproc.target")
    return isinstance(target, TargetAttr) and target.checks_bounds


def checks_values(module: ModuleOp) -> bool:
    """Whether a call checks for values that PyTorch rejects; see `docs/running.md`."""
    target = module.attributes.get("devproc.target")
    return isinstance(target, TargetAttr) and target.checks_values


def is_for_host_alone(module: ModuleOp) -> bool:
    """Whether the whole program runs on the CPU; false if the module has no target."""
    target = module.attributes.get("devproc.target")
    return isinstance(target, TargetAttr) and target.device_names == (HOST,)
