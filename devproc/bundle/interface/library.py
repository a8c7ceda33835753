"""A bundle's shared library in this process, through ctypes."""

from __future__ import annotations

import _ctypes
import ctypes
from collections.abc import Callable, Sequence
from ctypes import (
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_double,
    c_uint32,
    c_uint64,
    c_void_p,
)
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from devproc.bundle.interface.description import read_description
from devproc.errors import BundleError
from devproc.ir.weights.aligned import aligned_bytes

Array = NDArray[np.generic]

ABI_VERSION = 1

OBSERVER = ctypes.CFUNCTYPE(
    None, c_void_p, c_uint32, c_char_p, c_char_p, POINTER(c_void_p)
)
"""`void (void *user, uint32_t step, const char *kernel, const char *where, operands)`."""


class Options(Structure):
    """`NAME_options` of the header."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("abi_version", c_uint32),
        ("interface_id", c_uint64),
        ("weights", c_void_p),
        ("weights_size", c_uint64),
        ("memory", c_void_p),
        ("memory_size", c_uint64),
        ("parallel_for", c_void_p),
        ("user", c_void_p),
        ("message", c_void_p),
        ("message_size", c_uint64),
        ("cpu", c_char_p),
        ("threads", c_uint32),
        ("check_weights", c_uint32),
    ]


class Report(Structure):
    """`NAME_report` of the header."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("failed_case", c_uint32),
        ("name", c_char_p),
        ("where", c_char_p),
        ("element", c_uint64),
        ("found", c_double),
        ("expected", c_double),
        ("worst", c_double),
    ]


class Library:
    """The library of a bundle's folder with one instance; `close` destroys that.

    `cpu` is one of the description's levels, by default the best that is here.

    Arrays of bfloat16 are uint16, their bits. Raises BundleError where the C interface
    returns an error.
    """

    def __init__(
        self,
        folder: str | Path,
        threads: int = 0,
        check_weights: bool = False,
        cpu: str | None = None,
    ):
        self.folder = Path(folder)
        self.description = read_description(self.folder)
        self.name = self.description.name
        library = self.folder / f"lib{self.name}.so.1"
        try:
            self._library = ctypes.CDLL(str(library))
        except OSError as error:
            raise BundleError(f"cannot load {library}: {error}") from error
        self._weights = None
        if self.description.weights.where == "file":
            self._weights = read_aligned(self.folder / f"{self.name}.weights")
        self._message = ctypes.create_string_buffer(512)
        self._instance = c_void_p()
        options = self.options()
        options.threads, options.check_weights = threads, int(check_weights)
        options.cpu = None if cpu is None else cpu.encode()
        status = self.call("create", byref(options), byref(self._instance))
        if status:
            _ctypes.dlclose(self._library._handle)
            raise BundleError(f"{self.name}_create: {self._message.value.decode()}")

    def options(self) -> Options:
        """Valid options for `create`, with the weights."""
        options = Options(struct_size=ctypes.sizeof(Options), abi_version=ABI_VERSION)
        options.interface_id = int(self.description.interface_id, 16)
        if self._weights is not None:
            options.weights = self._weights.ctypes.data
            options.weights_size = self._weights.nbytes
        options.message = ctypes.addressof(self._message)
        options.message_size = len(self._message)
        return options

    def call(self, function: str, *args: Any) -> int:
        """The status that a function of the interface returns."""
        return int(getattr(self._library, f"{self.name}_{function}")(*args))

    def last_error(self) -> str:
        """The text of the instance's last error."""
        return self._text("last_error")

    @property
    def cpu(self) -> str:
        """The level whose code the instance runs."""
        return self._text("cpu")

    def _text(self, function: str) -> str:
        found = getattr(self._library, f"{self.name}_{function}")
        found.restype = c_char_p
        return found(self._instance).decode()

    def require(self, function: str, *args: Any) -> None:
        """Calls a function on the instance; raises BundleError with its text."""
        if self.call(function, self._instance, *args):
            raise BundleError(f"{self.name}_{function}: {self.last_error()}")

    def run(
        self,
        inputs: Sequence[Array],
        observe: Callable[[int, Sequence[int]], None] | None = None,
        entry: str = "",
    ) -> list[Array]:
        """One inference; takes and returns arrays in the order of the entry's interface.

        `observe` is called after each kernel with its number and operand addresses.
        """
        described = self.description.entry(entry)
        function = f"{entry}_{{}}" if entry else "{}"
        outputs = [
            np.empty(tensor.shape, numpy_dtype(tensor.dtype))
            for tensor in described.outputs
        ]
        given = [np.ascontiguousarray(array) for array in inputs]
        pointers = [
            (c_void_p * max(1, len(arrays)))(*(a.ctypes.data for a in arrays))
            for arrays in (given, outputs)
        ]
        if observe is None:
            self.require(function.format("run"), *pointers)
            return outputs
        counts = [
            kernel.operands
            for kernel in self.description.kernels
            if (kernel.entry, kernel.cpu) == (entry, self.cpu)
        ]

        def look(
            _user: int, step: int, _name: bytes, _where: bytes, table: Any
        ) -> None:
            observe(step, [table[i] or 0 for i in range(counts[step])])

        self.require(function.format("trace"), *pointers, OBSERVER(look), None)
        return outputs

    def selftest(self, golden: Array, kernels: bool = False) -> Report:
        """The report of the self-test on the content of a file of golden cases.

        With `kernels` what each kernel writes is compared. Raises BundleError for a value
        beyond its bound.
        """
        report = Report(struct_size=ctypes.sizeof(Report))
        function = "selftest_ops" if kernels else "selftest"
        address, size = c_void_p(golden.ctypes.data), c_uint64(golden.nbytes)
        self.require(function, address, size, None, byref(report))
        return report

    def get_state(self, number: int) -> Array:
        """A copy of a state."""
        entry = self.description.states[number]
        values = np.empty(entry.shape, numpy_dtype(entry.dtype))
        address = c_void_p(values.ctypes.data)
        self.require("get_state", c_uint32(number), address, c_uint64(values.nbytes))
        return values

    def set_state(self, number: int, values: Array) -> None:
        """Assigns a state."""
        values = np.ascontiguousarray(values)
        address = c_void_p(values.ctypes.data)
        self.require("set_state", c_uint32(number), address, c_uint64(values.nbytes))

    def reset(self) -> None:
        """All states get their first values."""
        self.require("reset")

    def close(self) -> None:
        """Destroys the instance, and unloads the library."""
        if self._instance:
            self.require("destroy")
            self._instance = c_void_p()
            _ctypes.dlclose(self._library._handle)


def numpy_dtype(name: str) -> np.dtype[Any]:
    """The dtype of arrays for the C interface."""
    return np.dtype("uint16" if name == "bfloat16" else name)


def read_aligned(path: Path) -> NDArray[np.uint8]:
    """The content of a file in memory that is aligned to 64 bytes.

    Raises BundleError for a file that cannot be read.
    """
    try:
        data = np.fromfile(path, np.uint8)
    except OSError as error:
        raise BundleError(f"cannot read {path}: {error}") from error
    memory = aligned_bytes(data.nbytes)
    memory[:] = data
    return memory
