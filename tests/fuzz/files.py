"""Damaged files: saved programs, manifests, object code, weights and JSON programs.

Each seed damages one file in one way. A file must be refused with the error that its
reader documents, or be read; nothing else may come out of it, and the process must live.
A saved program of which some bytes were changed must give the results it gave before, if
it loads at all. Code of a damaged object file is linked, never run.
"""

from __future__ import annotations

import io
import json
import random
import re
import resource
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

import devproc
from devproc.errors import BundleError, CompileError
from devproc.ir.weights.table import WeightTable
from devproc.runtime.bundles.bundle_file import DIGESTS, SIGNATURE, open_aligned, seal
from devproc.targets.cpu.code import CPUCode
from devproc.targets.cpu.object_linker import LinkedObject, ObjectFile

MEMORY = 6 << 30
"""Bytes of address space: who believes a huge number gets a MemoryError."""

ODD: tuple[Any, ...] = (
    *(None, True, False, "", "x", "\0", "../x", "nan", [], {}, [[]], {"": 0}),
    *(0, -1, -5, 1, 3, 7, 63, 64, 255, 1 << 16, 1 << 31, 1 << 40, 10**17),
    *(1 << 63, 1 << 64, -(1 << 63), 10**400, 0.5, -0.0, 1e308, float("inf")),
)
"""Values that stand in for others."""


DEEP = "lists in lists"
"""Stands for a value that is nested deeply."""

LAST_DOOR = r"cannot load \S+: \w+(Error|Exception|Iteration): "
"""How a message begins of an error that no reader foresaw."""


