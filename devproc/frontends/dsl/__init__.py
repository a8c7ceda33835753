"""The DSL: what a user writes to describe a whole inference program.

Each step adds one op of the `pipe` dialect and returns a handle. Nothing is computed, and
neither NumPy nor PyTorch is imported to build. A wrong step raises `BuildError` at the
user's call, naming the user's line, the step, what was found and what to do.
"""

from devproc.frontends.dsl.pipeline import Pipeline
from devproc.frontends.dsl.values.value import Value

__all__ = ["Pipeline", "Value"]
