# Without its types: only tests, benchmarks and examples use it, and reading it takes long.
from typing import Any

def __getattr__(name: str) -> Any: ...
