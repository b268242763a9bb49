# SPDX-License-Identifier: MIT
"""Other programs under the load that the curve puts on the agent: so many targets, each once an interval. Every peer
yields a function of its CPU so far, as agent.cpu_readings, one of its memory, MiB, and one of its results so far, or None
where the program keeps the pace itself."""

import contextlib
import http.client
import os
import pathlib
import shutil
import socket
import subprocess
import threading
import time

import servers
from agent import cpu_readings, resident_mib


def children_cpu(pid):
    """User and system seconds of the process's children that have ended (proc(5), fields 16 and 17)."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


class Paced:
    """Does something `count` times an interval, evenly spread, on as many threads as it needs to keep the pace."""

    def __init__(self, count, interval, turn, threads):
        self.count, self.interval, self.turn = count, interval, turn
        self.ended, self.failed = threading.Event(), []
        self.done = [0] * min(threads, count)
        self.threads = [threading.Thread(target=self.run, args=(number, min(threads, count)), daemon=True)
                        for number in range(min(threads, count))]

    def run(self, first, step):
        start = time.monotonic()
        number = first
        try:
            while not self.ended.wait(max(0, start + number * self.interval / self.count - time.monotonic())):
                self.turn(first, number)
                self.done[first] += 1
                number += step
        except Exception as error:  # whatever it was, the figure would be wrong: told where the block ends
            self.failed.append(error)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join(10)
        if self.failed:
            raise SystemExit(f"a peer could not keep the pace: {self.failed[0]!r}")


@contextlib.contextmanager
def blackbox(folder, targets, interval):
    """blackbox_exporter, asked by a scraper of ours whose own CPU is not counted; connections to it are kept."""
    with servers.blackbox(folder, servers.make_certificates(folder)) as (pid, port):
        connections = {}

        def scrape(worker, number):
            if worker not in connections:
                connections[worker] = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connections[worker].request("GET", f"/probe?module=http&target={targets[number % len(targets)]}")
            if b"\nprobe_success 1" not in connections[worker].getresponse().read():
                raise RuntimeError(f"blackbox_exporter could not probe {targets[number % len(targets)]}")

        with Paced(len(targets), interval, scrape, 8) as paced:
            yield lambda: cpu_readings(pid), lambda: resident_mib(pid), lambda: sum(paced.done)


@contextlib.contextmanager
def check_http(places, count, interval):
    """check_http, started for each probe, as a Nagios does it: its own CPU, not that of who starts it."""
    program = shutil.which("check_http")
    lock, used = threading.Lock(), [0.0]

    def command(host, port):
        return [program, "-H", host, "-p", str(port), "-u", "/"]

    def start(_, number):
        words = command(*places[number % len(places)])
        child = os.posix_spawn(program, words, os.environ,
                               file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
        _, status, usage = os.wait4(child, 0)
        if status:
            raise RuntimeError(f"{' '.join(words)} ended with {status}")
        with lock:
            used[0] += usage.ru_utime + usage.ru_stime

    memory = memory_of_one(command)
    with Paced(count, interval, start, 8) as paced:
        yield lambda: (used[0], used[0]), lambda: memory, lambda: sum(paced.done)


def memory_of_one(command):
    """MiB that the program takes while it waits for an answer. What wait4(2) tells of a child begins with its parent's."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        child = subprocess.Popen(command(*silent.getsockname()), stdout=subprocess.DEVNULL)
        try:
            connection = silent.accept()[0]
            with connection:
                connection.recv(4096)
                return resident_mib(child.pid)
        finally:
            child.kill()
            child.wait()


@contextlib.contextmanager
def fping(folder, hosts, interval):
    """fping without end: each host once an interval, evenly spread."""
    (folder / "hosts").write_text("".join(host + "\n" for host in hosts))
    command = ["fping", "-q", "-l", "-i", f"{1000 * interval / len(hosts):.3f}", "-p", str(1000 * interval), "-t", "1000",
               "-f", str(folder / "hosts")]
    with servers.process(command, folder) as child:
        yield lambda: cpu_readings(running(child, folder)), lambda: resident_mib(running(child, folder)), None


def running(child, folder):
    """The program's process id while it runs: of one that has given up, no figure counts."""
    if child.poll() is not None:
        log = folder / (pathlib.Path(child.args[0]).name + ".log")
        raise SystemExit(f"{child.args[0]} ended with {child.returncode}:\n{log.read_text()[-2000:]}")
    return child.pid


@contextlib.contextmanager
def smokeping(folder, hosts, interval):
    """smokeping's own daemon with its probe FPing: three pings a step, the fewest it takes, into one small RRD a host.
    Its CPU is that of the daemon and of its children, of which fping is one a step."""
    folder.chmod(0o755)
    for name in ("data", "run", "cgi"):
        (folder / name).mkdir()
    for name in ("tmail", "smokemail", "secrets"):
        (folder / name).write_text("bench\n")
        (folder / name).chmod(0o600)
    targets = "".join(f"++ h{number}\nmenu = h{number}\ntitle = h{number}\nhost = {host}\n"
                      for number, host in enumerate(hosts))
    (folder / "config").write_text(f"""*** General ***
owner = bench
contact = bench@localhost
mailhost = localhost
cgiurl = http://localhost/smokeping.cgi
imgcache = {folder}/cgi
imgurl = img
datadir = {folder}/data
piddir = {folder}/run
dyndir = {folder}/cgi
smokemail = {folder}/smokemail
tmail = {folder}/tmail
concurrentprobes = no
*** Alerts ***
to = bench@localhost
from = bench@localhost
*** Database ***
step = {interval}
pings = 3
AVERAGE 0.5 1 60
*** Presentation ***
template = {folder}/tmail
+ overview
width = 600
height = 50
range = 10h
+ detail
width = 600
height = 200
"one hour" 1h
*** Probes ***
+ FPing
binary = {shutil.which("fping")}
hostinterval = 0.001
mininterval = 0.001
*** Targets ***
probe = FPing
menu = Top
title = bench
+ all
menu = all
title = all
{targets}""")
    command = ["smokeping", "--nodaemon", f"--config={folder}/config"]
    with servers.process(command, folder) as child:
        yield (lambda: tuple(own + children_cpu(child.pid) for own in cpu_readings(running(child, folder))),
               lambda: resident_mib(running(child, folder)), None)
