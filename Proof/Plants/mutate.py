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
QUICK, WHOLE = 4, 30
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


def titled_suites():
    """Types of the suites that have a title, which is what a log calls them."""
    found = {}
    for file in (plant.ROOT / "Tests").glob("*/*.swift"):
        text = file.read_text()
        found.update(re.findall(r'@Suite\("([^"]+)"[^\n]*\)\s*(?:final )?(?:struct|class|actor) (\w+)', text))
    return found


def told_suites(text, words):
    """Types of the suites of which a log says this, with what follows."""
    titled = titled_suites()
    for name, rest in re.findall(rf'^. Suite (\w+|"[^"\n]+") {words}(.*)$', text, re.M):
        yield titled.get(name[1:-1], name) if name.startswith('"') else name, rest


def suite_times():
    """Seconds of each suite, as its last whole run told them: scripts/test keeps its log, and without one all are measured."""
    own = plant.TREE.parent / "suites.log"
    log = next((path for path in (plant.ROOT / ".build" / "tests.log", own) if path.is_file()), None)
    if not log:
        plant.say("measuring the suites")
        own.write_text(plant.Run(".", limit=3600).plain)
        log = own
    text = plant.COLOUR.sub("", log.read_text(errors="replace"))
    return {suite: float(rest.split()[0]) for suite, rest in told_suites(text, "passed after ")}


class Room:
    """The suites of a room's own test target that judge its mutations; of some rooms another's do, too."""

    def __init__(self, name, listed, times, most_quick=QUICK, most=WHOLE):
        self.name, self.lock, self.broken = name, threading.Lock(), {}
        others = {"Agent": ["QuartzAgent"], "Network": ["Checks"]}
        self.targets = [f"{one}Tests" for one in [name, *others.get(name, [])]]
        # A hang is told by a limit that whole passes are well within.
        self.limit = plant.LIMIT + 2 * most
        suites = {line.split("/")[0].split(".")[1] for line in listed if line.split(".")[0] in self.targets}
        quick, slow, total = [], [], 0.0
        for suite in sorted(suites & set(times), key=times.get):
            total += times[suite]
            if total <= most:
                (quick if total <= most_quick else slow).append(suite)
        self.passes = (quick, slow)
        self.left_out = sorted(suites - set(quick) - set(slow))

    def matching(self, suites):
        return f"^({'|'.join(self.targets)})[.]({'|'.join(suites)})/"

    def is_broken(self, suite):
        """Whether a suite fails without a mutation too: asked once, when it fails with one."""
        with self.lock:
            if suite not in self.broken:
                self.broken[suite] = bool(plant.Run(self.matching([suite])).caught_by)
            return self.broken[suite]

    def judge(self, one):
        """The first run that noticed, or the last that did not; None: there was none. What fails once only, on a machine that
        is busy with something else, has noticed nothing."""
        last, passed = None, set()
        for part in self.passes:
            while suites := [suite for suite in part if not self.broken.get(suite) and suite not in passed]:
                run = plant.Run(self.matching(suites), one, limit=self.limit, until_failure=True)
                if run.code in (126, 127):
                    sys.exit("the tests cannot be started: is the copy being built?")
                if not run.caught_by:
                    last = run
                    break
                # What ran until the first failure, or until the process ended.
                failure = plant.FAILED.search(run.plain)
                begun = [suite for suite, _ in told_suites(run.plain[:failure.start() if failure else None], "started")]
                if begun and self.is_broken(begun[-1]):
                    continue
                if not begun or plant.Run(self.matching([begun[-1]]), one, limit=self.limit, until_failure=True).caught_by:
                    return run
                passed.update(begun)
        return last


def judged(chosen, rooms, jobs):
    """What noticed each mutation, as (mutation, words or nothing)."""
    results = []
    print("| place | rule | change | noticed by | s |\n|---|---|---|---|---|")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = {pool.submit(rooms[one.room].judge, one): one for one in chosen}
        for done in concurrent.futures.as_completed(runs):
            one, run = runs[done], done.result()
            noticed = run.caught_by if run else ""
            results.append((one, noticed))
            cells = [one.where, one.rule, one.change, noticed or "**survived**", f"{run.seconds if run else 0:.1f}"]
            print("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |", flush=True)
    return results


def rooms_of(chosen, most_quick=QUICK, most=WHOLE):
    listed = plant.listed_tests()
    times = suite_times()
    rooms = {name: Room(name, listed, times, most_quick, most) for name in sorted({one.room for one in chosen})}
    for name, room in rooms.items():
        if not any(room.passes):
            sys.exit(f"{name}: no suite of {name} is known to pass; run ./scripts/test")
        if room.left_out:
            print(f"{name}: too slow to judge a mutation: {', '.join(room.left_out)}")
    return rooms


def table(results):
    """By room: tried, noticed, and the share of them."""
    rows = collections.defaultdict(lambda: [0, 0])
    for one, noticed in results:
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


def kept_values():
    if not kept().is_file():
        sys.exit("nothing was built yet: leave out --again and --skip-build")
    return json.loads(kept().read_text())


def keep(seed, chosen, survivors):
    where = {name: [[one.file, one.number] for one in some] for name, some in (("chosen", chosen), ("survivors", survivors))}
    kept().write_text(json.dumps({"seed": seed, **where}))


def recall(key, rooms):
    """Those of a list that was kept, but for files that have changed since."""
    wanted = kept_values()[key]
    found = {}
    for file in {file for file, _ in wanted}:
        found.update({one.number: one for one in mutations.mutations(file, (plant.ROOT / file).read_text())})
    chosen = [found[number] for _, number in wanted if number in found]
    return [one for one in chosen if not rooms or one.room in rooms]


class Again:
    """Draws the survivors of the last run and no others."""

    def __init__(self, rooms):
        self.left = recall("survivors", rooms)

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
    seed = options.seed
    if options.again or options.skip_build:
        seed = kept_values()["seed"]
    elif seed is None:
        seed = secrets.randbelow(1_000_000_000)
    commit = plant.head()
    started = time.monotonic()
    if options.skip_build:
        chosen = recall("chosen", options.room)
        print(f"seed {seed}, commit {commit}")
    else:
        if options.again:
            draw = Again(options.room)
        else:
            places = mutations.everywhere(plant.ROOT, options.room)
            if not places:
                sys.exit("no such room")
            draw = mutations.Draw(places, seed)
        print(f"seed {seed}, commit {commit}", flush=True)
        if options.list:
            for one in draw.some(options.mutate):
                print(f"{one.where}: {one.rule}: {one.change}")
            return
        chosen, refused = build(draw, options.mutate)
        print(f"{sum(refused.values())} did not compile: " + ", ".join(f"{rule} {count}" for rule, count in sorted(refused.items())))
    building = time.monotonic() - started
    chosen = chosen[:options.mutate]
    keep(seed, chosen, [])
    if options.build:
        return
    rooms = rooms_of(chosen)
    began = time.monotonic()
    results = judged(chosen, rooms, options.jobs)
    print("\n" + table(results) + "\n")
    survivors = [one for one, noticed in results if not noticed]
    for one in survivors:
        print(f"survived: {one.where}: {one.rule}: {one.change}")
    print(
        f"seed {seed}: {len(results) - len(survivors)} of {len(results)} noticed; "
        f"built in {building:.0f} s, tests in {time.monotonic() - began:.0f} s")
    keep(seed, chosen, survivors)
    if survivors and not options.report:
        sys.exit(1)


if __name__ == "__main__":
    main()
