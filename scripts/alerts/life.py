# SPDX-License-Identifier: MIT
"""One incident from its begin to its end, by each kind of channel: a table of what each was sent, and the payloads."""

import email
import email.policy
import json
import pathlib
import re
import sys
import time
import urllib.request

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "page"))
from browser import Browser
from stage import binary, notes, scenario
from world import Agent, Mailbox, Recorder, Target, json_channel, wait

FORMATS = ["slack", "teams", "discord", "ntfy", "pagerduty", "alertmanager"]
CHAT = ["slack", "teams", "discord", "ntfy"]
COLUMNS = ["json", "critical", *FORMATS, "mail", "exec"]


class Life:
    """The channels of one agent, and what each was sent since the last event."""

    def __init__(self, place):
        self.place, self.rows, self.seen = place, [], {name: 0 for name in COLUMNS}
        self.recorders = {name: Recorder() for name in ["json", "critical", *FORMATS]}
        self.box, self.file, self.program = Mailbox({}), place.parent / "life-exec.json", place.parent / "life-exec"
        self.program.write_text(f"#!/bin/sh\ncat >> {self.file}\necho >> {self.file}\n")
        self.program.chmod(0o755)
        self.file.touch()

    def channels(self):
        text = json_channel(self.recorders["json"], "json") + json_channel(self.recorders["critical"], "critical", ", severity: critical")
        for name in FORMATS:
            key = ", routing_key: '0123456789abcdef0123456789abcdef'" if name == "pagerduty" else ""
            port = self.recorders[name].port
            text += f"    - {{name: {name}, webhook: 'http://127.0.0.1:{port}/ops', format: {name}{key}}}\n"
        mail = f"server: '127.0.0.1:{self.box.port}', tls: none, hello: probe.example, from: agent@example.com, to: ops@example.com"
        return text + f"    - {{name: mail, mail: {{{mail}}}}}\n    - {{name: exec, exec: ['{self.program}']}}\n"

    def bodies(self, name):
        if name == "mail":
            return [email.message_from_bytes(raw, policy=email.policy.default) for _, raw in self.box.mails]
        if name == "exec":
            return [json.loads(line) for line in self.file.read_text().splitlines() if line.strip()]
        return self.recorders[name].bodies()

    def event(self, words, expected, title, seconds=20):
        """Waits for what each channel is to be sent, then a little for what it is not, and adds a row."""
        wait(words, lambda: all(len(self.bodies(name)) > self.seen[name] for name in expected), seconds)
        time.sleep(2.5)
        sent = {name: [what(name, body) for body in self.bodies(name)[self.seen[name]:]] for name in COLUMNS}
        found = {name: sent[name][0] if len(sent[name]) == 1 else sent[name] for name in COLUMNS if sent[name]}
        assert found == expected, f"{words}: {found}, not {expected}"
        if title:
            new = self.bodies("json")[self.seen["json"]:]
            assert re.fullmatch(title, new[0]["title"] if new else ""), f"{words}: {new}"
            title = settled(new[0]["title"])
        self.rows.append([words, title or "", *(sent[name][0] if sent[name] else "–" for name in COLUMNS)])
        self.seen = {name: len(self.bodies(name)) for name in COLUMNS}


def title_of(name, body):
    """The title as people read it."""
    match name:
        case "slack":
            return body["text"]
        case "teams":
            return body["attachments"][0]["content"]["body"][0]["inlines"][0]["text"]
        case "discord":
            return re.sub(r"\\(.)", r"\1", body["embeds"][0]["title"])
        case "ntfy":
            return body["title"]
        case "mail":
            return body.get_body(["plain"]).get_content().splitlines()[0]


def what(name, body):
    """In a word or two."""
    if name in ["json", "critical", "exec"]:
        return f"{body['kind']}"
    if name == "pagerduty":
        return body["event_action"] + (f" {body['payload']['severity']}" if body["event_action"] == "trigger" else "")
    if name == "alertmanager":
        alert = body[0]
        # Firing until its end, minutes from now.
        isOver = alert["endsAt"] <= time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 1))
        return "resolved" if isOver else f"firing {alert['annotations']['severity_now']}"
    found = re.match(r"\[(\w+)\] (Still: )?", title_of(name, body))
    return found[1] + (", still" if found[2] else "")


