# SPDX-License-Identifier: MIT
"""Three etcd and three agents, and one fault after the other: is every slot of every check run, under one id?

Arguments: the agent, a folder to work in, a seed, seconds of faults. Exit 1: a slot was not run, or has two ids.
"""

import collections
import datetime
import http.server
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time

AGENT, FOLDER, SEED, SECONDS = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
MEMBERS, CHECKS, INTERVAL, TTL = 3, 30, 15, 5
NAMES = ["one", "two", "three"]


def port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


CLIENTS = [port() for _ in range(MEMBERS)]
PEERS = [port() for _ in range(MEMBERS)]
WEB = port()


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def start_etcd(index):
    cluster = ",".join(f"e{other}=http://127.0.0.1:{PEERS[other]}" for other in range(MEMBERS))
    client, peer = f"http://127.0.0.1:{CLIENTS[index]}", f"http://127.0.0.1:{PEERS[index]}"
    return subprocess.Popen(
        ["etcd", "--name", f"e{index}", "--data-dir", f"etcd{index}", "--listen-client-urls", client,
         "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
         "--initial-cluster", cluster, "--log-level", "error"],
        stdout=open(f"etcd{index}.log", "a"), stderr=subprocess.STDOUT)


def etcdctl(*arguments, endpoints=CLIENTS):
    places = ",".join(f"127.0.0.1:{each}" for each in endpoints)
    return subprocess.run(
        ["etcdctl", "--endpoints", places, *arguments, "-w", "json"], env={**os.environ, "ETCDCTL_API": "3"},
        capture_output=True, text=True, timeout=10).stdout


def leader():
    for index in range(MEMBERS):
        try:
            status = json.loads(etcdctl("endpoint", "status", endpoints=[CLIENTS[index]]))[0]["Status"]
            if status["leader"] == status["header"]["member_id"]:
                return index
        except (ValueError, IndexError, KeyError, subprocess.TimeoutExpired):
            continue
    return 0


def start_agent(name):
    os.makedirs(name, exist_ok=True)
    etcd = ", ".join(f'"http://127.0.0.1:{each}"' for each in CLIENTS)
    with open(f"{name}/agent.yaml", "w") as file:
        file.write(
            f"agent: {{name: {name}, state_dir: {os.getcwd()}/{name}/state}}\nspool: {{size: 16MiB}}\n"
            f"group: {{name: london, ttl: {TTL}s, share: true, store: {{etcd: [{etcd}]}}}}\nchecks:\n")
        for number in range(CHECKS):
            file.write(
                f'  - {{name: Web {number}, type: http, url: "http://127.0.0.1:{WEB}/{number}", '
                f"interval: {INTERVAL}s, timeout: 5s}}\n")
    return subprocess.Popen(
        [AGENT, "run", "--config", f"{name}/agent.yaml"], stdout=open(f"{name}.log", "a"), stderr=subprocess.STDOUT)


def kill(process):
    process.kill()
    process.wait()


def disturb(kind, name, agents, etcds):
    if kind == "agent killed":
        kill(agents[name])
        time.sleep(random.uniform(1, 9))
        agents[name] = start_agent(name)
    elif kind == "agent stands still":
        agents[name].send_signal(signal.SIGSTOP)
        time.sleep(random.uniform(1, 3 * TTL))
        agents[name].send_signal(signal.SIGCONT)
    elif kind == "agent restarted":
        agents[name].terminate()
        agents[name].wait()
        time.sleep(random.uniform(0, 5))
        agents[name] = start_agent(name)
    elif kind in ("leader killed", "leader and agent killed"):
        index = leader()
        kill(etcds[index])
        if kind == "leader killed":
            time.sleep(3)
        else:
            kill(agents[name])
            time.sleep(2 * TTL + 3)
            agents[name] = start_agent(name)
        etcds[index] = start_etcd(index)
    elif kind == "no quorum":
        for index in (0, 1):
            kill(etcds[index])
        time.sleep(12)
        for index in (0, 1):
            etcds[index] = start_etcd(index)
    elif kind == "compaction":
        try:
            etcdctl("compact", str(json.loads(etcdctl("get", "x"))["header"]["revision"]))
        except (ValueError, subprocess.TimeoutExpired):
            pass


KINDS = ["agent killed", "agent stands still", "agent restarted", "leader killed", "leader and agent killed",
         "no quorum", "compaction"]


def rows():
    found = collections.defaultdict(list)
    for name in NAMES:
        export = subprocess.run(
            [AGENT, "spool", "export", "--config", f"{name}/agent.yaml"], capture_output=True, text=True)
        for line in export.stdout.splitlines():
            row = json.loads(line)
            at = datetime.datetime.fromisoformat(row["scheduled_at"].replace("Z", "+00:00")).timestamp()
            found[row["check"], at].append(row["wire_id"])
    return found


def judge(begin, end, faults):
    found = rows()
    slots, missing = 0, []
    for number in range(CHECKS):
        check = f"Web {number}"
        instants = {at for name, at in found if name == check}
        phases = collections.Counter(round(at % INTERVAL, 3) for at in instants)
        if not phases:
            missing.append((check, "never"))
            continue
        at = (int(begin // INTERVAL) + 1) * INTERVAL + phases.most_common(1)[0][0]
        while at < end:
            slots += 1
            if not any(abs(at - other) < 0.01 for other in instants):
                missing.append((check, round(at - begin, 1)))
            at += INTERVAL
    twice = sum(1 for ids in found.values() if len(ids) > 1)
    differing = sum(1 for ids in found.values() if len(set(ids)) > 1)
    ids = {each for values in found.values() for each in values}
    for kind in KINDS:
        print(f"{kind}: {faults[kind]}")
    print(
        f"{sum(faults.values())} faults, {slots} slots, {len(missing)} not run, {twice} run by two, "
        f"{differing} with two ids, {len(ids)} ids for {len(found)} slots")
    for each in missing[:20]:
        print("not run:", *each)
    return 1 if missing or differing or len(ids) != len(found) else 0


def main():
    random.seed(SEED)
    os.makedirs(FOLDER, exist_ok=True)
    os.chdir(FOLDER)
    web = http.server.ThreadingHTTPServer(("127.0.0.1", WEB), Answer)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    etcds = [start_etcd(index) for index in range(MEMBERS)]
    time.sleep(4)
    agents = {name: start_agent(name) for name in NAMES}
    faults = collections.Counter()
    try:
        time.sleep(2 * INTERVAL)
        begin = time.time()
        while time.time() - begin < SECONDS:
            kind, name = random.choice(KINDS), random.choice(NAMES)
            faults[kind] += 1
            disturb(kind, name, agents, etcds)
            time.sleep(random.uniform(TTL + 1, 2 * TTL))
        end = time.time()
        time.sleep(2 * INTERVAL)
    finally:
        for process in agents.values():
            process.terminate()
        for process in agents.values():
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                kill(process)
        for process in etcds:
            kill(process)
    return judge(begin, end, faults)


sys.exit(main())
