# SPDX-License-Identifier: MIT
"""Runs the lab: five agents, three etcd, one backend, and faults of every kind, several at a time.

Arguments: the agent, a folder to work in, a seed, how many faults, `long`, `short` or `takeover`, and the folder of the real
receiving end, or nothing.
"""

import json
import os
import random
import subprocess
import sys
import threading
import time

import report
import takeover
from agents import Agent, other_version
from backend import NAMES, checks_of
from etcd import Store, make_certificates
from faults import KINDS, World, same_name
from gate import Gate
from judge import Verdict, lines
from lab import BACKEND, HERE, STORE, Lab, Lateness, in_space, need, run
from quartz import Database

HERE_FOLDER = os.path.dirname(os.path.abspath(__file__))


class Outside:
    def __init__(self, folder, certificates, checks, interval, *quartz):
        log = open(f"{folder}/outside.log", "a")
        self.process = subprocess.Popen(
            in_space("out", "python3", f"{HERE_FOLDER}/backend.py", certificates, folder, str(checks), str(interval), *quartz),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise SystemExit(f"prove-group: the backend did not start, see {folder}/outside.log")

    def mood(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()


class Run:
    def __init__(self, binary, folder, seed, count, form, quartz):
        self.folder, self.seed, self.count, self.is_short = folder, seed, count, form == "short"
        self.ttl, self.interval, self.checks = (5, 15, 100) if self.is_short else (10, 30, 200)
        self.faults, self.events, self.lock = [], [], threading.Lock()
        self.began = time.time()
        certificates, clock = f"{folder}/certificates", f"{folder}/clock.so"
        run("gcc", "-O2", "-shared", "-fPIC", "-o", clock, f"{HERE_FOLDER}/clock.c")
        make_certificates(certificates, [*STORE, BACKEND, HERE], clock)
        lab = Lab(len(NAMES) + 1)
        store = Store(f"{folder}/store", certificates, token_ttl=self.ttl // 2)
        self.database = Database(quartz, checks_of(self.checks, self.interval)) if quartz else None
        outside = Outside(folder, certificates, self.checks, self.interval, *([quartz] if quartz else []))
        settings = {"certificates": certificates, "clock": clock, "ttl": self.ttl}
        agents = [Agent(folder, number, name, binary, settings) for number, name in enumerate(NAMES)]
        self.version = other_version(binary, f"{folder}/other")
        versions = (binary, f"{folder}/other" if self.version else binary)

        def twin(name):
            return Agent(f"{folder}/twins-{time.monotonic_ns()}", len(NAMES), name, binary, settings)

        self.world = World(
            lab, store, agents, outside, f"{HERE_FOLDER}/relay.py", twin, self.ttl, self.interval, versions,
            self.is_short, self.record)
        self.lateness = Lateness()
        self.lateness.start()

    def say(self, text):
        print(f"{time.time() - self.began:6.0f} s  {text}", flush=True)

    def record(self, what, agent=None, more=None):
        with self.lock:
            self.events.append({
                "at": time.time(), "what": what, "agent": agent and agent.name, "address": agent and agent.address,
                "more": more})

    def begin(self):
        self.world.store.start_all()
        for agent in self.world.agents:
            agent.start()
        end = time.time() + 3 * self.interval + 30
        while time.time() < end:
            time.sleep(1)
            group = self.world.agents[0].group()
            seen = {probe["check"] for probe in lines(f"{self.folder}/probes.ndjson")}
            if group and len(group.get("members", [])) == len(NAMES) and len(seen) == self.checks:
                return
        raise SystemExit(f"prove-group: the group did not begin; its logs are in {self.folder}")

    def plan(self, dice):
        """As many of each kind as its share says, each at least once, in an order of the seed."""
        whole = sum(kind.share for kind in KINDS)
        kinds = [kind for kind in KINDS for _ in range(max(1, round(kind.share * self.count / whole)))]
        dice.shuffle(kinds)
        return kinds

    def disturb(self):
        dice, gate = random.Random(self.seed), Gate(self.ttl)
        plan, threads, waiting = self.plan(dice), [], time.monotonic()
        while plan:
            threads = [each for each in threads if each.is_alive()]
            chosen = None
            if len(threads) < 4:
                # Who has waited for long is waited for.
                patient = time.monotonic() - waiting > (15 if self.is_short else 40)
                for place, kind in enumerate(plan[:1 if patient else 10]):
                    agents = self.choose(kind, dice)
                    names = [each.name for each in agents] + (["double"] if kind.make is same_name else [])
                    if gate.enter(kind, names):
                        chosen = (place, kind, agents, names)
                        break
            if chosen is None:
                time.sleep(0.2)
                continue
            place, kind, agents, names = chosen
            if place == 0:
                waiting = time.monotonic()
            del plan[place]
            number = len(self.faults)
            self.faults.append({"kind": kind.name, "agents": [each.number for each in agents], "all": kind.all,
                                "begin": time.time(), "end": float("inf")})
            self.say(f"{number + 1}: {kind.name} {' '.join(each.name for each in agents)}")
            thread = threading.Thread(target=self.fault, args=(number, kind, agents, names, gate))
            thread.start()
            threads.append(thread)
            time.sleep(dice.uniform(0.2, 1.5 if self.is_short else 4))
        for thread in threads:
            thread.join()

    def choose(self, kind, dice):
        if kind.agents < 0:
            return list(self.world.agents)
        return dice.sample(self.world.agents, kind.agents)

    def fault(self, number, kind, agents, names, gate):
        try:
            kind.make(self.world, random.Random(f"{self.seed} {number}"), agents)
        except Exception as problem:  # the run goes on; the judge is told
            self.record("trouble", None, f"{kind.name}: {problem!r}")
            self.say(f"{number + 1}: the fault itself failed: {problem!r}")
        self.faults[number]["end"] = time.time()
        gate.leave(kind, names)

    def finish(self):
        """Until everything that was owed has come, then the agents end."""
        time.sleep(self.interval + 2 * self.ttl)
        end = time.time()
        time.sleep(self.interval + 15)
        for agent in self.world.agents:
            if not agent.is_alive():
                self.record("trouble", None, f"{agent.name} is not running")
        threads = [threading.Thread(target=agent.stop) for agent in self.world.agents]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.world.store.end()
        if self.database:
            self.database.rows(f"{self.folder}/rows.ndjson")
        self.world.outside.process.kill()
        return end

    def judge(self, begin, end):
        with open(f"{self.folder}/run.json", "w") as file:
            json.dump({"begin": begin, "end": end, "ttl": self.ttl, "interval": self.interval, "checks": self.checks,
                       "seed": self.seed, "faults": self.faults, "events": self.events, "worst": self.lateness.worst,
                       "spans": self.lateness.spans}, file)
        verdict = Verdict(
            self.world, self.folder, self.checks, begin, end, self.faults, self.events, self.lateness)
        troubles = [each["more"] for each in self.events if each["what"] == "trouble"]
        said = [*report.fault_table(verdict), "", *report.takeover_table(verdict), "", *report.summary(verdict)]
        if self.database:
            of_alerts, words = self.database.judge(self.interval, self.folder)
            troubles += of_alerts
            said.append(words)
        wrong = [*report.wrong(verdict), *report.late_takeovers(verdict), *troubles]
        print("\n".join([*said, *wrong[:60]]), flush=True)
        with open(f"{self.folder}/report", "w") as file:
            file.write("\n".join([*said, *wrong]) + "\n")
        return 0 if report.holds(verdict) and not troubles else 1


def main():
    binary, folder, seed, count, form = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
    need("etcd", "etcdctl", "nft", "ip", "ss", "openssl", "gcc", "nsenter")
    run_of = Run(binary, folder, seed, count, form, sys.argv[6] if len(sys.argv) > 6 else None)
    run_of.begin()
    run_of.say("the group runs")
    if form == "takeover":
        return takeover.show(run_of.world, folder)
    time.sleep(run_of.interval)
    begin = time.time()
    over = threading.Event()
    if run_of.database:
        threading.Thread(target=run_of.database.ask_for_runs, args=(random.Random(f"{seed} asks"), over), daemon=True).start()
    run_of.disturb()
    over.set()
    run_of.say("no more faults")
    return run_of.judge(begin, run_of.finish())


if __name__ == "__main__":
    sys.exit(main())
