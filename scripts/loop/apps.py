# SPDX-License-Identifier: MIT
"""What the published iOS app asks, decoded as it decodes: the fields that it requires, of its types, and times in its formats."""
import json
import re
import urllib.error
import urllib.request
import uuid

from agent import route
from scenarios import expect

INTERNET_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


class Undecodable(ValueError):
    pass


def an(kind):
    def decode(value):
        if not isinstance(value, kind) or kind is int and isinstance(value, bool):
            raise Undecodable(f"{value!r} is no {kind.__name__}")
    return decode


def identity(value):
    an(str)(value)
    uuid.UUID(value)


def date(value):
    an(str)(value)
    if not INTERNET_TIME.fullmatch(value):
        raise Undecodable(f"{value!r} is no time")


def maybe(decode):
    def optional(value):
        if value is not None:
            decode(value)
    optional.is_optional = True
    return optional


def thing(**members):
    def decode(value):
        an(dict)(value)
        for name, member in members.items():
            if name not in value and not getattr(member, "is_optional", False):
                raise Undecodable(f"{name} is missing of {sorted(value)}")
            try:
                member(value.get(name))
            except ValueError as error:
                raise Undecodable(f"{name}: {error}") from error
    return decode


def many(decode):
    def every(value):
        an(list)(value)
        for item in value:
            decode(item)
    return every


# As the app's models: what is optional there is optional here.
ALERT = thing(id=identity, message=an(str), severity=an(str), resource_id=maybe(identity), triggered_at=date, acknowledged_at=maybe(date),
              resolved_at=maybe(date), resource_name=maybe(an(str)), is_active=maybe(an(bool)), is_acknowledged=maybe(an(bool)))
CHECK = thing(id=identity, resource_id=identity, name=an(str), check_type=maybe(an(str)), is_enabled=maybe(an(bool)), interval=maybe(an(int)),
              created_at=maybe(date))
RESULT = thing(id=identity, check_id=identity, status=an(str), response_time_ms=maybe(an(int)), status_code=maybe(an(int)), checked_at=maybe(date))
RULE = thing(id=identity, name=an(str), rule_type=an(str), is_enabled=maybe(an(bool)), severity=an(str), description=maybe(an(str)),
             resource_id=maybe(identity), threshold=maybe(an((int, float))), threshold_operator=maybe(an(str)), created_at=maybe(date), updated_at=maybe(date))
SUMMARY = thing(clients_count=an(int), resources_count=an(int), active_alerts_count=an(int), open_incidents_count=an(int),
                resource_status=thing(up=an(int), down=maybe(an(int)), degraded=maybe(an(int)), unknown=maybe(an(int))))
USER = thing(id=identity, full_name=maybe(an(str)), avatar_url=maybe(an(str)), created_at=maybe(date), updated_at=maybe(date), primary_role=maybe(an(str)),
             roles=many(an(str)))
KEY = thing(key_id=identity, key_name=an(str), key_prefix=an(str), is_enabled=an(bool), created_at=date, last_used_at=maybe(date), request_count=an(int),
            expires_at=maybe(date))
ASK = thing(id=identity, check_id=identity, state=an(str), asked_at=date, expires_at=date,
            result=maybe(thing(id=identity, check_id=identity, status=an(str), response_time_ms=maybe(an(int)), checked_at=date, agent=maybe(an(str)))))
META = thing(timestamp=maybe(date), request_id=maybe(an(str)), total=maybe(an(int)), limit=maybe(an(int)), offset=maybe(an(int)))


class Phone:
    """The app, with a key that is no agent's."""

    def __init__(self, port):
        self.port = port

    def ask(self, path, method="GET"):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/v1/{path}", method=method, headers={"X-API-Key": "qtz_app"})
        try:
            with urllib.request.urlopen(request) as answer:
                body = json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code
        thing(success=an(bool), error=maybe(thing(code=an(str), message=an(str))), meta=maybe(META))(body)
        expect(body["success"], True)
        return body["data"]

    def get(self, path, decode):
        data = self.ask(path)
        if isinstance(data, int):
            raise Undecodable(f"{path}: {data}")
        decode(data)
        return data


