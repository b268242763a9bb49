# SPDX-License-Identifier: MIT
"""Shadow, cutover and rollback while agents deliver and the backend's runner writes: no failure without an alert, none with two."""
import threading

from scenarios import Stage, expect
from database import Refused, ingest


class Agents:
    """Two agents that deliver all the time, until told to stop."""

    def __init__(self, stages):
        self.stages, self.stopped, self.errors, self.batches = stages, threading.Event(), [], 0
        self.threads = [threading.Thread(target=self.deliver, args=(stage, failing)) for stage, failing in stages]

    def deliver(self, stage, failing):
        try:
            while not self.stopped.is_set():
                rows = [stage.row(0, check not in failing, check=check) for check in stage.checks]
                stage.service.json(ingest(stage.key, {"name": stage.name, "version": "1"}, rows))
                self.batches += 1
        except Refused as error:
            self.errors.append(error)


def run(folder, say):
    owner = Stage(folder)
    owner.run("select quartz_agent.rollback()")
    owner.run("truncate quartz_agent.shadow_log")
    checks = [owner.check]
    resources = [owner.resource]
    for number in range(9):
        resources.append(owner.one(f"insert into resources (name, resource_type) values ('R{number}', 'server') returning id"))
        checks.append(owner.add("port", resource=resources[-1]))
    failing = set(checks[:4])
    said = owner.one("select quartz_agent.shadow()")
    say(f"shadow     {said}")
    active = "select count(*) from cron.job where active and command like '%execute-checks%'"
    expect(owner.one(active), "1")

    stages = []
    for name in ("m1", "m2"):
        stage = Stage.__new__(Stage)
        stage.__dict__.update(owner.__dict__)
        from database import Session
        stage.owner, stage.service, stage.name, stage.checks = Session(folder), Session(folder, "service_role"), name, checks
        stages.append((stage, failing))
    agents = Agents(stages)
    for thread in agents.threads:
        thread.start()
    try:
        while agents.batches < 20 and not agents.errors:
            threading.Event().wait(0.05)
        expect(owner.one("select count(*) from alerts where alert_key is not null"), "0", "shadow makes no rows")
        assert int(owner.one("select count(*) from quartz_agent.shadow_log where what = 'on'")) == 4
        # The runner told of two of the four, twice each, as it does.
        for resource in resources[:2]:
            for _ in range(2):
                owner.run(f"insert into alerts (resource_id, severity, message) values ('{resource}', 'critical', 'HTTP check failed: timeout')")
        person = owner.one(f"insert into alerts (resource_id, severity, message) values ('{resources[0]}', 'info', 'written by a person') returning id")
        say(f"cutover    {owner.one('select quartz_agent.cutover()')}")
        expect(owner.one(active), "0")
        one_each = ("select count(*), count(distinct monitoring_check_id), count(*) filter (where suppression_reason = 'Carried over') "
                    "from alerts where resolved_at is null and alert_key like '%/availability'")
        expect(owner.one(one_each), "4|4|2")
        expect(owner.one("select count(*) from alerts where resolved_at is null and alert_key is null"), "1", "a person's alert stays")
        expect(owner.one("select count(*) from alert_notifications where state = 'waiting'"), "2")
        true_begin = ("select count(*) from alerts a join quartz_agent.shadow_log l on l.what = 'on' and a.alert_key = l.check_id || '/' || l.kind "
                      "where a.resolved_at is null and a.triggered_at = date_trunc('second', l.at) and a.first_failed_at <= a.triggered_at")
        expect(owner.one(true_begin), "4", "each began when the shadow said so")
        say(f"again      {owner.one('select quartz_agent.cutover()')}")
        owner.run(f"insert into alerts (resource_id, severity, message) values ('{resources[3]}', 'critical', 'Check failed 2 consecutive time(s) (threshold: 1)')")
        owner.tick()
        expect(owner.one(f"select resolution from alerts where resource_id = '{resources[3]}' and alert_key is null"), "migrated", "a run under way")
        before = agents.batches
        while agents.batches < before + 10 and not agents.errors:
            threading.Event().wait(0.05)
        expect(owner.one(one_each), "4|4|2", "nothing twice while agents go on")
        say(f"rollback   {owner.one('select quartz_agent.rollback()')}")
        expect(owner.one(active), "1")
        expect(owner.one("select count(*) from alerts where resolved_at is null"), "1")
        expect(owner.one("select count(*) from alert_notifications where state = 'waiting'"), "0")
        say(f"cutover    {owner.one('select quartz_agent.cutover()')}")
        expect(owner.one(one_each.split(", count(*) filter")[0] + " from alerts where resolved_at is null and alert_key like '%/availability'"), "4|4")
    finally:
        agents.stopped.set()
        for thread in agents.threads:
            thread.join()
    assert not agents.errors, agents.errors
    expect(owner.one(f"select resolved_at is null from alerts where id = '{person}'"), "t")
    say(f"agents     {agents.batches} batches meanwhile, none refused")
