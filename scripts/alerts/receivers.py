# SPDX-License-Identifier: MIT
"""Receivers as they are: Alertmanager, Prometheus with the shipped rules, a mail server; and a wall clock that is set."""

import email
import email.policy
import json
import pathlib
import re
import subprocess
import time
import urllib.parse
import urllib.request

from stage import binary, calm, expect, scenario, sleep_until
from world import Agent, Mailbox, Recorder, Target, free_port, json_channel, wait

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def get(url):
    with urllib.request.urlopen(url, timeout=5) as answer:
        return json.load(answer)


class Program:
    """One that ends with its scenario."""

    def __init__(self, place, *arguments):
        place.parent.mkdir(exist_ok=True)
        with open(f"{place}.log", "wb") as log:
            self.process = subprocess.Popen([str(each) for each in arguments], stdout=log, stderr=log)

    def end(self):
        self.process.terminate()
        self.process.wait(20)


@scenario
def quiet(place):
    """Alertmanager never hears of an end while it is down, though quiet hours begin, and hears of the end in them; people
    hear of nothing until they are over."""
    recorder, target = Recorder(), Target("127.1.30.1")
    yield recorder
    port, side = free_port(), place.parent / "quiet-side"
    side.mkdir()
    (side / "alertmanager.yml").write_text("route: {receiver: none}\nreceivers: [{name: none}]\n")
    manager = Program(
        side / "alertmanager", "prometheus-alertmanager", f"--config.file={side}/alertmanager.yml", f"--storage.path={side}/data",
        f"--web.listen-address=127.0.0.1:{port}", "--cluster.listen-address=")
    try:
        channel = f"    - {{name: am, webhook: 'http://127.0.0.1:{port}/api/v2/alerts', format: alertmanager}}\n"
        agent = Agent(binary, place, json_channel(recorder) + channel, target.check("web"))
        yield agent

        def active():
            try:
                return [(alert["fingerprint"], alert["status"]["state"]) for alert in get(f"http://127.0.0.1:{port}/api/v2/alerts")]
            except OSError:
                return []

        calm(recorder)
        target.down()
        wait("the alert", active, 20)
        first = active()
        hours = [time.strftime("%H:%M", time.gmtime(time.time() + 3600 * step)) for step in (-1, 1)]
        agent.more = f"  quiet_hours: {{from: '{hours[0]}', to: '{hours[1]}', timezone: UTC}}\n"
        agent.reload(target.check("web"))
        for _ in range(30):
            time.sleep(1)
            assert active() == first, f"{first} became {active()} in quiet hours"
        target.up()
        wait("the end, in quiet hours", lambda: not active(), 20)
        expect(recorder, [("opened", r"web is down", 12, 2.5)])
    finally:
        manager.end()


@scenario
def clock(place):
    """The wall clock is a day ahead when an outage begins, and right again six seconds later: nothing waits for that day."""
    recorder, target = Recorder(), Target("127.1.31.1")
    yield recorder
    library, ahead = place.parent / "clock.so", place.parent / "clock-ahead"
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-O2", "-o", library, REPOSITORY / "scripts/group/clock.c"], check=True)
    ahead.write_text("0      ")
    agent = Agent(
        binary, place, json_channel(recorder), target.check("web"), "",
        {"LD_PRELOAD": str(library), "CLOCK_FILE": str(ahead)})
    yield agent
    calm(recorder)
    with open(ahead, "r+") as file:
        file.write("86400  ")
        file.flush()
        target.down()
        sleep_until(recorder, 6)
        file.seek(0)
        file.write("0      ")
    sleep_until(recorder, 80)
    target.up()
    sleep_until(recorder, 92)
    expect(recorder, [("opened", r"web is down", 14, 2.5), ("update", r"web is (still )?down", 78, 60), ("recovered", r"web is up", 89, 82)])


