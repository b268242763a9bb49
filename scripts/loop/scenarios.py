# SPDX-License-Identifier: MIT
"""What single cases must do, each in a stage of its own: rules, channels, quiet hours, people's hands, time, errors, rights."""
import sys
import uuid

from database import Refused, Session, ingest
from histories import stamp


class Stage:
    """One resource with one check, a key and an agent; rows are so many seconds ago."""

    def __init__(self, folder, kind="http", threshold=1, resource_type="website", interval=60, url="https://shop.example/"):
        self.owner, self.service = Session(folder), Session(folder, "service_role")
        self.folder = folder
        self.run("truncate alerts, incidents, alert_rules, notification_channels, resources, api_keys cascade")
        self.key, self.resource, self.channel = (str(uuid.uuid4()) for _ in range(3))
        self.run(f"insert into api_keys (id, name, key_hash, key_prefix) values ('{self.key}', 'k', 'h', 'q')")
        self.run(f"insert into agent_key_scopes (api_key_id) values ('{self.key}')")
        self.run(f"insert into resources (id, name, resource_type) values ('{self.resource}', 'Shop', '{resource_type}')")
        self.check = self.add(kind, threshold, interval, url)
        self.run(f"insert into notification_channels (id, name, channel_type, configuration) values ('{self.channel}', 'ops', 'slack', '{{}}')")
        self.run("update quartz_agent.settings set alerts = 'on', last_tick = now(), away_from = null, resumed_at = null, per_key = 60; truncate quartz_agent.key_told")

    def add(self, kind="http", threshold=1, interval=60, url="https://shop.example/", resource=None):
        check = str(uuid.uuid4())
        self.run(f"insert into monitoring_checks (id, resource_id, check_type, url, failure_threshold, check_interval_seconds) values "
                 f"('{check}', '{resource or self.resource}', '{kind}', '{url}', {threshold}, {interval})")
        return check

    def run(self, sql):
        return self.owner.ask(sql)

    def one(self, sql):
        return self.run(sql)

    def row(self, seconds, well, check=None, **change):
        now = int(self.run("select (extract(epoch from now()) * 1000)::bigint"))
        return dict({"id": str(uuid.uuid4()), "monitoring_check_id": check or self.check, "status": "success" if well else "failure",
                     "response_time_ms": 12, "checked_at": stamp(now - int(seconds * 1000)), "trigger": "schedule", "state": "up" if well else "down",
                     "reason": "ok" if well else "connect_refused"}, **change)

    def post(self, *rows, **agent):
        return self.service.json(ingest(self.key, dict({"name": "a1", "version": "1"}, **agent), list(rows)))

    def at(self, seconds, well=False, **change):
        return self.post(self.row(seconds, well, **change))

    def tick(self):
        return self.one("select quartz_agent.tick('20 s', '0')")

    def alerts(self, columns="split_part(alert_key, '/', 2), severity, resolution"):
        return self.one(f"select {columns} from alerts where alert_key is not null order by triggered_at, alert_key").split("\n")

    def due(self):
        """Time for everything that waits, and the minute after an end."""
        self.run("update alert_notifications set not_before = now() - interval '1 s' where state = 'waiting' and not_before < now() + interval '1 min'")
        self.run("update alerts set resolved_at = resolved_at - interval '61 s', triggered_at = triggered_at - interval '61 s' where resolved_at > now() - interval '61 s'")

    def claim(self):
        return self.service.json("select claim_notifications(100)")

    def sent(self):
        """What the dispatcher gets and settles well, as 'what title'."""
        messages = self.claim()
        for message in messages:
            self.service.ask(f"select settle_notification('{message['id']}', true)")
        return [f"{m['alert']['what']} {m['alert']['title']}" for m in messages]


def expect(got, wanted, words=""):
    assert got == wanted, f"{words}: wanted {wanted!r}, got {got!r}"


def opens_escalates_reopens_resolves(stage):
    stage.run(f"insert into alert_rules (resource_id, rule_type, comparison_operator, threshold_value) values ('{stage.resource}', 'consecutive_failures', 'gte', 3)")
    stage.at(600)
    expect(stage.alerts("severity, alert_rule_id is null, occurrences, resolved_at is null"), ["critical|t|1|t"])
    message = stage.one("select message from alerts")
    assert message.startswith("HTTP check failed: connect_refused, 1 in a row since "), message
    stage.due()
    expect(stage.sent(), ["opened Alert: Shop"])
    stage.at(540)
    expect(stage.claim(), [], "the second failure is no news")
    stage.at(480)
    expect(stage.sent(), ["escalated Alert: Shop"])
    expect(stage.one("select current_failure_count from monitoring_checks"), "3")
    stage.at(420, True)
    stage.at(300)
    expect(stage.alerts("occurrences, resolved_at is null"), ["2|t"], "two minutes later it is the same")
    stage.at(240, True)
    stage.due()
    stage.tick()
    expect(stage.sent(), ["resolved Resolved: Shop"])
    expect(stage.one("select count(*) filter (where status = 'resolved'), count(*) from incidents"), "1|1")
    expect(stage.one("select title from incidents"), "Shop: availability")


def a_row_twice_is_one_alert(stage):
    row = stage.row(60, False)
    stage.post(row)
    expect(stage.post(row)["duplicates"], 1)
    stage.due()
    expect(stage.sent(), ["opened Alert: Shop"])
    expect(stage.one("select count(*) from alerts"), "1")


def rules_templates_exclusions_channels(stage):
    linked = str(uuid.uuid4())
    stage.run(f"insert into notification_channels (id, name, channel_type) values ('{linked}', 'linked', 'teams')")
    rule = stage.one("insert into alert_rules (resource_type, is_template, rule_type, comparison_operator, threshold_value) values ('website', true, 'response_time', 'gt', 500) returning id")
    stage.run(f"insert into alert_notification_channels (alert_rule_id, notification_channel_id) values ('{rule}', '{linked}')")
    stage.at(120, True, response_time_ms=501)
    expect(stage.alerts("split_part(alert_key, '/', 2), severity, message"), ["performance|warning|Response time 501ms exceeded threshold 500ms"])
    expect(stage.one("select channel_id from alert_notifications"), linked, "the linked channel alone")
    stage.at(60, True, response_time_ms=500)
    expect(stage.alerts(), ["performance|warning|recovered"])
    stage.run(f"insert into alert_rule_exclusions (alert_rule_id, resource_id) values ('{rule}', '{stage.resource}')")
    stage.at(30, True, response_time_ms=9000)
    expect(stage.alerts(), ["performance|warning|recovered"], "excluded")


