"""Programs from the cache: never a stale one, never a damaged one, and no lowering."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.export import ExportedProgram

import devproc
from devproc.backend.installed import backend
from devproc.runtime.cache import artifact_cache, cache_key
from devproc.source import export_json


class Net(nn.Module):
    """Weights that are packed, used as they are, tied, and returned by a view."""

    def __init__(self, slope: float = 0.25) -> None:
        super().__init__()
        self.slope = slope
        self.table = nn.Parameter(torch.randn(9, 24))
        self.first = nn.Linear(24, 33)
        self.conv = nn.Conv1d(3, 5, 3)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = self.first(self.table + x)
        z = nn.functional.leaky_relu(y, self.slope) @ self.first.weight
        return z, self.conv(y.reshape(3, 3, 33)), self.table.reshape(24, 9) * 2.0


X = torch.randn(9, 24)


def export(net: nn.Module, *inputs: torch.Tensor) -> ExportedProgram:
    return torch.export.export(net.eval(), inputs or (X,))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DEVPROC_CACHE_DIR", str(tmp_path / "cache"))
    torch.manual_seed(0)
    return tmp_path / "cache"


def is_cached(program: devproc.Program) -> bool:
    return "cache" in [record.name for record in program.timings]


def check(program: devproc.Program, net: nn.Module) -> None:
    with torch.no_grad():
        for found, wanted in zip(program(X), net(X), strict=True):
            torch.testing.assert_close(found, wanted, rtol=2e-5, atol=2e-5)


def test_a_warm_compilation_neither_imports_nor_lowers() -> None:
    net = Net()
    assert not is_cached(devproc.compile(export(net)))
    warm = devproc.compile(export(net))
    assert [record.name for record in warm.timings] == ["cache", "load"]
    check(warm, net)


WARM = """
import sys
import devproc
program = devproc.compile(sys.argv[1], threads=2)
assert "cache" in [record.name for record in program.timings]
print([name for name in ("xdsl", "llvmlite") if name in sys.modules])
"""


def test_a_warm_compilation_loads_no_compiler(tmp_path: Path) -> None:
    path = tmp_path / "wide.pt2"
    wide = nn.Linear(301, 513)  # wide enough for the thread pool
    torch.export.save(torch.export.export(wide, (torch.randn(33, 301),)), path)
    devproc.compile(path, threads=2)
    done = subprocess.run(
        [sys.executable, "-c", WARM, str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_other_weights_are_another_program() -> None:
    net = Net()
    devproc.compile(export(net))
    with torch.no_grad():
        net.first.weight[0, 0] += 1.0
    changed = devproc.compile(export(net))
    assert not is_cached(changed)
    check(changed, net)
    with torch.no_grad():  # The same numbers in another order.
        net.first.weight.copy_(net.first.weight.flip(0).clone())
    flipped = devproc.compile(export(net))
    assert not is_cached(flipped)
    check(flipped, net)


def test_the_same_object_with_changed_weights_is_another_program() -> None:
    net = Net()
    exported = export(net)
    devproc.compile(exported)
    with torch.no_grad():
        exported.state_dict["table"].numpy()[3, 5] = 7.0
    changed = devproc.compile(exported)
    assert not is_cached(changed)
    check(changed, net)


@pytest.mark.parametrize("warm", [False, True])
def test_later_training_does_not_reach_the_program(warm: bool) -> None:
    net = Net()
    wanted = [value.clone() for value in net(X)]
    program = devproc.compile(export(net))
    if warm:
        program = devproc.compile(export(net))
        assert is_cached(program)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.fill_(3.0)
    for found, value in zip(program(X), wanted, strict=True):
        torch.testing.assert_close(found, value.detach(), rtol=2e-5, atol=2e-5)


def test_another_graph_is_another_program() -> None:
    net = Net(0.25)
    devproc.compile(export(net))
    net.slope = 0.5  # The same weights, one number of the graph.
    changed = devproc.compile(export(net))
    assert not is_cached(changed)
    check(changed, net)


def test_an_initial_state_is_part_of_the_key() -> None:
    class Counter(nn.Module):
        def __init__(self, start: float) -> None:
            super().__init__()
            self.register_buffer("count", torch.full((3,), start))
            self.count: torch.Tensor

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.count.add_(x)
            return self.count * 2.0

    x = torch.ones(3)
    for start in (1.0, 5.0, 1.0):
        program = devproc.compile(export(Counter(start), x))
        assert torch.equal(program(x), torch.full((3,), 2.0 * (start + 1.0)))
    assert is_cached(program)  # pyright: ignore[reportPossiblyUnboundVariable]


def test_other_options_are_another_program() -> None:
    exported = export(Net())
    devproc.compile(exported, threads=1)
    assert is_cached(devproc.compile(exported, threads=1))
    assert not is_cached(devproc.compile(exported, threads=2))
    assert not is_cached(devproc.compile(exported, threads=1, precision="strict"))
    assert not is_cached(devproc.compile(exported, threads=1, cpu="x86-64-v3"))
    assert not is_cached(devproc.compile(exported, threads=1, check_bounds=True))
    assert not is_cached(devproc.compile(exported, threads=1, cache=False))


def test_another_compiler_or_machine_is_another_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_sources = cache_key._own_sources  # pyright: ignore[reportPrivateUsage]

    def version() -> object:
        own_sources.cache_clear()
        return cache_key.compiler_version("cpu")

    package = Path(devproc.__file__).parent
    place = Path(cache_key.__file__).relative_to(package)
    monkeypatch.setattr(cache_key, "__file__", str(tmp_path / place))
    module = tmp_path / "transforms" / "fold.py"
    module.parent.mkdir()
    module.write_text("a = 1\n")
    found = {version()}
    module.write_text("a = 2\n")
    found.add(version())
    module.rename(module.with_name("renamed.py"))
    found.add(version())
    monkeypatch.setattr(backend("cpu"), "machine", lambda: "another processor")
    found.add(version())
    own_sources.cache_clear()
    assert len(found) == 4


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "zeros", "missing"])
@pytest.mark.parametrize("kind", ["zip", "bin"])
def test_a_damaged_entry_is_made_again(folder: Path, kind: str, damage: str) -> None:
    net = Net()
    devproc.compile(export(net))
    (path,) = folder.rglob(f"*.{kind}")
    data = path.read_bytes()
    middle = len(data) // 2
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(
            {
                "empty": b"",
                "cut": data[:-9],
                "flipped": data[:99] + bytes([data[99] ^ 4]) + data[100:],
                "zeros": data[:middle] + bytes(len(data) - middle),
            }[damage]
        )
    again = devproc.compile(export(net))
    check(again, net)
    assert not is_cached(again)
    assert is_cached(devproc.compile(export(net)))


def test_a_file_is_known_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "net.pt2"
    for seed in range(2):
        torch.manual_seed(seed)
        net = Net()
        torch.export.save(export(net), path)
        cold = devproc.compile(path)
        assert not is_cached(cold)
        check(cold, net)
        warm = devproc.compile(path)
        assert is_cached(warm)
        check(warm, net)


def test_a_warm_program_saves_and_traces(tmp_path: Path) -> None:
    net = Net()
    devproc.compile(export(net))
    warm = devproc.compile(export(net))
    assert is_cached(warm)
    warm.save(tmp_path / "net.devproc")
    check(devproc.load(tmp_path / "net.devproc"), net)
    traced = warm.trace(tmp_path / "trace.json", X)
    assert all(torch.equal(a, b) for a, b in zip(traced, warm(X), strict=True))


WORKER = """
import sys
import numpy as np
import devproc
folder = sys.argv[1]
x, wanted = np.load(folder + "/x.npy"), np.load(folder + "/wanted.npy")
for _ in range(3):
    program = devproc.compile(folder + "/net.json")
    np.testing.assert_allclose(program(x), wanted, rtol=1e-5, atol=1e-5)
