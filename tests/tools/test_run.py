"""`devproc run`: inputs from files, names of scores, times; and what cannot be read."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import Result
from PIL import Image
from torch import nn

import devproc
from devproc.errors import InputError

Command = Callable[..., Result]
ROWS, COLUMNS = 7, 11
LABELS = ("cat", "dog", "bird")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Saved programs, and the same pixels in every format."""
    path = tmp_path_factory.mktemp("run")
    pipe = devproc.pipeline("scores")
    image = pipe.input("image", "uint8", (ROWS, COLUMNS, 3))
    x = pipe.normalize(image, mean=(0.5, 0.5, 0.5), std=(0.5, 0.5, 0.5))
    torch.manual_seed(0)
    net = nn.Sequential(nn.Flatten(0), nn.Linear(ROWS * COLUMNS * 3, 3), nn.Softmax(0))
    model = torch.export.export(net.eval(), (torch.randn(ROWS, COLUMNS, 3),))
    scores = pipe.model(model, x)
    pipe.output("scores", scores)
    pipe.output("best", pipe.argmax(scores, axis=-1))
    devproc.compile(pipe, cache=False).save(path / "scores.devproc")
    two = torch.export.export(Sum(), (torch.zeros(2, 3), torch.zeros(3)))
    devproc.compile(two, cache=False).save(path / "sum.devproc")
    pixels = np.random.default_rng(0).integers(0, 256, (ROWS, COLUMNS, 3), np.uint8)
    Image.fromarray(pixels).save(path / "image.png")
    Image.fromarray(pixels[1:]).save(path / "small.png")
    np.save(path / "image.npy", pixels)
    np.savez(path / "named.npz", image=pixels, other=pixels)
    np.savez(path / "one.npz", pixels)
    pixels.tofile(path / "image.raw")
    (path / "labels.txt").write_text("\n".join(LABELS))
    (path / "labels.json").write_text(
        json.dumps({str(i): n for i, n in enumerate(LABELS)})
    )
    return path


class Sum(nn.Module):
    """Two inputs; counts its calls."""

    calls: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros(1, dtype=torch.int64))

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
        self.calls.add_(1)
        return [x + y, self.calls * 1]


def wanted(folder: Path) -> np.ndarray:
    """The scores, by the program called from Python."""
    program = devproc.load(folder / "scores.devproc")
    return program(image=np.load(folder / "image.npy"))["scores"]


