# SPDX-License-Identifier: MIT
"""Two promises of the schedule, kept or broken by the real agent: targets that hang do not hold up the others, and a
reload leaves alone what did not change. Exits 1 when one is broken; docs/evidence/scheduling.md holds a run's output."""

import argparse
import contextlib
import json
import pathlib
import selectors
import signal
import socket
import sys
import tempfile
import threading
import time

import agent as agents
import daemon
import promises
from agent import check_id, micros, row

HANGING, HEALTHY = 500, 500
CHECKS, SLOW, CHANGED = 1000, 20, 10
INTERVAL = 10


class Silence:
    """Sockets that accept, keep what they accepted, and say nothing."""

    def __init__(self, hosts):
        self.selector, self.kept, self.accepted = selectors.DefaultSelector(), {}, 0
        self.places = []
        for host in hosts:
            listener = socket.create_server((host, 0), backlog=256)
            listener.setblocking(False)
            self.selector.register(listener, selectors.EVENT_READ, True)
            self.places.append((host, listener.getsockname()[1]))
        self.ended = False
        self.thread = threading.Thread(target=self.serve)

    def serve(self):
        while not self.ended:
            for key, _ in self.selector.select(0.2):
                if key.data:
                    connection, _ = key.fileobj.accept()
                    connection.setblocking(False)
                    self.accepted += 1
                    self.selector.register(connection, selectors.EVENT_READ, False)
                elif not self.heard(key.fileobj):
                    self.selector.unregister(key.fileobj)
                    key.fileobj.close()

    def heard(self, connection):
        with contextlib.suppress(BlockingIOError, ConnectionError):
            return bool(connection.recv(65536))
        return False

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended = True
        self.thread.join()
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        self.selector.close()


def slow_web(seconds):
    """A server that answers 200 after so many seconds. Yields its port."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)

    def answer(connection):
        with connection, contextlib.suppress(OSError):
            connection.recv(4096)
            time.sleep(seconds)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    def serve():
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return contextlib.closing(listener), listener.getsockname()[1]


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


def missed_slots(agent):
    """Of the healthy checks and of those that hang."""
    listed = json.loads(agent.ask("/api/v1/checks?limit=1000"))["data"]
    return {kind: sum(each["missed"] for each in listed if each["name"].startswith(kind)) for kind in ("fine", "hang")}


def hanging(book, binary, folder, seconds, title, hosts, limits, settling):
    """500 targets that hang beside 500 that answer. Where there is not room for all, nobody knows at first which is
    which: the figures are from `settling` seconds on."""
    home = agents.new_folder(folder, title.replace(" ", "-").replace(",", ""))
    with daemon.web(home) as (port, _), Silence(hosts) as silence:
        places = [silence.places[number % len(silence.places)] for number in range(HANGING)]
        checks = [f'name: hang{n}, type: http, url: "http://{host}:{at}/", interval: {INTERVAL}s, timeout: 10s'
                  for n, (host, at) in enumerate(places)]
        checks += [f'name: fine{n}, type: http, url: "http://{agents.HOSTS[n % 100]}:{port}/", interval: {INTERVAL}s'
                   for n in range(HEALTHY)]
        agents.write_config(home, checks, limits)
        with agents.running(binary, home) as agent:
            agent.wait_until_up()
            time.sleep(settling)
            before, start = missed_slots(agent), time.time()
            time.sleep(seconds)
            everything = list(agent.results())
            results = [each for each in everything if micros(each["scheduled_at"]) >= 1e6 * start or not settling]
            after = missed_slots(agent)
            spread = agent.summary()["schedule"]
    late = [each["late_ms"] for each in results if each["check"].startswith("fine")]
    # Runs that hang end together, a round at a time: of a short span all of them may be missing.
    down = [each for each in everything if each["check"].startswith("hang")]
    failed = sum(each["state"] != "up" for each in results if each["check"].startswith("fine"))
    missed = {kind: after[kind] - (before[kind] if settling else 0) for kind in after}
    due = HEALTHY * (time.time() - start) / INTERVAL
    seen = {"p50": percentile(late, 0.5), "p95": percentile(late, 0.95), "p99": percentile(late, 0.99),
            "max": max(late), "results": len(late), "due": due, "failed": failed, "missed": missed,
            "hanging_results": len(down), "connections": silence.accepted, "in_flight": spread["in_flight"]}
    print(f"\n{title}: 500 that hang beside 500 that answer, every {INTERVAL} s, for {seconds} s"
          + (f" after {settling} s" if settling else ""))
    print(f"  held connections so far {seen['connections']:,}, their results so far {len(down)} "
          f"({sum(each['reason'] == 'first_byte_timeout' for each in down)} first_byte_timeout), "
          f"their missed slots {missed['hang']}; {seen['in_flight']} in flight at the end")
    print(f"  healthy: {len(late):,} results, lateness p50 {seen['p50']:.1f} ms, p95 {seen['p95']:.1f} ms, "
          f"max {seen['max']:.1f} ms")
    book.tell("hanging-late", seen["p99"])
    book.tell("hanging-missed", missed["fine"])
    book.tell("hanging-down", failed)
    seen["kept"] = (book.is_kept and len(down) > 0
                    and len(late) >= 0.8 * due - HEALTHY)
    return seen


def show_hanging(binary, folder, seconds, all_of_them=True, book=None):
    """Each story is held to the same promises; `book` gets the first one's."""
    spread = [f"127.0.2.{number}" for number in range(1, 251)] * 2
    stories = [("Hanging targets, each a host of its own", spread, "", 0)]
    if all_of_them:
        stories += [
            ("Hanging targets, limits.in_flight 200", spread, "limits: {in_flight: 200}\n", 90),
            ("Hanging targets, all one host", ["127.0.3.1"], "", 0),
        ]
    books = [book or promises.Book()] + [promises.Book() for _ in stories[1:]]
    return {title: hanging(each, binary, folder, seconds, title, *story) for each, (title, *story) in zip(books, stories)}


