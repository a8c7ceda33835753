# Without its types: inferring them takes the type checker a twentieth of its time.
from typing import Any

def __getattr__(name: str) -> Any: ...