def the_published_app(stage):
    stage.run("insert into clients (name) values ('Shop Ltd')")
    app_key = stage.one("insert into api_keys (name, key_hash, key_prefix) values ('phone', 'p', 'qtz_app') returning id")
    other = stage.add("port")
    stage.run(f"update monitoring_checks set is_enabled = false, ip_address = '10.0.0.7', port = 443 where id = '{other}'")
    stage.run(f"insert into alert_rules (resource_id, rule_type, comparison_operator, threshold_value) values ('{stage.resource}', 'response_time', 'gt', 500)")
    stage.run(f"insert into alert_rules (resource_id, rule_type, comparison_operator, threshold_value, name, is_enabled) values ('{stage.resource}', 'downtime', 'gte', 100, 'Down', false)")
    stage.at(180, True, response_time_ms=501, status_code=200)
    stage.at(120, True, state="degraded")
    stage.at(60, False)
    stage.tick()
    with route(stage.folder, stage.key, qtz_app=app_key) as port:
        phone = Phone(port)
        expect(phone.get("dashboard/summary", SUMMARY), {"clients_count": int(stage.one("select count(*) from clients")), "resources_count": 2, "active_alerts_count": 1,
               "open_incidents_count": 1, "resource_status": {"up": 1, "down": 1, "degraded": 0, "unknown": 0}})
        # Alerts: all of them, by status and severity, in pages; with the resource's name.
        both = phone.get("alerts?limit=50&offset=0", many(ALERT))
        expect([(a["resource_name"], a["severity"], a["is_active"]) for a in both], [("Shop", "critical", True), ("Shop", "warning", False)])
        for query, wanted in (("status=active&limit=50&offset=0", 1), ("status=resolved", 1), ("status=acknowledged", 0), ("severity=warning", 1), ("limit=1", 1),
                              ("limit=1&offset=2", 0), ("limit=0", 0), ("limit=x&offset=-1", 2), ("severity=nobody", 0)):
            expect(len(phone.get(f"alerts?{query}", many(ALERT))), wanted, query)
        [first, second] = both
        expect([phone.get(f"alerts?limit=1&offset={n}", many(ALERT))[0]["id"] for n in (0, 1)], [first["id"], second["id"]])
        expect(phone.get(f"alerts/{first['id'].upper()}", ALERT), first)
        # By hand: once, the first time stays.
        phone.ask(f"alerts/{first['id']}/acknowledge", "PUT")
        at = stage.one("select acknowledged_at from alerts where acknowledged_at is not null")
        acked = phone.ask(f"alerts/{first['id']}/acknowledge", "PUT")
        expect((acked["is_acknowledged"], stage.one("select acknowledged_at from alerts where acknowledged_at is not null")), (True, at))
        expect(len(phone.get("alerts?status=acknowledged", many(ALERT))), 1)
        ended = stage.one(f"select resolved_at from alerts where id = '{second['id']}'")
        phone.ask(f"alerts/{second['id']}/resolve", "PUT")
        expect(stage.one(f"select resolved_at from alerts where id = '{second['id']}'"), ended, "resolved before")
        expect(phone.ask(f"alerts/{first['id']}/resolve", "PUT")["is_active"], False)
        stage.tick()
        expect(stage.one(f"select resolution from alerts where id = '{first['id']}'"), "by hand")
        # Checks of a resource, disabled ones too, and their results.
        checks = phone.get(f"monitoring-checks?resource_id={stage.resource.upper()}", many(CHECK))
        expect([(c["name"], c["interval"], c["is_enabled"]) for c in checks], [("HTTP shop.example", 60, True), ("PORT 10.0.0.7", 60, False)])
        assert not [c for c in checks for name in c if "token" in name or "header" in name or "auth" in name], checks
        expect(len(phone.get("monitoring-checks", many(CHECK))), 2)
        results = phone.get(f"monitoring-checks/{stage.check.upper()}/results?limit=50", many(RESULT))
        expect([(r["status"], r["status_code"]) for r in results], [("down", None), ("degraded", None), ("up", 200)])
        expect(len(phone.get(f"monitoring-checks/{stage.check}/results?limit=2", many(RESULT))), 2)
        expect(phone.get(f"monitoring-checks/{other}/results?limit=2", many(RESULT)), [])
        rules = phone.get("alert-rules", many(RULE))
        expect(sorted((r["name"], r["is_enabled"]) for r in rules), [("Down", False), ("response time gt 500", True)])
        expect(phone.get(f"alert-rules/{rules[0]['id']}", RULE), rules[0])
        # Who signs in: where the app wants a person, and where it wants a key.
        expect(phone.get("me", USER)["roles"], ["viewer"])
        expect(phone.get("me", KEY)["key_name"], "phone")
        # There is none: 404 in words, and never 500.
        gone = uuid.uuid4()
        for path in (f"alerts/{gone}", "alerts/x", f"monitoring-checks/{gone}/results", "monitoring-checks/x/results", f"alert-rules/{gone}", "alert-rules/x"):
            expect(phone.ask(path), 404, path)
        expect(phone.ask(f"alerts/{gone}/resolve", "PUT"), 404)
        expect(phone.ask("monitoring-checks?resource_id=x"), [])