class Net(nn.Module):
    """Tensors by name, a state, and a result that is an input."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(7, 5)
        self.count: torch.Tensor
        self.register_buffer("count", torch.zeros(3))

    def forward(self, x: torch.Tensor, more: dict[str, Any]) -> dict[str, Any]:
        self.count.add_(1)
        y = torch.softmax(self.linear(x), -1) * more["scale"]
        return {"y": y, "x": x, "list": [y.cumsum(0), self.count.sum()]}


def exported() -> torch.export.ExportedProgram:
    """The model of most files."""
    torch.manual_seed(0)
    example = (torch.randn(3, 7), {"scale": torch.ones(5)})
    return torch.export.export(Net().eval(), example)


def image_pipeline() -> devproc.Pipeline:
    """A program that is called by names and takes pixels."""
    pipe = devproc.pipeline("classify")
    image = pipe.input("image", "uint8", (9, 7, 3))
    x = pipe.resize(image, (6, 5), like="pillow", mode="bilinear")
    pipe.output("probabilities", pipe.softmax(pipe.normalize(x, 0.5, 0.25), axis=-1))
    pipe.output("label", pipe.argmax(x, axis=-1))
    return pipe


@cache
def saved() -> tuple[bytes, ...]:
    """Whole saved programs: of a model, with checks, for a GPU, with a fallback."""
    programs = [
        devproc.compile(exported(), threads=2),
        devproc.compile(image_pipeline(), threads=1, check_bounds=True),
        devproc.compile(image_pipeline(), target="cuda:interpret", threads=1),
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program")
        found: list[bytes] = []
        for program in programs:
            program.save(path)
            found.append(path.read_bytes())
    return tuple(found)


def inputs(program: devproc.Program) -> list[Any]:
    """Arrays for a program, the same each time."""
    generator = np.random.default_rng(0)
    return [
        (generator.random(spec.shape) * 200).astype(spec.dtype)
        for spec in program.interface.inputs
    ]


def flip(data: bytes, chance: random.Random) -> bytes:
    """Changes some bytes, cuts, repeats or inserts."""
    found = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8))):
        at = chance.randrange(len(found) + 1) if found else 0
        match chance.randrange(7):
            case 0:
                del found[at:]
            case 1:
                del found[at : at + chance.randrange(1, 64)]
            case 2:
                found[at:at] = found[: chance.randrange(64)]
            case 3:
                size = chance.choice((1, 2, 4, 8))
                found[at : at + size] = chance.choice((b"\xff", b"\0")) * size
            case _:
                if at < len(found):
                    found[at] ^= 1 << chance.randrange(8)
    return bytes(found)


def change(data: Any, chance: random.Random) -> Any:
    """Changes one member of nested lists and objects."""
    places: list[tuple[Any, Any]] = []

    def visit(value: Any) -> None:
        keys = value if isinstance(value, dict) else range(len(value))
        for key in keys:
            places.append((value, key))
            if isinstance(value[key], dict | list):
                visit(value[key])

    visit(data)
    for _ in range(chance.choice((1, 1, 1, 3))):
        holder, key = chance.choice(places)
        with suppress(KeyError, IndexError):  # a place that an earlier change removed
            change_member(holder, key, chance)
    return data


def change_member(holder: Any, key: Any, chance: random.Random) -> None:
    """Another value, a number nearby, one more member, one less, or many levels."""
    old = holder[key]
    match chance.randrange(6):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, old)
        case 1:
            holder[f"{key}?"] = old
        case 2 if type(old) is int:
            holder[key] = old + chance.choice((-64, -1, 1, 64, 1 << 20))
        case 2 if isinstance(old, str):
            holder[key] = old[: chance.randrange(len(old) + 1)]
        case 3 if chance.randrange(4) == 0:
            holder[key] = DEEP
        case _:
            holder[key] = chance.choice(ODD)


def changed_json(text: bytes, chance: random.Random) -> bytes:
    """A JSON text of which one member was changed."""
    changed = json.dumps(change(json.loads(text), chance))
    depth = chance.choice((50, 500, 5000))
    return changed.replace(f'"{DEEP}"', "[" * depth + "]" * depth).encode()


def resealed(data: bytes, changes: Mapping[str, Callable[[bytes], bytes]]) -> bytes:
    """A saved program with changed members, and digests that fit them."""
    with (
        tempfile.NamedTemporaryFile() as file,
        zipfile.ZipFile(io.BytesIO(data)) as old,
    ):
        with zipfile.ZipFile(file, "w") as new:
            for name in old.namelist():
                content = old.read(name)
                if name not in (DIGESTS, SIGNATURE):
                    with open_aligned(new, name) as member:
                        member.write(changes.get(name, bytes)(content))
        seal(Path("resealed"), file, None)
        file.seek(0)
        return file.read()


def load(data: bytes) -> devproc.Program | None:
    """The program of a file, None where it is refused as it should be."""
    with tempfile.NamedTemporaryFile(suffix=".devproc") as file:
        file.write(data)
        file.flush()
        try:
            return devproc.load(file.name)
        except BundleError as error:
            refusal = str(error)
    assert not re.match(LAST_DOOR, refusal), refusal
    return None


@cache
def results(number: int) -> list[Any]:
    """What a whole program gives."""
    program = load(saved()[number])
    assert program is not None
    return list(program.run_flat(inputs(program)))


def check_bundle(chance: random.Random) -> None:
    """Changed bytes are found, or change nothing."""
    number = chance.randrange(2)
    program = load(flip(saved()[number], chance))
    if program is not None:
        for found, wanted in zip(
            program.run_flat(inputs(program)), results(number), strict=True
        ):
            np.testing.assert_array_equal(found, wanted)


def check_manifest(chance: random.Random) -> None:
    """A manifest of which someone changed a field, digests and all."""

    data = chance.choice(saved())
    load(resealed(data, {"manifest.json": lambda text: changed_json(text, chance)}))


def check_members(chance: random.Random) -> None:
    """Texts, weights and code of which someone changed bytes, digests and all."""
    data = chance.choice(saved())
    with zipfile.ZipFile(io.BytesIO(data)) as bundle:
        name = chance.choice(sorted({*bundle.namelist()} - {DIGESTS}))

    def changed(content: bytes) -> bytes:
        if name == "code/cpu":
            # The code of the thread pool runs when it is loaded.
            content = CPUCode.from_bytes(content)._replace(pool=None).to_bytes()
        return flip(content, chance)

    load(resealed(data, {name: changed}))


def check_object(chance: random.Random) -> None:
    """Object code that is linked, not run."""
    with zipfile.ZipFile(io.BytesIO(saved()[0])) as bundle:
        code = CPUCode.from_bytes(bundle.read("code/cpu"))
    changed = flip(chance.choice(code.objects), chance)
    with suppress(CompileError):
        LinkedObject(ObjectFile.read(changed), {}).functions()


@cache
def json_program() -> tuple[bytes, bytes]:
    """A JSON program and its weights."""
    with tempfile.TemporaryDirectory() as folder:
        path, weights = Path(folder, "p.json"), Path(folder, "w.safetensors")
        devproc.export_json(exported(), path, weights=weights)
        return path.read_bytes(), weights.read_bytes()


def check_json(chance: random.Random) -> None:
    """A JSON program with a changed text, a changed member, or changed weights."""
    text, weights = json_program()
    match chance.randrange(4):
        case 0:
            text = flip(text, chance)
        case 1:
            weights = flip(weights, chance)
        case _:
            text = changed_json(text, chance)
    with tempfile.TemporaryDirectory() as folder:
        path, beside = Path(folder, "p.json"), Path(folder, "w.safetensors")
        path.write_bytes(text)
        beside.write_bytes(weights)
        with suppress(BundleError):
            devproc.load_json(path, beside)


def check_weights(chance: random.Random) -> None:
    """A safetensors file."""
    data = np.frombuffer(flip(json_program()[1], chance), np.uint8)
    with suppress(BundleError):
        WeightTable.from_bytes(data, Path("weights"))


CHECKS = (
    check_bundle,
    check_manifest,
    check_members,
    check_object,
    check_json,
    check_manifest,
    check_json,
    check_weights,
)


def check_file(seed: int) -> None:
    """One damaged file."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    CHECKS[seed % len(CHECKS)](random.Random(seed))