def certificates(stage):
    stage.run(f"insert into alert_rules (resource_id, rule_type, comparison_operator, threshold_value) values ('{stage.resource}', 'ssl_expiry', 'lte', 30)")
    stage.at(300, True, ssl_days_remaining=31)
    expect(stage.alerts(), [""])
    stage.at(240, True, ssl_days_remaining=30)
    stage.at(180, True)
    expect(stage.alerts(), ["certificate|warning|"], "a row without a certificate says nothing about it")
    stage.at(120, True, ssl_days_remaining=7)
    expect(stage.alerts(), ["certificate|critical|"])
    stage.at(60, True, ssl_days_remaining=90)
    expect(stage.alerts(), ["certificate|critical|recovered"])


def quiet_hours(stage):
    stage.run(f"insert into alert_rules (resource_id, rule_type, comparison_operator, threshold_value, quiet_hours_enabled, quiet_hours_start, quiet_hours_end) "
              f"select '{stage.resource}', 'downtime', 'gte', 100, true, t - interval '1 h', t + interval '1 h' from (select (now() at time zone 'UTC')::time as t) q")
    stage.at(60)
    expect(stage.alerts("notification_suppressed, suppression_reason ~ '^Quiet hours active \\(..:..-..:.. UTC\\)$'"), ["t|t"])
    stage.due()
    expect(stage.claim(), [])
    stage.run("update alert_notifications set not_before = now()")
    expect(stage.sent(), ["opened Alert: Shop"], "at their end, while it is still open")
    for zone, ends in (("Nowhere/Atlantis", ""), ("Asia/Tokyo", "2026-03-02 23:00:00")):
        got = stage.one(f"select to_char(k.ends at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') from (select r from alert_rules r) x, lateral (select jsonb_populate_record(r, "
                        f"'{{\"quiet_hours_start\":\"22:00\",\"quiet_hours_end\":\"08:00\",\"quiet_hours_timezone\":\"{zone}\",\"quiet_hours_days\":[\"monday\"]}}') as q) y, lateral quartz_agent.quiet(q, '2026-03-02T13:30:00Z') k")
        expect(got, ends, zone)


def acknowledged_in_quiet_hours_is_not_told(stage):
    stage.at(60)
    stage.run("update alert_notifications set not_before = now() + interval '1 h'")
    stage.run("update alerts set acknowledged_at = now()")
    stage.run("update alert_notifications set not_before = now()")
    expect(stage.claim(), [])
    expect(stage.one("select state, error from alert_notifications"), "dropped|over or acknowledged before it was sent")


def reminders_until_acknowledged(stage):
    stage.at(60)
    stage.due()
    stage.sent()
    stage.tick()
    expect(stage.sent(), [])
    stage.run("update alert_notifications set sent_at = now() - interval '4 h'")
    stage.tick()
    stage.tick()
    expect(stage.sent(), ["reminder Still open: Shop"])
    stage.run("update alert_notifications set sent_at = now() - interval '4 h'")
    stage.run("update alerts set acknowledged_at = now()")
    stage.tick()
    expect(stage.sent(), [])


def resolved_by_hand_stays(stage):
    stage.at(200_000)
    stage.run("update alerts set resolved_at = now() - interval '55 h'")
    stage.at(190_000)
    expect(stage.alerts("resolved_at is null"), ["f"])
    stage.at(60)
    expect(stage.alerts("resolved_at is null, resolution"), ["f|", "t|"], "after a day")
    stage.tick()
    expect(stage.alerts("resolved_at is null, resolution"), ["f|by hand", "t|"])


def maintenance_ends_it(stage):
    stage.at(600)
    stage.at(540, False, maintenance=True)
    expect(stage.alerts("resolution"), ["maintenance"])
    stage.at(480)
    expect(stage.alerts("resolution"), ["maintenance", ""], "no reopening")
    stage.run(f"insert into maintenance_windows (resource_id, title, starts_at, ends_at, is_recurring, recurrence_pattern) values "
              f"('{stage.resource}', 'w', now() - interval '10 days 1 h', now() - interval '9 days 23 h', true, 'daily')")
    stage.at(60)
    expect(stage.alerts("resolution"), ["maintenance", "maintenance"], "a daily window of ten days ago")


def maintenance_counts_nothing(stage):
    """Failures before a window, and the window, in one batch: the count is that after it."""
    stage.post(stage.row(300, False), stage.row(240, False), stage.row(180, False, maintenance=True))
    expect(stage.alerts("resolution"), ["maintenance"])
    expect(stage.one("select current_failure_count from monitoring_checks"), "0")


def monthly_windows(stage):
    stage.run(f"insert into maintenance_windows (resource_id, title, starts_at, ends_at, is_recurring, recurrence_pattern) values "
              f"('{stage.resource}', 'w', '2026-01-31T23:00Z', '2026-02-01T01:00Z', true, 'monthly')")
    for at, inside in (("2026-02-28T22:59:59Z", "f"), ("2026-02-28T23:00Z", "t"), ("2026-03-01T00:59:59Z", "t"), ("2026-03-01T01:00Z", "f"),
                       ("2026-03-31T23:30Z", "t"), ("2025-12-31T23:30Z", "f"), ("2026-01-31T23:00Z", "t")):
        expect(stage.one(f"select quartz_agent.in_window('{stage.resource}', '{at}')"), inside, at)


def disabled_deleted(stage):
    second = stage.add("port")
    stage.at(60)
    stage.at(60, check=second)
    stage.run(f"update monitoring_checks set is_enabled = false where id = '{stage.check}'")
    stage.run(f"delete from monitoring_checks where id = '{second}'")
    stage.tick()
    expect(sorted(stage.alerts("resolution")), ["deleted", "disabled"])
    stage.run(f"update monitoring_checks set is_enabled = true where id = '{stage.check}'")
    stage.at(5)
    expect(stage.one("select count(*) from alerts where resolved_at is null"), "1", "enabled again it starts without its earlier failures")


def heartbeats(stage):
    beat = stage.add("heartbeat")
    stage.run(f"update monitoring_checks set last_heartbeat_at = now() - interval '449 s' where id = '{beat}'")
    stage.tick()
    expect(stage.alerts(), [""])
    stage.run(f"update monitoring_checks set last_heartbeat_at = now() - interval '451 s' where id = '{beat}'")
    stage.tick()
    stage.tick()
    expect(stage.alerts(), ["availability|critical|"])
    expect(stage.one("select count(*) from check_results where agent = 'backend'"), "1", "one row a minute")
    expect(stage.one("select status from resources where resource_type = 'website'"), "down")
    expect(stage.at(1, True, check=beat)["accepted"], 1)
    expect(stage.alerts(), ["availability|critical|"], "an agent's word is none about a heartbeat")
    stage.run(f"update monitoring_checks set last_heartbeat_at = now() where id = '{beat}'")
    stage.tick()
    expect(stage.alerts(), ["availability|critical|recovered"])


