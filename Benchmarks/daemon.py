# SPDX-License-Identifier: MIT
"""The real agent as it runs for users: what it costs with ten thousand and a hundred thousand checks, how it starts,
what it takes when there is little to do, and how many checks of each type one core carries. `Benchmarks/run` prints it
with the rest; alone: daemon.py --agent PATH --bench PATH [--short] [--only PART]."""

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
import servers
from agent import check_id, process_cpu, resident_mib, row

# Hosts that the checks are spread over, each an address of loopback.
HOSTS = [f"127.0.1.{number}" for number in range(1, 101)]
SIZES = {"warm": 20, "measure": 60, "full": 45, "hundred": 75, "type": 10, "idle": 13, "starts": 5, "every": 10}
SHORT = {"warm": 11, "measure": 12, "full": 6, "hundred": 20, "type": 3, "idle": 13, "starts": 3, "every": 120}
# Checks a second of each type while its cost is measured: below what one core carries.
RATES = {"http": 1000, "https": 250, "tcp": 1000, "tls": 250, "dns": 1000, "ping": 1000}


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


def http_checks(count, port, interval, scheme="http", more=""):
    return [f'id: {check_id(number)}, name: c{number}, type: http, url: "{scheme}://{HOSTS[number % 100]}:{port}/", '
            f"interval: {interval}{more}" for number in range(count)]


def new_folder(parent, name):
    folder = parent / name
    folder.mkdir()
    (folder / "state").mkdir(mode=0o700)
    return folder


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
    cpu, start = process_cpu(agent.pid), time.monotonic()
    missed = agent.summary()["schedule"]["missed"]
    time.sleep(seconds)
    cpu, taken = process_cpu(agent.pid) - cpu, time.monotonic() - start
    memory = resident_mib(agent.pid)
    summary = agent.summary()
    schedule = summary["schedule"]
    return {"cpu": cpu / taken, "us": 1e6 * cpu / taken / rate, "rss": memory, "up": summary["checks"]["up"],
            "total": summary["checks"]["total"], "late_p50": schedule.get("lateness_p50_ms"),
            "late_p99": schedule.get("lateness_p99_ms"), "late_max": schedule.get("lateness_max_ms"),
            "missed": schedule["missed"], "missed_meanwhile": schedule["missed"] - missed}


def show_lateness(seen, most):
    row("lateness p99, from the start on:", f"{seen['late_p99']:.1f} ms", f"at most {most} ms", seen["late_p99"] <= most)
    row("missed slots:", seen["missed"], "0", seen["missed"] == 0)
    if seen["up"] != seen["total"]:
        row("checks up:", f"{seen['up']} of {seen['total']}", "all", False)


def ten_thousand(binary, bench, folder, size):
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
    row("CPU of one core:", f"{100 * day['cpu']:.0f} %", "at most 40 %", day["cpu"] <= 0.4)
    row("CPU a result:", f"{day['us']:.0f} us")
    row("RSS after a day of history:", f"{day['rss']:.0f} MiB", "at most 250 MiB", day["rss"] <= 250)
    row("RSS with 90 days full:", f"{full['rss']:.0f} MiB", "at most 700 MiB", full["rss"] <= 700)
    show_lateness(day, 50)
    windows = full["history"]["windows_ms"]
    row("all four windows of all of them:", f"{windows:.1f} ms", "at most 50 ms", windows <= 50)
    return {"day": day, "full": full}


def hundred_thousand(binary, bench, folder, size):
    """100,000 tcp checks at 60 s."""
    home = new_folder(folder, "hundred")
    with servers.listener([servers_binary("tcp_accept")], folder) as port:
        checks = [f"id: {check_id(number)}, name: c{number}, type: tcp, host: 127.0.0.1, port: {port}, interval: 60s"
                  for number in range(100_000)]
        agents.write_config(home, checks, "limits: {in_flight_per_host: 500}\n")
        with agents.running(binary, home) as agent:
            seen = observe(agent, 5, size["hundred"], 100_000 / 60)
    # In less than a minute not every check has had its slot.
    seen["total"] = seen["up"] if size["hundred"] < 60 else seen["total"]
    print(f"\nThe agent, 100,000 tcp checks at 60 s, for {size['hundred'] + 5} s")
    row("CPU of one core:", f"{100 * seen['cpu']:.0f} %")
    row("RSS:", f"{seen['rss']:.0f} MiB")
    show_lateness(seen, 50)
    return seen


