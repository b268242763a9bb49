# SPDX-License-Identifier: MIT
"""A running agent behind the route: a run that a person asks for, a change of the list, a restart with an ask open."""
import contextlib
import http.server
import os
import pathlib
import signal
import statistics
import subprocess
import threading
import time
import uuid

from database import Session
from project import Project
from scenarios import Stage, expect


class Page(http.server.BaseHTTPRequestHandler):
    """What is checked: counts who came."""
    hits = []

    def handle(self):
        try:
            super().handle()
        except OSError:
            # Who asked was killed.
            pass

    def do_GET(self):
        self.hits.append(self.path)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def page(kind=Page):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def running(folder, key, **others):
    """The edge functions under Deno before this database; others: keys beside the agent's, and their ids."""
    project = Project(folder, os.environ["DENO"], {"qtz_loop": key, **others})
    try:
        yield project
    finally:
        project.end()


@contextlib.contextmanager
def route(folder, key, **others):
    """The port of it."""
    with running(folder, key, **others) as project:
        yield project.port


def until(holds, seconds, words):
    """How long it took."""
    began = time.monotonic()
    while not holds():
        if time.monotonic() - began > seconds:
            raise SystemExit(f"waited {seconds} s for {words}")
        time.sleep(0.05)
    return time.monotonic() - began


class Agent:
    def __init__(self, binary, folder, stage, port, web, name="loop-1", deliver="to: quartz", more="", resources=None, key="qtz_loop"):
        only = ", ".join(f'"{resource}"' for resource in resources or [stage.resource])
        self.binary, self.config = binary, pathlib.Path(folder) / f"{name}.yaml"
        self.config.write_text(f"""
agent: {{name: {name}, state_dir: {folder}/{name}-state}}
spool: {{size: 16MiB}}
egress: {{allow: ["127.0.0.1/32:{web}"], ports: [{web}]}}
quartz:
  url: http://127.0.0.1:{port}/v1
  api_key: {key}
  checks: {{pull: true, every: 1h, only: {{resources: [{only}]}}}}
  deliver: {{{deliver}}}
{more}""")
        self.log = open(f"{folder}/{name}.log", "ab")
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.binary, "run", "-c", self.config], stdout=self.log, stderr=self.log)

    def words(self):
        return pathlib.Path(self.log.name).read_text()

    def status(self):
        return subprocess.run([self.binary, "status", "-c", self.config], capture_output=True, text=True, check=False, env={"COLUMNS": "500"}).stdout

    def runs(self, check):
        """Whether its status names the check."""
        said = subprocess.run([self.binary, "status", "--format", "json", "-c", self.config], capture_output=True, text=True, check=False)
        return check in said.stdout

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        return self.process.wait()


def member(stage):
    person = str(uuid.uuid4())
    stage.run(f"insert into auth.users values ('{person}'); insert into user_roles (user_id, role) values ('{person}', 'viewer')")
    team = Session(stage.folder, "authenticated")
    team.ask(f"select set_config('request.jwt.claim.sub', '{person}', false)")
    return team


def run(folder, binary, say, rounds):
    with page() as web:
        stage = Stage(folder, interval=3600, url=f"http://127.0.0.1:{web}/first")
        other = stage.one("insert into resources (name, resource_type) values ('Office', 'server') returning id")
        with route(folder, stage.key) as port:
            agent = Agent(binary, folder, stage, port, web, resources=[stage.resource, other])
            try:
                changes(stage, agent, say, web, other)
                judge(stage, agent, say, rounds, web)
            finally:
                if agent.process.poll() is None:
                    agent.stop()
        expect(agent.process.returncode, 0, "SIGTERM")


