# SPDX-License-Identifier: MIT
"""How the cost of the agent grows with its checks, from 1 to 100,000, beside other programs under the same load: CPU a
result, memory, lateness and start. Prints a table in Markdown and draws docs/performance-curve.svg.

Every size has the same interval, so that a check is the same work at each: 60 s, of which the second is measured. What is
small runs beside each other, what is large alone. CPU is user and system time of the prober and, for smokeping, of its
children, which are counted in hundredths of a second."""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time

import agent as agents
import chart
import daemon
import peers
import servers
from agent import HOSTS, cpu_between, cpu_readings, resident_mib

HERE = pathlib.Path(__file__).resolve().parent
SIZES = [1, 10, 100, 1000, 10_000, 100_000]
# All up to SMALL run beside each other, then all of MIDDLE; what is larger has a round of its own.
SMALL, MIDDLE = 1000, 10_000
# What each can do: smokeping writes a file for every target, and a process a probe needs both cores at some size.
LARGEST = {"check_http": 10_000, "smokeping": 1000}
LIMITS = "limits: {in_flight_per_host: 500}\n"


def ping_host(number):
    """An address of loopback of its own, beside those that have servers."""
    return f"127.{number // 62500 + 10}.{number // 250 % 250}.{number % 250 + 1}"


class Load:
    """Each program at each size, by name, as a context manager that yields what peers.py says."""

    def __init__(self, binary, folder, port, interval):
        self.binary, self.folder, self.port, self.interval = binary, folder, port, interval
        self.told = {}

    @contextlib.contextmanager
    def agent(self, name, count, checks, own_network=False):
        home = agents.new_folder(self.folder, f"{name}-{count}".replace(" ", "-").replace(",", ""))
        agents.write_config(home, checks, LIMITS)
        start = time.monotonic()
        with agents.running(self.binary, home, own_network) as agent:
            agent.wait_for_log("probing ", 1, 60)
            taken = 1000 * (time.monotonic() - start)
            yield lambda: cpu_readings(agent.pid), lambda: resident_mib(agent.pid), None
            summary = agent.summary()
            self.told[name, count] = {"start_ms": taken, "late_p99_ms": summary["schedule"].get("lateness_p99_ms"),
                                      "missed": summary["schedule"]["missed"], "up": summary["checks"]["up"]}
        shutil.rmtree(home)

    def http(self, count):
        return self.agent("quartz-agent, http", count, agents.http_checks(count, self.port, f"{self.interval}s"))

    def ping(self, count):
        checks = [f"name: c{n}, type: ping, host: {ping_host(n)}, count: 1, interval: {self.interval}s" for n in range(count)]
        return self.agent("quartz-agent, ping", count, checks, own_network=True)

    def own(self, name, count):
        folder = self.folder / f"{name}-{count}"
        folder.mkdir()
        return folder

    def blackbox(self, count):
        urls = [f"http://{HOSTS[n % len(HOSTS)]}:{self.port}/" for n in range(count)]
        return peers.blackbox(self.own("blackbox", count), urls, self.interval)

    def check_http(self, count):
        return peers.check_http([(host, self.port) for host in HOSTS], count, self.interval)

    def fping(self, count):
        return peers.fping(self.own("fping", count), [ping_host(n) for n in range(count)], self.interval)

    def smokeping(self, count):
        return peers.smokeping(self.own("smokeping", count), [ping_host(n) for n in range(count)], self.interval)

    def programs(self):
        programs = {"quartz-agent, http": self.http, "blackbox_exporter, http": self.blackbox, "check_http": self.check_http}
        if os.geteuid() == 0:
            programs |= {"quartz-agent, ping": self.ping, "fping": self.fping, "smokeping": self.smokeping}
        return programs


