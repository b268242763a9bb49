# SPDX-License-Identifier: MIT
"""The database and the agent are killed with SIGKILL, again and again: no result is stored twice, none is lost, and the alerts
are those that the stored rows mean."""
import os
import pathlib
import random
import threading
import time

import histories
from acks import AlertingAgent, BrokenPage
from agent import page, running, until
from database import Refused, connect
from scenarios import Stage, expect


AGENTS, CHECKS = 10, 3


class Killer:
    """Kills the database while senders are at work, so often in all."""

    def __init__(self, server, seed, count):
        self.server, self.dice, self.left = server, random.Random(f"{seed} killer"), count

    def work(self, senders, _):
        while self.left > 0 and not senders.over.wait(self.dice.uniform(0.05, 0.6)):
            self.server.kill()
            self.left -= 1
            senders.note("database killed")
            self.server.start()


class Victim:
    """An agent with a resource and checks of its own."""

    def __init__(self, folder, binary, stage, number, port, web):
        self.folder, self.number = folder, number
        self.resource = stage.one(f"insert into resources (name, resource_type) values ('R{number}', 'server') returning id")
        self.paths = [f"/{number}/{n}" for n in range(CHECKS)]
        self.checks = [stage.add(interval=10, url=f"http://127.0.0.1:{web}{path}", resource=self.resource) for path in self.paths]
        self.killed = self.lost = self.begun = 0
        self.is_early = False
        self.make = lambda: AlertingAgent(binary, folder, stage, port, web, name=f"kills-{number}", resources=[self.resource])

    def runs(self):
        with open(self.agent.log.name, "rb") as log:
            log.seek(self.begun)
            return b"status page: " in log.read()

    def aside(self):
        """The first numbers of the segments of its store that two of its starts died over: they are kept, under another name."""
        return {int(path.name.split("-")[2], 16) for path in pathlib.Path(self.folder).glob(f"kills-{self.number}-state/spool/aside-results-*")}

    def losses(self):
        """How many results it counts as lost that were half written, and that are in segments put aside. Of any other loss, its words."""
        torn = kept = 0
        said, aside = self.agent.command("spool", "ls"), self.aside()
        for line in said.splitlines():
            if not line.startswith("lost "):
                continue
            count, first = int(line.split()[1].replace(",", "")), int(line.split(" numbers ")[1].split()[0])
            # Numbers are microseconds where a segment begins, and one more a result from there.
            if any(0 <= first - begin < 100_000 for begin in aside):
                kept += count
            elif "1 result, or more at the end of a segment that was being written" in line:
                torn += count
            else:
                raise AssertionError(f"agent {self.number} lost results: {said}")
        if torn + kept == 0:
            raise AssertionError(f"agent {self.number} lost results: {said}")
        return torn, kept

    def ruin(self, dice, project, may_go_on):
        while may_go_on():
            if dice.random() < 0.5:
                project.misbehave("loseAnswers")
                self.lost += 1
            for path in self.paths:
                (BrokenPage.broken.add if dice.random() < 0.4 else BrokenPage.broken.discard)(path)
            # One in five while it starts, and no two of them on end: a segment that two starts died over is put aside.
            self.is_early = not self.is_early and dice.random() < 0.2
            if self.is_early:
                time.sleep(dice.uniform(0, 0.4))
            else:
                until(self.runs, 120, "an agent that is killed to run again")
                time.sleep(dice.uniform(0.5, 3))
            self.agent.process.kill()
            self.agent.process.wait()
            self.killed += 1
            time.sleep(dice.uniform(0, 0.3))
            self.begun = os.path.getsize(self.agent.log.name)
            self.agent.start()
            # A list over which starts died is put aside for a while: that is not what is proved here.
            session = connect(self.folder)
            try:
                session.ask(f"update monitoring_checks set timeout_seconds = {11 + self.killed % 40} where resource_id = '{self.resource}'")
            except Refused:
                pass
            session.close()


