# SPDX-License-Identifier: MIT
"""The status page under load: how long it takes while a thousand probes run each second, how many bytes it is, and what
those who look at it cost the probes."""

import contextlib
import http.client
import json
import selectors
import shutil
import socket
import statistics
import threading
import time

import agent as agents
import servers
from agent import HOSTS, check_id, new_folder, row

# Requests for the page a second, spans with and without readers, connections and streams of the readers.
RATE, ROUNDS, IDLE, STREAMS = 10, 3, 1000, 32


def quantile(values, share):
    """The smallest value that so great a share of all is not above."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def fetch_all(port, seconds):
    """Fetches the page as a browser does, over one connection, `RATE` times a second; milliseconds and bytes of each."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    taken, sizes = [], []
    start = time.monotonic()
    for number in range(int(RATE * seconds)):
        time.sleep(max(0, start + number / RATE - time.monotonic()))
        begin = time.monotonic()
        connection.request("GET", "/", headers={"Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        size = len(answer.read())
        taken.append(1000 * (time.monotonic() - begin))
        if answer.status != 200 or answer.getheader("Content-Encoding") != "gzip":
            raise SystemExit(f"/: {answer.status} {answer.getheader('Content-Encoding')}")
        sizes.append(size)
    connection.close()
    return taken, sizes


class Readers:
    """Connections that say nothing, opened again when the server closes them, and readers of the events."""

    def __init__(self, port):
        self.port, self.ends, self.events = port, False, 0
        self.thread = threading.Thread(target=self.run, daemon=True)

    def open(self, selector, asks):
        connection = socket.create_connection(("127.0.0.1", self.port), 5)
        if asks:
            connection.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        connection.setblocking(False)
        selector.register(connection, selectors.EVENT_READ, asks)

    def run(self):
        with selectors.DefaultSelector() as selector:
            for number in range(STREAMS + IDLE):
                self.open(selector, number < STREAMS)
            again = time.monotonic() + 1
            missing = 0
            while not self.ends:
                for key, _ in selector.select(0.1):
                    data = b""
                    with contextlib.suppress(OSError):
                        data = key.fileobj.recv(1 << 16)
                    self.events += data.count(b"event: tick")
                    if not data:
                        selector.unregister(key.fileobj)
                        key.fileobj.close()
                        missing += 1
                # The server holds 128 connections and lets the idle ones go for others: a tenth of those it closed come back
                # each second, as clients do that look in from time to time.
                if time.monotonic() >= again:
                    again += 1
                    for _ in range(missing // 10):
                        self.open(selector, False)
                        missing -= 1
            for key in list(selector.get_map().values()):
                key.fileobj.close()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends = True
        self.thread.join(10)


def late_p99(results, begin, end):
    """The 99th percentile of the lateness of what was due in a span, ms."""
    values = [each["late_ms"] for each in results if 1e6 * begin <= agents.micros(each["scheduled_at"]) < 1e6 * end]
    if len(values) < 500:
        raise SystemExit(f"{len(values)} results in {end - begin:.0f} s are too few to judge")
    return quantile(values, 0.99)


def five_hundred(port, dns):
    """500 checks at 1 s, each of two addresses that are both probed: 1,000 probes a second."""
    return [f'id: {check_id(n)}, name: Service {n} of the house, type: http, url: "http://n{n}.pair.test:{port}/", '
            f'resolver: "127.0.0.1:{dns}", addresses: each, interval: 1s, timeout: 1s, tags: [team-{n % 12}, prod]'
            for n in range(500)]


@contextlib.contextmanager
def pairs(folder):
    """A name server whose names have two addresses each, both of loopback. Yields its port."""
    port = servers.free_port()
    records = "".join(f"n{n} A {HOSTS[2 * n % 100]}\nn{n} A {HOSTS[(2 * n + 1) % 100]}\n" for n in range(500))
    (folder / "pair.test.zone").write_text("$TTL 60\n@ SOA ns hostmaster 1 3600 600 86400 60\n@ NS ns\nns A 127.0.0.1\n" + records)
    config = folder / "pairs.conf"
    config.write_text(f"""
server:
    rundir: "{folder}"
    listen: 127.0.0.1@{port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
log:
  - target: stderr
    any: error
database:
    storage: "{folder}/pairs-db"
template:
  - id: default
    storage: "{folder}"
    zonefile-sync: -1
    journal-content: none
zone:
  - domain: pair.test
    file: pair.test.zone
""")
    with servers.process(["knotd", "-c", str(config)], folder) as child:
        servers.wait_for_port(child, port, folder)
        yield port


def watch(agent, port, size):
    """Spans alone, with the page being fetched, and with readers, in turn."""
    deadline = time.monotonic() + 60
    while True:
        with contextlib.suppress(OSError):
            if json.loads(ask(port, "/api/v1/summary"))["data"]["checks"]["up"] >= 495:
                break
        if time.monotonic() > deadline:
            raise SystemExit("the checks are not up:\n" + agent.log())
        time.sleep(0.5)
    # What is thrown away ten seconds after the start is gone.
    time.sleep(size["settle"])
    seconds, spans = size["page"], {"alone": [], "fetched": [], "read": []}
    times, sizes, events = [], [], 0
    for _ in range(ROUNDS):
        spans["alone"].append(span(seconds, lambda: time.sleep(seconds)))
        found = []
        spans["fetched"].append(span(seconds, lambda: found.extend(fetch_all(port, seconds))))
        times.append(found[0])
        sizes += found[1]
        with Readers(port) as readers:
            time.sleep(2)
            spans["read"].append(span(seconds, lambda: time.sleep(seconds)))
        events += readers.events
    results = stored(port)
    late = {name: [late_p99(results, *each) for each in each_span] for name, each_span in spans.items()}
    first, last = spans["alone"][0]
    count = sum(1e6 * first <= agents.micros(each["scheduled_at"]) < 1e6 * last for each in results)
    return late | {"page_p99": [quantile(each, 0.99) for each in times],
                   "page_p50": statistics.median(value for each in times for value in each), "bytes": sizes,
                   "events": events, "probes": 2 * count / (last - first)}


def span(seconds, act):
    """Begin and end of what is done meanwhile, seconds since 1970."""
    begin = time.time()
    act()
    return begin, begin + seconds


def ask(port, target):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", target)
        return connection.getresponse().read().decode()
    finally:
        connection.close()


def stored(port):
    """Every result of the store, oldest first."""
    results, after = [], 0
    while lines := ask(port, f"/api/v1/spool/results?after={after}&limit=5000").splitlines():
        results += [json.loads(line) for line in lines]
        after = results[-1]["sequence"]
    return results


def show(book, binary, web, folder, size):
    """`web` is the web server's context, as daemon.py has it."""
    with web(folder) as (plain, _), pairs(folder) as dns:
        home = new_folder(folder, "page")
        port = servers.free_port()
        agents.write_config(home, five_hundred(plain, dns), f'status: {{listen: "127.0.0.1:{port}"}}\n'
                            "limits: {in_flight_per_host: 500}\nspool: {size: 64MiB}\n")
        with agents.running(binary, home) as agent:
            seen = watch(agent, port, size)
        shutil.rmtree(home)
    print(f"\nThe status page, 500 checks, {seen['probes']:,.0f} probes a second, {size['page']} s a span")
    book.tell("page-time", *seen["page_p99"], note=f"median {seen['page_p50']:.1f} ms")
    book.tell("page-bytes", statistics.median(seen["bytes"]) / 1000)
    book.tell("page-late", *(with_ - without for without, with_ in zip(seen["alone"], seen["read"])),
              note=f"{statistics.median(seen['alone']):.2f} ms alone, {statistics.median(seen['read']):.2f} ms with them")
    row("events they were sent:", f"{seen['events']:,}")
    return seen