def silent_agents_and_unknown(stage):
    stage.at(1, True)
    stage.post(name="a2")
    stage.tick()
    expect(stage.one("select status from resources where resource_type = 'website'"), "up")
    expect(stage.one("select string_agg(name || ' ' || status, ',' order by name) from resources where resource_type = 'agent'"), "Agent a1 up,Agent a2 up")
    stage.run("update monitoring_agents set last_seen = now() - interval '181 s'")
    stage.run("update check_results set checked_at = now() - interval '6 min'; update quartz_agent.place_state set evaluated_to = now() - interval '6 min'")
    stage.tick()
    stage.tick()
    expect(stage.alerts("split_part(alert_key, '/', 2), severity, left(message, 19)"), ["silent|critical|Agent silent since "] * 2)
    expect(stage.one("select string_agg(name || ' ' || status, ',' order by name) from resources"), "Agent a1 down,Agent a2 down,Shop unknown")
    stage.post(name="a1")
    stage.run("update monitoring_agents set retired_at = now() where name = 'a2'")
    stage.tick()
    expect(sorted(stage.alerts("resolution")), ["disabled", "recovered"])
    expect(stage.one("select status from resources where name = 'Agent a1'"), "up")


def a_slow_heartbeat_is_not_unknown(stage):
    stage.run(f"delete from monitoring_checks; update resources set status = 'up'")
    beat = stage.add("heartbeat")
    stage.run(f"update monitoring_checks set heartbeat_interval_seconds = 86400, last_heartbeat_at = now() - interval '3 h' where id = '{beat}'")
    stage.tick()
    stage.tick()
    expect(stage.one("select status from resources"), "up")
    expect(stage.alerts(), [""])


def agents_that_are_gone(stage):
    stage.post(name="old")
    stage.post(name="new")
    stage.run("update monitoring_agents set last_seen = now() - interval '25 h' where name = 'old'")
    stage.tick()
    expect(stage.alerts(), [""], "gone before anybody watched")
    stage.run("update monitoring_agents set last_seen = now() - interval '25 h'")
    stage.tick()
    expect(stage.alerts(), ["silent|critical|"])
    stage.run("delete from monitoring_agents where name = 'new'")
    stage.tick()
    expect(stage.alerts(), ["silent|critical|deleted"])


def a_storm_is_stored_in_time(stage):
    stage.run(f"insert into resources (id, name, resource_type) select md5('s' || n)::uuid, 'S' || n, 'server' from generate_series(1, 500) n")
    stage.run("insert into monitoring_checks (id, resource_id, check_type, url) select md5('t' || n)::uuid, md5('s' || n)::uuid, 'http', "
              "'https://s' || n || '.example/' from generate_series(1, 500) n")
    checks = stage.one("select string_agg(md5('t' || n)::uuid::text, ',') from generate_series(1, 500) n").split(",")
    rows = [stage.row(60, False, check=checks[0])]
    rows = [dict(rows[0], id=str(uuid.uuid4()), monitoring_check_id=check) for check in checks]
    expect(stage.post(*rows)["accepted"], 500)
    while stage.one("select count(*) from quartz_agent.dirty") != "0":
        stage.tick()
    expect(stage.one("select count(*), count(distinct alert_key) from alerts where resolved_at is null"), "500|500")
    expect(stage.one("select count(*) from incidents"), "9")


def clocks(stage):
    now = int(stage.one("select (extract(epoch from now()) * 1000)::bigint"))
    for hours in (-2, 2):
        skewed = stage.row(0, False, checked_at=stamp(now + hours * 3_600_000))
        stage.post(skewed, sent_at=stamp(now + hours * 3_600_000), name="a1")
        expect(stage.one("select count(*), bool_and(abs(extract(epoch from triggered_at - now())) < 60) from alerts where monitoring_check_id is not null and resolved_at is null"), "1|t")
        stage.post(stage.row(0, True))
        expect(stage.one("select count(*) from alerts where monitoring_check_id is not null and resolved_at is null"), "0")
    stage.post(sent_at=stamp(now + 3_600_000))
    stage.tick()
    expect(stage.one("select split_part(alert_key, '/', 2), message ~ '^The clock of the agent is 3[56].. s ahead' from alerts where alert_key like 'agent:%'"), "clock|t")


def confirmations(stage):
    stage.run(f"insert into check_confirmations (monitoring_check_id, needed) values ('{stage.check}', 2)")
    stage.post(stage.row(300, True), name="a1")
    stage.post(stage.row(295, True), name="a2")
    stage.post(stage.row(240, False), name="a1")
    expect(stage.alerts(), [""], "one of two")
    stage.post(stage.row(235, False), name="a2")
    expect(stage.alerts(), ["availability|critical|"])
    stage.post(stage.row(180, True), name="a1")
    expect(stage.alerts(), ["availability|critical|recovered"])


def the_word_of_a_place_that_comes_late(stage):
    """One place fails and is well again before the other is heard, which was well all the time: there was no alert."""
    stage.run(f"insert into check_confirmations (monitoring_check_id, needed) values ('{stage.check}', 2)")
    stage.post(stage.row(900, True), name="a2")
    stage.post(*[stage.row(s, s != 60, name="a1") for s in (120, 60, 30)], name="a1")
    expect(stage.alerts(), ["availability|critical|recovered"], "a2 was not heard for ten minutes")
    stage.post(*[stage.row(s, True) for s in (125, 65, 5)], name="a2")
    stage.tick()
    expect(stage.alerts(), ["availability|critical|corrected"])
    # What ended before its rows is none of them.
    stage.post(stage.row(3, True), name="a2")
    expect(stage.one("select count(*) from quartz_agent.dirty"), "0")


def an_earlier_owner_counts_nothing(stage):
    """Its row is stored, and neither the alert nor the count of failures that the apps show is moved by it."""
    def now():
        return stage.one("select current_failure_count, (select count(*) from alerts where resolved_at is null) from monitoring_checks")

    for seconds, well, rev, wanted in ((120, False, 7, "1|1"), (60, True, 6, "1|1"), (50, False, 6, "1|1"), (40, False, 7, "2|1"), (30, True, 7, "0|0")):
        expect(stage.post(stage.row(seconds, well, owner_rev=rev), name="a1", location="london")["accepted"], 1)
        expect(now(), wanted, f"{seconds} s ago, revision {rev}")
    expect(stage.one("select count(*) from check_results"), "5")


def late_rows_after_an_earlier_owner(stage):
    """Its row says nothing: neither that the check was well before what came late, nor that it was slow."""
    stage.run("update monitoring_checks set failure_threshold = 2")
    for seconds, well, rev in ((600, False, 7), (580, True, 6), (480, False, 7), (560, False, 7)):
        stage.post(stage.row(seconds, well, owner_rev=rev), name="a1", location="london")
    expect(stage.alerts("round(extract(epoch from now() - triggered_at) / 10), round(extract(epoch from now() - first_failed_at) / 10)"), ["48|60"])
    stage.tick()
    expect(stage.alerts("round(extract(epoch from now() - triggered_at) / 10), round(extract(epoch from now() - first_failed_at) / 10)"), ["56|60"], "the second failure came late")


