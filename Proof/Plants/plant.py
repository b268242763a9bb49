# SPDX-License-Identifier: MIT
"""Plants mistakes in a copy of the sources, one build for all, and runs for each the tests that must notice it.

Each plant of the tables beside this file becomes a switch in the copy: `(planted(n) ? mistake : original)` for an
expression, `if planted(n) { mistake } else { original }` for statements. The environment variable QUARTZ_PLANT
chooses one. See docs/architecture.md for the tables' form, and scripts/plant for the options.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLES = ROOT / "Proof" / "Plants"
TREE = ROOT / ".build-plants" / "tree"
BUNDLE = TREE / ".build" / "debug" / "quartz-agentPackageTests.xctest"
SWITCH = "QUARTZ_PLANT"
# A file of so many bytes, in which each switch that is asked leaves its mark: its number, modulo the bytes.
REACHED, SWITCHES = "QUARTZ_PLANT_REACHED", 1 << 22
# Seconds for the tests of one plant; whatever is not done then hangs, and that tells.
LIMIT = 120
# Bytes of its address space: a mistake may ask for memory without end, on a machine that others use too. A server of the
# tests, etcd, maps ten GiB.
MEMORY = 13 << 30

HELPER = """// SPDX-License-Identifier: MIT

import Glibc

private nonisolated let chosen: Int = {
  guard let text = unsafe getenv("%s") else { return 0 }
  return unsafe Int(String(cString: text)) ?? 0
}()

/// Shared by all processes of a run, so that one that is killed has told as much.
private nonisolated(unsafe) let reached: UnsafeMutablePointer<UInt8>? = {
  guard let path = unsafe getenv("%s") else { return nil }
  let file = unsafe open(path, O_RDWR | O_CLOEXEC)
  guard file >= 0 else { return nil }
  defer { close(file) }
  guard let map = unsafe mmap(nil, %d, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), unsafe map != MAP_FAILED else { return nil }
  return unsafe map.assumingMemoryBound(to: UInt8.self)
}()

