"""Lessons as pages that run in a browser: `python notebooks/browser/build.py FOLDER`.

Python itself runs in the page (Pyodide), and nothing is fetched from another host. npm has
Pyodide, at the version that marimo wants, and PyPI the packages, most of them pure Python;
both are downloaded when the pages are built. Serve the folder over HTTP: `python -m
http.server --directory FOLDER`.
"""

from __future__ import annotations

import asyncio
import email
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Sequence
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import markdown

# Not the command `marimo export html-wasm`: it needs uv, to pack the modules that lie beside
# a notebook into wheels. Here they are in one wheel for all lessons.
from marimo._export.exporter import Exporter
from marimo._export.file import export_wasm
from marimo._export.requests import WASMFileExportRequest
from marimo._pyodide.pyodide_constraints import PYODIDE_VERSION
from marimo._schemas.export_options import WASMExportOptions, WASMRuntimeConfig
from marimo._utils.marimo_path import MarimoPath
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent.parent
COURSE = ROOT / "notebooks" / "course"
LESSONS = tuple(
    COURSE / f"{name}.py"
    for name in ("00_hundred_lines", "01_ssa_by_hand", "02_own_op", "06_rewrites")
)
"""The lessons that use neither PyTorch nor llvmlite nor NumPy."""
MODULES = ("exercise.py", "emitter.py", "interpreter.py")
"""What these lessons import from the folder of the course."""
PACKAGES = (
    "docutils", "immutabledict", "itsdangerous", "jedi", "markdown", "marimo-base",
    "micropip", "msgspec", "narwhals", "ordered-set", "packaging", "parso", "pygments",
    "pymdown-extensions", "pyodide-http", "python-multipart", "tomlkit",
    "typing-extensions", "xdsl",
)  # fmt: skip
"""marimo and xDSL with all that they require in a browser; PyYAML is repacked."""
MACHINE_CODE = {"llvmlite", "numpy", "safetensors", "torch"}
UNUSED = {"click", "jsonschema", "networkx", "rich"}
"""Requirements of DevProc that the lessons do not use."""
PYTHON = {"python_version": "3.14", "python_full_version": "3.14.0"}
PLATFORM = {"sys_platform": "emscripten", "platform_system": "Emscripten", **PYTHON}
"""The browser, for markers of requirements; its Python comes with Pyodide."""
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
STYLE = """
:root { color-scheme: light dark }
body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; line-height: 1.5;
  font-family: system-ui, sans-serif; overflow-wrap: break-word }
table { border-collapse: collapse; display: block; overflow-x: auto }
td, th { padding: 0.2rem 0.6rem; text-align: left; vertical-align: top }
"""


class DownloadError(RuntimeError):
    """A package of the pages is not to be had."""