def late_rows_after_a_slow_one_of_an_earlier_owner(stage):
    stage.run(f"insert into alert_rules (resource_id, rule_type, comparison_operator, threshold_value) values ('{stage.resource}', 'response_time', 'gt', 500)")
    stage.post(stage.row(710, True, owner_rev=7), name="a1", location="london")
    stage.post(stage.row(700, True, owner_rev=6, response_time_ms=900), name="a1", location="london")
    for seconds, took in ((600, 900), (540, 12), (480, 900), (420, 12), (590, 12)):
        stage.post(stage.row(seconds, True, response_time_ms=took), name="a2")
    stage.tick()
    expect(stage.alerts("occurrences, resolution, round(extract(epoch from now() - resolved_at) / 10)"), ["2|recovered|42"])


def an_id_twice_in_a_batch_is_refused_once(stage):
    """A member of a group that got a slot's check back has run it twice, and another member's run is stored: what is refused is named
    once, or the agent takes the answer for none and sends the same again, for ever."""
    other = str(uuid.uuid4())
    stage.run(f"insert into api_keys (id, name, key_hash, key_prefix) values ('{other}', 'k2', 'h2', 'q'); insert into agent_key_scopes (api_key_id) values ('{other}')")
    known, gone = stage.row(30, True), str(uuid.uuid4())
    expect(stage.post(known, location="london", name="b1")["accepted"], 1)
    stage.key = other
    twice = [stage.row(seconds, False, id=known["id"]) for seconds in (20, 10)]
    lost = [stage.row(seconds, False, id=gone, check=gone) for seconds in (20, 10)]
    said = stage.post(*twice, *lost, stage.row(5, True), location="london")
    expect((said["accepted"], said["duplicates"], [(r["id"], r["code"]) for r in said["rejected"]]), (1, 2, [(gone, "23503"), (known["id"], "23505")]))
    expect(stage.one("select count(*), count(distinct agent_key_id) from check_results"), "2|2")


def members_with_a_key_each_run_a_slot_twice(stage):
    """One row of it, and the other member is told that it is there: nothing is refused, and nothing counted twice."""
    other = str(uuid.uuid4())
    stage.run(f"insert into api_keys (id, name, key_hash, key_prefix) values ('{other}', 'k2', 'h2', 'q'); insert into agent_key_scopes (api_key_id) values ('{other}')")
    first = stage.row(30, True, owner_rev=7)
    slot = dict(first, scheduled_at=first["checked_at"])
    expect(stage.post(slot, location="london", name="b1")["accepted"], 1)
    stage.key = other
    again = dict(slot, status="failure", state="down", reason="connect_refused", checked_at=stage.row(20, True)["checked_at"], owner_rev=6)
    said = stage.post(again, again, location="london")
    expect((said["accepted"], said["duplicates"], said["rejected"]), (0, 2, []))
    expect(stage.one("select count(*), bool_and(status = 'success') from check_results"), "1|t")
    # Of another slot, and of no slot, an id is still another's.
    for at in (again["checked_at"], None):
        said = stage.post(dict(again, scheduled_at=at), location="london")
        expect((said["accepted"], [r["code"] for r in said["rejected"]]), (0, ["23505"]), str(at))
    # Another location has results of its own.
    stage.run("update agent_key_scopes set locations = null")
    expect(stage.post(again, location="paris")["accepted"], 1)


def one_instant_at_two_places(stage):
    """Of rows of one instant the name decides, in whatever order they come."""
    stage.run(f"insert into alert_rules (resource_id, rule_type, comparison_operator, threshold_value) values ('{stage.resource}', 'response_time', 'gt', 500)")
    now = int(stage.run("select (extract(epoch from now()) * 1000)::bigint"))
    first, second = sorted(str(uuid.uuid4()) for _ in range(2))
    stage.post(stage.row(120, True, response_time_ms=900), name="a1")
    # By its name the slow one of a2 is first, and the check was slow all the time.
    stage.post(stage.row(0, True, checked_at=stamp(now - 60_000), id=second), name="a1")
    stage.post(stage.row(0, True, checked_at=stamp(now - 60_000), id=first, response_time_ms=900), name="a2")
    stage.tick()
    expect(stage.alerts("occurrences, resolution"), ["1|"])


def a_silent_place_is_not_slow_any_more(stage):
    """A place that was slow, was silent for more than ten minutes and fails now: how fast it answers is not known, so that a further slow
    place is one of two."""
    stage.run(f"insert into alert_rules (resource_id, rule_type, comparison_operator, threshold_value) values ('{stage.resource}', 'response_time', 'gt', 500); "
              f"insert into check_confirmations (monitoring_check_id, needed) values ('{stage.check}', 2)")
    stage.run("update monitoring_checks set failure_threshold = 5")
    stage.post(stage.row(1300, True), name="a1")
    stage.post(stage.row(1290, True, response_time_ms=900), name="a2")
    stage.post(stage.row(100, False), name="a2")
    stage.post(stage.row(60, True, response_time_ms=900), name="a1")
    expect(stage.one("select count(*) from alerts"), "0")
    stage.post(stage.row(50, True, response_time_ms=900), name="a2")
    expect(stage.alerts("severity, occurrences, resolution"), ["warning|1|"])


def a_silent_place_has_no_certificate(stage):
    """As of its speed: one that ended soon when the place was last heard is none of two that end soon now."""
    stage.run(f"insert into alert_rules (resource_id, rule_type, comparison_operator, threshold_value) values ('{stage.resource}', 'ssl_expiry', 'lte', 30); "
              f"insert into check_confirmations (monitoring_check_id, needed) values ('{stage.check}', 2); update monitoring_checks set failure_threshold = 5")
    stage.post(stage.row(1300, True, ssl_days_remaining=90), name="a1")
    stage.post(stage.row(1290, True, ssl_days_remaining=9), name="a2")
    stage.post(stage.row(100, False), name="a2")
    stage.post(stage.row(60, True, ssl_days_remaining=9), name="a1")
    expect(stage.one("select count(*) from alerts"), "0")
    stage.post(stage.row(50, True, ssl_days_remaining=9), name="a2")
    expect(stage.alerts("severity, split_part(alert_key, '/', 2)"), ["warning|certificate"])


def runner_rows_blind_nothing(stage):
    for seconds in (180, 120, 60):
        stage.run(f"insert into check_results (monitoring_check_id, status) values ('{stage.check}', 'success')")
        stage.at(seconds)
    expect(stage.one(f"select current_failure_count from monitoring_checks"), "3")
    expect(stage.alerts(), ["availability|critical|"])


