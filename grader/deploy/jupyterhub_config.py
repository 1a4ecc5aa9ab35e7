"""JupyterHub's settings for a class on one machine; `grader hub` starts it with them.

What is special about your machine (TLS, another authenticator, limits) stands in `local_config.py` of the hub's folder,
which is read last.
"""

import os
from pathlib import Path

c = get_config()  # noqa: F821 - provided by the loader

FOLDER, COURSE = Path(os.environ["MINIGRAD_HUB"]), Path(os.environ["MINIGRAD_COURSE"])
INSTRUCTOR, PORT = os.environ["MINIGRAD_INSTRUCTOR"], int(os.environ["MINIGRAD_PORT"])
STATE = FOLDER / "state"

c.JupyterHub.bind_url = f"http://:{PORT}"
c.JupyterHub.hub_port = PORT + 81
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{PORT + 1}"
c.ConfigurableHTTPProxy.command = [str(FOLDER / "hub" / "node_modules" / ".bin" / "configurable-http-proxy")]
# JupyterHub ends the process that this file names: after a restart of the machine it could be any, but /run is empty.
c.ConfigurableHTTPProxy.pid_file = f"/run/minigrad-proxy-{PORT}.pid"
c.JupyterHub.db_url = f"sqlite:///{STATE / 'jupyterhub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(STATE / "cookie_secret")

# Everybody with an account and a password on this machine, and everybody's server as themselves.
c.JupyterHub.authenticator_class = "pam"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "localprocess"
c.Spawner.default_url = "/lab"
c.Spawner.notebook_dir = "~"
c.Spawner.start_timeout = 120


def place(spawner: object) -> None:
    """Let the instructor's server run in the course's environment, and a student's in the students'."""
    teaches = spawner.user.name == INSTRUCTOR  # type: ignore[attr-defined]
    programs = (COURSE / ".venv" if teaches else FOLDER / "students") / "bin"
    spawner.cmd = [str(programs / "jupyterhub-singleuser")]  # type: ignore[attr-defined]
    spawner.environment = {  # type: ignore[attr-defined]
        "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin",
        "JUPYTER_CONFIG_PATH": str(COURSE / "grader" / "deploy" / "instructor" if teaches else FOLDER / "settings"),
        "MINIGRAD_EXCHANGE": str(FOLDER / "exchange"),
        # One home for what a learner has built, whichever chapter's folder they work in.
        "MY_MINIGRAD": os.path.expanduser(f"~{spawner.user.name}/my_minigrad"),  # type: ignore[attr-defined]
    }
    if teaches:  # who works beside the course's folder would import that folder, and no package, as `minigrad`
        spawner.environment["PYTHONPATH"] = str(COURSE)  # type: ignore[attr-defined]


c.Spawner.pre_spawn_hook = place

if (FOLDER / "local_config.py").exists():
    load_subconfig(str(FOLDER / "local_config.py"))  # noqa: F821 - provided by the loader
