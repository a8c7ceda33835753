"""The options of a compilation: an attribute of the `dev` dialect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DictionaryAttr, IntAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.dev.attributes import verify_device
from devproc.dialects.dev.options import parse_option, print_option
from devproc.errors import CompileError
from devproc.ir.devices import HOST
from devproc.ir.weight_format import FLOAT24, ORIGINAL, WeightFormat, parse_format


@irdl_attr_definition
class TargetAttr(ParametrizedAttribute):
    """All options of a compilation, kept on the module as `devproc.target`.

    Passes read it, so compilation can resume from the text of any stage:
    `#dev.target<"cpu+cuda", precision = "default", threads = 2,
    cpu = #cpu.machine<vector_bits = 512>, cuda = #triton.options<arch = "sm_90",
    interpret = 0>>`. `weights = "int8:32"`, `check_bounds = 1` and `check_values = 1` print
    only if they are set; then each device has an attribute of its own (`Backend.target_options`).
    """

    name = "dev.target"

    devices: StringAttr = param_def()
    precision: StringAttr = param_def()
    threads: IntAttr = param_def()
    check_bounds: IntAttr = param_def()
    check_values: IntAttr = param_def()
    weights: StringAttr = param_def()
    """The format of constant matrices (`WeightFormat`), `original`, or `float24`."""
    options: DictionaryAttr = param_def()
    """Device -> its own options."""

    USUAL: ClassVar[Mapping[str, Attribute]] = {
        "precision": StringAttr("default"),
        "threads": IntAttr(1),
        "check_bounds": IntAttr(0),
        "check_values": IntAttr(0),
        "weights": StringAttr(ORIGINAL),
    }

    @staticmethod
    def get(
        devices: str = HOST,
        *,
        precision: str = "default",
        threads: int = 1,
        check_bounds: bool = False,
        check_values: bool = False,
        weights: str = ORIGINAL,
        options: Mapping[str, Attribute] | None = None,
    ) -> TargetAttr:
        """The target for these devices; every option has a safe default."""
        return TargetAttr(
            StringAttr(devices),
            StringAttr(precision),
            IntAttr(threads),
            IntAttr(int(check_bounds)),
            IntAttr(int(check_values)),
            StringAttr(weights),
            DictionaryAttr(options or {}),
        )

    @property
    def device_names(self) -> tuple[str, ...]:
        """The devices, in order of preference: `cpu+cuda` -> ("cpu", "cuda")."""
        return tuple(self.devices.data.split("+"))

    @property
    def weight_format(self) -> WeightFormat | None:
        """The format of constant matrices; None if they stay as they are."""
        return parse_format(self.weights.data)

    @property
    def shares_exponents(self) -> bool:
        """Whether float32 matrices are stored in blocks that share an exponent, for products
        of any number of rows."""
        return self.weights.data == FLOAT24

    def options_of(self, device: str) -> Attribute | None:
        """The options of a device; None if it has none."""
        return self.options.data.get(device)

    @property
    def checks_bounds(self) -> bool:
        """Whether kernels of the host check their accesses against the bounds of buffers."""
        return bool(self.check_bounds.data)

    @property
    def checks_values(self) -> bool:
        """Whether a call checks for values that PyTorch rejects."""
        return bool(self.check_values.data)

    def with_checks(self, option: str) -> TargetAttr:
        """The same options with `check_bounds` or `check_values`."""
        bounds = option == "check_bounds" or self.checks_bounds
        values = option == "check_values" or self.checks_values
        return TargetAttr(
            self.devices,
            self.precision,
            self.threads,
            IntAttr(int(bounds)),
            IntAttr(int(values)),
            self.weights,
            self.options,
        )

    def verify(self) -> None:
        for device in (*self.device_names, *self.options.data):
            verify_device(StringAttr(device), "the target")
        if self.precision.data not in ("strict", "default", "fast"):
            raise VerifyException(
                f"precision must be strict, default or fast, got '{self.precision.data}'"
            )
        if self.threads.data < 1:
            raise VerifyException("threads must be at least 1")
        try:
            parse_format(self.weights.data)
        except CompileError as error:
            raise VerifyException(str(error)) from error

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        values, options = dict(cls.USUAL), dict[str, Attribute]()
        with parser.in_angle_brackets():
            devices = StringAttr(parser.parse_str_literal())
            while parser.parse_optional_punctuation(",") is not None:
                name = parser.parse_optional_str_literal() or parser.parse_identifier()
                parser.parse_punctuation("=")
                if name in values:
                    values[name] = parse_option(parser)
                else:
                    options[name] = parser.parse_attribute()
        return [devices, *values.values(), DictionaryAttr(options)]

    def print_parameters(self, printer: Printer) -> None:
        shown = {"precision": self.precision, "threads": self.threads}
        rare = {
            n: getattr(self, n) for n in ("weights", "check_bounds", "check_values")
        }
        shown |= {n: v for n, v in rare.items() if v != self.USUAL[n]}
        with printer.in_angle_brackets():
            printer.print_string_literal(self.devices.data)
            for name, value in (shown | dict(self.options.data)).items():
                printer.print_string(", ")
                print_option(printer, name, value)


def target_of(module: ModuleOp) -> TargetAttr:
    """The options of the compilation; safe defaults if the module has none."""
    target = module.attributes.get("devproc.target")
    return target if isinstance(target, TargetAttr) else TargetAttr.get()


def checks_bounds(module: ModuleOp) -> bool:
    """Whether kernels check their accesses, which are numbered across all kernels."""
    return target_of(module).checks_bounds


def checks_values(module: ModuleOp) -> bool:
    """Whether a call checks for values that PyTorch rejects; see `docs/running.md`."""
    return target_of(module).checks_values


def is_for_host_alone(module: ModuleOp) -> bool:
    """Whether the whole program runs on the host; false if the module has no target."""
    target = module.attributes.get("devproc.target")
    return isinstance(target, TargetAttr) and target.device_names == (HOST,)
