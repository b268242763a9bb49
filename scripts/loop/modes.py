# SPDX-License-Identifier: MIT
"""What becomes of alerts, agents and jobs between shadow, cutover and rollback, while checks are disabled and while rows are held."""
from database import Session
from scenarios import expect


def shadow(of):
    of.run("select quartz_agent.rollback()")
    expect(of.one("select quartz_agent.mode()"), "shadow")


def a_tick_under_way_opens_nothing_after_a_rollback(stage):
    """The parts of the tick are transactions of their own: a rollback may come between two of them."""
    beat = stage.add("heartbeat")
    stage.post(name="a1")
    stage.tick()
    shadow(stage)
    stage.run(f"update monitoring_checks set last_heartbeat_at = now() - interval '1 h' where id = '{beat}'; update monitoring_agents set last_seen = now() - interval '1 h'")
    for part in ("move", "heartbeats", "checks", "agents", "incidents"):
        stage.run(f"select quartz_agent.tick_part('{part}', '1 s', '0')")
    expect(stage.one("select count(*) from alerts where resolved_at is null"), "0")
    expect(stage.one("select count(*) from check_results"), "0")


def agents_are_not_well_for_ever_after_a_rollback(stage):
    """Their resources are watched while alerts are on; after that they are unknown, and say so."""
    stage.post(name="a1")
    stage.tick()
    expect(stage.one("select status from resources where resource_type = 'agent'"), "up")
    shadow(stage)
    expect(stage.one("select status || ': ' || description from resources where resource_type = 'agent'"), "unknown: quartz-agent is not watched while alerts are off.")
    expect(stage.one("select troubles = '{}' and words is null from monitoring_agents"), "t")
    stage.run("select quartz_agent.cutover()")
    stage.tick()
    expect(stage.one("select status || ': ' || description from resources where resource_type = 'agent'"), "up: quartz-agent 1. All is well.")


def a_rollback_starts_the_jobs_that_the_cutover_stopped(stage):
    """Not one that an administrator had stopped before: the runner would run twice."""
    active = "select string_agg(jobname, ',' order by jobname) from cron.job where active and command like '%execute-checks%'"
    shadow(stage)
    stage.run("insert into cron.job (jobname, schedule, command, active) values ('execute-monitoring-checks', '* * * * *', 'select 1 -- execute-checks', false)")
    try:
        expect(stage.one(active), "run-monitoring-checks")
        for _ in range(2):
            stage.run("select quartz_agent.cutover()")
            expect(stage.one(active), "")
            stage.run("select quartz_agent.rollback()")
            expect(stage.one(active), "run-monitoring-checks")
        # Nothing to go back from.
        stage.run("update cron.job set active = false where jobname = 'run-monitoring-checks'")
        stage.run("select quartz_agent.rollback()")
        expect(stage.one(active), "", "in shadow already")
    finally:
        stage.run("delete from cron.job where jobname = 'execute-monitoring-checks'; update cron.job set active = true")


def a_check_disabled_in_shadow_alerts_once_it_is_enabled(stage):
    shadow(stage)
    stage.at(300)
    stage.run("update monitoring_checks set is_enabled = false")
    stage.run("select quartz_agent.cutover()")
    expect(stage.alerts(), [""])
    stage.tick()
    stage.run("update monitoring_checks set is_enabled = true")
    stage.at(30)
    expect(stage.alerts("resolved_at is null, round(extract(epoch from now() - first_failed_at) / 10)"), ["t|3"])


def a_check_disabled_and_enabled_starts_without_its_failures(stage):
    """Failures before it was disabled are none of the series after it."""
    stage.run("update monitoring_checks set failure_threshold = 3")
    for seconds in (600, 540):
        stage.at(seconds)
    stage.run("update monitoring_checks set is_enabled = false")
    stage.tick()
    stage.run("update monitoring_checks set is_enabled = true")
    stage.at(60)
    expect((stage.alerts(), stage.one("select current_failure_count from monitoring_checks")), ([""], "1"))
    stage.at(50)
    stage.at(40)
    expect(stage.alerts("round(extract(epoch from now() - first_failed_at) / 10)"), ["6"])


def an_overdue_heartbeat_is_carried_over(stage):
    """The runner told of it: the cutover keeps it open, without a further message."""
    shadow(stage)
    beat, other = stage.add("heartbeat"), stage.one("insert into resources (name, resource_type) values ('Backup', 'server') returning id")
    untold = stage.add("heartbeat", resource=other)
    stage.run(f"update monitoring_checks set last_heartbeat_at = now() - interval '1 h' where id in ('{beat}', '{untold}')")
    stage.run(f"insert into alerts (resource_id, severity, message) values ('{stage.resource}', 'critical', 'HEARTBEAT check failed: Heartbeat overdue')")
    stage.run("select quartz_agent.cutover()")
    for _ in range(2):
        expect(stage.one("select string_agg(r.name || '|' || coalesce(a.suppression_reason, ''), ', ' order by r.name) from alerts a join resources r on r.id = a.resource_id "
                         "where a.resolved_at is null and a.alert_key is not null"), "Backup|, Shop|Carried over")
        expect(stage.one("select count(*) from alert_notifications"), "1")
        stage.tick()


