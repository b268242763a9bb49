# SPDX-License-Identifier: MIT
"""Traces the networks of lab.sh with traceroute, mtr and the agent, and compares them hop by hop."""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

METHODS = ("tcp", "icmp", "udp")
TRACEROUTE = {"tcp": ["-T", "-p", "443"], "icmp": ["-I"], "udp": ["-U", "-p", "33434"]}
MTR = {"tcp": ["--tcp", "--port", "443"], "icmp": [], "udp": ["--udp"]}

FAULTS = [
    "plain", "limits", "silent", "asymmetric", "balanced", "narrow", "hole", "drop", "wall", "prohibited", "reset",
    "nat", "loop", "everyttl", "down",
]

# Where a hop of ours may differ from theirs: fault -> TTLs, and why; of which program, if not of both.
EXPLAINED = {
    "limits": ({4}, "the fourth router answers some and not others"),
    "balanced": ({3, 4, 5}, "each flow keeps its way; other programs change ports, or have only one"),
    "drop": (set(range(5, 15)), "behind the last answer to TCP the agent goes on with UDP and ICMP"),
    "reset": (set(range(5, 15)), "the agent asks by UDP and ICMP whether what reset was the target"),
    "nat": ({6, 7, 8, 9}, "mtr takes the first word in the target's name for the target's own", "mtr"),
    "loop": (set(range(9, 15)), "the agent stops when it has seen the circle"),
    "everyttl": (set(range(8, 15)), "the agent stops when one address answers to every TTL"),
    "down": ({9}, "the last router says that it found nobody after three seconds; who waits for it has a hop more"),
}