/// Whether this mistake is switched on.
@inline(never) nonisolated func planted(_ number: Int) -> Bool {
  if let marks = unsafe reached { unsafe marks[number %% %d] = 1 }
  return chosen == number
}
""" % (SWITCH, REACHED, SWITCHES, SWITCHES)

C_HELPER = """
#ifndef QUARTZ_PLANTED
#define QUARTZ_PLANTED
#include <stdlib.h>
static inline int quartz_planted(long number) {
  const char *text = getenv("%s");
  return text && atol(text) == number;
}
#endif
""" % SWITCH


class Stale(Exception):
    """A plant that does not fit the sources."""


def no_expression(text):
    """Why this cannot stand in parentheses, as a marked text does; none: it can, as far as is seen without a compiler."""
    text = text.strip()
    if not text:
        return "it is empty"
    if re.match(r"(&&|\|\||[<>=]=?|[,:?])", text) or re.search(r"(&&|\|\||[<>=]|[,:])$", text):
        return "it begins or ends with an operator"
    if re.match(r"(if|guard|return|let|var|for) ", text):
        return "it is a statement"
    depth = 0
    for sign in re.sub(r'"(\\.|[^"\\])*"', '""', text):
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0:
            return "its brackets do not match"
        if sign == "," and depth == 0:
            return "it is several"
    if len(re.findall(r" \? ", text)) != len(re.findall(r" : ", text)):
        return "a condition without both of its sides"
    return "its brackets do not match" if depth else None


class Plant:
    def __init__(self, name, table, line):
        self.name, self.table, self.line = name, table, line
        self.file = self.rule = self.tests = ""
        self.short = False
        self.old, self.new = [], []

    @property
    def number(self):
        # Of the name alone, so that a new plant does not change the text of all others and compile it again.
        return zlib.crc32(self.name.encode()) & 0x7FFFFFFF

    @property
    def room(self):
        # The C headers belong to the room that uses them.
        return {"CCurl": "Curl", "COpenSSL": "Curl", "CPCRE2": "Checks", "CLinux": "Network"}.get(
            self.file.split("/")[1], self.file.split("/")[1])

    @property
    def where(self):
        table = self.table.relative_to(ROOT) if self.table.is_relative_to(ROOT) else self.table
        return f"{table}:{self.line}: {self.name}"

    def edit(self, text):
        """The place in the file's text and what comes there: (start, end, replacement)."""
        old = "\n".join(self.old)
        new = "\n".join(self.new)
        marked = "«" in old
        if marked != ("»" in old) or old.count("«") > 1:
            raise Stale(f"{self.where}: one pair of « and » marks an expression")
        lines = [part.strip() for part in old.split("\n")]
        pattern = r"[ \t]*\n[ \t]*".join(re.escape(part) for part in lines)
        if marked:
            # Blanks beside a mark belong to the text, those at a line's ends do not.
            pattern = pattern.replace("«", "(?P<expression>").replace("»", ")")
        else:
            # Statements are whole lines.
            pattern = r"(?m)^[ \t]*(?P<statement>" + pattern + r")[ \t]*$"
        found = list(re.finditer(pattern, text))
        if len(found) != 1:
            raise Stale(
                f"{self.where}: the text stands {len(found)} times in {self.file}, and must stand once:\n"
                + "\n".join("    " + one for one in self.old)
                + "\n  look at what became of it: git log -p -1 -- " + self.file)
        if self.file.endswith(".h"):
            chosen = f"quartz_planted({self.number})"
        else:
            chosen = f"planted({self.number})"
        if marked:
            start, end = found[0].span("expression")
            for part in (text[start:end], new):
                if why := no_expression(part):
                    raise Stale(f"{self.where}: {part!r} is no expression: {why}")
            return start, end, f"({chosen} ? ({new}) : ({text[start:end]}))"
        start, end = found[0].span("statement")
        original = text[start:end]
        if self.file.endswith(".h"):
            return start, end, f"if ({chosen}) {{ {new} }} else {{ {original} }}"
        if not new:
            return start, end, f"if !{chosen} {{ {original} }}"
        return start, end, f"if {chosen} {{ {new} }} else {{ {original} }}"


def read_tables(folder=TABLES, tested=True):
    plants = []
    for table in sorted(folder.glob("*.plants")):
        plant = None
        for line, text in enumerate(table.read_text().splitlines(), 1):
            if match := re.fullmatch(r"\[([a-z0-9-]+)\]", text.strip()):
                plant = Plant(match[1], table, line)
                plants.append(plant)
            elif not text.strip() or text.startswith("#"):
                continue
            elif plant is None:
                sys.exit(f"{table}:{line}: a plant begins with [its-name]")
            elif text.startswith("- "):
                plant.old.append(text[2:])
            elif text == "+" or text.startswith("+ "):
                plant.new.append(text[2:])
            elif text.strip() == "short":
                plant.short = True
            elif match := re.fullmatch(r"(file|rule|tests) +(\S.*)", text.strip()):
                setattr(plant, match[1], match[2])
            else:
                sys.exit(f"{table}:{line}: not understood: {text}")
    names = set()
    for plant in plants:
        if not (plant.file and plant.rule and (plant.tests or not tested) and plant.old):
            sys.exit(f"{plant.where}: needs file, rule, tests and the text it changes")
        if plant.name in names or plant.number in {p.number for p in plants if p is not plant}:
            sys.exit(f"{plant.where}: the name is taken")
        names.add(plant.name)
    return plants


