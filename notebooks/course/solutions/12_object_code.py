"""Answers to `12_object_code.py`, and wrong ones with a part of the hint each must get."""

import ctypes
import runpy
import sys
from pathlib import Path

import numpy as np

dot = """
define double @dot(ptr %x, ptr %y, i64 %n) {
entry:
  %some = icmp ugt i64 %n, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %more, %loop ]
  %x_at = getelementptr double, ptr %x, i64 %i
  %y_at = getelementptr double, ptr %y, i64 %i
  %x_i = load double, ptr %x_at
  %y_i = load double, ptr %y_at
  %product = fmul double %x_i, %y_i
  %more = fadd double %sum, %product
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %done
done:
  %result = phi double [ 0.0, %entry ], [ %more, %loop ]
  ret double %result
}
"""


def distance(symbol: int, addend: int, place: int) -> int:
    return symbol + addend - place


def call(address: int, arrays: list) -> None:
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)
    pointers = [array.ctypes.data for array in arrays]
    table = (ctypes.c_void_p * len(pointers))(*pointers)
    function(ctypes.addressof(table))


def with_table(change):
    """`call`, but with a change of the arrays."""
    return lambda address, arrays: call(address, change(arrays))


def first_array(address: int, arrays: list) -> None:
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)(arrays[0].ctypes.data)


runs_once = dot.replace("icmp ugt i64 %n, 0", "icmp eq i64 %n, %n")
one_too_many = dot.replace("icmp ult i64 %next", "icmp ule i64 %next")
no_phi = dot.replace(
    "[ 0.0, %entry ], [ %more, %loop ]\n  %x_at",
    "[ 0.0, %entry ], [ 0.0, %loop ]\n  %x_at",
)
undefined = dot.replace("fmul double %x_i, %y_i", "fmul double %x_i, %w_i")

ANSWERS = {"dot": dot, "distance": distance, "call": call}
WRONG = [
    ("dot", runs_once, "runs once before"),
    ("dot", one_too_many, "one too many"),
    ("dot", no_phi, "for n = 7 the result is"),
    ("dot", undefined, "use of undefined value '%w_i'"),
    ("distance", lambda symbol, addend, place: symbol - place, "4 bytes too far"),
    (
        "distance",
        lambda symbol, addend, place: place - symbol,
        "higher address is positive",
    ),
    (
        "distance",
        lambda symbol, addend, place: symbol - addend - place,
        "processor reaches",
    ),
    ("call", first_array, "not that of the table"),
    ("call", with_table(lambda arrays: arrays[::-1]), "in another order"),
    (
        "call",
        with_table(lambda arrays: [np.array(a) for a in arrays]),
        "entry 0 of the table",
    ),
]

if __name__ == "__main__":
    lesson = Path(__file__).parents[1] / Path(__file__).name
    sys.path.insert(0, str(lesson.parent))
    runpy.run_path(str(lesson))["app"].run(defs=ANSWERS)
