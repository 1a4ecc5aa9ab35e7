"""The execution room: runs one submission's cells in a walled-in Jupyter kernel and fetches evidence out of it."""

from grader.execution.limits import Limits
from grader.execution.sandbox import sandbox_problem
from grader.execution.session import SandboxUnavailable, Step, StepResult, run_steps

__all__ = ["Limits", "SandboxUnavailable", "Step", "StepResult", "run_steps", "sandbox_problem"]
