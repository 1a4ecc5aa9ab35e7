"""A PostgreSQL server for a test or a measurement: of Debian's package, in a folder of its own, on no network."""

import contextlib
import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

PLACES = ("/usr/lib/postgresql", "/usr/pgsql-15/bin", "/usr/local/pgsql/bin")


def missing() -> str:
    """Why no server can be started here; "" if one can."""
    if not programs():
        return "PostgreSQL is not installed (Debian: apt-get install postgresql)"
    if importlib.util.find_spec("psycopg") is None:
        return "its driver is not installed (pip install 'psycopg[binary]')"
    return "" if os.getuid() or account() else "PostgreSQL does not run as root, and there is no other account"


def programs() -> Path | None:
    """The folder of `initdb` and `pg_ctl`, of the newest version that is here."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    there = sorted(path.parent for place in PLACES for path in Path(place).glob("**/initdb"))
    return there[-1] if there else None


def account() -> str:
    """Whose the server is where this process is root's."""
    for name in "postgres", "nobody":
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    return ""


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """Start a server with an empty database; its URL. It ends with the block, and nothing is left of it.

    Raises:
        OSError: there is none to be had; `missing` says why.
    """
    if problem := missing():
        raise OSError(problem)
    user = None if os.getuid() else account()
    bin_, folder = programs(), Path(tempfile.mkdtemp(prefix="postgres-", dir="/tmp"))  # a socket's path is short
    shutil.chown(folder, user) if user else None

    def run(program: str, *arguments: str) -> None:
        command = [str(bin_ / program), "--pgdata", str(folder / "data"), *arguments]
        subprocess.run(command, user=user, cwd=folder, check=True, stdout=subprocess.DEVNULL, env={"LC_ALL": "C.UTF-8"})

    options = f"-c listen_addresses='' -c unix_socket_directories={folder}"
    try:
        run("initdb", "--auth=trust", "--username=teacher", "--no-sync", "--encoding=UTF8")
        run("pg_ctl", "start", "--wait", "--log", str(folder / "log"), "--options", options)
        try:
            yield f"postgresql+psycopg://teacher@/postgres?host={folder}"
        finally:
            run("pg_ctl", "stop", "--mode=fast")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
