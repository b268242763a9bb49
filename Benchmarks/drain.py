# SPDX-License-Identifier: MIT
"""How fast a backlog goes to a receiver that was away, within the limits of requests that the agent keeps: it is away until
a quarter of a million results wait, and then takes what comes while the checks go on at a quiet pace."""

import contextlib
import http.server
import json
import signal
import threading
import time

import agent as agents
import servers
from agent import check_id, row

CHECKS, FILL = 1000, 265
# What an hour's budget lets through, so that the hour is decided before it is over.
GOAL, HOUR = 250_000, 3600


class Receiver(http.server.ThreadingHTTPServer):
    """Takes every row and remembers only how many there were, and which came twice."""

    def __init__(self, port):
        super().__init__(("127.0.0.1", port), Answer)
        self.rows, self.twice, self.requests, self.seen = 0, 0, 0, set()


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        results = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["results"]
        for each in results:
            self.server.twice += each["id"] in self.server.seen
            self.server.seen.add(each["id"])
        self.server.rows += len(results)
        self.server.requests += 1
        body = json.dumps({"success": True, "data": {"accepted": len(results), "duplicates": 0, "rejected": []}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Nobody reads it."""


@contextlib.contextmanager
def receiving(port):
    receiver = Receiver(port)
    thread = threading.Thread(target=receiver.serve_forever, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.shutdown()
        receiver.server_close()
        thread.join()


def checks(port, interval):
    return [f"id: {check_id(n)}, name: c{n}, type: tcp, host: 127.0.0.1, port: {port}, interval: {interval}, post: true"
            for n in range(CHECKS)]


def drain(book, binary, folder, fill, judged):
    home = agents.new_folder(folder, "drain")
    away = servers.free_port()
    (home / "key").write_text("bench-key\n")
    (home / "key").chmod(0o600)
    head = (f"spool: {{size: 256MiB, durability: always}}\n"
            f"quartz: {{url: \"http://127.0.0.1:{away}\", api_key: \"${{file:key}}\"}}\n"
            "limits: {in_flight_per_host: 2000}\n")
    with servers.listener([servers.binary("tcp_accept")], home) as tcp:
        agents.write_config(home, checks(tcp, "1s"), head)
        with agents.running(binary, home) as agent:
            agent.wait_until_up()
            time.sleep(fill)
            agents.write_config(home, checks(tcp, "60s"), head)
            agent.child.send_signal(signal.SIGHUP)
            time.sleep(2)
            waiting = agent.summary()["spool"]["depth"]
            with receiving(away) as receiver:
                start = time.monotonic()
                goal = min(GOAL, waiting)
                while receiver.rows < goal and time.monotonic() - start < HOUR:
                    time.sleep(1)
                taken, rows, requests = time.monotonic() - start, receiver.rows, receiver.requests
                twice = receiver.twice
    print(f"\nBacklog: {waiting:,} results waited for a receiver that came back; {rows:,} of them and of new ones in {taken:.0f} s, "
          f"{requests} requests, {twice} twice")
    if judged:
        # The hour is not waited for to its end once it holds what is promised.
        book.tell("drain", rows, note=f"after {taken / 60:.1f} min")
    else:
        row("they were there after:", f"{taken:.0f} s")
        book.skip(f"{waiting:,} results are no quarter of a million", "drain")
    return {"waiting": waiting, "rows": rows, "seconds": taken, "requests": requests, "twice": twice}