def changes(stage, agent, say, web, other):
    """What people change is in force with the next contact, and the list is not polled for it: it is due in an hour."""
    until(lambda: agent.runs(stage.check), 60, "the first list")
    check = str(uuid.uuid4())
    scope = "update agent_key_scopes set resource_ids = "
    took = {}
    for words, sql, is_there in (
            ("added", f"insert into monitoring_checks (id, resource_id, check_type, url, check_interval_seconds) values ('{check}', '{other}', 'http', 'http://127.0.0.1:{web}/other', 3600)", True),
            ("disabled", f"update monitoring_checks set is_enabled = false where id = '{check}'", False),
            ("enabled", f"update monitoring_checks set is_enabled = true where id = '{check}'", True),
            ("out of the scope", f"{scope} array['{stage.resource}'::uuid]", False),
            ("in it again", f"{scope} null", True),
            ("deleted", f"delete from monitoring_checks where id = '{check}'", False)):
        stage.run(sql)
        took[words] = until(lambda: agent.runs(check) == is_there, 25, f"a check that is {words}")
    say("a check that is " + ", ".join(f"{words} {seconds:.1f} s" for words, seconds in took.items()) + " later")
    expect(statistics.median(took.values()) <= 15, True, "within 15 s at a contact of 10 s")


def judge(stage, agent, say, rounds, web):
    heard = f"select count(*) from monitoring_agents where name = 'loop-1' and 'asks' = any (can) and 'list' = any (can)"
    until(lambda: stage.one(heard) == "1", 60, "the agent's first contact")
    until(lambda: stage.one("select count(*) from check_results where trigger = 'schedule'") == "1", 60, "the first result")
    team = member(stage)
    asks, times = [], []

    def asked():
        found = team.json(f"select ask_checks('{stage.check}', null)")
        expect((len(found["asks"]), found["no_agent"]), (1, []))
        asks.append(found["asks"][0])
        return found["asks"][0]

    def state(ask):
        return team.json(f"select asks_state('[\"{ask}\"]')")

    for _ in range(rounds):
        ask = asked()
        times.append(until(lambda: state(ask)["open"] == 0, 30, "the answer to an ask"))
        expect([(r["status"], r["agent"]) for r in state(ask)["results"]], [("success", "loop-1")])
    say(f"{rounds} runs asked for: {', '.join(f'{t:.1f}' for t in times)} s to the answer, median {statistics.median(times):.1f} s")
    # Of a loaded machine one may be late; most are not.
    expect(statistics.median(times) <= 15, True, "within 15 s at a contact of 10 s")

    change = "check of the API changed"
    told = agent.words().count(change)
    stage.run(f"update monitoring_checks set url = 'http://127.0.0.1:{web}/second' where id = '{stage.check}'")
    taken = until(lambda: agent.words().count(change) > told, 25, "the change of the address, at a contact of 10 s")
    ask = asked()
    until(lambda: state(ask)["open"] == 0, 30, "the answer after a change")
    expect(Page.hits[-1], "/second")
    say(f"a changed address is in force {taken:.1f} s later, at a contact of 10 s")

    # Another agent of the key falls silent: its words are in this one's status, and gone when it is back.
    shown = "agent gone-1 is down in the Quartz apps: Agent silent since "
    stage.post(name="gone-1")
    stage.run("update monitoring_agents set last_seen = now() - interval '4 min' where name = 'gone-1'")
    stage.tick()
    heard = until(lambda: shown in agent.status(), 30, "the silent agent in the status")
    stage.post(name="gone-1")
    until(lambda: shown not in agent.status(), 30, "its end in the status")
    say(f"a silent agent is in the status of another one {heard:.1f} s later")

    agent.stop(signal.SIGKILL)
    ask = asked()
    agent.start()
    again = until(lambda: state(ask)["open"] == 0, 60, "an ask that was open while the agent was killed")
    say(f"asked while the agent was dead: answered {again:.1f} s after its start")
    manual = int(stage.one("select count(*) from check_results where trigger = 'manual'"))
    expect(manual, len(asks), "each ask is one run")
    expect(stage.one("select count(*) from check_results where trigger = 'manual' and ask_id is null"), "0")
    expect(stage.one("select count(distinct id) from check_asks where state = 'done'"), str(len(asks)))
    expect(agent.stop(), 0, "SIGTERM")
