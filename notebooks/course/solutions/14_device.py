"""Answers to `14_device.py`, and wrong ones with a part of the hint each must get."""

import runpy
import sys
from pathlib import Path

import numpy as np

from devproc.ir.program.region_data import dtypes_of

OPS = {
    "nn.add": lambda x, y: x + y,
    "nn.sub": lambda x, y: x - y,
    "nn.div": lambda x, y: x / y,
    "nn.exp": lambda x: np.exp(x),
    "nn.relu": lambda x: np.maximum(x, 0),
    "nn.cast": lambda x, dtype: x,
    "nn.linear": lambda x, weight, bias=0: x @ weight.T + bias,
    "nn.reduce_sum": lambda x, axes, keep: x.sum(tuple(axes)),
    "nn.reduce_max": lambda x, axes, keep: x.max(tuple(axes)),
    "nn.argmax": lambda x, axis, keep: x.argmax(axis),
    "nn.transpose": lambda x, permutation: x.transpose(permutation),
    "nn.reshape": lambda x, shape: x,
    "nn.constant": lambda value: value,
}


def legal(ops, names) -> list[str]:
    missing = {op.name for op in ops if op.name not in names}
    missing |= {dtype for dtype in dtypes_of(ops) if not hasattr(np, dtype)}
    return [f"NumPy has no {name}" for name in sorted(missing)]


def view(memory, offset: int, dtype: str, shape) -> np.ndarray:
    return np.ndarray(shape, dtype, memory, offset)


def lacks_dtypes(ops, names):
    return [f"there is no {op.name}" for op in ops if op.name not in names]


def says_nothing(ops, names):
    return ["not supported"] if legal(ops, names) else []


def refuses_all(ops, names):
    return [f"there is no {op.name}" for op in ops]


def in_elements(memory, offset, dtype, shape):
    count = int(np.prod(shape))
    return memory.view(dtype)[offset : offset + count].reshape(shape)


def copies(memory, offset, dtype, shape):
    return view(memory, offset, dtype, shape).copy()


def at_start(memory, offset, dtype, shape):
    return view(memory, 0, dtype, shape)


ANSWERS = {"OPS": OPS, "legal": legal, "view": view}
WRONG = [
    (
        "OPS",
        {k: f for k, f in OPS.items() if k != "nn.argmax"},
        "NumPy has no nn.argmax",
    ),
    (
        "OPS",
        OPS | {"nn.argmax": lambda x, axis, keep: x.argmax()},
        "nn.argmax in float32",
    ),
    ("OPS", OPS | {"nn.div": lambda x, y: x // y}, "not those of PyTorch"),
    ("legal", lacks_dtypes, "NumPy lacks that dtype"),
    ("legal", says_nothing, "name the op"),
    ("legal", refuses_all, "is in `OPS`, and is refused"),
    ("view", in_elements, "at byte 256"),
    ("view", copies, "there is lost"),
    ("view", at_start, "it begins at byte 0"),
]

if __name__ == "__main__":
    lesson = Path(__file__).parents[1] / Path(__file__).name
    sys.path.insert(0, str(lesson.parent))
    runpy.run_path(str(lesson))["app"].run(defs=ANSWERS)
