# SPDX-License-Identifier: MIT
"""Runs that people ask for while agents and the database are killed with SIGKILL and the network between them is cut: how long an
answer takes, each ask is one run, and none is lost without a word."""
import random
import socket
import struct
import threading
import time
import uuid

from agent import Agent, Page, page, running, until
from database import Refused, connect
from functions import ask as press, person
from scenarios import Stage

AGENTS, CHECKS, PEOPLE = 4, 8, 4
LIMIT = 15


class Relay:
    """The network of one agent to the backend, which can be cut."""

    def __init__(self, port):
        self.to, self.flows, self.refuses, self.links = port, threading.Event(), False, set()
        self.flows.set()
        self.door = socket.create_server(("127.0.0.1", 0))
        self.port = self.door.getsockname()[1]
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            try:
                near, _ = self.door.accept()
                if self.refuses:
                    self.reset(near)
                    continue
                far = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                return
            self.links |= {near, far}
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self.pump, args=(one, other), daemon=True).start()

    def pump(self, one, other):
        try:
            while data := one.recv(65536):
                self.flows.wait()
                other.sendall(data)
        except OSError:
            pass
        for end in (one, other):
            self.links.discard(end)
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def reset(self, link):
        """Its ends hear of it at once."""
        try:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            link.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def cut(self, kind, seconds):
        """`held`: nothing comes through, and goes on after it; `broken`: the connections are gone after it; `refused`: so
        are they at once, and new ones too."""
        if kind == "refused":
            self.refuses = True
        else:
            self.flows.clear()
        if kind == "refused":
            self.end_links()
        time.sleep(seconds)
        if kind == "broken":
            self.end_links()
        self.refuses = False
        self.flows.set()

    def end_links(self):
        for link in list(self.links):
            self.reset(link)

    def end(self):
        self.door.close()
        self.end_links()
        self.flows.set()


class Faults:
    """Of each agent and of the database, so many seconds apart, until it is over; what and when."""

    def __init__(self, seed, apart):
        self.seed, self.apart, self.over, self.found, self.failed, self.lock = seed, apart, threading.Event(), [], [], threading.Lock()

    def start(self, name, make, kinds):
        def go_on():
            dice = random.Random(f"{self.seed} {name}")
            try:
                while not self.over.wait(dice.uniform(*self.apart)):
                    kind, begin = dice.choice(kinds), time.time()
                    make(kind, dice)
                    with self.lock:
                        self.found.append((name, kind, begin, time.time()))
            except (Exception, SystemExit) as error:
                self.failed.append(error)

        thread = threading.Thread(target=go_on)
        thread.start()
        return thread

    def met(self, name, begin, end):
        """What of it an agent met then."""
        return [(kind, first, last) for who, kind, first, last in self.found if who in (name, "database") and begin <= last and first <= end]

    def counts(self):
        kinds = [kind for _, kind, _, _ in self.found]
        return {kind: kinds.count(kind) for kind in sorted(set(kinds))}


class Site:
    """An agent with a key, a resource, checks and a network of its own."""

    def __init__(self, folder, binary, stage, number, port, web):
        self.name, self.relay = f"asks-{number}", Relay(port)
        self.resource = stage.one(f"insert into resources (name, resource_type) values ('A{number}', 'server') returning id")
        self.checks = [stage.add(interval=60, url=f"http://127.0.0.1:{web}/{number}/{n}", resource=self.resource) for n in range(CHECKS)]
        self.agent = Agent(binary, folder, stage, self.relay.port, web, name=self.name, deliver="every: 10s", key=key_of(number), resources=[self.resource])

    def ruin(self, kind, dice):
        if kind == "agent killed":
            self.agent.process.kill()
            self.agent.process.wait()
            time.sleep(dice.uniform(0, 1))
            self.agent.start()
        else:
            self.relay.cut(kind.removeprefix("network "), dice.uniform(1, 5))


def key_of(number):
    return f"qtz_asks_{number}"


class People:
    """Members of the team who ask for the run of one check and another, each check at most every 15 s."""

    def __init__(self, folder, stage, checks, seed):
        self.folder, self.stage, self.dice = folder, stage, random.Random(f"{seed} people")
        self.members = [person(stage, "viewer")[5:] for _ in range(PEOPLE)]
        self.checks, self.asked = list(checks), {}
        self.again = self.presses = 0
        self.silent, self.words = [], {}

    def choose(self):
        now = time.monotonic()
        free = [check for check in self.checks if now - self.asked.get(check, -60) > 15]
        check = self.dice.choice(free) if free else None
        self.asked[check] = now
        return check

    def go_on(self, seconds):
        session, end = connect(self.folder, "authenticated"), time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(self.dice.uniform(0.3, 1.2))
            check = self.choose()
            while check:
                try:
                    session.ask(f"select set_config('request.jwt.claim.sub', '{self.dice.choice(self.members)}', false)")
                    session.ask(f"select ask_checks('{check}', null)")
                    break
                except Refused as error:
                    if error.code[:2] not in ("08", "57"):
                        raise
                    # Who sees an error presses again.
                    self.again += 1
                    session.close()
                    session = connect(self.folder, "authenticated")
        session.close()

    def press_on(self, project, checks, is_over):
        """The button of the apps, over and over: what it says."""
        token = f"user:{self.members[0]}"
        while not is_over.is_set():
            status, said = press(project, "execute-checks", {"check_id": self.dice.choice(checks)}, token)
            self.presses += 1
            word = f"{said.get('total_checks')} run" if status == 200 and isinstance(said, dict) else said.get("error") if isinstance(said, dict) else None
            if not word or word.startswith("0"):
                self.silent.append((status, said))
            self.words[word] = self.words.get(word, 0) + 1


