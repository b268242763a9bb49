# SPDX-License-Identifier: MIT
"""Which suites of tests come to which mistake, how long each takes, and which of them notices one.

Every suite runs once by itself with no mistake switched on. What it takes, whether it passes, and which switches it came by
(plant.REACHED) is what a mistake is judged with afterwards: only by suites that came by its switch, those of its own room
first and the quick ones before the slow ones. Those of other rooms and of the whole program judge as well.
"""

import concurrent.futures
import json
import os
import tempfile
import threading

import plant

# What measures how late something is needs the machine for itself (scripts/test, `alone`).
ALONE = ("QuartzAgentTests.WorstInputStories", "CurlTests.FloodTests")
# Seconds of the suites that are asked at once, before the slower ones are.
QUICK = 5


class Suite:
    def __init__(self, name, seconds, passes, reached):
        self.name, self.seconds, self.passes, self.reached = name, seconds, passes, frozenset(reached)
        self.target, _, self.type = name.partition(".")


def matching(suites):
    """The filter that takes these suites and no others."""
    by_target = {}
    for suite in suites:
        by_target.setdefault(suite.target, []).append(suite.type)
    return "|".join(f"^{target}[.]({'|'.join(types)})/" for target, types in by_target.items())


def measured(name, numbers, most):
    target, _, kind = name.partition(".")
    with tempfile.NamedTemporaryFile() as switches:
        os.ftruncate(switches.fileno(), plant.SWITCHES)
        # Other users run programs of the tests, too.
        os.chmod(switches.name, 0o666)
        run = plant.Run(f"^{target}[.]{kind}/", limit=most, reached=switches.name)
        asked = os.pread(switches.fileno(), plant.SWITCHES, 0)
    return Suite(name, run.seconds, run.code == 0, [one for one in numbers if asked[one % plant.SWITCHES]])


class Suites:
    """All suites that take no longer than `most` seconds each."""

    def __init__(self, chosen, most, jobs, kept=None):
        self.most, self.lock, self.repeated = most, threading.Lock(), {}
        numbers = [one.number for one in chosen]
        found = json.loads(kept.read_text()) if kept and kept.is_file() else {}
        if not set(numbers) <= set(found.get("numbers", [])):
            names = sorted({line.split("/")[0] for line in plant.listed_tests() if "/" in line} - set(ALONE))
            plant.say(f"{len(names)} suites without a mistake")
            with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
                all_suites = list(pool.map(lambda name: measured(name, numbers, most), names))
            rows = [[one.name, one.seconds, one.passes, sorted(one.reached)] for one in all_suites]
            found = {"numbers": sorted(numbers), "suites": rows}
            if kept:
                kept.write_text(json.dumps(found))
        self.all = [Suite(*values) for values in found["suites"]]
        for one in self.all:
            if not one.passes:
                print(f"{one.name}: judges nothing, for it {'takes too long' if one.seconds >= most else 'fails without a mistake'}")

    def judging(self, one):
        """The suites that come by a mistake, in the order in which they are asked."""
        own = {f"{room}Tests" for room in ([one.room, *{"Agent": ["QuartzAgent"], "Network": ["Checks"]}.get(one.room, [])])}
        # The switches of C headers tell nothing (plant.C_HELPER).
        blind = one.file.endswith(".h")
        suites = [
            suite for suite in self.all
            if suite.passes and (suite.target in own if blind else one.number in suite.reached)]
        return sorted(suites, key=lambda suite: (suite.target not in own and suite.seconds > 1, suite.seconds))

    def fails_by_itself(self, suite):
        """Whether a suite fails without a mistake too: asked when it fails with one, once."""
        with self.lock:
            if suite.name not in self.repeated:
                self.repeated[suite.name] = bool(plant.Run(matching([suite]), limit=3 * self.most).caught_by)
            return self.repeated[suite.name]

    def judge(self, one):
        """What noticed a mistake, in words, and seconds; empty words: nothing did."""
        left, seconds, asked = self.judging(one), 0.0, 0
        while left:
            part, total = [], 0.0
            while left and (not part or total + left[0].seconds <= (QUICK if asked == 0 else self.most)):
                total += left[0].seconds
                part.append(left.pop(0))
            asked += len(part)
            words, spent = self.noticed(one, part)
            seconds += spent
            if words:
                return words, seconds
        return "", seconds

    def noticed(self, one, part):
        """What fails once only, on a machine that is busy with something else, has noticed nothing."""
        seconds = 0.0
        while part:
            limit = 3 * sum(suite.seconds for suite in part) + 20
            run = plant.Run(matching(part), one, limit=limit, until_failure=True)
            seconds += run.seconds
            if run.code in (126, 127):
                raise SystemExit("the tests cannot be started: is the copy being built?")
            if not run.caught_by:
                return "", seconds
            begun = plant.begun_suites(run.plain)
            at = next((suite for suite in part if begun and suite.type == begun[-1]), None)
            if not at:
                # Its suite has a title, or none had begun: all of them once more.
                again = plant.Run(matching(part), one, limit=limit, until_failure=True)
                seconds += again.seconds
                return again.caught_by, seconds
            if not self.fails_by_itself(at):
                again = plant.Run(matching([at]), one, limit=3 * at.seconds + 20, until_failure=True)
                seconds += again.seconds
                if again.caught_by:
                    return again.caught_by, seconds
            part = [suite for suite in part if suite is not at]
        return "", seconds
