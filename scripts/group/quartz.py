# SPDX-License-Identifier: MIT
"""The receiving end of deploy/quartz in the place of the recording backend: PostgreSQL with the backend's tables, and its edge
functions under Deno. What the judge reads are rows of check_results, and alerts are held against the oracle of prove-loop.

Its folder, which prove-group makes, has the cluster, the functions and the socket."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

from backend import KEYS
from lab import TARGETS

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / "scripts/loop"))

import histories  # noqa: E402
from database import Session, connect  # noqa: E402
from project import Project  # noqa: E402

# The ids of the keys, by key.
KEY_IDS = {key: f"00000000-0000-4000-8000-{710_000 + number:012d}" for number, key in enumerate(KEYS)}


class Database:
    """The server, of the runner."""

    def __init__(self, folder, columns):
        self.folder = folder
        with open(f"{folder}/postgres.log", "ab") as log:
            self.process = subprocess.Popen([f"{folder}/serve"], stdout=log, stderr=log)
        connect(folder).close()
        here = REPOSITORY / "Tests/DeployTests/Backend"
        for file in (here / "schema.sql", here / "alerts.sql", REPOSITORY / "deploy/quartz/install.sql"):
            subprocess.run(["psql", "-h", folder, "-U", "postgres", "-X", "-q", "--single-transaction", "-v", "ON_ERROR_STOP=1", "-f", file],
                           check=True, stdout=subprocess.DEVNULL)
        session = Session(folder)
        for key, member in KEYS.items():
            session.ask(f"insert into api_keys (id, name, key_hash, key_prefix) values ('{KEY_IDS[key]}', '{member}', 'h {member}', 'q');"
                        f"insert into agent_key_scopes (api_key_id, agent_names) values ('{KEY_IDS[key]}', '{{{member}}}')")
        session.ask("insert into notification_channels (name, channel_type, configuration) values ('ops', 'slack', '{\"webhook_url\": \"https://s.example\"}')")
        for row in columns:
            session.ask(f"insert into resources (id, name, resource_type) values ('{row['resource_id']}', '{row['resources']['name']}', 'website') on conflict do nothing")
            own = {name: value for name, value in row.items() if name != "resources"}
            session.ask("insert into monitoring_checks (" + ", ".join(own) + ") values (" + ", ".join(f"'{value}'" for value in own.values()) + ")")
        # When it came, which no agent says.
        session.ask("alter table check_results add column came_at timestamptz not null default clock_timestamp(); select quartz_agent.cutover()")
        session.close()

    def ask_for_runs(self, dice, is_over):
        """A person presses "run now" for one check and another, until then."""
        person = "00000000-0000-4000-8000-000000700002"
        owner = Session(self.folder)
        owner.ask(f"insert into auth.users values ('{person}'); insert into user_roles (user_id, role) values ('{person}', 'viewer')")
        checks = owner.ask("select id from monitoring_checks order by id").split("\n")
        owner.close()
        member = Session(self.folder, "authenticated")
        member.ask(f"select set_config('request.jwt.claim.sub', '{person}', false)")
        while not is_over.wait(dice.uniform(1, 4)):
            member.ask(f"select ask_checks('{dice.choice(checks)}', null)")
        member.close()

    def asks(self, session):
        """What is wrong with the runs that were asked for, and a line of counts."""
        session.ask("select quartz_agent.tick('20 s', '0')")
        total, done, expired, rows, twice, middle, late = session.ask("""
            with said as (select a.*, (select count(*) from check_results r where r.ask_id = a.id) as rows from check_asks a)
            select count(*), count(*) filter (where state = 'done'), count(*) filter (where state = 'expired'), coalesce(sum(rows), 0), count(*) filter (where rows > 1),
              percentile_cont(0.5) within group (order by extract(epoch from answered_at - asked_at)), percentile_cont(0.95) within group (order by extract(epoch from answered_at - asked_at))
            from said""").split("|")
        same_agent = session.ask("select count(*) from (select from check_results where ask_id is not null group by ask_id, agent having count(*) > 1) q")
        wrong = [words for words, is_so in ((f"{int(total) - int(done) - int(expired)} asks neither done nor expired", int(total) != int(done) + int(expired)),
                                            (f"{same_agent} asks run twice by one agent", same_agent != "0"), ("no ask was answered", done == "0")) if is_so]
        return wrong, (f"{total} runs asked for: {done} answered, after {float(middle or 0):.1f} s (median) and {float(late or 0):.1f} s (p95), {expired} expired; "
                       f"{rows} runs, {twice} asks by two agents")

    def keys(self, session):
        """What is wrong with the keys, of which each member has its own, and a line of counts."""
        used, others, nobody = session.ask(
            "select count(distinct r.agent_key_id), count(*) filter (where k.name <> r.agent), count(*) filter (where r.agent_key_id is null and r.agent <> 'backend') "
            "from check_results r left join api_keys k on k.id = r.agent_key_id").split("|")
        known = session.ask("select string_agg(a.name || case when k.name = a.name then '' else ' by ' || k.name end, ', ' order by a.name) "
                            "from monitoring_agents a join api_keys k on k.id = a.api_key_id")
        wrong = [words for words, is_so in ((f"{used} of {len(KEYS)} keys were used", used != str(len(KEYS))), (f"{others} rows by another member's key", others != "0"),
                                            (f"{nobody} rows without a key", nobody != "0"), (f"the fleet is {known}", known != ", ".join(sorted(KEYS.values())))) if is_so]
        return wrong, f"{used} keys, one of each member; {others} rows by another member's key"

    def rows(self, path):
        """As the recording backend writes them; the lab's checks have their number in their id."""
        session = Session(self.folder)
        rows = session.ask("""
            select json_build_object('at', extract(epoch from came_at), 'agent', agent, 'id', id,
              'check', right(monitoring_check_id::text, 12)::integer, 'slot', scheduled_at at time zone 'UTC', 'checked', checked_at, 'status', status, 'new', true)
            from check_results where trigger = 'schedule' order by came_at""")
        session.close()
        with open(path, "w") as file:
            for line in rows.splitlines():
                row = json.loads(line)
                file.write(json.dumps(row | {"slot": row["slot"] + "+00:00"}) + "\n")

    def judge(self, interval, folder):
        """What is wrong with the alerts, and a line of counts. All that is in the database stays in the folder."""
        subprocess.run(["/usr/lib/postgresql/15/bin/pg_dump", "-h", self.folder, "-U", "postgres", "-f", f"{folder}/quartz.sql", "postgres"], check=False)
        session = Session(self.folder)
        while session.ask("select count(*) from quartz_agent.dirty") != "0":
            session.ask("select quartz_agent.tick('20 s', '0')")
        world = histories.Recorded(session, session.ask("select id from monitoring_checks").split("\n"), interval)
        same, wrong = histories.compare(world, session)
        broken = [f"{n} {words}" for words, n in histories.invariants(session) if n]
        open_now, told, agents = session.ask(
            "select count(*) filter (where resolved_at is null and monitoring_check_id is not null), (select count(*) from alert_notifications where state = 'sent'), "
            "count(*) filter (where alert_key like 'agent:%') from alerts").split("|")
        failures = session.ask("select count(*) from check_results where status <> 'success'")
        of_asks, asked = self.asks(session)
        of_keys, keys = self.keys(session)
        session.close()
        said = (f"{sum(map(len, world.rows.values()))} rows, {failures} of them failures; {same} alerts as the oracle says, {len(wrong)} checks are not, {open_now} open at the end; "
                f"{agents} alerts of agents; {told} notifications sent; {', '.join(broken) or '0 open twice, begins and ends told once'}")
        said += f"\n{asked}\n{keys}"
        return [*broken, *of_asks, *of_keys, *(f"alerts of {check} {kind}: wanted {wanted}, got {got}" for check, kind, _, wanted, got in wrong), *([] if same else ["no alert at all"])], said

    def end(self):
        self.process.terminate()
        self.process.wait()


class Functions:
    """The edge functions, of the process that is outside; it dispatches as pg_cron would, only more often."""

    def __init__(self, folder):
        self.project = Project(folder, os.environ["DENO"], KEY_IDS)
        self.pool = concurrent.futures.ThreadPoolExecutor(16)
        self.project.function("public-api")
        threading.Thread(target=self.dispatch, daemon=True).start()

    def dispatch(self):
        while True:
            time.sleep(5)
            self.project.function("dispatch-notifications").ask(
                "POST", "/functions/v1/dispatch-notifications", {"Authorization": f"Bearer {self.project.service}"}, b"{}")

    def fails(self, check, interval):
        """Each http check fails for two of ten intervals."""
        return check >= len(TARGETS) and (int(time.time() / (2 * interval)) + check) % 5 == 0

    def ask(self, method, path, fields, body):
        """Status and body, as an agent gets them."""
        status, _, answer = self.project.function("public-api").ask(method, path, fields, body)
        return status, answer
