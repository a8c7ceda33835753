"""Texts of the IR, broken by hand: `devproc-opt` refuses them in words, or takes them.

A text is a FileCheck test, or a stage of the program that `tests/filecheck/pipeline/`
follows, with a few tokens deleted, repeated, exchanged or replaced. What still verifies
goes on: through the pass of its test, or the stages after it, and to machine code, where
LLVM would end the process.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from devproc.errors import CompileError
from devproc.ir.object_cache import ObjectCache
from devproc.stages import STAGES
from devproc.targets.cpu.jit import compile_object
from tests.filecheck_runner import run_devproc_opt, run_lines

FILECHECK = Path(__file__).parents[1] / "filecheck"
TOKEN = re.compile(r'"[^"\n]*"|[%#@!^]?[\w.$-]+|\s+|.')
NUMBERS = ("0", "1", "-1", "2", "7", "63", "64", "4294967296", "9223372036854775807")
TYPES = (
    "f32",
    "f64",
    "f16",
    "bf16",
    "i1",
    "i8",
    "ui8",
    "i32",
    "i64",
    "index",
    "f8E4M3",
)
PUNCTUATION = ("(", ")", "<", ">", "{", "}", "[", "]", ",", ":", "=", "->", '"', "?")
NESTED = 3000
"""Brackets inside each other, more than Python's stack takes."""

Tokens = list[str]
Mutation = Callable[[random.Random, Tokens, int], None]


def _delete(rng: random.Random, tokens: Tokens, at: int) -> None:
    del tokens[at : at + rng.randint(1, 4)]


def _repeat(rng: random.Random, tokens: Tokens, at: int) -> None:
    tokens[at:at] = tokens[at : at + rng.randint(1, 12)]


def _exchange(rng: random.Random, tokens: Tokens, at: int) -> None:
    other = rng.randrange(len(tokens))
    tokens[at], tokens[other] = tokens[other], tokens[at]


def _copy(rng: random.Random, tokens: Tokens, at: int) -> None:
    """A token of the same kind from elsewhere."""
    kind = tokens[at][0]
    same = [token for token in tokens if token[0] == kind]
    tokens[at] = rng.choice(same)


def _number(rng: random.Random, tokens: Tokens, at: int) -> None:
    places = [i for i, token in enumerate(tokens) if re.fullmatch(r"-?\d+", token)]
    if places:
        tokens[rng.choice(places)] = rng.choice(NUMBERS)


def _type(rng: random.Random, tokens: Tokens, at: int) -> None:
    element = re.compile(rf"\b(\d+x)?({'|'.join(TYPES)})$")
    places = [i for i, token in enumerate(tokens) if element.search(token)]
    if places:
        place = rng.choice(places)
        tokens[place] = element.sub(rf"\g<1>{rng.choice(TYPES)}", tokens[place])


def _shape(rng: random.Random, tokens: Tokens, at: int) -> None:
    places = [i for i, token in enumerate(tokens) if re.match(r"\d+x", token)]
    if places:
        place = rng.choice(places)
        size = rng.choice((*NUMBERS, "?"))
        tokens[place] = re.sub(r"\d+(?=x)", size, tokens[place], count=1)


def _punctuation(rng: random.Random, tokens: Tokens, at: int) -> None:
    tokens[at] = rng.choice(PUNCTUATION)


def _truncate(rng: random.Random, tokens: Tokens, at: int) -> None:
    del tokens[at:]


def _garble(rng: random.Random, tokens: Tokens, at: int) -> None:
    tokens[at] = "".join(chr(rng.choice((0, 9, 92, 34, 255, 960))) for _ in range(3))


def _nest(rng: random.Random, tokens: Tokens, at: int) -> None:
    tokens.insert(at, rng.choice("[(<{") * NESTED)


FREQUENT: tuple[Mutation, ...] = (_copy, _number, _type, _shape, _exchange, _delete)
MUTATIONS: tuple[Mutation, ...] = (
    *FREQUENT * 3,
    *(_repeat, _punctuation, _truncate, _garble, _nest),
)


@cache
def sources() -> Sequence[tuple[str, tuple[str, ...]]]:
    """Each text with the options that it is run with."""
    found: list[tuple[str, tuple[str, ...]]] = []
    for path in sorted(FILECHECK.rglob("*.mlir")):
        if path.parent.name == "pipeline":
            continue
        words = run_lines(path)[0].split("|")[0].split()
        options = tuple(w for w in words[1:] if w != "%s" and ">" not in w)
        text = re.sub(r"^\s*//(?! -----).*\n", "", path.read_text(), flags=re.MULTILINE)
        for chunk in text.split("// -----"):
            found.append((chunk, options))
    names = [stage.name for stage in STAGES]
    for path in sorted((FILECHECK / "pipeline").glob("*.mlir")):
        text = re.sub(r"^\s*//.*\n", "", path.read_text(), flags=re.MULTILINE)
        name = path.stem.partition("-")[2]
        if name in names:
            go_on = ("--from-stage", name, "--to-stage", "llvm", "-t", "llvm-ir")
            found += [(text, go_on)] * 6
    return found


def mutated(seed: int) -> tuple[str, list[str]]:
    """A broken text, and the options of `devproc-opt` for it."""
    rng = random.Random(seed)
    text, options = rng.choice(sources())
    tokens = TOKEN.findall(text)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        if tokens:
            rng.choice(MUTATIONS)(rng, tokens, rng.randrange(len(tokens)))
    return "".join(tokens), list(options)


def check_text(seed: int) -> None:
    """Raises AssertionError where a text is not refused in words; LLVM may do worse."""
    text, options = mutated(seed)
    result = run_devproc_opt(options, text)
    failure = f"{' '.join(options)}\n{text}\n{result.stderr}"
    assert "Traceback" not in result.stderr, failure
    assert result.code in (0, 1, 2), failure
    assert result.code == 0 or result.stderr, failure
    for name in ("AssertionError", "AttributeError", "RecursionError", "struct.error"):
        assert not result.stderr.startswith(f"devproc-opt: {name}"), failure
    if result.code == 0 and "llvm-ir" in options and result.stdout.strip():
        try:
            compile_object(result.stdout, cache=ObjectCache(None))
        except CompileError:
            return
