"""`.pt2` files that would run code as they are loaded: refused before anything runs."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import devproc
from devproc.errors import BundleError
from devproc.frontends.torch_export.importer import import_program

X = torch.ones(2, 3)


class Marker:
    """An object whose unpickling makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, str]]:
        return open, (str(self.path), "w")


class Net(nn.Module):
    """A parameter, a buffer and a constant."""

    scale: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.register_buffer("scale", torch.ones(3))
        self.shift = torch.ones(3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x) * self.scale + self.shift


@pytest.fixture
def members(tmp_path: Path) -> dict[str, bytes]:
    """The files of a good archive, by their names."""
    path = tmp_path / "net.pt2"
    torch.export.save(torch.export.export(Net().eval(), (X,)), path)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written(path: Path, members: dict[str, bytes]) -> Path:
    """The archive of these files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def saved(value: object) -> bytes:
    """What `torch.save` writes."""
    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()


def in_config(kind: str, path_name: str, data: bytes) -> Callable[..., None]:
    """Makes the first entry of a list of weights or constants a pickle."""

    def change(members: dict[str, bytes]) -> None:
        name = f"net/data/{kind}/model_{kind}_config.json"
        config = json.loads(members[name])
        entry = next(iter(config["config"].values()))
        entry.update(path_name=path_name, use_pickle=True)
        members[name] = json.dumps(config).encode()
        members[f"net/data/{kind}/{path_name}"] = data

    return change


def as_member(name: str, data: bytes) -> Callable[..., None]:
    """Adds or replaces one file."""
    return lambda members: members.update({name: data})


def with_size(text: str) -> Callable[..., None]:
    """Makes the size of an input a symbol with this text."""

    def change(members: dict[str, bytes]) -> None:
        name = "net/models/model.json"
        document = json.loads(members[name])
        values = document["graph_module"]["graph"]["tensor_values"]
        symbol = {"as_expr": {"expr_str": text, "hint": {"as_int": 2}}}
        values["x"]["sizes"][0] = symbol
        members[name] = json.dumps(document).encode()

    return change


def as_old_file(which: str, data: bytes) -> Callable[..., None]:
    """An archive as PyTorch 2.7 wrote it, with one of its pickles replaced."""

    def change(members: dict[str, bytes]) -> None:
        program = members["net/models/model.json"]
        inputs = members["net/data/sample_inputs/model.pt"]
        members.clear()
        version = ".".join(map(str, json.loads(program)["schema_version"].values()))
        members |= {
            "version": version.encode(),
            "serialized_exported_program.json": program,
            "serialized_state_dict.pt": saved({}),
            "serialized_constants.pt": saved({}),
            "serialized_example_inputs.pt": inputs,
            which: data,
        }

    return change


def attacks(marker: Path) -> dict[str, Callable[[dict[str, bytes]], None]]:
    """Name -> what turns a good archive into one that makes the marker."""
    evil = Marker(marker)
    plain, inputs, state = (
        pickle.dumps(evil),
        saved(((evil,), {})),
        saved({"scale": evil}),
    )
    call = f"open('{marker}', 'w')"
    coded = "exec(" + "+".join(f"chr({ord(c)})" for c in call) + ")"
    old = "serialized_{}.pt".format
    return {
        "sample inputs": as_member("net/data/sample_inputs/model.pt", inputs),
        "plain pickle": as_member("net/data/sample_inputs/model.pt", plain),
        "legacy weights": as_member("net/data/weights/model.pt", state),
        "legacy constants": as_member("net/data/constants/model.pt", state),
        "pickled weight": in_config("weights", "weight_9", saved(evil)),
        "pickled constant": in_config("constants", "tensor_9", saved(evil)),
        "opaque constant": in_config("constants", "opaque_obj_0", plain),
        "object": in_config("constants", "custom_obj_0", plain),
        "old inputs": as_old_file(old("example_inputs"), inputs),
        "old weights": as_old_file(old("state_dict"), state),
        "old constants": as_old_file(old("constants"), state),
        "oldest weights": as_old_file("serialized_state_dict.json", state),
        "size": with_size(call),
        "coded size": with_size(coded),
        "library": as_member("net/data/aotinductor/model/a.so", b"\x7fELF"),
    }


NAMES = tuple(attacks(Path("marker")))


@pytest.mark.parametrize("name", NAMES)
def test_nothing_runs(name: str, members: dict[str, bytes], tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    attacks(marker)[name](members)
    path = written(tmp_path / "bad.pt2", members)
    with pytest.raises(BundleError, match=r"could run code.*trust_pickle=True"):
        devproc.compile(path, cache=False)
    assert not marker.exists()


@pytest.mark.parametrize(
    "name", ["sample inputs", "pickled weight", "old inputs", "size", "coded size"]
)
def test_who_trusts_a_file_has_its_code_run(
    name: str, members: dict[str, bytes], tmp_path: Path
) -> None:
    """That PyTorch does what the test before says it would."""
    marker = tmp_path / "marker"
    attacks(marker)[name](members)
    path = written(tmp_path / "bad.pt2", members)
    try:
        import_program(path, trust_pickle=True)
    except BundleError:
        pass  # The file is no model either.
    assert marker.exists()


def test_two_files_of_one_name(members: dict[str, bytes], tmp_path: Path) -> None:
    """Two readers of the archive might take one each."""
    members["net/data/sample_inputs/MODEL.pt"] = b""
    with pytest.raises(BundleError, match="two files of the archive"):
        import_program(written(tmp_path / "bad.pt2", members))


def test_a_good_file_loads(members: dict[str, bytes], tmp_path: Path) -> None:
    path = written(tmp_path / "net.pt2", members)
    found = devproc.compile(path, cache=False)(X)
    wanted = torch.export.load(path).module()(X)
    torch.testing.assert_close(found, wanted)


def test_symbolic_sizes_of_a_good_file_are_told(tmp_path: Path) -> None:
    """They are refused as sizes, not as code."""
    batch = torch.export.Dim("batch", min=2, max=64)
    shapes = ({0: batch * 3},)
    given = torch.ones(6, 3)
    exported = torch.export.export(Net().eval(), (given,), dynamic_shapes=shapes)
    torch.export.save(exported, tmp_path / "net.pt2")
    with pytest.raises(devproc.UnsupportedError, match="is dynamic"):
        import_program(tmp_path / "net.pt2")