def build(folder: Path, lessons: Iterable[Path] = LESSONS) -> None:
    """Writes a page for each lesson, an index, and what they run on.

    Raises DownloadError if npm or pip cannot download a package.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_runtime(folder / "pyodide")
    Exporter().export_assets(folder)
    for lesson in lessons:
        (folder / f"{lesson.stem}.html").write_text(page(lesson))
    (folder / "index.html").write_text(index())


def write_runtime(folder: Path) -> None:
    """Pyodide, the wheels of all packages, and the lock file that names them."""
    shutil.rmtree(folder, ignore_errors=True)
    with TemporaryDirectory() as downloads:
        _download("npm", "pack", "--silent", f"pyodide@{PYODIDE_VERSION}", at=downloads)
        (archive,) = Path(downloads).glob("*.tgz")
        with tarfile.open(archive) as tar:
            # Before Python 3.11.4 there is none.
            tar.extraction_filter = getattr(tarfile, "data_filter", None)
            tar.extractall(downloads)
        package = Path(downloads, "package")
        folder.mkdir(parents=True)
        for name in RUNTIME:
            shutil.copy(package / name, folder)
        lock = json.loads((package / "pyodide-lock.json").read_text())
    # fmt: off
    _download(
        sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
        "--only-binary", ":all:", "--python-version", PYTHON["python_version"],
        "--platform", f"pyemscripten_{lock['info']['abi_version']}_wasm32", *map(_pinned, PACKAGES), at=folder,
    )
    # fmt: on
    devproc_wheel(folder)
    course_wheel(folder)
    yaml_wheel(folder)
    packages = [_lock_entry(wheel) for wheel in sorted(folder.glob("*.whl"))]
    names = {package["name"] for package in packages}
    for package in packages:
        package["depends"] = sorted({*package["depends"]} - MACHINE_CODE - UNUSED)
        if missing := {*package["depends"]} - names:
            raise LookupError(f"{package['name']} requires {missing}: add to PACKAGES")
    lock["packages"] = {package["name"]: package for package in packages}
    (folder / "pyodide-lock.json").write_text(json.dumps(lock))


def _pinned(name: str) -> str:
    """A package at the version that is installed here, with which the tests ran."""
    try:
        return f"{name}=={metadata.version(name.removesuffix('-base'))}"
    except metadata.PackageNotFoundError:
        return name


def _download(*command: str, at: str | Path) -> None:
    """Runs a command that downloads into the current folder, `at`."""
    try:
        subprocess.run(command, cwd=at, check=True, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise DownloadError(f"{command[0]} is not installed") from error
    except subprocess.CalledProcessError as error:
        raise DownloadError(f"{' '.join(command)}:\n{error.stderr}") from error


def devproc_wheel(folder: Path) -> Path:
    """Builds the wheel of DevProc, from a copy: setuptools keeps files of former builds."""
    with TemporaryDirectory() as copy:
        without_caches = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "devproc", Path(copy, "devproc"), ignore=without_caches)
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, copy)
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
        pip += ["--no-build-isolation", "--wheel-dir", str(folder), copy]
        subprocess.run(pip, check=True)
    (wheel,) = folder.glob("devproc-*.whl")
    return wheel


def course_wheel(folder: Path) -> None:
    """Packs what the lessons have beside them: modules, solutions and the glossary."""
    files = {name: (COURSE / name).read_bytes() for name in MODULES}
    files["glossary.md"] = (ROOT / "docs" / "glossary.md").read_bytes()
    for lesson in LESSONS:
        name = f"solutions/{lesson.name}"
        files[name] = (COURSE / name).read_bytes()
    _pack(folder, "devproc-course", metadata.version("devproc"), files)


def yaml_wheel(folder: Path) -> None:
    """Packs PyYAML without its extension module, which it can do without.

    PyPI has no wheel of it for a browser.
    """
    installed = metadata.distribution("PyYAML")
    modules = [file for file in installed.files or () if file.suffix == ".py"]
    files = {
        str(file): file.read_binary() for file in modules if file.parts[0] == "yaml"
    }
    _pack(folder, "PyYAML", installed.version, files)


def _pack(folder: Path, name: str, version: str, files: dict[str, bytes]) -> None:
    """Writes a wheel of pure Python."""
    stem = f"{name.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    texts = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files = {**files, **{name: text.encode() for name, text in texts.items()}}
    record = "".join(f"{name},,\n" for name in (*files, f"{info}/RECORD"))
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as wheel:
        for name, content in {**files, f"{info}/RECORD": record.encode()}.items():
            wheel.writestr(name, content)


def _lock_entry(wheel: Path) -> dict[str, Any]:
    """What Pyodide's lock file says about a package."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        about = next(n for n in names if re.fullmatch(r"[^/]*\.dist-info/METADATA", n))
        head = email.message_from_bytes(archive.read(about))
    requirements = map(Requirement, head.get_all("Requires-Dist") or [])
    markers = {**PLATFORM, "extra": ""}
    return {
        "name": canonicalize_name(head["Name"]),
        "version": head["Version"],
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "package_type": "package",
        "imports": sorted(
            {n.split("/")[0].removesuffix(".py") for n in names if n.endswith(".py")}
        ),
        "depends": [
            canonicalize_name(requirement.name)
            for requirement in requirements
            if not requirement.marker or requirement.marker.evaluate(markers)
        ],
        "unvendored_tests": False,
    }


def page(lesson: Path, change: Callable[[str], str] = lambda source: source) -> str:
    """The page of a lesson, whose source `change` may alter."""

    def source(code: str) -> str:
        # A page calls its notebook notebook.py.
        return change(code).replace("__file__", f'"{lesson.name}"')

    runtime = WASMRuntimeConfig(
        pyodide_index_url="./pyodide/",
        pyodide_lockfile_url="./pyodide/pyodide-lock.json",
    )
    options = WASMExportOptions(mode="edit", show_code=True, runtime=runtime)
    request = WASMFileExportRequest(
        path=MarimoPath(lesson), options=options, code_transform=source
    )
    exported = asyncio.run(export_wasm(request)).contents
    text = exported if isinstance(exported, str) else exported.decode()
    waits, runs = '"auto_instantiate": false', '"auto_instantiate": true'
    if text.count(waits) != 1:
        raise LookupError(
            f"the page does not say {waits}: is marimo's another version?"
        )
    return text.replace(waits, runs)


def index() -> str:
    """The index of the course, with links to the lessons that have a page, and the glossary."""
    text = (COURSE / "README.md").read_text()
    pages = [lesson.name for lesson in LESSONS]

    def link(match: re.Match[str]) -> str:
        title, file = match.groups()
        return f"[{title}]({Path(file).stem}.html)" if file in pages else title

    text = re.sub(r"\[([^]]*)\]\((\d\d_\w+\.py)\)", link, text)
    text = text.replace("../../docs/glossary.md", "#glossary")
    glossary = (ROOT / "docs" / "glossary.md").read_text()
    body = markdown.markdown(f"{text}\n\n{glossary}", extensions=["tables", "toc"])
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>A course on compilers</title><style>{STYLE}</style>{body}</html>"
    )


def main(arguments: Sequence[str]) -> None:
    (folder,) = arguments
    build(Path(folder))
    print(f"python -m http.server --directory {folder}")


if __name__ == "__main__":
    main(sys.argv[1:])
