# SPDX-License-Identifier: MIT
"""A running agent behind the route: what people acknowledge in the app quiets its channels, and what is acknowledged at the
agent is acknowledged in the app, through lost answers, an outage and a kill, once, and never an alert that has ended since."""
import json
import os
import pathlib
import signal
import subprocess
import time
import urllib.request
import uuid

from agent import Agent, Page, page, route, until
from scenarios import Stage, expect


class BrokenPage(Page):
    """Answers 500 on paths that are broken."""
    broken = set()

    def do_GET(self):
        self.send_response(500 if self.path in self.broken else 200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    do_HEAD = do_GET


class AlertingAgent(Agent):
    """With a channel that writes down what it gets."""

    def __init__(self, binary, folder, stage, port, web, name="acks", resources=None, app="always"):
        self.folder = pathlib.Path(folder)
        script = self.folder / "channel.sh"
        script.write_text(f"#!/bin/sh\ncat >>{folder}/notified\necho >>{folder}/notified\n")
        script.chmod(0o755)
        (self.folder / "notified").write_text("")
        super().__init__(binary, folder, stage, port, web, name=name, resources=resources, more=f"""
alerts:
  app: {app}
  group_wait: 1s
  remind: 1m
  channels: [{{name: ops, exec: ["{script}"]}}]
  rules: [{{name: down, type: consecutive_failures, threshold: 1, severity: high}}]
""", deliver="every: 1s")

    def command(self, *words):
        # A shell of a job may name no user.
        ran = subprocess.run([self.binary, *words, "-c", self.config], capture_output=True, text=True, check=False,
                             env=dict(os.environ, SUDO_USER="root"))
        self.last = ran.returncode
        return ran.stdout

    def incidents(self):
        try:
            return json.loads(self.command("incidents", "--format", "json"))["data"]
        except (ValueError, KeyError):
            return []

    def open(self):
        return [i for i in self.incidents() if i["status"] != "resolved"]

    def acknowledge(self):
        [incident] = self.open()
        said = self.command("ack", incident["id"], "--why", "looking")
        assert "is acknowledged" in said, said


def control(port, **faults):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/control", json.dumps(faults).encode(), method="POST")
    urllib.request.urlopen(request).read()


def run(folder, binary, say, is_short):
    with page(BrokenPage) as web:
        stage = Stage(folder, interval=10, url=f"http://127.0.0.1:{web}/a")
        # Within 5 min an alert that comes back is the same one, and stays acknowledged: here each is another.
        stage.run("update quartz_agent.settings set contact_s = 5, reopen = '0'")
        second = stage.add(interval=10, url=f"http://127.0.0.1:{web}/b")
        stage.run("update monitoring_checks set retry_count = 0")
        stage.run("create table public.acks_made as select id, 'x'::text as via from alerts limit 0;"
                  "create function public.note_ack() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as "
                  "$$ begin insert into public.acks_made values (new.id, coalesce(new.acknowledged_via, 'app')); return null; end $$;"
                  "create trigger note_ack after update on alerts for each row when (new.acknowledged_at is distinct from old.acknowledged_at) "
                  "execute function public.note_ack()")
        try:
            with route(folder, stage.key) as port:
                agent = AlertingAgent(binary, folder, stage, port, web)
                try:
                    Story(stage, agent, second, port, say).tell(is_short)
                finally:
                    if agent.process.poll() is None:
                        agent.stop()
        finally:
            stage.run("drop trigger note_ack on alerts; drop function public.note_ack(); drop table public.acks_made; "
                      "update quartz_agent.settings set contact_s = 10, reopen = '5 min'")


class Story:
    def __init__(self, stage, agent, second, port, say):
        self.stage, self.agent, self.second, self.port, self.say = stage, agent, second, port, say
        self.person = str(uuid.uuid4())
        stage.run(f"insert into auth.users values ('{self.person}'); insert into profiles (id, full_name) values ('{self.person}', 'Ann Smith')")

    def open_alerts(self):
        return int(self.stage.one("select count(*) from alerts where resolved_at is null and monitoring_check_id is not null"))

    def made(self):
        return self.stage.one("select string_agg(via, ', ' order by via) from acks_made")

    def acked(self, check):
        return self.stage.one(f"select coalesce(acknowledged_via, acknowledged_by::text, '') from alerts where monitoring_check_id = '{check}' and resolved_at is null")

    def fails(self, *paths):
        BrokenPage.broken = set(paths)
        until(lambda: self.open_alerts() == len(paths), 40, f"{len(paths)} open alerts in the app")
        until(lambda: sum(i["members"] for i in self.agent.open()) >= len(paths), 40, "the incident of the agent")

    def works(self):
        BrokenPage.broken = set()
        until(lambda: self.open_alerts() == 0 and self.agent.open() == [], 60, "the end at both sides")

    def tell(self, is_short):
        stage, agent = self.stage, self.agent
        own = "agent acks: root (looking)"
        until(lambda: stage.one("select count(*) from monitoring_agents where name = 'acks' and 'acks' = any (can)") == "1", 60, "the first contact")
        self.fails("/a", "/b")
        stage.run(f"update alerts set acknowledged_at = now(), acknowledged_by = '{self.person}' where monitoring_check_id = '{stage.check}'")
        quiet = until(lambda: "is acknowledged; others of it are not" in agent.words(), 30, "the acknowledgement of the app at the agent")
        assert "Ann Smith in the Quartz app" in agent.words()
        agent.acknowledge()
        heard = until(lambda: self.acked(self.second) == own, 30, "the acknowledgement of the agent in the app")
        expect(self.acked(stage.check), self.person, "the app's own stays")
        self.say(f"acknowledged in the app: quiet at the agent {quiet:.1f} s later; at the agent: in the app {heard:.1f} s later, at a contact of 5 s")
        self.works()
        # The answer to the request that brings it is lost.
        self.fails("/a")
        control(self.port, loseAnswers=1)
        agent.acknowledge()
        until(lambda: self.acked(stage.check) == own, 30, "the acknowledgement whose answer was lost")
        wanted = ["app", own, own]
        expect(self.made(), ", ".join(sorted(wanted)))
        if not is_short:
            self.outage(own, wanted)
        self.works()
        expect(self.made(), ", ".join(sorted(wanted)), "each once")
        audit = json.loads((pathlib.Path(agent.config).parent / "acks-state/by-hand.json").read_text())["audit"]
        expect(sum(entry.get("by") == "Ann Smith in the Quartz app" for entry in audit), 1, "audited once")
        expect(agent.stop(), 0, "SIGTERM")

    def outage(self, own, wanted):
        stage, agent = self.stage, self.agent
        self.works()
        # Acknowledged in an outage, and killed in it.
        self.fails("/b")
        control(self.port, down=True)
        agent.acknowledge()
        agent.stop(signal.SIGKILL)
        agent.start()
        time.sleep(7)
        expect(self.acked(self.second), "")
        control(self.port, down=False)
        took = until(lambda: self.acked(self.second) == own, 60, "the acknowledgement made in an outage, after a kill")
        self.say(f"acknowledged in an outage, then killed: in the app {took:.1f} s after its end")
        wanted.append(own)
        self.works()
        # Acknowledged in an outage, over and failing again before its end: the new alert is nobody's.
        self.fails("/a")
        control(self.port, down=True)
        agent.acknowledge()
        BrokenPage.broken = set()
        until(lambda: agent.open() == [], 60, "the end at the agent")
        BrokenPage.broken = {"/a"}
        until(lambda: len(agent.open()) == 1, 60, "another incident")
        control(self.port, down=False)
        until(lambda: stage.one(f"select count(*) from alerts where monitoring_check_id = '{stage.check}' and resolved_at is null and triggered_at > now() - interval '90 s'") == "1", 60, "the new alert in the app")
        time.sleep(12)
        expect(self.acked(stage.check), "", "what began since is not acknowledged")
