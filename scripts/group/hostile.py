# SPDX-License-Identifier: MIT
"""A group's store that means harm: a list of hostile checks and members with hostile urls, handed to a real agent by a
real etcd, in a network namespace where every packet is seen and every address would answer.

Run as `unshare -n -m python3 hostile.py AGENT FOLDER`. Exit 1: a packet went where none may go, a member's url was dialled
for a probe, or a check was not looked at.
"""

import base64
import collections
import hashlib
import http.client
import http.server
import ipaddress
import json
import os
import signal
import socket
import socketserver
import struct
import subprocess
import sys
import threading
import time
import uuid

AGENT, FOLDER = os.path.realpath(sys.argv[1]), sys.argv[2]
os.chdir(FOLDER)
# Public; and where the administrator's own check goes, which shows that packets are seen.
SITE, NAMES, WITNESS = "8.8.8.8", "8.8.4.4", "172.20.0.9"
V4 = """0.0.0.0 0.1.2.3 10.0.0.5 10.255.255.1 100.64.0.9 127.0.0.1 127.8.8.8 169.254.169.254 169.254.170.2 169.254.1.1
172.16.0.1 172.31.9.9 192.0.0.192 192.0.2.77 192.168.0.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.251 240.0.0.1
255.255.255.255 168.63.129.16 100.100.100.200""".split()
V6 = """:: ::1 fc00::5 fd00:ec2::254 fe80::1 fec0::1 ff02::1 2001:db8::7 100::1 ::ffff:127.0.0.1 ::ffff:10.0.0.5
::ffff:169.254.169.254 ::127.0.0.1 64:ff9b::10.0.0.5 64:ff9b::169.254.169.254 2002:7f00:1::1 2002:a9fe:a9fe::1
2001:0:808:808:8000:63bf:80ff:fffe 2600::5efe:10.0.0.5""".split()
# What libraries read as an address and people do not.
SPELLINGS = """2852039166 0xa9fea9fe 0251.0376.0251.0376 169.254.43518 0xa9.0xfe.0xa9.0xfe 0x7f.1 127.1 0 0177.0.0.1
017700000001 2130706433 0x7f000001 localhost localhost. LOCALHOST foo.localhost ip6-localhost metadata.google.internal
169\u3002254\u3002169\u3002254 \u2460\u2461\u2466.0.0.1 169.254.169.254. [::ffff:a9fe:a9fe] [0:0:0:0:0:ffff:a9fe:a9fe]
[fe80::1%25lo] [::1%25lo] 10.0.0.5%00.example""".split()


def port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run(line):
    subprocess.run(line.split(), check=True, stdout=subprocess.DEVNULL)


def network():
    run("mount --make-rprivate /")
    for line in ("ip link set lo up", f"ip addr add {SITE}/32 dev lo", f"ip addr add {NAMES}/32 dev lo",
                 "ip addr add 10.0.0.5/32 dev lo", "ip addr add 192.168.0.1/32 dev lo",
                 "ip addr add 169.254.169.254/32 dev lo", "ip -6 addr add fc00::5/128 dev lo",
                 "ip -6 addr add fd00:ec2::254/128 dev lo", "ip route add default dev lo",
                 "ip -6 route add default dev lo", "ip route add local 100.64.0.0/10 dev lo",
                 "ip route add local 172.16.0.0/12 dev lo"):
        run(line)
    for name, text in (("resolv.conf", f"nameserver {NAMES}\n"), ("hosts", "127.0.0.1 localhost\n")):
        with open(name, "w") as file:
            file.write(text)
        run(f"mount --bind {os.path.abspath(name)} /etc/{name}")


