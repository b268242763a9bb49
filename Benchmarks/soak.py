# SPDX-License-Identifier: MIT
"""What the memory of the real agent does in the long run: how much it grows while a million results pass, and what is
left of it after a hundred thousand probes of hostile servers. RSS is VmRSS of /proc/PID/status, every five seconds.

What may fill is full before the first sample counts, so that a window that fills is not taken for growth: the history
holds 90 days of every check (each new bucket drops the oldest), the store of results is a ring of 16 MiB that has come
round, each check has as many recent results as are kept, and every file of the history has been written twice, which the
agent does within twenty minutes: what it takes to write one while results come in stays with the process."""

import argparse
import bisect
import json
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import agent as agents
import daemon
import drain
import promises
import servers
from agent import check_id, resident_mib, row

HERE = pathlib.Path(__file__).resolve().parent
# Checks at 1 s, so results a second.
HEALTHY, HOSTILE = 600, 520
MILLION, PROBES = 1_000_000, 100_000
HEAD = ("spool: {size: 16MiB, durability: always}\nlimits: {in_flight_per_host: 2000}\n"
        "defaults: {interval: 1s, timeout: 1s, retries: 0}\n")
# Seconds until all is full and written twice: at 500 results a second a ring of 16 MiB comes round in two minutes, the
# history's files are written within ten.
WARM, WARM_SHORT = 1260, 140
# Until the recent results of before have gone: fifty thousand of all checks.
FORGOTTEN = 150
PAUSE = 5


def sample(agent, seconds):
    """(seconds, MiB) every five seconds."""
    start, samples = time.monotonic(), []
    while (passed := time.monotonic() - start) < seconds:
        if agent.child.poll() is not None:
            raise SystemExit("the agent ended:\n" + agent.log())
        samples.append((passed, resident_mib(agent.pid)))
        time.sleep(PAUSE)
    return samples


