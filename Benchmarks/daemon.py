# SPDX-License-Identifier: MIT
"""The real agent as it runs for users: what it costs with ten thousand and a hundred thousand checks, how it starts,
what it takes when there is little to do, and how many checks of each type one core carries. `Benchmarks/run` prints it
with the rest; alone: daemon.py --agent PATH --bench PATH [--short] [--only PART] [--json FILE] [--compare FILE]."""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

import agent as agents
import lists
import page
import promises
import servers
from agent import HOSTS, check_id, http_checks, new_folder, resident_mib, row

SIZES = {"warm": 20, "measure": 60, "full": 45, "hundred": 75, "type": 10, "idle": 13, "starts": 5, "every": 10,
         "alone": 20_000, "loads": 5, "reloads": 5, "settle": 12, "page": 20}
SHORT = {"warm": 11, "measure": 12, "full": 6, "hundred": 10, "type": 3, "idle": 13, "starts": 3, "every": 120,
         "alone": 5000, "loads": 3, "reloads": 2, "settle": 2, "page": 6}
# Checks a second of each type while its cost is measured: below what one core carries.
RATES = {"http": 1000, "https": 250, "tcp": 1000, "tls": 250, "dns": 1000, "ping": 1000}
# Parts of a span of which each is a round.
SPANS = 5


@contextlib.contextmanager
def web(folder):
    """One nginx worker on all hosts, http and https. Yields both ports."""
    servers.make_certificates(folder)
    plain, secure = servers.free_port(), servers.free_port()
    listen = "\n".join(f"listen {host}:{plain} backlog=4096; listen {host}:{secure} ssl backlog=4096;"
                       for host in HOSTS)
    config = folder / "web.conf"
    config.write_text(f"""
        daemon off; worker_processes 1; pid {folder}/web.pid; error_log stderr error;
        events {{ worker_connections 8192; }}
        http {{
          access_log off;
          client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
          fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
          server {{
            {listen}
            ssl_certificate {folder}/server.pem; ssl_certificate_key {folder}/server.key;
            ssl_session_cache off; ssl_session_tickets off;
            location / {{ return 200 "{'x' * 1024}"; }}
          }}
        }}
        """)
    folder.chmod(0o755)
    with servers.process(["nginx", "-e", "stderr", "-c", str(config)], folder) as child:
        deadline = time.monotonic() + 15
        while time.monotonic() < deadline and child.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection((HOSTS[-1], plain), 1):
                break
            time.sleep(0.02)
        yield plain, secure


def make_history(bench, folder, checks, days, every):
    """A past of so many days as files in the agent's state; returns what quartz-bench says of it."""
    windows = folder / "state" / "windows"
    windows.mkdir(mode=0o700)
    command = [bench, "history", "--checks", checks, "--days", days, "--every", every, "--directory", windows]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def observe(agent, warm, seconds, rate):
    """Lets it run, then looks at a span of time without asking it anything meanwhile."""
    agent.wait_until_up()
    time.sleep(warm)
    missed = agent.summary()["schedule"]["missed"]
    marks = [(agents.cpu_readings(agent.pid), time.monotonic())]
    for _ in range(SPANS):
        time.sleep(seconds / SPANS)
        marks.append((agents.cpu_readings(agent.pid), time.monotonic()))
    shares = [agents.cpu_between(before[0], after[0]) / (after[1] - before[1]) for before, after in zip(marks, marks[1:])]
    cpu = agents.cpu_between(marks[0][0], marks[-1][0]) / (marks[-1][1] - marks[0][1])
    memory = resident_mib(agent.pid)
    summary = agent.summary()
    schedule = summary["schedule"]
    return {"cpu": cpu, "cpu_rounds": shares, "us": 1e6 * cpu / rate, "us_rounds": [1e6 * share / rate for share in shares],
            "rss": memory, "up": summary["checks"]["up"], "total": summary["checks"]["total"],
            "late_p50": schedule.get("lateness_p50_ms"), "late_p99": schedule.get("lateness_p99_ms"),
            "late_max": schedule.get("lateness_max_ms"),
            "missed": schedule["missed"], "missed_meanwhile": schedule["missed"] - missed}


def show_lateness(book, key, seen):
    book.tell(key + "-late", seen["late_p99"])
    book.tell(key + "-missed", seen["missed"])
    if seen["up"] != seen["total"]:
        row("checks up, where all should be:", f"{seen['up']} of {seen['total']}")


