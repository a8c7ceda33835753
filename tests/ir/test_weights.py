"""The table of weights: what it keeps, its hashes, and its file."""

from __future__ import annotations

import json
import mmap
import struct
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from devproc.errors import BundleError
from devproc.ir.types import DTYPES
from devproc.ir.weights.table import WeightTable, hash_of, storage_dtype

RNG = np.random.default_rng(0)


def random_array(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    bits = RNG.integers(0, 256, (*shape, storage_dtype(dtype).itemsize), np.uint8)
    if dtype == "bool":
        return bits[..., 0] > 127
    return bits.reshape(-1).view(storage_dtype(dtype)).reshape(shape)


def full_table() -> WeightTable:
    table = WeightTable()
    for dtype in DTYPES:
        for shape in ((), (0,), (3,), (2, 0, 3), (3, 1, 5)):
            name = f"{dtype}{list(shape)}"
            table.add(name, random_array(dtype, shape), dtype)
    return table


def test_file_keeps_every_bit(tmp_path: Path) -> None:
    table = full_table()
    table.save(tmp_path / "w.safetensors")
    loaded = WeightTable.load(tmp_path / "w.safetensors")
    loaded.verify()
    assert loaded.names() == table.names()
    for name in table:
        assert loaded.dtype(name) == table.dtype(name)
        assert loaded.hash(name) == table.hash(name)
        assert loaded.array(name).shape == table.array(name).shape
        assert loaded.array(name).tobytes() == table.array(name).tobytes()
    assert loaded.byte_count() == table.byte_count()


def test_file_is_what_safetensors_reads(tmp_path: Path) -> None:
    table = full_table()
    table.save(tmp_path / "w.safetensors")
    tensors = load_file(tmp_path / "w.safetensors")
    assert set(tensors) == set(table)
    for name, value in tensors.items():
        assert value.dtype == getattr(torch, table.dtype(name))
        content = value.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
        assert content == table.array(name).tobytes()


def test_file_of_another_writer(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    values = {
        "a": np.arange(6, dtype=np.int16).reshape(2, 3),
        "b": np.ones(1, np.float32),
    }
    save_file(values, tmp_path / "w.safetensors")
    table = WeightTable.load(tmp_path / "w.safetensors")
    table.verify()
    for name, value in values.items():
        np.testing.assert_array_equal(table.array(name), value)
        assert table.hash(name) == hash_of(value, value.dtype.name)


def test_loading_maps_the_file(tmp_path: Path) -> None:
    table = WeightTable()
    table.add("w", np.ones(10))
    table.save(tmp_path / "w.safetensors")
    owner: object = WeightTable.load(tmp_path / "w.safetensors").array("w")
    while isinstance(owner, np.ndarray):
        owner = owner.base
    assert isinstance(owner, mmap.mmap)


def test_empty_table(tmp_path: Path) -> None:
    WeightTable().save(tmp_path / "w.safetensors")
    assert len(WeightTable.load(tmp_path / "w.safetensors")) == 0


def test_hash_tells_dtype_shape_and_content_apart() -> None:
    zeros = np.zeros(4, np.uint16)
    variants = [
        (zeros, "bfloat16"),
        (zeros.view(np.float16), "float16"),
        (zeros.view(np.int16), "int16"),
        (zeros.reshape(2, 2).view(np.int16), "int16"),
        (np.ones(4, np.int16), "int16"),
    ]
    assert len({hash_of(array, dtype) for array, dtype in variants}) == len(variants)


def test_hash_does_not_depend_on_strides() -> None:
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert hash_of(np.asfortranarray(array), "float32") == hash_of(array, "float32")
    assert hash_of(array.T, "float32") == hash_of(array.T.copy(), "float32")
    assert hash_of(array[:, ::2], "float32") == hash_of(array[:, ::2].copy(), "float32")


def test_arrays_are_read_only_and_contiguous() -> None:
    table = WeightTable()
    table.add("w", np.arange(12).reshape(3, 4).T)
    array = table.array("w")
    assert array.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        array[0, 0] = 1


def test_update_prefixes_names() -> None:
    table, other = WeightTable(), WeightTable()
    other.add("fc.weight", np.ones(3))
    table.update(other, "model.")
    assert table.names() == ("model.fc.weight",)
    assert table.hash("model.fc.weight") == other.hash("fc.weight")


def test_subset() -> None:
    table = full_table()
    assert table.subset(["int8[3]", "bool[]"]).names() == ("int8[3]", "bool[]")


def test_same_content_may_be_added_twice() -> None:
    table = WeightTable()
    table.add("w", np.ones(3))
    first = table.hash("w")
    table.add("w", np.ones(3))
    assert table.hash("w") == first
    with pytest.raises(ValueError, match="'w' is already in the table with another"):
        table.add("w", np.zeros(3))


def test_wrong_dtype() -> None:
    table = WeightTable()
    with pytest.raises(ValueError, match="unknown dtype 'complex64'"):
        table.add("w", np.ones(3, np.complex64))
    with pytest.raises(
        ValueError, match="declared bfloat16, which is stored as uint16"
    ):
        table.add("w", np.ones(3, np.float32), "bfloat16")


def damaged(path: Path, change: str) -> None:
    table = WeightTable()
    table.add("w", np.arange(8, dtype=np.float32))
    table.save(path)
    data = bytearray(path.read_bytes())
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    if change == "cut":
        data = data[:-4]
    elif change == "long header":
        data[:8] = struct.pack("<Q", 1 << 60)
    elif change == "no header":
        data = bytearray(b"12")
    elif change == "text":
        data[8] = ord("[")
    else:
        header["w"].update(json.loads(change))
        text = json.dumps(header).encode()
        data = bytearray(struct.pack("<Q", len(text)) + text + data[8 + length :])
    path.write_bytes(data)


@pytest.mark.parametrize(
    "change",
    [
        "cut", "long header", "no header", "text",
        '{"dtype": "F8_E4M3"}', '{"shape": [9]}', '{"shape": "x"}',
        '{"data_offsets": [0, 64]}', '{"data_offsets": [-4, 28]}',
        '{"data_offsets": [32, 0]}', '{"data_offsets": [0]}',
    ],
)  # fmt: skip
def test_damaged_file(tmp_path: Path, change: str) -> None:
    damaged(tmp_path / "w.safetensors", change)
    with pytest.raises(BundleError, match=r"cannot load the weights of .*safetensors"):
        WeightTable.load(tmp_path / "w.safetensors")


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="cannot load"):
        WeightTable.load(tmp_path / "none.safetensors")


def test_changed_content_is_found(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    table = WeightTable()
    table.add("w", np.arange(8, dtype=np.float32))
    table.save(path)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(BundleError, match="weight 'w' is damaged"):
        WeightTable.load(path).verify()
