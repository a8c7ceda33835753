"""The kind of a file given as a program, from its name and its first bytes.

Nothing is unpickled or run.
"""

from __future__ import annotations

import pickletools
import zipfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Kind:
    """A kind of file, and how to get from it to a program that compiles."""

    what: str
    remedy: str


ENTRIES = "entries.json"
"""The member that lists the entries of a saved program which has several."""

EXPORT = "torch.export.save(torch.export.export(model.eval(), (example_input,)), 'model.pt2')"
EXPORTED = Kind("a torch.export program", "devproc.compile reads it")
JSON = Kind("a JSON file", "devproc.compile reads a program as JSON")
SAVED = Kind(
    "a saved program, compiled already",
    "devproc.load (devproc run, devproc inspect) reads it",
)
INDUCTOR = Kind(
    "a package of AOTInductor, compiled already", f"export the model itself: {EXPORT}"
)
SCRIPT = Kind(
    "a TorchScript archive", f"export the module that it was made from: {EXPORT}"
)
ONNX = Kind(
    "an ONNX model", f"export the PyTorch module that it was made from: {EXPORT}"
)
SAFETENSORS = Kind(
    "a file of weights without a program",
    f"build the model, load the weights into it and export: {EXPORT}; of a program as "
    "JSON they are weights= (--weights)",
)
PYTHON = Kind(
    "a Python file",
    "on the command line name the pipeline or exported program in it, app.py:NAME; in "
    "Python import it",
)
STATE_DICT = Kind(
    "a pickled dict (a state dict or a checkpoint of torch.save)",
    "build the model, call model.load_state_dict(torch.load(path)) and export: "
    + EXPORT,
)


def kind_of(path: Path) -> Kind | None:
    """The kind of a file or folder; None for an unknown or missing one."""
    if path.is_dir():
        return _folder(path)
    if not path.is_file():
        return None
    if zipfile.is_zipfile(path):
        return _archive(path)
    if path.suffix in _SUFFIXES:
        return _SUFFIXES[path.suffix]
    with path.open("rb") as file:
        # Protocol 2 of pickle, which old versions of torch.save wrote.
        return PICKLE if file.read(2) == b"\x80\x02" else None


_SUFFIXES = {".json": JSON, ".onnx": ONNX, ".py": PYTHON, ".safetensors": SAFETENSORS}


def has_entries(path: Path) -> bool:
    """Whether a file is a saved program with several entries."""
    if not path.is_file() or not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return ENTRIES in archive.namelist()


def _folder(path: Path) -> Kind:
    """A folder, and the files in it that could be meant."""
    suffixes = (".pt2", ".json", ".py", ".devproc")
    found = sorted(p.name for p in path.iterdir() if p.suffix in suffixes)
    listed = f": {', '.join(found[:5])}" if found else ""
    remedy = f"name a file in it{listed}"
    if "config.json" in found:
        remedy = (
            "if it is a Hugging Face model, load it with transformers and export: "
            f"{EXPORT}"
        )
    return Kind("a folder", remedy)


def _archive(path: Path) -> Kind | None:
    """The kind of a zip file, from the names in it."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _kind_of_archive(archive)
    # A damaged archive may raise anything; its reader reports what is wrong.
    except Exception:
        return None


def _kind_of_archive(archive: zipfile.ZipFile) -> Kind | None:
    names = archive.namelist()
    if not names or archive.infolist()[0].header_offset:
        return None  # a truncated file: the last archive within it
    if "manifest.json" in names or ENTRIES in names:
        return SAVED
    if any("models/" in name or "exported_program" in name for name in names):
        return EXPORTED
    if any("aotinductor/" in name for name in names):
        return INDUCTOR
    # PyTorch's archives have a folder named like the model.
    inner = {name.partition("/")[2]: name for name in names}
    if "constants.pkl" in inner:
        return SCRIPT
    return _pickle(archive, inner["data.pkl"]) if "data.pkl" in inner else None


def _pickle(archive: zipfile.ZipFile, name: str) -> Kind:
    """A pickle of torch.save, by the first object it builds: a dict, or one of a class."""
    with archive.open(name) as file:
        for opcode, argument, _ in pickletools.genops(file):
            if opcode.name == "GLOBAL" and argument != "collections OrderedDict":
                return _pickled(str(argument).replace(" ", "."))
            if opcode.name in ("GLOBAL", "EMPTY_DICT"):
                return STATE_DICT
    return PICKLE


def _pickled(name: str) -> Kind:
    return Kind(
        f"a pickled {name} (torch.save)",
        "load it with torch.load where its class is defined, which runs code from the "
        f"file, so only if you trust it, and export: {EXPORT}",
    )


PICKLE = _pickled("object")
