# SPDX-License-Identifier: MIT
"""A headless Firefox, driven over WebDriver BiDi: JSON messages over a WebSocket on loopback. Debian 12 has no geckodriver, and
none is needed."""

import base64
import contextlib
import json
import os
import re
import select
import shutil
import socket
import struct
import subprocess
import time
import urllib.parse

from browser import Surface, Trouble, WATCH

KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "End": "\ue010", "Home": "\ue011", "ArrowLeft": "\ue012",
        "ArrowRight": "\ue014"}
PREFERENCES = """user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("toolkit.telemetry.enabled", false);
user_pref("app.normandy.enabled", false);
user_pref("browser.safebrowsing.malware.enabled", false);
user_pref("browser.safebrowsing.phishing.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("extensions.getAddons.cache.enabled", false);
user_pref("extensions.systemAddon.update.enabled", false);
user_pref("services.settings.server", "http://127.0.0.1:9/");
user_pref("browser.aboutConfig.showWarning", false);
user_pref("network.proxy.type", 0);
"""


class WebSocket:
    """A client of RFC 6455, as far as text messages need it."""

    def __init__(self, url, seconds=20):
        place = urllib.parse.urlsplit(url)
        self.socket = socket.create_connection((place.hostname, place.port), seconds)
        self.stream = self.socket.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
        if b" 101 " not in self.stream.readline():
            raise Trouble("the browser accepts no WebSocket")
        while self.stream.readline().strip():
            pass

    def send(self, text):
        data = text.encode()
        size, mask = len(data), os.urandom(4)
        length = bytes([0x80 | size]) if size < 126 else struct.pack(">BH", 0xfe, size) if size < 1 << 16 else struct.pack(">BQ", 0xff, size)
        key = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(data, "big") ^ int.from_bytes(key, "big")).to_bytes(size, "big")
        self.socket.sendall(b"\x81" + length + mask + masked)

    def read(self):
        """The next text message; it may come in several frames."""
        message = b""
        while True:
            head = self.take(2)
            size = head[1] & 127
            if size > 125:
                size = int.from_bytes(self.take(2 if size == 126 else 8), "big")
            data = self.take(size)
            if head[0] & 15 < 3:
                message += data
                if head[0] & 128:
                    return message.decode()

    def take(self, size):
        data = self.stream.read(size)
        if len(data) < size:
            raise Trouble("the browser ended")
        return data

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.close()


class Firefox:
    name = "Firefox"

    def __init__(self, folder, log, _host="127.0.0.1"):
        program = next((path for path in map(shutil.which, ("firefox-esr", "firefox")) if path), None)
        if not program:
            raise SystemExit("error: firefox-esr is not installed")
        folder.mkdir()
        (folder / "user.js").write_text(PREFERENCES)
        # System access: light, dark and scripts are preferences of the browser, which BiDi itself cannot change.
        self.process = subprocess.Popen(
            [program, "--headless", "--no-remote", "--remote-debugging-port", "0", "--remote-allow-system-access", "--profile", str(folder),
             "about:blank"], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.PIPE, start_new_session=True,
            env={**os.environ, "HOME": str(folder), "MOZ_CRASHREPORTER_DISABLE": "1"})
        self.number, self.answers, self.socket = 0, {}, None
        try:
            self.socket = WebSocket(self.address(log) + "/session")
            self.call("session.new", capabilities={})
            self.chrome = self.call("browsingContext.getTree", **{"moz:scope": "chrome", "maxDepth": 0})["contexts"][0]["context"]
        except BaseException:
            self.close()
            raise

    def address(self, log, seconds=30):
        """Where it listens, which it says on standard error."""
        deadline, said = time.monotonic() + seconds, b""
        while select.select([self.process.stderr], [], [], max(0, deadline - time.monotonic()))[0]:
            piece = os.read(self.process.stderr.fileno(), 4096)
            said += piece
            log.write(piece)
            found = re.search(rb"listening on (ws://\S+)\n", said)
            if found:
                return found[1].decode()
            if not piece:
                break
        raise SystemExit(f"error: firefox does not listen: {said.decode(errors='replace')[-500:]}")

    def send(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        return self.number

    def answer(self, number, seconds=30):
        self.socket.socket.settimeout(seconds)
        while number not in self.answers:
            try:
                message = json.loads(self.socket.read())
            except TimeoutError:
                raise Trouble(f"the browser did not answer within {seconds} s") from None
            if message.get("id"):
                self.answers[message["id"]] = message
        message = self.answers.pop(number)
        if message["type"] == "error":
            raise Trouble(f"{message['error']}: {message['message']}")
        return message["result"]

    def call(self, method, **parameters):
        return self.answer(self.send(method, **parameters))

    def prefer(self, name, value):
        """Sets a preference of the browser, a number or a boolean."""
        kind = "Bool" if isinstance(value, bool) else "Int"
        self.within(f"Services.prefs.set{kind}Pref({json.dumps(name)},{json.dumps(value)})")

    def within(self, script):
        """Runs a script of the browser itself."""
        self.call("script.evaluate", expression=script, target={"context": self.chrome}, awaitPromise=False)

    def tab(self):
        return FirefoxTab(self, self.call("browsingContext.create", type="tab")["context"])

    def close(self):
        with contextlib.suppress(Trouble, OSError, AttributeError):
            self.send("browser.close")
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, 9)
            self.process.wait()
        if self.socket:
            self.socket.close()
        self.process.stderr.close()