def run(folder, binary, say, seed, count, server):
    with page(BrokenPage) as web:
        BrokenPage.broken = set()
        stage = Stage(folder)
        stage.run("delete from monitoring_checks; update agent_key_scopes set per_minute = 100000; update quartz_agent.settings set contact_s = 5")
        with running(folder, stage.key) as project:
            victims = [Victim(folder, binary, stage, number, project.port, web) for number in range(AGENTS)]
            stage.run("update monitoring_checks set retry_count = 0")
            stage.owner.close()
            stage.service.close()
            try:
                for victim in victims:
                    victim.agent = victim.make()
                # However few kills there are, there is something to tell of.
                first = connect(folder)
                BrokenPage.broken = {victims[0].paths[0]}
                until(lambda: first.ask("select count(*) from alerts where resolved_at is null and monitoring_check_id is not null") != "0", 60, "an open alert")
                first.close()
                killed = ruin(victims, project, server, seed, count)
                BrokenPage.broken = set()
                session = connect(folder)
                heal(session)
                torn = torn_records(victims, session)
            finally:
                BrokenPage.broken = set()
                for victim in victims:
                    if victim.agent.process.poll() is None:
                        victim.agent.stop()
        expect([victim.agent.process.returncode for victim in victims], [0] * AGENTS, "SIGTERM")
    return judge(session, sum((victim.checks for victim in victims), []), say, killed, torn)


def ruin(victims, project, server, seed, count):
    """All at once, until so many were killed: how often the agents, and the database; answers that were lost, and that were 503."""
    databases, dice = count // 10, random.Random(f"{seed} both")
    killed, failed = [0], []

    def guarded(work, *others):
        try:
            work(*others)
        except (Exception, SystemExit) as error:
            failed.append(error)

    def more():
        return not failed and sum(victim.killed for victim in victims) < count - databases

    threads = [threading.Thread(target=guarded, args=(victim.ruin, random.Random(f"{seed} agent {victim.number}"), project, more)) for victim in victims]
    for thread in threads:
        thread.start()
    try:
        while killed[0] < databases and not failed:
            time.sleep(dice.uniform(0.1, 2))
            server.kill()
            killed[0] += 1
            time.sleep(dice.uniform(0, 0.5))
            server.start()
    finally:
        for thread in threads:
            thread.join()
    if failed:
        raise failed[0]
    lost = sum(victim.lost for victim in victims) - project.faults["loseAnswers"]
    return {"agent": sum(victim.killed for victim in victims), "database": killed[0], "lost": lost, "503": project.statuses[503]}


def heal(session):
    """All that the agents have is there, and all checks are well."""
    begun = session.ask("select now()")
    until(lambda: session.ask(f"select count(distinct monitoring_check_id) from check_results where status = 'success' and checked_at > '{begun}'") == str(AGENTS * CHECKS), 180,
          "a success of each check after the last kill")
    # What it brings is counted among what waits.
    until(lambda: session.ask("select bool_and(coalesce(oldest_s, 0) < 8) from monitoring_agents where name like 'kills-%'") == "t", 180, "stores with nothing old in them")
    time.sleep(6)
    while session.ask("select count(*) from quartz_agent.dirty") != "0":
        session.ask("select quartz_agent.tick('20 s', '0')")
    session.ask("select quartz_agent.tick('20 s', '0')")


def torn_records(victims, session):
    """How many records were half written when their agent was killed: write(2) ends at a page where SIGKILL is pending. Such a result was
    not yet said to be stored; the agent counts one as lost and says so. And how many are in segments that were put aside."""
    names = session.json("select coalesce(json_agg(name), '[]') from monitoring_agents where name like 'kills-%' and lost > 0")
    found = [victims[int(name.removeprefix("kills-"))].losses() for name in names]
    return sum(torn for torn, _ in found), sum(kept for _, kept in found)


def judge(session, checks, say, killed, torn):
    world = histories.Recorded(session, checks, 10, "kills-")
    same, wrong = histories.compare(world, session)
    broken = [f"{n} {words}" for words, n in histories.invariants(session) if n]
    twice = int(session.ask("select count(*) - count(distinct (monitoring_check_id, scheduled_at)) from check_results where trigger = 'schedule' and agent like 'kills-%'"))
    lost = int(session.ask("select sum(coalesce(lost, 0)) from monitoring_agents where name like 'kills-%'"))
    rows = sum(map(len, world.rows.values()))
    say(f"{AGENTS} agents killed {killed['agent']} times, the database {killed['database']} times, {killed['lost']} answers lost, {killed['503']} answered 503: {rows} rows, {twice} slots twice, {lost} lost, {torn[0]} of them half written, {torn[1]} put aside; "
        f"{same} alerts as the oracle says, {len(wrong)} checks are not; {', '.join(broken) or 'none open twice'}")
    for check, kind, shape, wanted, got in wrong[:3]:
        say(f"check {check} {kind}\n      wanted {wanted}\n      got    {got}")
    session.ask("update quartz_agent.settings set contact_s = 10")
    session.close()
    return not wrong and not broken and twice == 0 and lost == sum(torn) and same > 0