@scenario
def recipients(place):
    """One of three recipients is refused for now (452): the other two get the mail once, that one gets it when it is taken. A
    strange name stays one line of the header, and the message is one that Python's email package reads."""
    recorder, target = Recorder(), Target("127.1.32.1")
    yield recorder
    box = Mailbox({"late@example.com": 2})
    name = "Straße 💥 שלום \\\"x\\\" <b> " + "é" * 50
    words = (
        f'server: "127.0.0.1:{box.port}", tls: none, hello: probe.example, from: agent@example.com, '
        "to: [one@example.com, two@example.com, late@example.com]")
    agent = Agent(
        binary, place, f"    - {{name: mail, mail: {{{words}}}}}\n" + json_channel(recorder), target.check(f'"{name}"'))
    yield agent
    calm(recorder)
    target.down()
    wait("the mail to all", lambda: sum((to for to, _ in box.mails), []).count("late@example.com") == 1, 60)
    target.up()
    wait("the end to all", lambda: sum(len(to) for to, _ in box.mails) == 6, 40)
    taken = [to for to, _ in box.mails]
    assert taken == [["one@example.com"], ["two@example.com"], ["late@example.com"]] * 2, taken
    subjects, ids = set(), []
    for _, raw in box.mails:
        assert all(len(line) <= 998 for line in raw.split(b"\r\n")) and raw.isascii()
        mail = email.message_from_bytes(raw, policy=email.policy.default)
        assert not mail.defects and not any(part.defects for part in mail.walk()), [part.defects for part in mail.walk()]
        assert [part.get_content_type() for part in mail.walk()] == ["multipart/alternative", "text/plain", "text/html"]
        assert mail["Auto-Submitted"] == "auto-generated" and mail["List-Id"] and mail["References"], mail.items()
        assert "Straße 💥" in mail["Subject"] and "Straße 💥" in mail.get_body(["plain"]).get_content()
        assert "&lt;b&gt;" in mail.get_body(["html"]).get_content() and not mail["Bcc"]
        subjects.add(re.sub(r"^Re: ", "", str(mail["Subject"])))
        ids.append(mail["Message-ID"])
    assert len(subjects) == 1, subjects
    assert len(set(ids[:3])) == len(set(ids[3:])) == 1 and ids[2] != ids[3], ids
    assert box.hello == {"probe.example"}, box.hello


@scenario
def rolling(place):
    """Three members of a group are restarted one after the other while a check is down: the shipped rules, run by a real
    Prometheus in a tenth of their times, go on firing without a break, call no agent down, and `increase()` sees the first failure."""
    recorder, target = Recorder(), Target("127.1.33.1")
    yield recorder
    side, etcd, peer, web = place.parent / "rolling-side", free_port(), free_port(), free_port()
    side.mkdir()
    store = Program(
        side / "etcd", "etcd", "--data-dir", f"{side}/etcd", "--listen-client-urls", f"http://127.0.0.1:{etcd}",
        "--advertise-client-urls", f"http://127.0.0.1:{etcd}", "--listen-peer-urls", f"http://127.0.0.1:{peer}", "--log-level", "error")
    programs, members = [store], []
    try:
        for number in range(3):
            group = (
                f"group: {{name: g, ttl: 5s, share: true, store: {{etcd: ['http://127.0.0.1:{etcd}']}}}}\n" + "spool: {size: 16MiB}\n")
            member = Agent(
                binary, place if number == 0 else place.parent / f"rolling-{number}", json_channel(recorder),
                target.check("web"), name=f"m{number}", sections=group)
            members.append(member)
            if number == 0:
                yield member
        programs.append(prometheus(side, web, [member.status for member in members]))
        query = lambda text: get(f"http://127.0.0.1:{web}/api/v1/query?" + urllib.parse.urlencode({"query": text}))["data"]["result"]
        firing = lambda: sorted({row["metric"]["alertname"] for row in query('ALERTS{alertstate="firing"}')})
        wait("the check is up in Prometheus", lambda: reachable(lambda: query('quartz_check_state{state="up"} == 1')), 60)
        calm(recorder)
        target.down()
        wait("the failures", lambda: query('sum(increase(quartz_check_results_total{check="web",state="down"}[30s])) > 0'), 20)
        wait("the rule", lambda: firing() == ["QuartzCheckDown"], 60)
        for member in members:
            member.process.terminate()
            member.process.wait(20)
            member.begin()
            for _ in range(12):
                time.sleep(1)
                assert firing() == ["QuartzCheckDown"], f"{firing()} while members were restarted"
        target.up()
        wait("the end", lambda: firing() == [], 60)
        kinds = [body["kind"] for body in recorder.bodies()]
        assert kinds[0] == "opened" and kinds[-1] == "recovered" and kinds.count("opened") == 1, kinds
    finally:
        for each in members[1:]:
            each.kill()
        for program in programs:
            program.end()


def reachable(ask):
    try:
        return ask()
    except OSError:
        return None


def prometheus(side, port, targets):
    """With the rules of deploy/prometheus, in which a minute is six seconds."""
    for name in ["alerts.yml", "recording.yml"]:
        text = (REPOSITORY / "deploy/prometheus" / name).read_text()
        (side / name).write_text(re.sub(r"(?<=\[)(\d+)m(?=\])|(?<=for: )(\d+)m", lambda found: f"{int(found[1] or found[2]) * 6}s", text))
    places = ", ".join(f'"127.0.0.1:{number}"' for number in targets)
    (side / "prometheus.yml").write_text(
        "global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [recording.yml, alerts.yml]\n"
        f"scrape_configs: [{{job_name: quartz-agent, static_configs: [{{targets: [{places}]}}]}}]\n")
    return Program(
        side / "prometheus", "prometheus", f"--config.file={side}/prometheus.yml", f"--storage.tsdb.path={side}/tsdb",
        f"--web.listen-address=127.0.0.1:{port}")
