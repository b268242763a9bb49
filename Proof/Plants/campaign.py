# SPDX-License-Identifier: MIT
"""Judges mistakes that were written without a look at the tests, or drawn by rule, by all suites that come by them.

`scripts/plant --from DIR`: the tables of another folder have the form of those beside this file (plant.py) without `tests`:
what a plant names there is not looked at. `scripts/plant --mutate N`: mutations by rule (mutate.py). Both may be given at
once, and --from several times: all mistakes are switches of one build. What no suite notices is listed. suites.py says which
suites judge a mistake; `--most SECONDS` leaves out the suites that take longer by themselves.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import secrets
import sys
import time

import mutate
import mutations
import plant
import suites


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
        lines.append(f"| {name} | {tried} | {noticed} | {100 * noticed // tried} |")
    return "\n".join(lines)


def kind(one):
    return one.rule if isinstance(one, mutations.Mutation) else "plant"


def change(one):
    return one.change if isinstance(one, mutations.Mutation) else f"{one.name}: {one.rule}"


def place(one):
    return one.where if isinstance(one, mutations.Mutation) else one.file


def judged(chosen, ask, jobs):
    """What noticed each mistake, as (mistake, words or nothing)."""
    results = []
    print("| place | rule | change | noticed by | s |\n|---|---|---|---|---|")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = {pool.submit(ask, one): one for one in chosen}
        for done in concurrent.futures.as_completed(runs):
            one, (noticed, seconds) = runs[done], done.result()
            results.append((one, noticed))
            cells = [place(one), kind(one), change(one), noticed or "**survived**", f"{seconds:.1f}"]
            print("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |", flush=True)
    return results


def plants_of(folders):
    """The plants of all folders; one that stands on lines of an earlier one is left for a build of its own."""
    found, left = [], []
    for folder in folders:
        here = plant.read_tables(folder, tested=False)
        _, stale = plant.planted_texts(here)
        if stale:
            print("\n".join(stale))
            sys.exit(f"{len(stale)} of {len(here)} plants of {folder} do not fit the sources")
        for one in here:
            beside = [other for other in found if other.file == one.file]
            if plant.planted_texts(beside + [one])[1]:
                left.append(one)
            else:
                found.append(one)
    if left:
        print(f"on lines of others, not in this build: {', '.join(one.name for one in left)}")
    return found


def options_of():
    parser = argparse.ArgumentParser(prog="plant", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--from", dest="folders", action="append", type=pathlib.Path, default=[], metavar="DIR")
    parser.add_argument("--mutate", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--room", action="append", default=[])
    parser.add_argument("--only", metavar="REGEX", help="judges by these tests and no others")
    parser.add_argument("--most", type=int, default=30, metavar="SECONDS")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--resume", action="store_true", help="goes on with what an interrupted build left in the copy")
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--skip-build", action="store_true")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    return parser.parse_args()


def drawn(options):
    """The draw of mutations, and its seed."""
    if options.again:
        return mutate.Again(options.room), mutate.kept_values()["seed"]
    seed = secrets.randbelow(1_000_000_000) if options.seed is None else options.seed
    if options.resume:
        return mutate.Standing(options.room), seed
    places = mutations.everywhere(plant.ROOT, options.room) if options.mutate else {}
    if options.mutate and not places:
        sys.exit("no such room")
    return mutations.Draw(places, seed), seed


def built(options, plants):
    """What is in the copy, built now or before: plants, mutations and the seed of these."""
    if options.skip_build:
        kept = mutate.kept_values()
        return [one for one in plants if one.name in kept["plants"]], mutate.recall("chosen", options.room), kept["seed"]
    draw, seed = drawn(options)
    print(f"seed {seed}, commit {plant.head()}", flush=True)
    chosen, refused, plants, unfit = mutate.build(draw, sys.maxsize if options.resume else options.mutate, plants)
    if refused:
        count = ", ".join(f"{rule} {number}" for rule, number in sorted(refused.items()))
        print(f"{sum(refused.values())} mutations did not compile: {count}")
    for one in unfit:
        print(f"does not compile: {one.where}")
    mutate.keep(seed, chosen, [], plants)
    return plants, chosen, seed


def main():
    options = options_of()
    plants = plants_of(options.folders)
    if options.check:
        print(f"{len(plants)} plants in {len({one.room for one in plants})} rooms fit the sources")
        return
    if unknown := set(options.names) - {one.name for one in plants}:
        sys.exit(f"no such plant: {', '.join(sorted(unknown))}")
    if options.list:
        draw, seed = drawn(options)
        print(f"seed {seed}")
        for one in plants + draw.some(options.mutate):
            print(f"{place(one)}: {kind(one)}: {change(one)}")
        return
    began = time.monotonic()
    plants, chosen, seed = built(options, plants)
    building = time.monotonic() - began
    if options.build:
        return
    asked = [one for one in plants if not options.names or one.name in options.names]
    asked = [one for one in asked + ([] if options.names else chosen) if not options.room or one.room in options.room]
    if options.only:
        def ask(one):
            run = plant.Run(options.only, one, until_failure=True)
            return run.caught_by, run.seconds
    else:
        ask = suites.Suites(plants + chosen, options.most, options.jobs, plant.TREE.parent / "suites.json").judge
    began = time.monotonic()
    results = judged(asked, ask, options.jobs)
    survivors = [one for one, noticed in results if not noticed]
    for title, some in (("plants", [row for row in results if kind(row[0]) == "plant"]),
                        ("mutations", [row for row in results if kind(row[0]) != "plant"])):
        if some:
            print(f"\n{title}:\n{table(some)}")
    print()
    for one in survivors:
        print(f"survived: {place(one)}: {kind(one)}: {change(one)}")
    print(
        f"seed {seed}: {len(results) - len(survivors)} of {len(results)} noticed; "
        f"built in {building:.0f} s, tests in {time.monotonic() - began:.0f} s; commit {plant.head()}")
    if not options.names and not options.only:
        mutate.keep(seed, chosen, [one for one in survivors if one in chosen], plants)
    sys.exit(1 if survivors and not options.report else 0)


if __name__ == "__main__":
    main()