def measure(load, wanted):
    """The programs at once: one interval to come to rest, one that is measured."""
    with contextlib.ExitStack() as stack:
        running = {(name, count): stack.enter_context(load.programs()[name](count)) for name, count in wanted}
        time.sleep(load.interval + 2)
        marks = {key: (cpu(), done and done()) for key, (cpu, _, done) in running.items()}
        start = time.monotonic()
        time.sleep(load.interval)
        intervals = (time.monotonic() - start) / load.interval
        seen = {}
        for key, (cpu, rss, done) in running.items():
            due = key[1] * intervals
            results = done() - marks[key][1] if done else due
            # Of one check a result may lie just outside.
            pace = 1 if results >= due - 1 else results / due
            seen[key] = {"us": 1e6 * cpu_between(marks[key][0], cpu()) / max(1, results), "rss": rss(), "pace": pace}
    return {key: each | load.told.get(key, {}) for key, each in seen.items()}


def rounds(names, sizes):
    """What runs beside each other."""
    able = [(name, count) for name in names for count in sizes if count <= LARGEST.get(name, SIZES[-1])]
    together = [[each for each in able if each[1] <= SMALL], [each for each in able if SMALL < each[1] <= MIDDLE]]
    return [each for each in together if each] + [[each] for each in able if each[1] > MIDDLE]


def table(seen):
    print("\n| program | checks | CPU us/result | RSS MiB | lateness p99 ms | start ms |\n|---|--:|--:|--:|--:|--:|")
    notes = []
    for (name, count), each in seen.items():
        more = [f"{each[key]:.1f}" if each.get(key) is not None else "–" for key in ("late_p99_ms", "start_ms")]
        print(f"| {name} | {count:,} | {each['us']:,.0f} | {each['rss']:,.1f} | {more[0]} | {more[1]} |")
        if each["pace"] < 0.98:
            notes.append(f"{name}, {count:,}: kept {100 * each['pace']:.0f} % of the pace; CPU is of what it did")
        if each.get("missed") or each.get("up", count) != count:
            notes.append(f"{name}, {count:,}: {each['up']:,} up, {each['missed']} missed")
    print("\n" + "\n".join(notes) if notes else "")


def draw(seen, path, interval):
    def lines(key):
        lines = {}
        for (name, count), each in seen.items():
            if each.get(key):
                lines.setdefault(name, []).append((count, each[key]))
        return lines

    panels = [chart.Panel("CPU a result", "us", lines("us")), chart.Panel("Memory (RSS)", "MiB", lines("rss")),
              chart.Panel("Lateness, 99th percentile", "ms", lines("late_p99_ms")),
              chart.Panel("Start, until the checks are in force", "ms", lines("start_ms"))]
    path.write_text(chart.draw("How the cost grows with the number of checks", panels,
                               f"checks, each every {interval} s"))


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/curve", description=__doc__)
    parser.add_argument("--agent", type=pathlib.Path, default=servers.AGENT,
                        help="a release build; the one scripts/run builds")
    parser.add_argument("--short", action="store_true", help="up to 1,000 checks at 10 s, to see that it works")
    parser.add_argument("--svg", type=pathlib.Path, metavar="FILE", help="default: docs/performance-curve.svg, not with --short")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="also write every figure")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sizes, interval = ([size for size in SIZES if size <= SMALL], 10) if options.short else (SIZES, 60)
    path = options.svg or (None if options.short else HERE.parent / "docs" / "performance-curve.svg")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start; servers and probers share the cores")
    if os.geteuid() != 0:
        print("not measured: ping, fping and smokeping need root")
    seen = {}
    with tempfile.TemporaryDirectory(prefix="quartz-curve-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        (folder / "web").mkdir()
        with daemon.web(folder / "web") as (port, _):
            load = Load(options.agent.resolve(), folder, port, interval)
            for wanted in rounds(load.programs(), sizes):
                seen |= measure(load, wanted)
    order = list(load.programs())
    seen = dict(sorted(seen.items(), key=lambda item: (order.index(item[0][0]), item[0][1])))
    table(seen)
    if path:
        draw(seen, path, interval)
    if options.json:
        options.json.write_text(json.dumps([{"program": name, "checks": count} | each
                                            for (name, count), each in seen.items()], indent=2) + "\n")


if __name__ == "__main__":
    main()
