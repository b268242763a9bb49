# SPDX-License-Identifier: MIT
"""Targets that come and go, receivers that record, and an agent with its configuration."""

import http.server
import json
import os
import pathlib
import signal
import socket
import socketserver
import subprocess
import threading
import time


class Target:
    """A TCP service on an address of its own that goes down and comes up."""

    def __init__(self, host):
        self.host, self.port = host, 0
        self.up()

    def up(self):
        server = socket.socket()
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # A connection that is being closed may have the port for a moment.
        end = time.monotonic() + 10
        while True:
            try:
                server.bind((self.host, self.port))
                break
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)
        self.port = server.getsockname()[1]
        server.listen(64)
        self.socket = server
        threading.Thread(target=self.serve, args=(server,), daemon=True).start()

    def serve(self, server):
        while True:
            try:
                server.accept()[0].close()
            except OSError:
                return

    def down(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()

    def check(self, name, more=""):
        return f"  - {{name: {name}, type: tcp, host: {self.host}, port: {self.port}, interval: 1s, timeout: 500ms{more}}}\n"


class Recorder:
    """Keeps every message with the seconds since the scenario began."""

    def __init__(self):
        self.messages, self.start = [], time.monotonic()
        self.open(0)

    def open(self, port):
        recorder = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                recorder.messages.append((time.monotonic() - recorder.start, body))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def bodies(self):
        return [body for _, body in self.messages]

    def lines(self):
        """Seconds, kind and title of every message."""
        return [f"{at:6.1f} s  {kind(body):<12} {text(body)}" for at, body in self.messages]


def kind(body):
    return body.get("kind") or body.get("event_action")


def text(body):
    return body.get("title") or body.get("payload", {}).get("summary") or body.get("dedup_key", "")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Agent:
    def __init__(self, binary, folder, channels, checks, more="", environment=None, name="london-1", sections=""):
        """`more` goes below `alerts`, `sections` beside it."""
        self.binary, self.folder = binary, pathlib.Path(folder)
        self.name, self.sections, self.environment = name, sections, {**os.environ, **(environment or {})}
        self.folder.mkdir()
        self.status, self.channels, self.more = free_port(), channels, more
        token = self.folder / "token"
        token.write_text("0123456789abcdef0123456789abcdef")
        token.chmod(0o600)
        self.write(checks)
        self.begin()

    def write(self, checks):
        (self.folder / "agent.yaml").write_text(
            f"agent: {{name: {self.name}, state_dir: {self.folder}/state}}\n"
            f"status: {{listen: '127.0.0.1:{self.status}', run_now_token: '${{file:{self.folder}/token}}'}}\n"
            f"{self.sections}alerts:\n  group_wait: 3s\n  group_interval: 10s\n  remind: 60s\n{self.more}  channels:\n{self.channels}"
            f"checks:\n{checks}")

    def begin(self):
        log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(
            [self.binary, "run", "--config", str(self.folder / "agent.yaml")], stdout=log, stderr=log,
            env=self.environment)

    def reload(self, checks):
        self.write(checks)
        self.process.send_signal(signal.SIGHUP)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        self.process.terminate()
        return self.process.wait(timeout=20)

    def run(self, *arguments):
        return subprocess.run(
            [self.binary, *arguments, "--config", str(self.folder / "agent.yaml")], capture_output=True, text=True)

    def incident(self, title):
        """The short id of the open incident whose line has the title."""
        for line in self.run("incidents").stdout.splitlines():
            if title in line and "active" in line:
                return line.split()[0]
        raise AssertionError(f"no open incident {title}: {self.run('incidents').stdout}")


class Mailbox:
    """A mail server. Recipients of `late` are refused for now (452) so many times."""

    def __init__(self, late):
        self.late, self.mails, self.hello, box = dict(late), [], set(), self

        class Talk(socketserver.StreamRequestHandler):
            def say(self, line):
                self.wfile.write(line.encode() + b"\r\n")

            def handle(self):
                self.say("220 box.example ESMTP")
                to = []
                while line := self.rfile.readline().decode().strip():
                    word, _, rest = line.partition(" ")
                    if word == "EHLO":
                        box.hello.add(rest)
                    if word == "MAIL":
                        to = []
                    if word == "RCPT":
                        address = line[line.index("<") + 1:line.index(">")]
                        if box.late.get(address, 0) > 0:
                            box.late[address] -= 1
                            self.say("452 4.2.2 mailbox is full")
                            continue
                        to.append(address)
                    if word == "DATA":
                        self.say("354 go on")
                        box.mails.append((to, b"".join(iter(self.rfile.readline, b".\r\n"))))
                    self.say("221 bye" if word == "QUIT" else "250 OK")

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Talk)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def json_channel(recorder, name="ops", more=""):
    return f"    - {{name: {name}, webhook: 'http://127.0.0.1:{recorder.port}/{name}', format: json{more}}}\n"


def wait(what, isSo, seconds):
    end = time.monotonic() + seconds
    while not isSo():
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {seconds} s")
        time.sleep(0.05)
