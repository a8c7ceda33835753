"""The code of a program: its instructions, and the constants that they read, by name.

Text in JSON, without weights: these are packed for the array when code is loaded.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from zlib import compress, decompress

import numpy as np
from numpy.typing import NDArray

from devproc_npu.arithmetic import narrow, widen
from devproc_npu.isa import Type
from devproc_npu.lowering.product import pack
from devproc_npu.machine import COLUMNS, MACHINE
from devproc_npu.shapes import Tiling

VERSION = 1
"""Of this format and the instruction set."""

Array = NDArray[Any]
Constant = Mapping[str, Any]
"""An array: the `name` of a weight, or the `values` of a constant and their `dtype`."""


@dataclass(frozen=True)
class Function:
    """One region: the programs that run one after another, and their memory."""

    programs: Sequence[str]
    """Instructions, compressed, in base64."""
    buffers: Sequence[int]
    """Bytes of the operands and results."""
    shared: int
    """Bytes of the buffer of intermediate values, which follows them."""
    data: Sequence[Mapping[str, Any]]
    """What the last buffer holds: each with its `offset` and `size` in bytes."""
    cycles: float
    """The estimate."""

    def binaries(self) -> list[bytes]:
        """The instructions."""
        return [decompress(b64decode(text)) for text in self.programs]


def encode_program(binary: bytes) -> str:
    """Instructions as text."""
    return b64encode(compress(binary)).decode()


def encode(functions: Mapping[str, Function]) -> bytes:
    """The code, with what it was built for."""
    content = {name: asdict(function) for name, function in functions.items()}
    what = {"version": VERSION, "machine": asdict(MACHINE), "functions": content}
    return json.dumps(what).encode()


def refusal(code: bytes) -> str | None:
    """Why code is for another machine or version; None if it is not."""
    content = json.loads(code)
    if content["version"] != VERSION:
        return f"it has version {content['version']}, this is {VERSION}"
    built, here = content["machine"], asdict(MACHINE)
    names = [name for name in here if built.get(name) != here[name]]
    if names:
        name = names[0]
        return f"its machine has {name} = {built.get(name)}, this one {here[name]}"
    return None


def decode(code: bytes) -> dict[str, Function]:
    """The functions of code by name."""
    content = json.loads(code)["functions"]
    return {name: Function(**fields) for name, fields in content.items()}


def data_of(function: Function, weights: Mapping[str, Array]) -> NDArray[np.uint8]:
    """The bytes of the buffer of constants."""
    size = max((item["offset"] + item["size"] for item in function.data), default=0)
    result = np.zeros(size, np.uint8)
    for item in function.data:
        found = MAKERS[item["kind"]](item, weights)
        result[item["offset"] : item["offset"] + item["size"]] = found
    return result


def _array(constant: Constant, weights: Mapping[str, Array]) -> Array:
    if "name" in constant:
        return np.asarray(weights[constant["name"]])
    values = constant["values"]
    if constant["dtype"] == "bfloat16":
        found: Array = narrow(np.array(values, np.float32))
    else:
        found = np.array(values, constant["dtype"])
    return found.reshape(constant["shape"])


def _plain(item: Mapping[str, Any], weights: Mapping[str, Array]) -> Array:
    """A constant as it is, as often as there is room."""
    found = np.ascontiguousarray(_array(item["constant"], weights)).ravel()
    return np.resize(found.view(np.uint8), item["size"])


def _packed(item: Mapping[str, Any], weights: Mapping[str, Array]) -> Array:
    """A weight (O, I) or (O, I, H, W) in the tiles of the array."""
    weight = _array(item["constant"], weights)
    taps = weight.reshape(*weight.shape[:2], -1).transpose(2, 1, 0)
    return pack(np.ascontiguousarray(taps), Tiling(*item["tiling"]))


def _channels(item: Mapping[str, Any], weights: Mapping[str, Array]) -> Array:
    """Biases, multipliers and shifts as `Requantize` reads them, by 16 columns."""
    count, type_ = item["columns"], Type(item["type"])
    dtypes = [np.int32, np.int32, np.int8]
    if type_ is Type.BF16:
        dtypes = [np.float32, np.float32]
    rows: list[Array] = []
    for constant, dtype in zip(item["constants"], dtypes, strict=True):
        values = _array(constant, weights).ravel()
        if values.dtype == np.uint16:
            values = widen(values)
        whole = np.zeros(-(-count // COLUMNS) * COLUMNS, dtype)
        whole[:count] = np.broadcast_to(values, count)
        rows.append(whole.view(np.uint8).reshape(-1, COLUMNS * whole.itemsize))
    return np.concatenate(rows, axis=1).ravel()


MAKERS = {"plain": _plain, "packed": _packed, "channels": _channels}
