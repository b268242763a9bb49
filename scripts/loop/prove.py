# SPDX-License-Identifier: MIT
"""Runs the proof of the alerts in a database that prove-loop made; see there.

Arguments: the folder of the server's socket, a seed, how many histories, checks of each, minutes of each, the agent."""
import random
import sys
import time

import acks
import agent
import apps
import asks
import cost
import fallback
import fleet
import functions
import histories
import kills
import outage
import migrate
import modes
import scenarios
import security
import windows
from database import Server, Session


def say(words):
    print(f"    {words}", flush=True)


def history(folder, seed, checks, minutes, *others, skews=()):
    session = Session(folder)
    session.ask("truncate resources, api_keys, incidents, alert_rules, notification_channels cascade")
    session.ask("insert into notification_channels (name, channel_type) values ('a', 'slack'), ('b', 'teams')")
    # Half of them without the limit of a key, which holds most of what is told.
    session.ask(f"update quartz_agent.settings set alerts = 'on', last_tick = now(), per_key = {random.Random(f'{seed} per key').choice([60, 1000000])}")
    world = histories.World(random.Random(seed), session, checks, minutes, skews)
    senders = histories.Senders(world, folder, seed, *others)
    began = time.monotonic()
    senders.run()
    session.close()
    session = Session(folder)
    while session.ask("select count(*) from quartz_agent.dirty") != "0":
        session.ask("select quartz_agent.tick('20 s', '0')")
    true = world
    if skews:
        true = histories.Recorded(session, None, 60, shapes=world.checks)
        truth = {row[1]: row[0] for rows in world.rows.values() for row in rows}
        worst = max(abs(row[0] - truth[row[1]]) for rows in true.rows.values() for row in rows)
        say(f"seed {seed}: clocks off by {', '.join(f'{skew / 60000:+.0f} min' for skew in skews)}; rows were judged {worst / 1000:.1f} s off their true time at worst")
        if worst > 60_000:
            return False
    same, wrong = histories.compare(true, session)
    rows = sum(map(len, world.rows.values()))
    missing = rows - int(session.ask("select count(*) from check_results where agent <> 'backend'"))
    say(f"seed {seed}: {rows} rows in {senders.counts['requests']} requests, {time.monotonic() - began:.0f} s; "
        + ", ".join(f"{n} {w}" for w, n in senders.counts.items() if w != "requests"))
    broken = [f"{n} {words}" for words, n in histories.invariants(session) if n]
    say(f"seed {seed}: {same} alerts as the oracle says, {len(wrong)} checks are not, {missing} rows missing; "
        + (", ".join(broken) or "0 doubled, 0 open twice, begins and ends told once"))
    for check, kind, shape, wanted, got in wrong[:3]:
        say(f"check {check} {kind} {shape}\n      wanted {wanted}\n      got    {got}")
    if any("counted wrong" in words for words in broken):
        say(session.ask("select row_to_json(q) from (select m.check_id, m.is_on, m.on_at, m.off_at, m.ended, c.current_failure_count as count, c.failure_threshold, "
                        "(select json_agg(s) from quartz_agent.place_state s where s.check_id = c.id) as places, "
                        "(select needed from check_confirmations n where n.monitoring_check_id = c.id) as needed "
                        "from quartz_agent.alarm m join monitoring_checks c on c.id = m.check_id where m.kind = 'availability' "
                        "and m.is_on <> (c.current_failure_count > 0) and c.failure_threshold <= 1) q"))
    session.close()
    return not wrong and not missing and not broken and same > 0


def warnings_of(folder):
    warnings = [line for line in open(f"{folder}/postgres.log", errors="replace") if "WARNING:" in line]
    say(f"{len(warnings)} warnings of the database")
    for line in warnings[:5]:
        say(line[:200].strip())
    return len(warnings)


def main():
    folder, seed, count, checks, minutes, binary, only, wanted = *sys.argv[1:3], *map(int, sys.argv[3:6]), *sys.argv[6:8], int(sys.argv[8])
    is_short = count == 1
    wrong = []
    # The only one: it knows what it started.
    server = Server(folder)

    def part(name, title, work):
        """Runs one part; it is wrong where it says so."""
        if only in ("all", name):
            print(f"==> {title}", flush=True)
            if work() is False:
                wrong.append(title)

    def past():
        good = [history(folder, f"{seed}.{number}", checks, minutes) for number in range(count)]
        return warnings_of(folder) == 0 and all(good)

    def apart():
        minute = 60_000
        good = [history(folder, f"{seed}.c{number}", checks, minutes, skews=skews)
                for number, skews in enumerate([(120 * minute, -10 * minute), (-120 * minute, 10 * minute)][:1 if is_short else 2])]
        return all(good)

    def killed():
        alone = wanted * 16 // 100
        killer = kills.Killer(server, seed, alone)
        good, number = True, 0
        while killer.left > 0:
            good = history(folder, f"{seed}.k{number}", checks, minutes, killer.work) and good
            number += 1
        say(f"{alone} times the database was killed with SIGKILL while results came")
        return kills.run(folder, binary, say, seed, wanted - alone, server) and good

    def away():
        return outage.run(folder, say, seed, 4 if is_short else 20, server, 2 if is_short else 10)

    def price():
        # What else the machine does only adds, to either side.
        for _ in range(3):
            quick = max(cost.run(folder, say)[:2])
            if quick <= 1.3:
                return True
            say(f"the fast path costs × {quick:.2f}, at most 1.3 is allowed")
        return False

    part("histories", "Histories", past)
    part("clocks", "Clocks apart", apart)
    part("cases", "Single cases", lambda: say(f"{scenarios.run(folder, fleet, functions, security, apps, modes)} cases"))
    part("kills", "Kills", killed)
    part("outage", "A day away", away)
    if only == "asks" or not is_short:
        part("asks", "Runs asked for, under faults", lambda: asks.run(folder, binary, say, seed, 150 if is_short else 600, server))
    part("agent", "A running agent", lambda: agent.run(folder, binary, say, 3 if is_short else 20))
    part("acks", "Acknowledgements", lambda: acks.run(folder, binary, say, is_short))
    part("windows", "Maintenance windows", lambda: windows.run(folder, binary, say, is_short))
    if only == "fallback" or not is_short:
        part("fallback", "Local channels as a fallback", lambda: fallback.run(folder, binary, say))
    part("move", "Shadow, cutover, rollback", lambda: migrate.run(folder, say))
    part("cost", "Cost of ingest", price)
    for title in wrong:
        say(f"wrong: {title}")
    sys.exit(1 if wrong else 0)


main()
