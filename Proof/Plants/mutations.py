# SPDX-License-Identifier: MIT
"""What a mutation is, and every place of a Swift file where a rule allows one.

Six rules: a comparison turned (`<` and `<=`, `==` and `!=`), off by one (an integer literal), a condition dropped (an
operand of `&&` or `||`, or one of several conditions), a call left out (a statement that is a call), two arguments
swapped (both of one shape), and a truth turned (`true`, `!x`, or a whole condition). Comments, text, attributes, `#if`
lines and operators' own declarations are left alone. Whether it compiles is for the compiler to say.
"""

import pathlib
import random
import re
import zlib

from swift_text import ASSIGNING, COMPARING, JOINING, NotUnderstood, SwiftText

RULES = ("comparison", "off by one", "condition dropped", "call left out", "arguments swapped", "truth turned")
LOWER = ASSIGNING | {"?", ":"}
# Files that decide nothing: text that people read, and the tables of documents.
TEXT = re.compile(
    r"/(QuartzAgent/Manual|Status/OpenAPI)/|/(Style|Script|Palette|KeyDocs|StarterConfig|PlantedTrap)[^/]*\.swift$|Words\.swift$")
DECIDES = re.compile(r"\b(if|guard|switch|while)\b|&&|\|\||[<>=!]= | [<>?] ")
# A file that sends signals: a wrong number there would reach other processes of this machine.
SIGNALS = re.compile(r"\bkill\(")
# Calls without which nothing is decided otherwise: room for what comes, what the program says of itself, memory given back (which
# scripts/prove-memory looks at), and a value that is made.
SAYS_NOTHING = re.compile(
    r"(^|\.)(reserveCapacity|precondition\w*|assert\w*|fatalError|init|debug|info|notice|warning|trace|log)\(|\blogger\b|^super\.|^print\("
    r"|^\w+_(cleanup|free|delete)\(|^[A-Z]")


class Mutation:
    def __init__(self, file, source, first, behind, rule, new, statement=False):
        self.file, self.rule = file, rule
        self.start, self.end = source.tokens[first].start, source.tokens[behind - 1].end
        self.old, self.new = source.text[self.start:self.end], new
        self.statement = statement
        self.line, self.last_line = source.line(self.start), source.line(self.end - 1)
        self.number = zlib.crc32(f"{file}:{self.start}:{rule}:{new}".encode()) & 0x7FFFFFFF

    @property
    def room(self):
        return self.file.split("/")[1]

    @property
    def where(self):
        return f"{self.file}:{self.line}"

    @property
    def change(self):
        def short(text):
            text = " ".join(text.split())
            return text if len(text) <= 90 else text[:87] + "..."
        return f"`{short(self.old)}` → `{short(self.new)}`" if self.new else f"`{short(self.old)}` left out"

    def edit(self, text):
        assert text[self.start:self.end] == self.old
        if self.statement:
            return self.start, self.end, f"if !planted({self.number}) {{ {self.old} }}"
        return self.start, self.end, f"(planted({self.number}) ? ({self.new}) : ({self.old}))"


def comparisons(source, make):
    for index, token in enumerate(source.tokens):
        if token.text not in COMPARING or not source.is_binary(index) or source.is_word(index - 1, "func"):
            continue
        stopping = LOWER | JOINING | set(COMPARING)
        first, behind = source.left(index, stopping), source.right(index + 1, stopping)
        if first < index < behind - 1:
            make(first, behind, source.slice(first, index) + f" {COMPARING[token.text]} " + source.slice(index + 1, behind))


def literals(source, make):
    for index, token in enumerate(source.tokens):
        if token.kind != "number" or not re.fullmatch(r"[0-9_]+|0x[0-9A-Fa-f_]+", token.text):
            continue
        if source.is_member(index) or source.is_mark(index - 1, "@") or attribute(source, index):
            continue
        # Room for what comes: nothing is decided by it.
        if source.is_word(index - 2, "reserving", "capacity", "minimumCapacity"):
            continue
        value = int(token.text.replace("_", ""), 0) if token.text.startswith("0x") else int(token.text.replace("_", ""))
        for other in (value + 1, value - 1):
            if other >= 0:
                make(index, index + 1, hex(other) if token.text.startswith("0x") else str(other))