def storms_and_hosts_are_one_incident(stage):
    for number in range(20):
        resource = stage.one(f"insert into resources (name, resource_type) values ('R{number}', 'server') returning id")
        check = stage.add("port" if number else "http", url=f"https://h{number}.example/", resource=resource)
        stage.at(60, check=check)
    incidents = int(stage.one("select count(*) from incidents"))
    expect(incidents, 9, "the tenth and all after it join")
    same_host = stage.one("insert into resources (name, resource_type) values ('other', 'server') returning id")
    stage.at(50_000, check=stage.add("http", url="https://H0.example:8443/x", resource=same_host))
    expect(int(stage.one("select count(*) from incidents")), incidents)


def errors_cost_no_result(stage):
    second = stage.add()
    stage.run("alter function quartz_agent.replay rename to replay_away")
    answer = stage.post(*[stage.row(s, False, check=c) for s in (90, 60) for c in (stage.check, second)])
    expect(answer["accepted"], 4)
    expect(stage.one("select count(*) from quartz_agent.dirty"), "2")
    stage.run("alter function quartz_agent.replay_away rename to replay")
    stage.tick()
    expect(stage.alerts("split_part(alert_key, '/', 2), resolved_at is null"), ["availability|t"] * 2)
    stage.due()
    expect(len(stage.sent()), 1, "told once")
    for broken in ("turn", "announce", "judge_batch", "answer_more", "tick_incidents"):
        arguments = stage.one(f"select oid::regprocedure from pg_proc where proname = '{broken}'")
        stage.run(f"alter function {arguments} rename to away")
        expect(stage.post(stage.row(30, True), stage.row(29, True, check=second))["accepted"], 2, broken)
        stage.tick()
        away = arguments.replace(f".{broken}(", ".away(")
        stage.run(f"alter function {away} rename to {broken}")
        stage.tick()
        expect(stage.one("select count(*) from quartz_agent.dirty"), "0", broken)


def late_rows_are_not_told(stage):
    stage.at(30, True)
    stage.post(*[stage.row(s, s > 7000 or s < 5000) for s in range(9000, 3000, -60)], lane="backlog")
    stage.tick()
    expect(stage.alerts("notification_suppressed, suppression_reason, resolution, occurrences"), ["t|Recorded afterwards: the results came late|recovered|1"])
    stage.post(*[stage.row(s, True) for s in range(9030, 3030, -60)], lane="backlog")
    stage.tick()
    expect(stage.one("select count(*) from alert_notifications"), "0")
    stage.post(*[stage.row(s, False) for s in (20, 15)], lane="backlog")
    stage.tick()
    stage.due()
    expect(stage.sent(), ["opened Alert: Shop"], "what still fails is told")
    stage.tick()
    expect(stage.sent(), [])


def dispatcher_retries(stage):
    stage.at(60)
    stage.due()
    waits = []
    for _ in range(10):
        [message] = stage.claim()
        expect(stage.claim(), [], "leased")
        stage.service.ask(f"select settle_notification('{message['id']}', false, 'answered 500')")
        waits.append(int(stage.one("select round(extract(epoch from not_before - now())) from alert_notifications")))
        stage.run("update alert_notifications set not_before = now()")
    expect(waits, [5, 10, 20, 40, 80, 160, 320, 600, 600, 600])
    [message] = stage.claim()
    stage.run("update alert_notifications set lease_until = now()")
    [again] = stage.claim()
    expect((again["id"], again["attempt"]), (message["id"], 12), "its dispatcher died")
    stage.run("update alert_notifications set created_at = now() - interval '25 h'")
    stage.service.ask(f"select settle_notification('{message['id']}', false, 'answered 500')")
    expect(stage.one("select state, error from alert_notifications"), "failed|answered 500")


def thirty_a_minute_then_a_sum(stage):
    for number in range(50):
        resource = stage.one(f"insert into resources (name, resource_type) values ('R{number}', 'server') returning id")
        incident = stage.one(f"insert into incidents (title, severity, incident_key) values ('t', 'critical', '{number}') returning id")
        alert = stage.one(f"insert into alerts (resource_id, severity, message, alert_key) values ('{resource}', 'critical', 'm', 'k{number}') returning id")
        stage.run(f"insert into incident_alerts (incident_id, alert_id) values ('{incident}', '{alert}')")
        stage.run(f"insert into alert_notifications (incident_id, alert_id, channel_id, what, occurrence) values ('{incident}', '{alert}', '{stage.channel}', 'opened', 1)")
    messages = stage.sent()
    expect(len(messages), 30)
    assert messages[-1].endswith("and 20 more messages"), messages[-1]
    expect(stage.one("select state, count(*) from alert_notifications group by 1"), "sent|50")


def asks_lists_acks(stage):
    stage.post(stage.row(30, True), can=["asks", "list", "acks"])
    person = str(uuid.uuid4())
    stage.run(f"insert into auth.users values ('{person}'); insert into user_roles (user_id, role) values ('{person}', 'viewer')")
    team = Session(stage.folder, "authenticated")
    team.ask(f"select set_config('request.jwt.claim.sub', '{person}', false)")
    asked = team.json(f"select ask_checks('{stage.check}', null)")
    expect(len(asked["asks"]), 1)
    expect(team.json(f"select ask_checks(null, '{stage.resource}')")["asks"], asked["asks"], "joined")
    answer = stage.post(can=["asks"])
    expect([(a["id"], a["check_id"]) for a in answer["asks"]], [(asked["asks"][0], stage.check)])
    other = stage.add()
    stage.post(stage.row(1, True, check=other, trigger="manual", ask_id=asked["asks"][0]), can=["asks"])
    expect(team.json(f"select asks_state('[\"{asked['asks'][0]}\"]')")["open"], 1, "another check's result answers nothing")
    stage.post(stage.row(0, False, trigger="manual", ask_id=asked["asks"][0]), can=["asks"])
    state = team.json(f"select asks_state('[\"{asked['asks'][0]}\"]')")
    expect((state["open"], [r["status"] for r in state["results"]]), (0, ["failure"]))
    expect(stage.alerts(), [""], "a run by hand opens nothing")
    expect(stage.post(can=["asks"])["asks"], [])
    refused = 0
    for _ in range(70):
        try:
            team.ask(f"select ask_checks('{stage.check}', null)")
        except Refused as error:
            expect(error.code, "53400")
            refused += 1
    expect(refused, 12, "sixty a minute")

    version = stage.post(can=["list"])["list"]["version"]
    stage.run(f"update monitoring_checks set current_failure_count = 5, last_heartbeat_at = now() where id = '{stage.check}'")
    expect(stage.post(can=["list"])["list"]["version"], version)
    stage.run(f"update monitoring_checks set url = 'https://new.example/' where id = '{stage.check}'; update monitoring_checks set is_enabled = false where id = '{other}'")
    newer = stage.post(can=["list"])["list"]["version"]
    assert newer > version
    config = stage.service.json(f"select agent_config('{stage.key}', {version})")
    expect((config["version"], config["full"], [c["url"] for c in config["checks"]], config["gone"]), (newer, False, ["https://new.example/"], [other]))
    assert "heartbeat_token" not in config["checks"][0]
    stage.run(f"update agent_key_scopes set resource_ids = '{{}}'")
    expect(stage.service.json(f"select agent_config('{stage.key}', {version})")["full"], True, "another scope")
    expect(stage.post(can=["asks", "list"])["asks"], [])
    stage.run("update agent_key_scopes set resource_ids = null")

    stage.at(1)
    told = stage.post(can=["acks"], have={"alerts": 0})["alerts"]
    expect([(o["check_id"], o["kind"], o["acknowledged_at"]) for o in told["open"]], [(stage.check, "availability", None)])
    assert "alerts" not in stage.post(can=["acks"], have={"alerts": told["version"]})
    stage.post(can=["acks"], acks=[{"check_id": stage.check, "kind": "availability", "at": stamp(int(stage.one('select (extract(epoch from now()) * 1000)::bigint'))), "by": "root", "why": "looking"}])
    expect(stage.one("select acknowledged_at is not null, acknowledged_via from alerts"), "t|agent a1: root (looking)")
    stage.run("update alerts set resolved_at = now()")
    told = stage.post(can=["acks"], have={"alerts": told["version"]})["alerts"]
    expect((told["open"], [(c["check_id"], c["kind"]) for c in told["closed_by_hand"]]), ([], [(stage.check, "availability")]))


