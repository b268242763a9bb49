# SPDX-License-Identifier: MIT
"""A file of traces as the agent keeps it (Sources/Tracing/Kept), so that a page has a broken way to show."""

import ipaddress
import time

TARGET = "2001:db8:ffff:ffff:ffff:ffff:ffff:fff7"


def number(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(value):
    return number(value << 1 if value >= 0 else (-value << 1) - 1)


def blob(data):
    return number(len(data)) + data


def text(words):
    return blob(words.encode())


def optional(value):
    return b"\0" if value is None else b"\1" + signed(value)


def address(words):
    return blob(ipaddress.ip_address(words).packed if words else b"")


def place(words, port):
    return address(words) + number(port) + number(0) + blob(b"")


def answer(where, name, milliseconds, says="", label=None):
    labels = number(0) if label is None else number(1) + number(label) + number(1)
    return (address(where) + text(name) + text("AS64500 Example Carrier") + number(9)
            + number(milliseconds * 1000) * 3 + optional(60) + number(7) + labels + text(says))


def hop(ttl, *answers):
    return number(ttl) + number(9) + b"\0" + number(len(answers)) + b"".join(answers)


def trace(when, end, hops):
    return (b"\1" + signed(int(when * 1e6)) + signed(2_000_000) + text("shop.example") + place(TARGET, 443) + b"\1"
            + text("the service's own port") + number(3) + end + optional(1500) + number(0) + number(len(hops))
            + b"".join(hops))


def remainder(byte):
    for _ in range(8):
        byte = byte >> 1 ^ (0x82f63b78 if byte & 1 else 0)
    return byte


REMAINDERS = [remainder(byte) for byte in range(256)]


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ REMAINDERS[(crc ^ byte) & 0xff]
    return crc ^ 0xffffffff


def file(check):
    """The way to the target of this check: broken behind its third router, and whole five hours before."""
    now = time.time()
    routers = [
        hop(1, answer("192.168.178.1", "", 1)),
        hop(2, answer("2001:db8:ffff:ffff:ffff:ffff:ffff:aaa2", "lo0.edge-2.a-very-long-name-of-a-router.carrier.example", 4, label=24001)),
        hop(3, answer("10.0.3.1", "core1.<b>example</b>", 9), answer("10.0.3.2", "", 9)),
    ]
    rest = [hop(4, answer("10.0.4.1", "core2.example", 12)), hop(5), hop(6, answer(TARGET, "shop.example", 14))]
    good = trace(now - 5 * 3600, b"\0" + text("accepted"), routers + rest)
    bad = trace(now - 120, b"\2" + number(3), routers)
    latest = check.bytes + b"\0" + text("connect_timeout") + signed(int((now - 125) * 1e6)) + blob(bad) + blob(good)
    body = b"QTRACE1\n" + number(1) + place(TARGET, 443) + blob(good) + number(1) + latest
    return body + crc32c(body).to_bytes(4, "little")