def the_published_app_runs_a_check(stage):
    """202 with an ask, which an agent answers; each refusal has words of its own."""
    app_key = stage.one("insert into api_keys (name, key_hash, key_prefix) values ('phone', 'p', 'qtz_app') returning id")
    heartbeat = stage.add("heartbeat")
    with route(stage.folder, stage.key, qtz_app=app_key) as port:
        phone = Phone(port)
        expect(phone.ask(f"monitoring-checks/{stage.check}/run", "POST"), 504, "no agent was heard of")
        stage.post(stage.row(30, True), can=["asks"])
        expect(phone.ask(f"monitoring-checks/{heartbeat}/run", "POST"), 422)
        for path in (f"monitoring-checks/{uuid.uuid4()}/run", "monitoring-checks/x/run"):
            expect(phone.ask(path, "POST"), 404, path)
        [one, again] = [phone.ask(f"monitoring-checks/{stage.check.upper()}/run", "POST")["ask_id"] for _ in range(2)]
        expect(again, one, "an open ask is joined")
        before = phone.get(f"asks/{one}", ASK)
        expect((before["check_id"], before["state"], before["result"]), (stage.check, "open", None))
        [offered] = stage.post(can=["asks"])["asks"]
        expect(offered["id"], one)
        stage.post(stage.row(0, False, trigger="manual", ask_id=one, response_time_ms=17), can=["asks"])
        after = phone.get(f"asks/{one}", ASK)
        expect((after["state"], after["result"]["status"], after["result"]["response_time_ms"], after["result"]["agent"]), ("done", "failure", 17, "a1"))
        # Another key, and another person's ask: there is none.
        stage.run(f"update quartz_agent.ask_log set asked_by = '{uuid.uuid4()}'")
        for path in (f"asks/{one}", f"asks/{uuid.uuid4()}", "asks/x"):
            expect(phone.ask(path), 404, path)
        # Sixty a minute of a key, the joined ones among them.
        answers = [phone.ask(f"monitoring-checks/{stage.check}/run", "POST") for _ in range(61)]
        expect([a for a in answers if isinstance(a, int)], [429], "sixty a minute")
        stage.run(f"update monitoring_checks set is_enabled = false where id = '{stage.check}'; update quartz_agent.ask_log set asked_at = now() - interval '1 hour'")
        expect(phone.ask(f"monitoring-checks/{stage.check}/run", "POST"), 409)


def agents_keys_are_no_phones(stage):
    with route(stage.folder, stage.key, qtz_app=stage.key) as port:
        for path in ("dashboard/summary", "alerts", "me", "alert-rules", f"monitoring-checks/{stage.check}/results"):
            expect(Phone(port).ask(path), 403, path)
        expect(Phone(port).ask(f"monitoring-checks/{stage.check}/run", "POST"), 403)
