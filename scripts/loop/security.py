# SPDX-License-Identifier: MIT
"""What keys may do in a minute, and what the edge functions answer to more; who may make the backend send messages."""
import json
import urllib.error
import urllib.request
import uuid

from agent import route
from database import Refused, Session
from functions import person
from scenarios import expect


def scope_of(of):
    """What the edge function asks before all else: 'yes', or the code."""
    try:
        return "yes" if of.service.json(f"select agent_key_scope('{of.key}')") else "none"
    except Refused as error:
        return error.code


def a_key_has_so_many_requests_a_minute(stage):
    # The minute may turn in between.
    stage.run("create table public.minutes as select date_trunc('minute', now()) as m")
    said = [scope_of(stage) for _ in range(125)]
    if stage.one("select m = date_trunc('minute', now()) from minutes") == "t":
        expect((said.count("yes"), said.count("53400")), (120, 5))
    stage.run("drop table minutes")
    stage.run("update quartz_agent.key_rate set requests = 120, minute = date_trunc('minute', now()) + interval '1 min'")
    expect(scope_of(stage), "53400")
    # The next minute, and clocks of two sessions that are not one: it never goes back.
    stage.run("update quartz_agent.key_rate set minute = minute - interval '2 min'")
    expect(scope_of(stage), "yes")
    expect(stage.one("select requests from quartz_agent.key_rate"), "1")
    stage.run("update quartz_agent.key_rate set requests = 120, minute = date_trunc('minute', now()) + interval '1 min'")
    # More for a key that several agents share, and where an administrator says so.
    for change, allowed in (("agent_names = '{a1,a2,a3}'", 360), ("agent_name = 'a4'", 480), ("per_minute = 7", 7)):
        stage.run(f"update agent_key_scopes set {change}")
        stage.run(f"update quartz_agent.key_rate set requests = {allowed - 1}")
        expect([scope_of(stage), scope_of(stage)], ["yes", "53400"], change)
    # Other keys have minutes of their own, and one that is no agent's is not counted.
    stage.run("delete from agent_key_scopes")
    expect((scope_of(stage), stage.one("select count(*) from quartz_agent.key_rate")), ("none", "0"))


def one_request_too_many_is_429(stage):
    """Through the edge function: 429 with the time to wait, for every route, and nothing is lost that is sent again."""
    stage.run("update agent_key_scopes set per_minute = 4")
    with route(stage.folder, stage.key) as port:
        def ask(path, rows=None):
            body = None if rows is None else json.dumps({"agent": {"name": "a1", "version": "1"}, "results": rows}).encode()
            request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/{path}", body, {"X-API-Key": "qtz_loop", "Content-Type": "application/json"})
            try:
                with urllib.request.urlopen(request) as answer:
                    return answer.status, json.load(answer)["data"], None
            except urllib.error.HTTPError as error:
                return error.code, json.load(error)["error"], error.headers["Retry-After"]

        row = stage.row(30, True)
        stage.run("insert into quartz_agent.key_rate select api_key_id, date_trunc('minute', now()) + interval '1 min', 0 from agent_key_scopes")
        expect(ask("check-results", [])[0], 200)
        expect(ask("monitoring-checks?is_enabled=true")[0], 200)
        expect(ask("agent-config?since=0")[0], 200)
        expect(ask("maintenance-windows")[0], 200)
        for path, rows in (("check-results", [row]), ("monitoring-checks?is_enabled=true", None), ("agent-config?since=0", None)):
            status, error, wait = ask(path, rows)
            expect((status, error["code"]), (429, "RATE_LIMITED"), path)
            assert 1 <= int(wait) <= 60, wait
        expect(stage.one("select count(*) from check_results"), "0")
        stage.run("update quartz_agent.key_rate set minute = minute - interval '2 min'")
        expect(ask("check-results", [row])[1]["accepted"], 1)