assert "cache" in [record.name for record in program.timings]
"""


def test_two_processes_fill_the_cache_at_once(folder: Path, tmp_path: Path) -> None:
    """From a JSON file: what PyTorch takes to export a model would be most of the time."""
    net = nn.Sequential(nn.Linear(300, 200), nn.Linear(200, 7)).eval()
    x = torch.randn(3, 300)
    weights = tmp_path / "net.safetensors"
    export_json(export(net, x), tmp_path / "net.json", weights=weights)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "wanted.npy", net(x).detach())
    command = [sys.executable, "-c", WORKER, str(tmp_path)]
    workers = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(2)]
    for worker in workers:
        _, errors = worker.communicate()
        assert worker.returncode == 0, errors.decode()
    assert not list(folder.rglob("*.part"))
    assert list(folder.rglob("*.bin"))


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_an_empty_weight_is_kept(order: tuple[str, str]) -> None:
    """Also as the last one, behind a page of others."""
    arrays = {"a": np.arange(5, dtype=np.float32), "b": np.zeros((3, 0), np.float32)}
    for _ in range(2):  # The second time the file is there.
        found = artifact_cache.store_weights((n, "float32", arrays[n]) for n in order)
        assert found is not None
        table, record = found
        assert list(table) == list(order)
        for name in order:
            np.testing.assert_array_equal(table.array(name), arrays[name])
        assert [row[0] for row in record["rows"]] == list(order)


def test_the_oldest_entries_are_removed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    net = Net()
    devproc.compile(export(net))
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    for age, path in enumerate(files):
        os.utime(path, (age, age))
    kept = files[-1].stat().st_size
    artifact_cache.remove_oldest(kept)
    assert [p for p in files if p.exists()] == files[-1:]
    artifact_cache.remove_oldest(0)
    monkeypatch.setenv("DEVPROC_CACHE_LIMIT", "0")
    check(devproc.compile(export(net)), net)
    assert not list(folder.rglob("*.bin"))
    assert not list(folder.rglob("*.part"))


def test_an_operator_of_the_users_has_no_key_of_its_graph() -> None:
    from devproc.frontends.torch_export.graph.source_key import source_key

    @torch.library.custom_op("cachetest::twice", mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @twice.register_fake
    def _(x: torch.Tensor) -> torch.Tensor:  # pyright: ignore[reportUnusedFunction]
        return torch.empty_like(x)

    class Twice(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.ops.cachetest.twice(x)

    assert source_key(export(Twice())) is None
    assert source_key(export(Net())) is not None


def test_the_key_has_where_a_tensor_begins_in_its_storage() -> None:
    """`as_strided` counts from the storage's beginning."""
    from devproc.frontends.torch_export.graph.source_key import source_key

    class Buffer(nn.Module):
        def __init__(self, start: int) -> None:
            super().__init__()
            whole = torch.arange(8.0) - start
            self.register_buffer("part", whole[start : start + 4])

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + self.get_buffer("part").sum()

    keys = [
        source_key(torch.export.export(Buffer(start), (torch.ones(2),)))
        for start in (0, 2, 2)
    ]
    texts = [key and (key.parts["graph"], key.parts["weights"]) for key in keys]
    assert texts[0] != texts[1] == texts[2]
