"""A real browser for tests, spoken to through two pipes; found on the machine, never fetched.

Chromium and its relatives take ``--remote-debugging-pipe``: JSON messages, each ended by a NUL, on
file descriptors 3 and 4. That needs no package and opens no port.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

_PASS_ON = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(one), fcntl.F_DUPFD, 10) for one in sys.argv[1:3]]
for end, wanted in zip(ends, (3, 4)):
    os.dup2(end, wanted)
os.execv(sys.argv[3], sys.argv[3:])
"""


def executable() -> str | None:
    """A browser on this machine, None where there is none that can be spoken to."""
    if sys.platform == "win32":
        return None
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """One page in a headless browser. What it logs and asks the network for is kept."""

    def __init__(self, program: str, profile: Path) -> None:
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                _PASS_ON,
                str(to_browser),
                str(from_browser),
                program,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--no-first-run",
                "--remote-debugging-pipe",
                f"--user-data-dir={profile}",
                "--window-size=1280,900",
                "about:blank",
            ],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._count = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        """End the process."""
        os.close(self._write)
        self._process.kill()
        self._process.wait()
        os.close(self._read)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """What the browser answers to one command."""
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            data = os.read(self._read, 1 << 16)
            assert data, "the browser ended"
            self._buffer += data
        raw, _, self._buffer = self._buffer.partition(b"\0")
        answer: dict[str, Any] = json.loads(raw)
        return answer

    def open(self, path: Path, fragment: str = "") -> None:
        """Load a file and wait until it has loaded."""
        self.events.clear()
        self.call("Page.navigate", url=f"{path.resolve().as_uri()}{fragment}")
        while not any(one.get("method") == "Page.loadEventFired" for one in self.events):
            self.events.append(self._next())

    def value(self, expression: str) -> Any:
        """What a JavaScript expression amounts to in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def media(self, **features: str) -> None:
        """Emulate media features such as ``prefers_color_scheme="dark"``."""
        listed = [{"name": k.replace("_", "-"), "value": v} for k, v in features.items()]
        self.call("Emulation.setEmulatedMedia", features=listed)

    def scripts(self, *, enabled: bool) -> None:
        """Whether pages may run scripts."""
        self.call("Emulation.setScriptExecutionDisabled", value=not enabled)

    def size(self, width: int, height: int) -> None:
        """Give the window a size."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def picture(self, path: Path) -> None:
        """Save what is seen as a PNG."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))

    def asked_for(self) -> list[str]:
        """The addresses that the page asked for since it was opened."""
        return [
            str(one["params"]["request"]["url"])
            for one in self.events
            if one.get("method") == "Network.requestWillBeSent"
        ]

    def complaints(self) -> list[Mapping[str, Any]]:
        """Errors of scripts, and what the console was told, since the page was opened."""
        wanted = {"Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"}
        return [one["params"] for one in self.events if one.get("method") in wanted]


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A browser with an empty profile. There must be one: see :func:`executable`."""
    program = executable()
    assert program is not None
    found = Browser(program, profile)
    try:
        yield found
    finally:
        found.close()