def an_ask_that_is_almost_over_is_not_joined(stage):
    """A further press is offered to the agents with all of its time; the earlier ask still counts where its answer comes."""
    stage.post(stage.row(30, True), can=["asks"])
    person = str(uuid.uuid4())
    stage.run(f"insert into auth.users values ('{person}'); insert into user_roles (user_id, role) values ('{person}', 'viewer')")
    team = Session(stage.folder, "authenticated")
    team.ask(f"select set_config('request.jwt.claim.sub', '{person}', false)")
    try:
        def ask():
            return team.json(f"select ask_checks('{stage.check}', null)")["asks"]

        [first] = ask()
        stage.run("update check_asks set expires_at = now() + interval '31 s'")
        expect(ask(), [first], "joined")
        stage.run("update check_asks set expires_at = now() + interval '14 s'")
        [second] = ask()
        assert second != first
        [offered] = stage.post(can=["asks"])["asks"]
        expect((offered["id"], offered["expires_s"]), (second, 60))
        # The agent had taken the first one.
        stage.post(stage.row(0, True, trigger="manual", ask_id=first), can=["asks"])
        state = team.json(f"select asks_state('[\"{first}\", \"{second}\"]')")
        expect((len(state["results"]), state["open"]), (1, 1))
    finally:
        team.close()


def asks_of_agents_that_are_gone_hold_up_no_other(stage):
    """Fifty are offered at a time: those of checks that ran at this place come first."""
    rows = []
    for name in ("gone", "here"):
        checks = [stage.add(url=f"https://{name}{number}.example/") for number in range(60)]
        stage.post(*[stage.row(30, True, check=check) for check in checks], name=name, can=["asks"])
        stage.run(f"insert into check_asks (monitoring_check_id, asked_at) select c, now() - interval '{10 - len(rows)} s' from unnest('{{{','.join(checks)}}}'::uuid[]) c")
        rows.append(checks)
    offered = stage.post(name="here", can=["asks"])["asks"]
    expect((len(offered), {ask["check_id"] for ask in offered} <= set(rows[1])), (50, True))
    # Those of others as well, where there is room.
    stage.run(f"update check_asks set state = 'done' where monitoring_check_id = any ('{{{','.join(rows[1][:30])}}}'::uuid[])")
    offered = stage.post(name="here", can=["asks"])["asks"]
    expect((len(offered), sum(ask["check_id"] in rows[1] for ask in offered)), (50, 30))


def an_answer_is_taken_whatever_else_fails(stage):
    """What goes with a batch is a wish, and the result of an ask is what a person waits for."""
    stage.post(stage.row(30, True), can=["asks"])
    ask = stage.one(f"insert into check_asks (monitoring_check_id) values ('{stage.check}') returning id")
    stage.run("alter function quartz_agent.take_acks rename to away")
    try:
        stage.post(stage.row(0, True, trigger="manual", ask_id=ask), can=["asks", "acks"], acks=[{"check_id": stage.check, "kind": "availability"}])
    finally:
        stage.run("alter function quartz_agent.away rename to take_acks")
    expect(stage.one("select state from check_asks"), "done")


def acknowledgements(stage):
    """What people and agents acknowledge: named, once, of what is open and had begun by then."""
    def ask(version, **agent):
        return stage.post(can=["acks"], have={"alerts": version}, **agent)

    def stamped(seconds):
        return stamp(int(stage.one("select (extract(epoch from now()) * 1000)::bigint")) - int(seconds * 1000))

    def ack(seconds, check=None, **change):
        return dict({"check_id": check or stage.check, "kind": "availability", "at": stamped(seconds), "by": "root", "why": "looking"}, **change)

    expect(stage.post(can=["list"]).get("apps"), None, "who does not know acknowledgements is told nothing of them")
    expect(ask(0)["apps"], "on")
    stage.at(90)
    person = str(uuid.uuid4())
    stage.run(f"insert into auth.users values ('{person}'); insert into profiles (id, full_name) values ('{person}', 'Ann Smith')")
    told = ask(0)["alerts"]
    expect([o.get("acknowledged_by") for o in told["open"]], [None])
    # A person, in the app.
    stage.run(f"update alerts set acknowledged_at = now(), acknowledged_by = '{person}'")
    told = ask(told["version"])["alerts"]
    expect([(o["acknowledged_by"], "acknowledged_agent" in o) for o in told["open"]], [("Ann Smith", False)])
    # What is acknowledged stays so.
    before = stage.one("select acknowledged_at from alerts")
    told = ask(told["version"], acks=[ack(0)])["alerts"]
    expect(stage.one("select acknowledged_at, acknowledged_via is null from alerts"), f"{before}|t")
    # The state goes with the answer to acknowledgements, whatever the version; a person without a profile has no name.
    stage.run("update alerts set acknowledged_at = now(), acknowledged_by = null")
    told = ask(ask(0)["alerts"]["version"], acks=[ack(0)])["alerts"]
    expect([("acknowledged_by" in o, o["acknowledged_at"] is None) for o in told["open"]], [(False, False)])
    # Of an alert that ended and another one that began since, nothing is taken.
    stage.at(60, True)
    stage.run("update quartz_agent.alarm set off_at = off_at - interval '1 h'")
    stage.at(20)
    expect(stage.alerts("resolved_at is null, acknowledged_at is null"), ["f|f", "t|t"])
    told = ask(0, acks=[ack(81)])["alerts"]
    expect([o["acknowledged_at"] for o in told["open"]], [None], "made a minute before it began")
    told = ask(0, acks=[ack(10)])["alerts"]
    expect([(o["acknowledged_by"], o["acknowledged_agent"]) for o in told["open"]], [("root (looking)", "a1")])
    expect(stage.one("select count(*) from alerts where acknowledged_via = 'agent a1: root (looking)'"), "1")
    # Recovered: it comes too late, and again, and is none.
    stage.at(5, True)
    expect(ask(0, acks=[ack(10)])["alerts"]["open"], [])
    expect(stage.one("select count(*) from alerts where acknowledged_via is not null"), "1")
    # A clock that is two hours behind.
    other = stage.add()
    now = int(stage.one("select (extract(epoch from now()) * 1000)::bigint"))
    behind = stamp(now - 7_200_000)
    stage.post(stage.row(0, False, check=other, checked_at=behind), sent_at=behind)
    told = ask(0, sent_at=behind, acks=[ack(0, other, at=behind)])["alerts"]
    expect([o["acknowledged_agent"] for o in told["open"]], ["a1"])
    expect(stage.one(f"select abs(extract(epoch from acknowledged_at - now())) < 60 from alerts where monitoring_check_id = '{other}'"), "t")
    # Another resource's alerts are not this key's to see or to acknowledge.
    stage.run("update agent_key_scopes set resource_ids = '{}'; update alerts set acknowledged_at = null")
    expect(ask(-1, acks=[ack(0, other)])["alerts"]["open"], [])
    expect(stage.one("select count(*) from alerts where acknowledged_at is not null"), "0")


