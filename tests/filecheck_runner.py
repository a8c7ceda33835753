"""Run the RUN lines of FileCheck tests inside this process.

Starting `devproc-opt` costs a third of a second, running it some milliseconds; so the
tests call it as a function. The same files work under plain lit (`filecheck/lit.cfg`),
which is why the RUN lines are shell commands; the subset understood here is a pipe of
`devproc-opt`, `filecheck` and `not`, with `%s`, `2>&1` and `\\` continuations.
"""

from __future__ import annotations

import contextlib
import functools
import io
import re
import shlex
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path

from filecheck.error import CheckError
from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import parse_argv_options
from filecheck.parser import Parser
from xdsl.universe import Universe

from devproc.tools import devproc_opt

# Reading the entry points costs as much as a test, three times per tool; they do not
# change during a run.
Universe.get_multiverse = staticmethod(functools.cache(Universe.get_multiverse))

RUN = re.compile(r"^\s*//\s*RUN:\s*(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Result:
    """What a process would have left behind."""

    code: int
    stdout: str
    stderr: str


def run_lines(path: Path) -> list[str]:
    """The commands of a test file, continuations joined."""
    text = "\n".join(RUN.findall(path.read_text()))
    return [line for line in text.replace("\\\n", " ").splitlines() if line.strip()]


def run_devproc_opt(arguments: list[str], stdin: str = "") -> Result:
    """`devproc-opt` as a function."""
    out, err = io.StringIO(), io.StringIO()
    saved, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(stdin.encode()))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = devproc_opt.main(arguments)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        except Exception:
            traceback.print_exc()
            code = 1
        finally:
            sys.stdin = saved
    return Result(code or 0, out.getvalue(), err.getvalue())


def run_filecheck(arguments: list[str], stdin: str) -> Result:
    """`filecheck` as a function."""
    options = parse_argv_options(["filecheck", *arguments])
    matcher = Matcher(options, FInput("<pipe>", stdin), Parser.from_opts(options))
    matcher.stderr = err = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            code = matcher.run()
        except CheckError as error:  # a fault of the check itself, not of its input
            return Result(1, "", f"{error.op.source_line}: {error.message}")
    return Result(code, "", err.getvalue() + out.getvalue())


COMMANDS = {"devproc-opt": run_devproc_opt, "filecheck": run_filecheck}


def run_command(words: list[str], stdin: str) -> Result:
    """One command of a pipe."""
    if words[0] == "not":
        result = run_command(words[1:], stdin)
        return Result(int(result.code == 0), result.stdout, result.stderr)
    if words[0] not in COMMANDS:
        raise ValueError(f"RUN line: '{words[0]}' is none of {', '.join(COMMANDS)}")
    merge_stderr = "2>&1" in words
    result = COMMANDS[words[0]]([w for w in words[1:] if w != "2>&1"], stdin)
    if merge_stderr:
        return Result(result.code, result.stdout + result.stderr, "")
    return result


def pipe_commands(line: str) -> list[list[str]]:
    """Split a RUN line into the words of each command of its pipe."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|")
    lexer.whitespace_split = True
    commands: list[list[str]] = [[]]
    for word in lexer:
        if word == "|":
            commands.append([])
        else:
            commands[-1].append(word)
    return commands


def check_file(path: Path) -> str | None:
    """Run a test file; None when it passes, else what failed and how to repeat it."""
    lines = run_lines(path)
    if not lines:
        return f"{path}: no RUN line"
    for line in lines:
        line = line.replace("%s", str(path))
        stream = ""
        for words in pipe_commands(line):
            result = run_command(words, stream)
            if result.code:
                return f"{line}\nexit {result.code} in: {shlex.join(words)}\n" + (
                    f"{result.stderr}\n-- its input --\n{stream[:4000]}"
                )
            stream = result.stdout
    return None
