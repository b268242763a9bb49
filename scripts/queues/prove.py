# SPDX-License-Identifier: MIT
"""Fills each queue of the agent from one origin and looks at what that does to all others.

Arguments: agent, folder, --short, --only WORD. A line a scenario; exit 1 when a healthy check was late, missed or called
down, the lease or the dead man's switch was late, the queue meant was not full, a queue that held for longer than two seconds
was not told by /readyz and the status, or SIGTERM took more than eight seconds or did not end with 0.
"""

import argparse
import collections
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

from servers import HOLDERS

HERE = os.path.dirname(os.path.abspath(__file__))
HEALTHY = 100
JOBS = 4
LATE = 50.0
LEASE = 6
# Of the dead man's switch; the shortest there is.
EVERY = 10
# Seconds from the moment a service fails to the call of the channel: the slot, `group_wait`, and what a loaded machine takes.
NOTIFIED = 6


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def row(number, interval, **more):
    return {
        "id": f"00000000-0000-4000-8000-{number:012d}", "resource_id": f"00000000-0000-4000-8000-{900_000 + number:012d}",
        "is_enabled": True, "resources": {"name": f"API {number}"}, "check_interval_seconds": interval,
        # Over before the next slot: only a target that has answered large before waits for memory.
        "timeout_seconds": interval - 2, "retry_count": 0, "retry_delay_ms": 0, "confirmation_delay_ms": 0,
        "check_type": "keyword", "keyword_value": "all is well", "keyword_type": "contains", **more}


