# SPDX-License-Identifier: MIT
"""A file of history as the agent keeps it (Sources/History, version 3), so that pages have 90 days to show."""

import bisect
import math
import random
import time

from ways import blob, crc32c, number, optional, signed, text

MINUTE, HOUR, DAY = 60, 3600, 86_400
MICRO = 1_000_000
# Widths in seconds, the longest window in buckets, and whether latencies are sorted into bins: None, all, or every second bin.
SERIES = ((5 * MINUTE, 288, None), (HOUR, 168, 1), (6 * HOUR, 120, None), (DAY, 90, 2))
UP, DEGRADED, DOWN = 0, 1, 2
EDGES = [0]
_edge = 1
while _edge < 4_500_000_000:
    EDGES.append(_edge)
    _edge += max(1, _edge // 25)


class Past:
    """A check's 90 days: what response times were, in milliseconds, and when it was down or slow, as (days ago, hour of that day,
    minutes)."""

    def __init__(self, latency=40, down=(), slow=(), days=90, message="status 503, expected 200-299", state="up"):
        self.latency, self.days, self.message, self.state = latency, days, message, state
        today = time.time() // DAY * DAY
        self.down, self.slow = (sorted((today - ago * DAY + hour * HOUR, today - ago * DAY + hour * HOUR + minutes * MINUTE)
                                       for ago, hour, minutes in spans) for spans in (down, slow))

    def standing(self, at):
        if any(begin <= at < end for begin, end in self.down):
            return DOWN
        return DEGRADED if any(begin <= at < end for begin, end in self.slow) else UP

    def run(self, at, noise):
        """State and response time in microseconds of the run at that time: slower by day, now and then much slower."""
        standing = self.standing(at)
        wave = 1 + 0.25 * math.sin((at % DAY) / DAY * 2 * math.pi - 2) + noise.gauss(0, 0.06)
        factor = 6 if standing == DEGRADED else 2.5 if noise.random() < 0.004 else 1
        return standing, max(200, int(self.latency * 1000 * wave * factor))

    def series(self, width, count, bins, end, seed):
        """Response times are drawn for a dozen runs of a bucket, each of which stands for its part: one a minute would be 129,600."""
        noise, step = random.Random(seed), max(MINUTE, width // 12)
        first = max(int(end) // width - count + 1, int(end - self.days * DAY) // width)
        found = []
        for key in range(first, int(end) // width + 1):
            begin, finish = key * width, min((key + 1) * width, int(end))
            down, slow = (sum(max(0, min(finish, until) - max(begin, since)) for since, until in spans) for spans in (self.down, self.slow))
            seconds = [int(each) for each in (finish - begin - down - slow, slow, down, 0, 0)]
            runs = [self.run(at, noise) for at in range(begin, finish - step + 1, step)]
            times = [took for standing, took in runs if standing != DOWN for _ in range(step // MINUTE)]
            found.append((key, bucket([each * MICRO for each in seconds], [each // MINUTE for each in seconds], times, bins)))
        sealed = b"".join((key & 0xffffffff).to_bytes(4, "little") + blob(data) for key, data in found[:-1])
        return number(len(found) - 1) + blob(sealed) + b"\1" + signed(found[-1][0]) + found[-1][1]

    def encoded(self, end, seed):
        noise = random.Random(seed)
        runs = [self.run(end - MINUTE * (40 - place), noise)[1] for place in range(40)]
        since = max([span[1] for span in self.down] + [end - 20 * DAY]) if self.state == "up" else end - 40 * MINUTE
        last = (signed(int(end * MICRO)) * 2 + text(self.state) + text("ok") + text("") + optional(200) + optional(runs[-1])
                + optional(None) + text("") + b"\0")
        spans = b"".join(signed(int(begin * MICRO)) + signed(int(finish * MICRO)) + number(int(finish - begin) // MINUTE)
                         + text("http_status") + text("") + text(self.message) + b"\0" for begin, finish in self.down)
        return (number(0) * 4 + b"\0" + number(0) + b"".join(self.series(*shape, end, seed) for shape in SERIES)
                + number(1) + signed(int((end - self.days * DAY) * MICRO)) + signed((1 << 63) - 1)
                + optional(int(since * MICRO)) + b"\1" + last
                + number(len(runs)) + b"".join(text(self.state) + optional(took) for took in runs)
                + number(len(self.down)) + spans + b"\0" + number(0))


def bucket(seconds, counts, times, bins):
    mask = sum(1 << place for place in range(5) if seconds[place]) | sum(32 << place for place in range(5) if counts[place])
    mask |= (1 << 10 if times else 0) | (1 << 11 if times and bins else 0)
    out = number(mask) + b"".join(signed(each) for each in seconds + counts if each)
    if times:
        out += signed(len(times)) + signed(sum(times)) + signed(min(times)) + signed(max(times) - min(times))
    if times and bins:
        found = {}
        for took in times:
            place = (bisect.bisect_right(EDGES, took) - 1) // bins * bins
            found[place] = found.get(place, 0) + 1
        out, previous = out + number(len(found)), 0
        for place in sorted(found):
            out += number(place - previous) + number(found[place])
            previous = place
    return out


def file(pasts):
    """The histories of checks, by their ids, which end with this minute."""
    end = time.time() // MINUTE * MINUTE
    body = b"QHIS" + number(3) + number(0) + number(len(pasts))
    body += b"".join(check.bytes + past.encoded(end, seed) for seed, (check, past) in enumerate(pasts.items()))
    return body + crc32c(body).to_bytes(4, "little")
