"""The text of a linear layer's kernel, with its epilogue."""

from __future__ import annotations

from collections.abc import Sequence

from tests.cpu.native_kernels import generic

MULTIPLY_ADD = "%p = arith.mulf %x0, %x1 : f32\n%r = arith.addf %y0, %p : f32"
EPILOGUE = """
  %s = arith.addf %x0, %x1 : f32
  %t = arith.addf %s, %x2 : f32
  %zero = arith.constant 0.0 : f32
  %r = arith.maximumf %t, %zero : f32"""
BRANCHES = """
  %c = arith.cmpf olt, %x0, %x1 : f32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %r = scf.if %c -> (i32) {
    scf.yield %one : i32
  } else {
    scf.yield %two : i32
  }"""
"""An epilogue that has no vectors."""


def linear(
    types: Sequence[str], rows: Sequence[str], epilogue: str = EPILOGUE, result: int = 3
) -> str:
    """Arguments x, w, bias, y, residual: relu(x w^T + bias + residual)."""
    lead = ", ".join(rows)
    maps = [f"{lead}, k", "n, k", f"{lead}, n"]
    kinds = [*["parallel"] * (len(rows) + 1), "reduction"]
    loops = f"{lead}, n, k"
    anchor_types = [types[0], types[1], types[3]]
    anchor = generic(maps, kinds, anchor_types, 2, MULTIPLY_ADD, loops)
    anchor = anchor.replace("%a2", "%a3")
    outer = ["3", "2", "4", str(result)]
    maps = [f"{lead}, n", "n", f"{lead}, n", f"{lead}, n"]
    used = [types[int(number)] for number in outer]
    behind = generic(maps, kinds[:-1], used, 3, epilogue, f"{lead}, n", first=10)
    for position, number in enumerate(outer):
        behind = behind.replace(f"%a{10 + position}", f"%a{number}")
    return f"""
      %start = arith.constant 0.0 : f32
      linalg.fill ins(%start : f32) outs(%a3 : {types[3]})
      {anchor}
      {behind}"""