class FirefoxTab(Surface):
    def __init__(self, browser, context):
        self.browser, self.context, self.has_script = browser, context, True
        browser.call("script.addPreloadScript", functionDeclaration="()=>{" + WATCH + "}", contexts=[context])

    def look(self, width, height=900, scheme="light"):
        """The window's size, and the scheme the reader prefers."""
        self.browser.call("browsingContext.activate", context=self.context)
        self.browser.call("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height},
                          devicePixelRatio=1)
        self.browser.prefer("layout.css.prefers-color-scheme.content-override", 0 if scheme == "dark" else 1)
        # After the last stop of a page the Tab key leads into the browser's own window.
        self.browser.within("gBrowser.selectedBrowser.focus()")
        if self.has_script:
            self.wait(f"matchMedia('(prefers-color-scheme:{scheme})').matches&&innerWidth==={width}&&document.hasFocus()", f"the window of {width} px, {scheme}")

    def start(self, url):
        return self.browser.send("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def arrive(self, number):
        self.browser.answer(number)

    def ask(self, expression):
        # Without scripts a promise of the page is never kept: what is asked then is known at once.
        text = (f"(async()=>({expression}))().then(v=>JSON.stringify(v===undefined?null:v))" if self.has_script
                else f"JSON.stringify({expression})")
        return self.browser.send("script.evaluate", expression=text, target={"context": self.context}, awaitPromise=self.has_script)

    def told(self, number, seconds=60):
        result = self.browser.answer(number, seconds)
        if result["type"] == "exception":
            raise Trouble(result["exceptionDetails"]["text"])
        value = result["result"].get("value")
        return None if value is None else json.loads(value)

    def inject(self, script):
        self.browser.call("script.evaluate", expression=script, target={"context": self.context}, awaitPromise=False)

    def act(self, kind, actions, **more):
        self.browser.call("input.performActions", context=self.context, actions=[{"type": kind, "id": kind, "actions": actions, **more}])

    def press(self, key):
        self.type(KEYS[key])

    def type(self, text):
        self.act("key", [{"type": way, "value": letter} for letter in text for way in ("keyDown", "keyUp")])

    def tap(self, x, y):
        self.act("pointer", [{"type": "pointerMove", "x": round(x), "y": round(y)}, {"type": "pointerDown", "button": 0},
                             {"type": "pointerUp", "button": 0}], parameters={"pointerType": "touch"})

    def speaks(self, tag):
        """The reader's language, for Accept-Language and for scripts; `None` is the browser's own."""
        self.browser.call("emulation.setLocaleOverride", contexts=[self.context], locale=tag)

    def scripts(self, on):
        """Whether pages that are opened from now on run scripts."""
        self.browser.prefer("javascript.enabled", on)
        self.has_script = on

    def shot(self, path, full=False):
        data = self.browser.call("browsingContext.captureScreenshot", context=self.context,
                                 origin="document" if full else "viewport")["data"]
        path.write_bytes(base64.b64decode(data))
