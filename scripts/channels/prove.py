# SPDX-License-Identifier: MIT
"""Channels against real servers: aiosmtpd with STARTTLS, TLS and a login, and Alertmanager.

Arguments: the agent, an empty folder, the URL of Alertmanager. Exit 0: every channel did what it must.
"""

import json
import os
import socket
import ssl
import subprocess
import sys
import urllib.request

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

agent, folder, manager = sys.argv[1:4]
certificate, key = f"{folder}/cert.pem", f"{folder}/key.pem"
subprocess.run(
    ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
     "-out", certificate, "-subj", "/CN=mail", "-days", "30", "-addext", "subjectAltName=IP:127.0.0.1"],
    check=True, capture_output=True)
secrets = {"right": "s3cret-right", "wrong": "s3cret-wrong"}
for name, text in secrets.items():
    with open(f"{folder}/{name}", "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(text)
context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(certificate, key)


class Inbox:
    """Keeps what it is given; addresses that begin with `bad` get this answer."""

    def __init__(self, refusal="550 no such user"):
        self.refusal, self.mails = refusal, []

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("bad"):
            return self.refusal
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        self.mails.append((envelope.rcpt_tos, envelope.content.decode("ascii")))
        return "250 kept"


def login(server, session, envelope, mechanism, data):
    isRight = isinstance(data, LoginPassword) and data.password == secrets["right"].encode()
    return AuthResult(success=isRight, handled=False)


def serve(inbox, port, **options):
    controller = Controller(inbox, hostname="127.0.0.1", port=port, **options)
    controller.start()
    return controller


def freePort():
    """A port of the kernel's choice: the controller connects to its own port, and so has to be told one."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


inboxes = {name: Inbox() for name in ["starttls", "implicit", "plain"]}
inboxes["late"] = Inbox("450 later")
ports = {name: freePort() for name in inboxes}
servers = [
    serve(inboxes["starttls"], ports["starttls"], tls_context=context, require_starttls=True, auth_required=True,
          authenticator=login),
    serve(inboxes["implicit"], ports["implicit"], ssl_context=context),
    serve(inboxes["plain"], ports["plain"]),
    serve(inboxes["late"], ports["late"]),
]


def mail(name, server, tls, trusted=False, password=None, to="a@x.example"):
    words = f'server: "127.0.0.1:{ports[server]}", tls: {tls}, from: q@x.example, to: [{to}]'
    if password:
        words += f', username: u, password: "${{file:{folder}/{password}}}"'
    return f"    - {{name: {name}, mail: {{{words}}}{f', ca_file: {certificate}' if trusted else ''}}}\n"


with open(f"{folder}/agent.yaml", "w") as file:
    file.write(f"""agent: {{name: prove, state_dir: {folder}/state}}
checks:
  - {{name: A, type: http, url: "https://a.example/"}}
alerts:
  channels:
""")
    file.write(mail("starttls", "starttls", "starttls", True, "right"))
    file.write(mail("wrong-password", "starttls", "starttls", True, "wrong"))
    file.write(mail("untrusted", "starttls", "starttls", False, "right"))
    file.write(mail("implicit", "implicit", "implicit", True))
    file.write(mail("implicit-untrusted", "implicit", "implicit"))
    file.write(mail("no-starttls", "plain", "starttls", True))
    file.write(mail("plain", "plain", "none"))
    file.write(mail("late", "late", "none", to="bad@x.example"))
    file.write(mail("gone", "plain", "none", to="bad@x.example"))
    file.write(mail("one-gone", "plain", "none", to="bad@x.example, good@x.example"))
    file.write(f'    - {{name: alertmanager, webhook: "{manager}/api/v2/alerts", format: alertmanager}}\n')

expected = {
    "starttls": None, "wrong-password": "login", "untrusted": "certificate", "implicit": None,
    "implicit-untrusted": "certificate", "no-starttls": "does not offer TLS", "plain": None, "late": "450",
    "gone": "550", "one-gone": "550", "alertmanager": None,
}
failures = []
for name, words in expected.items():
    run = subprocess.run(
        [agent, "alert", "test", name, "--config", f"{folder}/agent.yaml"], capture_output=True, text=True, timeout=60)
    said = run.stdout + run.stderr
    line = next((line for line in said.splitlines() if line.startswith(name)), said)
    isRight = run.returncode == 0 if words is None else run.returncode != 0 and words in line
    if not isRight or any(secret in said for secret in secrets.values()):
        failures.append(name)
    print(f"{'ok  ' if name not in failures else 'FAIL'} {line}")
for server in servers:
    server.stop()
counts = {name: len(inbox.mails) for name, inbox in inboxes.items()}
print("mails kept:", counts)
if counts != {"starttls": 1, "implicit": 1, "plain": 2, "late": 0} or inboxes["plain"].mails[1][0] != ["good@x.example"]:
    failures.append("mails")
with urllib.request.urlopen(f"{manager}/api/v2/alerts") as answer:
    alerts = json.load(answer)
print("alerts of Alertmanager:", [alert["labels"] for alert in alerts])
# What tries a channel leaves nothing open there.
if alerts:
    failures.append("alerts")
sys.exit(f"failed: {', '.join(failures)}" if failures else 0)