def own_mib(pid):
    """What of the memory is the process's own, MiB: the rest are pages of files, which the system takes back at need."""
    return int(re.search(r"RssAnon:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def runs(agent):
    """Results so far: the place in the store of the newest, looked for in few and short answers, since a long one would
    be seen in the memory."""
    def is_there(after):
        return bool(agent.ask(f"/api/v1/spool/results?after={after}&limit=1").strip())

    beyond = 1
    while is_there(beyond):
        beyond *= 2
    return bisect.bisect_left(range(beyond), True, key=lambda after: not is_there(after))


def healthy_checks(plain, tcp, dns):
    texts = [lambda n: f'type: http, url: "http://{agents.HOSTS[n % 100]}:{plain}/"',
             lambda n: f"type: tcp, host: 127.0.0.1, port: {tcp}",
             lambda n: f"type: dns, server: 127.0.0.1:{dns}, query: {{name: n{n}.bench.test, type: A}}"]
    return [f"id: {check_id(n)}, name: c{n}, {texts[n % 3](n)}" for n in range(HEALTHY)]


def growth(book, binary, bench, folder, minutes, warm, judged):
    home = agents.new_folder(folder, "soak")
    with daemon.web(home) as (plain, _), servers.knot(home) as dns, \
            servers.listener([servers.binary("tcp_accept")], home) as tcp:
        agents.write_config(home, healthy_checks(plain, tcp, dns), HEAD)
        daemon.make_history(bench, home, HEALTHY, 90, 5 if judged else 120)
        with agents.running(binary, home) as agent:
            agent.wait_until_up()
            time.sleep(warm)
            first = runs(agent)
            samples = sample(agent, 60 * minutes)
            results = runs(agent) - first
            summary = agent.summary()
    line = statistics.linear_regression(*zip(*samples))
    grown = line.slope * samples[-1][0]
    print(f"\nGrowth: {HEALTHY} checks at 1 s (http, tcp, dns) over 90 full days for {minutes:g} min after "
          f"{warm} s, {results:,} results, {summary['checks']['up']} of {HEALTHY} up, "
          f"{summary['schedule']['missed']} missed")
    lowest, highest = min(mib for _, mib in samples), max(mib for _, mib in samples)
    row("RSS, lowest and highest sample:", f"{lowest:.1f}, {highest:.1f} MiB")
    row("RSS, grown by the line through all samples:", f"{grown:.2f} MiB")
    if judged:
        book.tell("soak-growth", grown * MILLION / results, note=f"from {results:,} results")
    else:
        book.skip(f"{minutes:g} min are too short for a line", "soak-growth")
    return {"samples": samples, "results": results}


class Hostile:
    """hostile.py, as long as the block."""

    def __enter__(self):
        self.child = subprocess.Popen([sys.executable, HERE / "hostile.py"], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True)
        self.ports = json.loads(self.child.stdout.readline())
        return self

    def say(self, word):
        """Returns the connections so far in hostile mode."""
        self.child.stdin.write(word + "\n")
        self.child.stdin.flush()
        return int(self.child.stdout.readline())

    def __exit__(self, *_):
        self.child.stdin.close()
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()


def hostile(book, binary, folder, probes, warm, judged):
    """The same checks of the same servers all the time; only what the servers do changes."""
    home = agents.new_folder(folder, "hostile")
    with Hostile() as bad:
        ports = list(bad.ports.values())
        agents.write_config(home, [f'id: {check_id(n)}, name: c{n}, type: http, url: "http://127.0.0.1:{ports[n % len(ports)]}/"'
                                   for n in range(HOSTILE)], HEAD)
        with agents.running(binary, home) as agent:
            agent.wait_until_up()
            time.sleep(warm)
            before = [mib for _, mib in sample(agent, 30)]
            own = [own_mib(agent.pid)]
            bad.say("hostile")
            during, start = [], time.monotonic()
            while bad.say("count") < probes:
                during += [mib for _, mib in sample(agent, PAUSE)]
                if time.monotonic() - start > 20 * probes / HOSTILE:
                    raise SystemExit(f"only {bad.say('count'):,} of {probes:,} hostile probes in {time.monotonic() - start:.0f} s")
            taken = time.monotonic() - start
            reasons = hostile_reasons(agent)
            count = bad.say("kind")
            time.sleep(FORGOTTEN)
            after = [mib for _, mib in sample(agent, 30)]
            own.append(own_mib(agent.pid))
            summary = agent.summary()
    base, left = statistics.median(before), statistics.median(after)
    print(f"\nHostile servers: {HOSTILE} http checks at 1 s, {len(ports)} kinds of server, {count:,} probes in {taken:.0f} s; "
          f"{summary['checks']['up']} up afterwards")
    print("  " + ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items())))
    row("RSS before, highest meanwhile, after:", f"{base:.1f}, {max(during):.1f}, {left:.1f} MiB")
    row("of it the process's own before, after:", f"{own[0]:.1f}, {own[1]:.1f} MiB")
    beyond = 100 * (left - base) / base
    if judged:
        book.tell("soak-hostile", beyond)
    else:
        row("RSS afterwards, beyond before:", f"{beyond:.1f} %")
        book.skip(f"{count:,} hostile probes are too few", "soak-hostile")
    return {"before": before, "during": during, "after": after, "own": own, "probes": count, "reasons": reasons}


def hostile_reasons(agent):
    """The last result of every check, counted by reason: all of them met what they were to meet."""
    reasons = {}
    for each in json.loads(agent.ask("/api/v1/checks?limit=1000"))["data"]:
        reason = (each.get("last") or {}).get("reason", "none")
        reasons[reason] = reasons.get(reason, 0) + 1
    return reasons


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/soak", description=__doc__)
    parser.add_argument("--agent", type=pathlib.Path, default=servers.AGENT,
                        help="a release build; the one scripts/run builds")
    parser.add_argument("--minutes", type=float, default=30, help="of results; 10 at least to be judged")
    parser.add_argument("--short", action="store_true", help="nine minutes, to see that it works")
    parser.add_argument("--only", choices=["growth", "hostile", "drain"])
    promises.add_options(parser)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    binary, bench = options.agent.resolve(), servers.BENCH
    minutes = 1 if options.short else options.minutes
    book = promises.Book()
    with book.closing(options, is_part=True) as report, \
            tempfile.TemporaryDirectory(prefix="quartz-soak-") as name:
        folder = pathlib.Path(name)
        warm = WARM_SHORT if options.short else WARM
        if options.only in (None, "growth"):
            report["growth"] = growth(book, binary, bench, folder, minutes, warm, minutes >= 10)
        if options.only in (None, "hostile"):
            probes = 5000 if options.short else PROBES
            report["hostile"] = hostile(book, binary, folder, probes, warm, not options.short)
        if options.only in (None, "drain"):
            report["drain"] = drain.drain(book, binary, folder, 20 if options.short else drain.FILL, not options.short)


if __name__ == "__main__":
    main()
