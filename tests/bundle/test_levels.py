"""Code for several processors in one library."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import devproc
from devproc.bundle.export import export_bundle
from devproc.bundle.golden.file import recorded_levels
from devproc.bundle.interface.library import Library, read_aligned
from devproc.errors import BundleError, DevProcError
from devproc.ir.weights.aligned import aligned_bytes
from tests.bundle.programs import (
    SOURCES,
    classify,
    compile_c,
    memory,
    new_folder,
    program,
    random_inputs,
    run,
)
from tests.bundle.test_commands import command

LEVELS = ("x86-64-v2", "x86-64-v3", "x86-64-v4")


@cache
def dispatched(name: str) -> Path:
    """The folder of a bundle of all levels, which are given in any order."""
    folder = new_folder()
    first, *others = (program(name, cpu) for cpu in ("x86-64-v3", *LEVELS[::2]))
    source: Any = SOURCES[name]()
    first.export_bundle(
        folder, name=name, levels=others, reference=source, threads="own"
    )
    return folder


def levels_here(name: str) -> list[str]:
    found = [program(name, cpu) for cpu in LEVELS]
    if found[0].artifact.why_not_here() is not None:
        pytest.skip("needs an x86-64 with SSE4.2")
    here = [p.artifact.why_not_here() is None for p in found]
    return [cpu for cpu, runs in zip(LEVELS, here, strict=True) if runs]


@pytest.mark.parametrize("name", ["classify", "memory"])
def test_each_level_has_the_bits_of_its_own_program(name: str) -> None:
    for cpu in levels_here(name):
        library, own = Library(dispatched(name), cpu=cpu), program(name, cpu)
        assert library.cpu == cpu
        fresh = type(own)(own.artifact, own.weights)
        for seed in range(2):
            (x,) = random_inputs(name, seed)
            given = {fresh.interface.inputs[0].name: x}
            expected: Any = fresh(**given) if name == "classify" else fresh(x)
            values = expected.values() if name == "classify" else expected
            for ours, theirs in zip(library.run([x]), values, strict=True):
                assert ours.tobytes() == np.asarray(theirs).tobytes(), cpu
        library.close()


def test_the_best_level_is_taken() -> None:
    best = levels_here("classify")[-1]
    library = Library(dispatched("classify"))
    assert library.cpu == best
    golden = read_aligned(dispatched("classify") / "classify.golden")
    library.selftest(golden)
    library.selftest(golden, kernels=True)
    library.close()
    with pytest.raises(BundleError, match="no code for a processor of the name"):
        Library(dispatched("classify"), cpu="x86-64-v1")


def test_kernels_of_each_level_are_compared(tmp_path: Path) -> None:
    """A wrong bias of the convolution, which levels store once, is that kernel's fault."""
    folder = dispatched("classify")
    for file in folder.iterdir():
        if file.is_file() and not file.is_symlink():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    weights = read_aligned(folder / "classify.weights")
    floats = weights[64:].view(np.float32)
    bias = np.asarray(program("classify", LEVELS[0]).weights.array("model.c.bias"))
    places = [
        i for i in range(len(floats) - 7) if np.array_equal(floats[i : i + 8], bias)
    ]
    for place in places:
        floats[place] += 0.5
    assert places
    (tmp_path / "classify.weights").write_bytes(weights.tobytes())
    golden = read_aligned(folder / "classify.golden")
    for cpu in levels_here("classify"):
        good, wrong = (Library(f, cpu=cpu) for f in (folder, tmp_path))
        assert good.selftest(golden, kernels=True).worst < 1e-3
        good.close()
        with pytest.raises(BundleError, match="'conv2d"):
            wrong.selftest(golden, kernels=True)
        wrong.close()


