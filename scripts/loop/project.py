# SPDX-License-Identifier: MIT
"""A Supabase project on a loopback port, as far as agents and apps see it: the edge functions under Deno, each a process with the
rights that it needs, and the database behind the interface of PostgREST.

`/v1/…` is the function public-api. POST /control with {"down": bool, "loseAnswers": n, "tooMany": n} makes it misbehave."""
import collections
import http.client
import http.server
import json
import os
import re
import secrets
import socket
import subprocess
import threading
import time
import urllib.parse

from database import Refused, Session, literal

NAME = re.compile(r"[a-z_]+")
# Not handed on by what stands in the way.
OWN = {"connection", "keep-alive", "transfer-encoding", "host", "content-length", "date", "server"}


class Function:
    """An edge function: Deno with net of the loopback, three names of the environment, and no file, process or other module."""

    def __init__(self, deno, folder, name, environment, log):
        names = ",".join(environment)
        self.process = subprocess.Popen(
            [deno, "run", "--no-prompt", "--no-remote", "--no-npm", "--no-check", "--config", f"{folder}/deno.json",
             "--allow-net=127.0.0.1", f"--allow-env={names}", f"{folder}/{name}/index.ts"],
            stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL, text=True, env={**os.environ, **environment})
        said = self.process.stdout.readline()
        if not said.strip().isdigit():
            raise SystemExit(f"the edge function {name} does not start")
        self.port = int(said)

    def ask(self, method, path, headers, body):
        """Status, headers and body."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            link.request(method, path, body, {name: value for name, value in headers.items() if name.lower() not in OWN})
            answer = link.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            link.close()

    def end(self):
        self.process.terminate()
        self.process.wait()


class Database:
    """Answers as PostgREST does, with a session for each request that is under way."""

    def __init__(self, folder, keys):
        self.folder, self.keys, self.idle, self.lock = folder, keys, {}, threading.Lock()

    def ask(self, role, person, sql):
        with self.lock:
            idle = self.idle.setdefault(role, [])
            session = idle.pop() if idle else None
        session = session or Session(self.folder, role)
        try:
            if person:
                session.ask(f"select set_config('request.jwt.claim.sub', {literal(person)}, false)")
            said = session.ask(sql)
        except Refused as error:
            if error.code[:2] in ("08", "57"):
                # The others went with the database, too.
                with self.lock:
                    lost, self.idle = [session, *sum(self.idle.values(), [])], {}
                for each in lost:
                    each.close()
                raise
            self.keep(role, session)
            raise
        self.keep(role, session)
        return said

    def keep(self, role, session):
        with self.lock:
            self.idle.setdefault(role, []).append(session)

    def answer(self, role, person, method, path, query, body):
        """Status, more headers, and text."""
        try:
            if path.startswith("rpc/") and method == "POST":
                return 200, {}, self.call(role, person, path[4:], json.loads(body))
            return self.list(role, person, path, query)
        except Refused as error:
            # A connection that is lost has a code of PostgREST's own.
            code = "PGRST001" if error.code[:2] == "08" else error.code
            return 503 if code == "PGRST001" else 400, {}, json.dumps({"code": code, "message": str(error)[6:], "details": None, "hint": None})

    def call(self, role, person, name, arguments):
        if name == "validate_api_key":
            return json.dumps(self.keys.get(arguments["p_key"]))
        assert NAME.fullmatch(name) and all(map(NAME.fullmatch, arguments)), name
        words = ", ".join(f"{key} => {self.argument(value)}" for key, value in arguments.items())
        return self.ask(role, person, f"select to_json(public.{name}({words}))") or "null"

    def argument(self, value):
        if value is None or isinstance(value, (bool, int)):
            return json.dumps(value)
        return literal(value) if isinstance(value, str) else f"{literal(value)}::jsonb"

    def list(self, role, person, table, query):
        assert NAME.fullmatch(table), table
        asked = {name: values[-1] for name, values in query.items()}
        assert asked.pop("select") == "*,resources(name)"
        order, first, count = asked.pop("order"), int(asked.pop("offset")), int(asked.pop("limit"))
        where = "true"
        for column, test in asked.items():
            assert NAME.fullmatch(column), column
            word, _, value = test.partition(".")
            where += f" and t.{column} = " + {"eq": lambda: literal(value), "in": lambda: f"any ({literal('{' + value[1:-1] + '}')}::uuid[])"}[word]()
        rows = json.loads(self.ask(role, person, f"""
            select json_build_object('total', count(*), 'rows', coalesce(json_agg(to_jsonb(x) - 'number' order by x.number)
              filter (where x.number > {first} and x.number <= {first + count}), '[]'))
            from (select t.*, json_build_object('name', r.name) as resources, row_number() over (order by t.{order}) as number
              from public.{table} t join public.resources r on r.id = t.resource_id where {where}) x"""))
        return 200, {"Content-Range": f"{first}-{first + count - 1}/{rows['total']}"}, json.dumps(rows["rows"])

    def end(self):
        for session in sum(self.idle.values(), []):
            session.close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body are written one after the other.
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass

    def say(self, status, headers, body):
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in OWN:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def hang_up(self):
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def do_GET(self):
        project = self.server.project
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        url = urllib.parse.urlsplit(self.path)
        if url.path == "/control":
            if self.command == "POST":
                project.faults.update(json.loads(body))
            return self.say(200, [], json.dumps({**project.faults, "instants": project.instants}).encode())
        if url.path == "/sent":
            project.sent.append(json.loads(body))
            return self.say(204, [], b"")
        if url.path.startswith("/rest/v1/"):
            return self.rest(project, url, body)
        if url.path.startswith("/functions/v1/"):
            return self.say(*project.function(url.path.split("/")[3]).ask(self.command, self.path, self.headers, body))
        return self.public(project, body)

    do_POST = do_PUT = do_DELETE = do_OPTIONS = do_GET

    def rest(self, project, url, body):
        role, person = project.bearer(self.headers.get("Authorization", ""))
        if role is None:
            return self.say(401, [], b'{"code":"PGRST301","message":"no such token"}')
        status, headers, text = project.database.answer(role, person, self.command, url.path[9:], urllib.parse.parse_qs(url.query), body)
        return self.say(status, [("Content-Type", "application/json"), *headers.items()], text.encode())

    def public(self, project, body):
        project.instants.append(round(time.time() * 1000))
        if project.faults["down"]:
            return self.hang_up()
        if project.takes("tooMany"):
            return self.say(429, [("Retry-After", "2")], b"")
        answer = project.function("public-api").ask(self.command, self.path, self.headers, body)
        with project.lock:
            project.statuses[answer[0]] += 1
        if self.path.endswith("/check-results") and project.takes("loseAnswers"):
            return self.hang_up()
        return self.say(*answer)


class Project:
    def __init__(self, folder, deno, keys):
        """keys: the ids of the API keys. folder: of the database's socket; the functions are in `functions` of it."""
        self.folder, self.deno, self.lock = folder, deno, threading.Lock()
        self.faults, self.instants, self.sent, self.functions = {"down": False, "loseAnswers": 0, "tooMany": 0}, [], [], {}
        # How many answers of each status were given, those that were lost included.
        self.statuses = collections.Counter()
        self.service, self.anonymous = f"service-{secrets.token_hex(16)}", f"anon-{secrets.token_hex(16)}"
        self.database = Database(folder, keys)
        self.log = open(f"{folder}/functions.log", "ab")
        self.servers = [self.listen(("127.0.0.1", 0))]
        self.port = self.servers[0].server_address[1]

    def listen(self, address, tls=None):
        server = http.server.ThreadingHTTPServer(address, Handler)
        server.daemon_threads, server.project = True, self
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    def bearer(self, header):
        token = header.removeprefix("Bearer ")
        if token.startswith("user:"):
            return "authenticated", token[5:]
        return {self.service: "service_role", self.anonymous: "anon"}.get(token), None

    def misbehave(self, fault):
        """Once more."""
        with self.lock:
            self.faults[fault] += 1

    def takes(self, fault):
        with self.lock:
            if self.faults[fault] < 1:
                return False
            self.faults[fault] -= 1
            return True

    def function(self, name):
        with self.lock:
            if name not in self.functions:
                self.functions[name] = Function(self.deno, f"{self.folder}/functions", name, {
                    "SUPABASE_URL": f"http://127.0.0.1:{self.port}", "SUPABASE_SERVICE_ROLE_KEY": self.service,
                    "SUPABASE_ANON_KEY": self.anonymous}, self.log)
            return self.functions[name]

    def end(self):
        for server in self.servers:
            server.shutdown()
            server.server_close()
        for function in self.functions.values():
            function.end()
        self.database.end()
        self.log.close()