class Lab:
    """lab.sh, told what to break."""

    def __init__(self, script):
        self.keeper = subprocess.Popen(
            ["unshare", "-m", "-n", "sh", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.keeper.stdout.readline() != "ready\n":
            sys.exit("prove-trace: the networks could not be made")
        self.servers = [
            subprocess.Popen(self.inside(["ip", "netns", "exec", "s", "python3", "-c", SERVER]), stdout=subprocess.PIPE)]
        self.servers[0].stdout.readline()

    def inside(self, command):
        pid = str(self.keeper.pid)
        return ["nsenter", "-t", pid, "-n", "-m", "--"] + command

    def order(self, line):
        self.keeper.stdin.write(line + "\n")
        self.keeper.stdin.flush()
        if self.keeper.stdout.readline() != "ok\n":
            sys.exit(f"prove-trace: {line}")

    def run(self, command):
        return subprocess.run(self.inside(command), capture_output=True, text=True, timeout=60)

    def end(self):
        for server in self.servers:
            server.kill()
        self.keeper.stdin.close()
        self.keeper.wait()


SERVER = """
import socket
listener = socket.create_server(("::", 443), family=socket.AF_INET6, dualstack_ipv6=True, backlog=128)
print("ready", flush=True)
while True:
    listener.accept()[0].close()
"""


def target(fault, family):
    number = 99 if fault == "nat" else 9
    return f"10.77.{number}.2" if family == 4 else f"fd77:{number}::2"


def by_traceroute(lab, fault, family, method):
    # A pause between packets: the comparison is about who answers, not about how fast.
    wait = "4" if fault == "down" else "0.4"
    answer = lab.run(
        ["traceroute", f"-{family}", "-n", "-q", "3", "-w", wait, "-m", "14"] + TRACEROUTE[method] + [target(fault, family)])
    hops = {}
    for line in answer.stdout.splitlines()[1:]:
        fields = line.split()
        if fields and fields[0].isdigit():
            hops[int(fields[0])] = {field for field in fields[1:] if is_address(field)}
    return hops


def by_mtr(lab, fault, family, method):
    answer = lab.run(
        ["mtr", f"-{family}", "-n", "--csv", "-c", "2", "-i", "0.2", "-G", "0.4", "-Z", "1", "-m", "14"] + MTR[method]
        + [target(fault, family)])
    hops = {}
    for line in answer.stdout.splitlines()[1:]:
        fields = line.split(",")
        if len(fields) > 6 and fields[4].isdigit():
            hops.setdefault(int(fields[4]), set()).update({fields[5]} if is_address(fields[5]) else set())
    return hops


def by_agent(lab, binary, fault, family, method):
    answer = lab.run(
        [binary, "trace", "--format", "json", "-n", "--count", "1", "--wait", "400ms", "--method", method]
        + (["tcp://" + (target(fault, family) if family == 4 else f"[{target(fault, family)}]") + ":443"]))
    try:
        trace = json.loads(answer.stdout)
    except ValueError:
        return {}, {"kind": "none", "says": answer.stderr.strip()}, answer.returncode
    hops = {hop["ttl"]: {each["address"] for each in hop["answers"]} for hop in trace["hops"]}
    return hops, trace["end"], answer.returncode


def is_address(text):
    return bool(re.fullmatch(r"10(\.\d+){3}|fd77:[0-9a-f:]+", text))


def last(hops):
    return max([ttl for ttl, found in hops.items() if found], default=0)


def differences(ours, theirs):
    """TTLs at which somebody is seen by one and not, or otherwise, by the other."""
    return [ttl for ttl in range(1, max(last(ours), last(theirs)) + 1) if ours.get(ttl, set()) != theirs.get(ttl, set())]


def is_explained(fault, program, different):
    known = EXPLAINED.get(fault)
    return known is not None and set(different) <= known[0] and program in known[2:] + ((program,) if len(known) < 3 else ())


def words(end):
    return " ".join(str(end[key]) for key in ("kind", "by", "ttl", "says") if key in end)[:64]


def main():
    binary, script = sys.argv[1:3]
    prints = "--print" in sys.argv[3:]
    failed = 0
    print(f"{'network':<11}{'IP':<3}{'method':<7}{'hops':>5}{'traceroute':>12}{'mtr':>11}  end as the agent says it")
    reasons = {}
    lab = Lab(script)
    lab2 = Lab(script)

    def look(place, fault, family, method, alone=False):
        with ThreadPoolExecutor(3) as pool:
            jobs = []
            for job in ((by_agent, place, binary), (by_traceroute, place), (by_mtr, place)):
                jobs.append(pool.submit(*job, fault, family, method))
                # Who limits its answers is asked by one after the other.
                if fault == "limits" or alone:
                    jobs[-1].result()
            row = (fault, family, method, *(job.result() for job in jobs))
        # Beside others an answer may be late, or be taken by the wrong one: once more, alone.
        found = [(name, differences(row[3][0], theirs)) for name, theirs in (("traceroute", row[4]), ("mtr", row[5]))]
        if alone or all(not ttls or is_explained(fault, name, ttls) for name, ttls in found):
            return row
        return look(place, fault, family, method, alone=True)

    def one(job):
        with ThreadPoolExecutor(1 if job[1] == "limits" else 3) as pool:
            return list(pool.map(lambda method: look(*job, method), METHODS))

    for fault in FAULTS:
        for place in (lab, lab2):
            if fault != "plain":
                place.order(f"break_{fault}")
        with ThreadPoolExecutor(2) as pool:
            rows = sum(pool.map(one, [(lab, fault, 4), (lab2, fault, 6)]), [])
        if prints:
            show = lab.run([binary, "trace", "-n", "--report", "--count", "3", f"tcp://{target(fault, 4)}:443"])
            print(f"--- {fault}\n{show.stdout}{show.stderr}")
        for place in (lab, lab2):
            if fault != "plain":
                place.order(f"mend_{fault}")
        for fault_, family, method, (ours, end, status), traceroute, mtr in rows:
            cells = []
            for program, theirs in (("traceroute", traceroute), ("mtr", mtr)):
                different = differences(ours, theirs)
                if not different:
                    cells.append("same")
                elif is_explained(fault, program, different):
                    cells.append("explained")
                    reasons[fault] = EXPLAINED[fault][1]
                else:
                    cells.append("at " + ",".join(map(str, different)))
                    failed += 1
            print(f"{fault:<11}{family:<3}{method:<7}{last(ours):>5} {cells[0]:>11} {cells[1]:>10}  {words(end)} [{status}]")
            if "at" in "".join(cells[:2]):
                print(f"    agent {ours}\n    traceroute {traceroute}\n    mtr {mtr}")
        sys.stdout.flush()
    print()
    for fault, reason in reasons.items():
        print(f"{fault}: {reason}")
    lab.end()
    lab2.end()
    if failed:
        sys.exit(f"prove-trace: {failed} differences that nothing explains")
    print("prove-trace: no difference but those that are explained")


main()