class Capture(threading.Thread):
    """Every packet's destination; on loopback also its ports."""

    def __init__(self, own):
        super().__init__(daemon=True)
        self.own, self.seen = own, collections.Counter()
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))
        self.socket.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)
        self.start()

    def run(self):
        while True:
            packet, address = self.socket.recvfrom(65536)
            # Loopback shows each packet going out and coming in: PACKET_OUTGOING is 4.
            if address[2] != 4:
                continue
            if packet[0] >> 4 == 4:
                at, target = (packet[0] & 15) * 4, ipaddress.ip_address(packet[16:20])
                kind = packet[9]
            else:
                at, target, kind = 40, ipaddress.ip_address(packet[24:40]), packet[6]
            ports = struct.unpack("!HH", packet[at:at + 4]) if kind in (6, 17) and len(packet) >= at + 4 else (0, 0)
            if target.is_loopback and set(ports) & self.own:
                self.seen["own"] += 1
            else:
                self.seen[str(target)] += 1

    def lost(self):
        return struct.unpack("II", self.socket.getsockopt(263, 6, 8))[1]


class LyingNames(socketserver.BaseRequestHandler):
    """The first label of a name says what is answered."""

    asked = collections.Counter()

    def handle(self):
        request, link = self.request
        end = 12
        labels = []
        while request[end]:
            labels.append(request[end + 1:end + 1 + request[end]].decode("latin-1"))
            end += request[end] + 1
        question = request[12:end + 5]
        kind = struct.unpack("!H", request[end + 1:end + 3])[0]
        self.asked[question] += 1
        trick, _, digits = labels[0].partition("-")
        answers = []
        try:
            bad = bytes.fromhex(digits)
        except ValueError:
            bad = b""
        own = 1 if len(bad) == 4 else 28
        good = [(1, bytes([8, 8, 8, 8]))] if kind == 1 else []
        if not bad:
            answers = good
        elif trick == "mixed":
            answers = ([(own, bad)] if kind == own else []) + good
        elif trick == "rebind" and self.asked[question] == 1:
            answers = good
        elif kind == own:
            answers = [(own, bad)]
        body = b"".join(b"\xc0\x0c" + struct.pack("!HHIH", each, 1, 0, len(data)) + data for each, data in answers)
        link.sendto(request[:2] + struct.pack("!HHHHH", 0x8180, 1, len(answers), 0, 0) + question + body,
                    self.client_address)


class Site(http.server.BaseHTTPRequestHandler):
    """/302/hex redirects there; /endless has a body without end; all else is 200."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        parts = self.path.strip("/").split("/")
        try:
            if parts[0] == "endless":
                self.send_response(200)
                self.end_headers()
                while True:
                    self.wfile.write(b"x" * 65536)
            status = int(parts[0]) if parts[0].isdigit() else 200
            self.send_response(status)
            if len(parts) > 1:
                self.send_header("Location", bytes.fromhex(parts[1]).decode())
            self.send_header("Content-Length", "0")
            self.end_headers()
        except (OSError, ValueError):
            self.close_connection = True

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


class Trap(Site):
    """Where the members' cards say that they can be asked."""

    asked = []

    def do_GET(self):
        self.asked.append(self.path)
        super().do_GET()

    do_HEAD = do_POST = do_GET


