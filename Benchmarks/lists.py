# SPDX-License-Identifier: MIT
"""Large lists: how long the agent takes to read them, and to take over one changed check among ten thousand while the
others run on."""

import signal
import statistics
import subprocess
import time

import agent as agents
import servers
from agent import micros, row

CHECKS = 10_000
INTERVAL = 10


def load(binary, folder, checks):
    """Milliseconds of `quartz-agent validate`, from the start of the program to its end."""
    start = time.monotonic()
    done = subprocess.run([binary, "validate", "-c", folder / "agent.yaml"], capture_output=True, text=True)
    taken = 1000 * (time.monotonic() - start)
    if done.returncode or f"ok, {checks} checks" not in done.stdout:
        raise SystemExit(f"validate: {done.stdout[:2000]}{done.stderr[:2000]}")
    return taken


def loads(binary, folder, checks, rounds):
    home = agents.new_folder(folder, f"load-{checks}")
    agents.write_config(home, agents.tcp_checks(checks, 4711, "60s"))
    return [load(binary, home, checks) for _ in range(rounds)]


def reloads(binary, folder, rounds):
    """Milliseconds from a SIGHUP to the agent's word that the new list is in force, with one check changed each time;
    then every result of the others, whose slots must follow each other without a gap."""
    home = agents.new_folder(folder, "reload")
    with servers.listener([servers.binary("tcp_accept")], folder) as port:
        checks = agents.tcp_checks(CHECKS, port, f"{INTERVAL}s")
        head = "limits: {in_flight_per_host: 500}\n"
        agents.write_config(home, checks, head)
        with agents.running(binary, home) as agent:
            agent.wait_until_up()
            time.sleep(1.1 * INTERVAL)
            taken = []
            for number in range(rounds):
                # Off the beat of what the agent does every second.
                time.sleep(1.37)
                agents.write_config(home, [*checks[:-1], checks[-1] + f", timeout: {number + 2}s"], head)
                start = time.time()
                agent.child.send_signal(signal.SIGHUP)
                taken.append(1000 * (agent.wait_for_log("configuration reloaded", number + 1) - start))
            time.sleep(1.1 * INTERVAL)
            results, missed = list(agent.results()), agent.summary()["schedule"]["missed"]
    return taken, disturbed(results), missed, len(results)


def disturbed(results):
    """Unchanged checks that a reload moved, or whose slots it skipped or doubled; also those without two results."""
    slots = {f"c{number}": [] for number in range(CHECKS - 1)}
    for each in results:
        if each["check"] in slots:
            slots[each["check"]].append(micros(each["scheduled_at"]))
    step = INTERVAL * 1_000_000
    return [name for name, all in slots.items()
            if len(all) < 2 or any(b - a != step for a, b in zip(sorted(all), sorted(all)[1:]))]


def show(book, binary, bench, folder, size):
    times = {count: loads(binary, folder, count, rounds) for count, rounds in ((CHECKS, size["loads"]), (100_000, 1 + size["loads"] // 2))}
    taken, names, missed, count = reloads(binary, folder, size["reloads"])
    print("\nLarge lists: quartz-agent validate as a whole process; one check changed among 10,000 tcp checks at 10 s")
    book.tell("load-ten", *times[CHECKS])
    book.tell("load-hundred", *times[100_000])
    book.tell("reload", *taken, note=f"{len(taken)} reloads, longest {max(taken):.0f} ms")
    book.tell("reload-slots", missed + len(names), note=f"{count:,} results looked at"
              + (f"; {', '.join(names[:5])}" if names else ""))
    row("a check of 100,000, microseconds to load:", f"{statistics.median(times[100_000]) / 100:.0f} us")
    return {"load_ms": times, "reload_ms": taken, "disturbed": names, "missed": missed}
