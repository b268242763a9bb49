# SPDX-License-Identifier: MIT
"""Network namespaces on one bridge: each etcd, each agent and the outside in its own. They end with the process, for it
has namespaces of its own (prove-group sees to that), and so has nothing to clean up."""

import shutil
import subprocess
import threading
import time

STORE = [f"10.77.0.{number}" for number in (1, 2, 3)]
BACKEND = "10.77.2.1"
TARGETS = [f"10.77.3.{number}" for number in range(1, 21)]
HERE = "10.77.9.9"

TABLE = """
table inet lab {
  set out_drop { type ipv4_addr; }
  set in_drop { type ipv4_addr; }
  set out_reset { type ipv4_addr; }
  chain out {
    type filter hook output priority 0;
    ip daddr @out_drop drop
    ip daddr @out_reset meta l4proto tcp reject with tcp reset
  }
  chain in {
    type filter hook input priority 0;
    ip saddr @in_drop drop
  }
}
table ip slow {
  chain out { type nat hook output priority -100; }
}
"""


def run(*command, text=None, check=True, limit=20):
    return subprocess.run(
        [str(each) for each in command], input=text, capture_output=True, text=True, check=check, timeout=limit)


def in_space(space, *command):
    """Without a process between: a signal sent to it reaches the program."""
    return ["nsenter", f"--net=/run/netns/{space}", "--", *command]


def agent_address(number):
    return f"10.77.1.{number + 1}"


class Lab:
    def __init__(self, agents):
        run("mkdir", "-p", "/run/netns")
        run("mount", "-t", "tmpfs", "lab", "/run/netns")
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "name", "lab0", "type", "bridge")
        run("ip", "addr", "add", HERE + "/16", "dev", "lab0")
        run("ip", "link", "set", "lab0", "up")
        for number, address in enumerate(STORE):
            self.space(f"e{number}", [address])
        for number in range(agents):
            self.space(f"a{number}", [agent_address(number)])
        self.space("out", [BACKEND, *TARGETS])

    def space(self, name, addresses):
        run("ip", "netns", "add", name)
        run("ip", "link", "add", "name", f"v-{name}", "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "link", "set", f"v-{name}", "master", "lab0", "up")
        run("ip", "-n", name, "link", "set", "lo", "up")
        for address in addresses:
            run("ip", "-n", name, "addr", "add", address + "/16", "dev", "eth0")
        run("ip", "-n", name, "link", "set", "eth0", "up")
        run(*in_space(name, "nft", "-f", "-"), text=TABLE)

    def cut(self, space, way, addresses):
        """`way` is out_drop, in_drop or out_reset."""
        run(*in_space(space, "nft", "add", "element", "inet", "lab", way, "{", ", ".join(addresses), "}"))

    def heal(self, space, way, addresses):
        run(*in_space(space, "nft", "delete", "element", "inet", "lab", way, "{", ", ".join(addresses), "}"))

    def break_connections(self, space, addresses):
        for address in addresses:
            run(*in_space(space, "ss", "-K", "dst", address), check=False)


class Slow:
    """Half a second between an agent and the store: by netem where the kernel has it, else by a relay in its way."""

    def __init__(self, lab, space, relay):
        self.space, self.process = space, None
        self.netem = run(
            *in_space(space, "tc", "qdisc", "add", "dev", "eth0", "root", "netem", "delay", "500ms"),
            check=False).returncode == 0
        if self.netem:
            return
        self.process = subprocess.Popen(
            in_space(space, "python3", relay, *STORE), stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.process.stdout.readline()
        for number, address in enumerate(STORE):
            run(*in_space(
                space, "nft", "add", "rule", "ip", "slow", "out", "meta", "mark", "!=", "77", "ip", "daddr", address,
                "tcp", "dport", "2379", "redirect", "to", f":{7000 + number}"))
        lab.break_connections(space, STORE)

    def end(self, lab):
        if self.netem:
            run(*in_space(self.space, "tc", "qdisc", "del", "dev", "eth0", "root"))
            return
        run(*in_space(self.space, "nft", "flush", "chain", "ip", "slow", "out"))
        self.process.kill()
        self.process.wait()
        lab.break_connections(self.space, STORE)


class Lateness(threading.Thread):
    """How late this process is woken: a machine that starves it starves the agents, too."""

    def __init__(self):
        super().__init__(daemon=True)
        self.worst, self.spans = 0.0, []

    def run(self):
        while True:
            due = time.monotonic() + 0.1
            time.sleep(0.1)
            late = time.monotonic() - due
            self.worst = max(self.worst, late)
            if late > 1:
                self.spans.append((time.time() - late, time.time()))

    def hits(self, begin, end):
        return any(first < end and last > begin for first, last in self.spans)


def need(*programs):
    missing = [each for each in programs if not shutil.which(each)]
    if missing:
        raise SystemExit(f"prove-group: {', '.join(missing)} missing")
