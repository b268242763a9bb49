# SPDX-License-Identifier: MIT
"""A source of targets that come and go, an agent that follows it, and what that costs: see scripts/prove-churn."""

import http.client
import http.server
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time


class Source:
    """Each answer has `new` targets that were never there, in the place of the oldest."""

    def __init__(self, targets, new):
        self.targets, self.new, self.first, self.answers = targets, new, 0, 0
        source = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = source.answer()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self):
        names = [f"host-{number}.test:80" for number in range(self.first, self.first + self.targets)]
        self.first += self.new
        self.answers += 1
        return json.dumps([{"targets": names}]).encode()


def listener():
    """Takes every connection and says nothing: what the checks dial."""
    server = socket.create_server(("127.0.0.1", 0), backlog=4096)

    def serve():
        while True:
            connection, _ = server.accept()
            connection.close()

    threading.Thread(target=serve, daemon=True).start()
    return server.getsockname()[1]


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=20)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(20)
        self.sock.connect(self.path)


def metrics(path):
    try:
        connection = UnixConnection(path)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
    except OSError:
        return {}
    return dict(re.findall(r"^(quartz_(?:gone|state)[a-z_]*) ([0-9.e+]+)$", text, re.M))


def memory(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        found = re.search(r"VmRSS:\s+(\d+) kB", file.read())
    return int(found.group(1)) / 1024 if found else 0


def folder_size(folder):
    """Bytes and files without the store of results, which has its size from the start."""
    count = size = 0
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != "spool"]
        for name in files:
            try:
                size += os.lstat(os.path.join(place, name)).st_size
                count += 1
            except FileNotFoundError:
                pass
    return count, size


def main():
    binary, folder = sys.argv[1:3]
    minutes, targets, new = map(int, sys.argv[3:6])
    source, port = Source(targets, new), listener()
    state = os.path.join(folder, "state")
    with open(os.path.join(folder, "agent.yaml"), "w", encoding="ascii") as file:
        file.write(
            f"""agent: {{name: churn, state_dir: {state}}}
spool: {{size: 16MiB, durability: interval}}
templates: {{t: {{type: tcp, host: 127.0.0.1, port: {port}, interval: 60s, timeout: 5s, retries: 0}}}}
discover: [{{http: "http://127.0.0.1:{source.port}/", extends: t, refresh: 10s}}]
checks: []
""")
    with open(os.path.join(folder, "log"), "wb") as log:
        process = subprocess.Popen([binary, "run", "--config", os.path.join(folder, "agent.yaml")], stderr=log)
    lines = []
    try:
        for minute in range(1, minutes + 1):
            end = time.monotonic() + 60
            while time.monotonic() < end and process.poll() is None:
                time.sleep(0.2)
            if process.poll() is not None:
                sys.exit(f"the agent ended with {process.returncode}: see its log\n{tail(folder)}")
            files, size = folder_size(state)
            figures = metrics(os.path.join(state, "agent.sock"))
            line = {"minute": minute, "names": source.first - new + targets, "rss": memory(process), "files": files,
                    "size": size, "gone": int(float(figures.get("quartz_gone_checks", "nan").replace("nan", "-1"))),
                    "forgotten": int(float(figures.get("quartz_gone_checks_forgotten_total", "-1")))}
            lines.append(line)
            print(f"minute {minute}: {line['names']} names so far, {line['rss']:.0f} MiB, state_dir {files} files and "
                  f"{size / 1048576:.1f} MiB, {line['gone']} gone checks kept, {line['forgotten']} forgotten", flush=True)
    finally:
        process.terminate()
        process.wait(30)
    judge(lines, targets, folder)


def tail(folder):
    with open(os.path.join(folder, "log"), encoding="utf-8", errors="replace") as file:
        return "".join(file.readlines()[-15:])


def judge(lines, targets, folder):
    # Those of now and of the answer before, those that are kept, and what is beside the history.
    most = (2 * targets + 20_000) // 256 + 20
    last = lines[-1]
    if last["files"] > most:
        sys.exit(f"state_dir has {last['files']} files, {most} are allowed")
    if last["gone"] > 20_000:
        sys.exit(f"{last['gone']} gone checks are kept")
    with open(os.path.join(folder, "log"), encoding="utf-8", errors="replace") as file:
        if "the configuration was not reloaded" in file.read():
            sys.exit(f"a configuration was refused\n{tail(folder)}")
    full = [line for line in lines if line["forgotten"] > 0]
    if len(full) >= 4:
        half = len(full) // 2
        before = max(line["rss"] for line in full[:half])
        after = max(line["rss"] for line in full[half:])
        if after > before * 1.1:
            sys.exit(f"memory goes on growing at the cap: from {before:.0f} to {after:.0f} MiB")
        print(f"at the cap: {before:.0f} MiB at most in the first half, {after:.0f} MiB in the second")


main()