def run(folder, binary, say, seed, seconds, server):
    with page(Page) as web:
        stage = Stage(folder)
        stage.run("delete from monitoring_checks; delete from agent_key_scopes; update quartz_agent.settings set contact_s = 10")
        ids = {}
        for number in range(AGENTS):
            ids[key_of(number)] = str(uuid.uuid4())
            stage.run(f"insert into api_keys (id, name, key_hash, key_prefix) values ('{ids[key_of(number)]}', 'k{number}', 'h{number}', 'q');"
                      f"insert into agent_key_scopes (api_key_id, agent_name) values ('{ids[key_of(number)]}', 'asks-{number}')")
        with running(folder, stage.key, **ids) as project:
            sites = [Site(folder, binary, stage, number, project.port, web) for number in range(AGENTS)]
            try:
                until(lambda: stage.one("select count(*) from monitoring_agents where name like 'asks-%' and 'asks' = any (can)") == str(AGENTS)
                      and stage.one("select count(distinct monitoring_check_id) from check_results") == str(AGENTS * CHECKS), 120, "the first result of each check")
                people = People(folder, stage, sum((site.checks for site in sites), []), seed)
                stage.owner.close()
                stage.service.close()
                faults = disturb(project, sites, people, seed, seconds, server)
            finally:
                for site in sites:
                    if site.agent.process.poll() is None:
                        site.agent.stop()
                    site.relay.end()
    return judge(folder, sites, people, faults, say, seed)


def disturb(project, sites, people, seed, seconds, server):
    faults = Faults(seed, (15, 45))

    def database(_, dice):
        server.kill()
        time.sleep(dice.uniform(0, 1))
        server.start()

    kinds = ["agent killed", "network held", "network broken", "network refused"]
    threads = [faults.start(site.name, site.ruin, kinds) for site in sites] + [faults.start("database", database, ["database killed"])]
    # Of one check each that others do not ask for.
    own = [site.checks[0] for site in sites]
    people.checks = [check for check in people.checks if check not in own]
    presser = threading.Thread(target=people.press_on, args=(project, own, faults.over))
    presser.start()
    try:
        people.go_on(seconds)
    finally:
        faults.over.set()
        for thread in [*threads, presser]:
            thread.join()
    if faults.failed:
        raise faults.failed[0]
    # The last asks have their time, without another fault.
    session = connect(people.folder)
    try:
        until(lambda: session.ask("select count(*) from check_asks where state = 'open' and expires_at > now()") == "0", 70, "the last answer")
        session.ask("select quartz_agent.tick('20 s', '0')")
    finally:
        session.close()
    return faults


def share(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))] if values else 0.0


def judge(folder, sites, people, faults, say, seed):
    session, owners = connect(folder), {check: site.name for site in sites for check in site.checks}
    asks = session.json("select json_agg(json_build_array(a.id, a.monitoring_check_id, a.state, extract(epoch from a.asked_at), extract(epoch from a.answered_at), "
                        "(select count(*) from check_results r where r.ask_id = a.id))) from check_asks a")
    unlogged = session.ask("select count(*) from check_asks a where not exists (select from quartz_agent.ask_log l where l.ask_id = a.id and l.asked_by = a.asked_by)")
    manual = int(session.ask("select count(*) from check_results where trigger = 'manual'"))
    session.close()
    done = [ask for ask in asks if ask[2] == "done"]
    times = [ask[4] - ask[3] for ask in done]
    met = [ask[4] - ask[3] for ask in done if faults.met(owners[ask[1]], ask[3], ask[4])]
    expired = sum(ask[2] == "expired" for ask in asks)
    twice = sum(ask[5] != 1 for ask in done)
    killed = faults.counts().get("agent killed", 0)
    # Whoever waits for an answer that never comes counts as the worst.
    late = share(times + [60.0] * expired, 0.95)
    say(f"seed {seed}: " + ", ".join(f"{count} times {kind}" for kind, count in faults.counts().items()))
    say(f"{len(asks)} runs asked for, {len(done)} answered after {share(times, 0.5):.1f} s (median), {late:.1f} s (p95, those that expired included), "
        f"{max(times, default=0):.1f} s at most, at a contact of 10 s")
    say(f"{len(met)} of them while its agent, its network or the database was gone: {share(met, 0.5):.1f} s (median), {share(met, 0.95):.1f} s (p95)")
    for ask in sorted(done, key=lambda ask: ask[3] - ask[4])[:5]:
        say(f"{ask[4] - ask[3]:.1f} s: " + ", ".join(f"{kind} from {first - ask[3]:.1f} to {last - ask[3]:.1f} s" for kind, first, last in faults.met(owners[ask[1]], ask[3], ask[4])))
    say(f"{expired} expired; {manual} runs by hand; {twice} asks with another number of runs than one, {unlogged} without a line of who asked; {people.again} presses refused and made again")
    say(f"the button, {people.presses} times: " + ", ".join(f"{count} '{word}'" for word, count in people.words.items()) + f"; {len(people.silent)} without a word")
    for answer in people.silent[:3]:
        say(f"the button said {answer}")
    return (late <= LIMIT and twice == 0 and unlogged == "0" and not people.silent and len(done) + expired == len(asks) and len(met) > 0
            # A run whose agent was killed before its result was heard of is made again.
            and len(done) <= manual <= len(done) + expired + killed)
