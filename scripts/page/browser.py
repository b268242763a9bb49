# SPDX-License-Identifier: MIT
"""A headless Chromium, driven by the DevTools protocol over a pipe: one JSON message after another, each ended by a zero
byte (--remote-debugging-pipe), so that no port is open and nothing but Python is needed."""

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import time


class Trouble(Exception):
    """What the page or the browser did not do."""


# Before anything else of a page: remembers its errors, and what did not load or was refused.
WATCH = """(()=>{const b=window.__broken=[],say=w=>b.includes(w)||b.push(w);
addEventListener("error",e=>say(e.message||"did not load: "+(e.target.src||e.target.href||e.target)),true);
addEventListener("unhandledrejection",e=>say("a promise failed: "+e.reason));
// What a page does each minute, for a story that cannot wait for it.
const s=setInterval;window.setInterval=(f,t,...more)=>{if(t===60000)window.__minute=f;return s(f,t,...more)};
addEventListener("securitypolicyviolation",e=>say("refused by the content security policy: "+e.violatedDirective+" "+e.blockedURI))})()"""


class Surface:
    """What is asked of a tab in whichever browser. A browser's own tab has `look`, `start`, `arrive`, `ask`, `told`, `inject`,
    `press`, `type`, `tap`, `speaks`, `scripts` and `shot`."""

    def open(self, url):
        self.arrive(self.start(url))

    def run(self, expression):
        """The value of an expression, or of the promise that it is."""
        return self.told(self.ask(expression))

    def wait(self, expression, what, seconds=20):
        deadline = time.monotonic() + seconds
        while True:
            with contextlib.suppress(Trouble):
                value = self.run(expression)
                if value:
                    return value
            if time.monotonic() > deadline:
                raise Trouble(f"{what}: not within {seconds} s")
            time.sleep(0.1)

    def follow(self, expression):
        """Clicks on an element, and waits for the page it leads to."""
        self.run("window.__here=1")
        if not self.run(f"(()=>{{const e={expression};if(!e)return false;e.click();return true}})()"):
            raise Trouble(f"there is no {expression}")
        self.wait("!window.__here&&document.readyState==='complete'", f"the page that {expression} leads to")


class Browser:
    name = "Chromium"

    def __init__(self, folder, log, host="127.0.0.1"):
        program = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)
        if not program:
            raise SystemExit("error: chromium is not installed")
        (theirs_in, ours_out), (ours_in, theirs_out) = (tuple(self.high(end) for end in os.pipe()) for _ in range(2))
        command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
                   "--disable-dev-shm-usage", "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
                   "--disable-backgrounding-occluded-windows", "--lang=en-US", f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {host}",
                   f"--user-data-dir={folder}", "--remote-debugging-pipe", "about:blank"]
        # The protocol's pipes are descriptors 3 and 4 of the browser.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}', "chromium", *command],
            pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        os.close(theirs_in)
        os.close(theirs_out)
        self.out, self.input, self.rest = ours_out, ours_in, b""
        self.number, self.answers, self.tabs = 0, {}, {}

    @staticmethod
    def high(descriptor):
        """The same, away from 3 and 4, which the shell gives the browser."""
        copy = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 20)
        os.close(descriptor)
        return copy

    def send(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        return self.number

    def read(self, deadline):
        """Takes in what the browser says next."""
        while b"\0" not in self.rest:
            if not select.select([self.input], [], [], max(0, deadline - time.monotonic()))[0]:
                return False
            piece = os.read(self.input, 1 << 20)
            if not piece:
                raise Trouble("the browser ended")
            self.rest += piece
        text, _, self.rest = self.rest.partition(b"\0")
        message = json.loads(text)
        if "id" in message:
            self.answers[message["id"]] = message
        elif message.get("sessionId") in self.tabs:
            self.tabs[message["sessionId"]].events.append(message)
        return True

    def answer(self, number, seconds=30):
        deadline = time.monotonic() + seconds
        while number not in self.answers:
            if not self.read(deadline):
                raise Trouble(f"the browser did not answer within {seconds} s")
        message = self.answers.pop(number)
        if "error" in message:
            raise Trouble(message["error"].get("message"))
        return message["result"]

    def call(self, method, session=None, **parameters):
        return self.answer(self.send(method, session, **parameters))

    def tab(self):
        target = self.call("Target.createTarget", url="about:blank", newWindow=True)["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return Tab(self, session, target)

    def close(self):
        with contextlib.suppress(Trouble, OSError):
            self.send("Browser.close")
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Tab(Surface):
    def __init__(self, browser, session, target):
        self.browser, self.session, self.target, self.events = browser, session, target, []
        browser.tabs[session] = self
        self.call("Page.enable")
        self.call("Runtime.enable")
        # A tab that is not in front would tell the page that it is hidden.
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)

    def send(self, method, **parameters):
        return self.browser.send(method, self.session, **parameters)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def look(self, width, height=900, **media):
        """The window's size, and what the reader prefers: scheme="dark", contrast="active", motion="reduce"."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        names = {"scheme": "prefers-color-scheme", "contrast": "forced-colors", "motion": "prefers-reduced-motion"}
        self.call("Emulation.setEmulatedMedia", features=[{"name": names[key], "value": value} for key, value in media.items()])

    def happened(self, method):
        """Events of that name since the last time."""
        # Whatever came meanwhile is there first.
        self.call("Page.getNavigationHistory")
        found = [event for event in self.events if event["method"] == method]
        self.events = [event for event in self.events if event["method"] != method]
        return found

    def start(self, url):
        """Begins to go there; `loaded` is the end of it."""
        self.events = [event for event in self.events if event["method"] != "Page.loadEventFired"]
        return self.send("Page.navigate", url=url)

    def loaded(self, seconds=30):
        deadline = time.monotonic() + seconds
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            if not self.browser.read(deadline):
                raise Trouble(f"no page came within {seconds} s")

    def arrive(self, number):
        result = self.browser.answer(number)
        if result.get("errorText"):
            raise Trouble(result["errorText"])
        self.loaded()

    def ask(self, expression):
        return self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)

    def told(self, number, seconds=60):
        result = self.browser.answer(number, seconds)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise Trouble(details.get("exception", {}).get("description") or details.get("text"))
        return result["result"].get("value")

    def inject(self, script):
        """Runs statements, and waits for nothing."""
        self.send("Runtime.evaluate", expression=script)

    def press(self, key):
        number = {"Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowRight": 39}[key]
        text = {"text": "\r"} if key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", key=key, code=key,
                  windowsVirtualKeyCode=number, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=number)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def tap(self, x, y):
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def speaks(self, tag):
        """The reader's language, for Accept-Language and for scripts; `None` is the browser's own."""
        self.call("Emulation.setUserAgentOverride", userAgent=self.run("navigator.userAgent"), acceptLanguage=tag or "en-US")

    def scripts(self, on):
        """Whether pages that are opened from now on run scripts."""
        self.call("Emulation.setScriptExecutionDisabled", value=not on)

    def shot(self, path, full=False):
        more = {}
        if full:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            more = {"captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": size["width"],
                                                            "height": min(size["height"], 6000), "scale": 1}}
        data = self.call("Page.captureScreenshot", format="png", **more)["data"]
        path.write_bytes(base64.b64decode(data))