def reload_checks(port, slow, version):
    """1,000 checks, of which `version` changes ten: five get another path, five another interval."""
    checks = []
    for number in range(CHECKS):
        host, path, interval = f"{agents.HOSTS[number % 100]}:{port}", "/", INTERVAL
        if number < SLOW:
            host = f"127.0.0.1:{slow}"
        if version and number >= CHECKS - CHANGED:
            path, interval = (f"/v{version}", INTERVAL) if number % 2 else ("/", INTERVAL + version)
        checks.append(f'id: {check_id(number)}, name: c{number}, type: http, url: "http://{host}{path}", '
                      f"interval: {interval}s, timeout: 10s")
    return checks


def up_counts(agent):
    listed = json.loads(agent.ask("/api/v1/checks?limit=1000"))["data"]
    return {each["name"]: each["uptime"]["24h"]["counts"]["up"] for each in listed}


def judge_reload(results, moments, counts):
    """What of the promise is broken, in words; and the figures."""
    slots, ends = {}, {}
    for each in results:
        slots.setdefault(each["check"], []).append(micros(each["scheduled_at"]))
        ends.setdefault(each["check"], []).append(
            (micros(each["started_at"]), micros(each["started_at"]) + 1000 * each["response_time_ms"], each["state"]))
    step, same = INTERVAL * 1_000_000, [f"c{number}" for number in range(CHECKS - CHANGED)]
    broken = []
    moved = [name for name in same if len({slot % step for slot in slots[name]}) != 1]
    gaps = [name for name in same if any(b - a != step for a, b in zip(slots[name], slots[name][1:]))]
    across = [(name, end) for name in same for end in ends[name]
              if any(end[0] < 1e6 * moment < end[1] for moment in moments)]
    lost = [name for name, end in across if end[2] != "up"]
    forgot = [name for name in same if counts[1][name] < counts[0][name] or counts[1][name] < len(slots[name]) - 2]
    for words, names in (("moved their phase", moved), ("skipped or doubled a slot", gaps),
                         ("lost the probe in flight", lost), ("lost history", forgot)):
        if names:
            broken.append(f"{len(names)} unchanged checks {words}: {', '.join(names[:5])}")
    if not across:
        broken.append("no probe was in flight at a reload")
    return broken, slots, across


def show_reload(binary, folder):
    home = agents.new_folder(folder, "reload")
    closing, slow = slow_web(4)
    with closing, daemon.web(home) as (port, _):
        agents.write_config(home, reload_checks(port, slow, 0))
        with agents.running(binary, home) as agent:
            agent.wait_until_up()
            time.sleep(2.5 * INTERVAL)
            counts = [up_counts(agent)]
            agents.write_config(home, reload_checks(port, slow, 1))
            agent.child.send_signal(signal.SIGHUP)
            moments = [agent.wait_for_log("configuration reloaded", 1)]
            time.sleep(2.5 * INTERVAL)
            agents.write_config(home, reload_checks(port, slow, 2))
            moments.append(agent.wait_for_log("configuration reloaded", 2))
            time.sleep(2.5 * INTERVAL)
            counts.append(up_counts(agent))
            results, missed = list(agent.results()), agent.summary()["schedule"]["missed"]
    broken, slots, across = judge_reload(results, moments, counts)
    step = INTERVAL * 1_000_000
    print(f"\nReload under load: {CHECKS} checks at {INTERVAL} s, {CHANGED} changed by SIGHUP, then by content alone")
    print(f"  {len(results):,} results; {len(across)} probes of unchanged checks were in flight at a reload, and ended up")
    print(f"  {'check':8}{'phase before':>14}{'after SIGHUP':>14}{'after content':>14}   counted up before, after")
    for number in [0, 1, 250, 500, 989, 990, 991, 998, 999]:
        name = f"c{number}"
        parts = [[slot for slot in slots[name] if low <= slot < high] for low, high in
                 zip([0, *(1e6 * moment for moment in moments)], [*(1e6 * moment for moment in moments), 1e18])]
        phases = [f"{part[-1] % step / 1e6:.3f} s" if part else "–" for part in parts]
        print(f"  {name:8}{phases[0]:>14}{phases[1]:>14}{phases[2]:>14}   {counts[0][name]}, {counts[1][name]}"
              + ("   changed" if number >= CHECKS - CHANGED else ""))
    row(f"the other {CHECKS - CHANGED}: phase, every slot once, history:", "kept" if not broken else "BROKEN")
    row("missed slots, where none may be:", missed)
    for line in broken:
        print("  " + line)
    return {"kept": not broken and missed == 0, "across": len(across)}


def main():
    parser = argparse.ArgumentParser(prog="scheduling.py", description=__doc__)
    parser.add_argument("story", choices=["hanging", "reload"])
    parser.add_argument("--agent", type=pathlib.Path, required=True, help="a release build of quartz-agent")
    parser.add_argument("--seconds", type=int, default=60, help="of each story with hanging targets")
    options = parser.parse_args()
    binary = options.agent.resolve()
    with tempfile.TemporaryDirectory(prefix="quartz-schedule-") as name:
        if options.story == "hanging":
            kept = all(each["kept"] for each in show_hanging(binary, pathlib.Path(name), options.seconds).values())
        else:
            kept = show_reload(binary, pathlib.Path(name))["kept"]
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
