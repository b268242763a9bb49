# SPDX-License-Identifier: MIT
"""The alerts that a check's rows mean, by the rules of docs/quartz.md: written from those, without a look at the SQL.

A row: (at, id, place, status, response_ms, maintenance, owner_rev). Times are integers, milliseconds."""
from dataclasses import dataclass, field

MINUTE = 60_000
REOPEN = 5 * MINUTE
COMPARE = {"gt": lambda a, b: a > b, "gte": lambda a, b: a >= b, "lt": lambda a, b: a < b, "lte": lambda a, b: a <= b,
           "eq": lambda a, b: a == b}


@dataclass
class Check:
    interval_s: int
    threshold: int
    needed: int
    rules: list = field(default_factory=list)  # (type, operator, value)


@dataclass
class Place:
    last: int
    failures: int = 0
    since: int | None = None
    slow: bool = False


def worst(words, needed):
    """The needed-th worst word; the best one where fewer than that are heard."""
    if not words:
        return 0
    return sorted(words, reverse=True)[min(needed, len(words)) - 1]


def holds(check, kind, value):
    return any(COMPARE[op](value, limit) for t, op, limit in check.rules if t == kind)


def alerts(check, rows):
    """{kind: [[begin, end or None, first failure, occurrences, ending]]}, end and ending None while it is open."""
    places, fences = {}, {}
    told = {"availability": [], "performance": []}
    on = {"availability": False, "performance": False}
    fresh = max(10 * MINUTE, 3 * check.interval_s * 1000)
    fence = 3 * check.interval_s * 1000 + MINUTE

    def begin(kind, at, since):
        on[kind] = True
        past = told[kind]
        if past and past[-1][4] == "recovered" and at <= past[-1][1] + REOPEN:
            past[-1][1] = past[-1][4] = None
            past[-1][3] += 1
        else:
            past.append([at, None, since, 1, None])

    def end(kind, at, why):
        on[kind] = False
        told[kind][-1][1], told[kind][-1][4] = at, why

    for at, _, place, status, response, maintenance, rev in sorted(rows):
        known = places.get(place)
        if known and at <= known.last:
            continue
        if rev is not None and place in fences and rev < fences[place][0] and at <= fences[place][1] + fence:
            continue
        if rev is not None:
            fences[place] = (rev, at)
        here = places.setdefault(place, Place(at))
        if here.last <= at - fresh:
            here.slow = False
        here.last = at
        if maintenance:
            for other in places.values():
                other.failures, other.since, other.slow = 0, None, False
            for kind in on:
                if on[kind]:
                    end(kind, at, "maintenance")
            continue
        if status == "success":
            here.failures, here.since = 0, None
        else:
            here.failures += 1
            here.since = at if here.since is None else here.since
        heard = [p for p in places.values() if p.last > at - fresh]
        failures = worst([p.failures for p in heard], check.needed)
        if failures == 0:
            if on["availability"]:
                end("availability", at, "recovered")
        elif not on["availability"] and (failures >= (check.threshold or 1)
                                         or holds(check, "consecutive_failures", failures) or holds(check, "downtime", 100)):
            ranked = sorted(heard, key=lambda p: (-p.failures, p.since if p.since is not None else 1 << 62))
            begin("availability", at, ranked[min(check.needed, len(ranked)) - 1].since)
        if status == "success" and response is not None:
            here.slow = holds(check, "response_time", response)
            slow = worst([p.slow for p in heard], check.needed)
            if slow and not on["performance"]:
                begin("performance", at, at)
            elif not slow and on["performance"]:
                end("performance", at, "recovered")
    return told
