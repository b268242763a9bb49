# SPDX-License-Identifier: MIT
"""What ingest costs with the alerts and without, in two databases of one server, batch by batch in turn."""
import time
import uuid

from database import Session, ingest
from histories import stamp

SETS = [("500 rows of 500 checks, all well", 500, 1, 24, False), ("10,000 rows of 250 checks, all well", 250, 40, 5, False),
        ("500 rows of 500 checks, one in fifty failing", 500, 1, 24, True)]


def prepare(session, count):
    session.ask("truncate resources, api_keys cascade")
    key, resource = str(uuid.uuid4()), str(uuid.uuid4())
    session.ask(f"insert into api_keys (id, name, key_hash, key_prefix) values ('{key}', 'k', 'h', 'q'); insert into agent_key_scopes (api_key_id) values ('{key}')")
    session.ask(f"insert into resources (id, name, resource_type) select md5(n::text)::uuid, 'R', 'website' from generate_series(1, {count}) n")
    session.ask(f"insert into monitoring_checks (id, resource_id, check_type, url) select md5('c' || n)::uuid, md5(n::text)::uuid, 'http', 'https://h.example/' from generate_series(1, {count}) n")
    return key, session.ask("select string_agg(id::text, ',' order by id) from monitoring_checks").split(",")


def measure(plain, full, say):
    """Ratios of the quickest, with the alerts to without: what else the machine does only adds."""
    ratios = []
    for words, checks, rows, rounds, some_fail in SETS:
        kinds = [(s, *prepare(s, checks)) for s in (plain, full)]
        took = ([], [])
        now = int(plain.ask("select (extract(epoch from now()) * 1000)::bigint")) - rounds * rows * 1000 - 60_000
        for number in range(rounds + 2):
            for index in ((0, 1), (1, 0))[number % 2]:
                session, key, ids = kinds[index]
                batch = [{"id": str(uuid.uuid4()), "monitoring_check_id": check, "status": "failure" if some_fail and place % 50 == number % 7 else "success",
                          "response_time_ms": 12, "checked_at": stamp(now + (number * rows + row) * 1000), "trigger": "schedule", "state": "up", "reason": "ok"}
                         for place, check in enumerate(ids) for row in range(rows)]
                sql = ingest(key, {"name": "a", "version": "1"}, batch)
                begin = time.perf_counter()
                session.ask(sql)
                if number > 1:
                    took[index].append(time.perf_counter() - begin)
        best = [min(t) * 1000 for t in took]
        ratios.append(best[1] / best[0])
        say(f"{words}: {best[0]:.0f} ms without, {best[1]:.0f} ms with: × {ratios[-1]:.2f}")
    return ratios


def run(folder, say):
    plain, full = Session(folder), Session(folder)
    for session, name in ((plain, "plain"), (full, "postgres")):
        session.ask(f"\\connect {name}\nset client_min_messages = error")
    full.ask("update quartz_agent.settings set alerts = 'on', last_tick = now() + interval '1 h'")
    return measure(plain, full, say)
