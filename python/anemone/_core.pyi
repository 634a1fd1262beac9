"""What the extension module anemone._core holds; anemone.MLModel is what to use."""

from typing import Any, Dict, List, Optional

version: str

class Error(RuntimeError):
    code: str

class Array:
    def __buffer__(self, flags: int) -> memoryview: ...

class State:
    def names(self) -> List[str]: ...
    def reset(self) -> None: ...
    def read(self, name: str) -> Array: ...
    def write(self, name: str, value: Any) -> None: ...

class Model:
    def __init__(
        self, path: str, function: str, arithmetic: str, threads: int, memory_mb: int, loop_iterations: int
    ) -> None: ...
    def predict(
        self, inputs: Dict[str, Any], state: Optional[State], is_interruptible: bool
    ) -> Dict[str, Any]: ...
    def make_state(self) -> Optional[State]: ...
    inputs: List[Dict[str, Any]]
    outputs: List[Dict[str, Any]]
    states: List[Dict[str, Any]]
    type: str
    function: str
    functions: List[str]
    specification_version: int
    metadata: Dict[str, Any]