def serve(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def in_url(address):
    return f"[{address}]" if ":" in address else address


def named(trick, address):
    return f"{trick}-{ipaddress.ip_address(address).packed.hex()}.test"


def redirect(url, status=302):
    return f"http://{SITE}/{status}/{url.encode().hex()}"


def hostile(trap, etcd):
    """Rows as the API has them; a kind, and what it is pointed at."""
    rows = []

    def add(kind, what, /, **columns):
        rows.append((what, {"check_type": kind, **columns}))

    for address in V4 + V6:
        host = in_url(address)
        add("http", "address", url=f"http://{host}/")
        add("http", "address", url=f"https://{host}:8080/x")
        add("port", "address", ip_address=address, port=443)
        add("ping", "address", ip_address=address)
        add("ssl", "address", url=f"https://{host}/")
        for trick in ("only", "mixed", "rebind"):
            add("http", f"name, {trick}", url=f"http://{named(trick, address)}/{503 if trick == 'rebind' else 200}",
                retry_count=2, retry_delay_ms=100)
        add("port", "name, only", ip_address=named("only", address), port=80)
        add("http", "redirect", url=redirect(f"http://{host}/"))
        add("http", "redirect", url=redirect(f"http://{named('only', address)}/", 307))
        add("http", "redirect", url=redirect(redirect(f"http://{host}:8080/"), 301))
    for word in SPELLINGS:
        add("http", "spelling", url=f"http://{word}/latest/meta-data/")
        add("port", "spelling", ip_address=word.strip("[]"), port=80)
        add("http", "redirect", url=redirect(f"http://{word}/"))
    for url in ("file:///etc/passwd", "ftp://10.0.0.5/", "gopher://127.0.0.1:70/_x", "dict://127.0.0.1:11211/stat",
                "unix:/run/docker.sock", "http+unix://%2Frun%2Fdocker.sock/info", "ldap://10.0.0.5/", "jar:http://10.0.0.5!/",
                "//10.0.0.5/", "http:10.0.0.5", "javascript:alert(1)", "exec:/bin/sh", "$(reboot)", "`id`", "|sh"):
        add("http", "scheme", url=url)
        add("http", "redirect", url=redirect(url))
        add("ssl", "scheme", url=url)
        add("port", "scheme", ip_address=url, port=80)
    # The store's own door, and that of the members.
    for own in (trap, etcd):
        add("http", "own door", url=f"http://127.0.0.1:{own}/")
        add("port", "own door", ip_address="127.0.0.1", port=own)
        add("http", "redirect", url=redirect(f"http://127.0.0.1:{own}/v3/kv/range", 307))
    for url in (f"http://{SITE}@10.0.0.5/", "http://10.0.0.5#@8.8.8.8/", "http://8.8.8.8\\@10.0.0.5/",
                "http://8.8.8.8:80@10.0.0.5/", "http://10.0.0.5\t.test/", "http://8.8.8.8/\r\nHost: 10.0.0.5",
                "http://[::ffff:10.0.0.5", "http://" + "a." * 5000 + "test/", "http://8.8.8.8/" + "x" * 20000):
        add("http", "crooked url", url=url)
    site = f"http://{SITE}/200"
    for headers in ({"X": "a\r\nHost: 10.0.0.5"}, {"Host": "169.254.169.254"}, {"X\r\nY": "1"}, {"": "1"},
                    {"Transfer-Encoding": "chunked"}, {"Content-Length": "99999999"}, {"Connection": "upgrade"},
                    {"X": "y" * 30000}, {"X": 7}, ["X"], "X", 7):
        add("http", "headers", url=site, custom_headers=headers)
    for auth, credentials in (("basic", {"username": "a\r\nb", "password": "c"}), ("bearer", {"token": "x\ny"}),
                              ("oauth2", {"token_url": "https://10.0.0.5/t"}), ("ntlm", {}), ("basic", [])):
        add("http", "credentials", url=site, http_auth_type=auth, http_auth_credentials=credentials)
    for method in ("POST", "DELETE", "CONNECT", "GET\r\nX: 1", "TRACE", "get"):
        add("http", "method", url=site, http_method=method)
    for seconds in (-1, 0, 1, 2147483647):
        add("http", "times", url=site, check_interval_seconds=seconds, timeout_seconds=seconds)
        add("http", "times", url=site, retry_count=seconds, retry_delay_ms=seconds, confirmation_delay_ms=seconds)
    add("keyword", "endless body", url=f"http://{SITE}/endless", keyword_value="y")
    for word in ("(a+)+$", "(?R)", "x" * 40000, "\0", "/(.*a){30}/"):
        add("keyword", "pattern", url=site, keyword_value=word)
        add("keyword", "pattern", url=site, keyword_value=word, keyword_type="regex")
    for kind in ("shell", "exec", "script", "", "http\0", "heartbeat", "azure_metric", "x" * 1000):
        add(kind, "kind", url=site, ip_address=SITE, port=80)
    for number in (-1, 0, 65536, 2147483647):
        add("port", "port", ip_address=SITE, port=number)
    made = []
    for number, (what, columns) in enumerate(rows):
        # Some ids twice: the first one counts.
        mark = uuid.UUID(int=(0xabc << 108) | (number - number % 97 if number % 97 == 5 else number) << 64 | 1)
        made.append((what, {
            "id": str(mark), "resource_id": str(uuid.UUID(int=7)), "resources": {"name": f"r {number}"},
            "is_enabled": True, "check_interval_seconds": 60, "timeout_seconds": 5, "retry_count": 0, **columns}))
    return made


class Store:
    def __init__(self, door):
        self.door = door

    def call(self, path, body):
        link = http.client.HTTPConnection("127.0.0.1", self.door)
        link.request("POST", "/v3/" + path, json.dumps(body))
        return json.loads(link.getresponse().read())

    def put(self, key, value):
        text = base64.b64encode(key.encode()).decode()
        self.call("kv/put", {"key": text, "value": base64.b64encode(value).decode()})

    def publish(self, rows):
        parts = [b'{"version":1,"cut":false}']
        batch = []
        for row in rows + [None]:
            if row is None or len(json.dumps({"checks": batch + [row]})) > 48000:
                parts.append(json.dumps({"checks": batch}).encode())
                batch = []
            batch.append(row)
        for number, part in enumerate(parts):
            self.put(f"/quartz/london/c/{1:016d}/{number:06d}", part)
        head = {"version": 1, "n": len(parts), "sha256": hashlib.sha256(b"".join(parts)).hexdigest()}
        self.put("/quartz/london/c/head", json.dumps(head).encode())


def cards(store, trap):
    """Members that divide no checks with the agent, so that it has to look at all; each with a url of its own."""
    urls = [f"http://127.0.0.1:{trap}/", "http://169.254.169.254/latest/", "http://10.0.0.5:9/", "file:///etc/passwd",
            "http://[fd00:ec2::254]/", f"http://127.0.0.1:{trap}/\r\nX: y", "gopher://127.0.0.1:70/"]
    for number, url in enumerate(urls):
        mark = str(uuid.UUID(int=number + 1))
        store.put(f"/quartz/london/m/evil-{number}", json.dumps({
            "boot": mark, "home": mark, "version": "9", "weight": 1000, "url": url, "applied": 1 << 60, "clock_ms": 0,
            "pulls": False, "pool_api": f"other-{number}", "pool_file": ""}).encode())


def agent(*arguments):
    return subprocess.run([AGENT, *arguments, "--config", "agent.yaml"], capture_output=True, text=True)


def configure(etcd, closed):
    with open("agent.yaml", "w") as file:
        file.write(f"""agent: {{name: london-1, state_dir: {FOLDER}/state}}
spool: {{size: 64MiB}}
limits: {{destinations: 100000, remote_interval_min: 10s}}
quartz: {{url: "http://127.0.0.1:{closed}/v1", api_key: hostile, checks: {{pull: true}}, deliver: {{to: "off"}}}}
group: {{name: london, ttl: 5s, store: {{etcd: ["http://127.0.0.1:{etcd}"]}}}}
checks:
  - {{name: Witness, type: tcp, host: {WITNESS}, port: 4, interval: 10s, timeout: 2s, post: true}}
""")


def results():
    made = {}
    for line in agent("spool", "export").stdout.splitlines():
        row = json.loads(line)
        made[row["check_id"]] = (row["state"], row["reason"], row.get("address"))
    return made


def main():
    network()
    etcd, peer, closed, trap = port(), port(), port(), port()
    serve(socketserver.ThreadingUDPServer((NAMES, 53), LyingNames))
    serve(http.server.ThreadingHTTPServer((SITE, 80), Site))
    serve(http.server.ThreadingHTTPServer(("127.0.0.1", trap), Trap))
    store = Store(etcd)
    # Its election speaks over loopback; the API's port has nobody.
    capture = Capture({etcd, peer, closed})
    processes = [subprocess.Popen(
        ["etcd", "--data-dir", "etcd", "--listen-client-urls", f"http://127.0.0.1:{etcd}", "--advertise-client-urls",
         f"http://127.0.0.1:{etcd}", "--listen-peer-urls", f"http://127.0.0.1:{peer}",
         "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}", "--initial-cluster",
         f"default=http://127.0.0.1:{peer}", "--log-level", "error"],
        stdout=open("etcd.log", "w"), stderr=subprocess.STDOUT)]
    try:
        for _ in range(100):
            try:
                store.call("kv/range", {"key": "AA=="})
                break
            except (OSError, ValueError):
                time.sleep(0.1)
        rows = hostile(trap, etcd)
        kinds = {}
        for what, row in rows:
            kinds.setdefault(row["id"], (what, row))
        cards(store, trap)
        store.publish([row for _, row in rows])
        configure(etcd, closed)
        processes.append(subprocess.Popen([AGENT, "run", "--config", "agent.yaml"], stderr=open("agent.log", "w")))
        found, still = {}, 0
        deadline = time.monotonic() + 150
        # Until nothing new comes for a while.
        while time.monotonic() < deadline and still < 8 and processes[1].poll() is None:
            time.sleep(3)
            fresh = results()
            still = still + 1 if len(fresh) == len(found) and len(fresh) > 1 else 0
            found = fresh
        status = processes[1].poll()
        report(rows, kinds, found, capture, status)
    finally:
        for process in reversed(processes):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def report(rows, kinds, found, capture, status):
    run_by_kind, verdicts, wrong = collections.Counter(), collections.Counter(), []
    for mark, (state, reason, address) in found.items():
        if mark not in kinds:
            continue
        what, row = kinds[mark]
        run_by_kind[what] += 1
        verdicts[reason] += 1
        # A public address may be there beside a forbidden one; what goes to the site is the site's.
        if address and not address.startswith(f"{SITE}:"):
            wrong.append((what, row.get("url") or row.get("ip_address"), reason, address))
    witness = capture.seen[WITNESS]
    allowed = {SITE, NAMES, WITNESS, "own"}
    forbidden = {key: count for key, count in capture.seen.items() if key not in allowed}
    total = sum(count for key, count in capture.seen.items() if key != "own")
    print("| pointed at | rows | refused when read | run |\n|---|---|---|---|")
    listed = collections.Counter(what for what, _ in kinds.values())
    for what, count in listed.items():
        print(f"| {what} | {count} | {count - run_by_kind[what]} | {run_by_kind[what]} |")
    print(f"\n{len(rows)} rows, {len(kinds)} ids, {sum(run_by_kind.values())} run: "
          + ", ".join(f"{reason} {count}" for reason, count in verdicts.most_common()))
    print(f"packets: {total}, of the witness: {witness}, lost: {capture.lost()}, "
          f"to forbidden addresses: {sum(forbidden.values())}")
    print(f"members' urls dialled: {len(Trap.asked)}")
    problems = []
    if forbidden:
        problems.append(f"packets went to {forbidden}")
    if Trap.asked:
        problems.append(f"a member's url was asked for {Trap.asked[:3]}")
    if wrong:
        problems.append(f"results with addresses: {wrong[:5]}")
    if not witness:
        problems.append("the witness saw nothing")
    if status is not None:
        problems.append(f"the agent has ended: {status}")
    if sum(run_by_kind.values()) < 500:
        problems.append("less than 500 checks were run")
    for problem in problems:
        print(f"FAILED: {problem}")
    sys.exit(1 if problems else 0)


main()
