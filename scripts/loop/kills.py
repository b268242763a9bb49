# SPDX-License-Identifier: MIT
"""The database and the agent are killed with SIGKILL, again and again: no result is stored twice, none is lost, and the alerts
are those that the stored rows mean."""
import random
import time

import histories
import oracle
from acks import AlertingAgent, BrokenPage
from agent import page, route, until
from database import connect
from scenarios import Stage, expect


class Killer:
    """Kills the database while senders are at work, so often in all."""

    def __init__(self, server, seed, count):
        self.server, self.dice, self.left = server, random.Random(f"{seed} killer"), count

    def work(self, senders, _):
        while self.left > 0 and not senders.over.wait(self.dice.uniform(0.1, 0.8)):
            self.server.kill()
            self.left -= 1
            senders.note("database killed")
            self.server.start()


class Recorded:
    """A world as the oracle wants it, of the rows that are stored."""

    def __init__(self, session, checks, interval):
        self.checks = {check: oracle.Check(interval, 1, 1) for check in checks}
        self.rows = {check: [tuple(row) for row in session.json(
            "select coalesce(json_agg(json_build_array((extract(epoch from checked_at) * 1000)::bigint, id, agent, status, response_time_ms, "
            f"coalesce(maintenance, false), null) order by checked_at, id), '[]') from check_results where monitoring_check_id = '{check}' and agent = 'kills'")]
            for check in checks}


def run(folder, binary, say, seed, count, server):
    dice = random.Random(f"{seed} both")
    with page(BrokenPage) as web:
        BrokenPage.broken = set()
        stage = Stage(folder, interval=10, url=f"http://127.0.0.1:{web}/0")
        checks = [stage.check] + [stage.add(interval=10, url=f"http://127.0.0.1:{web}/{n}") for n in range(1, 12)]
        stage.run("update monitoring_checks set retry_count = 0; update agent_key_scopes set per_minute = 100000; update quartz_agent.settings set contact_s = 5")
        stage.owner.close()
        stage.service.close()
        with route(folder, stage.key) as port:
            agent = AlertingAgent(binary, folder, stage, port, web, name="kills")
            try:
                killed = ruin(folder, agent, server, dice, count)
                BrokenPage.broken = set()
                session = connect(folder)
                heal(agent, session)
            finally:
                BrokenPage.broken = set()
                if agent.process.poll() is None:
                    agent.stop()
        expect(agent.process.returncode, 0, "SIGTERM")
    return judge(session, checks, say, killed)


def ruin(folder, agent, server, dice, count):
    """How often each was killed."""
    killed = {"agent": 0, "database": 0}
    while sum(killed.values()) < count:
        BrokenPage.broken = {f"/{n}" for n in range(12) if dice.random() < 0.4}
        time.sleep(dice.uniform(0.1, 3))
        which = dice.choice(["agent", "database"])
        killed[which] += 1
        if which == "database":
            server.kill()
            time.sleep(dice.uniform(0, 1))
            server.start()
        else:
            agent.process.kill()
            agent.process.wait()
            time.sleep(dice.uniform(0, 0.5))
            agent.start()
            # A list over which two starts died is put aside until it is another one: that is not what is proved here.
            session = connect(folder)
            session.ask(f"update monitoring_checks set timeout_seconds = {11 + killed['agent'] % 40}")
            session.close()
    return killed


def heal(agent, session):
    """All that the agent has is there, and all checks are well."""
    begun = session.ask("select now()")
    until(lambda: session.ask(f"select count(distinct monitoring_check_id) from check_results where status = 'success' and checked_at > '{begun}'") == "12", 180,
          "a success of each check after the last kill")
    # What it brings is counted among what waits.
    until(lambda: session.ask("select coalesce(oldest_s, 0) < 8 from monitoring_agents where name = 'kills'") == "t", 180, "a store with nothing old in it")
    time.sleep(6)
    while session.ask("select count(*) from quartz_agent.dirty") != "0":
        session.ask("select quartz_agent.tick('20 s', '0')")
    session.ask("select quartz_agent.tick('20 s', '0')")


def judge(session, checks, say, killed):
    world = Recorded(session, checks, 10)
    same, wrong = histories.compare(world, session)
    broken = [f"{n} {words}" for words, n in histories.invariants(session) if n]
    twice = int(session.ask("select count(*) - count(distinct (monitoring_check_id, scheduled_at)) from check_results where trigger = 'schedule' and agent = 'kills'"))
    lost = session.ask("select coalesce(lost, 0) from monitoring_agents where name = 'kills'")
    rows = sum(map(len, world.rows.values()))
    say(f"the agent killed {killed['agent']} times, the database {killed['database']} times: {rows} rows, {twice} slots twice, {lost} lost; "
        f"{same} alerts as the oracle says, {len(wrong)} checks are not; {', '.join(broken) or 'none open twice'}")
    for check, kind, shape, wanted, got in wrong[:3]:
        say(f"check {check} {kind}\n      wanted {wanted}\n      got    {got}")
    session.ask("update quartz_agent.settings set contact_s = 10")
    session.close()
    return not wrong and not broken and twice == 0 and lost == "0" and same > 0