def ten_thousand(book, binary, bench, folder, size):
    """10,000 http checks at 10 s over a day's history, then over 90 days'."""
    seen = {}
    with web(folder) as (plain, _):
        for days, warm, measure in ((1, size["warm"], size["measure"]), (90, size["full"], 5)):
            home = new_folder(folder, f"days-{days}")
            agents.write_config(home, http_checks(10_000, plain, "10s"), "spool: {size: 256MiB, durability: always}\n")
            past = make_history(bench, home, 10_000, days, size["every"])
            with agents.running(binary, home) as agent:
                seen[days] = observe(agent, warm, measure, 1000) | {"history": past}
            shutil.rmtree(home)
    day, full = seen[1], seen[90]
    print(f"\nThe agent, 10,000 http checks at 10 s on 100 hosts, spool always, for {size['warm'] + size['measure']} s")
    book.tell("day-cpu", *(100 * share for share in day["cpu_rounds"]))
    row("CPU a result:", f"{day['us']:.0f} us")
    book.tell("day-rss", day["rss"])
    book.tell("full-rss", full["rss"])
    show_lateness(book, "day", day)
    book.tell("windows", full["history"]["windows_ms"])
    return {"day": day, "full": full}


def hundred_thousand(book, binary, bench, folder, size):
    """100,000 tcp checks at 60 s."""
    home = new_folder(folder, "hundred")
    with servers.listener([servers.binary("tcp_accept")], folder) as port:
        agents.write_config(home, agents.tcp_checks(100_000, port, "60s"), "limits: {in_flight_per_host: 500}\n")
        with agents.running(binary, home) as agent:
            seen = observe(agent, 5, size["hundred"], 100_000 / 60)
    # In less than a minute not every check has had its slot.
    seen["total"] = seen["up"] if size["hundred"] < 60 else seen["total"]
    print(f"\nThe agent, 100,000 tcp checks at 60 s, for {size['hundred'] + 5} s")
    row("CPU of one core:", f"{100 * seen['cpu']:.0f} %")
    book.tell("hundred-rss", seen["rss"])
    show_lateness(book, "hundred", seen)
    return seen


def kinds(plain, secure, tcp, dns, folder):
    """The checks of each type, as many a second as RATES says."""
    def each(count, text):
        return [f"id: {check_id(n)}, name: c{n}, interval: 1s, timeout: 1s, " + text(HOSTS[n % 100], n)
                for n in range(count)]

    trust = f"tls: {{ca_file: {folder}/ca.pem, server_name: 127.0.0.1}}"
    return {
        "http": each(RATES["http"], lambda host, n: f'type: http, url: "http://{host}:{plain}/"'),
        "https": each(RATES["https"], lambda host, n: f'type: http, url: "https://{host}:{secure}/", {trust}'),
        "tcp": each(RATES["tcp"], lambda host, n: f"type: tcp, host: 127.0.0.1, port: {tcp}"),
        "tls": each(RATES["tls"], lambda host, n: f"type: tls, host: {host}, port: {secure}, {trust}"),
        "dns": each(RATES["dns"], lambda host, n: f"type: dns, server: 127.0.0.1:{dns}, "
                    f"query: {{name: n{n}.bench.test, type: A}}"),
        "ping": each(RATES["ping"], lambda host, n: f"type: ping, host: {host}, count: 1"),
    }


def alone(bench, kind, place, count):
    """Microseconds of CPU that one probe costs quartz-bench, which makes it as the agent does and does nothing else."""
    command = [bench, kind, *place, "--count", count, "--in-flight", 100]
    if kind == "ping":
        command = agents.in_own_network(command)
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"quartz-bench {kind}: {done.stdout}{done.stderr}")
    report = json.loads(done.stdout.splitlines()[-1])
    if report["ok"] != report["probes"]:
        raise SystemExit(f"quartz-bench {kind}: only {report['ok']} of {report['probes']} probes succeeded")
    return 1e6 * (report["user"] + report["system"]) / report["probes"]


