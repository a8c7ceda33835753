"""Explanations of the placement of single ops."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from devproc.dialects.dev import TargetAttr
from devproc.driver import make_context, run_stages, stages_before
from devproc.errors import CompileError
from devproc.ir.functions import function_named
from devproc.transforms.placed.assignment.cost_model import CostModel
from devproc.transforms.placed.assignment.explanation import Explanation, explain
from devproc.transforms.placed.assignment.requests import (
    Override,
    known_names,
    read_requests,
)
from devproc.transforms.placed.place_ops import choice_of, placeable_ops


def explain_ops(
    module: ModuleOp, pattern: str, most: int
) -> tuple[list[Explanation], int]:
    """The first ops that a glob matches, and how many more there are.

    `module` is at its first stage, with its options; it is used up. Raises CompileError
    if nothing matches.
    """
    run_stages(module, make_context(), stages_before("place-ops"))
    target = module.attributes["devproc.target"]
    assert isinstance(target, TargetAttr)
    main = function_named(module, "main")
    assert main is not None
    ops = placeable_ops(main.body.block)
    requests = read_requests(module, ops, target.device_names)
    choice = choice_of(ops, target, requests)
    wanted = Override(pattern, "")
    matched = [index for index, op in enumerate(ops) if wanted.matches(op)]
    if not matched:
        raise CompileError(
            f"'{pattern}' matches no op; {known_names(ops, pattern)}; ops that are "
            "combined before the placement have other names"
        )
    model = CostModel(target)
    found = [explain(choice, model, index) for index in matched[:most]]
    return found, len(matched) - len(found)
