# SPDX-License-Identifier: MIT
"""Draws mutations by rule from all sources that decide, and builds them into one copy, beside plants that are given.

What a mutation is, and which files are left out, stands in mutations.py. Those that do not compile are found by the
compiler's errors, dropped and replaced. campaign.py judges them.
"""

import collections
import json
import re
import sys

import mutations
import plant

# Of compiling: an error hides those of the rooms that import its own.
ROUNDS = 60


def line_spans(chosen, texts):
    """Where each mutation stands in the changed copy: {file: [(first line, last line, mutation)]}."""
    spans = collections.defaultdict(list)
    for one in chosen:
        replacement = one.edit((plant.ROOT / one.file).read_text())[2]
        first = texts[one.file].count("\n", 0, texts[one.file].index(replacement)) + 1
        spans[one.file].append((first, first + replacement.count("\n"), one))
    return spans


def blamed(errors, spans):
    """The mutations that do not compile. An error beside all of them is that of the nearest in the file, or of the whole room:
    of its mutations, and of its plants only where it has none left."""
    guilty = []
    for text, path, line in errors:
        file = str(path.relative_to(plant.TREE))
        here = sorted(spans.get(file, []), key=lambda span: max(span[0] - line, line - span[1], 0))
        if not here:
            print(f"of a whole room: {text}", flush=True)
            here = [span[2] for other, found in spans.items() for span in found if other.split("/")[1] == file.split("/")[1]]
            guilty += [one for one in here if isinstance(one, mutations.Mutation)] or here
        else:
            guilty.append(here[0][2])
    return list(dict.fromkeys(guilty))


def build(draw, number, plants):
    """The first `number` mutations that compile, how many did not, and the plants that did not. Each mistake is written alone
    on its lines."""
    for one in plants:
        text = (plant.ROOT / one.file).read_text()
        start, end, _ = one.edit(text)
        draw.take(one.file, text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 1)
    plants, unfit = list(plants), []
    chosen, refused = draw.some(number + number // 3 + 2) if number else [], collections.Counter()
    for turn in range(1, ROUNDS + 1):
        texts, stale = plant.planted_texts(plants + chosen)
        if stale:
            sys.exit("\n".join(stale))
        plant.write_copy(texts)
        plant.say(f"building {len(plants)} plants and {len(chosen)} mutations, round {turn}")
        errors = plant.compile_copy()
        if not errors:
            return chosen[:number], refused, plants, unfit
        guilty = blamed(errors, line_spans(plants + chosen, texts))
        if not guilty:
            sys.exit("\n".join(line for line, _, _ in errors) + "\nthe copy does not compile, and no mutation is why")
        refused.update(one.rule for one in guilty if one in chosen)
        unfit += [one for one in guilty if one in plants]
        plant.say(f"{len(guilty)} do not compile")
        chosen = [one for one in chosen if one not in guilty]
        plants = [one for one in plants if one not in guilty]
        if len(chosen) < number:
            chosen += draw.some(number - len(chosen) + number // 10 + 1)
    sys.exit(f"the copy did not compile in {ROUNDS} rounds")


def kept():
    """What was built last, and what survived: by number, which changes with the file."""
    return plant.TREE.parent / "mutations.json"


def kept_values():
    if not kept().is_file():
        sys.exit("nothing was built yet: leave out --again and --skip-build")
    return json.loads(kept().read_text())


def keep(seed, chosen, survivors, plants):
    where = {name: [[one.file, one.number] for one in some] for name, some in (("chosen", chosen), ("survivors", survivors))}
    kept().write_text(json.dumps({"seed": seed, **where, "plants": [one.name for one in plants]}))


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

    def take(self, *_):
        """It draws what it drew before."""

    def some(self, _):
        left, self.left = self.left, []
        return left


class Standing:
    """Draws the mutations that stand in the copy already, as a build left it that was interrupted."""

    def __init__(self, rooms):
        numbers = set()
        for path in (plant.TREE / "Sources").rglob("*.swift"):
            numbers.update(int(number) for number in re.findall(r"planted\((\d+)\)", path.read_text()))
        self.left = [
            one for places in mutations.everywhere(plant.ROOT, rooms).values() for found in places.values() for one in found
            if one.number in numbers]

    def take(self, *_):
        """They stand beside the plants already."""

    def some(self, _):
        left, self.left = self.left, []
        return left