def a_heartbeat_is_carried_over_as_it_is(stage):
    """With the failures that the runner counted, and since it was due; one that beat in shadow is well."""
    beat = stage.add("heartbeat", threshold=3)
    stage.run(f"update monitoring_checks set last_heartbeat_at = now() - interval '1 h', current_failure_count = 2 where id = '{beat}'")
    shadow(stage)
    stage.run("select quartz_agent.cutover()")
    expect(stage.alerts("round(extract(epoch from now() - first_failed_at) / 10)"), ["315"], "due after seven minutes and a half")
    expect(stage.one(f"select current_failure_count from monitoring_checks where id = '{beat}'"), "3")
    stage.tick()
    expect(stage.one("select count(*) from alerts where resolved_at is null"), "1")
    shadow(stage)
    stage.run(f"update monitoring_checks set last_heartbeat_at = now() where id = '{beat}'")
    stage.run("select quartz_agent.cutover()")
    stage.tick()
    expect(stage.alerts("resolution"), ["rolled back"])


def a_database_that_was_away_calls_no_agent_silent(stage):
    """Nor a heartbeat overdue that it could not take: both have their time once it is back."""
    beat = stage.add("heartbeat")
    for name in ("a1", "a2"):
        stage.post(name=name)
    stage.tick()
    stage.run(f"update monitoring_checks set last_heartbeat_at = now() - interval '20 min' where id = '{beat}'")
    stage.run("update monitoring_agents set last_seen = now() - interval '20 min'; update quartz_agent.settings set last_tick = now() - interval '20 min'")
    for _ in range(2):
        stage.tick()
        expect(stage.one("select count(*) from alerts"), "0")
        expect(stage.one("select string_agg(status::text, ',') from resources where resource_type = 'agent'"), "up,up")
    stage.post(name="a1")
    stage.run("update quartz_agent.settings set resumed_at = resumed_at - interval '3 min'")
    stage.tick()
    expect(stage.alerts("split_part(message, ' ', 2), count(*) over ()"), ["silent|1"])
    stage.run("update quartz_agent.settings set resumed_at = resumed_at - interval '5 min'")
    stage.tick()
    expect(stage.one("select count(*) from alerts where alert_key like '%/availability'"), "1")
    # An agent that makes contact each minute keeps the time where pg_cron is missing: that is no absence.
    stage.run("update quartz_agent.settings set resumed_at = null, last_tick = now() - interval '125 s'")
    stage.tick()
    expect(stage.one("select resumed_at is null from quartz_agent.settings"), "t")


def an_agent_that_delivers_holds_up_no_other(stage):
    """A batch holds the row of its agent until it is stored, and may wait for the tick: the tick does not wait for it."""
    stage.post(name="a1", lag_s=31)
    stage.post(name="a2", lag_s=31)
    batch, tick = Session(stage.folder), Session(stage.folder)
    try:
        batch.ask("begin; update monitoring_agents set results = results + 1 where name = 'a1'")
        tick.ask("set lock_timeout = '500ms'")
        expect(tick.ask("select quartz_agent.tick('20 s', '0')"), "t")
        expect(stage.one("select string_agg(name, ',') from monitoring_agents where late_since is not null"), "a2")
        batch.ask("commit")
        tick.ask("select quartz_agent.tick('20 s', '0')")
        expect(stage.one("select count(*) from monitoring_agents where late_since is not null"), "2")
    finally:
        batch.close()
        tick.close()


def a_cutover_and_a_dispatcher_wait_in_no_circle(stage):
    """Each takes the settings before the queue: neither holds one of them and waits for the other."""
    for call in ("select claim_notifications(20)", "select quartz_agent.tick_part('incidents', '1 s', '0')"):
        move, other = Session(stage.folder), Session(stage.folder)
        try:
            other.ask(call)
            move.ask("begin; lock table quartz_agent.settings in access exclusive mode")
            other.ask("set lock_timeout = '300ms'; begin")
            other.send(call)
            stage.run("select pg_sleep(0.1)")
            # While it waits for the settings, the queue is free.
            expect(move.ask("select pg_try_advisory_xact_lock(711420, 1)"), "t", call)
            move.ask("commit")
            other.answer()
            other.ask("commit")
        finally:
            move.close()
            other.close()
