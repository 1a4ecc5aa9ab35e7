"""Judge on a Dask cluster. Its workers have the grader installed and see no file of the class.

Jobs hold the course's secret and students' work: use a cluster, and a connection, that you trust with both.
"""

from __future__ import annotations

from ..errors import CourseError
from .grading import Crew


def cluster_crew(address: str, patience: str = "10s") -> Crew:
    """The workers of the Dask scheduler at `address`, e.g. `tcp://10.0.0.1:8786`.

    A job whose worker died is given to another one by the scheduler.

    Args:
        address: where it listens.
        patience: how long it has to answer, as Dask writes times.

    Raises:
        CourseError: Dask is not installed, or there is no scheduler, or it has no workers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise CourseError(
            "A scheduler needs Dask: install it, in the course's folder, with `python -m pip install -e '.[cluster]'`."
        ) from None
    try:
        client = Client(address, timeout=patience, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).rstrip(".") or type(error).__name__
        raise CourseError(f"There is no Dask scheduler at {address} ({reason}).") from None
    threads = sum(client.nthreads().values())
    if not threads:
        raise CourseError(f"The Dask scheduler at {address} has no workers: start some with `dask worker {address}`.")
    return Crew(lambda: client.get_executor(pure=False), threads)
