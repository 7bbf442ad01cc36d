"""A real browser, driven through a pipe by its own debugging protocol: nothing to install but the browser.

Chromium reads commands from file descriptor 3 and answers on 4, as JSON that ends in a zero byte
(--remote-debugging-pipe).
"""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check", "--disable-extensions",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-sandbox", "--disable-dev-shm-usage",
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars", "--force-color-profile=srgb",
)  # fmt: skip

START = """import fcntl, os, sys
ends = [fcntl.fcntl(int(n), fcntl.F_DUPFD, 10) for n in sys.argv[1:3]]
os.dup2(ends[0], 3), os.dup2(ends[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""  # the browser looks for its two ends by these numbers


def found() -> str | None:
    """The path of a browser, where there is one; SYMBODY_BROWSER names another."""
    wanted = os.environ.get("SYMBODY_BROWSER")
    return wanted or next((p for n in NAMES if (p := shutil.which(n))), None)


class Browser:
    """One browser process; `page` opens a file."""

    def __init__(self, profile: Path, *more: str) -> None:
        program = found()
        assert program is not None
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        command = [program, *FLAGS, *more, f"--user-data-dir={profile}"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", START, str(to_browser), str(from_browser), *command],
            pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        self._number, self._rest = 0, b""
        self.events: list[dict[str, Any]] = []

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(10)
        os.close(self._out)
        os.close(self._in)

    def call(self, method: str, session: str | None = None, **parameters: Any) -> Any:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next(30)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def _next(self, seconds: float) -> dict[str, Any]:
        end = time.monotonic() + seconds
        while b"\0" not in self._rest:
            if not select.select([self._in], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            piece = os.read(self._in, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has ended")
            self._rest += piece
        text, self._rest = self._rest.split(b"\0", 1)
        return dict(json.loads(text))

    def page(
        self, path: Path, width: int = 960, height: int = 600, dark: bool = False, phone: bool = False, before: str = ""
    ) -> "Page":
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        made = Page(self, session, target)
        for domain in ("Page", "Runtime", "Network", "Log"):
            made.call(f"{domain}.enable")
        scale = 2 if phone else 1
        made.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=phone
        )
        made.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )
        if before:
            made.call("Page.addScriptToEvaluateOnNewDocument", source=before)
        made.call("Page.navigate", url=path.resolve().as_uri())
        made.until("document.readyState === 'complete'")
        return made


class Page:
    """One tab."""

    def __init__(self, browser: Browser, session: str, target: str) -> None:
        self.browser, self.session, self.target = browser, session, target

    def call(self, method: str, **parameters: Any) -> Any:
        return self.browser.call(method, self.session, **parameters)

    def close(self) -> None:
        self.browser.call("Target.closeTarget", targetId=self.target)

    def value(self, script: str) -> Any:
        """The value of an expression of JavaScript."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def until(self, condition: str, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not self.value(f"!!({condition})"):
            if time.monotonic() > end:
                raise TimeoutError(f"not within {seconds} s: {condition}")
            time.sleep(0.02)

    def painted(self) -> None:
        """Wait until what was asked for is drawn."""
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def key(self, key: str, code: str = "", text: str = "") -> None:
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, code=code or key, text=text if kind == "keyDown" else ""
            )

    def picture(self) -> bytes:
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def pdf(self) -> bytes:
        return base64.b64decode(self.call("Page.printToPDF", printBackground=False)["data"])

    def _own(self, method: str) -> list[dict[str, Any]]:
        return [
            e["params"] for e in self.browser.events if e.get("method") == method and e.get("sessionId") == self.session
        ]

    def complaints(self) -> list[str]:
        """Errors and warnings on the console, and exceptions."""
        said = [e for e in self._own("Runtime.consoleAPICalled") if e["type"] in ("error", "warning", "assert")]
        logged = [
            e["entry"]["text"] for e in self._own("Log.entryAdded") if e["entry"]["level"] in ("error", "warning")
        ]
        thrown = [json.dumps(e["exceptionDetails"])[:500] for e in self._own("Runtime.exceptionThrown")]
        return [json.dumps(e["args"])[:500] for e in said] + logged + thrown

    def requests(self) -> list[str]:
        """Addresses that were asked for."""
        return [e["request"]["url"] for e in self._own("Network.requestWillBeSent")]