class World:
    """Servers, backend and etcd of all scenarios."""

    def __init__(self, folder):
        self.folder = folder
        for name, more in (("ca", ["-x509", "-days", "2", "-subj", "/CN=queues", "-addext",
                                   "subjectAltName=IP:127.0.0.1,DNS:localhost"]),):
            subprocess.run(
                ["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                 f"{folder}/{name}.key", "-out", f"{folder}/{name}.crt", *more], check=True, stderr=subprocess.DEVNULL)
        self.servers = subprocess.Popen(
            [sys.executable, f"{HERE}/servers.py", f"{folder}/ca.crt", f"{folder}/ca.key"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.ports = json.loads(self.servers.stdout.readline())
        self.rows = f"{folder}/rows.json"
        self.write([])
        self.backend = subprocess.Popen(
            [sys.executable, f"{HERE}/backend.py", self.rows], stdout=subprocess.PIPE, text=True)
        self.api = int(self.backend.stdout.readline())
        client, peer = free_port(), free_port()
        self.etcd_url = f"http://127.0.0.1:{client}"
        self.etcd = subprocess.Popen(
            ["etcd", "--data-dir", f"{folder}/etcd", "--listen-client-urls", self.etcd_url, "--advertise-client-urls",
             self.etcd_url, "--listen-peer-urls", f"http://127.0.0.1:{peer}", "--log-level", "error"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def write(self, rows):
        with open(self.rows, "w") as file:
            json.dump(rows, file)

    def say(self, word):
        self.servers.stdin.write(word + "\n")
        self.servers.stdin.flush()

    def calls(self):
        """When the dead man's switch and the notification channel were called since the last time."""
        self.say("")
        return json.loads(self.servers.stdout.readline())

    def end(self):
        for process in (self.servers, self.backend, self.etcd):
            process.kill()
            process.wait()


class Agent:
    def __init__(self, binary, world, name, more):
        self.world, self.folder = world, f"{world.folder}/{name}"
        os.makedirs(self.folder)
        self.port = free_port()
        ports = world.ports
        kinds = [
            f'type: http, url: "http://127.0.0.1:{ports["http"]}/", expect: {{body: {{contains: well}}}}',
            f'type: http, url: "https://127.0.0.1:{ports["https"]}/", tls: {{ca_file: {world.folder}/ca.crt}}, '
            'expect: {body: {contains: well}}',
            f'type: tcp, host: 127.0.0.1, port: {ports["http"]}',
            f'type: tls, host: 127.0.0.1, port: {ports["https"]}, tls: {{ca_file: {world.folder}/ca.crt}}, '
            'expect: {certificate: {warn: 1h, fail: 0d}}',
            f'type: dns, server: "127.0.0.1:{ports["dns"]}", query: {{name: a.example}}',
            'type: ping, host: 127.0.0.1',
        ]
        checks = "\n".join(
            f"  - {{name: healthy {number}, interval: 1s, timeout: 1s, retries: 0, {kinds[number % len(kinds)]}}}"
            for number in range(HEALTHY))
        jobs = "\n".join(
            f"  - {{name: job {number}, type: heartbeat, token: {token(number)}, period: 10s, grace: 5s, interval: 10s}}"
            for number in range(JOBS))
        with open(f"{self.folder}/agent.yaml", "w") as file:
            file.write(f"""agent: {{name: queues, state_dir: {self.folder}/state}}
status: {{listen: "127.0.0.1:{self.port}"}}
spool: {{size: 16MiB}}
limits: {{in_flight: 600, in_flight_per_host: 100}}
egress: {{allow: ["127.0.1.0/24:{ports['held']}", "127.0.1.0/24:{ports['mute']}"]}}
quartz: {{url: "http://127.0.0.1:{world.api}/v1", api_key: qtz_queues, checks: {{pull: true}}}}
heartbeat: [{{url: "http://127.0.0.1:{ports['http']}/alive", every: {EVERY}s}}{more.get("switches", "")}]
alerts:
  group_wait: 1s
  rules:
  - {{name: flips, type: consecutive_failures, threshold: 1, checks: [flips], channels: [good]}}
{more.get("rules", "")}
  channels:
  - {{name: good, webhook: "http://127.0.0.1:{ports['http']}/hook"}}
{more.get("channels", "")}
templates:
  discovered: {{type: tcp, host: "${{host}}", port: "${{port}}", interval: 60s}}
{more.get("discover", "")}
group: {{name: {name}, ttl: {LEASE}s, store: {{etcd: ["{world.etcd_url}"]}}}}
probe: {{modules: modules.yml, trust: local, allow: [127.0.0.1/32]}}
checks:
{checks}
{jobs}
  - {{name: flips, type: http, interval: 1s, retries: 0, url: "http://127.0.0.1:{ports["http"]}/flip"}}
{more.get("checks", "")}
""")
        os.chmod(f"{self.folder}/agent.yaml", 0o600)
        with open(f"{self.folder}/modules.yml", "w") as file:
            file.write("""modules:
  hold: {prober: http, timeout: 30s, http: {preferred_ip_protocol: ip4, body_size_limit: 16MB,
    fail_if_body_not_matches_regexp: ["y$"]}}
  dear: {prober: http, timeout: 30s, http: {preferred_ip_protocol: ip4, fail_if_body_not_matches_regexp: ["(.*a){9}b"]}}
""")
        self.log = open(f"{self.folder}/log", "w")
        self.process = subprocess.Popen(
            [binary, "run", "-c", f"{self.folder}/agent.yaml"], stdout=self.log, stderr=self.log, cwd=self.folder)
        self.wait("/readyz")
        threading.Thread(target=self.report, daemon=True).start()

    def report(self):
        """What the jobs say, every three seconds."""
        while self.process.poll() is None:
            for number in range(JOBS):
                try:
                    self.get(f"/hb/{token(number)}")
                except OSError:
                    pass
            time.sleep(3)

    def wait(self, path):
        for _ in range(300):
            try:
                return self.get(path)
            except (OSError, urllib.error.URLError):
                if self.process.poll() is not None:
                    break
                time.sleep(0.05)
        with open(self.log.name) as file:
            raise SystemExit(f"the agent does not start: {file.read()[-2000:]}")

    def get(self, path, limit=10):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=limit) as answer:
            return answer.read().decode()

    def data(self, path):
        return json.loads(self.get(path))["data"]

    def results(self, since):
        """Of the healthy checks, from this moment on."""
        found = []
        for check in self.healthy:
            for result in self.data(f"/api/v1/checks/{check}/results?limit=100"):
                if result["scheduled_at"] >= since:
                    found.append(result)
        return found

    def checks(self):
        checks = []
        while True:
            page = self.data(f"/api/v1/checks?limit=100&offset={len(checks)}")
            checks += page
            if len(page) < 100:
                return checks

    def learn(self):
        self.healthy = [check["id"] for check in self.checks() if check["name"].startswith("healthy")]

    def jobs(self):
        """Those that are not up."""
        return [f"{check['name']}: {check['state']}" for check in self.checks()
                if check["name"].startswith("job") and check["state"] != "up"]

    def hostile(self):
        """What became of the checks that fill the queues, by reason."""
        found = collections.Counter(
            (check.get("last") or {}).get("reason", "no result") for check in self.checks()
            if check["name"].split()[0] not in ("healthy", "job", "flips"))
        return ", ".join(f"{count} {reason}" for reason, count in found.most_common())

    def stop(self):
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = "killed"
        return time.monotonic() - begin, code


# --- What fills the queues -------------------------------------------------------------------------------------------


def ask(agent, module, path, count=7):
    """Seven askers of /probe who never stop asking."""

    def loop(number):
        target = f"http://{HOLDERS[number]}:{agent.world.ports['held']}{path}"
        while agent.process.poll() is None:
            try:
                agent.get(f"/probe?module={module}&target={target}", 60)
            except (OSError, urllib.error.URLError):
                time.sleep(0.2)

    for number in range(count):
        threading.Thread(target=loop, args=(number,), daemon=True).start()


def token(number):
    return f"job-{number}-0123456789abcdef"


def idle(agent, count=300):
    """Connections to the status server that never ask for anything, opened again as they are closed."""

    def loop():
        held = collections.deque(maxlen=count)
        while agent.process.poll() is None:
            try:
                held.append(socket.create_connection(("127.0.0.1", agent.port), 1))
            except OSError:
                pass
            time.sleep(0.01)

    threading.Thread(target=loop, daemon=True).start()


def run_now(agent, count=8):
    """Orders by hand that never stop."""

    def loop(number):
        checks = [check["id"] for check in agent.checks() if check["name"].startswith("holder")]
        while agent.process.poll() is None:
            try:
                post(f"http://127.0.0.1:{agent.port}" + f"/api/v1/checks/{checks[number]}/run", {}, 30)
            except (OSError, urllib.error.URLError):
                time.sleep(0.05)

    for number in range(count):
        threading.Thread(target=loop, args=(number,), daemon=True).start()


def api(path, port="held", scheme="http", count=96):
    def rows(world):
        return [
            row(number, 10, url=f"{scheme}://{HOLDERS[number % len(HOLDERS)]}:{world.ports[port]}{path}/{number}")
            for number in range(count)]
    return rows


def file(path, port="held", scheme="http", count=96, interval=10, more=""):
    def section(world):
        return {"checks": "\n".join(
            f'  - {{name: holder {number}, type: http, interval: {interval}s, timeout: {interval}s, retries: 0, '
            f'url: "{scheme}://{HOLDERS[number % len(HOLDERS)]}:{world.ports[port]}{path}/{number}", '
            f'expect: {{body: {{contains: never}}}}{more}}}'
            for number in range(count))}
    return section


def tokens(count=60):
    """Checks whose tokens come from a server that holds, each with a client of its own."""

    def section(world):
        return {"checks": "\n".join(
            f'  - {{name: holder {number}, type: http, interval: 10s, timeout: 10s, retries: 0, '
            f'url: "https://127.0.0.1:{world.ports["https"]}/", tls: {{ca_file: {world.folder}/ca.crt}}, auth: {{oauth2: '
            f'{{token_url: "https://127.0.0.1:{world.ports["secret"]}/1000", client_id: c{number}, client_secret: secret}}}}}}'
            for number in range(count))}
    return section


def held(world, number):
    return f'http://{HOLDERS[number % len(HOLDERS)]}:{world.ports["held"]}/15000'


def discovery(world):
    return {"discover": "discover:\n" + "\n".join(
        f'  - {{http: "{held(world, number)}", extends: discovered, refresh: 10s}}' for number in range(16))}


def channels(world):
    return {
        "rules": "  - {name: fails, type: consecutive_failures, threshold: 1, checks: [fails], channels: "
                 f"[{', '.join(f'held{number}' for number in range(16))}]}}",
        "channels": "\n".join(f'  - {{name: held{number}, webhook: "{held(world, number)}"}}' for number in range(16)),
        "checks": f'  - {{name: fails, type: tcp, interval: 1s, retries: 0, host: 127.0.0.1, port: {free_port()}}}'}


def switches(world):
    return {"switches": "".join(f', {{url: "{held(world, number)}", every: 10s}}' for number in range(7))}


def together(*parts):
    def section(world):
        merged = {}
        for part in parts:
            for key, text in part(world).items():
                merged[key] = merged[key] + ("" if key == "switches" else "\n") + text if key in merged else text
        return merged
    return section


SCENARIOS = [
    # name, rows of the API, sections of the file, what is asked, what must have been seen waiting
    ("nothing is full", None, None, None, None),
    ("memory: 7 asks of 16 MB", None, None, lambda agent: ask(agent, "hold", "/15000"), "memory asked"),
    ("memory: 96 checks of the API", api("/1000"), None, None, "memory api_checks"),
    ("memory: 96 checks of the file", None, file("/1000"), None, None),
    ("handshakes: 200 checks of the API", api("", "mute", "https", 200), None, None, None),
    ("handshakes: 200 checks of the file", None, file("", "mute", "https", 200), None, None),
    ("decoding: 400 checks of the API", api("/coded", count=400), None, None, "decoding api_checks"),
    ("decoding: 80 checks of the file", None, file("/coded", count=80, interval=1), None, "decoding file_checks"),
    ("tokens: 60 checks, a server that holds", None, tokens(), None, None),
    ("discovery: 16 lists of 16 MB", None, discovery, None, None),
    ("notifications: 16 channels that hold", None, channels, None, None),
    ("switches: 7 that hold", None, switches, None, None),
    ("status: 300 idle connections", None, None, idle, None),
    ("run now: 8 who never stop", None, file("", "mute", count=8, interval=60), run_now, None),
    ("judging: 7 asks of a dear pattern", None, None, lambda agent: ask(agent, "dear", "/regex"), "judging asked"),
    ("places: 900 checks of the API", api("", "mute", count=900), None, None, "places api_checks"),
    ("from every side at once", api("/1000"), together(file("/1000"), discovery, channels, switches),
     lambda agent: ask(agent, "hold", "/15000"), "memory api_checks"),
]
SHORT = ["nothing is full", "memory: 7 asks of 16 MB", "memory: 96 checks of the API", "from every side at once"]


class Told:
    """The queues that were not empty, and whether /readyz and the status told of those that held for longer than two seconds."""

    WORDS = {
        "file_checks": "checks of agent.yaml", "api_checks": "checks from the API", "asked": "/probe and runs by hand",
        "tokens": "tokens of checks", "discovery": "discovery"}
    # What may pass between two looks.
    SLACK = 2

    def __init__(self, agent):
        self.agent, self.seen, self.faults, self.next = agent, set(), [], 0

    def look(self):
        if time.monotonic() < self.next:
            return
        self.next = time.monotonic() + 1
        problems = self.agent.data("/api/v1/summary")["problems"]
        lines = [line for line in self.agent.get("/readyz").splitlines() if line.startswith("held: ")]
        for line in self.agent.get("/metrics").splitlines():
            name, _, rest = line.partition("{")
            if not name.startswith("quartz_queue_"):
                continue
            labels, _, value = rest.partition("} ")
            queue, origin = (part.split('"')[1] for part in labels.split(","))
            self.seen.add(f"{queue} {origin}")
            if name != "quartz_queue_held_seconds" or float(value) < 2 + self.SLACK:
                continue
            words = self.WORDS[origin] + " wait for "
            if not any(line.startswith("held: " + words) for line in lines):
                self.faults.append(f"/readyz does not tell that {queue} holds {origin}")
            if not any(problem["what"].startswith(words) for problem in problems):
                self.faults.append(f"the status does not tell that {queue} holds {origin}")


def lease_gap(agent, world, told, seconds):
    """Seconds between two renewals of the member's lease, at most: what its time to live had fallen by."""
    lowest = LEASE
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        told.look()
        try:
            leases = json.loads(post(world.etcd_url + "/v3/lease/leases", {})).get("leases", [])
            for lease in leases:
                left = json.loads(post(world.etcd_url + "/v3/lease/timetolive", {"ID": lease["ID"]}))
                lowest = min(lowest, int(left.get("TTL", -1)))
            if not leases:
                lowest = -1
        except (OSError, ValueError):
            pass
        time.sleep(0.25)
    return LEASE - lowest


def post(url, body, limit=2):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=limit) as answer:
        return answer.read()


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else float("inf")


def run(binary, world, number, scenario, seconds, base):
    name, rows, sections, asks, queue = scenario
    world.write(rows(world) if rows else [])
    world.say("up")
    agent = Agent(binary, world, f"run-{number}", sections(world) if sections else {})
    agent.learn()
    time.sleep(1)
    world.calls()
    filling = time.time()
    if asks:
        asks(agent)
    # Until the holders hold.
    time.sleep(2 if seconds < 20 else 5)
    before = world.calls()["switch"]
    since = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
    began = time.time()
    world.say("down")
    told = Told(agent)
    lease = lease_gap(agent, world, told, max(seconds, NOTIFIED))
    told.next = 0
    told.look()
    calls = world.calls()
    results = agent.results(since)
    ready = agent.get("/readyz")
    summary = agent.data("/api/v1/summary")
    hostile, silent = agent.hostile(), agent.jobs()
    took, code = agent.stop()
    late = [result.get("late_ms", 0) for result in results]
    down = [result for result in results if result["state"] != "up"]
    expected = HEALTHY * seconds
    marks = [filling, *before, *calls["switch"], began + seconds]
    notified = min(calls["hook"], default=float("inf")) - began
    gap = max(after - before for before, after in zip(marks, marks[1:]))
    missed = {part: count for part, count in (summary.get("scheduler") or {}).get("missed_by", {}).items() if count}
    faults = []
    p99 = quantile(late, 0.99)
    # Five times what the machine itself makes of it, where others use it too.
    if p99 > max(LATE, 5 * base):
        faults.append("late")
    if len(results) < expected * 0.97:
        faults.append(f"{expected - len(results)} results missing")
    if down:
        faults.append(f"{len(down)} not up: {down[0].get('reason')} {down[0].get('message', '')[:80]}")
    if lease > LEASE / 2 + 1:
        faults.append("lease late")
    if gap > EVERY + 2:
        faults.append("dead man's switch late")
    if queue and queue not in told.seen:
        faults.append(f"nothing waited for {queue}")
    faults += sorted(set(told.faults))
    if notified > NOTIFIED:
        faults.append("notification late")
    faults += silent
    if took > 8 or code != 0:
        faults.append("SIGTERM")
    print(f"{name:36} {len(results):6} {quantile(late, 0.5):7.1f} {p99:7.1f} {max(late, default=0):7.1f} {lease:5} {gap:6.1f}"
          f" {notified:8.1f} {took:6.1f} {code!s:>6}  {'; '.join(faults) or 'ok'}")
    for line in ready.splitlines()[1:]:
        print(f"    {line}")
    if told.seen or missed or hostile:
        print(f"    queues: {', '.join(sorted(told.seen)) or 'none'}; missed since the start: {missed or 'none'}; holders: {hostile}")
    sys.stdout.flush()
    return p99, faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("folder")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    world = World(options.folder)
    chosen = [each for each in SCENARIOS if options.only in each[0] and (not options.short or each[0] in SHORT)]
    print(f"{'full':36} {'healthy':>6} {'p50 ms':>7} {'p99 ms':>7} {'max ms':>7} {'lease':>5} {'switch':>6} {'notified':>8} {'end s':>6}"
          f" {'code':>6}")
    base, failed = 0.0, False
    try:
        for number, scenario in enumerate(chosen):
            p99, faults = run(os.path.realpath(options.binary), world, number, scenario, 12 if options.short else 20, base)
            if number == 0:
                base = p99
            failed = failed or bool(faults)
    finally:
        world.end()
    sys.exit(1 if failed else 0)


main()
