# SPDX-License-Identifier: MIT
"""Draws mutations by rule from all sources that decide, builds them into one copy, and asks the tests of their room.

`scripts/plant --mutate N`. What a mutation is, and which files are left out, stands in mutations.py. Those that do not
compile are found by the compiler's errors, dropped and replaced. A mutation is judged by the quick suites of its room's test
target, then by the slower ones, and survives when all of them pass. A suite that fails without a mutation too judges none.
"""

import argparse
import collections
import concurrent.futures
import json
import re
import secrets
import sys
import threading
import time

import mutations
import plant

# Seconds for the quick suites of a room, and for all that judge a mutation: with more, a run of a thousand would take days.
QUICK, WHOLE = 6, 40
ROUNDS = 20


def line_spans(chosen, texts):
    """Where each mutation stands in the changed copy: {file: [(first line, last line, mutation)]}."""
    spans = collections.defaultdict(list)
    for one in chosen:
        replacement = one.edit((plant.ROOT / one.file).read_text())[2]
        first = texts[one.file].count("\n", 0, texts[one.file].index(replacement)) + 1
        spans[one.file].append((first, first + replacement.count("\n"), one))
    return spans


def blamed(errors, spans):
    """The mutations that do not compile. An error beside all of them is that of the nearest in the file, or of the whole room."""
    guilty = []
    for _, path, line in errors:
        file = str(path.relative_to(plant.TREE))
        here = sorted(spans.get(file, []), key=lambda span: max(span[0] - line, line - span[1], 0))
        if not here:
            here = [span for other, found in spans.items() for span in found if other.split("/")[1] == file.split("/")[1]]
            guilty += [span[2] for span in here]
        else:
            guilty.append(here[0][2])
    return list(dict.fromkeys(guilty))


