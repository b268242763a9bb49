# SPDX-License-Identifier: MIT
"""Judges the mistakes of another folder's tables, written without a look at the tests, by all suites of their room.

`scripts/plant --from DIR`. The tables have the form of those beside this file (plant.py) without `tests`: what a plant names
there is not looked at. All mistakes are switches of one build. Each is judged by its room's own test target, the quick suites
first (mutate.py); what no suite notices is listed. `--most SECONDS` bounds the suites of a room together. `--only REGEX` judges by
these tests alone, for one written since.
"""

import argparse
import collections
import pathlib
import re
import sys
import time

import mutate
import plant

# Seconds of the quick suites of a room, and of all that judge a mistake unless --most says otherwise.
QUICK, WHOLE = 10, 60


def table(results):
    """By room: planted, noticed, and the share of them."""
    rows = collections.defaultdict(lambda: [0, 0])
    for one, noticed in results:
        for key in (one.room, "all"):
            rows[key][0] += 1
            rows[key][1] += bool(noticed)
    lines = ["| room | planted | noticed | % |", "|---|---|---|---|"]
    for name in sorted(rows, key=lambda name: (name == "all", name)):
        planted, noticed = rows[name]
        lines.append(f"| {name} | {planted} | {noticed} | {100 * noticed / planted:.0f} |")
    return "\n".join(lines)


def judge(one, rooms, only):
    """What noticed a mistake, in words, and seconds."""
    if only:
        run = plant.Run(only, one, until_failure=True)
        return run.caught_by, run.seconds
    run = rooms[one.room].judge(one)
    return (run.caught_by, run.seconds) if run else ("", 0)


def main():
    parser = argparse.ArgumentParser(prog="plant --from", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--from", dest="folder", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--room", action="append", default=[])
    parser.add_argument("--only", metavar="REGEX")
    parser.add_argument("--most", type=int, default=WHOLE, metavar="SECONDS")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--skip-build", action="store_true")
    options = parser.parse_args()
    plants = plant.read_tables(options.folder, tested=False)
    texts, stale = plant.planted_texts(plants)
    if stale:
        print("\n".join(stale))
        sys.exit(f"{len(stale)} of {len(plants)} plants do not fit the sources")
    if options.check:
        print(f"{len(plants)} plants in {len({one.room for one in plants})} rooms fit the sources")
        return
    if unknown := set(options.names) - {one.name for one in plants}:
        sys.exit(f"no such plant: {', '.join(sorted(unknown))}")
    chosen = [
        one for one in plants
        if (not options.names or one.name in options.names) and (not options.room or one.room in options.room)
    ]
    if not options.skip_build:
        plant.write_copy(texts)
        plant.build(plants)
    if options.build:
        return
    rooms = {} if options.only else mutate.rooms_of(chosen, QUICK, options.most)
    began = time.monotonic()
    results = []
    print("| plant | room | noticed by | s |\n|---|---|---|---|")
    for one in chosen:
        noticed, seconds = judge(one, rooms, options.only)
        results.append((one, noticed))
        print(f"| {one.name} | {one.room} | {noticed.replace('|', '/') or '**survived**'} | {seconds:.1f} |", flush=True)
    print("\n" + table(results) + "\n")
    survivors = [one for one, noticed in results if not noticed]
    for one in survivors:
        print(f"survived: {one.where}\n  {one.rule}")
    print(
        f"{len(results) - len(survivors)} of {len(results)} noticed, in {time.monotonic() - began:.0f} s; commit {plant.head()}")
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    main()
