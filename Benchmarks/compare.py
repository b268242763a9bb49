# SPDX-License-Identifier: MIT
"""Runs every contestant once a round, so that they share whatever else the machine does, and prints medians and the
ratios that docs/performance.md promises. CPU is user and system time of the prober; servers are not counted."""

import argparse
import contextlib
import datetime
import json
import os
import pathlib
import platform
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import daemon
import interference
import promises
import scheduling
import servers

HERE = pathlib.Path(__file__).resolve().parent
IN_FLIGHT = 100
BURST = 500
DELAY_MS = 50
ROUND_TRIP_MS = 40
SIZES = {"http": 20_000, "https": 2000, "tcp": 30_000, "dns": 40_000, "wrk": 3, "schedule": 30, "results": 500_000,
         "ring": 256, "verdicts": 1000, "verdict_timeout": 6000, "wire": 30, "hanging": 60, "sequence": 300}
SHORT = {"http": 4000, "https": 400, "tcp": 6000, "dns": 10_000, "wrk": 1, "schedule": 5, "results": 50_000,
         "ring": 16, "verdicts": 1000, "verdict_timeout": 6000, "wire": 5, "hanging": 25, "sequence": 150}


def run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def own_report(command):
    """A program that prints its own figures as JSON: ours and the C loops."""
    report = json.loads(run(command).splitlines()[-1])
    if report["ok"] != report["probes"]:
        raise SystemExit(f"{command}: only {report['ok']} of {report['probes']} probes succeeded")
    return report | {"cpu": report["user"] + report["system"]}


def whole_process(command, count_probes):
    """A program measured from its start to its end; `count_probes` reads from its output how many it made."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    output = run(command)
    seconds, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return {"probes": count_probes(output), "seconds": seconds, "cpu": cpu}


def dnsperf(port, folder, count):
    command = ["dnsperf", "-s", "127.0.0.1", "-p", port, "-d", folder / "queries", "-q", IN_FLIGHT,
               "-n", count // servers.NAMES, "-c", 1, "-T", 1]
    return whole_process(command, lambda output: int(re.search(r"Queries completed:\s+(\d+)", output)[1]))


def curl(url, count, *options):
    """The program curl, all transfers in one process."""
    command = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}\n", "--parallel", "--parallel-max", IN_FLIGHT,
               "-H", "Connection: close", *options, f"{url}?[1-{count}]"]
    return whole_process(command, lambda output: sum(line == "200" for line in output.splitlines()))


def wrk(url, seconds):
    """A load generator that reads no more of an answer than where it ends: what a connection and a request cost at least."""
    command = ["wrk", "-t", 1, "-c", IN_FLIGHT, "-d", f"{seconds}s", "-H", "Connection: close", url]
    return whole_process(command, lambda output: int(re.search(r"(\d+) requests in", output)[1]))


def process_cpu(pid):
    """User and system seconds of all threads, from /proc/PID/stat (proc(5), fields 14 and 15)."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def exporter(pid, port, module, target, seconds):
    """blackbox_exporter under wrk: one request is one probe."""
    url = f"http://127.0.0.1:{port}/probe?module={module}&target={target}"
    with urllib.request.urlopen(url) as answer:
        if "\nprobe_success 1" not in answer.read().decode():
            raise SystemExit(f"blackbox_exporter cannot probe {target} with its module {module}")
    before = process_cpu(pid)
    output = run(["wrk", "-t", 1, "-c", IN_FLIGHT, "-d", f"{seconds}s", "--timeout", "30s", url])
    cpu = process_cpu(pid) - before
    probes, taken = re.search(r"(\d+) requests in ([\d.]+)s", output).groups()
    if re.search(r"Non-2xx|Socket errors", output):
        raise SystemExit(f"wrk met errors:\n{output}")
    return {"probes": int(probes), "seconds": float(taken), "cpu": cpu}