@pytest.mark.parametrize(
    "given",
    ["image=image.png", "image.npy", "named.npz", "image=one.npz", "image.raw"],
)
def test_every_format_gives_the_same(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.chdir(folder)
    command("run", "scores.devproc", "-i", given, "-o", "out")
    with np.load("out") as found:
        np.testing.assert_array_equal(found["scores"], wanted(folder))


@pytest.mark.parametrize("mode", ["RGBA", "L", "P", "1", "CMYK"])
def test_pictures_of_other_modes_are_converted(
    command: Command, folder: Path, tmp_path: Path, mode: str
) -> None:
    path = tmp_path / "image.png" if mode != "CMYK" else tmp_path / "image.tif"
    Image.open(folder / "image.png").convert(mode).save(path)
    given = np.asarray(Image.open(path).convert("RGB"))
    program = devproc.load(folder / "scores.devproc")
    command("run", folder / "scores.devproc", "-i", path, "-o", tmp_path / "o.npz")
    with np.load(tmp_path / "o.npz") as found:
        np.testing.assert_array_equal(found["scores"], program(image=given)["scores"])


def test_names_of_the_best_scores(command: Command, folder: Path) -> None:
    scores = wanted(folder)
    order = np.argsort(-scores)
    for labels in ("labels.txt", "labels.json"):
        done = command(
            "run", folder / "scores.devproc", "-i", folder / "image.png",
            "--labels", folder / labels, "--top", "2",
        )  # fmt: skip
        lines = [line.split() for line in done.output.splitlines()]
        assert lines[0] == ["scores:"]
        for line, place in zip(lines[1:3], order, strict=False):
            assert line[1:] == [str(place), LABELS[place]]
            assert float(line[0]) == pytest.approx(scores[place], rel=1e-5)
        assert lines[3] == ["best", "=", str(order[0])]
        assert lines[4] == [LABELS[order[0]]]
    done = command(
        "run", folder / "scores.devproc", "-i", folder / "image.png", "--top", "1"
    )
    assert len(done.output.splitlines()) == 3


def test_several_inputs_state_and_times(
    command: Command, folder: Path, tmp_path: Path
) -> None:
    x, y = np.full((2, 3), 1.5, np.float32), np.arange(3, dtype=np.float32)
    np.savez(tmp_path / "both.npz", x=x, y=y)
    done = command(
        "run", folder / "sum.devproc", "-i", tmp_path / "both.npz", "--repeat", "3",
        "-o", tmp_path / "out.npz", "--trace", tmp_path / "trace.json",
    )  # fmt: skip
    assert "time of 3 calls: median " in done.output
    assert ", least " in done.output
    with np.load(tmp_path / "out.npz") as found:
        first, calls = (found[name] for name in found.files)
        np.testing.assert_array_equal(first, x + y)
        assert calls == 1
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert sum(e["ph"] == "X" for e in events) == done.output.count("%")


def test_texts(command: Command, tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    words = {"[PAD]": 0, "a": 1, "b": 2, "[UNK]": 3}
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordLevel(words, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens(["[PAD]"])
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    pipe = devproc.pipeline("texts")
    ids, mask = pipe.tokenize("text", tmp_path / "tokenizer.json", count=2, length=3)
    pipe.output("ids", ids)
    pipe.output("mask", mask)
    saved = tmp_path / "texts.devproc"
    program = devproc.compile(pipe, cache=False)
    assert "text: string (2) -> ids: int64 (2, 3)" in repr(program)
    assert len(repr(program.artifact.calling)) < 500
    program.save(saved)
    (tmp_path / "texts.txt").write_text("b a\nb\n")
    done = command("run", saved, "-i", f"text={tmp_path / 'texts.txt'}")
    assert "ids = [[2 1 0]\n [2 0 0]]" in done.output
    (tmp_path / "three.txt").write_text("b\na\nb\n")
    with pytest.raises(InputError, match="must be a list of 2 strings, got 3"):
        command("run", saved, "-i", tmp_path / "three.txt")
    (tmp_path / "latin.txt").write_bytes("\xe4".encode("latin-1"))
    with pytest.raises(InputError, match="is not UTF-8"):
        command("run", saved, "-i", tmp_path / "latin.txt")
    np.save(tmp_path / "x.npy", np.zeros(2))
    with pytest.raises(InputError, match=r"takes texts: give a \.txt file"):
        command("run", saved, "-i", tmp_path / "x.npy")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.png", None, "input 'image': no file"),
        ("bad.png", b"no picture", "is not a picture that Pillow reads"),
        ("cut.png", b"\x89PNG\r\n\x1a\n", "is not a picture that Pillow reads"),
        ("bad.npy", b"no array", "is not an array that NumPy wrote"),
        ("empty.npy", b"", "is not an array that NumPy wrote"),
        ("bad.npz", b"PK\x03\x04no archive", "is not an array that NumPy wrote"),
        ("short.raw", b"123", r"is 231 bytes, .*short\.raw has 3"),
        ("some.txt", b"hello", "takes numbers, not"),
        ("image.heic", b"", r"has none of the suffixes \.npy"),
    ],
)
def test_files_that_cannot_be_read(
    command: Command, folder: Path, tmp_path: Path, name: str, content: bytes | None,
    message: str,
) -> None:  # fmt: skip
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        command("run", folder / "scores.devproc", "-i", f"image={tmp_path / name}")


def test_values_that_do_not_fit(command: Command, folder: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "objects.npy", np.array([{}]), allow_pickle=True)
    np.save(tmp_path / "float.npy", np.zeros((ROWS, COLUMNS, 3)))
    saved = folder / "scores.devproc"
    for given, message in (
        (tmp_path / "objects.npy", "pickled objects are not read"),
        (tmp_path / "float.npy", "must be uint8 .* got float64"),
        (
            folder / "small.png",
            r"7 rows x 11 columns, .* has 6 x 11; scale .* to 11 x 7",
        ),
        (f"image={folder / 'named.npz'}", None),
        (f"imge={folder / 'image.png'}", "not an input.*did you mean 'image'"),
    ):
        if message is None:
            command("run", saved, "-i", given)
            continue
        with pytest.raises(InputError, match=message):
            command("run", saved, "-i", given)
    with pytest.raises(InputError, match="'image' is missing"):
        command("run", saved)
    with pytest.raises(
        InputError, match="write --input NAME=FILE; the inputs are x: f"
    ):
        command("run", folder / "sum.devproc", "-i", folder / "image.npy")
    with pytest.raises(InputError, match="'image' is not an input, 'other' is not"):
        command("run", folder / "sum.devproc", "-i", folder / "named.npz")
    message = "takes no picture .* begin the program with a pipeline"
    with pytest.raises(InputError, match=message):
        command("run", folder / "sum.devproc", "-i", f"x={folder / 'image.png'}")


def test_labels_that_do_not_fit(command: Command, folder: Path, tmp_path: Path) -> None:
    base = ("run", folder / "scores.devproc", "-i", folder / "image.png", "--labels")
    for name, text, message in (
        ("none.txt", None, "cannot read"),
        ("bad.json", "{", "cannot read"),
        ("gaps.json", '{"0": "a", "2": "b"}', "the numbers of the labels have gaps"),
        ("number.json", "3", "neither a list nor a dict"),
        ("none.json", "[]", "no output has"),
    ):
        if text is not None:
            (tmp_path / name).write_text(text)
        with pytest.raises(InputError, match=message):
            command(*base, tmp_path / name)


def test_without_pillow(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(InputError, match="pip install pillow"):
        command("run", folder / "scores.devproc", "-i", folder / "image.png")
