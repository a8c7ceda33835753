"""Answers to lesson 0, and wrong ones with a part of the hint that each must get."""

import runpy
import sys
from dataclasses import replace
from pathlib import Path

MAXIMUM = "({0} if {0} >= {1} or {0} != {0} else {1})"


def remove_dead(ops: list) -> list:
    needed = set()
    for op in reversed(ops):  # readers before what they read
        if op.name in ("return", "input") or op in needed:
            needed |= {op, *op.operands}
    return [op for op in ops if op in needed]


def merge_equal(ops: list) -> list:
    seen, replaced, kept = {}, {}, []
    for op in ops:
        new = replace(op, operands=tuple(replaced[x] for x in op.operands))
        key = (new.name, new.number, new.operands)
        if op.name == "input" or key not in seen:
            seen[key] = new
            kept.append(new)
        replaced[op] = seen[key]
    return kept


def removes_what_nobody_reads(ops: list) -> list:
    read = {x for op in ops for x in op.operands}
    return [op for op in ops if op in read or op.name == "return"]


def removes_operands_of_live_ops(ops: list) -> list:
    last = ops[-1]
    return [op for op in ops if op.name == "input" or op in (last, *last.operands)]


def removes_unread_inputs(ops: list) -> list:
    return [op for op in remove_dead(ops) if op.name != "input" or op is ops[0]]


def loses_the_return(ops: list) -> list:
    read = {x for op in ops for x in op.operands}
    return [op for op in ops if op in read]


def reverses(ops: list) -> list:
    needed, kept = set(), []
    for op in reversed(ops):
        if op.name in ("return", "input") or op in needed:
            needed |= set(op.operands)
            kept.append(op)
    return kept


def merges_inputs(ops: list) -> list:
    seen, replaced, kept = {}, {}, []
    for op in ops:
        new = replace(op, operands=tuple(replaced[x] for x in op.operands))
        key = (new.name, new.number, new.operands)
        if key not in seen:
            seen[key] = new
            kept.append(new)
        replaced[op] = seen[key]
    return kept


def keeps_old_operands(ops: list) -> list:
    seen, kept = set(), []
    for op in ops:
        key = (op.name, op.number, op.operands)
        if op.name == "input" or key not in seen:
            kept.append(op)
        seen.add(key)
    return kept


def ignores_numbers(ops: list) -> list:
    seen, replaced, kept = {}, {}, []
    for op in ops:
        new = replace(op, operands=tuple(replaced[x] for x in op.operands))
        key = (new.name, new.operands)
        if op.name == "input" or key not in seen:
            seen[key] = new
            kept.append(new)
        replaced[op] = seen[key]
    return kept


def merges_one_level(ops: list) -> list:
    seen, replaced, kept = {}, {}, []
    for op in ops:
        key = (op.name, op.number, op.operands)  # the operands before they were merged
        if op.name == "input" or key not in seen:
            seen[key] = replace(op, operands=tuple(replaced[x] for x in op.operands))
            kept.append(seen[key])
        replaced[op] = seen[key]
    return kept


def changes_what_it_is_given(ops: list) -> list:
    merged = merge_equal(ops)
    for op in ops:
        op.operands = op.operands[::-1]
    return merged


ANSWERS = {
    "MAXIMUM": MAXIMUM,
    "remove_dead": remove_dead,
    "merge_equal": merge_equal,
}
WRONG = [
    ("MAXIMUM", "{1}", "the maximum of 2.0 and 1.0 is 2.0"),
    ("MAXIMUM", "({0} if {0} < {1} else {1})", "1.0 and 2.0 is 2.0, not 1.0"),
    ("MAXIMUM", "max({0}, {1})", "the maximum of 1.0 and nan is nan"),
    ("MAXIMUM", "({0} if {0} > {1} else {1})", "the maximum of nan and 1.0 is nan"),
    ("MAXIMUM", "max(x, y)", "name 'x' is not defined"),
    ("remove_dead", removes_what_nobody_reads, "`constant 2.0` is still there"),
    (
        "remove_dead",
        removes_operands_of_live_ops,
        "but its operand `constant 1.0` is not",
    ),
    ("remove_dead", removes_unread_inputs, "an input is gone"),
    ("remove_dead", loses_the_return, "the `return` is gone"),
    ("remove_dead", reverses, "the `return` is gone, or not the last"),
    ("merge_equal", merges_inputs, "both must stay"),
    ("merge_equal", keeps_old_operands, "does not come before it"),
    ("merge_equal", ignores_numbers, "different ops were merged"),
    ("merge_equal", merges_one_level, "still two equal ops `mul`"),
    ("merge_equal", changes_what_it_is_given, "make new ones instead"),
]

if __name__ == "__main__":
    lesson = Path(__file__).parents[1] / Path(__file__).name
    sys.path.insert(0, str(lesson.parent))
    runpy.run_path(str(lesson))["app"].run(defs=ANSWERS)