def planted_texts(plants):
    """The changed files of the copy by path, and the stale plants as messages."""
    texts, stale = {}, []
    by_file = {}
    for plant in plants:
        by_file.setdefault(plant.file, []).append(plant)
    for file, here in by_file.items():
        path = ROOT / file
        if not path.is_file():
            stale += [f"{plant.where}: there is no {file}" for plant in here]
            continue
        text = path.read_text()
        edits = []
        for plant in here:
            try:
                edits.append((*plant.edit(text), plant))
            except Stale as error:
                stale.append(str(error))
        edits.sort(key=lambda edit: edit[0])
        for before, after in zip(edits, edits[1:]):
            if after[0] < before[1]:
                stale.append(f"{after[3].where}: overlaps {before[3].name}")
        for start, end, replacement, _ in reversed(edits):
            text = text[:start] + replacement + text[end:]
        if file.endswith(".h"):
            # Before the first function, after the guard and the includes.
            at = text.index("\n#include")
            text = text[:at] + C_HELPER + text[at:]
        texts[file] = text
    return texts, stale


def sources():
    """Every file of the tree that is no build product, relative to its root."""
    for folder, names, files in os.walk(ROOT):
        names[:] = [name for name in names if not name.startswith(".build") and name not in (".git", ".swiftpm")]
        links = [name for name in names if os.path.islink(os.path.join(folder, name))]
        for name in files + links:
            yield os.path.relpath(os.path.join(folder, name), ROOT)


def write_if_new(path, content, mode):
    """Only what changed, so that the compiler finds the rest as it was."""
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(mode)


def write_copy(texts):
    wanted = set()
    for name in sources():
        origin, copy = ROOT / name, TREE / name
        if origin.is_symlink():
            # Relative, so that it leads into the copy; what was written through it would lose its plants.
            wanted.add(name)
            copy.parent.mkdir(parents=True, exist_ok=True)
            if copy.is_symlink() or copy.is_file():
                copy.unlink()
            copy.symlink_to(os.readlink(origin))
            continue
        if not origin.is_file():
            continue
        wanted.add(name)
        # A switch is the room's own, and what other rooms are given to inline may not ask it.
        content = texts[name].replace("@inlinable", "").encode() if name in texts else origin.read_bytes()
        write_if_new(copy, content, origin.stat().st_mode)
    for room in {name.split("/")[1] for name in wanted if name.startswith("Sources/") and name.endswith(".swift")}:
        name = f"Sources/{room}/Planted.swift"
        wanted.add(name)
        write_if_new(TREE / name, HELPER.encode(), 0o644)
    for folder, names, files in os.walk(TREE):
        names[:] = [name for name in names if not name.startswith(".build")]
        for name in files:
            path = os.path.join(folder, name)
            if os.path.relpath(path, TREE) not in wanted:
                os.remove(path)
    # What the packages need is there already, if this tree was ever built: nothing is fetched twice.
    for name in ("artifacts", "checkouts", "repositories", "workspace-state.json"):
        origin, copy = ROOT / ".build" / name, TREE / ".build" / name
        if copy.exists() or not origin.exists():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        if origin.is_dir():
            shutil.copytree(origin, copy, symlinks=True)
        else:
            shutil.copy2(origin, copy)


def compile_copy():
    """What the compiler refuses, as (line of its output, path, line); empty: built."""
    result = subprocess.run(
        ["swift", "build", "--package-path", str(TREE), "--build-tests", "--disable-index-store"], stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False)
    if result.returncode == 0:
        return []
    errors = {}
    for line in result.stdout.splitlines():
        if match := re.match(r"(\S+?\.(?:swift|h)):(\d+):\d+: error: (.*)", line):
            errors[line] = (line, pathlib.Path(match[1]), int(match[2]))
    if not errors:
        sys.exit(result.stdout[-4000:] + "\nthe planted copy does not build")
    return list(errors.values())


def build(plants):
    say("building the planted copy: once for all plants")
    errors = compile_copy()
    numbers = {str(plant.number): plant for plant in plants}
    for line, path, place in errors:
        print(line)
        for number in re.findall(r"planted\((\d+)\)", path.read_text().splitlines()[place - 1]):
            if number in numbers:
                print(f"  of {numbers[number].where}")
    if errors:
        sys.exit("the planted copy does not compile")


