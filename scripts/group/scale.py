# SPDX-License-Identifier: MIT
"""A group of many members on a real etcd: how long a proof of a lease takes, how soon a change is in effect everywhere, and
what it costs.

Arguments: quartz-bench, a folder to work in, members, processes for them, checks, etcd servers, rounds of changes.
Members are the agent's own, several in a process, each with its lease, watch, client and placement.
"""

import base64
import http.client
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time

BENCH, FOLDER = sys.argv[1], sys.argv[2]
MEMBERS, PROCESSES, CHECKS, SERVERS, ROUNDS = map(int, sys.argv[3:8])
TTL = 10
os.chdir(FOLDER)


def port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


CLIENTS, PEERS = [port() for _ in range(SERVERS)], [port() for _ in range(SERVERS)]


def now():
    """The clock that the members tell, microseconds."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000


def say(text):
    print(text, file=sys.stderr, flush=True)


def start_etcd(index):
    cluster = ",".join(f"e{other}=http://127.0.0.1:{PEERS[other]}" for other in range(SERVERS))
    client, peer = f"http://127.0.0.1:{CLIENTS[index]}", f"http://127.0.0.1:{PEERS[index]}"
    return subprocess.Popen(
        ["etcd", "--name", f"e{index}", "--data-dir", f"etcd{index}", "--listen-client-urls", client,
         "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
         "--initial-cluster", cluster, "--log-level", "error"],
        stdout=open(f"etcd{index}.log", "a"), stderr=subprocess.STDOUT)


class Fleet:
    """One process of members."""

    def __init__(self, first, count):
        urls = ",".join(f"http://127.0.0.1:{each}" for each in CLIENTS)
        self.count = count
        self.process = subprocess.Popen(
            [BENCH, "group", "--first", str(first), "--members", str(count), "--checks", str(CHECKS), "--ttl", str(TTL),
             "--etcd", urls], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def receive(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, line):
        self.send(line)
        return self.receive()


def ask_all(fleets, line):
    for fleet in fleets:
        fleet.send(line)
    return [fleet.receive() for fleet in fleets]


class Witness(threading.Thread):
    """A watch of its own: when each change came out of etcd."""

    def __init__(self):
        super().__init__(daemon=True)
        self.changes = []
        self.lock = threading.Lock()
        self.start()

    def run(self):
        start, end = b"/quartz/scale/m/", b"/quartz/scale/m0"
        body = json.dumps({"create_request": {
            "key": base64.b64encode(start).decode(), "range_end": base64.b64encode(end).decode()}})
        link = http.client.HTTPConnection("127.0.0.1", CLIENTS[0])
        link.request("POST", "/v3/watch", body)
        answer = link.getresponse()
        while line := answer.readline():
            at = now()
            for event in json.loads(line)["result"].get("events", []):
                name = base64.b64decode(event["kv"]["key"]).decode().rsplit("/", 1)[1]
                gone = event.get("type") == "DELETE"
                card = {} if gone else json.loads(base64.b64decode(event["kv"]["value"]))
                with self.lock:
                    self.changes.append((at, int(event["kv"]["mod_revision"]), name, gone, card))

    def since(self, count):
        with self.lock:
            return list(self.changes[count:])

    def wait(self, count, is_it, seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for change in self.since(count):
                if is_it(change):
                    return change
            time.sleep(0.01)
        sys.exit("a change did not come")


def processor(process):
    fields = open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def settle(fleets, revision, seconds=30):
    """When all members had put a revision into effect."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        answers = ask_all(fleets, f"when {revision}")
        if sum(answer["effects"] for answer in answers) == sum(fleet.count for fleet in fleets):
            return max(answer["last_us"] for answer in answers)
        time.sleep(0.2)
    sys.exit("a view did not come into effect everywhere")


def at_rest(fleets, etcd, seconds):
    """Processor of a member and of etcd a second, and every proof of a lease."""
    ask_all(fleets, "mark")
    used, begin = [processor(each) for each in etcd], time.monotonic()
    first = [processor(fleet.process) for fleet in fleets]
    time.sleep(seconds)
    marks, span = ask_all(fleets, "mark"), time.monotonic() - begin
    keeps = sorted(each for mark in marks for each in mark["keeps_us"])
    members = sum(processor(fleet.process) for fleet in fleets) - sum(first)
    return keeps, members / span / MEMBERS, (sum(processor(each) for each in etcd) - sum(used)) / span