def more_alerts_than_an_answer_has(stage):
    """Those that are acknowledged make room for those that are not."""
    checks = [stage.add(url=f"https://h{n}.example/") for n in range(250)]
    stage.post(*[stage.row(60, False, check=check) for check in checks])
    # What a slow machine does not come to within a request waits for the tick.
    while stage.one("select count(*) from quartz_agent.dirty") != "0":
        stage.tick()
    expect(stage.one("select count(*) from alerts where resolved_at is null"), "250")
    told = stage.post(can=["acks"])["alerts"]
    expect((len(told["open"]), told["more"]), (200, True))
    acked = 0
    while open := [o for o in told["open"] if o["acknowledged_at"] is None]:
        told = stage.post(can=["acks"], acks=[{"check_id": o["check_id"], "kind": o["kind"], "by": "root"} for o in open[:100]])["alerts"]
        acked += 1
    expect((acked, stage.one("select count(*) from alerts where acknowledged_at is null")), (3, "0"))
    expect((len(told["open"]), told["more"]), (200, True))


def windows_of_agents(stage):
    """Maintenance made at an agent is a window in the app: of resources that it covers, for keys that may, until it ends."""
    def item(number, resource=None, checks=None, begins=-60, ends=3600, **change):
        return dict({"id": str(uuid.UUID(int=number)), "resource_id": resource or stage.resource, "checks": checks or [stage.check],
                     "from": stamp(now + begins * 1000), "until": stamp(now + ends * 1000), "title": "deploy"}, **change)

    def said(version, *items, **agent):
        return stage.post(can=["windows"], windows={"version": version, "list": list(items)}, **agent)

    def rows():
        return stage.one("select string_agg(title || '|' || description || '|' || (ends_at <= now()), ', ' order by id) from maintenance_windows")

    now = int(stage.one("select (extract(epoch from now()) * 1000)::bigint"))
    assert "windows" not in said("v1", item(1)), "without the right"
    expect(rows(), "")
    stage.run("update agent_key_scopes set may_maintain = true")
    expect(stage.post(can=["windows"])["windows"], {"version": None})
    expect(said("v1", item(1), item(2, begins=600, ends=900))["windows"], {"version": "v1"})
    expect(rows(), "deploy|Made at agent a1|false, deploy|Made at agent a1|false")
    version = stage.post(can=["list"])["list"]["version"]
    # The alerts of the resource rest.
    stage.at(5)
    expect(stage.alerts(), [""])
    # The same again changes nothing, and is no change of the list.
    said("v1", item(1), item(2, begins=600, ends=900))
    expect(stage.post(can=["list"])["list"]["version"], version)
    # A person moves the end, and deletes the other: both stand, until the agent says another end.
    stage.run(f"update maintenance_windows set ends_at = now() + interval '2 h' where id = '{uuid.UUID(int=1)}'")
    stage.run(f"delete from maintenance_windows where id = '{uuid.UUID(int=2)}'")
    said("v2", item(1), item(2, begins=600, ends=900))
    expect(stage.one("select count(*), bool_and(ends_at > now() + interval '119 min') from maintenance_windows"), "1|t")
    said("v3", item(1, ends=7200 * 2))
    expect(stage.one("select bool_and(ends_at > now() + interval '3 h') from maintenance_windows"), "t")
    # Another agent of the key has windows of its own, and none of these.
    said("w1", item(1, ends=60), item(3), name="a2")
    expect(stage.one(f"select ends_at > now() + interval '3 h' from maintenance_windows where id = '{uuid.UUID(int=1)}'"), "t")
    # Ended at the agent; what was to come is gone.
    said("v4", item(1, ends=7200 * 2), item(4, begins=600, ends=900))
    expect(said("v5")["windows"], {"version": "v5"})
    expect(rows(), "deploy|Made at agent a1|true, deploy|Made at agent a2|false")
    # What does not fit is left out: parts of a resource, other resources, people's rows, times that are none.
    other = stage.add()
    person = stage.one(f"insert into maintenance_windows (resource_id, title, starts_at, ends_at) values ('{stage.resource}', 'by a person', now(), now() + interval '1 h') returning id")
    both = [stage.check, other]
    for bad in (item(5), item(6, checks=both, begins=60, ends=50), item(7, checks=both, ends=-1), item(8, checks=both, ends=400 * 86_400),
                item(9, checks=both, begins=200_000, ends=300_000), item(10, resource=str(uuid.uuid4())), item(11, checks={"a": 1}),
                item(12, checks=both, **{"from": "infinity"}), item(13, checks=both, until=7), item(14, checks=[7, None]), item(15, id="x"), 7, None, [], {},
                dict(item(16, checks=both), id=person), item(17, checks=both, title={"a": [1]}, **{"from": None})):
        expect(said("bad", bad)["windows"], {"version": "bad"}, str(bad))
    expect(stage.one("select count(*) from maintenance_windows where description like 'Made at agent a1'"), "1")
    expect(stage.one(f"select title, ends_at > now() + interval '50 min' from maintenance_windows where id = '{person}'"), "by a person|t")
    for odd in ("x", 7, [], {"list": {}}, {"version": 5, "list": []}, {"version": "x"}, None):
        assert "windows" in stage.post(can=["windows"], windows=odd), odd
    said("v6", item(20, checks=both, title="\x1b[31mbad\n" * 99))
    expect(stage.one("select bool_and(length(title) <= 200 and not title ~ '[[:cntrl:]]') from maintenance_windows"), "t")
    many = [item(1000 + n, checks=both) for n in range(300)]
    said("v7", *many)
    expect(stage.one("select count(*) from maintenance_windows where ends_at > now() and description = 'Made at agent a1'"), "200")
    # Out of scope: they end.
    stage.run("update agent_key_scopes set resource_ids = '{}'")
    said("v8", *many)
    expect(stage.one("select count(*) from maintenance_windows where ends_at > now() and description = 'Made at agent a1'"), "0")


