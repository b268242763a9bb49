# SPDX-License-Identifier: MIT
"""Judges a run by what the backend stored and by what the probed servers saw: one row a slot, and none missing."""

import bisect
import collections
import datetime
import json
import pathlib
import re

from lab import agent_address


# Faults in which an agent is not heard of by the store.
SILENT = {"member killed", "member stands still", "cut from the store", "leader and member killed", "token expired",
          "two with one name"}
# And in which what it takes over is late: half a second to the store each way, or slots of another minute.
HINDERED = SILENT | {"slow way to the store", "clock apart"}
# Seconds that etcd takes at most to elect a leader, split votes included, at its usual timeout of one.
ELECTION = 4


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def lines(path):
    with open(path) as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def elections(folder):
    """When a member of the store knew a new leader, by the logs of the store; it may need nobody's death for one."""
    found = set()
    for log in pathlib.Path(folder).glob("*.log"):
        for text in re.findall(r"raft(\S+ \S+) INFO: .* elected leader", log.read_text(errors="replace")):
            moment = datetime.datetime.strptime(text, "%Y/%m/%d %H:%M:%S").replace(tzinfo=datetime.timezone.utc)
            found.add(moment.timestamp())
    return found


class Verdict:
    def __init__(self, world, folder, checks, begin, end, faults, events, lateness):
        self.interval, self.ttl, self.checks = world.interval, world.ttl, checks
        self.begin, self.end, self.faults, self.events, self.lateness = begin, end, faults, events, lateness
        # What is known of time: the runner and the servers have the same clock.
        self.rows, self.probes = lines(f"{folder}/rows.ndjson"), lines(f"{folder}/probes.ndjson")
        self.by_check = collections.defaultdict(list)
        for probe in sorted(self.probes, key=lambda each: each["at"]):
            self.by_check[probe["check"]].append((probe["at"], probe["from"]))
        self.stored = collections.defaultdict(list)
        for row in self.rows:
            row["due"] = seconds(row["slot"])
            self.stored[row["check"], round(row["due"] * 1000)].append(row)
        self.elections = elections(f"{folder}/store")
        self.skews = self.clock_spans()
        self.phases = {}
        self.slots = list(self.all_slots())
        self.state = {slot: self.judge(*slot) for slot in self.slots}
        wanted = {(check, round(due * 1000)) for check, due in self.slots}
        # Rows that belong to no slot.
        self.strange = [row for row in self.rows if begin < row["due"] < end
                        and (row["check"], round(row["due"] * 1000)) not in wanted]

    def clock_spans(self):
        spans, open_spans = [], {}
        for event in self.events:
            if event["what"] == "clock apart":
                open_spans[event["agent"]] = (event["at"], event["more"])
            elif event["what"] == "clock right":
                first, skew = open_spans.pop(event["agent"])
                spans.append((event["address"], first, event["at"], skew))
        return spans

    def all_slots(self):
        """(check, when it is due) of every slot that had to be run."""
        for check in range(self.checks):
            phases = collections.Counter(
                key[1] % (self.interval * 1000) for key in self.stored if key[0] == check)
            if not phases:
                yield check, self.begin
                continue
            phase = self.phases[check] = phases.most_common(1)[0][0] / 1000
            due = self.begin + (phase - self.begin) % self.interval
            due = round(due * 1000) / 1000
            while due < self.end:
                yield check, due
                due += self.interval

    def between(self, check, first, last):
        probes = self.by_check[check]
        return probes[bisect.bisect_left(probes, (first, "")):bisect.bisect_left(probes, (last, ""))]

    def judge(self, check, due):
        """`one`, `more` (rows), `clock`, `late machine` or `missing`."""
        rows = self.stored.get((check, round(due * 1000)), [])
        ids = {row["id"] for row in rows}
        if len(ids) == 1:
            return "one"
        if len(ids) > 1 or sum(row["new"] for row in rows) > 1:
            return "more"
        for address, first, last, skew in self.skews:
            reach = abs(skew) + self.interval
            if first - reach <= due <= last + reach and any(
                    at[1] == address for at in self.between(check, first, last)):
                # By the true time it was run; its row has the name of another slot.
                if self.between(check, due - 0.5, due + self.interval):
                    return "clock"
        return "late machine" if self.lateness.hits(due - 1, due + self.interval) else "missing"

    def runners(self, check, due):
        return {address for _, address in self.between(check, due - 0.5, due + self.interval - 0.5)}

    def owner(self, check, at):
        probes = self.by_check[check]
        place = bisect.bisect_left(probes, (at, ""))
        return probes[place - 1][1] if place else None

    def concerned(self, fault):
        """The slots that are due from just before a fault until it must be over."""
        first, last = fault["begin"] - 1, fault["end"] + 2 * self.ttl + 2
        addresses = {agent_address(number) for number in fault["agents"]}
        mine = {check for check in range(self.checks)
                if fault["all"] or self.owner(check, fault["begin"]) in addresses}
        return [slot for slot in self.slots if slot[0] in mine and first <= slot[1] <= last]

    def takeovers(self):
        """(kind, seconds from a death to the last run by others of what was due soon after it, checks, when it died)."""
        found = []
        for place, event in enumerate(self.events):
            if event["what"] not in ("gone", "stopping"):
                continue
            ends = "stopped" if event["what"] == "stopping" else "back"
            until = next(
                (each["at"] for each in self.events[place:] if each["what"] == ends and each["agent"] == event["agent"]),
                self.end)
            death = event["at"]
            if event["what"] == "gone" and until - death < self.ttl + 2:
                continue
            last_due = []
            for check in range(self.checks):
                # What somebody else runs, too, is taken over already.
                if {address for _, address in self.between(check, death - self.interval - 1, death)} != {event["address"]}:
                    continue
                # Whose next slot is far away has nothing to show yet.
                due = death + (self.phases.get(check, 0) - death) % self.interval
                if due > death + self.ttl / 2:
                    continue
                after = [at for at, address in self.between(check, due - 0.05, death + 4 * self.ttl)
                         if address != event["address"]]
                if after:
                    last_due.append(after[0] - death)
            if last_due:
                found.append((self.kind_of_death(event, death), max(last_due), len(last_due), death))
        return found

    def kind_of_death(self, event, death):
        first, last = death - 2, death + self.ttl + ELECTION
        away = self.is_away(death) or any(
            each["what"] in ("store away", "store back") and first <= each["at"] <= last for each in self.events)
        store = any(first <= each <= last for each in self.elections)
        word = "stopped" if event["what"] == "stopping" else "dead"
        if away:
            return word + ", the store away"
        # Who is to take its checks may be away by then, and nobody knows.
        another = any(
            fault["kind"] in HINDERED and agent_address(number) != event["address"]
            and death - self.ttl - 1 <= fault["begin"] <= death + self.ttl + 1
            for fault in self.faults for number in fault["agents"])
        leader = store and word == "dead"
        return word + (", and the store's leader" if leader else "") + (", and another" if another else "")

    def elected_after(self, death):
        """Seconds from a death to the last election that its lease lived through: a new leader gives it its whole time again."""
        return max((each - death for each in self.elections if death <= each <= death + self.ttl + ELECTION), default=0)

    def is_away(self, at):
        last = [each for each in self.events if each["what"] in ("store away", "store back") and each["at"] <= at]
        return bool(last) and last[-1]["what"] == "store away"

    def gaps(self):
        """The longest time that a check was not probed."""
        return max(
            later[0] - former[0] for probes in self.by_check.values() for former, later in zip(probes, probes[1:]))