def a_key_of_another_scope_has_no_part_in_it(stage):
    """0 rows, 0 asks, 0 alerts, 0 checks, 0 windows: with all that an agent may say, as PostgreSQL and as the routes answer it."""
    can = ["asks", "list", "acks", "windows", "fleet"]
    stage.post(stage.row(60, False), can=["asks"])
    member = person(stage, "viewer")[5:]
    team = Session(stage.folder, "authenticated")
    team.ask(f"select set_config('request.jwt.claim.sub', '{member}', false)")
    [asked] = team.json(f"select ask_checks('{stage.check}', null)")["asks"]
    team.close()
    stage.run(f"insert into maintenance_windows (resource_id, title, starts_at, ends_at) values ('{stage.resource}', 'w', now() + interval '1 h', now() + interval '2 h')")
    other, office = str(uuid.uuid4()), stage.one("insert into resources (name, resource_type) values ('Office', 'server') returning id")
    own = stage.add("port", resource=office)
    stage.run(f"insert into api_keys (id, name, key_hash, key_prefix) values ('{other}', 'other', 'o', 'q');"
              f"insert into agent_key_scopes (api_key_id, resource_ids, may_maintain) values ('{other}', array['{office}'::uuid], true)")
    before = stage.one("select count(*) from check_results")
    ours, known, stage.key = stage.key, stage.row(5, True), other
    said = stage.post(known, stage.row(0, True, trigger="manual", ask_id=asked), name="b1", can=can, have={"list": 0, "alerts": 0},
                      acks=[{"check_id": stage.check, "kind": "availability", "by": "eve"}],
                      windows={"version": "v", "list": [{"id": str(uuid.uuid4()), "resource_id": stage.resource, "checks": [stage.check], "title": "t",
                                                         "from": known["checked_at"], "until": "2999-01-01T00:00:00Z"}]})
    expect((said["accepted"], [r["code"] for r in said["rejected"]], said["asks"], said["alerts"]["open"], said["alerts"]["closed_by_hand"], said["fleet"]),
           (0, ["42501", "42501"], [], [], [], []))
    expect(stage.one("select count(*) from check_results"), before)
    expect(stage.one("select state from check_asks"), "open")
    expect(stage.one("select count(*), count(acknowledged_at), count(resolved_at) from alerts where monitoring_check_id is not null"), "1|0|0")
    expect(stage.one("select string_agg(title, ',') from maintenance_windows"), "w")
    config = stage.service.json(f"select agent_config('{other}', null)")
    expect(([c["id"] for c in config["checks"] if c["id"] != own], config["windows"]), ([], []))
    with route(stage.folder, ours, qtz_other=other) as port:
        def ids(path):
            request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/{path}", headers={"X-API-Key": "qtz_other"})
            with urllib.request.urlopen(request) as answer:
                return [row["id"] for row in json.load(answer)["data"]]

        expect((ids("monitoring-checks?is_enabled=true"), ids("maintenance-windows")), ([own], []))


def administrators_try_channels_out(stage):
    for role, may in (("viewer", "f"), ("editor", "f"), ("admin", "t"), (None, "f")):
        person = str(uuid.uuid4())
        stage.run(f"insert into auth.users values ('{person}')")
        if role:
            stage.run(f"insert into user_roles (user_id, role) values ('{person}', '{role}')")
        session = Session(stage.folder, "authenticated")
        session.ask(f"select set_config('request.jwt.claim.sub', '{person}', false)")
        expect(session.ask("select may_send_notifications()"), may, str(role))
        session.close()


class Flood:
    """A hundred hosts of a key that fail, by agents with few of them each, so that nothing is taken for a storm."""

    def __init__(self, stage, count=100):
        self.stage = stage
        self.checks = [stage.add(url=f"https://h{number:03}.example/", resource=stage.one(
            f"insert into resources (name, resource_type) values ('H{number:03}', 'server') returning id")) for number in range(count)]

    def post(self, seconds, well, but=()):
        for start in range(0, len(self.checks), 5):
            rows = [self.stage.row(seconds, well, check=self.checks[number]) for number in range(start, start + 5) if f"H{number:03}" not in but]
            self.stage.post(*rows, name=f"a{start:03}")
        self.stage.due()

    def told(self, limit=20):
        """What one claim sends, as its titles; then a minute passes."""
        messages = self.stage.service.json(f"select claim_notifications({limit})")
        for message in messages:
            self.stage.service.ask(f"select settle_notification('{message['id']}', true)")
        self.stage.run("update alert_notifications set sent_at = sent_at - interval '1 min' where sent_at is not null")
        self.last = messages[-1]["alert"]["message"] if messages else ""
        return [m["alert"]["title"] for m in messages]

    def states(self):
        return self.stage.one("select string_agg(concat_ws(' ', what, state, n), ', ' order by what, state) from "
                              "(select what, state, count(*) as n from alert_notifications group by 1, 2) q")


