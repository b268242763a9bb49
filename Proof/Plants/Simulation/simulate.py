# SPDX-License-Identifier: MIT
"""Plants the mistakes of the tables beside this file in a copy of the sources, builds the simulation of the agent once,
and lets it run with each until a seed finds it. Driven by scripts/simulate --plants."""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import plant  # noqa: E402

TREE = plant.ROOT / ".build-simulation" / "tree"
PROGRAM = TREE / ".build" / "release" / "agent-simulation"
# Years that a mistake has to hide in, and seconds of one run.
YEARS, LIMIT = "1", 300


def build(texts):
    plant.TREE = TREE
    plant.write_copy(texts)
    subprocess.run(
        ["swift", "build", "-c", "release", "--package-path", str(TREE), "--product", "agent-simulation"],
        stdout=sys.stderr, check=True)


def run(one, arguments):
    """Exit code, output and seconds."""
    environment = dict(os.environ, QUARTZ_PLANT=str(one.number if one else 0))
    started = time.monotonic()
    try:
        done = subprocess.run(
            [str(PROGRAM), *arguments], env=environment, capture_output=True, text=True, timeout=LIMIT, check=False)
        return done.returncode, done.stdout, time.monotonic() - started
    except subprocess.TimeoutExpired:
        return None, "", time.monotonic() - started


def kind(one):
    """Of the worlds that are looked at."""
    return "group" if one.table.stem == "group" else "single"


def row(one):
    code, text, seconds = run(one, ["--years", YEARS, "--kind", kind(one)])
    found = re.search(r"^seed (g?\d+): \S+: (.*?): (.*)$", text, re.M)
    if found:
        lived = re.search(r"^after (\S+ \S+) in the simulation", text, re.M)
        return True, f"| {one.name} | {one.rule} | {found[2]} | {found[1]} | {lived[1] if lived else ''} | {seconds:.1f} |"
    if code is not None and code < 0:
        return True, f"| {one.name} | {one.rule} | the process died of signal {-code} | | | {seconds:.1f} |"
    return False, f"| {one.name} | {one.rule} | **not found** | | | {seconds:.1f} |"


def main():
    parser = argparse.ArgumentParser(prog="simulate --plants")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--skip-build", action="store_true")
    options = parser.parse_args()
    plants = plant.read_tables(HERE, tested=False)
    texts, stale = plant.planted_texts(plants)
    if stale:
        print("\n".join(stale))
        sys.exit(1)
    if not options.skip_build:
        build(texts)
    if options.build:
        return
    chosen = [one for one in plants if (not options.names or one.name in options.names) and (one.short or not options.short)]
    code, text, _ = run(None, ["--years", "0.1"])
    if code != 0:
        sys.exit(f"the simulation finds something without a mistake:\n{text}")
    print("| mistake | the rule of the agent that it breaks | the rule of the simulation that fails | seed | after | s |")
    print("|---|---|---|---|---|---|")
    survivors = []
    for one in chosen:
        is_found, line = row(one)
        print(line, flush=True)
        if not is_found:
            survivors.append(one)
    print(f"\n{len(chosen) - len(survivors)} of {len(chosen)} found")
    sys.exit(1 if survivors else 0)


main()
