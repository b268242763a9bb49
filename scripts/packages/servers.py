# SPDX-License-Identifier: MIT
#
# What the container's root is asked about: a name server, a web server with a certificate and a mail server, each on its
# own port of a network namespace. usage: servers.py CERTIFICATE KEY MAILS
import http.server
import socket
import socketserver
import ssl
import struct
import sys
import threading

certificate, key, mails = sys.argv[1:]


class Web(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *arguments):
        pass


class Mail(socketserver.StreamRequestHandler):
    def handle(self):
        self.say("220 mail.box.test ESMTP")
        message = None
        for line in self.rfile:
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            if message is not None:
                if text == ".":
                    with open(mails, "a", encoding="utf-8") as file:
                        file.write(message)
                    message = None
                    self.say("250 taken")
                else:
                    message += text + "\n"
                continue
            word = text.upper().split(" ")[0]
            if word == "DATA":
                message = ""
                self.say("354 go on")
            elif word == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 yes")

    def say(self, text):
        self.wfile.write(text.encode() + b"\r\n")


def names():
    """Each name below box.test has the address 127.0.0.1 and no other."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))
    while True:
        query, client = server.recvfrom(4096)
        end = 12
        labels = []
        while query[end]:
            labels.append(query[end + 1:end + 1 + query[end]].decode())
            end += 1 + query[end]
        question = query[12:end + 5]
        kind = struct.unpack(">H", query[end + 1:end + 3])[0]
        is_known = labels[-2:] == ["box", "test"]
        answer = b""
        if is_known and kind == 1:
            answer = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) + bytes([127, 0, 0, 1])
        flags = 0x8580 if is_known else 0x8583
        head = query[:2] + struct.pack(">HHHHH", flags, 1, 1 if answer else 0, 0, 0)
        server.sendto(head + question + answer, client)


class Quick(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


web = http.server.ThreadingHTTPServer(("127.0.0.1", 443), Web)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
web.socket = context.wrap_socket(web.socket, server_side=True)
plain = http.server.ThreadingHTTPServer(("127.0.0.1", 80), Web)
for server in (plain, Quick(("127.0.0.1", 25), Mail)):
    threading.Thread(target=server.serve_forever, daemon=True).start()
threading.Thread(target=names, daemon=True).start()
print("ready", flush=True)
web.serve_forever()