def change(fleets, witness, etcd, is_it, act):
    """Milliseconds until a change is in effect everywhere, and until all that gained had said so; seconds of processor of
    all members for it."""
    count = len(witness.changes)
    act()
    at, revision, *_ = witness.wait(count, is_it)
    before = sum(processor(fleet.process) for fleet in fleets)
    last = settle(fleets, revision)
    used = sum(processor(fleet.process) for fleet in fleets) - before
    time.sleep(1.5)
    puts = [each for each in witness.since(count) if not each[3] and each[4].get("applied", 0) >= revision]
    said = max((each[0] for each in puts), default=at)
    return (last - at) / 1000, (said - at) / 1000, used, len(puts)


def percentile(values, share):
    return values[min(len(values) - 1, int(len(values) * share))] / 1000


def main():
    etcd = [start_etcd(index) for index in range(SERVERS)]
    fleets, extra = [], None
    try:
        time.sleep(3)
        witness = Witness()
        say(f"{MEMBERS} members in {PROCESSES} processes join")
        share = MEMBERS // PROCESSES
        begin, deadline = time.monotonic(), time.monotonic() + 300
        for number in range(PROCESSES):
            fleets.append(Fleet(1 + number * share, share))
            # One process after the other: a thousand at once is no start that anybody makes.
            while fleets[-1].ask("joined")["joined"] < share:
                if time.monotonic() > deadline:
                    sys.exit("the members do not get into the group")
                time.sleep(0.2)
        say(f"all in the group after {time.monotonic() - begin:.0f} s; each places {CHECKS} checks")
        begin = time.monotonic()
        for number, answer in enumerate(ask_all(fleets, "list")):
            say(f"process {number}: {answer['owned']} checks its own, {answer['resident'] >> 20} MiB")
        say(f"all placed after {time.monotonic() - begin:.0f} s")
        time.sleep(5)

        keeps, rest, server = at_rest(fleets, etcd, 30)
        owned = sum(mark["owned"] for mark in ask_all(fleets, "mark"))
        rows = {"join": [], "leave": [], "death": []}
        name = f"m{share * PROCESSES + 1}"
        for number in range(ROUNDS):
            def join():
                nonlocal extra
                extra = Fleet(share * PROCESSES + 1, 1)
                extra.send("list")
            rows["join"].append(change(fleets, witness, etcd, lambda each: each[2] == name and not each[3], join))
            extra.receive()
            time.sleep(3)
            if number % 2 == 0:
                rows["leave"].append(change(
                    fleets, witness, etcd, lambda each: each[2] == name and each[4].get("weight") == 0,
                    lambda: extra.send("leave")))
                extra.process.wait()
            else:
                rows["death"].append(change(
                    fleets, witness, etcd, lambda each: each[2] == name and each[3],
                    lambda: extra.process.send_signal(signal.SIGKILL)))
                extra.process.wait()
            extra = None
            time.sleep(3)
        busy = sorted(each for mark in ask_all(fleets, "mark") for each in mark["keeps_us"])
        report(keeps, busy, rest, server, owned, rows)
    finally:
        for process in [fleet.process for fleet in fleets + ([extra] if extra else [])] + etcd:
            process.kill()
            process.wait()


def report(keeps, busy, rest, server, owned, rows):
    worst, problems = 0, []
    print(f"\n{MEMBERS} members, {CHECKS} checks ({owned} owned), etcd of {SERVERS}, ttl {TTL} s, "
          f"{os.cpu_count()} processors for all of it\n")
    print("| proof of a lease | count | p50 | p99 | worst |\n|---|---|---|---|---|")
    for what, values in (("at rest", keeps), ("while members come and go", busy)):
        if values:
            print(f"| {what} | {len(values)} | {percentile(values, .5):.1f} ms | {percentile(values, .99):.1f} ms "
                  f"| {values[-1] / 1000:.1f} ms |")
    print(f"\nAt rest a member uses {rest * 1000:.2f} ms of processor a second, etcd {server * 1000:.0f} ms.\n")
    print("| change | times | in effect everywhere | all that gained had said so | processor a member | cards put |")
    print("|---|---|---|---|---|---|")
    for what, values in rows.items():
        if not values:
            continue
        effect, said = max(each[0] for each in values), max(each[1] for each in values)
        used = statistics.mean(each[2] for each in values) / MEMBERS * 1000
        print(f"| {what} | {len(values)} | {effect:.0f} ms | {said:.0f} ms | {used:.1f} ms | "
              f"{max(each[3] for each in values)} |")
        worst = max(worst, effect)
    if keeps and percentile(keeps, .99) > 100:
        problems.append("a proof of a lease takes more than 100 ms")
    if worst > 2000:
        problems.append("a change takes more than 2 s")
    if owned != CHECKS:
        problems.append(f"{owned} checks are owned, not {CHECKS}")
    for problem in problems:
        print(f"MISSED: {problem}")
    sys.exit(1 if problems else 0)


main()
