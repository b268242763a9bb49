# SPDX-License-Identifier: MIT
"""The servers that are probed and the exporter that is compared: each on loopback, on a free port, for as long as a
`with` block lasts. They are ended by the process object that started them, never by name."""

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import time

NAMES = 1000
HERE = pathlib.Path(__file__).resolve().parent
# Both from one release build, as Benchmarks/run makes it.
AGENT = HERE.parent / ".build" / "release" / "quartz-agent"
BENCH = AGENT.with_name("quartz-bench")


def binary(name):
    """One of our own servers in C, as Benchmarks/run builds them."""
    return HERE / ".build" / "c" / name


@contextlib.contextmanager
def process(command, folder, **options):
    """Runs a program as long as the block; its output goes to a file in the folder."""
    log = folder / (pathlib.Path(command[0]).name + ".log")
    with open(log, "w") as output:
        options = {"stdout": output, "stderr": subprocess.STDOUT, "stdin": subprocess.DEVNULL} | options
        child = subprocess.Popen(command, **options)
        try:
            yield child
        finally:
            child.send_signal(signal.SIGTERM)
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_port(child, port, folder):
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline and child.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    log = folder / (pathlib.Path(child.args[0]).name + ".log")
    raise SystemExit(f"{child.args[0]} did not come up on port {port}:\n{log.read_text()}")


def make_certificates(folder):
    """A private authority, a certificate of it for 127.0.0.1, and a bundle: the system's with that authority."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "30",
            "-subj", "/CN=benchmark authority", "-addext", "basicConstraints=critical,CA:TRUE")
    openssl("req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=127.0.0.1")
    (folder / "server.ext").write_text("subjectAltName=IP:127.0.0.1\n")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-out", "server.pem", "-days", "30", "-extfile", "server.ext")
    system = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
    bundle = folder / "bundle.pem"
    bundle.write_text((system.read_text() if system.exists() else "") + (folder / "ca.pem").read_text())
    return bundle


@contextlib.contextmanager
def nginx(folder, slow):
    """One worker, a file of 1 KiB, over http and https without session resumption; behind https also the server at
    the port `slow`, as /slow. Yields both ports."""
    plain, secure = free_port(), free_port()
    (folder / "www").mkdir()
    (folder / "www" / "index.html").write_text("x" * 1024)
    config = folder / "nginx.conf"
    config.write_text(f"""
        daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log stderr error;
        events {{ worker_connections 8192; }}
        http {{
          access_log off; root {folder}/www;
          client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
          fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
          server {{ listen 127.0.0.1:{plain} backlog=4096; }}
          server {{
            listen 127.0.0.1:{secure} ssl backlog=4096;
            ssl_certificate {folder}/server.pem; ssl_certificate_key {folder}/server.key;
            ssl_session_cache off; ssl_session_tickets off;
            location /slow {{ proxy_pass http://127.0.0.1:{slow}/; }}
          }}
        }}
        """)
    # The worker drops root's rights and could not read a private folder.
    folder.chmod(0o755)
    with process(["nginx", "-e", "stderr", "-c", str(config)], folder) as child:
        wait_for_port(child, plain, folder)
        yield plain, secure


@contextlib.contextmanager
def listener(command, folder):
    """One of our own servers, which print their port. Yields it."""
    options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with process([str(part) for part in command], folder, **options) as child:
        yield int(child.stdout.readline())


@contextlib.contextmanager
def knot(folder):
    """A zone of NAMES addresses, one UDP worker. Yields the port."""
    port = free_port()
    records = "".join(f"n{index} A 192.0.2.{index % 254 + 1}\n" for index in range(NAMES))
    soa = "$TTL 60\n@ SOA ns hostmaster 1 3600 600 86400 60\n@ NS ns\nns A 192.0.2.1\n"
    (folder / "bench.test.zone").write_text(soa + records)
    (folder / "queries").write_text("".join(f"n{index}.bench.test A\n" for index in range(NAMES)))
    config = folder / "knot.conf"
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
    storage: "{folder}/knot-db"
template:
  - id: default
    storage: "{folder}"
    zonefile-sync: -1
    journal-content: none
zone:
  - domain: bench.test
    file: bench.test.zone
""")
    with process(["knotd", "-c", str(config)], folder) as child:
        wait_for_port(child, port, folder)
        yield port


@contextlib.contextmanager
def blackbox(folder, bundle):
    """blackbox_exporter with a module for each kind of probe. Yields its process id and its port.

    It gets the bundle as its system's, which it reads once; with ca_file it would parse it for each probe."""
    port = free_port()
    config = folder / "blackbox.yml"
    config.write_text(f"""
modules:
  http:
    prober: http
    timeout: 10s
    http: {{preferred_ip_protocol: ip4}}
  tcp:
    prober: tcp
    timeout: 10s
    tcp: {{preferred_ip_protocol: ip4}}
  dns:
    prober: dns
    timeout: 10s
    dns: {{query_name: n1.bench.test, query_type: A, preferred_ip_protocol: ip4}}
  icmp:
    prober: icmp
    timeout: 10s
    icmp: {{preferred_ip_protocol: ip4}}
""")
    command = ["prometheus-blackbox-exporter", f"--config.file={config}",
               f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"]
    with process(command, folder, env=os.environ | {"SSL_CERT_FILE": str(bundle)}) as child:
        wait_for_port(child, port, folder)
        yield child.pid, port
