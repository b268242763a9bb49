# SPDX-License-Identifier: MIT
"""Three real etcd, with certificates, users and tokens that live for a few seconds."""

import json
import os
import shutil
import subprocess
import time

from lab import STORE, in_space, run

ROOT, USER = "root:lab-root", "agents"
PASSWORD = "lab-agents"
QUOTA = 24 << 20


def make_certificates(folder, addresses, clock):
    """Valid since the day before yesterday, for an agent whose clock is behind. `clock` is clock.c, built."""
    os.makedirs(folder)
    back = ["env", f"LD_PRELOAD={clock}", "CLOCK_APART=-172800", "openssl"]

    def key(name):
        run("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{folder}/{name}.key")

    key("ca")
    run(*back, "req", "-x509", "-new", "-key", f"{folder}/ca.key", "-sha256", "-days", "30", "-subj", "/CN=lab",
        "-out", f"{folder}/ca.crt", "-addext", "basicConstraints=critical,CA:TRUE", "-addext",
        "keyUsage=critical,keyCertSign")
    names = ",".join(f"IP:{each}" for each in [*addresses, "127.0.0.1"]) + ",DNS:localhost"
    for name, use, alternatives in [("server", "serverAuth,clientAuth", names), ("agent", "clientAuth", "DNS:agent")]:
        key(name)
        run("openssl", "req", "-new", "-key", f"{folder}/{name}.key", "-subj", f"/O=lab/OU={name}", "-out",
            f"{folder}/{name}.csr")
        with open(f"{folder}/{name}.ext", "w") as file:
            file.write(f"basicConstraints=critical,CA:FALSE\nextendedKeyUsage={use}\nsubjectAltName={alternatives}\n")
        run(*back, "x509", "-req", "-in", f"{folder}/{name}.csr", "-CA", f"{folder}/ca.crt", "-CAkey",
            f"{folder}/ca.key", "-CAcreateserial", "-sha256", "-days", "30", "-out", f"{folder}/{name}.crt",
            "-extfile", f"{folder}/{name}.ext")


class Store:
    def __init__(self, folder, certificates, token_ttl):
        self.folder, self.certificates, self.token_ttl = folder, certificates, token_ttl
        self.processes = [None] * len(STORE)
        self.world = 0
        os.makedirs(folder)

    def start(self, number):
        cluster = ",".join(f"e{other}=http://{address}:2380" for other, address in enumerate(STORE))
        client, peer = f"https://{STORE[number]}:2379", f"http://{STORE[number]}:2380"
        log = open(f"{self.folder}/e{number}.log", "a")
        tls = self.certificates
        self.processes[number] = subprocess.Popen(
            in_space(
                f"e{number}", "etcd", "--name", f"e{number}", "--data-dir", f"{self.folder}/e{number}",
                "--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", peer,
                "--initial-advertise-peer-urls", peer, "--initial-cluster", cluster, "--initial-cluster-token",
                f"world-{self.world}", "--auth-token", "simple", "--auth-token-ttl", str(self.token_ttl),
                "--quota-backend-bytes", str(QUOTA), "--log-level", "error", "--cert-file", f"{tls}/server.crt",
                "--key-file", f"{tls}/server.key", "--client-cert-auth", "--trusted-ca-file", f"{tls}/ca.crt"),
            stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def kill(self, number):
        self.processes[number].kill()
        self.processes[number].wait()

    def stop(self, number):
        self.processes[number].terminate()
        try:
            self.processes[number].wait(10)
        except subprocess.TimeoutExpired:
            self.kill(number)

    def start_all(self):
        for number in range(len(STORE)):
            self.start(number)
        self.wait_for_leader()
        self.make_users()

    def wipe(self):
        for number in range(len(STORE)):
            self.kill(number)
            shutil.rmtree(f"{self.folder}/e{number}")
        self.world += 1

    def ctl(self, *arguments, endpoints=STORE, text=None, user=ROOT, limit=8):
        tls = self.certificates
        command = ["etcdctl", "--endpoints", ",".join(f"https://{each}:2379" for each in endpoints), "--cacert",
                   f"{tls}/ca.crt", "--cert", f"{tls}/agent.crt", "--key", f"{tls}/agent.key", "--dial-timeout", "2s",
                   "--command-timeout", "4s"]
        if user:
            command += ["--user", user]
        try:
            return subprocess.run(
                [*command, *arguments], env={**os.environ, "ETCDCTL_API": "3"}, capture_output=True, text=True,
                input=text, timeout=limit)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(arguments, 1, "", "it took too long")

    def insist(self, *arguments, limit=30, **more):
        """Until it is done: the store may have no leader at the moment."""
        end = time.monotonic() + limit
        while (done := self.ctl(*arguments, **more)).returncode != 0 and time.monotonic() < end:
            time.sleep(0.3)
        return done

    def make_users(self):
        self.insist("user", "add", ROOT, user=None)
        self.insist("user", "grant-role", "root", "root", user=None)
        self.insist("role", "add", USER, user=None)
        self.insist("role", "grant-permission", USER, "--prefix=true", "readwrite", "/quartz/lab/", user=None)
        self.insist("user", "add", f"{USER}:{PASSWORD}", user=None)
        self.insist("user", "grant-role", USER, USER, user=None)
        self.insist("auth", "enable", user=None)

    def status(self, number):
        try:
            return json.loads(self.ctl(
                "endpoint", "status", "-w", "json", endpoints=[STORE[number]], user=None, limit=3).stdout)[0]["Status"]
        except (ValueError, IndexError, KeyError):
            return None

    def leader(self):
        """A number, or None."""
        for number, process in enumerate(self.processes):
            if process and process.poll() is None:
                status = self.status(number)
                if status and status.get("leader") == status["header"]["member_id"]:
                    return number
        return None

    def wait_for_leader(self, limit=30):
        end = time.monotonic() + limit
        while time.monotonic() < end:
            leader = self.leader()
            if leader is not None:
                return leader
            time.sleep(0.2)
        return None

    def revision(self):
        done = self.insist("get", "nothing", "-w", "json")
        return json.loads(done.stdout)["header"]["revision"] if done.returncode == 0 else None

    def compact(self):
        """Some noise, then everything before now is forgotten."""
        for number in range(5):
            self.ctl("put", "noise", str(number))
        revision = self.revision()
        return revision is not None and self.ctl("compact", str(revision)).returncode == 0

    def change_password(self):
        """All tokens of the agents' user end with it."""
        return self.insist("user", "passwd", USER, "--interactive=false", text=PASSWORD + "\n")

    def fill(self):
        """Until it takes no more: the alarm is raised."""
        for _ in range(60):
            done = self.ctl("put", "filler", text="x" * 1_000_000)
            if "space" in done.stderr:
                return True
        return False

    def make_space(self):
        revision = self.revision()
        if revision:
            self.insist("compact", str(revision), limit=3)
        for address in STORE:
            self.insist("defrag", endpoints=[address], limit=10)
        self.insist("alarm", "disarm")
        self.insist("del", "filler")

    def end(self):
        for process in self.processes:
            if process:
                process.kill()
                process.wait()