COLOUR = re.compile(r"\x1b\[[0-9;]*m")
FAILED = re.compile(r"^✘ Test (?!run with |case )(.+?)(?: with \d+ test cases)? failed after", re.M)


class Run:
    """One run of some tests, with a plant or without."""

    def __init__(self, tests, plant=None, limit=LIMIT, until_failure=False, reached=None):
        started = time.monotonic()
        environment = {key: value for key, value in os.environ.items() if key != SWITCH}
        if plant:
            environment[SWITCH] = str(plant.number)
        if reached:
            environment[REACHED] = reached
        command = [
            "prlimit", f"--as={MEMORY}", str(BUNDLE), "--testing-library", "swift-testing", "--no-parallel", "--filter", tests]
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment, cwd=TREE,
                start_new_session=True)
            self.code = self.wait(process, output, started + limit, until_failure)
            # Servers that a dead test process left behind, and the process itself.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            output.seek(0)
            self.text = output.read().decode(errors="replace")
        self.seconds = time.monotonic() - started
        self.plain = plain = COLOUR.sub("", self.text)
        failed = FAILED.findall(plain)
        self.failed = list(dict.fromkeys(name.strip('"') for name in failed))
        started_tests = re.findall(r"^◇ Test (?!run |case )(.+?) started\.$", plain, re.M)
        self.last = started_tests[-1].strip('"') if started_tests else "nothing"

    @staticmethod
    def wait(process, output, until, until_failure):
        """The exit code, or None at the time limit; ends at the first test that fails where that is all that is asked."""
        while True:
            try:
                return process.wait(0.2)
            except subprocess.TimeoutExpired:
                if time.monotonic() > until:
                    return None
            if until_failure:
                said = os.pread(output.fileno(), os.fstat(output.fileno()).st_size, 0).decode(errors="replace")
                if FAILED.search(COLOUR.sub("", said)):
                    return -signal.SIGKILL

    @property
    def caught_by(self):
        """Empty: nothing noticed."""
        # What ends before any test began was judged by none of them.
        if self.code == 0 or self.last == "nothing":
            return ""
        if self.code is None:
            return f"time limit, in {self.last}"
        if self.failed:
            more = f" and {len(self.failed) - 1} more" if len(self.failed) > 1 else ""
            return self.failed[0] + more
        if self.code < 0:
            return f"the process died of {signal.Signals(-self.code).name}, in {self.last}"
        return f"exit {self.code}, in {self.last}"


def begun_suites(plain):
    """The suites of a log that had begun when the first test of it failed, or when it ended."""
    failure = FAILED.search(plain)
    return [name.strip('"') for name in re.findall(r'^. Suite (\w+|"[^"\n]+") started', plain[:failure.start() if failure else None], re.M)]


def say(text):
    print(f"==> {text}", file=sys.stderr, flush=True)


def listed_tests():
    return subprocess.run(
        [str(BUNDLE), "--testing-library", "swift-testing", "--list-tests"], capture_output=True, text=True,
        check=True).stdout.splitlines()


def baseline(plants):
    """The sets of tests that pass without a plant, and how many do not. All at once: the sets overlap."""
    filters = sorted({plant.tests for plant in plants})
    listed = listed_tests()
    good, bad = [], 0
    for tests in filters:
        if any(re.search(tests, name) for name in listed):
            good.append(tests)
        else:
            print(f"no test matches {tests}")
            bad += 1
    say(f"{len(good)} sets of tests without a plant")
    run = Run("|".join(good), limit=1800)
    say(f"that took {run.seconds:.0f} s")
    if run.code == 0:
        return set(good), bad
    # Which ones; and the machine may have been busy.
    suites = set(re.findall(r"^✘ Suite (\w+) failed", run.plain, re.M))
    doubtful = [name for name in listed if name.split("/")[0].split(".")[-1] in suites]
    passing = set()
    for tests in good:
        if suites and not any(re.search(tests, name) for name in doubtful):
            passing.add(tests)
            continue
        run = Run(tests)
        if run.code == 0:
            passing.add(tests)
        else:
            print(f"{tests}: fails without a plant: {run.caught_by}\n{run.text[-1500:]}")
            bad += 1
    return passing, bad


