# SPDX-License-Identifier: MIT
"""The servers that are probed: real ones of Debian, and those that do what no real one does."""

import gzip
import os
import socket
import struct
import subprocess
import threading
import time

NAMES = ["web", "web6", "tls", "expired", "weak", "plain_tls", "mutual", "dns", "ssh", "smtp", "imap", "redis", "closed",
         "proxy", "exporter", "agent", "stranger"]


class Farm:
    """Starts servers in a folder and ends them; ports[name] says where each listens."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        self.ports = {}
        self.kept = []
        for name in NAMES:
            # Kept until the servers start, so that no two get the same.
            sock = socket.socket()
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(("127.0.0.1", 0))
            self.ports[name] = sock.getsockname()[1]
            self.kept.append(sock)

    def write(self, name, text):
        with open(f"{self.folder}/{name}", "w") as file:
            file.write(text)

    def run(self, *command):
        subprocess.run(command, check=True, capture_output=True)

    def start(self, *command, **options):
        log = open(f"{self.folder}/{os.path.basename(command[0])}.log", "ab")
        self.processes.append(subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, **options))

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()

    def wait(self, *names):
        for name in names:
            for _ in range(400):
                with socket.socket() as sock:
                    if sock.connect_ex(("127.0.0.1", self.ports[name])) == 0:
                        break
                time.sleep(0.05)
            else:
                raise SystemExit(f"{name} does not listen on {self.ports[name]}; see the logs in {self.folder}")

    def authority(self):
        folder = self.folder
        self.run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{folder}/ca.key", "-out",
                 f"{folder}/ca.pem", "-subj", "/C=NL/O=Prove, \"Inc\"/CN=Prove CA", "-days", "90")
        for name, subject, names, days, key in [
                ("good", "/C=NL/ST=Utrecht/L=Zeist/O=Prove/OU=One/CN=localhost", "DNS:localhost,DNS:b.example,IP:192.0.2.1", 30,
                 "rsa:2048"),
                ("expired", "/CN=localhost", "DNS:localhost", -1, "rsa:2048"),
                ("weak", "/CN=localhost", "DNS:localhost", 30, "rsa:1024"),
                ("other", "/CN=other.example", "DNS:other.example", 30, "rsa:2048")]:
            self.run("openssl", "req", "-newkey", key, "-nodes", "-keyout", f"{folder}/{name}.key", "-out",
                     f"{folder}/{name}.csr", "-subj", subject)
            self.write("ext", f"subjectAltName={names}\n")
            self.run("openssl", "x509", "-req", "-in", f"{folder}/{name}.csr", "-CA", f"{folder}/ca.pem", "-CAkey",
                     f"{folder}/ca.key", "-CAcreateserial", "-out", f"{folder}/{name}.pem", "-extfile",
                     f"{folder}/ext", "-days", str(days))

    def real(self):
        for sock in self.kept:
            sock.close()
        for start in [self.proxy, self.nginx, self.openssl, self.knot, self.sshd, self.postfix, self.dovecot, self.redis]:
            start()

    def nginx(self):
        folder, ports = self.folder, self.ports
        self.write("body.txt", "welcome\nall is well\n")
        password = subprocess.run(["openssl", "passwd", "-apr1", "secret-word"], capture_output=True, text=True,
                                  check=True).stdout
        self.write("users", f"probe:{password}")
        self.write("nginx.conf", f"""
