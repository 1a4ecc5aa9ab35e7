"""What `make lab` opens with: a notebook on the whole screen, and the student's own notebooks beside it."""

import json
import re
import shutil
from pathlib import Path

from jupyterlab_server.workspaces_handler import WorkspacesManager
from traitlets.config.loader import JSONFileConfigLoader

ROOT = Path(__file__).resolve().parents[3]
JUPYTER = ROOT / "grader" / "learner" / "jupyter"


def test_jupyterlab_opens_with_its_sidebars_closed(tmp_path):
    name = re.search(r"^LAYOUT := build/lab/(\S+)$", (ROOT / "Makefile").read_text("utf-8"), re.M)[1]
    shutil.copy(JUPYTER / "layout.json", tmp_path / name)
    layout = WorkspacesManager(str(tmp_path)).load("default")["data"]["layout-restorer:data"]
    assert layout["left"]["collapsed"] and layout["right"]["collapsed"]


def test_the_files_beside_it_are_the_notebooks():
    settings = JSONFileConfigLoader("jupyter_server_config.json", path=str(JUPYTER)).load_config()
    assert (ROOT / settings.ContentsManager.preferred_dir).is_dir()
    assert json.loads((JUPYTER / "jupyter_server_config.json").read_text("utf-8")) == settings