def build(draw, number):
    """The first `number` mutations that compile, and how many did not."""
    chosen, refused = draw.some(number + number // 3 + 2), collections.Counter()
    for turn in range(1, ROUNDS + 1):
        texts, stale = plant.planted_texts(chosen)
        if stale:
            sys.exit("\n".join(stale))
        plant.write_copy(texts)
        plant.say(f"building {len(chosen)} mutations, round {turn}")
        errors = plant.compile_copy()
        if not errors:
            return chosen, refused
        guilty = blamed(errors, line_spans(chosen, texts))
        if not guilty:
            sys.exit("\n".join(line for line, _, _ in errors) + "\nthe copy does not compile, and no mutation is why")
        refused.update(one.rule for one in guilty)
        plant.say(f"{len(guilty)} do not compile")
        chosen = [one for one in chosen if one not in guilty]
        if len(chosen) < number:
            chosen += draw.some(number - len(chosen) + number // 10 + 1)
    sys.exit(f"the copy did not compile in {ROUNDS} rounds")


def suite_times():
    """Seconds of each suite, as its last whole run told them: scripts/test keeps its log, and without one all are measured."""
    own = plant.TREE.parent / "suites.log"
    log = next((path for path in (plant.ROOT / ".build" / "tests.log", own) if path.is_file()), None)
    if not log:
        plant.say("measuring the suites")
        own.write_text(plant.Run(".", limit=3600).plain)
        log = own
    text = plant.COLOUR.sub("", log.read_text(errors="replace"))
    return {suite: float(seconds) for suite, seconds in re.findall(r"^✔ Suite (\w+) passed after ([0-9.]+) seconds", text, re.M)}


class Room:
    """The suites of a room's own test target that judge its mutations."""

    def __init__(self, name, listed, times):
        self.name, self.lock, self.broken = name, threading.Lock(), {}
        suites = {line.split("/")[0].split(".")[1] for line in listed if line.startswith(f"{name}Tests.")}
        quick, slow, total = [], [], 0.0
        for suite in sorted(suites & set(times), key=times.get):
            total += times[suite]
            if total <= WHOLE:
                (quick if total <= QUICK else slow).append(suite)
        self.passes = [part for part in (quick, slow) if part]
        self.left_out = sorted(suites - set(quick) - set(slow))

    def matching(self, suites):
        return f"^{self.name}Tests[.]({'|'.join(suites)})/"

    def is_broken(self, suite):
        """Whether a suite fails without a mutation too: asked once, when it fails with one."""
        with self.lock:
            if suite not in self.broken:
                self.broken[suite] = bool(plant.Run(self.matching([suite])).caught_by)
            return self.broken[suite]

    def judge(self, one):
        """The first run that noticed, or the last that did not."""
        for part in self.passes:
            while suites := [suite for suite in part if not self.broken.get(suite)]:
                run = plant.Run(self.matching(suites), one, until_failure=True)
                if not run.caught_by:
                    break
                begun = re.findall(r"^◇ Suite (\w+) started", run.plain, re.M)
                if not begun or not self.is_broken(begun[-1]):
                    return run
        return run


def rooms_of(chosen):
    listed = plant.listed_tests()
    times = suite_times()
    rooms = {name: Room(name, listed, times) for name in sorted({one.room for one in chosen})}
    for name, room in rooms.items():
        if not room.passes:
            sys.exit(f"{name}: no suite of {name}Tests is known to pass; run ./scripts/test")
        if room.left_out:
            print(f"{name}: too slow to judge a mutation: {', '.join(room.left_out)}")
    return rooms


def table(judged):
    """By room: tried, noticed, and the share of them."""
    rows = collections.defaultdict(lambda: [0, 0])
    for one, noticed in judged:
        for key in (one.room, "all"):
            rows[key][0] += 1
            rows[key][1] += bool(noticed)
    lines = ["| room | tried | noticed | % |", "|---|---|---|---|"]
    for name in sorted(rows, key=lambda name: (name == "all", name)):
        tried, noticed = rows[name]
        lines.append(f"| {name} | {tried} | {noticed} | {100 * noticed / tried:.0f} |")
    return "\n".join(lines)


def kept():
    """What was built last, and what survived: by number, which changes with the file."""
    return plant.TREE.parent / "mutations.json"


def keep(**what):
    kept().write_text(json.dumps(what))


def recall(places, key):
    numbers = json.loads(kept().read_text())[key]
    found = {one.number: one for rules in places.values() for all_of_rule in rules.values() for one in all_of_rule}
    return [found[number] for number in numbers if number in found]


class Again:
    """Draws the survivors of the last run and no others."""

    def __init__(self, places):
        self.left = recall(places, "survivors")

    def some(self, _):
        left, self.left = self.left, []
        return left


def main():
    parser = argparse.ArgumentParser(prog="plant --mutate", description=__doc__.splitlines()[0])
    parser.add_argument("--mutate", type=int, required=True, metavar="N")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--room", action="append", default=[])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--skip-build", action="store_true")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    seed = secrets.randbelow(1_000_000_000) if options.seed is None else options.seed
    places = mutations.everywhere(plant.ROOT, options.room)
    if not places:
        sys.exit("no such room")
    draw = mutations.Draw(places, seed)
    commit = plant.head()
    print(f"seed {seed}, commit {commit}, {sum(len(found) for rules in places.values() for found in rules.values())} possible mutations")
    if options.list:
        for one in draw.some(options.mutate):
            print(f"{one.where}: {one.rule}: {one.change}")
        return
    started = time.monotonic()
    if options.skip_build:
        chosen = recall(places, "chosen")
    else:
        chosen, refused = build(Again(places) if options.again else draw, options.mutate)
        print(f"{sum(refused.values())} did not compile: " + ", ".join(f"{rule} {count}" for rule, count in sorted(refused.items())))
    building = time.monotonic() - started
    chosen = chosen[:options.mutate]
    keep(seed=seed, chosen=[one.number for one in chosen], survivors=[])
    if options.build:
        return
    rooms = rooms_of(chosen)
    began = time.monotonic()
    judged = []
    print("| place | rule | change | noticed by | s |\n|---|---|---|---|---|")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for one, run in zip(chosen, pool.map(lambda one: rooms[one.room].judge(one), chosen)):
            judged.append((one, run.caught_by))
            cells = [one.where, one.rule, one.change, run.caught_by or "**survived**", f"{run.seconds:.1f}"]
            print("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |", flush=True)
    print("\n" + table(judged) + "\n")
    survivors = [one for one, noticed in judged if not noticed]
    for one in survivors:
        print(f"survived: {one.where}: {one.rule}: {one.change}")
    print(
        f"seed {seed}: {len(judged) - len(survivors)} of {len(judged)} noticed; "
        f"built in {building:.0f} s, tests in {time.monotonic() - began:.0f} s")
    keep(seed=seed, chosen=[one.number for one in chosen], survivors=[one.number for one in survivors])
    if survivors and not options.report:
        sys.exit(1)


if __name__ == "__main__":
    main()
