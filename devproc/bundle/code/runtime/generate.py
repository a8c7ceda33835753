"""Compiles the C runtime to LLVM IR: `python -m devproc.bundle.code.runtime.generate`.

A bundle is made without a C compiler, so the IR is part of the package. This needs clang 22,
the LLVM of llvmlite, which the package `ziglang` has (`pip install ziglang==0.17.1`).
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

FOLDER = Path(__file__).parent

BARE = (
    *("runtime", "entry", "repeat", "support"),
    *("caller_threads", "no_memory", "no_features", "no_gpu"),
)
HOSTED = (*BARE, "posix_memory", "windows_memory", "own_threads", "cuda")

FOLDERS = {
    # The same for x86-64 and AArch64.
    "64": ("aarch64-linux-gnu", HOSTED),
    "x86_64": ("x86_64-linux-gnu", ("x86_features",)),
    # A 32-bit number that is passed or returned is extended.
    "riscv64": ("riscv64-linux-gnu", (*BARE, "posix_memory")),
    "wasm32": ("wasm32-freestanding", BARE),
    "thumbv7em": ("thumb-freestanding-eabihf", BARE),
}
"""Folder -> zig's target, and the parts of the runtime that make sense there."""

FLAGS = (
    # Inlined when a bundle is made: this is shorter.
    *("-Oz", "-fno-inline", "-fno-vectorize", "-fno-slp-vectorize"),
    *("-std=c11", "-g0", "-ffreestanding", "-fno-builtin", "-fPIC"),
    *("-fno-stack-protector", "-fno-sanitize=all", "-fno-strict-aliasing"),
    *("-ffp-contract=off", "-fomit-frame-pointer", "-fno-asynchronous-unwind-tables"),
)


def generate(source: str, zig_target: str) -> str:
    """The IR of a C file without what the target machine decides: layout, CPU, features."""
    command = [sys.executable, "-m", "ziglang", "cc", "-target", zig_target, *FLAGS]
    with TemporaryDirectory() as folder:
        path = Path(folder, "code.ll")
        command += ["-S", "-emit-llvm", f"{source}.c", "-o", f"{path}"]
        subprocess.run(command, cwd=FOLDER, check=True)
        text = path.read_text()
    text = re.sub(r'"[\w-]+"="[^"]*" ?', "", text)
    text = re.sub(r"^(; ModuleID|source_filename|target|!).*\n", "", text, flags=re.M)
    text = re.sub(r", ![\w.]+ !\d+", "", text)
    unwanted = (
        r" uwtable(\(\w+\))?| dso_local| noinline| *; preds.*|; Function Attrs.*\n"
    )
    text = re.sub(unwanted, "", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def main() -> None:
    """Writes the IR of all parts into all folders."""
    for name, (zig_target, parts) in FOLDERS.items():
        folder = FOLDER / "ir" / name
        folder.mkdir(parents=True, exist_ok=True)
        for part in parts:
            (folder / f"{part}.ll").write_text(generate(part, zig_target))


if __name__ == "__main__":
    main()