def rights(stage):
    stage.at(60)
    person = str(uuid.uuid4())
    stage.run(f"insert into auth.users values ('{person}'); insert into user_roles (user_id, role) values ('{person}', 'viewer')")
    viewer, anon = Session(stage.folder, "authenticated"), Session(stage.folder, "anon")
    stranger = Session(stage.folder, "authenticated")
    viewer.ask(f"select set_config('request.jwt.claim.sub', '{person}', false)")
    stranger.ask(f"select set_config('request.jwt.claim.sub', '{uuid.uuid4()}', false)")
    closed = ["select claim_notifications()", f"select settle_notification('{person}', true)", f"select agent_config('{stage.key}', 0)",
              f"select ingest_check_results('{stage.key}', '{{}}', '[]')", "select app_dashboard()", "select app_alerts()", f"select app_alert('{person}', 'resolve')", "select app_checks()", f"select app_results('{person}')",
              "select app_rules()", f"select app_me('{stage.key}')", "select quartz_agent.cutover()", "select quartz_agent.tick()",
              "call quartz_agent.run_tick()", "select * from quartz_agent.settings", "select * from quartz_agent.key_rate", f"select agent_key_scope('{stage.key}')", "select quartz_agent.holds(1, 'gt', 0)",
              "update alert_notifications set state = 'dropped'", "insert into check_asks (monitoring_check_id) values (null)", "delete from alert_notifications"]
    for session, name in ((viewer, "viewer"), (anon, "anon"), (stranger, "stranger")):
        for sql in closed:
            try:
                session.ask(sql)
                raise AssertionError(f"{name} may {sql}")
            except Refused as error:
                expect(error.code, "42501", f"{name}: {sql}")
    for sql in ("select ask_checks()", "select asks_state('[]')", "select may_send_notifications()", "select * from alert_notifications", "select * from check_asks"):
        try:
            anon.ask(sql)
            raise AssertionError(f"anon may {sql}")
        except Refused as error:
            expect(error.code, "42501", sql)
    try:
        stranger.ask("select ask_checks()")
        raise AssertionError("a stranger may ask")
    except Refused as error:
        expect(error.code, "42501")
    expect(stranger.ask("select count(*) from alert_notifications"), "0")
    expect(viewer.ask("select count(*) from alert_notifications"), "1")
    # A person's own update goes through the triggers; a viewer's changes no row.
    editor = str(uuid.uuid4())
    stage.run(f"insert into auth.users values ('{editor}'); insert into user_roles (user_id, role) values ('{editor}', 'editor')")
    stranger.ask(f"select set_config('request.jwt.claim.sub', '{editor}', false)")
    for session, count in ((viewer, 0), (stranger, 1)):
        expect(session.ask("with u as (update alerts set acknowledged_at = now() where alert_key is not null returning 1) select count(*) from u"), str(count))
    # What a viewer may insert, a bare result, moves nothing.
    viewer.ask(f"insert into check_results (monitoring_check_id, status) values ('{stage.check}', 'success')")
    stage.tick()
    expect(stage.alerts("resolved_at is null"), ["t"])
    # Each role may call these of all that is ours, by PostgreSQL's own catalogue.
    ours = "'ingest_check_results', 'agent_key_scope', 'claim_notifications', 'settle_notification', 'agent_config', 'ask_checks', 'asks_state', 'may_send_notifications', 'app_dashboard', 'app_alerts', 'app_alert', 'app_checks', 'app_results', 'app_rules', 'app_me', 'app_ask', 'app_asked'"
    for role, may in (("anon", ""), ("authenticated", "ask_checks, asks_state, may_send_notifications"),
                      ("service_role", "agent_config, agent_key_scope, app_alert, app_alerts, app_ask, app_asked, app_checks, app_dashboard, app_me, app_results, app_rules, claim_notifications, ingest_check_results, settle_notification")):
        expect(stage.one("select coalesce(string_agg(p.proname, ', ' order by p.proname), '') from pg_proc p join pg_namespace n on n.oid = p.pronamespace "
                         f"where (n.nspname = 'quartz_agent' or n.nspname = 'public' and p.proname in ({ours})) "
                         f"and has_function_privilege('{role}', p.oid, 'execute')"), may, f"functions of {role}")
    # Objects in the caller's own schema are not what the functions call.
    loose = stage.one("select count(*) from pg_proc p join pg_namespace n on n.oid = p.pronamespace where p.prosecdef and n.nspname in ('public', 'quartz_agent') "
                      "and p.proname not in ('has_role', 'has_any_role') and not coalesce(array_to_string(p.proconfig, ',') like '%search_path=pg_catalog, pg_temp%', false)")
    expect(loose, "0", "functions that run with their owner's rights have a fixed search_path")


def hostile_words(stage):
    nasty = "x'; drop table alerts; -- <script>\\u0000 ${jndi}"
    stage.at(60, reason=nasty, error_message=nasty)
    message = stage.one("select message from alerts")
    assert message.startswith("HTTP check failed: no success, 1 in a row since "), message
    for odd in ({"acks": [7, None, {"check_id": "x"}, {"check_id": stage.check, "kind": nasty}], "can": {"a": 1}, "have": [], "sent_at": 5},
                {"acks": {"a": 1}, "can": [nasty, 3, ["asks"]], "have": {"alerts": "x", "list": -1}, "sent_at": "9999-99-99T99:99:99Z"},
                {"lane": 7, "checks": 10**30, "started_at": [], "can": ["acks", "asks", "list"] * 1000}):
        expect(stage.post(stage.row(50, False, ask_id=nasty), **odd)["accepted"], 1, str(odd)[:80])
    stage.run("update alerts set acknowledged_at = null")
    stage.post(can=["acks"], acks=[{"check_id": stage.check, "kind": "availability", "by": "r\noot" * 99, "why": "\x1b[31m" * 99}])
    expect(stage.one("select length(acknowledged_via) <= 520, acknowledged_via ~ '[[:cntrl:]]' from alerts"), "t|f")


def cases(module):
    return [value for value in vars(module).values()
            if callable(value) and getattr(value, "__code__", None) and value.__code__.co_varnames[:1] == ("stage",)]


def run(folder, *modules):
    """All cases of this module and of others; how many."""
    found = [case for module in (sys.modules[__name__], *modules) for case in cases(module)]
    for case in found:
        stage = Stage(folder)
        try:
            case(stage)
        except (AssertionError, Refused, ValueError) as error:
            raise SystemExit(f"{case.__name__}: {error}") from error
        stage.owner.close()
        stage.service.close()
    return len(found)
