# SPDX-License-Identifier: MIT
"""An incident from its begin to its end at a real Alertmanager: it fires, and it is resolved when the agent says so.

Arguments: the agent, an empty folder, the URL of Alertmanager. Exit 0: it was told once, and is over there too.
"""

import http.server
import json
import subprocess
import sys
import threading
import time
import urllib.request
from datetime import datetime, timezone

agent, folder, manager = sys.argv[1:4]
broken = threading.Event()


class Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(503 if broken.is_set() else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *words):
        pass


site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
threading.Thread(target=site.serve_forever, daemon=True).start()
with open(f"{folder}/agent.yaml", "w") as file:
    file.write(f"""agent: {{name: resolve, state_dir: {folder}/state}}
spool: {{size: 16MiB}}
checks:
  - {{name: Shop, type: http, url: "http://127.0.0.1:{site.server_port}/", interval: 1s, timeout: 1s, retries: 0}}
alerts:
  group_wait: 1s
  channels: [{{name: manager, webhook: "{manager}/api/v2/alerts", format: alertmanager}}]
""")


def alerts(active):
    """Those of this check, firing or all."""
    query = "filter=check%3DShop" + ("&active=true&silenced=false&inhibited=false" if active else "")
    with urllib.request.urlopen(f"{manager}/api/v2/alerts?{query}") as answer:
        return json.load(answer)


def wait(what, condition):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.2)
    sys.exit(f"failed: never happened: {what}")


def over():
    """Gone, or with an end that has passed."""
    now = datetime.now(timezone.utc)
    ends = [datetime.fromisoformat(alert["endsAt"].replace("Z", "+00:00")) for alert in alerts(False)]
    return all(end <= now for end in ends)


broken.set()
with open(f"{folder}/log", "w") as log:
    process = subprocess.Popen([agent, "run", "--config", f"{folder}/agent.yaml"], stdout=log, stderr=log)
    try:
        firing = wait("an alert that fires", lambda: alerts(True))
        print("ok   fires:", firing[0]["annotations"]["summary"], firing[0]["labels"]["severity"], "until", firing[0]["endsAt"])
        broken.clear()
        wait("its end", over)
        print("ok   over:", [alert["endsAt"] for alert in alerts(False)] or "Alertmanager has forgotten it")
    finally:
        process.terminate()
        process.wait()
if len(firing) != 1:
    sys.exit(f"failed: {len(firing)} alerts for one incident")
