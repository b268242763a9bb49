#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What others do to a measurement: one target's times alone and beside 1,000 neighbours, and the times of pings and of
DNS over UDP against the wire while both cores are busy, side by side with blackbox_exporter and fping.

Runs in a network namespace of its own (unshare -n) and prints JSON. Usage: interference.py COUNT ROUNDS FOLDER
"""

import contextlib
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import urllib.request

import agent
import servers
import tap

HERE = pathlib.Path(__file__).resolve().parent
BENCH = servers.BENCH
NEIGHBOURS, PACE_MS = 1000, 10
# The first ones set up what lasts: sockets, the kernel's own stamping, a cache.
WARM = 10
KINDS = ("tcp", "http", "ping", "dns")


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * share // 100)]


def sequence(kind, target, count, *options):
    command = [BENCH, "sequence", kind, target, "--count", count + WARM, "--pace", PACE_MS, "--names", servers.NAMES]
    done = subprocess.run([str(part) for part in [*command, *options]], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"quartz-bench sequence {kind} failed:\n{done.stderr}")
    return json.loads(done.stdout)[WARM:]


def targets(stack, folder):
    """For each kind the target and the neighbours', which is another server: what is asked for is what the agent does to
    its own measurement, not what a server's queue does."""
    places = {kind: [] for kind in KINDS}
    # The servers drop root's rights and could read nothing below a private folder.
    folder.chmod(0o755)
    for name in ("target", "neighbours"):
        own = folder / name
        own.mkdir()
        own.chmod(0o755)
        servers.make_certificates(own)
        accept = stack.enter_context(servers.listener([servers.binary("tcp_accept")], own))
        plain, _ = stack.enter_context(servers.nginx(own, accept))
        places["tcp"].append(f"127.0.0.1:{accept}")
        places["http"].append(f"http://127.0.0.1:{plain}/")
        places["ping"].append("127.0.0.1" if name == "target" else "127.0.0.2")
        places["dns"].append(f"127.0.0.1:{stack.enter_context(servers.knot(own))}")
    return places


@contextlib.contextmanager
def busy_cores():
    children = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(os.cpu_count() or 2)]
    try:
        yield
    finally:
        for child in children:
            child.kill()
            child.wait()


def blackbox_times(port, module, target, pattern, count):
    """What the exporter says that an answer took, one probe after the other."""
    times = []
    for _ in range(count + WARM):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/probe?module={module}&target={target}") as answer:
            found = re.search(pattern, answer.read().decode())
        times.append(1000 * float(found[1]))
    return times


def fping_times(target, count):
    command = ["fping", "-q", "-C", str(count + WARM), "-p", str(PACE_MS), target]
    words = subprocess.run(command, capture_output=True, text=True).stderr.split(":")[-1].split()
    return [float(word) for word in words]


def errors(dns_port, measure):
    """What is reported beyond the wire, in milliseconds, without the first ones."""
    with tap.Tap(dns_port) as wire:
        reported = measure()
    if len(wire.times) != len(reported):
        raise SystemExit(f"{len(wire.times)} questions on the wire, and {len(reported)} times reported")
    return [abs(told - seen) for told, seen in zip(reported, wire.times)][WARM:]


def against_wire(stack, folder, places, count):
    """Every contestant once: its errors, both cores busy."""
    address, port = places["dns"][0].split(":")
    _, exporter = stack.enter_context(servers.blackbox(folder, servers.make_certificates(folder)))
    def ours(kind):
        done = subprocess.run([str(part) for part in (
            BENCH, "sequence", kind, places[kind][0], "--count", count + WARM, "--pace", PACE_MS, "--names", 1)],
            check=True, capture_output=True, text=True)
        return json.loads(done.stdout)
    icmp = r'probe_icmp_duration_seconds\{phase="rtt"\} (\S+)'
    dns = r'probe_dns_duration_seconds\{phase="request"\} (\S+)'
    contestants = {
        "ping": {"quartz-agent": lambda: ours("ping"), "fping": lambda: fping_times("127.0.0.1", count),
                 "blackbox_exporter": lambda: blackbox_times(exporter, "icmp", "127.0.0.1", icmp, count)},
        "dns": {"quartz-agent": lambda: ours("dns"),
                "blackbox_exporter": lambda: blackbox_times(exporter, "dns", places["dns"][0], dns, count)},
    }
    with busy_cores():
        return {kind: {name: errors(int(port), measure) for name, measure in each.items()}
                for kind, each in contestants.items()}


def main():
    count, rounds, folder = int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
    report = {"beside": {kind: [] for kind in KINDS}, "busy": []}
    with contextlib.ExitStack() as stack:
        places = targets(stack, folder)
        for _ in range(rounds):
            for kind in KINDS:
                target, neighbour = places[kind]
                alone = sequence(kind, target, count)
                among = sequence(kind, target, count, "--neighbour", neighbour, "--neighbours", NEIGHBOURS)
                report["beside"][kind].append({"alone": alone, "among": among})
        for number in range(rounds):
            own = folder / f"busy-{number}"
            own.mkdir()
            with contextlib.ExitStack() as inner:
                report["busy"].append(against_wire(inner, own, places, count))
    print(json.dumps(report))


def show(book, folder, count, rounds):
    """Measures in a namespace, prints both tables, and tells what was promised of them."""
    print(f"\nOne target every {PACE_MS} ms, alone and beside {NEIGHBOURS:,} neighbours, each once a second")
    keys = [f"beside-{kind}-{share}" for kind in KINDS for share in ("p50", "p99")] + ["busy-ping", "busy-dns"]
    if os.geteuid() != 0:
        why = "needs root, for a network of its own"
        print(f"  not measured: {why}")
        book.skip(why, *keys)
        return None
    command = ["python3", HERE / "interference.py", count, rounds, folder]
    done = subprocess.run(agent.in_own_network([str(part) for part in command]), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"interference.py failed:\n{done.stdout}{done.stderr}")
    report = json.loads(done.stdout)
    for kind in KINDS:
        for share in (50, 99):
            pairs = [(percentile(each["alone"], share), percentile(each["among"], share))
                     for each in report["beside"][kind]]
            alone, among = (statistics.median(side) for side in zip(*pairs))
            book.tell(f"beside-{kind}-p{share}", *(max(0, after - before) for before, after in pairs),
                      note=f"{alone:.3f} ms alone, {among:.3f} ms beside them")
    print("\nReported against the wire, both cores busy, one question after the other")
    for kind in ("ping", "dns"):
        for name in report["busy"][0][kind]:
            all_errors = [each[kind][name] for each in report["busy"]]
            p50, p99 = (statistics.median(percentile(each, share) for each in all_errors) for share in (50, 99))
            print(f"  {kind + ', ' + name:30}error p50 {p50:>8.3f} ms, p99 {p99:>8.3f} ms")
        book.tell(f"busy-{kind}", *(percentile(each[kind]["quartz-agent"], 99) for each in report["busy"]))
    return report


if __name__ == "__main__":
    main()
