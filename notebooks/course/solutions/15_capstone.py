"""Answers to `15_capstone.py`, and wrong ones with a part of the hint each must get."""

import runpy
import sys
from pathlib import Path


def first_bad(n: int, moved) -> int:
    good, bad = 0, n
    while bad - good > 1:
        middle = (good + bad) // 2
        if moved(middle):
            bad = middle
        else:
            good = middle
    return bad


def reduce(ops: list, wrong) -> list:
    found = list(ops)
    while True:
        before = list(found)
        for op in before:
            without = [other for other in found if other is not op]
            if wrong(without):
                found = without
        if len(found) == len(before):
            return found


report = """
## What happens

The label of a model is wrong. With x = -1 and w = -2, the program below gives 2.

## What should happen

0, as in PyTorch: relu(-1) is 0, and 0 * -2 is 0.

## Where

The pass reorder-pointwise. It replaces relu(x) * w by relu(x * w), which is right only
where w is not negative.

## Program

```mlir
func.func @main(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
  %0 = nn.relu %x : (tensor<8xf32>) -> tensor<8xf32>
  %1 = nn.mul %0, %w : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return %1 : tensor<8xf32>
}
```

## Command

devproc-opt program.mlir -p reorder-pointwise

## Version

devproc 0.1.0, x86-64 with AVX2, and the package that brings the pass
"""


def last_good(n, moved):
    return first_bad(n, moved) - 1


def stops_early(n, moved):
    good, bad = 0, n
    while bad - good > 2:
        middle = (good + bad) // 2
        good, bad = (good, middle) if moved(middle) else (middle, bad)
    return bad


def half_then_all(n, moved):
    start = 1 if moved(max(n // 2, 1)) else n // 2 + 1
    return next(k for k in range(start, n + 1) if moved(k))


def one_round(ops, wrong):
    found = list(ops)
    for op in ops:
        without = [other for other in found if other is not op]
        if wrong(without):
            found = without
    return found


def each_alone(ops, wrong):
    return [op for op in ops if not wrong([other for other in ops if other is not op])]


def halves(ops, wrong):
    while len(ops) > 1:
        half = len(ops) // 2
        ops = ops[:half] if wrong(ops[:half]) else ops[half:]
    return ops


ANSWERS = {"first_bad": first_bad, "reduce": reduce, "report": report}
WRONG = [
    ("first_bad", last_good, "is the first bad one, not 0"),
    ("first_bad", stops_early, "is the first bad one, not"),
    ("first_bad", half_then_all, "are enough"),
    ("reduce", one_round, "is still wrong without 4"),
    ("reduce", each_alone, "is still wrong without"),
    ("reduce", halves, "nothing is wrong any more"),
    ("report", report.replace("nn.mul", "nn.add"), "does not change a result"),
    (
        "report",
        report.replace("The pass reorder-pointwise. It", "A pass"),
        "name the pass",
    ),
    (
        "report",
        report.replace("devproc 0.1.0", "the newest"),
        "`devproc --version` prints",
    ),
    ("report", report.replace("%0, %w", "%0, %v"), "your code raised"),
]

if __name__ == "__main__":
    lesson = Path(__file__).parents[1] / Path(__file__).name
    sys.path.insert(0, str(lesson.parent))
    runpy.run_path(str(lesson))["app"].run(defs=ANSWERS)
