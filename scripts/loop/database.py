# SPDX-License-Identifier: MIT
"""A session of psql that stays open, and what the proofs ask of the database."""
import json
import os
import signal
import subprocess
import uuid


class Refused(Exception):
    """The database's error; code is its SQLSTATE."""

    def __init__(self, code, words):
        super().__init__(f"{code} {words}")
        self.code = code


class Session:
    def __init__(self, folder, role=None):
        self.folder, self.role = folder, role
        self.start()

    def start(self):
        self.psql = subprocess.Popen(
            ["psql", "-h", self.folder, "-U", "postgres", "-X", "-q", "-A", "-t", "-v", "VERBOSITY=verbose"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.ask("set client_min_messages = error")
        if self.role:
            self.ask(f"set role {self.role}")

    def send(self, sql):
        self.mark = uuid.uuid4().hex
        self.psql.stdin.write(f"{sql}\n;\n\\echo {self.mark}\n")
        self.psql.stdin.flush()

    def answer(self):
        lines = []
        while True:
            line = self.psql.stdout.readline()
            if not line:
                raise Refused("08006", "the session is gone")
            if line.rstrip("\n") == self.mark:
                break
            lines.append(line.rstrip("\n"))
        for line in lines:
            if line.startswith(("ERROR:", "FATAL:")):
                words = line.split(None, 2)
                raise Refused(words[1].rstrip(":"), words[2])
        return "\n".join(lines)

    def ask(self, sql):
        self.send(sql)
        return self.answer()

    def json(self, sql):
        text = self.ask(sql)
        return json.loads(text) if text else None

    def kill(self):
        os.kill(self.psql.pid, signal.SIGKILL)
        self.psql.wait()

    def close(self):
        if self.psql.poll() is None:
            self.psql.stdin.close()
            self.psql.wait()


def literal(value):
    text = value if isinstance(value, str) else json.dumps(value)
    return "$q$" + text.replace("$q$", "") + "$q$"


def ingest(key, agent, rows):
    return f"select public.ingest_check_results('{key}', {literal(agent)}::jsonb, {literal(rows)}::jsonb)"
