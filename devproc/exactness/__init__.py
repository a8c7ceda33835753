"""Error bounds of steps relative to their references: functions of libraries, or formulas.

Each row of a table is a guarantee; `tests/exactness` measures it against the installed
library and writes `docs/exactness.md`. A compiled program carries the rows of its steps.
"""
