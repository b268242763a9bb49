# SPDX-License-Identifier: MIT
"""A running agent with `alerts.app: fallback`: its own channels are quiet while the apps show the alert, and speak where they do not."""
import pathlib
import time

from acks import AlertingAgent, BrokenPage, control
from agent import page, route, until
from scenarios import Stage, expect

WAIT = 90


def run(folder, binary, say):
    with page(BrokenPage) as web:
        BrokenPage.broken = set()
        stage = Stage(folder, interval=10, url=f"http://127.0.0.1:{web}/a")
        stage.run("update quartz_agent.settings set contact_s = 5, reopen = '0'")
        second = stage.add(interval=10, url=f"http://127.0.0.1:{web}/b")
        stage.run("update monitoring_checks set retry_count = 0")
        try:
            with route(folder, stage.key) as port:
                agent = AlertingAgent(binary, folder, stage, port, web, name="fallback", app="fallback")
                try:
                    tell(stage, agent, port, second, say)
                finally:
                    if agent.process.poll() is None:
                        agent.stop()
        finally:
            BrokenPage.broken = set()
            stage.run("update quartz_agent.settings set contact_s = 10, reopen = '5 min'")


def tell(stage, agent, port, second, say):
    told = pathlib.Path(agent.folder) / "notified"

    def is_open(check):
        return stage.one(f"select count(*) from alerts where resolved_at is null and monitoring_check_id = '{check}'") == "1"

    until(lambda: stage.one("select count(*) from monitoring_agents where name = 'fallback' and 'acks' = any (can)") == "1"
          and stage.one("select count(distinct monitoring_check_id) from check_results") == "2", 60, "the first results")
    BrokenPage.broken = {"/a"}
    until(lambda: is_open(stage.check) and len(agent.open()) == 1, 60, "the alert at both sides")
    time.sleep(WAIT + 15)
    expect((told.read_text(), len(agent.open())), ("", 1), "the apps show it")
    BrokenPage.broken = set()
    until(lambda: not is_open(stage.check) and agent.open() == [], 60, "its end at both sides")
    control(port, down=True)
    BrokenPage.broken = {"/b"}
    until(lambda: len(agent.open()) == 1, 60, "an alert that the apps do not show")
    expect(told.read_text(), "", "nor was the end of the first one told")
    took = until(lambda: told.read_text() != "", WAIT + 60, "the fallback")
    control(port, down=False)
    until(lambda: is_open(second), 60, "the alert in the app after the outage")
    first = told.read_text().count("\n")
    BrokenPage.broken = set()
    until(lambda: told.read_text().count("\n") > first, 60, "its end on the channel that told of it")
    say(f"quiet for {WAIT + 15} s while the app shows the alert, and at its end; with the backend away told {took:.0f} s after its begin, and its end")
    expect(agent.stop(), 0, "SIGTERM")
