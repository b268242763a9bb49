# SPDX-License-Identifier: MIT
"""Prints what llvm-cov counted, by room, and the files below 90 % of their lines that decide. Driven by scripts/coverage."""

import collections
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Proof", "Plants"))
import mutations  # noqa: E402

LEAST = 90


def percent(covered, count):
    return 100 * covered / count if count else 100


def main():
    document, root, *options = sys.argv[1:]
    files = {}
    with open(document, encoding="utf-8") as counted:
        for file in json.load(counted)["data"][0]["files"]:
            name = os.path.relpath(file["filename"], root)
            if name.startswith("Sources/") and name.endswith(".swift"):
                files[name] = file["summary"]
    rooms = collections.defaultdict(lambda: [0] * 4)
    for name, summary in files.items():
        for key in (name.split("/")[1], "all"):
            for index, (kind, what) in enumerate((k, w) for k in ("lines", "regions") for w in ("covered", "count")):
                rooms[key][index] += summary[kind][what]
    print("| room | lines | % | regions | % |\n|---|---|---|---|---|")
    for room in sorted(rooms, key=lambda room: (room == "all", room)):
        lines, all_lines, regions, all_regions = rooms[room]
        print(
            f"| {room} | {lines} of {all_lines} | {percent(lines, all_lines):.1f} "
            f"| {regions} of {all_regions} | {percent(regions, all_regions):.1f} |")
    below = sorted((summary["lines"]["percent"], summary["regions"]["percent"], name) for name, summary in files.items())
    if "--files" not in options:
        below = [row for row in below if row[0] < LEAST and decides(root, row[2])]
        print(f"\n{len(below)} files that decide have less than {LEAST} % of their lines run:")
    print("\n| file | lines % | regions % |\n|---|---|---|")
    for lines, regions, name in below:
        print(f"| {name} | {lines:.1f} | {regions:.1f} |")


def decides(root, name):
    with open(os.path.join(root, name), encoding="utf-8") as source:
        return mutations.decides(name, source.read())


main()
