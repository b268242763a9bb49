# SPDX-License-Identifier: MIT
"""Incidents as a recording receiver hears of them."""

import time

from stage import binary, calm, expect, scenario, sleep_until
from world import Agent, Recorder, Target, json_channel, wait


@scenario
def join(place):
    """Two services of one host go down one after the other, and come back so."""
    recorder, web, db = Recorder(), Target("127.1.0.1"), Target("127.1.0.1")
    yield recorder
    agent = Agent(binary, place, json_channel(recorder), web.check("web") + db.check("db"))
    yield agent
    calm(recorder)
    web.down()
    sleep_until(recorder, 30)
    db.down()
    sleep_until(recorder, 60)
    web.up()
    sleep_until(recorder, 90)
    db.up()
    sleep_until(recorder, 100)
    expect(recorder, [
        ("opened", r"web is down", 9, 2.5), ("update", r"db", 41, 30), ("update", r"web is up again; still down: db", 75, 60),
        ("recovered", r"", 96, 92)])


@scenario
def acknowledged(place):
    """An acknowledgement covers what it saw: a new member notifies again."""
    recorder, first, second = Recorder(), Target("127.1.1.1"), Target("127.1.1.1")
    yield recorder
    agent = Agent(binary, place, json_channel(recorder), first.check("a") + second.check("b"))
    yield agent
    calm(recorder)
    first.down()
    wait("opened", lambda: recorder.messages, 10)
    told = agent.run("ack", agent.incident("a is down"), "--by", "ada")
    assert told.returncode == 0, told.stderr
    sleep_until(recorder, 20)
    second.down()
    wait("the new member", lambda: len(recorder.messages) == 2, 15)
    told = agent.run("ack", agent.incident("a"), "--by", "ada")
    assert told.returncode == 0, told.stderr
    sleep_until(recorder, 75)
    first.up()
    second.up()
    sleep_until(recorder, 85)
    expect(recorder, [("opened", r"a is down", 9, 2.5), ("update", r"b", 32, 20), ("recovered", r"", 82, 77)])


@scenario
def gateway(place):
    """A gateway and the twenty behind it: one message, and the five that stay down when it is back."""
    recorder, gate = Recorder(), Target("127.1.2.1")
    hosts = [Target(f"127.1.2.{10 + number}") for number in range(20)]
    yield recorder
    checks = gate.check("gw") + "".join(
        host.check(f"h{number}", ", depends_on: [gw]") for number, host in enumerate(hosts))
    agent = Agent(binary, place, json_channel(recorder), checks)
    yield agent
    calm(recorder)
    gate.down()
    for host in hosts:
        host.down()
    sleep_until(recorder, 20)
    gate.up()
    for host in hosts[5:]:
        host.up()
    sleep_until(recorder, 45)
    for host in hosts[:5]:
        host.up()
    sleep_until(recorder, 60)
    expect(recorder, [
        ("opened", r"gw is down", 9, 2.5), ("update", r"gw is up again; 5 still down", 35, 20), ("recovered", r"", 56, 47)])


@scenario
def gone(place):
    """A check that is removed, disabled or renamed while it is down ends with that outcome, and is never called up again."""
    recorder = Recorder()
    targets = [Target(f"127.1.{3 + number}.1") for number in range(3)]
    yield recorder
    names = ["removed", "disabled", "renamed"]
    checks = [target.check(name) for target, name in zip(targets, names)]
    agent = Agent(binary, place, json_channel(recorder), "".join(checks) + Target("127.1.9.1").check("rest"))
    yield agent
    calm(recorder)
    for target in targets:
        target.down()
    wait("three openings", lambda: len(recorder.messages) == 3, 15)
    rest = checks[1].replace("}\n", ", enabled: false}\n") + checks[2].replace("name: renamed", "name: other")
    agent.reload(rest + Target("127.1.9.2").check("rest"))
    sleep_until(recorder, 30)
    texts = [body["title"] for body in recorder.bodies()]
    assert not any("up again" in title for title in texts), texts
    kinds = [body["kind"] for body in recorder.bodies()]
    assert kinds == ["opened"] * 3 + ["recovered"] * 2 + ["update"], kinds
    assert sorted(texts[3:5]) == [
        "disabled is not monitored any more: disabled",
        "removed is not monitored any more: removed from the configuration"], texts
    # The same target fails under its new name: one incident, which goes on.
    assert texts[5] == "renamed was renamed to other; still down: other", texts


@scenario
def storm(place):
    """700 services of 700 networks down together: three messages, with all of them counted."""
    recorder = Recorder()
    yield recorder
    checks = "".join(
        f"  - {{name: c{number}, type: tcp, host: 127.{20 + number // 200}.{number % 200}.1, port: 9, interval: 5s, timeout: 1s}}\n"
        for number in range(700))
    agent = Agent(binary, place, json_channel(recorder), checks)
    yield agent
    recorder.start = time.monotonic()
    sleep_until(recorder, 30)
    taken = recorder.messages
    assert 1 <= len(taken) <= 3, f"{len(taken)} messages"
    assert taken[-1][1]["member_count"] == 700, taken[-1][1]["member_count"]


