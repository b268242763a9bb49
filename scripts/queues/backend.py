# SPDX-License-Identifier: MIT
"""The API on loopback: gives the list of checks of a file, takes results.

Argument: the file of rows. Writes its port as one line.
"""

import http.server
import json
import sys
import urllib.parse


class API(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, document):
        body = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        route, _, query = self.path.partition("?")
        asked = urllib.parse.parse_qs(query)
        page, size = int(asked.get("page", ["1"])[0]), min(100, int(asked.get("per_page", ["50"])[0]))
        rows = []
        if route.endswith("/monitoring-checks"):
            with open(sys.argv[1]) as file:
                rows = json.load(file)
        self.answer({"success": True, "data": rows[(page - 1) * size:page * size], "meta": {
            "page": page, "per_page": size, "total": len(rows), "total_pages": -(-len(rows) // size)}})

    def do_POST(self):
        batch = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer({"success": True, "data": {
            "accepted": len(batch.get("results", [])), "duplicates": 0, "rejected": []}})


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), API)
print(server.server_address[1], flush=True)
server.serve_forever()