def servers_binary(name):
    return pathlib.Path(__file__).resolve().parent / ".build" / "c" / name


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


def one_core(binary, bench, folder, size):
    """What a result of each type costs the whole agent: probe, schedule, windows, store."""
    seen = {}
    with web(folder) as (plain, secure), servers.knot(folder) as dns, \
            servers.listener([servers_binary("tcp_accept")], folder) as tcp:
        for kind, checks in kinds(plain, secure, tcp, dns, folder).items():
            if kind == "ping" and os.geteuid() != 0:
                continue
            home = new_folder(folder, kind)
            agents.write_config(home, checks, "limits: {in_flight_per_host: 500}\n")
            with agents.running(binary, home, own_network=kind == "ping") as agent:
                seen[kind] = observe(agent, 2, size["type"], len(checks))
            shutil.rmtree(home)
    print("\nThe agent, one core full of checks of one type, from the CPU of each result")
    print(f"  {'':8}{'results/s':>12}{'CPU us/result':>16}{'one core, results/s':>22}{'checks at 60 s':>17}{'late p99':>12}")
    for kind, each in seen.items():
        note = "" if each["up"] == each["total"] and not each["missed"] else (
            f"   NOT MET: {each['up']} of {each['total']} up, {each['missed']} missed")
        print(f"  {kind:8}{RATES[kind]:>12,}{each['us']:>16.0f}{1e6 / each['us']:>22,.0f}"
              f"{60e6 / each['us']:>17,.0f}{each['late_p99']:>9.1f} ms{note}")
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
    with servers.listener([servers_binary("tcp_accept")], folder) as port:
        agents.write_config(home, [f"name: c{n}, type: tcp, host: 127.0.0.1, port: {port}" for n in range(10)],
                            "" if server else "status: {listen: off}\n")
        with agents.running(binary, home) as agent:
            if server:
                agent.wait_until_up()
            time.sleep(seconds)
            return resident_mib(agent.pid)


def small(binary, bench, folder, size):
    """Start, size, and what it takes when there is little to do."""
    starts = [first_probe(binary, folder, number) for number in range(size["starts"])]
    versions = []
    for _ in range(4 * size["starts"]):
        start = time.monotonic()
        subprocess.run([binary, "--version"], check=True, capture_output=True)
        versions.append(1000 * (time.monotonic() - start))
    stripped = folder / "stripped"
    subprocess.run(["strip", "-o", stripped, binary], check=True)
    seen = {"first_probe_ms": statistics.median(starts), "version_ms": statistics.median(versions),
            "version_least_ms": min(versions),
            "stripped_mb": stripped.stat().st_size / 1e6,
            "idle_mib": {state: idle_memory(binary, folder, state, size["idle"]) for state in (True, False)}}
    print("\nThe agent when there is little to do")
    row("start to first probe, 100 checks at 1 s:", f"{seen['first_probe_ms']:.0f} ms", "at most 60 ms",
        seen["first_probe_ms"] <= 60)
    row(f"--version, quickest of {len(versions)} (median {seen['version_ms']:.0f} ms):",
        f"{seen['version_least_ms']:.0f} ms", "at most 20 ms", seen["version_least_ms"] <= 20)
    row("stripped size:", f"{seen['stripped_mb']:.0f} MB", "at most 35 MB", seen["stripped_mb"] <= 35)
    for state, most in ((True, 25), (False, 25)):
        memory = seen["idle_mib"][state]
        row(f"RSS, 10 checks, status server {'on' if state else 'off'}:", f"{memory:.0f} MiB", f"at most {most} MiB",
            memory <= most)
    return seen


PARTS = {"daemon": ten_thousand, "hundred": hundred_thousand, "core": one_core, "small": small}


def show(binary, bench, short, parts=tuple(PARTS)):
    seen = {}
    for part in parts:
        with tempfile.TemporaryDirectory(prefix="quartz-daemon-") as name:
            seen[part] = PARTS[part](binary, bench, pathlib.Path(name), SHORT if short else SIZES)
    return seen


def main():
    parser = argparse.ArgumentParser(prog="daemon.py", description=__doc__)
    parser.add_argument("--agent", type=pathlib.Path, required=True, help="a release build of quartz-agent")
    parser.add_argument("--bench", type=pathlib.Path, required=True, help="quartz-bench, which makes the history")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", choices=PARTS, action="append")
    options = parser.parse_args()
    show(options.agent.resolve(), options.bench.resolve(), options.short, options.only or tuple(PARTS))


if __name__ == "__main__":
    main()
