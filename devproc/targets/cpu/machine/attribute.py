"""The processor that code is made for, as options of `dev.target`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.utils.exceptions import VerifyException

from devproc.dialects.dev import TargetAttr
from devproc.dialects.dev.options import OptionsAttr
from devproc.ir.devices import HOST
from devproc.targets.cpu.machine.processors import (
    CPUS,
    EXTENSIONS,
    INSTRUCTIONS,
    NATIVE,
    extensions_of,
    vector_registers,
)


@irdl_attr_definition
class MachineAttr(OptionsAttr):
    """A processor and its vectors: `#cpu.machine<vector_bits = 512>`.

    These print only if they are not the default: `processor = "x86-64-v3"` (default
    "native", the compiling machine), `vector_registers = 32`, `missing = ["fma"]`,
    `extensions = ["avx512bf16"]`, `separate_adders = 1` if it adds in units other than
    those of its multiply-adds, and `prefetch_level = 2` if it prefetches into its L2 cache.
    """

    name = "cpu.machine"

    processor: StringAttr = param_def()
    vector_bits: IntAttr = param_def()
    vector_registers: IntAttr = param_def()
    missing: ArrayAttr[StringAttr] = param_def()
    extensions: ArrayAttr[StringAttr] = param_def()
    separate_adders: IntAttr = param_def()
    prefetch_level: IntAttr = param_def()

    @classmethod
    def usual(cls, given: Mapping[str, Attribute]) -> Mapping[str, Attribute]:
        # Of another class if the text is wrong, which the definition finds.
        bits = getattr(given.get("vector_bits"), "data", 0)
        return {
            "processor": StringAttr(NATIVE),
            "vector_registers": IntAttr(vector_registers(bits)),
            "missing": ArrayAttr(()),
            "extensions": ArrayAttr(()),
            "separate_adders": IntAttr(0),
            "prefetch_level": IntAttr(1),
        }

    @staticmethod
    def get(
        *,
        processor: str = NATIVE,
        vector_bits: int = 256,
        registers: int | None = None,
        missing: Sequence[str] = (),
        extensions: Sequence[str] = (),
        separate_adders: bool = False,
        prefetch_level: int = 1,
    ) -> MachineAttr:
        """A machine; every option has a safe default.

        A named processor implies its vector features; for "native" the caller passes them.
        """
        if processor in CPUS:
            known = CPUS[processor]
            vector_bits, registers = known.vector_bits, known.vector_registers
            missing = known.missing
            extensions = extensions or extensions_of(known.features)
        if registers is None:
            registers = vector_registers(vector_bits)
        return MachineAttr(
            StringAttr(processor),
            IntAttr(vector_bits),
            IntAttr(registers),
            ArrayAttr([StringAttr(name) for name in missing]),
            ArrayAttr([StringAttr(name) for name in extensions]),
            IntAttr(int(separate_adders)),
            IntAttr(prefetch_level),
        )

    @property
    def missing_names(self) -> tuple[str, ...]:
        """The entries of `INSTRUCTIONS` that the processor lacks."""
        return tuple(name.data for name in self.missing)

    def has_extension(self, name: str) -> bool:
        """Whether the processor has an extension, one of `EXTENSIONS`."""
        return any(extension.data == name for extension in self.extensions)

    @property
    def has_separate_adders(self) -> bool:
        """Whether it adds vectors in units other than those of multiply-adds."""
        return bool(self.separate_adders.data)

    def verify(self) -> None:
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
        _verify_known(self.missing, "instruction", "missing", INSTRUCTIONS)
        _verify_known(self.extensions, "extension", "extensions", EXTENSIONS)
        if self.processor.data != NATIVE:
            self._verify_processor(self.processor.data)

    def _verify_processor(self, name: str) -> None:
        known = CPUS.get(name)
        if known is None:
            raise VerifyException(
                f"unknown processor '{name}'; one of {', '.join((NATIVE, *CPUS))}"
            )
        wanted = (known.vector_bits, known.vector_registers, known.missing)
        bits, registers = self.vector_bits.data, self.vector_registers.data
        if (bits, registers, self.missing_names) != wanted:
            raise VerifyException(
                f"processor '{name}' has vector_bits = {wanted[0]}, "
                f"vector_registers = {wanted[1]}, missing = {list(wanted[2])}"
            )


def _verify_known(
    names: ArrayAttr[StringAttr], what: str, field: str, known: Sequence[str]
) -> None:
    for name in names:
        if name.data not in known:
            raise VerifyException(
                f"unknown {what} '{name.data}' in {field}; one of {', '.join(known)}"
            )


CPU = Dialect("cpu", [], [MachineAttr])


def machine_of(target: TargetAttr) -> MachineAttr:
    """The processor of a target; a safe default if it names none."""
    found = target.options_of(HOST)
    return found if isinstance(found, MachineAttr) else _default_machine()


@cache
def _default_machine() -> MachineAttr:
    return MachineAttr.get()
