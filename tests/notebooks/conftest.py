"""Kernels that have imported torch already."""

import sys

import pytest

from tests import warm_kernels


@pytest.fixture(scope="module")  # what runs afterwards has the usual kernels
def kernels(tmp_path_factory):
    """Run the notebooks in kernels that are forked from one process, which has imported torch; on Linux, where it may."""
    if sys.platform != "linux":
        yield
        return
    with pytest.MonkeyPatch.context() as patch, warm_kernels.kernelspecs(tmp_path_factory.mktemp("k")) as folder:
        patch.setenv("JUPYTER_PATH", str(folder))
        yield