def attribute(source, index):
    """Whether this stands in the brackets of an attribute or of a compiler's own word."""
    inside = source.tokens[index].inside
    return inside is not None and inside >= 2 and source.is_mark(inside - 2, "@#")


def joined(source, make):
    for index, token in enumerate(source.tokens):
        if token.text not in JOINING or not source.is_binary(index):
            continue
        stopping = LOWER | ({"||"} if token.text == "||" else JOINING)
        first, behind = source.left(index, stopping), source.right(index + 1, stopping)
        if first < index < behind - 1:
            make(first, behind, source.slice(first, index))
            make(first, behind, source.slice(index + 1, behind))


def conditions(source):
    """The conditions of each `if`, `guard` and `while`: a list of lists of pairs of tokens, without what binds a name."""
    for index, token in enumerate(source.tokens):
        if not source.is_word(index, "if", "guard", "while") or source.is_member(index):
            continue
        behind = index + 1
        while behind < len(source.tokens) and not source.is_word(behind, "else") and not source.is_mark(behind, "{"):
            behind = source.tokens[behind].mate + 1 if source.is_mark(behind, "([") else behind + 1
        parts = source.split(index + 1, behind)
        yield len(parts), [
            (first, last) for first, last in parts
            if not source.is_word(first, "let", "var", "case") and not source.is_mark(first, "#") and first < last]


def dropped(source, make):
    joined(source, make)
    for count, parts in conditions(source):
        if count > 1:
            for first, behind in parts:
                make(first, behind, "true")


def truths(source, make):
    for index, token in enumerate(source.tokens):
        if source.is_word(index, "true", "false"):
            make(index, index + 1, "false" if token.text == "true" else "true")
        elif token.kind == "operator" and token.text == "!" and not token.blank_after and (
                token.blank_before or source.is_mark(index - 1, "([{")):
            behind = source.postfix(index + 1)
            if behind:
                make(index, behind, source.slice(index + 1, behind))
    for _, parts in conditions(source):
        for first, behind in parts:
            if source.tokens[first].text not in ("!", "true", "false"):
                make(first, behind, f"!({source.slice(first, behind)})")


def calls(source, make):
    for index in range(len(source.tokens)):
        label = source.is_mark(index - 1, ":") and source.in_braces(index) and case_label(source, index - 1)
        if not source.in_braces(index) or not (label or source.begins_statement(index)):
            continue
        first = index
        while source.is_word(first, "try", "await", "unsafe"):
            first += 1
        if first >= len(source.tokens):
            continue
        behind = source.postfix(first)
        if not behind or not source.is_mark(behind - 1, ")") or source.tokens[first].text in ("init", "subscript"):
            continue
        if not source.is_mark(behind, "}") and not (behind < len(source.tokens) and source.begins_statement(behind)):
            continue
        if source.tokens[first].kind == "dot" or source.is_mark(first, "(") or SAYS_NOTHING.search(source.slice(first, behind)):
            continue
        make(index, behind, "", statement=True)


def case_label(source, colon):
    at = colon - 1
    while at >= 0:
        if source.is_word(at, "case", "default"):
            return True
        if source.is_mark(at, "{}") or source.is_mark(at, ";") or source.tokens[at].text in ("?", "="):
            return False
        at = source.tokens[at].mate - 1 if source.is_mark(at, ")]") else at - 1
    return False