def main():
    parser = argparse.ArgumentParser(prog="plant", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--room", action="append", default=[])
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--skip-build", action="store_true")
    parser.add_argument("--evidence", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()

    plants = read_tables()
    texts, stale = planted_texts(plants)
    if options.check:
        # Those of the simulation stand in a table of their own: Simulation/simulate.py.
        simulated = read_tables(TABLES / "Simulation", tested=False)
        stale += planted_texts(simulated)[1]
        plants += simulated
    if stale:
        print("\n".join(stale))
        sys.exit(f"{len(stale)} of {len(plants)} plants do not fit the sources any more")
    if options.check:
        rooms = {plant.room for plant in plants}
        print(f"{len(plants)} plants in {len(rooms)} rooms fit the sources")
        return
    unknown = set(options.names) - {plant.name for plant in plants}
    if unknown:
        sys.exit(f"no such plant: {', '.join(sorted(unknown))}; see ./scripts/plant --list")
    chosen = [
        plant for plant in plants
        if (not options.names or plant.name in options.names) and (not options.room or plant.room in options.room)
        and (not options.short or plant.short)
    ]
    if options.list:
        for plant in chosen:
            print(f"{plant.name:32} {plant.room:14} {plant.rule}")
        return
    if not chosen:
        sys.exit("no plant chosen")

    if not options.skip_build:
        write_copy(texts)
        build(plants)
    if options.build:
        return
    # Before the tests, during which somebody may commit.
    commit = head()
    passing, bad = baseline(chosen)
    untried = [plant.name for plant in chosen if plant.tests not in passing]
    chosen = [plant for plant in chosen if plant.tests in passing]
    say(f"{len(chosen)} plants")
    started = time.monotonic()
    rows, survivors = [], []
    print("| plant | room | caught by | s |\n|---|---|---|---|")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = pool.map(lambda plant: Run(plant.tests, plant), chosen)
        for plant, run in zip(chosen, runs):
            if not run.caught_by:
                survivors.append(plant)
            rows.append(f"| {plant.name} | {plant.room} | {run.caught_by.replace('|', '/') or '**nobody**'} | {run.seconds:.1f} |")
            print(rows[-1], flush=True)
    summary = f"{len(chosen) - len(survivors)} of {len(chosen)} caught, in {time.monotonic() - started:.0f} s"
    if untried:
        summary += f"; not tried, for their tests fail without a mistake: {', '.join(untried)}"
    print(f"\n{summary}")
    for plant in survivors:
        print(f"survived: {plant.where}\n  {plant.rule}; its tests: {plant.tests}")
    if options.evidence:
        write_evidence(chosen, rows, summary, len(passing), commit)
    if bad:
        print(f"{bad} sets of tests fail without a plant; their plants were not tried")
    sys.exit(1 if survivors or bad else 0)


def head():
    """The commit this tree is at, as far as Git can tell."""
    told = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return told.stdout.strip() or "unknown"


def write_evidence(plants, rows, summary, sets, commit):
    rules = [row.replace(f"| {plant.name} |", f"| {plant.name}: {plant.rule} |") for plant, row in zip(plants, rows)]
    text = f"""# Planted mistakes

Written by `scripts/plant --evidence`; how it works stands in [architecture.md](../architecture.md). Each line is a
mistake that was switched on alone, in one build, and what noticed it first.

Commit {commit}; {os.cpu_count()} processors; {sets} sets of tests, which pass without a
mistake. **{summary}.**

| mistake: the rule it breaks | room | caught by | s |
|---|---|---|---|
"""
    (ROOT / "docs" / "evidence" / "plants.md").write_text(text + "\n".join(rules) + "\n")


if __name__ == "__main__":
    main()
