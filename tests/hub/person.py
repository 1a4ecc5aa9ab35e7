"""Somebody who uses the hub: logs in, opens their server, clicks, and runs code in a kernel."""

from __future__ import annotations

import json
import time
import uuid
from typing import Any
from urllib.parse import urlsplit

import requests
from tornado.httpclient import HTTPRequest
from tornado.ioloop import IOLoop
from tornado.websocket import websocket_connect

WAIT = 120  # seconds


class Person:
    """A user with a running server.

    Args:
        name: the account; its password is the same.
        hub: the hub's address.
    """

    def __init__(self, name: str, hub: str) -> None:
        self.name, self.hub, self.server = name, hub, f"{hub}/user/{name}"
        self.web = requests.Session()
        self.web.get(f"{hub}/hub/login").raise_for_status()
        form = {"username": name, "password": name, "_xsrf": self.web.cookies.get("_xsrf", path="/hub/")}
        answer = self.web.post(f"{hub}/hub/login?next=/hub/spawn", data=form)
        assert answer.ok, f"{answer.status_code}: {answer.text[-500:]}"
        end = time.monotonic() + WAIT
        while not (page := self.web.get(f"{self.server}/lab")).ok or "/spawn" in page.url or "/login" in page.url:
            assert time.monotonic() < end, f"no server for {name}: {page.status_code} {page.url}"
            time.sleep(1)
        self._kernel = self.call("POST", "api/kernels")["id"]

    @property
    def _headers(self) -> dict[str, str]:
        token = self.web.cookies.get("_xsrf", path=f"/user/{self.name}/") or ""
        return {"X-XSRFToken": token, "Referer": f"{self.server}/lab"}

    def ask(self, method: str, path: str, **options: Any) -> requests.Response:
        """A request to one's own server."""
        return self.web.request(method, f"{self.server}/{path}", headers=self._headers, **options)

    def call(self, method: str, path: str, **options: Any) -> Any:
        """A request that has to succeed; its JSON."""
        answer = self.ask(method, path, **options)
        assert answer.ok, f"{method} {path}: {answer.status_code} {answer.text[-800:]}"
        return answer.json()

    def click(self, what: str, assignment: str) -> Any:
        """`fetch`, `submit` or `fetch_feedback`, as the Assignment List does it."""
        form = {"course_id": "minigrad", "assignment_id": assignment}
        found = self.call("POST", f"assignments/{what}", data=form)
        assert found["success"], found
        return found["value"]

    def put(self, path: str, notebook: dict[str, Any]) -> None:
        """Save a notebook."""
        self.call("PUT", f"api/contents/{path}", json={"type": "notebook", "content": notebook})

    def shell(self, line: str) -> str:
        """Run a line in a shell of one's server; what it printed, and how it ended."""
        return self.run(
            f"import subprocess; done = subprocess.run({line!r}, shell=True, capture_output=True, text=True)\n"
            "print(done.stdout + done.stderr + f'\\nended with {done.returncode}')"
        )

    def run(self, code: str) -> str:
        """Run code in one's kernel; what it printed, and its error."""
        return IOLoop.current().run_sync(lambda: self._run(code), timeout=600)

    async def _run(self, code: str) -> str:
        cookies = "; ".join(f"{one.name}={one.value}" for one in self.web.cookies if self._reaches(one.path))
        address = f"{self.server}/api/kernels/{self._kernel}/channels".replace("http:", "ws:")
        socket = await websocket_connect(HTTPRequest(address, headers={"Cookie": cookies, "Origin": self.hub}))
        header = {"msg_id": uuid.uuid4().hex, "msg_type": "execute_request", "session": uuid.uuid4().hex}
        header |= {"username": self.name, "version": "5.3"}
        content = {"code": code, "silent": False, "allow_stdin": False}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
        await socket.write_message(json.dumps(message))
        said = ""
        while True:
            answer = json.loads(await socket.read_message())
            if answer["parent_header"].get("msg_id") != header["msg_id"]:
                continue
            kind, content = answer["msg_type"], answer["content"]
            if kind == "stream":
                said += content["text"]
            elif kind == "error":
                said += "\n".join(content["traceback"])
            elif kind == "status" and content["execution_state"] == "idle":
                socket.close()
                return said

    def _reaches(self, path: str) -> bool:
        return urlsplit(f"{self.server}/").path.startswith(path)