def sixty_an_hour_of_a_key_then_a_sum(stage):
    flood = Flood(stage)
    stage.run("update api_keys set name = 'london'")
    flood.post(60, False)
    expect(stage.one("select count(*) from alerts where resolved_at is null"), "100")
    expect(stage.one("select count(*) from incidents"), "100")
    begins = [flood.told() for _ in range(3)]
    expect(list(map(len, begins)), [20, 20, 20])
    titles = {f"Alert: H{number:03}" for number in range(100)}
    expect(len(set(sum(begins, [])) & titles), 60, "sixty, each on its own")
    [last] = flood.told()
    assert last.endswith(", and more") and last.removesuffix(", and more") in titles - set(sum(begins, [])), last
    assert "More than 60 notifications of the agent key london in an hour: 39 are held until " in flood.last, flood.last
    expect([flood.told(), flood.told(100)], [[], []], "the others wait")
    expect(flood.states(), "opened sent 61, opened waiting 39")
    # What another key finds, and the backend itself, is told all the same.
    other = str(uuid.uuid4())
    stage.run(f"insert into api_keys (id, name, key_hash, key_prefix) values ('{other}', 'paris', 'h2', 'q'); insert into agent_key_scopes (api_key_id) values ('{other}')")
    stage.key, key = other, stage.key
    stage.at(50, name="p")
    stage.key = key
    stage.due()
    expect(flood.told(), ["Alert: Shop"])
    # Ends are of what was told, each of them; nothing is lost of the alerts.
    known = [title.removeprefix("Alert: ").removesuffix(", and more") for title in sum(begins, []) + [last]]
    held = sorted(title.removeprefix("Alert: ") for title in titles if title.removeprefix("Alert: ") not in known)
    still = held[:5]
    flood.post(40, True, still)
    stage.tick()
    stage.due()
    ends = [flood.told() for _ in range(5)]
    expect(list(map(len, ends)), [20, 20, 20, 1, 0])
    expect(sorted(sum(ends, [])), sorted(f"Resolved: {name}" for name in known))
    expect(stage.one("select count(*), count(*) filter (where resolution = 'recovered') from alerts where alert_key is not null"), "101|95")
    # An hour after the first of them the key has another share: what is still open is told.
    stage.run("update quartz_agent.key_told set since = since - interval '1 h'; "
              "update alert_notifications set not_before = not_before - interval '1 h' where state = 'waiting'")
    expect(sorted(flood.told()), [f"Alert: {name}" for name in still])
    expect(flood.states(), "opened dropped 34, opened sent 67, resolved sent 61")


def a_sum_of_a_minute_counts_in_the_hour_of_a_key(stage):
    flood = Flood(stage)
    flood.post(60, False)
    first = flood.told(100)
    expect(len(first), 30)
    assert first[-1].endswith(", and 30 more messages"), first[-1]
    [last] = flood.told(100)
    assert last.endswith(", and more"), last
    expect((flood.told(100), flood.states()), ([], "opened sent 61, opened waiting 39"))


def the_sum_of_a_key_is_said_again_where_it_was_not_sent(stage):
    stage.run("update quartz_agent.settings set per_key = 2")
    flood = Flood(stage, 10)
    flood.post(60, False)
    expect(len(flood.told(2)), 2)
    for attempt in (1, 2):
        [message] = stage.claim()
        expect(message["attempt"], attempt)
        assert "More than 2 notifications of the agent key k in an hour: 7 are held until " in message["alert"]["message"], message
        stage.service.ask(f"select settle_notification('{message['id']}', false, 'answered 500')")
        stage.run("update alert_notifications set not_before = now() - interval '1 s' where attempts > 0 and state = 'waiting'")
    expect(stage.one("select told from quartz_agent.key_told"), "3", "counted once")