worker_processes 1; daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{}}
http {{
  access_log off; client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
  uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  server {{
    listen 127.0.0.1:{ports["web"]}; listen [::1]:{ports["web6"]};
    location /file {{ alias {folder}/body.txt; add_header X-Kind "a b"; }}
    location /zip {{ alias {folder}/body.txt; gzip on; gzip_types *; gzip_min_length 1; }}
    location /ok {{ return 200 "all is well"; }}
    location /host {{ return 200 "host $host"; }}
    location /user {{ return 200 "user $remote_user."; }}
    location /length {{ return 200 "method $request_method length $content_length."; }}
    location /agent {{ return 200 "method $request_method lang $http_accept_language"; }}
    location /empty {{ return 204; }}
    location /missing {{ return 404; }}
    location /broken {{ return 500 "no"; }}
    location /once {{ return 302 /ok; }}
    location /twice {{ return 301 /once; }}
    location /see {{ return 303 /ok; }}
    location /kept {{ return 307 /agent; }}
    location /loop {{ return 302 /loop; }}
    location ~ ^/far/(\\d)$ {{ return 302 /far/$1x; }}
    location ~ ^/far/(\\d)x$ {{ return 302 /ok; }}
    location /up {{ return 302 https://localhost:{ports["tls"]}/ok; }}
    location /gone {{ return 302 http://127.0.0.1:{ports["closed"]}/; }}
    location /nowhere {{ return 302 http://nowhere.invalid/; }}
    location /auth {{ auth_basic x; auth_basic_user_file {folder}/users; alias {folder}/body.txt; }}
    location /close {{ return 444; }}
    location /big {{ alias {folder}/big; }}
  }}
  server {{
    listen 127.0.0.1:{ports["tls"]} ssl http2;
    ssl_certificate {folder}/good.pem; ssl_certificate_key {folder}/good.key;
    location /ok {{ return 200 "all is well"; }}
    location /empty {{ return 204; }}
    location /down {{ return 302 http://127.0.0.1:{ports["web"]}/ok; }}
    location /missing {{ return 404; }}
  }}
  server {{
    listen 127.0.0.1:{ports["expired"]} ssl;
    ssl_certificate {folder}/expired.pem; ssl_certificate_key {folder}/expired.key;
    location / {{ return 200 "all is well"; }}
  }}
  server {{
    listen 127.0.0.1:{ports["weak"]} ssl;
    ssl_certificate {folder}/weak.pem; ssl_certificate_key {folder}/weak.key; ssl_ciphers DEFAULT@SECLEVEL=0;
    location / {{ return 200 "all is well"; }}
  }}
  server {{
    listen 127.0.0.1:{ports["mutual"]} ssl;
    ssl_certificate {folder}/good.pem; ssl_certificate_key {folder}/good.key;
    ssl_client_certificate {folder}/ca.pem; ssl_verify_client on;
    location / {{ return 200 "$ssl_client_s_dn"; }}
  }}
}}
""")
        with open(f"{folder}/big", "wb") as file:
            file.write(b"0123456789abcdef" * (3 << 16))
        self.start("nginx", "-c", f"{folder}/nginx.conf", "-p", folder)

    def openssl(self):
        self.start("openssl", "s_server", "-accept", f"127.0.0.1:{self.ports['plain_tls']}", "-cert",
                   f"{self.folder}/other.pem", "-key", f"{self.folder}/other.key", "-quiet", "-tls1_2")

    def knot(self):
        folder = self.folder
        self.write("zone", "$ORIGIN prove.test.\n$TTL 60\n@ SOA ns a 7 60 60 600 60\n@ NS ns\n@ MX 10 mail\nns A 127.0.0.1\n"
                   "mail A 192.0.2.9\nwww A 192.0.2.1\nwww A 192.0.2.2\nwww AAAA 2001:db8::1\nalias CNAME www\n"
                   "text TXT \"hello there\"\nsub NS ns.sub\nns.sub A 192.0.2.53\n_x._tcp SRV 1 2 443 www\n")
        self.write("knot.conf", f"server:\n  rundir: {folder}\n  listen: 127.0.0.1@{self.ports['dns']}\n"
                   f"database:\n  storage: {folder}\nzone:\n  - domain: prove.test\n    file: {folder}/zone\n"
                   f"    storage: {folder}\n    zonefile-sync: -1\n")
        self.start("knotd", "-c", f"{folder}/knot.conf")

    def sshd(self):
        self.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{self.folder}/host")
        os.makedirs("/run/sshd", exist_ok=True)
        self.start("/usr/sbin/sshd", "-D", "-e", "-f", "/dev/null", "-h", f"{self.folder}/host", "-p",
                   str(self.ports["ssh"]), "-o", "ListenAddress=127.0.0.1", "-o", "PidFile=none", "-o", "UsePAM=no")

    def postfix(self):
        home = f"{self.folder}/postfix"
        for name in ["", "/data", "/queue"]:
            os.makedirs(home + name)
        for name in ["good.key", "good.pem"]:
            subprocess.run(["cp", f"{self.folder}/{name}", home], check=True)
        self.write("postfix/main.cf", f"""compatibility_level = 3.6
queue_directory = {home}/queue
data_directory = {home}/data
inet_interfaces = 127.0.0.1
myhostname = localhost
mydestination =
alias_maps =
smtpd_relay_restrictions = reject
smtpd_peername_lookup = no
smtpd_tls_security_level = may
smtpd_tls_chain_files = {home}/good.key, {home}/good.pem
maillog_file = {home}/mail.log
maillog_file_prefixes = /
""")
        self.write("postfix/master.cf", f"""127.0.0.1:{self.ports["smtp"]} inet n - n - - smtpd
tlsmgr unix - - n 1000? 1 tlsmgr
anvil unix - - n - 1 anvil
rewrite unix - - n - - trivial-rewrite
proxymap unix - - n - - proxymap
postlog unix-dgram n - n - 1 postlogd
""")
        self.run("chown", "postfix", f"{home}/data")
        self.run("postfix", "-c", home, "check")
        self.start("/usr/lib/postfix/sbin/master", "-c", home, "-d")

    def dovecot(self):
        folder = self.folder
        os.makedirs(f"{folder}/run")
        self.write("dovecot.conf", f"""base_dir = {folder}/run
state_dir = {folder}/run
log_path = {folder}/dovecot-own.log
protocols = imap
listen = 127.0.0.1
ssl = yes
ssl_cert = <{folder}/good.pem
ssl_key = <{folder}/good.key
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {self.ports["imap"]}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service anvil {{
  chroot =
}}
passdb {{
  driver = static
  args = nopassword=y
}}
userdb {{
  driver = static
  args = uid=dovecot gid=dovecot home={folder}
}}
""")
        self.start("/usr/sbin/dovecot", "-F", "-c", f"{folder}/dovecot.conf")

    def redis(self):
        self.start("redis-server", "--bind", "127.0.0.1", "--port", str(self.ports["redis"]), "--save", "", "--dir",
                   self.folder)

    def hostile(self):
        """Each answers every connection by a script of bytes and pauses."""
        body = gzip.compress(b"all is well")
        head = b"HTTP/1.1 200 OK\r\n"
        scripts = {
            "untilclose": [head + b"\r\nall is well"],
            "chunked": [head + b"Transfer-Encoding: chunked\r\n\r\n5\r\nall i\r\n6\r\ns well\r\n0\r\n\r\n"],
            "cut": [head + b"Content-Length: 100\r\n\r\nall is well"],
            "cutchunk": [head + b"Transfer-Encoding: chunked\r\n\r\n5\r\nall"],
            "badchunk": [head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nall\r\n0\r\n\r\n"],
            "coded": [head + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body) + body],
            "old": [b"HTTP/1.0 200 OK\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\nall is well"],
            "baddate": [head + b"Last-Modified: yesterday\r\nContent-Length: 2\r\n\r\nok"],
            "garbage": [b"\x00\x01\x02 no http at all\r\n\r\n"],
            "mute": [30],
            "stall": [head + b"Content-Length: 20\r\n\r\nall", 30],
            "halfhead": [head + b"Content-Type: te", 30],
            "reset": ["reset"],
            "end": [],
            "lead": [b"HTTP/1.1 302 Found\r\nContent-Length: 3\r\n\r\nout"],
            "unmodified": [b"HTTP/1.1 304 Not Modified\r\n\r\n"],
            "early": [b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + head + b"Content-Length: 2\r\n\r\nok"],
            "odd": [b"HTTP/1.1 299 Odd\r\nContent-Length: 2\r\n\r\nok"],
            "twokinds": [head + b"X-Kind: first\r\nX-Kind: second\r\nContent-Length: 2\r\n\r\nok"],
            "longhead": [head + b"X-Long: " + b"a" * 60000 + b"\r\nContent-Length: 2\r\n\r\nok"],
            "irc": [b":a NOTICE x\r\nPING :4711\r\n", "read", b":a 001 x :Welcome\r\n", 2],
            "lines": [b"one\r\ntwo\r\nthree\r\n", 30],
            "linesend": [b"one\r\ntwo\r\nthree\r\n"],
            "drip": [b"SS", 0.1, b"H-2", 0.1, b".0-drip\r\n", 2],
        }
        for name, script in scripts.items():
            server = socket.create_server(("127.0.0.1", 0), backlog=50)
            self.ports[name] = server.getsockname()[1]
            threading.Thread(target=self.serve, args=(server, script), daemon=True).start()
        self.names()

    def serve(self, server, script):
        while True:
            sock, _ = server.accept()
            threading.Thread(target=self.play, args=(sock, script), daemon=True).start()

    def play(self, sock, script):
        try:
            if script and isinstance(script[0], bytes) and script[0].startswith(b"HTTP"):
                sock.recv(65536)
            for step in script:
                if step == "read":
                    sock.recv(4096)
                elif step == "reset":
                    sock.recv(4096)
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                elif isinstance(step, bytes):
                    sock.sendall(step)
                else:
                    time.sleep(step)
            sock.close()
        except OSError:
            sock.close()

    def proxy(self):
        """Passes requests on, and opens tunnels."""
        self.accept_all(socket.create_server(("127.0.0.1", self.ports["proxy"]), backlog=50), self.pass_on)

    def accept_all(self, server, serve):
        def run():
            while True:
                sock, _ = server.accept()
                threading.Thread(target=serve, args=(sock,), daemon=True).start()
        threading.Thread(target=run, daemon=True).start()

    def pass_on(self, sock):
        try:
            head = b""
            while b"\r\n\r\n" not in head:
                part = sock.recv(4096)
                if not part:
                    return
                head += part
            method, target, rest = head.split(b" ", 2)
            place = target if method == b"CONNECT" else target.split(b"/", 3)[2]
            host, _, port = place.decode().rpartition(":")
            try:
                further = socket.create_connection((host.strip("[]"), int(port)), timeout=5)
            except OSError:
                sock.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return
            if method == b"CONNECT":
                sock.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                path = b"/" + (target.split(b"/", 3) + [b""])[3]
                further.sendall(b" ".join([method, path, rest]))
            back = threading.Thread(target=self.copy, args=(further, sock), daemon=True)
            back.start()
            self.copy(sock, further)
            back.join()
        except OSError:
            pass
        finally:
            sock.close()

    def copy(self, source, sink):
        try:
            while part := source.recv(65536):
                sink.sendall(part)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def names(self):
        """Name servers: one that says nothing, and one that answers rubbish, as its first label asks for."""
        for name, answer in [("dnsmute", None), ("dnsrubbish", lambda question: b"\xff" * 7),
                             ("dnsfail", lambda question: question[:2] + b"\x81\x82" + question[4:])]:
            sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            sock.bind(("127.0.0.1", 0))
            self.ports[name] = sock.getsockname()[1]
            threading.Thread(target=self.answer, args=(sock, answer), daemon=True).start()

    def answer(self, sock, make):
        while True:
            question, peer = sock.recvfrom(4096)
            if make:
                sock.sendto(make(question), peer)
