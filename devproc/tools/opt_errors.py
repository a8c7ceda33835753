"""Errors of `devproc-opt`: the message, and the location in the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec
from xdsl.utils.exceptions import DiagnosticException, ParseError

from devproc.errors import CompileError, DevProcError, did_you_mean
from devproc.settings import debug_level

REFUSALS = (DevProcError, DiagnosticException, ParseError, OSError)
"""Errors in the input or the options; any other error is a bug."""

WHOLE, AROUND = 40, 6
"""Most lines of a module in a message; of longer ones, lines around the mark."""


def message_of(error: Exception) -> str:
    """The message of an error, and the module with a mark where a verifier failed.

    For internal errors the name of the exception precedes the message.
    """
    is_message = isinstance(error, (*REFUSALS, ValueError)) and str(error)
    text = str(error) if is_message else f"{type(error).__name__}: {error}"
    return "\n".join([text, *_notes(error)]).rstrip()


def _notes(error: BaseException | None) -> Iterator[str]:
    """The notes of an error and of its causes."""
    while error is not None:
        yield from map(_excerpt, getattr(error, "__notes__", ()))
        error = error.__cause__


def _excerpt(note: str) -> str:
    """A module with a mark under an op; of a long one only the lines around the mark."""
    lines = note.splitlines()
    marked = [i for i, line in enumerate(lines) if line.lstrip().startswith("^^")]
    if len(lines) <= WHOLE or not marked:
        return note
    first = max(0, marked[0] - AROUND)
    shown = lines[first : marked[0] + AROUND]
    return "\n".join([f"... line {first + 1} of {len(lines)}", *shown, "..."])


def is_defect(error: Exception) -> bool:
    """Whether an error of a pass is a defect of the compiler, not of its input.

    A module that no longer verifies after a pass is one, since it did before.
    """
    cause = error.__cause__ if isinstance(error, CompileError) else None
    return not isinstance(cause or error, (CompileError, ParseError, OSError)) and (
        not isinstance(cause or error, DiagnosticException) or cause is not None
    )


def make_pass(
    spec: ArgSpec, available: Mapping[str, Callable[[], type[ModulePass]]]
) -> ModulePass:
    """The pass of a spec; raises CompileError that names the pass, or its option."""
    name = spec.name
    if name not in available:
        hint = did_you_mean(name, available)
        raise CompileError(f"unknown pass '{name}'{hint} (--help lists all)")
    pass_class = available[name]()
    options = [field.name for field in fields(pass_class)]
    for option in spec.normalize_parameter_names().parameters:
        if option not in options:
            listed = ", ".join(_spelled(o) for o in options) or "none"
            hint = did_you_mean(_spelled(option), map(_spelled, options))
            raise CompileError(
                f"pass '{name}' has no option '{_spelled(option)}'; "
                f"it has {listed}{hint}"
            )
    try:
        return pass_class.from_pass_spec(spec)
    # xDSL raises different errors for values of a wrong type, and for missing ones.
    except Exception as error:
        raise CompileError(f"pass '{name}': {error}") from error


def _spelled(option: str) -> str:
    """A field's name as the command line spells it."""
    return option.replace("_", "-")


def shows_traces() -> bool:
    """Whether internal errors show a traceback: with `DEVPROC_DEBUG`."""
    return debug_level() > 0