def settled(text):
    """Without what differs from one run to the next."""
    known = {}

    def name(found):
        return known.setdefault(found[0], f"00000000-0000-7000-8000-{len(known) + 1:012}")

    text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", name, text)
    for pattern, word in [
            (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "2026-01-05T09:00:00.000Z"),
            (r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "2026-01-05 09:00 UTC"), (r"(127\.1\.\d+\.\d+):\d+", r"\1:5432"),
            (r"\bfor \d+s\b", "for 5s"), (r"quartz-agent ack [0-9a-f]{6}", "quartz-agent ack 000002"),
            (r"\[[0-9a-f]{6}\]", "[000002]"), (r"Date: .*", "Date: Mon, 5 Jan 2026 09:00:00 +0000")]:
        text = re.sub(pattern, word, text)
    return text


def short(body):
    """Without the last results of each check."""
    if isinstance(body, dict):
        return {key: [] if key == "recent" else short(value) for key, value in body.items()}
    return [short(each) for each in body] if isinstance(body, list) else body


def payload(title, body):
    text = settled(json.dumps(short(body), indent=1, ensure_ascii=False))
    return f"### {title}\n\n```json\n{text}\n```\n\n"


def mail(body):
    head = "\n".join(f"{name}: {value}" for name, value in body.items() if name != "Content-Type")
    plain = body.get_body(["plain"]).get_content().rstrip()
    return f"### Mail: opened, its header and text part\n\n```\n{settled(head + chr(10) * 2 + plain)}\n```\n\n"


def table(rows):
    head = ["event", "title", *(name if name != "critical" else "json, `severity: critical`" for name in COLUMNS)]
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines) + "\n"


def people(word, program, *others):
    """What people and programs are sent by each channel, beside what `others` are."""
    return {"json": program, "exec": program, "mail": word, **{name: word for name in CHAT}, **dict(others)}


def quiet():
    hours = [time.strftime("%H:%M", time.gmtime(time.time() + 3600 * step)) for step in (-1, 1)]
    return f"  quiet_hours: {{from: '{hours[0]}', to: '{hours[1]}', timezone: UTC}}\n"


def picture(life, agent):
    """The incident's own page on a phone, by a browser without script."""
    with urllib.request.urlopen(f"http://127.0.0.1:{agent.status}/api/v1/incidents", timeout=5) as answer:
        incident = json.load(answer)["data"][0]["id"]
    folder = life.place.parent
    with open(folder / "browser.log", "wb") as log:
        browser = Browser(folder / "browser", log)
        try:
            tab = browser.tab()
            tab.call("Emulation.setScriptExecutionDisabled", value=True)
            tab.look(390, 800)
            tab.start(f"http://127.0.0.1:{agent.status}/incidents/{incident}")
            tab.loaded()
            tab.shot(folder / "incident-phone.png", full=True)
        finally:
            browser.close()


