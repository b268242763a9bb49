# SPDX-License-Identifier: MIT
"""A session of psql that stays open, and what the proofs ask of the database."""
import json
import os
import pathlib
import signal
import subprocess
import time
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
        try:
            self.psql.stdin.write(f"{sql}\n;\n\\echo {self.mark}\n")
            self.psql.stdin.flush()
        except BrokenPipeError:
            raise Refused("08006", "the session is gone") from None

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
            try:
                self.psql.stdin.close()
            except BrokenPipeError:
                pass
            self.psql.wait()


def connect(folder, role=None, seconds=60):
    """A session, as soon as the database takes one."""
    until = time.monotonic() + seconds
    while True:
        try:
            return Session(folder, role)
        except Refused:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


class Server:
    """The database's processes, which prove-loop started by the script `serve` in its folder."""

    def __init__(self, folder):
        self.folder, self.own = pathlib.Path(folder), None

    def processes(self):
        """The first process, and all that it made."""
        first = int((self.folder / "data/postmaster.pid").read_text().split()[0])
        found = [first]
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                if int(stat.read_text().rpartition(")")[2].split()[1]) == first:
                    found.append(int(stat.parent.name))
            except (OSError, ValueError):
                pass
        return found

    def kill(self):
        """All of them at once, as the machine's end would."""
        found = self.processes()
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if self.own:
            self.own.wait()
        # The shell that started it takes note of its end.
        for _ in range(1000):
            if not pathlib.Path(f"/proc/{found[0]}").exists():
                break
            time.sleep(0.01)

    def start(self):
        """Until it serves: what was killed holds its memory for a moment."""
        for _ in range(200):
            with open(self.folder / "postgres.log", "ab") as log:
                self.own = subprocess.Popen([self.folder / "serve"], stdout=log, stderr=log, start_new_session=True)
            while self.own.poll() is None:
                try:
                    return Session(self.folder).close()
                except Refused:
                    time.sleep(0.02)
            time.sleep(0.05)
        raise SystemExit("the database does not come back")


def literal(value):
    text = value if isinstance(value, str) else json.dumps(value)
    return "$q$" + text.replace("$q$", "") + "$q$"


def ingest(key, agent, rows):
    return f"select public.ingest_check_results('{key}', {literal(agent)}::jsonb, {literal(rows)}::jsonb)"
