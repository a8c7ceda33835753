"""The process of a model on one engine.

Its argument is a `Task` of `measure` in JSON. It answers with lines of JSON: facts when the
model is built, then the times of a burst for each line on stdin, a number of seconds.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from math import nan
from pathlib import Path
from typing import Any

from devproc.errors import BuildError, DevProcError
from devproc.tools.bench.engines import Call, Model, prepare

LEAST = 3
"""Fewest calls of a burst."""


def load_module(path: Path) -> Any:
    """The Python module in a file, whose folder is removed from the search path."""
    folder = path.parent.resolve()
    sys.path[:] = [p for p in sys.path if Path(p or ".").resolve() != folder]
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_model(task: dict[str, Any], read_path: Callable[[str], Any]) -> Model:
    """The model of a task: of `build(name)` in a file of models, or of a SOURCE."""
    if task["models"] is not None:
        module, inputs = load_module(Path(task["models"])).build(task["source"])
        return Model(module.eval(), tuple(inputs), {})
    trust = task["options"].get("trust_pickle", False)
    return model_of(read_path(task["source"]), trust)


def model_of(source: Any, trust_pickle: bool = False) -> Model:
    """The model of an exported program, or of its file; raises BuildError for others."""
    from devproc.frontends.torch_export.graph.source import exported_program

    if type(source).__name__ == "Pipeline":
        raise BuildError(
            "a pipeline runs on no other engine: give the exported model, a .pt2 file or "
            "an ExportedProgram in app.py:NAME"
        )
    exported = exported_program(source, trust_pickle)
    if exported.example_inputs is None:
        raise BuildError("the exported program has no example inputs; export it again")
    args, kwargs = exported.example_inputs
    return Model(exported.module(), tuple(args), dict(kwargs), exported)


def errors_of(outputs: Any, model: Model) -> dict[str, float]:
    """Errors of the engine and of eager PyTorch relative to the model in float64.

    NaN if the model does not run in float64.
    """
    from devproc.accuracy import float64_outputs, largest_error, outputs_of

    eager = outputs_of(model.module(*model.args, **model.kwargs))
    try:
        exact = float64_outputs(model.module, model.args, model.kwargs)
        found = outputs_of(outputs)
        return {
            "error": largest_error(found, exact),
            "torch_error": largest_error(eager, exact),
        }
    except (RuntimeError, TypeError, ValueError):
        return {"error": nan, "torch_error": nan}


def burst(
    call: Call, seconds: float, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Times of consecutive calls, after one that wakes the threads."""
    call()
    times: list[float] = []
    end = clock() + seconds
    while clock() < end or len(times) < LEAST:
        started = clock()
        call()
        times.append(clock() - started)
    return times


def main(read_path: Callable[[str], Any]) -> None:
    """Builds the model of `sys.argv`, then answers one burst for each line of stdin.

    `read_path` gives what a SOURCE names.
    """
    task = json.loads(sys.argv[1])
    # Output of libraries must not be mixed with the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.filterwarnings("ignore")

    def answer(found: object) -> None:
        print(json.dumps(found), file=answers, flush=True)

    import torch

    torch.set_num_threads(task["options"]["threads"])
    with torch.no_grad():
        try:
            model = read_model(task, read_path)
            build = prepare(task["engine"], model, task["options"])
            started = time.perf_counter()
            call = build()
            first = call()
            seconds = time.perf_counter() - started
        # An engine may raise anything; the others are timed without it.
        except Exception as error:
            text = str(error).strip()
            lines = text if isinstance(error, DevProcError) else text.partition("\n")[0]
            answer({"failed": f"{type(error).__name__}: {lines}"})
            return
        answer({"build_s": seconds, **errors_of(first, model)})
        for line in sys.stdin:
            answer(burst(call, float(line)))
