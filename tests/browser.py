"""Pages in headless Chromium, over its debugging protocol; no host but this is reached."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from websockets.sync.client import ClientConnection, connect

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
LOCAL = "http://127.0.0.1"
DRAWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Kept when the browser has drawn what was asked for before."""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address at which the files of a folder are served."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"{LOCAL}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class Page:
    """One page of a browser; `foreign` are the addresses elsewhere that it asked for."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._last = 0
        self.foreign: set[str] = set()
        self._send("Network.enable")

    def _send(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._last += 1
        request = {"id": self._last, "method": method, "params": parameters}
        self._connection.send(json.dumps(request))
        while True:
            message = json.loads(self._connection.recv(timeout=60))
            if message.get("method") == "Network.requestWillBeSent":
                address: str = message["params"]["request"]["url"]
                if address.startswith("http") and not address.startswith(LOCAL):
                    self.foreign.add(address)
            if message.get("id") == self._last:
                return message.get("result", {})

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page; that of a promise when it is kept."""
        parameters = {
            "expression": expression, "returnByValue": True, "awaitPromise": True
        }  # fmt: skip
        return self._send("Runtime.evaluate", **parameters)["result"].get("value")

    def open(self, address: str, ready: str, seconds: float = 60) -> None:
        """Opens an address and waits until a JavaScript expression is true.

        Raises TimeoutError if it does not become true.
        """
        self._send("Page.navigate", url=address)
        self.wait(ready, seconds)

    def wait(self, ready: str, seconds: float = 60) -> None:
        """Waits until a JavaScript expression is true.

        Raises TimeoutError if it does not become true.
        """
        end, pause = time.monotonic() + seconds, 0.01
        while not self.ask(ready):
            if time.monotonic() > end:
                place = self.ask("location.href")
                raise TimeoutError(f"{place}: not true in {seconds} seconds: {ready}")
            time.sleep(pause)
            pause = min(1.5 * pause, 0.2)

    def resize(self, width: int, dark: bool = False, height: int = 1600) -> None:
        """Another size of the window, in pixels, and the colours that the user prefers."""
        size = {
            "width": width,
            "height": height,
            "deviceScaleFactor": 1,
            "mobile": False,
        }
        self._send("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._send("Emulation.setEmulatedMedia", features=[scheme])
        self.ask(DRAWN)

    def screenshot(self) -> bytes:
        """What the window shows, as PNG."""
        return b64decode(self._send("Page.captureScreenshot")["data"])


@contextmanager
def page() -> Iterator[Page]:
    """An empty page of a new browser."""
    assert CHROMIUM
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            f"--user-data-dir={profile}", "about:blank",
        ]  # fmt: skip
        quiet = subprocess.DEVNULL
        process = subprocess.Popen([CHROMIUM, *arguments], stdout=quiet, stderr=quiet)
        try:
            with connect(_page_address(Path(profile)), max_size=None) as connection:
                yield Page(connection)
        finally:
            process.terminate()
            process.wait()


def _page_address(profile: Path) -> str:
    """The address of the page's debugger, once the browser has written its port."""
    import urllib.request

    file = profile / "DevToolsActivePort"
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if file.exists() and (port := file.read_text().splitlines()[:1]):
            with urllib.request.urlopen(f"{LOCAL}:{port[0]}/json/list") as answer:
                found = [p for p in json.load(answer) if p["type"] == "page"]
            if found:
                return found[0]["webSocketDebuggerUrl"]
        time.sleep(0.1)
    raise TimeoutError("the browser did not start")
