# The package lists every class of every model, which takes the type checker half a minute to
# bind. The tests and benchmarks only build models by these names.
from typing import Any

def __getattr__(name: str) -> Any: ...