def test_samples_of_each_level_are_its_own() -> None:
    """Without the samples of a level its kernels are not compared; its outputs are."""
    here = levels_here("classify")
    golden = read_aligned(dispatched("classify") / "classify.golden")
    order = [cpu for cpu in LEVELS[::-1] if cpu in here]
    recorded = [LEVELS[::-1][number] for number in recorded_levels(golden)]
    assert recorded == order
    for data, message in ((1 << 3, "damaged"), (0, "truncated")):
        wrong = golden.copy()
        wrong[32:36] = np.frombuffer(np.uint32(data).tobytes(), np.uint8)
        memory = aligned_bytes(wrong.nbytes)
        memory[:] = wrong
        library = Library(dispatched("classify"))
        with pytest.raises(BundleError, match=message):
            library.selftest(memory, kernels=True)
        library.close()


@pytest.mark.machine("x86_64-linux", "ran", "lesser CPUs under qemu-x86_64")
@pytest.mark.parametrize(
    ("emulated", "expected"),
    [("Nehalem", "x86-64-v2"), ("Haswell", "x86-64-v3"), ("core2duo", "popcnt")],
)
def test_emulated_processors(emulated: str, expected: str) -> None:
    """A lesser processor never executes the code of a better one."""
    emulator = shutil.which("qemu-x86_64")
    if emulator is None:
        pytest.skip("needs qemu-x86_64")
    folder = dispatched("classify")
    source = new_folder() / "which.c"
    source.write_text((folder / "selftest.c").read_text())
    text = (
        source.read_text()
        .replace('printf("classify: all', 'printf("%s: all')
        .replace('distance is %g\\n", ', 'distance is %g\\n", classify_cpu(instance), ')
    )
    source.write_text(text)
    flags = ("-std=gnu11", "-static")
    test = compile_c(folder, [source, "libclassify.a", "-pthread"], *flags)
    refused = expected == "popcnt"
    said = run([emulator, "-cpu", emulated, test], folder, code=int(refused))
    assert expected in said


def test_weights_are_counted_and_shared() -> None:
    data = json.loads((dispatched("memory") / "memory.json").read_text())
    assert [level["cpu"] for level in data["levels"]] == list(LEVELS[::-1])
    assert data["cpu"] == ", ".join(LEVELS[::-1])
    each = [level["weight_bytes"] for level in data["levels"]]
    alone = 4 * (3 * 7 + 5 * 7) + 8  # the first values of the states
    assert each == [alone] * 3
    assert data["weights"]["bytes"] < 64 + 3 * 64 + alone
    kernels = {(k["cpu"], k["name"]) for k in data["kernels"]}
    assert {cpu for cpu, _ in kernels} == set(LEVELS)


def test_one_level_alone_is_refused(tmp_path: Path) -> None:
    first = program("classify", "x86-64-v3")
    with pytest.raises(BundleError, match="two programs are for one processor"):
        first.export_bundle(tmp_path, levels=[first])
    with pytest.raises(BundleError, match="processors of x86_64 alone"):
        first.export_bundle(tmp_path, levels=[program("classify", "aarch64")])
    with pytest.raises(BundleError, match="compile the same source"):
        first.export_bundle(tmp_path, levels=[program("memory", "x86-64-v2")])


def test_entries_at_several_levels() -> None:
    several = {"one": memory(), "two": classify()}
    first, other = (devproc.compile(several, threads=1, cpu=cpu) for cpu in LEVELS[:2])
    folder = new_folder()
    export_bundle(first, folder, name="pair", levels=[other], reference=several)
    for cpu in levels_here("classify")[:2]:
        library = Library(folder, cpu=cpu)
        library.selftest(read_aligned(folder / "pair.golden"))
        library.close()


def test_command(tmp_path: Path) -> None:
    source = Path(__file__).parent / "programs.py"
    options = ("--cpu", "dispatch", "-o", tmp_path, "--name", "d")
    said = command("bundle", f"{source}:detect", *options).output
    assert "weights for x86-64-v2: " in said
    checked = command("bundle-check", tmp_path).output
    for cpu in levels_here("classify"):
        assert f"golden cases of {cpu}: all pass" in checked
        assert f"kernels of {cpu}: all pass" in checked
    saved = tmp_path / "saved.devproc"
    program("memory").save(saved)
    with pytest.raises((DevProcError, AssertionError), match="give its source"):
        command("bundle", saved, *options)
