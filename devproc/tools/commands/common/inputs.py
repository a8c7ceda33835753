"""The inputs of `--input`, read from files of common formats."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from devproc.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from devproc.program import Program
    from devproc.runtime.calls.interface import TensorSpec

FORM = "--input NAME=FILE"
IMAGES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff")
RAW = (".raw", ".bin")
CHANNELS = {1: "L", 3: "RGB", 4: "RGBA"}
"""Channels of an input -> the mode of Pillow."""

HELP = (
    "An input from a file, by suffix: .npy; .npz (its entry NAME; without NAME=, all "
    f"inputs); pictures ({', '.join(s[1:] for s in IMAGES)}: uint8, as Pillow decodes "
    "them); .txt (texts, one a line); .raw or .bin (the elements' bytes). NAME= may be "
    "left out where there is one input."
)


def wanted_inputs(program: Program) -> Sequence[TensorSpec]:
    """The inputs of a program as seen by the user; those of dtype "string" are texts."""
    from devproc.runtime.calls.tokenizing import TextCalling

    calling = program.artifact.calling
    named = calling.named if isinstance(calling, TextCalling) else program
    return named.interface.inputs


def bind(program: Program, values: Mapping[str, Any]) -> Sequence[Any]:
    """The named inputs in the order of the interface, with texts encoded."""
    from devproc.runtime.calls.named_inputs import check_names
    from devproc.runtime.calls.tokenizing import TextCalling

    calling = program.artifact.calling
    if isinstance(calling, TextCalling):
        return calling.bind((), values)
    check_names(program.interface, values, "--input")
    return [values[spec.name] for spec in program.interface.inputs]


def read_inputs(given: Sequence[str], specs: Sequence[TensorSpec]) -> dict[str, Any]:
    """Input name -> value, of the `--input` options for a program with these inputs.

    Raises InputError for a file that is missing, damaged, or of another kind.
    """
    by_name = {spec.name: spec for spec in specs}
    values: dict[str, Any] = {}
    for text in given:
        name, equals, path = text.partition("=")
        if equals:
            if name not in by_name:
                known = "; ".join(map(str, specs)) or "none"
                close = did_you_mean(name, by_name)
                raise InputError(f"'{name}' is not an input; they are {known}{close}")
            values[name] = read_input(by_name[name], Path(path))
        elif len(specs) == 1:
            values[specs[0].name] = read_input(specs[0], Path(text))
        elif text.endswith(".npz"):
            values |= _read_archive(Path(text))
        else:
            raise InputError(f"'{text}': write {FORM}; the inputs are {_listed(specs)}")
    return values


def read_input(spec: TensorSpec, path: Path) -> Any:
    """The value of one input; a list of strings for texts."""
    if not path.is_file():
        raise InputError(f"input '{spec.name}': no file {path}")
    suffix = path.suffix.lower()
    if (spec.dtype == "string") != (suffix == ".txt"):
        wanted = "texts: give a .txt file" if spec.dtype == "string" else "numbers"
        raise InputError(f"input '{spec.name}' ({spec}) takes {wanted}, not {path}")
    if suffix == ".txt":
        return _read_texts(spec, path)
    if suffix in IMAGES:
        return _read_image(spec, path)
    if suffix in RAW:
        return _read_raw(spec, path)
    if suffix == ".npz":
        return _entry(spec, path, _read_archive(path))
    if suffix == ".npy":
        return _load_numpy(path)
    known = ", ".join((".npy", ".npz", ".txt", *RAW, *IMAGES))
    raise InputError(f"input '{spec.name}': {path} has none of the suffixes {known}")


def _listed(specs: Sequence[TensorSpec]) -> str:
    return "; ".join(map(str, specs)) or "none"


def _load_numpy(path: Path) -> Any:
    """The content of a file of NumPy's, except pickled objects."""
    import numpy as np

    try:
        return np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(
            f"{path} is not an array that NumPy wrote ({error}); write it with np.save, "
            "of numbers: pickled objects are not read"
        ) from error


def _read_archive(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise InputError(f"no file {path}")
    found = _load_numpy(path)
    if not hasattr(found, "files"):
        raise InputError(
            f"{path} is one array, not an archive of np.savez; name it .npy"
        )
    try:
        return dict(found)
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: {error}") from error


def _entry(spec: TensorSpec, path: Path, entries: Mapping[str, Any]) -> Any:
    if spec.name in entries:
        return entries[spec.name]
    if len(entries) == 1:
        return next(iter(entries.values()))
    listed = ", ".join(entries) or "nothing"
    raise InputError(
        f"input '{spec.name}': {path} has no entry of this name, only {listed}"
    )


def _read_texts(spec: TensorSpec, path: Path) -> list[str]:
    """One text per line; the whole file if the input is one text."""
    try:
        content = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"input '{spec.name}': {path} is not UTF-8: {error}"
        ) from error
    (count,) = spec.shape
    return [content.rstrip("\n")] if count == 1 else content.splitlines()


def _read_raw(spec: TensorSpec, path: Path) -> Any:
    """The elements in native byte order, in row-major order."""
    import numpy as np

    from devproc.ir.dtypes import ITEM_SIZES, element_count

    if spec.dtype == "bfloat16":
        raise InputError(
            f"input '{spec.name}' is bfloat16, which NumPy lacks; call the program from "
            "Python with a torch tensor"
        )
    wanted = element_count(spec.shape) * ITEM_SIZES[spec.dtype]
    size = path.stat().st_size
    if size != wanted:
        raise InputError(f"input '{spec}' is {wanted:,} bytes, {path} has {size:,}")
    return np.fromfile(path, spec.dtype).reshape(spec.shape)


def _read_image(spec: TensorSpec, path: Path) -> Any:
    """The pixels of a picture, HWC (or HW), with the leading axes of 1 of the input."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ModuleNotFoundError as error:
        raise InputError(
            f"input '{spec.name}': pictures such as {path} are read by Pillow; "
            "pip install pillow, or give the pixels as .npy"
        ) from error
    import numpy as np

    shape, mode = _picture_of(spec, path)
    try:
        with Image.open(path) as image:
            pixels = np.asarray(image.convert(mode))
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise InputError(
            f"{path} is not a picture that Pillow reads: {error}"
        ) from error
    if pixels.shape[:2] != shape:
        (height, width), (rows, columns) = pixels.shape[:2], shape
        raise InputError(
            f"input '{spec.name}' is {rows} rows x {columns} columns, {path} has "
            f"{height} x {width}; scale the picture to {columns} x {rows} (width x height), "
            f"or compile the pipeline for an input of {height} x {width} that it resizes"
        )
    return pixels.reshape(spec.shape)


def _picture_of(spec: TensorSpec, path: Path) -> tuple[tuple[int, int], str]:
    """Rows and columns of an input of pixels, and Pillow's mode; raises InputError."""
    shape = list(spec.shape)
    while len(shape) > 3 and shape[0] == 1:
        del shape[0]
    mode = CHANNELS.get(shape[2]) if len(shape) == 3 else "L"
    if spec.dtype != "uint8" or len(shape) not in (2, 3) or mode is None:
        raise InputError(
            f"input '{spec}' takes no picture such as {path}, which is uint8 (rows, "
            "columns, 1, 3 or 4 channels); begin the program with a pipeline that takes "
            "pixels (resize, normalize, layout), or give the prepared numbers as .npy"
        )
    return (shape[0], shape[1]), mode
