# SPDX-License-Identifier: MIT
"""What really passed on loopback: echoes and answers of name servers, each with the time between its question and its
answer by the kernel's stamps of both (packet(7), SO_TIMESTAMPNS of socket(7)). No core has to be free for that: what the
kernel saw waits in a queue until somebody reads it."""

import socket
import struct
import threading

ETH_P_ALL = 3
PACKET_OUTGOING = 4
SO_TIMESTAMPNS = 35
NANOSECONDS = struct.Struct("@qq")


class Tap:
    """Reads along while the block lasts; `times` are the milliseconds of each question that was answered, in the order
    of the questions."""

    def __init__(self, dns_port):
        self.dns_port = dns_port
        self.asked, self.answered = {}, {}
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.bind(("lo", ETH_P_ALL))
        self.socket.settimeout(0.2)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.read, daemon=True)

    def read(self):
        while True:
            try:
                packet, control, _, address = self.socket.recvmsg(2048, 256)
            except TimeoutError:
                if self.ended.is_set():
                    return
                continue
            stamps = [data for level, kind, data in control if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS)]
            if stamps:
                seconds, rest = NANOSECONDS.unpack(stamps[0][:16])
                self.note(packet, address[2] == PACKET_OUTGOING, seconds * 10**9 + rest)

    def note(self, packet, leaves, at):
        """Of loopback each packet is seen twice: a question counts as it leaves, an answer as it comes."""
        if packet[0] >> 4 != 4:
            return
        body = packet[(packet[0] & 15) * 4:]
        if packet[9] == socket.IPPROTO_ICMP and len(body) >= 8:
            key, is_question = ("echo", body[4:8]), body[0] == 8
            if body[0] not in (0, 8):
                return
        elif packet[9] == socket.IPPROTO_UDP and len(body) >= 10:
            source, target = struct.unpack("!HH", body[:4])
            if self.dns_port not in (source, target):
                return
            is_question = target == self.dns_port
            key = (source if is_question else target, body[8:10])
        else:
            return
        if is_question and leaves:
            self.asked.setdefault(key, []).append(at)
        elif not is_question and not leaves:
            self.answered.setdefault(key, []).append(at)

    @property
    def times(self):
        pairs = []
        for key, asked in self.asked.items():
            pairs += zip(asked, self.answered.get(key, []))
        return [(answered - asked) / 1e6 for asked, answered in sorted(pairs)]

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
        self.socket.close()
