# SPDX-License-Identifier: MIT
"""A running agent behind the route: a window in the app is in force at the agent, and one made at the agent is shown in the
app and silences it, through lost answers, an outage and a kill, and ends there when it ends here."""
import signal
import time

from acks import AlertingAgent, BrokenPage, control
from agent import page, route, until
from scenarios import Stage, expect


def run(folder, binary, say, is_short):
    with page(BrokenPage) as web:
        BrokenPage.broken = set()
        stage = Stage(folder, interval=10, url=f"http://127.0.0.1:{web}/a")
        stage.run("update quartz_agent.settings set contact_s = 5, reopen = '0'; update agent_key_scopes set may_maintain = true")
        other = stage.one("insert into resources (name, resource_type) values ('Office', 'server') returning id")
        part = stage.add(interval=10, url=f"http://127.0.0.1:{web}/b", resource=other)
        stage.add(interval=10, url=f"http://127.0.0.1:{web}/c", resource=other)
        stage.run("update monitoring_checks set retry_count = 0")
        try:
            with route(folder, stage.key) as port:
                agent = AlertingAgent(binary, folder, stage, port, web, name="windows", resources=[stage.resource, other])
                try:
                    Story(stage, agent, port, say, part).tell(is_short)
                finally:
                    if agent.process.poll() is None:
                        agent.stop()
        finally:
            BrokenPage.broken = set()
            stage.run("update quartz_agent.settings set contact_s = 10, reopen = '5 min'")


class Story:
    def __init__(self, stage, agent, port, say, part):
        self.stage, self.agent, self.port, self.say, self.part = stage, agent, port, say, part

    def rows(self):
        """Windows of the app that hold now, and whose."""
        return self.stage.one("select coalesce(string_agg(description, ', ' order by description), '') from maintenance_windows where starts_at <= now() and ends_at > now()")

    def in_window(self):
        """The last result of the check ran in a window, as the agent says."""
        return self.stage.one(f"select coalesce((select maintenance from check_results where monitoring_check_id = '{self.stage.check}' order by checked_at desc limit 1)::text, '')")

    def open_alerts(self):
        return self.stage.one("select count(*) from alerts where resolved_at is null and monitoring_check_id is not null")

    def start(self, target, span="30m"):
        said = self.agent.command("maintenance", "start", target, span, "--why", "deploy")
        assert self.agent.last == 0, said

    def end(self, target):
        said = self.agent.command("maintenance", "end", target)
        assert self.agent.last == 0, said

    def tell(self, is_short):
        stage, agent = self.stage, self.agent
        own = "Made at agent windows"
        can = "select count(*) from monitoring_agents where name = 'windows' and 'windows' = any (can)"
        until(lambda: stage.one(can) == "1" and stage.one("select count(distinct monitoring_check_id) from check_results") == "3", 60, "the first results")
        # From the app to the agent.
        window = stage.one(f"insert into maintenance_windows (resource_id, title, description, starts_at, ends_at) values ('{stage.resource}', 'w', 'by a person', now(), now() + interval '1 h') returning id")
        taken = until(lambda: self.in_window() == "true", 40, "a window of the app at the agent")
        stage.run(f"update maintenance_windows set ends_at = now() where id = '{window}'")
        until(lambda: self.in_window() == "false", 40, "its end at the agent")
        # From the agent to the app: a whole resource.
        self.start("all")
        shown = until(lambda: self.rows() == f"{own}, {own}", 30, "the windows of the agent in the app")
        self.say(f"a window of the app holds at the agent {taken:.1f} s later, with the next result; one of the agent is in the app {shown:.1f} s later, at a contact of 5 s")
        BrokenPage.broken = {"/a"}
        until(lambda: stage.one(f"select status from check_results where monitoring_check_id = '{stage.check}' order by checked_at desc limit 1") == "failure", 30, "a failure in the window")
        expect(self.open_alerts(), "0")
        # The answer to the request that brings its end is lost.
        control(self.port, loseAnswers=1)
        self.end("all")
        ended = until(lambda: self.rows() == "", 30, "the end of the windows in the app")
        until(lambda: self.open_alerts() == "1", 30, "the alert after the window")
        BrokenPage.broken = set()
        until(lambda: self.open_alerts() == "0", 30, "its end")
        self.say(f"ended at the agent: in the app {ended:.1f} s later, with a lost answer; what still failed is told then")
        # Of a part of a resource it says nothing.
        self.start(self.part)
        time.sleep(7)
        expect(self.rows(), "")
        self.end(self.part)
        if not is_short:
            self.outage(own)
        expect(stage.one("select count(*) from maintenance_windows where ends_at - starts_at > interval '61 min'"), "0")
        expect(agent.stop(), 0, "SIGTERM")

    def outage(self, own):
        """Made in an outage, and the agent killed: shown when it is over. Deleted by a person: it stays away."""
        stage, agent = self.stage, self.agent
        control(self.port, down=True)
        self.start("all")
        agent.stop(signal.SIGKILL)
        agent.start()
        time.sleep(7)
        expect(self.rows(), "")
        control(self.port, down=False)
        took = until(lambda: self.rows() == f"{own}, {own}", 60, "windows made in an outage, after a kill")
        stage.run("delete from maintenance_windows where ends_at > now()")
        time.sleep(12)
        expect(self.rows(), "", "a person deleted them")
        expect(self.in_window(), "true", "for the agent its own windows count")
        self.end("all")
        until(lambda: self.in_window() == "false", 40, "the end at the agent")
        expect(self.rows(), "")
        self.say(f"made in an outage, then killed: in the app {took:.1f} s after its end; deleted there it stays away")
