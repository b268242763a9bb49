# SPDX-License-Identifier: MIT
"""Runs the real agent on a configuration made here and asks it how it does. It is ended by the process object that
started it."""

import contextlib
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
NAMESPACE = "ip link set lo up && echo '0 2147483647' > /proc/sys/net/ipv4/ping_group_range && exec \"$@\""


def check_id(number):
    """The id that `quartz-bench history` gives its check of that number."""
    return f"00000000-0000-4000-8000-{number:012x}"


def process_cpu(pid):
    """User and system seconds of all threads, from /proc/PID/stat (proc(5), fields 14 and 15)."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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
        command = ["unshare", "-n", "sh", "-c", NAMESPACE, "sh", *command]
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


def row(label, value, promise="", met=None):
    """A line as the other tables have it; without a promise it is a figure only."""
    verdict = "" if met is None else f"   {promise:18}{'met' if met else 'NOT MET'}"
    print(f"  {label:44}{value:>12}{verdict}")
