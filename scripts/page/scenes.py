# SPDX-License-Identifier: MIT
"""Agents with something to show: a configuration made here, real servers on loopback that it probes, real verdicts."""

import contextlib
import datetime
import http.server
import json
import pathlib
import re
import signal
import socket
import subprocess
import threading
import time
import urllib.request
import uuid

import past
import ways

TOKEN = "0123456789abcdef0123"
LONG = "Ein Name, der so lang ist, wie ein Name nur sein darf, " * 3 + "und_ein_Wort_ohne_jede_Luecke"


PLANTED = """<!doctype html><html><head><title></title><meta name="viewport" content="width=device-width">
<style>body{background:#fff}a{outline:none!important;transition:color 1s}.wide{width:2000px}.state i{display:none}text{font-size:6px}.present{overflow-x:auto}</style></head><body>
<script>nothing.there()</script><img src="/x"><img src="http://127.0.0.2/refused"><div class="wide">wide</div><a href="/y">y</a><span class="state down"></span>
<span><span class="state up" style="display:none"><i>v</i></span></span>
<div id="checks"><nav class="chips"><a href="/1" aria-current="true">1</a><br><a href="/2">2</a><br><a href="/3">3</a></nav></div>
<ul class="problems"><li><span class="mark">x</span> <a href="/4" style="display:block">a check</a></li></ul>
<div class="present"><div style="width:1500px"><svg class="chart" viewBox="0 0 800 200" style="width:800px"><text x="9" y="90">5 ms</text>
<rect width="9" height="9" fill="Canvas"></rect></svg></div></div></body></html>"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Target(http.server.ThreadingHTTPServer):
    """Answers 200; /slow late, /wait/MILLISECONDS as late as that; what is in `broken` with 503. Keeps the notifications it is sent."""
    daemon_threads = True
    request_queue_size = 512

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.broken, self.embeds, self.hooks = set(), "", []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/slow":
            time.sleep(0.03)
        elif self.path.startswith("/wait/"):
            time.sleep(int(self.path[6:]) / 1000)
        if self.path in ("/planted", "/embeds"):
            return self.page(PLANTED if self.path == "/planted" else self.server.embeds)
        self.send_response(503 if self.path in self.server.broken else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/hook":
            self.server.hooks.append(body.decode())
        self.send_response(204)
        self.end_headers()

    def page(self, text):
        """The one with every fault that the judges look for, or the one that has parts of a public page in it."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        if text == PLANTED:
            self.send_header("Content-Security-Policy", "img-src 'self'")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


def check_id(number):
    return f"00000000-0000-4000-8000-{number:012x}"


def check(number, name, text, interval="1s", more=""):
    timeout = "1s" if interval == "1s" else "2s"
    return (f"  - {{id: {check_id(number)}, name: {json.dumps(name, ensure_ascii=False)}, {text}, interval: {interval}, "
            f"timeout: {timeout}, retries: 0{more}}}\n")


def maintenance():
    start = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=1)
    return f", maintenance: [{{start: {start:%Y-%m-%dT%H:%M}, duration: 1d}}]"


def none(target, _closed):
    """The API is asked for checks and has none to give: the page of an agent that has only just been put up."""
    return (f'[]\nquartz: {{url: "{target.url}/functions/v1/public-api/v1", api_key: not-a-key-of-anybody-0123456789, '
            "checks: {pull: true}, deliver: {to: off}}")


def eight(target, closed):
    """One check in each state that a minute can bring about, with names of every kind."""
    down = f"type: tcp, host: 127.0.0.1, port: {closed}"
    return "\n" + "".join([
        check(1, "Shop front", f'type: http, url: "{target.url}/"', more=', tags: [prod, "team:shop"]'),
        check(2, "検索サービス – поиск", f'type: http, url: "{target.url}/slow", expect: {{response_time: {{warn: 10ms}}}}',
              more=', tags: [prod, "ü & <b>"]'),
        check(3, "Flapping", f'type: http, url: "{target.url}/flap"', more=', tags: ["team:shop"]'),
        check(4, "قاعدة البيانات", down, more=", tags: [db]"),
        check(5, "Old site", f'type: http, url: "{target.url}/old", enabled: false', more=", tags: [prod]"),
        check(6, "Patch night", down, more=maintenance()),
        check(7, "Behind the database", down, more=", depends_on: [قاعدة البيانات], tags: [db]"),
        check(8, LONG, f'type: http, url: "{target.url}/{"very-long-path-" * 20}?q=1"', more=", tags: [" + "x" * 60 + "]"),
    ])


