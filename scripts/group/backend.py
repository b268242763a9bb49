# SPDX-License-Identifier: MIT
"""The outside: the API that gives the list of checks and takes the results, and the servers that are probed.

It writes down every row and every probe as it comes, the rows by id as the real ingest does: one that is known is a
duplicate. Standard input says how it behaves, a word a line: ok, error, silent (no answer), lost (stored, no answer).
Arguments: folder of certificates, folder for rows.ndjson and probes.ndjson, number of checks, interval in seconds; and the folder
of the real receiving end (quartz.py), which has the list and takes the results then.
"""

import asyncio
import json
import ssl
import sys
import time
import urllib.parse

from lab import BACKEND, TARGETS

NAMES = ["ada", "ben", "cay", "dot", "eve"]
# A key of each member.
KEYS = {f"qtz_lab_{name}": name for name in NAMES}
PORT = 9000


def check_id(number):
    return f"00000000-0000-4000-8000-{number:012d}"


def checks_of(count, interval):
    rows = []
    for number in range(count):
        place = number % len(TARGETS)
        row = {
            "id": check_id(number), "resource_id": check_id(900_000 + place), "is_enabled": True,
            "resources": {"name": f"Site {number}"}, "check_interval_seconds": interval, "timeout_seconds": 5,
            "retry_count": 0, "retry_delay_ms": 0, "confirmation_delay_ms": 0,
        }
        if number < len(TARGETS):
            row |= {"check_type": "port", "ip_address": TARGETS[place], "port": PORT}
        else:
            row |= {"check_type": "http", "url": f"http://{TARGETS[place]}/{number}"}
        rows.append(row)
    return rows


class Outside:
    def __init__(self, folder, checks, interval, functions):
        self.functions = functions
        self.rows = open(f"{folder}/rows.ndjson", "a", buffering=1)
        self.probes = open(f"{folder}/probes.ndjson", "a", buffering=1)
        self.checks, self.interval = checks, interval
        self.known, self.mood = set(), "ok"

    async def read(self, reader):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ", 2)
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        return method, path, fields, await reader.readexactly(int(fields.get("content-length", 0)))

    def probe(self, writer, check):
        self.probes.write(json.dumps(
            {"at": time.time(), "from": writer.get_extra_info("peername")[0], "check": check}) + "\n")

    async def web(self, reader, writer):
        try:
            while True:
                _, path, _, _ = await self.read(reader)
                self.probe(writer, int(path.strip("/")))
                check = int(path.strip("/"))
                status = "500 No" if self.functions and self.functions.fails(check, self.interval) else "200 OK"
                writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\nok".encode())
                await writer.drain()
        except (OSError, ValueError, asyncio.IncompleteReadError):
            pass
        writer.close()

    async def port(self, reader, writer):
        self.probe(writer, TARGETS.index(writer.get_extra_info("sockname")[0]))
        try:
            await asyncio.wait_for(reader.read(1), 10)
        except (OSError, TimeoutError, asyncio.TimeoutError):
            pass
        writer.close()

    async def api(self, reader, writer):
        try:
            while True:
                method, path, fields, body = await self.read(reader)
                mood = self.mood
                if mood == "silent":
                    await asyncio.sleep(90)
                    break
                status, text = await self.reply(mood, method, path, fields, body)
                if mood == "lost" and method == "POST":
                    break
                writer.write(
                    f"HTTP/1.1 {status} It is so\r\nContent-Type: application/json\r\n"
                    f"Content-Length: {len(text)}\r\n\r\n".encode() + text)
                await writer.drain()
        except (OSError, ValueError, asyncio.IncompleteReadError):
            pass
        writer.close()

    async def reply(self, mood, method, path, fields, body):
        if mood == "error":
            return 503, b'{"success": false}'
        if self.functions:
            return await asyncio.get_running_loop().run_in_executor(
                self.functions.pool, self.functions.ask, method, path, fields, body)
        status, answer = self.answer(method, path, fields, body)
        return status, json.dumps(answer).encode()

    def answer(self, method, path, fields, body):
        member = KEYS.get(fields.get("x-api-key"))
        if member is None:
            return 401, {"success": False, "error": {"code": "UNAUTHORIZED", "message": "no such key"}}
        route, _, query = path.partition("?")
        if route == "/v1/check-results" and method == "POST":
            batch = json.loads(body)
            if batch["agent"]["name"] != member:
                return 403, {"success": False, "error": {"code": "42501", "message": "not the key of this agent"}}
            return 200, {"success": True, "data": self.store(batch)}
        if route in ("/v1/monitoring-checks", "/v1/maintenance-windows") and method == "GET":
            asked = urllib.parse.parse_qs(query)
            page, size = int(asked.get("page", ["1"])[0]), min(100, int(asked.get("per_page", ["50"])[0]))
            rows = checks_of(self.checks, self.interval) if route.endswith("checks") else []
            return 200, {"success": True, "data": rows[(page - 1) * size:page * size], "meta": {
                "page": page, "per_page": size, "total": len(rows), "total_pages": -(-len(rows) // size)}}
        return 404, {"success": False, "error": {"code": "NOT_FOUND", "message": "no such route"}}

    def store(self, batch):
        accepted = 0
        for row in batch["results"]:
            is_new = row["id"] not in self.known
            self.known.add(row["id"])
            accepted += is_new
            self.rows.write(json.dumps({
                "at": time.time(), "agent": batch["agent"]["name"], "version": batch["agent"]["version"],
                "id": row["id"], "check": int(row["monitoring_check_id"][-12:]), "slot": row["scheduled_at"],
                "checked": row["checked_at"], "status": row["status"], "new": is_new}) + "\n")
        return {"accepted": accepted, "duplicates": len(batch["results"]) - accepted, "rejected": []}


async def main():
    functions = None
    if len(sys.argv) > 5:
        from quartz import Functions
        functions = Functions(sys.argv[5])
    outside = Outside(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), functions)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(f"{sys.argv[1]}/server.crt", f"{sys.argv[1]}/server.key")
    await asyncio.start_server(outside.api, BACKEND, 443, ssl=tls)
    for address in TARGETS:
        await asyncio.start_server(outside.web, address, 80)
        await asyncio.start_server(outside.port, address, PORT)
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    print("ready", flush=True)
    while line := await orders.readline():
        outside.mood = line.decode().strip()


if __name__ == "__main__":
    asyncio.run(main())
