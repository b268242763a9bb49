# SPDX-License-Identifier: MIT
"""Says what a verdict comes to: a table of faults, one of takeovers, one line of counts, and whatever is wrong."""

import collections
import statistics
import time


def fault_table(verdict):
    yield "| fault | times | slots concerned | missing | run by two | rows |"
    yield "|---|---|---|---|---|---|"
    kinds = collections.defaultdict(list)
    for fault in verdict.faults:
        kinds[fault["kind"]].append(fault)
    for kind, faults in sorted(kinds.items()):
        slots = {slot for fault in faults for slot in verdict.concerned(fault)}
        states = collections.Counter(verdict.state[slot] for slot in slots)
        twice = sum(1 for slot in slots if len(verdict.runners(*slot)) > 1)
        rows = sum(len({row["id"] for row in verdict.stored.get((check, round(due * 1000)), [])}) for check, due in slots)
        missing = states["missing"]
        yield f"| {kind} | {len(faults)} | {len(slots)} | {missing} | {twice} | {rows} |"


def bound(verdict, kind, death):
    """What a takeover may take; None: there is none to hold it to. etcd ends a lease up to half a second late; a new leader
    gives each its whole time again, and the time of an election on top (lessor.Promote)."""
    ttl = verdict.ttl
    return {
        "dead": ttl + 1,
        "dead, and the store's leader": verdict.elected_after(death) + ttl + 2,
        "dead, and another": 2 * ttl + 2,
    }.get(kind)


def takeover_table(verdict):
    yield "| an agent is | times | slots due just then | median | longest | bound |"
    yield "|---|---|---|---|---|---|"
    kinds = collections.defaultdict(list)
    for kind, took, checks, death in verdict.takeovers():
        kinds[kind].append((took, checks, bound(verdict, kind, death)))
    for kind, found in sorted(kinds.items()):
        times = [took for took, _, _ in found]
        limits = [limit for _, _, limit in found if limit]
        yield (f"| {kind} | {len(found)} | {sum(checks for _, checks, _ in found)} | {statistics.median(times):.1f} s | "
               f"{max(times):.1f} s | {f'{max(limits):.1f} s' if limits else ''} |")


def late_takeovers(verdict):
    """Nothing on a machine that is late itself: an agent there is as late."""
    if verdict.lateness.worst > 0.3:
        return
    for kind, took, checks, death in verdict.takeovers():
        limit = bound(verdict, kind, death)
        if limit and took > limit + 0.5:
            yield f"too late: {kind}, the last of {checks} checks after {took:.1f} s, bound {limit:.1f} s; faults {around(verdict, death)}"


def summary(verdict):
    states = collections.Counter(verdict.state.values())
    late = max((row["at"] - row["due"] for row in verdict.rows if row["new"] and row["due"] >= verdict.begin), default=0)
    twice = sum(1 for slot in verdict.slots if len(verdict.runners(*slot)) > 1)
    yield (f"{len(verdict.faults)} faults in {(verdict.end - verdict.begin) / 60:.0f} min, {len(verdict.slots)} slots of "
           f"{verdict.checks} checks: {states['one']} with one row, {states['more']} with more, {states['missing']} missing; "
           f"{len(verdict.strange)} rows of no slot")
    yield (f"of these slots {twice} were run by two; {states['clock']} were run and have no row of their own, for a clock "
           f"was 90 s apart; {states['late machine']} are not judged, for the machine stood still for a second")
    yield (f"the longest time between two probes of a check {verdict.gaps():.1f} s, the latest row {late:.0f} s after it was "
           f"due; this machine was late by {verdict.lateness.worst:.2f} s at worst")


def around(verdict, at):
    return [f"{fault['kind']} {fault['agents']} {fault['begin'] - at:+.0f}..{fault['end'] - at:+.0f}"
            for fault in verdict.faults if fault["begin"] - 2 < at + verdict.interval and fault["end"] + 25 > at]


def wrong(verdict):
    """Each slot that is not as it should be, with what happened around it."""
    for slot in verdict.slots:
        if verdict.state[slot] not in ("missing", "more"):
            continue
        check, due = slot
        probes = [f"{at - due:+.1f} by {address[-1]}" for at, address in
                  verdict.between(check, due - verdict.interval, due + 2 * verdict.interval)]
        stamp = time.strftime("%H:%M:%S", time.gmtime(due))
        yield f"{verdict.state[slot]}: check {check} due {stamp} ({due:.3f}); probes {probes}; faults {around(verdict, due)}"


def holds(verdict):
    states = collections.Counter(verdict.state.values())
    # A machine that stood still for long proves nothing.
    judged = len(verdict.slots) - states["late machine"]
    return (not states["missing"] and not states["more"] and not verdict.strange and judged > 0
            and not list(late_takeovers(verdict)))
