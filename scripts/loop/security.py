# SPDX-License-Identifier: MIT
"""What keys may do in a minute, and what the edge functions answer to more; who may make the backend send messages."""
import json
import urllib.error
import urllib.request
import uuid

from agent import route
from database import Refused, Session
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
