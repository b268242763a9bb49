# SPDX-License-Identifier: MIT
"""The servers that are probed: healthy ones, and ones that hold what they began.

Arguments: certificate, key. Writes its ports as one line of JSON, then serves until standard input ends. Of its lines
`down` and `up` say what /flip answers from now on; every other one asks for the times at which the dead man's switch and
the notification channel were called since the one before, which are answered by one line.
"""

import asyncio
import json
import re
import socket
import ssl
import subprocess
import sys
import time

# Hosts of the hostile checks: each has a budget of its own for connections.
HOLDERS = [f"127.0.1.{number}" for number in range(1, 101)]
calls = {"switch": [], "hook": []}
state = {"flip": b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}


def metadata():
    """A body of two brotli codings, whose decoders take all the memory of an origin: empty metadata blocks without end
    (RFC 7932 section 9.2), which are work and no body."""
    inner = bytes([0x0C]) + bytes([0x06]) * 1_000_000 + bytes([0x03])
    return subprocess.run(["brotli", "-c", "-q", "1"], input=inner, stdout=subprocess.PIPE, check=True).stdout


CODED = metadata()


async def head(reader):
    text = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    length = re.search(r"(?i)\r\ncontent-length: *(\d+)", text)
    if length:
        await reader.readexactly(int(length.group(1)))
    return text.split(" ")[1]


def plain(body, length=None, more=""):
    return f"HTTP/1.1 200 OK\r\n{more}Content-Length: {length or len(body)}\r\n\r\n".encode() + body


async def healthy(reader, writer):
    try:
        while True:
            path = await head(reader)
            if path == "/alive":
                calls["switch"].append(time.time())
            if path == "/hook":
                calls["hook"].append(time.time())
            writer.write(state["flip"] if path == "/flip" else plain(b"all is well"))
            await writer.drain()
    except (OSError, ValueError, asyncio.IncompleteReadError):
        pass
    writer.close()


async def holder(reader, writer):
    """/N sends N KiB of more and holds; /coded and /regex send what takes a processor long to undo or to judge."""
    try:
        path = (await head(reader)).split("?")[0]
        if path.startswith("/coded"):
            writer.write(plain(CODED, more="Content-Encoding: br, br\r\n"))
        elif path == "/regex":
            writer.write(plain(b"a" * 900_000))
        else:
            size = int(path.strip("/").split("/")[0]) * 1024
            writer.write(plain(b"x" * size, size + 1))
        await writer.drain()
        while await reader.read(4096):
            pass
    except (OSError, ValueError, asyncio.IncompleteReadError):
        pass
    writer.close()


async def silent(reader, writer):
    """Accepts, reads and says nothing."""
    try:
        while await reader.read(4096):
            pass
    except OSError:
        pass
    writer.close()


class Names(asyncio.DatagramProtocol):
    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, address):
        end = data.index(0, 12) + 5
        answer = data[:2] + b"\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00" + data[12:end]
        answer += b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\x7f\x00\x00\x01"
        self.transport.sendto(answer, address)


def port_of(server):
    return server.sockets[0].getsockname()[1]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def main():
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(sys.argv[1], sys.argv[2])
    loop = asyncio.get_running_loop()
    names, _ = await loop.create_datagram_endpoint(Names, ("127.0.0.1", 0))
    held, mute = free_port(), free_port()
    await asyncio.start_server(holder, ["127.0.0.1", *HOLDERS], held, backlog=1000)
    await asyncio.start_server(silent, ["127.0.0.1", *HOLDERS], mute, backlog=1000)
    secret = await asyncio.start_server(holder, "127.0.0.1", 0, ssl=tls, backlog=1000)
    print(json.dumps({
        "http": port_of(await asyncio.start_server(healthy, "127.0.0.1", 0, backlog=1000)),
        "https": port_of(await asyncio.start_server(healthy, "127.0.0.1", 0, ssl=tls, backlog=1000)),
        "dns": names.get_extra_info("sockname")[1], "held": held, "mute": mute, "secret": port_of(secret),
    }), flush=True)
    orders = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    while line := await orders.readline():
        if line == b"down\n":
            state["flip"] = b"HTTP/1.1 503 Down\r\nContent-Length: 0\r\n\r\n"
        elif line == b"up\n":
            state["flip"] = plain(b"all is well")
        else:
            print(json.dumps(calls), flush=True)
            for times in calls.values():
                times.clear()


if __name__ == "__main__":
    asyncio.run(main())