def one_core(book, binary, bench, folder, size):
    """What a result of each type costs the whole agent: probe, schedule, windows, store. Of those that have a load of
    their own in quartz-bench, also what is left without the probe: measured before and after, of the same server."""
    seen = {}
    with web(folder) as (plain, secure), servers.knot(folder) as dns, \
            servers.listener([servers.binary("tcp_accept")], folder) as tcp:
        places = {"http": [f"http://{HOSTS[0]}:{plain}/"], "tcp": [f"127.0.0.1:{tcp}"],
                  "dns": [f"127.0.0.1:{dns}", "--names", RATES["dns"]], "ping": ["127.0.0.1"]}
        for kind, checks in kinds(plain, secure, tcp, dns, folder).items():
            if kind == "ping" and os.geteuid() != 0:
                book.skip("needs root, for a network of its own", "beyond-ping")
                continue
            home = new_folder(folder, kind)
            agents.write_config(home, checks, "limits: {in_flight_per_host: 500}\n")
            measure = [lambda: alone(bench, kind, places[kind], size["alone"])] if kind in places else []
            before = [each() for each in measure]
            with agents.running(binary, home, own_network=kind == "ping") as agent:
                seen[kind] = observe(agent, 2, size["type"], len(checks))
            seen[kind]["alone"] = before + [each() for each in measure]
            shutil.rmtree(home)
    print("\nThe agent, one core full of checks of one type, from the CPU of each result")
    print(f"  {'':8}{'results/s':>12}{'CPU us/result':>16}{'probe alone':>14}{'one core, results/s':>22}"
          f"{'checks at 60 s':>17}{'late p99':>12}")
    for kind, each in seen.items():
        note = "" if each["up"] == each["total"] and not each["missed"] else (
            f"   {each['up']} of {each['total']} up, {each['missed']} missed")
        probe = f"{statistics.median(each['alone']):.0f}" if each["alone"] else "–"
        print(f"  {kind:8}{RATES[kind]:>12,}{each['us']:>16.0f}{probe:>14}{1e6 / each['us']:>22,.0f}"
              f"{60e6 / each['us']:>17,.0f}{each['late_p99']:>9.1f} ms{note}")
    for kind, each in seen.items():
        if each["alone"]:
            book.tell("beyond-" + kind, *(us - statistics.median(each["alone"]) for us in each["us_rounds"]))
    return seen


def first_probe(binary, folder, number):
    """Milliseconds from starting the program to the first connection of a probe."""
    home = new_folder(folder, f"start-{number}")
    # The second start counts: the first one sets the store's space aside.
    for _ in range(2):
        with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
            listener.settimeout(20)
            port = listener.getsockname()[1]
            agents.write_config(home, [f"name: c{n}, type: tcp, host: 127.0.0.1, port: {port}, interval: 1s, timeout: 1s"
                                       for n in range(100)])
            start = time.monotonic()
            with agents.running(binary, home):
                listener.accept()[0].close()
                taken = time.monotonic() - start
    shutil.rmtree(home)
    return 1000 * taken


def idle_memory(binary, folder, server, seconds):
    home = new_folder(folder, f"idle-{server}")
    with servers.listener([servers.binary("tcp_accept")], folder) as port:
        agents.write_config(home, [f"name: c{n}, type: tcp, host: 127.0.0.1, port: {port}" for n in range(10)],
                            "" if server else "status: {listen: off}\n")
        with agents.running(binary, home) as agent:
            if server:
                agent.wait_until_up()
            time.sleep(seconds)
            return resident_mib(agent.pid)


def small(book, binary, bench, folder, size):
    """Start, size, and what it takes when there is little to do."""
    starts = [first_probe(binary, folder, number) for number in range(size["starts"])]
    versions = []
    for _ in range(4 * size["starts"]):
        start = time.monotonic()
        subprocess.run([binary, "--version"], check=True, capture_output=True)
        versions.append(1000 * (time.monotonic() - start))
    stripped = folder / "stripped"
    subprocess.run(["strip", "-o", stripped, binary], check=True)
    idle = {state: idle_memory(binary, folder, state, size["idle"]) for state in (True, False)}
    print("\nThe agent when there is little to do")
    book.tell("start", *starts)
    # The quickest says what the program needs; the others, what else ran.
    book.tell("version", min(versions), note=f"quickest of {len(versions)}, median {statistics.median(versions):.1f} ms")
    book.tell("size", stripped.stat().st_size / 1e6)
    book.tell("idle-server", idle[True])
    book.tell("idle", idle[False])
    return {"first_probe_ms": starts, "version_ms": versions, "stripped_mb": stripped.stat().st_size / 1e6,
            "idle_mib": idle}


def status_page(book, binary, bench, folder, size):
    """What the page takes, and what it costs the probes."""
    return page.show(book, binary, web, folder, size)


PARTS = {"daemon": ten_thousand, "hundred": hundred_thousand, "core": one_core, "lists": lists.show, "small": small, "page": status_page}


def show(book, binary, bench, short, parts=tuple(PARTS)):
    seen = {}
    for part in parts:
        with tempfile.TemporaryDirectory(prefix="quartz-daemon-") as name:
            seen[part] = PARTS[part](book, binary, bench, pathlib.Path(name), SHORT if short else SIZES)
    return seen


def main():
    parser = argparse.ArgumentParser(prog="daemon.py", description=__doc__)
    parser.add_argument("--agent", type=pathlib.Path, required=True, help="a release build of quartz-agent")
    parser.add_argument("--bench", type=pathlib.Path, required=True, help="quartz-bench, which makes the history")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", choices=PARTS, action="append")
    promises.add_options(parser)
    options = parser.parse_args()
    book = promises.Book()
    with book.closing(options, is_part=True) as report:
        report["agent"] = show(book, options.agent.resolve(), options.bench.resolve(), options.short,
                               options.only or tuple(PARTS))


if __name__ == "__main__":
    main()
