"""How near each step comes to its reference: a library's function, or a formula.

A row of a table says what is promised; `tests/exactness` measures each row against the
installed library, and writes `docs/exactness.md`; a compiled program carries the rows of
its steps.
"""
