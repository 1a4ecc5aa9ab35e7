"""The execution room: runs one submission's cells in a walled-in Jupyter kernel and fetches evidence out of it."""

from .limits import Limits
from .sandbox import sandbox_problem
from .session import SandboxUnavailable, Step, StepResult, run_steps

__all__ = ["Limits", "SandboxUnavailable", "Step", "StepResult", "run_steps", "sandbox_problem"]