def swaps(source, make):
    for index, token in enumerate(source.tokens):
        if not source.is_mark(index, "(") or token.blank_before or not source.is_word(index - 1):
            continue
        if source.is_word(index - 2, "func") or source.is_mark(index - 2, "@#"):
            continue
        values = []
        for first, behind in source.split(index + 1, token.mate):
            if source.is_word(first) and source.is_mark(first + 1, ":"):
                first += 2
            values.append((first, behind))
        for (first, behind), (other, last) in zip(values, values[1:]):
            if shape(source, first, behind) and shape(source, first, behind) == shape(source, other, last):
                one, two = source.slice(first, behind), source.slice(other, last)
                if one != two:
                    make(first, last, (one, two))


def shape(source, first, behind):
    kinds = [source.tokens[index].kind for index in range(first, behind)]
    text = source.slice(first, behind)
    # Types of a declaration, and sentences.
    if re.match(r"[A-Z]\w*$", text) or " " in text:
        return None
    if any(source.is_word(index, "true", "false", "nil", "self") for index in range(first, behind)):
        return None
    if all(kind in ("word", "dot") for kind in kinds):
        return tuple(kinds)
    return tuple(kinds) if kinds in (["number"], ["string"]) else None


class Swap(Mutation):
    """Both arguments stay behind their labels and change their values."""

    def __init__(self, file, source, first, last, rule, values):
        one, two = values
        start, end = source.tokens[first].start, source.tokens[last - 1].end
        self.between = source.text[start + len(one):end - len(two)]
        super().__init__(file, source, first, last, rule, two + self.between + one)
        self.values = values

    def edit(self, text):
        one, two = self.values
        return self.start, self.end, (
            f"(planted({self.number}) ? {two} : {one}){self.between}(planted({self.number}) ? {one} : {two})")


FINDERS = dict(zip(RULES, (comparisons, literals, dropped, calls, swaps, truths)))


def decides(file, text):
    return not TEXT.search("/" + file) and bool(DECIDES.search(text))


def mutations(file, text):
    """Every mutation of one file."""
    if SIGNALS.search(text) or not decides(file, text):
        return []
    try:
        source = SwiftText(text)
    except NotUnderstood:
        return []
    found = []
    for rule, find in FINDERS.items():
        def make(first, behind, new, statement=False, rule=rule):
            if rule == "arguments swapped":
                found.append(Swap(file, source, first, behind, rule, new))
            else:
                found.append(Mutation(file, source, first, behind, rule, new, statement))
        find(source, make)
    return [one for one in found if one.last_line - one.line < 12]


def everywhere(root, rooms=()):
    """Every mutation of the sources, by room and rule."""
    places = {}
    for path in sorted((pathlib.Path(root) / "Sources").rglob("*.swift")):
        file = str(path.relative_to(root))
        if rooms and file.split("/")[1] not in rooms:
            continue
        for one in mutations(file, path.read_text()):
            places.setdefault(one.room, {}).setdefault(one.rule, []).append(one)
    return places


class Draw:
    """Draws from the rooms in turn, and in a room by a rule at random, so that neither size nor habit of a room decides."""

    def __init__(self, places, seed):
        self.random = random.Random(seed)
        self.places = {room: {rule: list(found) for rule, found in rules.items()} for room, rules in places.items()}
        self.taken = {}

    def take(self, file, first, last):
        """Leaves these lines to something else."""
        self.taken.setdefault(file, []).append((first, last))

    def next(self, room):
        """Beside none that was drawn, for two switches in one expression are slow to compile; None: the room has no more."""
        rules = self.places[room]
        while any(rules.values()):
            rule = self.random.choice([rule for rule in RULES if rules.get(rule)])
            found = rules[rule]
            one = found.pop(self.random.randrange(len(found)))
            lines = self.taken.setdefault(one.file, [])
            if all(one.last_line + 2 < first or last + 2 < one.line for first, last in lines):
                lines.append((one.line, one.last_line))
                return one
        return None

    def some(self, number):
        drawn, rooms = [], list(self.places)
        while rooms and len(drawn) < number:
            for room in list(rooms):
                one = self.next(room) if len(drawn) < number else None
                if one:
                    drawn.append(one)
                elif len(drawn) < number:
                    rooms.remove(room)
        return drawn