def burst(url, exporter_port, *options):
    """What 500 probes at once of a server that answers after 50 ms report beyond those: ours, then the exporter's,
    of which wrk makes the first request of each connection at the same moment."""
    ours = json.loads(run([servers.BENCH, "burst", "http", url, "--count", BURST, *options]))
    probe = f"http://127.0.0.1:{exporter_port}/probe?module=http&target={url}"
    output = run(["wrk", "-t", 1, "-c", BURST, "-d", "5s", "--timeout", "30s", "-s", HERE / "burst.lua", probe,
                  "--", BURST])
    theirs = [1000 * float(seconds) for seconds in re.findall(r"^reported ([\d.e+-]+)$", output, re.M)]
    if len(theirs) != BURST:
        raise SystemExit(f"blackbox_exporter answered {len(theirs)} of {BURST} probes of {url}")
    return {"quartz-agent": ours, "blackbox_exporter": theirs}


def show_burst(book, kind, rounds):
    """HTTP is held to milliseconds; behind TLS the machine's own work for 500 handshakes is in every time, and what
    counts is how the exporter fares with them."""
    print(f"\nError of the reported response time, {BURST} {kind} probes at once, answered after {DELAY_MS} ms")
    errors = {name: [sorted(abs(time - DELAY_MS) for time in reported[name]) for reported in rounds]
              for name in rounds[0]}
    p50 = {name: [each[BURST // 2] for each in all] for name, all in errors.items()}
    p99 = {name: [each[BURST * 99 // 100] for each in all] for name, all in errors.items()}
    for name in errors:
        print(f"  {name:24}p50 {statistics.median(p50[name]):>7.1f} ms, p99 {statistics.median(p99[name]):>7.1f} ms")
    ours, theirs = "quartz-agent", "blackbox_exporter"
    if kind == "HTTP":
        book.tell("burst-http-p50", *p50[ours])
        book.tell("burst-http-p99", *p99[ours])
    else:
        book.tell("burst-https", *(mine / other for mine, other in zip(p50[ours], p50[theirs])))


def wire(folder, probes):
    """Each phase against the wire, one probe at a time behind a line of 40 ms; None where nobody may lay one."""
    if os.geteuid() != 0 or not pathlib.Path("/dev/net/tun").exists():
        return None
    key, certificate = folder / "wire.key", folder / "wire.pem"
    run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
         "-out", certificate, "-subj", "/CN=wire", "-addext", "subjectAltName=IP:10.99.0.2", "-days", 2])
    return json.loads(run(["unshare", "-n", "python3", HERE / "wire.py", probes, ROUND_TRIP_MS, folder, certificate, key]))


def show_wire(book, pairs):
    print(f"\nEach phase against the wire, one probe at a time, round trip {ROUND_TRIP_MS} ms")
    # What the line saw, by the phase it is the truth of. The client's second flight ends the handshake of TLS 1.3.
    truths = {"connect": "connect", "tls": "second_flight", "first_byte": "first_byte", "transfer": "transfer"}
    if pairs is None:
        why = "needs root and /dev/net/tun"
        print(f"  not measured: {why}")
        book.skip(why, *("wire-" + phase for phase in truths))
        return
    for phase, truth in truths.items():
        told = [(each["reported"][phase], each["wire"][truth]) for each in pairs
                # Behind TLS the line cannot tell an answer's bytes from the handshake's.
                if phase in each["reported"] and (phase in ("connect", "tls") or "tls" not in each["reported"])]
        if not told:
            continue
        errors = [abs(reported - seen) for reported, seen in told]
        book.tell("wire-" + phase, *errors, note=f"wire {statistics.median(seen for _, seen in told):.3f} ms, "
                                                 f"worst {max(errors):.3f} ms")


def false_verdicts(stack, folder, size):
    """A burst of http and of https checks whose server answers after nine tenths of the timeout, then the same with two
    processes that keep the cores busy. The server's own share of the cores is in its answers, so the timeout is long."""
    timeout = size["verdict_timeout"]
    bundle = servers.make_certificates(folder)
    slow = stack.enter_context(servers.listener([servers.binary("http_delay"), timeout * 9 // 10], folder))
    _, secure = stack.enter_context(servers.nginx(folder, slow))
    command = [servers.BENCH, "verdicts", f"http://127.0.0.1:{slow}/",
               f"https://127.0.0.1:{secure}/slow", "--count", size["verdicts"], "--timeout", timeout, "--ca-file", bundle]
    reports = {"alone": json.loads(run(command))}
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2)]
    try:
        reports["beside two busy processes"] = json.loads(run(command))
    finally:
        for child in busy:
            child.kill()
            child.wait()
    return reports


def show_false_verdicts(book, reports, size):
    print(f"\nFalse verdicts, {size['verdicts']:,} http and {size['verdicts']:,} https checks at once, answered after "
          f"90 % of {size['verdict_timeout'] / 1000:g} s: what is not up, and down beside others' work")
    for name, report in reports.items():
        bad = report["down"] + (report["unknown"] if name == "alone" else 0)
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in report["reasons"].items())
        book.tell("verdicts-alone" if name == "alone" else "verdicts-busy", bad, note=reasons)


def contests(stack, folder, size):
    """Every group: its title, its contestants by name (ours first), and whom a promise compares ours with. And the bursts
    by kind."""
    ours = servers.BENCH
    bundle = servers.make_certificates(folder)
    tcp = stack.enter_context(servers.listener([servers.binary("tcp_accept")], folder))
    slow = stack.enter_context(servers.listener([servers.binary("http_delay"), DELAY_MS], folder))
    plain, secure = stack.enter_context(servers.nginx(folder, slow))
    dns = stack.enter_context(servers.knot(folder))
    pid, port = stack.enter_context(servers.blackbox(folder, bundle))
    http_url, https_url = f"http://127.0.0.1:{plain}/", f"https://127.0.0.1:{secure}/"
    target = f"127.0.0.1:{tcp}"

    def agent(*arguments):
        return lambda: own_report([ours, *arguments, "--in-flight", IN_FLIGHT])

    def box(module, target):
        return lambda: exporter(pid, port, module, target, size["wrk"])

    groups = [
        ("HTTP, 1 KiB, fresh connection", {
            "quartz-agent": agent("http", http_url, "--count", size["http"]),
            "C, curl_multi": lambda: own_report([servers.binary("curl_multi"), http_url, size["http"], IN_FLIGHT]),
            "curl --parallel": lambda: curl(http_url, size["http"]),
            "wrk": lambda: wrk(http_url, size["wrk"]),
            "blackbox_exporter": box("http", http_url),
        }, {"http-c": "C, curl_multi", "http-blackbox": "blackbox_exporter"}),
        ("HTTPS, TLS 1.3, P-256, system bundle, fresh connection and handshake", {
            "quartz-agent": agent("http", https_url, "--count", size["https"], "--ca-file", bundle),
            "the same, unverified": agent("http", https_url, "--count", size["https"], "--no-verify"),
            "curl --parallel": lambda: curl(https_url, size["https"], "--cacert", bundle, "--no-sessionid"),
            "wrk, unverified": lambda: wrk(https_url, size["wrk"]),
            "blackbox_exporter": box("http", https_url),
        }, {"https-unverified": "the same, unverified", "https-wrk": "wrk, unverified"}),
        ("TCP connect", {
            "quartz-agent": agent("tcp", target, "--count", size["tcp"]),
            "C, epoll": lambda: own_report([servers.binary("tcp_connect"), "127.0.0.1", tcp, size["tcp"], IN_FLIGHT]),
            "blackbox_exporter": box("tcp", target),
        }, {"tcp-c": "C, epoll", "tcp-blackbox": "blackbox_exporter"}),
        (f"DNS over UDP, {servers.NAMES} names", {
            "quartz-agent": agent("dns", f"127.0.0.1:{dns}", "--count", size["dns"], "--names", servers.NAMES),
            "dnsperf": lambda: dnsperf(dns, folder, size["dns"]),
            "blackbox_exporter": box("dns", f"127.0.0.1:{dns}"),
        }, {"dns-dnsperf": "dnsperf"}),
    ]
    bursts = {
        "HTTP": lambda: burst(f"http://127.0.0.1:{slow}/", port),
        "HTTPS": lambda: burst(f"{https_url}slow", port, "--ca-file", bundle),
    }
    return groups, bursts


def show_group(book, title, rounds, rivals):
    """One table, and the ratios promised of it: of a round's two costs, so that both had the same machine."""
    print(f"\n{title}, {IN_FLIGHT} in flight")
    print(f"  {'':24}{'CPU us/probe':>14}{'lowest':>9}{'highest':>9}{'probes/CPU s':>14}{'probes/s':>10}")
    cost = {}
    for name, reports in rounds.items():
        cost[name] = [1e6 * report["cpu"] / report["probes"] for report in reports]
        middle = statistics.median(cost[name])
        rate = statistics.median(report["probes"] / report["seconds"] for report in reports)
        print(f"  {name:24}{middle:>14.1f}{min(cost[name]):>9.1f}{max(cost[name]):>9.1f}{1e6 / middle:>14,.0f}{rate:>10,.0f}")
    first = next(iter(cost))
    for key, rival in rivals.items():
        book.tell(key, *(ours / theirs for ours, theirs in zip(cost[first], cost[rival])))


def show_schedule(book, size):
    """100,000 checks at 60 s with probes that do nothing."""
    command = [servers.BENCH, "schedule", "--checks", 100_000, "--seconds", size["schedule"]]
    report = json.loads(run(command).splitlines()[-1])
    print(f"\nSchedule, 100,000 checks at 60 s, {report['started']:,} runs that do nothing, {report['missed']} missed")
    print(f"  lateness p50 {report['late_p50_ms']:.2f} ms, max {report['late_max_ms']:.2f} ms; "
          f"CPU {report['cpu'] * 60 / report['seconds']:.2f} s a minute")
    book.tell("schedule-late", report["late_p99_ms"])
    book.tell("schedule-bytes", report["bytes_per_check"])
    return report


def show_spool(book, size, rounds, folder):
    """Results handed in by a thousand tasks, each synced; then a full ring opened again."""
    reports = []
    for number in range(rounds):
        directory = folder / f"spool-{number}"
        directory.mkdir()
        command = [servers.BENCH, "spool", "--results", size["results"], "--mebibytes",
                   size["ring"], "--directory", directory]
        reports.append(json.loads(run(command).splitlines()[-1]))
        shutil.rmtree(directory)
    middle = {key: statistics.median(report[key] for report in reports) for key in reports[0]}
    print(f"\nStore, durability always, {size['results']:,} results of {middle['bytes_per_result']:.0f} bytes, "
          f"{middle['cpu'] / middle['results'] * 1e6:.1f} us of CPU each; opened with {size['ring']} MiB, "
          f"{middle['found']:,.0f} results")
    book.tell("spool-rate", *(report["results"] / report["seconds"] for report in reports))
    book.tell("spool-open", *(report["recovery_seconds"] for report in reports), note=f"of {size['ring']} MiB")
    return reports


def probes(book, size, rounds):
    """The probes alone: every contestant once a round, then the tables. Returns each measurement by its group."""
    with scratch() as folder, contextlib.ExitStack() as stack:
        groups, measure_bursts = contests(stack, folder, size)
        report = {title: {contestant: [] for contestant in contestants} for title, contestants, _ in groups}
        bursts = {kind: [] for kind in measure_bursts}
        for _ in range(rounds):
            for title, contestants, _ in groups:
                for contestant, measure in contestants.items():
                    report[title][contestant].append(measure())
            for kind, measure in measure_bursts.items():
                bursts[kind].append(measure())
    for title, _, rivals in groups:
        show_group(book, title, report[title], rivals)
    for kind, reported in bursts.items():
        show_burst(book, kind, reported)
    return report | {"burst": bursts}


@contextlib.contextmanager
def scratch(dir=None):
    with tempfile.TemporaryDirectory(prefix="quartz-bench-", dir=dir) as name:
        yield pathlib.Path(name)


def first_match(command, pattern):
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.search(pattern, done.stdout + done.stderr)
    return found[1] if found else "?"


def show_machine(rounds):
    model = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text())
    commit = first_match(["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"], r"(\w+)")
    changed = subprocess.run(["git", "-C", str(HERE), "diff", "--quiet", "HEAD", "--", "../Sources", "."])
    now = datetime.datetime.now(datetime.timezone.utc)
    print(f"quartz-agent, commit {commit}{' with changes' if changed.returncode else ''}, {now:%Y-%m-%d %H:%M} UTC")
    print(f"{model[1] if model else platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}, "
          f"load {os.getloadavg()[0]:.1f}; servers and probers share the cores")
    versions = {
        "swift": first_match(["swift", "--version"], r"Swift version (\S+)"),
        "libcurl": first_match(["curl-config", "--version"], r"libcurl (\S+)"),
        "openssl": first_match(["openssl", "version"], r"OpenSSL (\S+)"),
        "nginx": first_match(["nginx", "-v"], r"nginx/(\S+)"),
        "knot": first_match(["knotd", "--version"], r"version (\S+)"),
        "dnsperf": first_match(["dpkg-query", "-W", "-f", "${Version}", "dnsperf"], r"(\S+)"),
        "wrk": first_match(["wrk", "-v"], r"wrk (\S+)"),
        "fping": first_match(["fping", "--version"], r"Version (\S+)"),
        "blackbox_exporter": first_match(["prometheus-blackbox-exporter", "--version"], r"version (\S+?),? "),
    }
    print(", ".join(f"{name} {version}" for name, version in versions.items()))
    print(f"medians of {rounds} rounds, every contestant once a round")


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/run", description=__doc__)
    parser.add_argument("--short", action="store_true", help="3 small rounds, to see that it works")
    parser.add_argument("--rounds", type=int, help="5, or 3 with --short")
    parser.add_argument("--agent", type=pathlib.Path, default=servers.AGENT,
                        help="the agent to run as a whole; the one scripts/run builds")
    promises.add_options(parser)
    options = parser.parse_args()
    # An exception, unlike the default action, leaves the `with` blocks that end the servers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    rounds = options.rounds or (3 if options.short else 5)
    book = promises.Book()
    with book.closing(options) as report:
        show_machine(rounds)
        report |= measure_all(book, options, SHORT if options.short else SIZES, rounds)


def measure_all(book, options, size, rounds):
    report = probes(book, size, rounds)
    with scratch() as folder, contextlib.ExitStack() as stack:
        report["verdicts"] = false_verdicts(stack, folder, size)
    show_false_verdicts(book, report["verdicts"], size)
    with scratch() as folder:
        report["wire"] = wire(folder, size["wire"])
    show_wire(book, report["wire"])
    with scratch() as folder:
        report["interference"] = interference.show(book, folder, size["sequence"], rounds)
    report["schedule"] = show_schedule(book, size)
    with scratch(dir=HERE) as folder:
        report["spool"] = show_spool(book, size, rounds, folder)
    binary, bench = options.agent.resolve(), servers.BENCH
    report["agent"] = daemon.show(book, binary, bench, options.short)
    with scratch() as folder:
        report["hanging"] = scheduling.show_hanging(binary, folder, size["hanging"], False, book)
    return report


if __name__ == "__main__":
    main()
