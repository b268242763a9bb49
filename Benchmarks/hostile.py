# SPDX-License-Identifier: MIT
"""HTTP servers that mean harm, one port of loopback each: its standard input switches them between answering properly
(`kind`) and as their names say (`hostile`). It prints the ports, and after each word how many connections they have
had in hostile mode. It ends with its standard input."""

import asyncio
import contextlib
import gzip
import json
import os
import socket
import struct
import sys

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
HEAD = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"
BLOCK = os.urandom(65536)
# 64 MiB that are 64 KiB on the way.
BOMB = gzip.compress(bytes(64 << 20), 6)
# An answer that never ends goes on until the prober leaves, or for so long.
PATIENCE = 3


async def endless(writer, piece):
    while True:
        writer.write(piece)
        await writer.drain()


async def garbage(writer):
    writer.write(BLOCK)
    await writer.drain()


async def endless_headers(writer):
    writer.write(HEAD)
    await endless(writer, b"".join(b"X-%d: %s\r\n" % (number, b"y" * 40) for number in range(500)))


async def one_endless_line(writer):
    writer.write(HEAD + b"X-Long: ")
    await endless(writer, b"z" * 65536)


async def endless_body(writer):
    writer.write(HEAD + b"\r\n")
    await endless(writer, BLOCK)


async def huge_length(writer):
    writer.write(HEAD + b"Content-Length: 9000000000000000000\r\n\r\n")
    await endless(writer, BLOCK)


async def chunk_extensions(writer):
    writer.write(HEAD + b"Transfer-Encoding: chunked\r\n\r\n1;")
    await endless(writer, b"e" * 65536)


async def packed_zeros(writer):
    writer.write(HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(BOMB) + BOMB)
    await writer.drain()


async def cut_body(writer):
    writer.write(HEAD + b"Content-Length: 100000\r\n\r\n" + BLOCK[:1000])
    await writer.drain()


async def reset(writer):
    writer.write(HEAD)
    await writer.drain()
    # Closing without lingering is a reset (socket(7), SO_LINGER).
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def drip(writer):
    for byte in HEAD * 100:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(0.1)


async def silence(writer):
    await asyncio.sleep(PATIENCE)


async def many_cookies(writer):
    cookies = b"".join(b"Set-Cookie: c%d=%s; Path=/\r\n" % (number, b"v" * 200) for number in range(300))
    writer.write(HEAD + cookies + b"Content-Length: 2\r\n\r\nok")
    await writer.drain()


async def redirects(writer):
    writer.write(b"HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\nLocation: /" + b"r" * 4000 + b"\r\n\r\n")
    await writer.drain()


WAYS = [garbage, endless_headers, one_endless_line, endless_body, huge_length, chunk_extensions, packed_zeros, cut_body,
        reset, drip, silence, many_cookies, redirects]


class Servers:
    def __init__(self):
        self.is_hostile, self.connections = False, 0

    def handler(self, way):
        async def handle(reader, writer):
            with contextlib.suppress(OSError, asyncio.TimeoutError, asyncio.IncompleteReadError,
                                     asyncio.LimitOverrunError):
                await asyncio.wait_for(self.answer(way, reader, writer), PATIENCE)
            # What the prober did not take goes with it.
            writer.transport.abort() if self.is_hostile and way is not cut_body else writer.close()

        return handle

    async def answer(self, way, reader, writer):
        if not self.is_hostile:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(OK)
            await writer.drain()
            return
        self.connections += 1
        await way(writer)
        # So that closing does not lose what was sent: the prober closes, or the patience ends.
        if way not in (reset, cut_body):
            while await reader.read(65536):
                pass

    async def run(self):
        ports = {}
        for way in WAYS:
            server = await asyncio.start_server(self.handler(way), "127.0.0.1", 0, backlog=4096)
            ports[way.__name__] = server.sockets[0].getsockname()[1]
        print(json.dumps(ports), flush=True)
        loop, words = asyncio.get_running_loop(), asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(words), sys.stdin)
        while word := (await words.readline()).decode().strip():
            self.is_hostile = {"kind": False, "hostile": True}.get(word, self.is_hostile)
            print(self.connections, flush=True)


asyncio.run(Servers().run())