@scenario
def away(place):
    """A receiver that is gone for a while hears of what lasts first, then of what is over, in one message."""
    recorder = Recorder()
    port = recorder.port
    targets = [Target(f"127.1.{12 + number}.1") for number in range(3)]
    yield recorder
    agent = Agent(
        binary, place, json_channel(recorder), "".join(target.check(f"t{number}") for number, target in enumerate(targets)))
    yield agent
    time.sleep(4)
    recorder.close()
    recorder.start = time.monotonic()
    for number in range(2):
        targets[number].down()
        sleep_until(recorder, 12 + 20 * number)
        targets[number].up()
    targets[2].down()
    sleep_until(recorder, 60)
    recorder.open(port)
    sleep_until(recorder, 85)
    targets[2].up()
    sleep_until(recorder, 95)
    taken = recorder.messages
    assert len(taken) == 3, [body["title"] for _, body in taken]
    assert taken[0][1]["kind"] == "opened" and "t2 is down" in taken[0][1]["title"], taken[0][1]["title"]
    assert taken[0][0] <= 70, f"it came {taken[0][0] - 60:.1f} s after the receiver was back"
    assert taken[2][1]["kind"] == "recovered", taken[2][1]["title"]
    past = str(taken[1][1])
    assert "t0" in past and "t1" in past, past[:400]


@scenario
def flapping(place):
    """Down for 10 s and up for 10 s: opened, flapping, and one end."""
    recorder, target = Recorder(), Target("127.1.16.1")
    yield recorder
    agent = Agent(
        binary, place, json_channel(recorder), target.check("web"),
        "  flap: {opens: 3, within: 15m, stable: 30s}\n")
    yield agent
    calm(recorder)
    for number in range(5):
        target.down()
        sleep_until(recorder, 20 * number + 10)
        target.up()
        sleep_until(recorder, 20 * number + 20)
    sleep_until(recorder, 145)
    kinds = [body["kind"] for body in recorder.bodies()]
    titles = [body["title"] for body in recorder.bodies()]
    assert kinds.count("recovered") <= 3 and "flapping" in " ".join(titles), titles
    flap = next(place for place, title in enumerate(titles) if "flapping" in title)
    assert kinds[flap + 1:] in (["recovered"], ["update", "recovered"]), titles


@scenario
def worse(place):
    """PagerDuty: trigger, acknowledge, and a trigger again when it gets worse."""
    recorder, target = Recorder(), Target("127.1.17.1")
    yield recorder
    rules = (
        "  rules:\n    - {name: slow, type: consecutive_failures, threshold: 1, severity: medium}\n"
        "    - {name: gone, type: state, state: down, for: 40s, severity: critical}\n")
    channel = (
        f"    - {{name: pd, webhook: 'http://127.0.0.1:{recorder.port}/v2/enqueue', format: pagerduty, "
        "routing_key: '0123456789abcdef0123456789abcdef'}\n")
    agent = Agent(binary, place, channel, target.check("web"), rules)
    yield agent
    calm(recorder)
    target.down()
    wait("the trigger", lambda: recorder.messages, 12)
    told = agent.run("ack", agent.incident("web"), "--by", "ada")
    assert told.returncode == 0, told.stderr
    sleep_until(recorder, 60)
    target.up()
    sleep_until(recorder, 75)
    actions = [body["event_action"] for body in recorder.bodies()]
    assert actions == ["trigger", "acknowledge", "trigger", "resolve"], actions
    severities = [body["payload"]["severity"] for body in recorder.bodies() if body["event_action"] == "trigger"]
    assert severities[-1] == "critical" and severities[0] != "critical", severities
    assert len({body["dedup_key"] for body in recorder.bodies()}) == 1


@scenario
def killed(place):
    """kill -9 again and again while an incident begins and ends: each difference arrives, no message more than twice."""
    recorder, target = Recorder(), Target("127.1.18.1")
    yield recorder
    # Seven outages within 15 minutes would be one that flaps: openings count over restarts.
    agent = Agent(
        binary, place, json_channel(recorder), target.check("web"), "  flap: {opens: 20, within: 15m, stable: 30s}\n")
    yield agent
    recorder.start = time.monotonic()
    for number in range(14):
        (target.down if number % 2 == 0 else target.up)()
        for pause in (0.7, 1.9, 2.6, 3.4):
            time.sleep(pause + number * 0.13)
            agent.kill()
            agent.begin()
        time.sleep(6)
    ids = [body["id"] for body in recorder.bodies()]
    assert all(ids.count(one) <= 2 for one in ids), ids
    kinds = []
    for body in recorder.bodies():
        if not kinds or kinds[-1][0] != body["id"]:
            # One that began and ended while the agent was dead is told of once, in the past.
            isPast = body["kind"] == "digest" or body.get("trigger") == "past"
            kinds.append((body["id"], "past" if isPast else body["kind"], body["incident"]))
    opened = {incident for _, kind, incident in kinds if kind == "opened"}
    ended = {incident for _, kind, incident in kinds if kind == "recovered"}
    past = [kind for _, kind, _ in kinds if kind == "past"]
    assert opened == ended, f"{len(opened)} opened, {len(ended)} ended: {kinds}"
    assert len(opened) + len(past) >= 4, kinds
