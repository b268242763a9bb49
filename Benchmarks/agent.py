# SPDX-License-Identifier: MIT
"""Runs the real agent on a configuration made here and asks it how it does. It is ended by the process object that
started it."""

import contextlib
import datetime
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time

# A file of the configuration may hold 1 MiB.
PER_FILE = 4000
# Hosts that the checks are spread over, each an address of loopback.
HOSTS = [f"127.0.1.{number}" for number in range(1, 101)]
NAMESPACE = "ip link set lo up && echo '0 2147483647' > /proc/sys/net/ipv4/ping_group_range && exec \"$@\""


def check_id(number):
    """The id that `quartz-bench history` gives its check of that number."""
    return f"00000000-0000-4000-8000-{number:012x}"


def http_checks(count, port, interval, scheme="http", more=""):
    return [f'id: {check_id(number)}, name: c{number}, type: http, url: "{scheme}://{HOSTS[number % 100]}:{port}/", '
            f"interval: {interval}{more}" for number in range(count)]


def tcp_checks(count, port, interval):
    return [f"id: {check_id(number)}, name: c{number}, type: tcp, host: 127.0.0.1, port: {port}, interval: {interval}"
            for number in range(count)]


def new_folder(parent, name):
    folder = parent / name
    folder.mkdir()
    (folder / "state").mkdir(mode=0o700)
    return folder


def in_own_network(command):
    """The command in a network namespace with a loopback of its own, where everybody may send echoes. Needs root."""
    return ["unshare", "-n", "sh", "-c", NAMESPACE, "sh", *command]


def micros(text):
    """Microseconds since 1970 of a time as results have it."""
    return int(datetime.datetime.fromisoformat(text).timestamp() * 1000) * 1000


def process_cpu(pid):
    """User and system seconds of all threads, from /proc/PID/stat (proc(5), fields 14 and 15)."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cpu_readings(pid):
    """CPU so far, twice: in nanosecond steps from /proc/PID/task/*/schedstat, without threads that have ended, and in
    hundredths of a second with them."""
    exact = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            exact += int((task / "schedstat").read_text().split()[0])
    return exact / 1e9, process_cpu(pid)


def cpu_between(before, after):
    """Seconds between two readings: the exact ones, unless threads that have ended took more with them than the steps
    blur, which are of user and of system time."""
    exact, coarse = (b - a for a, b in zip(before, after))
    return exact if coarse - exact < 0.04 else coarse


def resident_mib(pid):
    """Memory of the process that is in use, MiB: VmRSS of /proc/PID/status."""
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) / 1024


class SocketConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))


class Agent:
    """A running agent."""

    def __init__(self, child, folder):
        self.child, self.folder, self.pid = child, folder, child.pid

    def ask(self, target):
        connection = SocketConnection(self.folder / "state" / "agent.sock")
        try:
            connection.request("GET", target)
            answer = connection.getresponse()
            body = answer.read().decode()
            if answer.status != 200:
                raise SystemExit(f"{target}: {answer.status} {body}")
            return body
        finally:
            connection.close()

    def summary(self):
        return json.loads(self.ask("/api/v1/summary"))["data"]

    def results(self):
        """Every result of the store, oldest first."""
        after = 0
        while True:
            page = [json.loads(line) for line in self.ask(
                f"/api/v1/spool/results?after={after}&limit=5000").splitlines()]
            if not page:
                return
            yield from page
            after = page[-1]["sequence"]

    def wait_until_up(self, seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.child.poll() is not None:
                raise SystemExit("the agent ended:\n" + self.log())
            with contextlib.suppress(OSError):
                self.ask("/livez")
                return
            time.sleep(0.05)
        raise SystemExit("the agent did not come up:\n" + self.log())

    def wait_for_log(self, text, count, seconds=30):
        """Until the log holds the text so often; returns the moment, to a millisecond."""
        deadline = time.monotonic() + seconds
        while (self.folder / "agent.log").read_text().count(text) < count:
            if time.monotonic() > deadline:
                raise SystemExit(f"no {count} times '{text}' in the log:\n{self.log()}")
            time.sleep(0.001)
        return time.time()

    def log(self):
        return (self.folder / "agent.log").read_text()[-4000:]


def write_config(folder, checks, head=""):
    """agent.yaml with its checks in files of their own. `checks` are the insides of YAML flow maps."""
    parts = folder / "conf.d"
    parts.mkdir(exist_ok=True)
    for number, first in enumerate(range(0, len(checks), PER_FILE)):
        lines = "".join(f"  - {{{check}}}\n" for check in checks[first:first + PER_FILE])
        write_whole(parts / f"{number:03}.yaml", "checks:\n" + lines)
    write_whole(folder / "agent.yaml", f"agent: {{name: bench, state_dir: state}}\ninclude: conf.d/*.yaml\n{head}")


def write_whole(path, text):
    new = path.with_suffix(".new")
    new.write_text(text)
    new.rename(path)


@contextlib.contextmanager
def running(binary, folder, own_network=False):
    """The agent on the folder's agent.yaml, in a network of its own if asked, until the block ends."""
    command = [str(binary), "run", "-c", str(folder / "agent.yaml")]
    if own_network:
        command = in_own_network(command)
    with open(folder / "agent.log", "w") as output:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        try:
            yield Agent(child, folder)
        finally:
            child.send_signal(signal.SIGTERM)
            try:
                child.wait(15)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def row(label, value):
    """A figure of which nothing is promised; promises.Book prints the others."""
    print(f"  {label:50}{value:>12}")
