# SPDX-License-Identifier: MIT
"""Random histories of results, delivered as agents do in bad days: late, twice, at once, with sessions that are killed.

The alerts in the database must be those of the oracle, to the second."""
import functools
import random
import threading
import time
import uuid
from datetime import datetime, timezone

import oracle
from database import Refused, connect, ingest

TYPES = ["http", "port", "ssl"]


def stamp(ms):
    return datetime.fromtimestamp(ms / 1000, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class World:
    """Checks with rules, three agents that run all of them, and the rows of some hours."""

    def __init__(self, dice, session, checks, minutes, skews=()):
        """skews: by how many milliseconds the clocks of the agents are ahead, in the order of theirs."""
        self.dice, self.session = dice, session
        self.skews = dict(zip(["a1", "a2", "london"], skews))
        self.agents = [{"name": "a1", "version": "1"}, {"name": "a2", "version": "1"},
                       {"name": "g1", "version": "1", "location": "london"}]
        self.places = ["a1", "a2", "london"]
        self.key = self.identity()
        self.checks, self.rows = {}, {}
        self.make(checks)
        now = int(session.ask("select (extract(epoch from now()) * 1000)::bigint"))
        self.begin = now - minutes * oracle.MINUTE - 120_000
        for check in self.checks:
            self.rows[check] = self.history(check, minutes)

    def identity(self):
        return str(uuid.UUID(int=self.dice.getrandbits(128), version=4))

    def make(self, count):
        run = self.session.ask
        run(f"insert into api_keys (id, name, key_hash, key_prefix) values ('{self.key}', 'k', 'h{self.key}', 'q')")
        run(f"insert into agent_key_scopes (api_key_id) values ('{self.key}')")
        template = ("response_time", "gt", 900)
        run("insert into alert_rules (resource_type, is_template, rule_type, comparison_operator, threshold_value) "
            "values ('website', true, 'response_time', 'gt', 900)")
        for number in range(count):
            dice, check, resource = self.dice, self.identity(), self.identity()
            kind, shape = dice.choice(["website", "server"]), oracle.Check(
                60, dice.choice([0, 1, 2, 3, 5]), dice.choice([1, 1, 2]))
            run(f"insert into resources (id, name, resource_type) values ('{resource}', 'R{number}', '{kind}')")
            run(f"insert into monitoring_checks (id, resource_id, check_type, url, failure_threshold) values ('{check}', "
                f"'{resource}', '{dice.choice(TYPES)}', 'https://h{number % 40}.example/', {shape.threshold})")
            if shape.needed > 1:
                run(f"insert into check_confirmations (monitoring_check_id, needed) values ('{check}', {shape.needed})")
            if kind == "website":
                if dice.random() < 0.3:
                    run(f"insert into alert_rule_exclusions (alert_rule_id, resource_id) select id, '{resource}' from alert_rules where is_template")
                else:
                    shape.rules.append(template)
            for rule, ops, values in (("consecutive_failures", ["gte", "gt", "eq"], [2, 4]), ("downtime", ["eq", "gte"], [100]),
                                      ("response_time", ["gt", "gte"], [500, 700])):
                if dice.random() < 0.25:
                    made = (rule, dice.choice(ops), dice.choice(values))
                    enabled = dice.random() < 0.8
                    run(f"insert into alert_rules (resource_id, rule_type, comparison_operator, threshold_value, is_enabled) "
                        f"values ('{resource}', '{made[0]}', '{made[1]}', {made[2]}, {enabled})")
                    if enabled:
                        shape.rules.append(made)
            self.checks[check] = shape

    def history(self, check, minutes):
        """Phases of being well, failing, slow, in maintenance; a place may see it alone, or be away."""
        dice, rows = self.dice, []
        phase, left, who = "well", 0, set()
        rev = 100
        for minute in range(minutes):
            if left == 0:
                phase = dice.choices(["well", "failing", "flapping", "slow", "maintenance"], [8, 3, 1, 2, 0.4])[0]
                left = dice.randint(1, 30 if phase == "well" else 8)
                who = set(self.places) if dice.random() < 0.6 else {dice.choice(self.places)}
                away = {dice.choice(self.places)} if dice.random() < 0.1 else set()
                rev += dice.random() < 0.2
            left -= 1
            for place in self.places:
                if place in away or dice.random() < 0.02:
                    continue
                at = self.begin + minute * oracle.MINUTE + dice.randint(0, 50_000)
                bad = place in who and (phase == "failing" or phase == "flapping" and dice.random() < 0.5)
                status = dice.choice(["failure", "timeout"]) if bad else "success"
                response = dice.randint(501, 1200) if phase == "slow" and place in who else dice.randint(5, 400)
                stale = place == "london" and dice.random() < 0.03
                rows.append((at, self.identity(), place, status, response, phase == "maintenance",
                             (rev - stale) if place == "london" else None))
        # The last word of all is that it is well, or that it fails: some alerts stay open.
        return rows

    def clock(self, index):
        """What an agent says of its clock."""
        skew = self.skews.get(self.places[index])
        return {} if skew is None else {"sent_at": stamp(int(time.time() * 1000) + skew)}

    def wire(self, check, row):
        at, identity, place, status, response, maintenance, rev = row
        at += self.skews.get(place, 0)
        return {"id": identity, "monitoring_check_id": check, "status": status, "response_time_ms": response, "status_code": None,
                "error_message": None, "ssl_expiry_date": None, "ssl_days_remaining": None, "checked_at": stamp(at),
                "scheduled_at": stamp(at), "trigger": "schedule", "state": "up" if status == "success" else "down",
                "reason": "ok" if status == "success" else "connect_refused", "maintenance": maintenance, "owner_rev": rev}


class Senders:
    """Each agent's rows in order in batches, some of them late, some twice; two sessions an agent at once; kills."""

    def __init__(self, world, folder, seed, *others):
        """others: what goes on beside, until `over`; it is called with this and a number."""
        self.world, self.folder, self.seed = world, folder, seed
        self.others = [self.keep_time, self.dispatch, self.dispatch, *[functools.partial(other, self) for other in others]]
        self.counts = {"requests": 0, "repeated": 0, "twice at once": 0, "killed": 0, "late": 0, "retried": 0, "ticks": 0, "sent": 0}
        self.over = threading.Event()
        self.lock = threading.Lock()
        self.failed = []

    def note(self, name, by=1):
        with self.lock:
            self.counts[name] = self.counts.get(name, 0) + by

    def run(self):
        threads = [threading.Thread(target=self.guarded, args=(self.send_all, index)) for index in range(len(self.world.agents))]
        others = [threading.Thread(target=self.guarded, args=(work, 0)) for work in self.others]
        for thread in threads + others:
            thread.start()
        for thread in threads:
            thread.join()
        self.over.set()
        for thread in others:
            thread.join()
        if self.failed:
            raise self.failed[0]

    def guarded(self, work, index):
        try:
            work(index)
        except Exception as error:
            self.failed.append(error)

    def keep_time(self, _):
        session = connect(self.folder)
        while not self.over.wait(0.2):
            try:
                session.ask("call quartz_agent.run_tick()")
                self.note("ticks")
            except Refused as error:
                session = self.again(error, session)
        session.close()

    def again(self, error, session):
        """Another session, where this one went with the database."""
        if error.code[:2] not in ("57", "08"):
            raise error
        session.close()
        return connect(self.folder, session.role)

    def dispatch(self, _):
        """Two of them at once; one message in five fails, some die with their messages."""
        dice, session, owner = random.Random(f"{self.seed} dispatcher"), connect(self.folder, "service_role"), connect(self.folder)
        while not self.over.wait(0.1):
            try:
                self.dispatch_once(dice, session, owner)
            except Refused as error:
                session, owner = self.again(error, session), self.again(error, owner)
        session.close()
        owner.close()

    def dispatch_once(self, dice, session, owner):
        owner.ask("begin; select quartz_agent.hold_incidents(); update alert_notifications set not_before = now() - interval '1 s', lease_until = least(lease_until, now() - interval '1 s') "
                  "where state = 'waiting' and coalesce(lease_until, '-infinity') < now() + interval '50 s'; commit")
        for message in session.json("select claim_notifications(10)"):
            if dice.random() < 0.9:
                session.ask(f"select settle_notification('{message['id']}', {dice.random() < 0.8})")
                self.note("sent")

    def send_all(self, index):
        dice = random.Random(f"{self.seed} sender {index}")
        world, place = self.world, self.world.places[index]
        rows = sorted((row, check) for check, all_of in world.rows.items() for row in all_of if row[2] == place)
        session, late = connect(self.folder, "service_role"), []
        position = 0
        while position < len(rows):
            size = dice.choice([1, 10, 50, 200, 500])
            batch = rows[position:position + size]
            position += size
            if dice.random() < 0.08:
                late.append(batch)
                self.note("late", len(batch))
                continue
            session = self.deliver(session, dice, index, batch, "live")
        dice.shuffle(late)
        for batch in late:
            dice.shuffle(batch)
            # Whose clock is off says by what; of a backlog that says nothing.
            session = self.deliver(session, dice, index, batch, "live" if place in world.skews else dice.choice(["live", "backlog"]))
        session.close()

    def deliver(self, session, dice, index, batch, lane):
        rows = [self.world.wire(check, row) for row, check in batch]
        while True:
            agent = dict(self.world.agents[index], lane=lane, **self.world.clock(index))
            sql = ingest(self.world.key, agent, rows)
            self.note("requests")
            try:
                if dice.random() < 0.03:
                    self.note("killed")
                    session.send("set statement_timeout = 0")
                    session.answer()
                    session.send(sql)
                    # In the middle of it, as a rule.
                    threading.Event().wait(dice.random() * 0.02)
                    session.kill()
                    session = connect(self.folder, "service_role")
                    continue
                if dice.random() < 0.05:
                    self.note("twice at once")
                    other = connect(self.folder, "service_role")
                    try:
                        other.send(sql)
                        session.json(sql)
                        answer = other.answer()
                    finally:
                        other.close()
                    assert '"accepted"' in answer, answer
                said = session.json(sql)
            except Refused as error:
                if error.code[:2] not in ("40", "55", "57", "08"):
                    raise
                self.note("retried")
                if error.code[:2] in ("57", "08"):
                    session.close()
                    session = connect(self.folder, "service_role")
                continue
            assert said["accepted"] + said["duplicates"] == len(batch) and not said["rejected"], said
            if dice.random() < 0.05:
                self.note("repeated")
                continue
            return session


class Recorded:
    """A world of the rows that are stored, at their true times, of agents whose name begins so; a check is as `shapes` says, or plain."""

    def __init__(self, session, checks, interval, name="", shapes=None):
        self.checks = shapes or {check: oracle.Check(interval, 1, 1) for check in checks}
        self.rows = {check: [tuple(row) for row in session.json(
            "select coalesce(json_agg(json_build_array((extract(epoch from checked_at) * 1000)::bigint + coalesce(clock_skew_ms, 0), id, coalesce(location, agent), "
            f"status, response_time_ms, coalesce(maintenance, false), owner_rev)), '[]') from check_results where monitoring_check_id = '{check}' and agent like '{name}%' and trigger <> 'manual'")]
            for check in self.checks}


def compare(world, session):
    """The number of alerts that are as the oracle says, and a list of those that are not."""
    same, wrong = 0, []
    stored = {}
    for key, begin, end, since, times, why in session.json(
            "select coalesce(json_agg(json_build_array(alert_key, extract(epoch from triggered_at)::bigint, "
            "extract(epoch from resolved_at)::bigint, extract(epoch from first_failed_at)::bigint, occurrences, resolution) "
            "order by alert_key, triggered_at), '[]') from alerts where monitoring_check_id is not null "
            "and resolution is distinct from 'corrected'"):
        stored.setdefault(key, []).append([begin, end, since, times, why])
    for check, shape in world.checks.items():
        for kind, wanted in oracle.alerts(shape, world.rows[check]).items():
            wanted = [[b // 1000, None if e is None else e // 1000, s // 1000, n, w] for b, e, s, n, w in wanted]
            got = stored.pop(f"{check}/{kind}", [])
            if got == wanted:
                same += len(got)
            else:
                wrong.append((check, kind, shape, wanted, got))
    wrong += [("unknown", key, None, [], got) for key, got in stored.items() if key.split("/")[0] in world.checks]
    return same, wrong


def invariants(session):
    """What must be 0 whatever happened: (words, how many)."""
    return [(words, int(session.ask(sql))) for words, sql in (
        ("alerts of one key that overlap", "select count(*) from alerts a join alerts b on a.alert_key = b.alert_key and a.id < b.id "
         "and a.resolution is distinct from 'corrected' and b.resolution is distinct from 'corrected' and tstzrange(a.triggered_at, coalesce(a.resolved_at, 'infinity')) "
         "&& tstzrange(b.triggered_at, coalesce(b.resolved_at, 'infinity')) where a.alert_key not like 'agent:%'"),
        ("keys open twice", "select count(*) from (select alert_key from alerts where resolved_at is null group by 1 having count(*) > 1) q"),
        ("open alerts without an incident", "select count(*) from alerts a where a.resolved_at is null and a.alert_key is not null "
         "and not exists (select from incident_alerts l join incidents i on i.id = l.incident_id where l.alert_id = a.id and i.status <> 'resolved')"),
        ("begins told twice, or ends without a begin", "select count(*) from (select count(*) filter (where what = 'opened' and state = 'sent') "
         "- count(*) filter (where what = 'resolved' and state = 'sent') as open from alert_notifications group by incident_id, channel_id) q where open not in (0, 1)"),
        ("ends not told", "select count(*) from (select n.incident_id, n.channel_id from alert_notifications n join incidents i on i.id = n.incident_id where i.status = 'resolved' "
         "group by 1, 2 having count(*) filter (where n.what = 'opened' and n.state = 'sent') > count(*) filter (where n.what = 'resolved' and n.state in ('sent', 'waiting'))) q"),
        ("messages about what was recorded afterwards", "select count(*) from alert_notifications n join alerts a on a.id = n.alert_id "
         "where a.suppression_reason like 'Recorded afterwards%' and a.occurrences = 1 and n.state = 'sent'"),
        ("checks whose failures are counted wrong", "select count(*) from quartz_agent.alarm m join monitoring_checks c on c.id = m.check_id "
         "where m.kind = 'availability' and m.is_on <> (c.current_failure_count > 0) and c.failure_threshold <= 1"))]
