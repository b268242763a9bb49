# SPDX-License-Identifier: MIT
"""The agents: real processes, each in its own namespace with its own state directory."""

import json
import os
import shutil
import signal
import subprocess
import time

from backend import KEYS, PORT
from etcd import PASSWORD, USER
from lab import BACKEND, STORE, agent_address, in_space


def other_version(binary, copy):
    """A copy that says it is another version, for an upgrade: its code is the same."""
    said = subprocess.run([binary, "--version"], capture_output=True, text=True).stdout.split()[-1]
    other = said[:-1] + ("8" if said[-1] == "9" else "9")
    with open(binary, "rb") as file:
        code = file.read()
    with open(copy, "wb") as file:
        file.write(code.replace(said.encode(), other.encode()))
    os.chmod(copy, 0o755)
    says = subprocess.run([copy, "--version"], capture_output=True, text=True).stdout.split()
    return other if says and says[-1] == other else None


class Agent:
    def __init__(self, folder, number, name, binary, settings):
        self.number, self.name, self.space = number, name, f"a{number}"
        self.address = agent_address(number)
        self.binary, self.folder = binary, f"{folder}/{self.space}"
        self.process, self.skew = None, 0
        os.makedirs(self.folder)
        certificates, self.clock = settings["certificates"], settings["clock"]
        self.environment = {**os.environ, "SSL_CERT_FILE": f"{certificates}/ca.crt"}
        etcd = ", ".join(f'"https://{each}:2379"' for each in STORE)
        with open(f"{self.folder}/agent.yaml", "w") as file:
            file.write(f"""agent: {{name: {name}, region: lab, state_dir: {self.folder}/state}}
spool: {{size: 32MiB}}
egress: {{allow: ["10.77.3.0/24:80", "10.77.3.0/24:{PORT}"]}}
quartz:
  url: https://{BACKEND}/v1
  api_key: {next(key for key, member in KEYS.items() if member == name)}
  checks: {{pull: true}}
  deliver: {{every: 10s}}
group:
  name: lab
  ttl: {settings['ttl']}s
  store:
    etcd: [{etcd}]
    user: {USER}
    password: {PASSWORD}
    tls: {{ca_file: {certificates}/ca.crt, client_certificate: {certificates}/agent.crt, client_key: {certificates}/agent.key}}
""")
        os.chmod(f"{self.folder}/agent.yaml", 0o600)

    def start(self, skew=0):
        environment, self.skew = self.environment, skew
        if skew:
            environment = {**environment, "LD_PRELOAD": self.clock, "CLOCK_APART": str(skew)}
        log = open(f"{self.folder}/log", "a")
        self.process = subprocess.Popen(
            in_space(self.space, self.binary, "run", "--config", f"{self.folder}/agent.yaml"), stdout=log, stderr=log,
            stdin=subprocess.DEVNULL, env=environment)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self, limit=40):
        """Seconds it took; None: it had to be killed."""
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(limit)
        except subprocess.TimeoutExpired:
            self.kill()
            return None
        return time.monotonic() - begin

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def is_alive(self):
        return self.process is not None and self.process.poll() is None

    def ask(self, *command, limit=20):
        return subprocess.run(
            in_space(self.space, self.binary, *command, "--config", f"{self.folder}/agent.yaml"), capture_output=True,
            text=True, env=self.environment, timeout=limit).stdout

    def group(self):
        """What it says of the group, or None."""
        try:
            return json.loads(self.ask("group", "--format", "json", limit=10)).get("data")
        except (ValueError, subprocess.TimeoutExpired):
            return None

    def forget(self):
        """Another agent with this name has another state directory."""
        shutil.rmtree(f"{self.folder}/state", ignore_errors=True)