def hundreds(target, closed):
    """500 checks: nearly all up, some of each other kind."""
    lines = [check(1, "Flapping", f'type: http, url: "{target.url}/flap"', more=", tags: [flap]")]
    for number in range(2, 501):
        tags = f', tags: ["team:{number % 24}", "site-{number % 5}"]'
        if number % 25 == 0:
            line = check(number, f"Database {number}", f"type: tcp, host: 127.0.0.1, port: {closed}", "10s", tags)
        elif number % 60 == 1:
            line = check(number, f"Slow {number}", f'type: http, url: "{target.url}/slow", expect: {{response_time: {{warn: 5ms}}}}',
                         "10s", tags)
        elif number % 60 == 2:
            line = check(number, f"Off {number}", f'type: http, url: "{target.url}/", enabled: false', "10s", tags)
        elif number % 60 == 3:
            line = check(number, f"Closed {number}", f'type: http, url: "{target.url}/"', "10s", tags + maintenance())
        else:
            line = check(number, f"Service {number} of the house", f'type: http, url: "{target.url}/s{number}"', "10s", tags)
        lines.append(line)
    return "\n" + "".join(lines)


def thirty(target, closed):
    """30 checks as one on call meets them at night: nine down, three slow, names of every length."""
    names = ["Checkout API · payment provider callback (Stripe → ledger), EU-West", "Login", "Postgres primary", "Admin console",
             "Image resizer", "Hourly export", "Webhooks out", "Invoices 🧾 and receipts", "Search"]
    lines = []
    for number in range(1, 31):
        if number <= 4:
            # In a network of their own, and so an incident of their own.
            line = check(number, names[number - 1], f"type: tcp, host: 127.0.1.1, port: {closed}", "2s", ", tags: [shop]")
        elif number <= 9:
            line = check(number, names[number - 1], f'type: http, url: "{target.url}/down{number}"', "2s", ", tags: [back]")
        elif number <= 12:
            line = check(number, f"Slow page {number}", f'type: http, url: "{target.url}/slow", expect: {{response_time: {{warn: 10ms}}}}', "2s")
        else:
            line = check(number, f"Service {number} of the house", f'type: http, url: "{target.url}/s{number}"', "2s", ", tags: [shop]")
        lines.append(line)
    return "\n" + "".join(lines) + f'alerts: {{group_wait: 1s, channels: [{{name: ops, webhook: "{target.url}/hook"}}]}}\n'


class Agent:
    def __init__(self, binary, folder, checks, target, public="", pasts=None, name="Späti 東京"):
        self.binary, self.folder, self.port = binary, pathlib.Path(folder), free_port()
        self.folder.mkdir()
        self.url, self.process = f"http://127.0.0.1:{self.port}", None
        # Nobody listens there: held, so that nobody else gets it, and not listened on.
        self.closed = socket.socket()
        self.closed.bind(("127.0.0.1", 0))
        (self.folder / "agent.yaml").write_text(
            f"agent: {{name: {name}, region: eu-west, state_dir: {self.folder}/state}}\nspool: {{size: 16MiB}}\n"
            f'status: {{listen: "127.0.0.1:{self.port}", run_now_token: {TOKEN}{public}}}\n'
            f"limits: {{in_flight_per_host: 100}}\nchecks: {checks(target, self.closed.getsockname()[1])}\n")

        # The check that is down has a way that is broken: nothing on loopback has one of its own.
        state = self.folder / "state"
        state.mkdir(mode=0o700)
        (state / "traces").write_bytes(ways.file(uuid.UUID(check_id(4))))
        (state / "traces").chmod(0o600)
        if pasts:
            (state / "windows").mkdir(mode=0o700)
            (state / "windows" / "0000").write_bytes(past.file({uuid.UUID(check_id(each)): it for each, it in pasts.items()}))
            (state / "windows" / "0000").chmod(0o600)

    def begin(self):
        log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen([self.binary, "run", "--config", str(self.folder / "agent.yaml")],
                                        stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        log.close()

    def ready(self, seconds=30):
        deadline = time.monotonic() + seconds
        while True:
            with contextlib.suppress(OSError):
                self.get("/livez")
                return
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("error: the agent does not serve its page:\n" + (self.folder / "log").read_text()[-2000:])
            time.sleep(0.05)

    def get(self, path):
        # Whatever proxy the environment names, loopback needs none.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(self.url + path, timeout=20) as answer:
            return answer.read().decode()

    def checks(self, query=""):
        """The ids of the checks that the API lists."""
        return [each["id"] for each in json.loads(self.get("/api/v1/checks?limit=1000&" + query))["data"]]

    def incidents(self):
        """Those that are open."""
        return [each for each in json.loads(self.get("/api/v1/incidents"))["data"] if each["status"] != "resolved"]

    def mutes(self):
        return json.loads(self.get("/api/v1/mutes"))["data"]

    def counts(self):
        return json.loads(self.get("/api/v1/summary"))["data"]["checks"]

    def wait_until(self, holds, what, seconds=40):
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > deadline:
                raise SystemExit(f"error: {what}: not within {seconds} s")
            time.sleep(0.1)

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None

    def errors(self):
        """What the log has that a run which only looked at pages must not leave."""
        return re.findall(r"^.*(?:Fatal error|level=critical).*$", (self.folder / "log").read_text(), re.M)
