# SPDX-License-Identifier: MIT
"""Runs the proof of the alerts in a database that prove-loop made; see there.

Arguments: the folder of the server's socket, a seed, how many histories, checks of each, minutes of each, the agent."""
import random
import sys
import time

import acks
import agent
import cost
import histories
import migrate
import scenarios
from database import Session


def say(words):
    print(f"    {words}", flush=True)


def history(folder, seed, checks, minutes):
    session = Session(folder)
    session.ask("truncate resources, api_keys, incidents, alert_rules, notification_channels cascade")
    session.ask("insert into notification_channels (name, channel_type) values ('a', 'slack'), ('b', 'teams')")
    session.ask("update quartz_agent.settings set alerts = 'on', last_tick = now()")
    world = histories.World(random.Random(seed), session, checks, minutes)
    senders = histories.Senders(world, folder, seed)
    began = time.monotonic()
    senders.run()
    while session.ask("select count(*) from quartz_agent.dirty") != "0":
        session.ask("select quartz_agent.tick('20 s', '0')")
    same, wrong = histories.compare(world, session)
    rows = sum(map(len, world.rows.values()))
    missing = rows - int(session.ask("select count(*) from check_results where agent <> 'backend'"))
    say(f"seed {seed}: {rows} rows in {senders.counts['requests']} requests, {time.monotonic() - began:.0f} s; "
        + ", ".join(f"{n} {w}" for w, n in senders.counts.items() if w != "requests"))
    broken = [f"{n} {words}" for words, n in histories.invariants(session) if n]
    say(f"seed {seed}: {same} alerts as the oracle says, {len(wrong)} checks are not, {missing} rows missing; "
        + (", ".join(broken) or "0 doubled, 0 open twice, begins and ends told once"))
    for check, kind, shape, wanted, got in wrong[:3]:
        say(f"check {check} {kind} {shape}\n      wanted {wanted}\n      got    {got}")
    session.close()
    return not wrong and not missing and not broken and same > 0


def main():
    folder, seed, count, checks, minutes = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
    binary = sys.argv[6]
    good = True
    print("==> Histories", flush=True)
    for number in range(count):
        good = history(folder, f"{seed}.{number}", checks, minutes) and good
    warnings = [line for line in open(f"{folder}/postgres.log", errors="replace") if "WARNING:" in line]
    say(f"{len(warnings)} warnings of the database")
    for line in warnings[:5]:
        say(line[:200].strip())
    print("==> Single cases", flush=True)
    say(f"{scenarios.run(folder)} cases")
    print("==> A running agent", flush=True)
    agent.run(folder, binary, say, 3 if count == 1 else 20)
    print("==> Acknowledgements", flush=True)
    acks.run(folder, binary, say, count == 1)
    print("==> Shadow, cutover, rollback", flush=True)
    migrate.run(folder, say)
    print("==> Cost of ingest", flush=True)
    ratios = cost.run(folder, say)
    quick = max(ratios[:2])
    if quick > 1.3:
        say(f"the fast path costs × {quick:.2f}, at most 1.3 is allowed")
    sys.exit(0 if good and not warnings and quick <= 1.3 else 1)


main()