def live(life, agent, targets, checks):
    web, db, cache, disk = targets
    web.down()
    life.event("`web` fails", people("high", "opened", ("pagerduty", "trigger error"), ("alertmanager", "firing high")), r"web is down: .*")
    db.down()
    life.event("`db` of the same host fails", people("high", "update", ("pagerduty", "trigger error"), ("alertmanager", "firing high")),
               r"db joined: web and 1 more are down: .*")
    worse = people("critical", "update", ("critical", "opened"), ("pagerduty", "trigger critical"), ("alertmanager", "firing critical"))
    life.event("`web` has failed for 30 s, a rule of severity critical", worse, r"now critical: web is down: .*", 40)
    told = agent.run("ack", agent.incident("web and 1 more"), "--by", "ada")
    assert told.returncode == 0, told.stderr
    life.event("`ada` acknowledges", {"pagerduty": "acknowledge"}, None)
    cache.down()
    life.event("`cache` of the same host fails, after the acknowledgement",
               people("critical", "update", ("pagerduty", "trigger critical"), ("alertmanager", "firing critical")),
               r"cache joined: web and 2 more are down: .*")
    picture(life, agent)
    web.up()
    left = people("high", "update", ("critical", "recovered"), ("pagerduty", "trigger error"), ("alertmanager", "firing high"))
    life.event("`web` recovers", left, r"web is up again; still down: (db, cache|cache, db)", 25)
    told = agent.run("mute", "all", "10m", "--by", "ada")
    assert told.returncode == 0, told.stderr
    time.sleep(62)
    life.event("all is muted, and `remind` passes", {}, None)
    assert "no reminder until" in agent.run("alert", "explain").stdout, agent.run("alert", "explain").stdout
    told = agent.run("unmute", "all", "--by", "ada")
    assert told.returncode == 0, told.stderr
    life.event("the mute ends", people("high, still", "update", ("pagerduty", "trigger error")), r"(db|cache) and 1 more are down: .*")
    cache.up()
    life.event("`cache` recovers, which alone is not acknowledged", {"pagerduty": "acknowledge"}, None)
    db.up()
    life.event("`db` recovers", people("resolved", "recovered", ("pagerduty", "resolve"), ("alertmanager", "resolved")),
               r"web and 2 more are up again")
    calm = agent.more
    agent.more = calm + quiet()
    agent.reload(checks)
    time.sleep(3)
    disk.down()
    time.sleep(10)
    disk.up()
    time.sleep(6)
    life.event("in quiet hours `disk` fails and recovers", {}, None)
    agent.more = calm
    agent.reload(checks)
    life.event("quiet hours end", people("digest", "digest"), r"1 incident since the last digest")


@scenario
def life(place):
    """One incident by each kind of channel, and an outage in quiet hours."""
    life = Life(place)
    yield life.recorders["json"]
    targets = [Target(f"127.1.{number}.1") for number in (40, 40, 40, 41)]
    extra = ", tags: ['team:shop'], runbook: 'https://wiki.example/web'"
    checks = "".join(target.check(name, extra) for target, name in zip(targets, ["web", "db", "cache", "disk"]))
    rules = (
        "  page_url: 'https://status.example/'\n  rules:\n    - {name: down, type: consecutive_failures, threshold: 1, severity: high}\n"
        "    - {name: long, type: state, state: down, for: 30s, severity: critical, checks: [web]}\n")
    agent = Agent(binary, place, life.channels(), checks, rules)
    yield agent
    time.sleep(4)
    life.recorders["json"].start = time.monotonic()
    live(life, agent, targets, checks)
    pager, manager = life.bodies("pagerduty"), life.bodies("alertmanager")
    assert len({event["dedup_key"] for event in pager}) == 1, pager
    assert len({json.dumps(alert[0]["labels"]) for alert in manager}) == 1, manager
    threads = {(mail["References"], mail["Subject"]) for mail in life.bodies("mail")[:-1]}
    assert len(threads) == 1 and "digest" in life.bodies("mail")[-1]["Subject"], threads
    notes["life"] = (
        "Notifications of each channel at each event. Of chat, ntfy and mail the word in brackets before the title, of PagerDuty the "
        "action and severity,\nof Alertmanager the state and `severity_now`; – is nothing.\n\n" + table(life.rows)
        + "![The incident's page on a phone, after the acknowledgement](../incident-phone.png)\n\n"
        + "## Payloads\n\nOf the same run, with ids, times and ports replaced and without the results in `recent`.\n\n"
        + mail(life.bodies("mail")[0]) + payload("Slack: opened", life.bodies("slack")[0])
        + payload("Teams: a check joins", life.bodies("teams")[1]) + payload("PagerDuty: opened", pager[0])
        + payload("PagerDuty: acknowledged", {**next(event for event in pager if event["event_action"] == "acknowledge"), "payload": {}})
        + payload("PagerDuty: resolved", {**pager[-1], "payload": {}}) + payload("Alertmanager: resolved", manager[-1]))
