# SPDX-License-Identifier: MIT
"""Swift source as tokens, as far as the rules of mutations.py need it: what is text, what is code, where an operand ends."""

import bisect
import re

OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, {")": "(", "]": "[", "}": "{"}
CONTROL = {"if", "guard", "while", "for", "switch", "where", "catch"}
# Where an operand cannot go on to the left.
STOPS = CONTROL | {
    "return", "else", "in", "case", "throw", "throws", "try", "await", "unsafe", "let", "var", "repeat", "do", "defer", "default",
    "func", "init", "inout", "consume", "copy", "each", "some", "any",
}
COMPARING = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
JOINING = {"&&", "||"}
ASSIGNING = {"=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "&+=", "&-=", "<<=", ">>=", "->", "~="}

TOKEN = re.compile(
    r"(?P<word>`?[A-Za-z_$][A-Za-z_0-9]*`?)|(?P<number>0[xXbBoO][0-9A-Fa-f_]+|[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<dot>\.(?![.<]))|(?P<operator>\.\.[.<]|[-/=+!*%<>&|^~?]+)|(?P<mark>[()\[\]{},;:@#\\])")


class Token:
    __slots__ = ("kind", "text", "start", "end", "blank_before", "blank_after", "begins_line", "mate", "inside")

    def __init__(self, kind, text, start, end):
        self.kind, self.text, self.start, self.end = kind, text, start, end
        self.blank_before = self.blank_after = self.begins_line = False
        # The bracket's other half, and the bracket that this stands in.
        self.mate = self.inside = None


class NotUnderstood(Exception):
    """No Swift that these few rules can read."""


def end_of_string(text, at):
    """Behind the literal that begins at `at`, what is interpolated included."""
    raw = re.match(r"#*", text[at:])[0]
    at += len(raw)
    quote = '"""' if text.startswith('"""', at) else '"'
    at += len(quote)
    interpolation = "\\" + raw + "("
    while at < len(text):
        if text.startswith(quote + raw, at):
            return at + len(quote) + len(raw)
        if text.startswith(interpolation, at):
            at, depth = at + len(interpolation), 1
            while depth:
                if at >= len(text):
                    raise NotUnderstood()
                if text[at] == '"':
                    at = end_of_string(text, at)
                    continue
                depth += {"(": 1, ")": -1}.get(text[at], 0)
                at += 1
        elif text[at] == "\\" and not raw:
            at += 2
        else:
            at += 1
    raise NotUnderstood()


def end_of_comment(text, at):
    if text.startswith("//", at):
        end = text.find("\n", at)
        return len(text) if end < 0 else end
    depth = 0
    for match in re.compile(r"/\*|\*/").finditer(text, at):
        depth += 1 if match[0] == "/*" else -1
        if depth == 0:
            return match.end()
    raise NotUnderstood()


class SwiftText:
    def __init__(self, text):
        self.text = text
        self.tokens = []
        self.lines = [match.start() for match in re.finditer("^", text, re.M)]
        self.read()
        self.pair()

    def line(self, offset):
        return bisect.bisect_right(self.lines, offset)

    def read(self):
        text, at, blank, newline = self.text, 0, True, True
        while at < len(text):
            character = text[at]
            if character.isspace():
                newline = newline or character == "\n"
                blank, at = True, at + 1
                continue
            if text.startswith(("//", "/*"), at):
                blank, at = True, end_of_comment(text, at)
                continue
            if newline and re.match(r"#(if|elseif|else|endif)\b", text[at:]):
                at = end_of_comment("//" + text[at:], 0) + at - 2
                continue
            if re.match(r'#*"', text[at:]):
                token = Token("string", text[at:end_of_string(text, at)], at, end_of_string(text, at))
            else:
                match = TOKEN.match(text, at)
                if not match:
                    raise NotUnderstood()
                token = Token(match.lastgroup, match[0], at, match.end())
            token.blank_before, token.begins_line = blank, newline
            token.blank_after = token.end >= len(text) or text[token.end].isspace()
            self.tokens.append(token)
            at, blank, newline = token.end, False, False

    def pair(self):
        open_now = []
        for index, token in enumerate(self.tokens):
            if token.text in CLOSING and token.kind == "mark":
                if not open_now or self.tokens[open_now[-1]].text != CLOSING[token.text]:
                    raise NotUnderstood()
                token.mate = open_now.pop()
                self.tokens[token.mate].mate = index
            token.inside = open_now[-1] if open_now else None
            if token.text in OPENING and token.kind == "mark":
                open_now.append(index)
        if open_now:
            raise NotUnderstood()

    # Of single tokens.

    def is_mark(self, index, text):
        return 0 <= index < len(self.tokens) and self.tokens[index].kind == "mark" and self.tokens[index].text in text

    def is_word(self, index, *words):
        return 0 <= index < len(self.tokens) and self.tokens[index].kind == "word" and (
            not words or self.tokens[index].text in words)

    def is_binary(self, index):
        """An operator between two operands, as the formatter writes it: with blanks on both sides."""
        token = self.tokens[index]
        return token.kind == "operator" and token.blank_before and token.blank_after

    def in_braces(self, index):
        inside = self.tokens[index].inside
        return inside is None or self.tokens[inside].text == "{"

    def begins_statement(self, index):
        """Whether a new statement begins here, as far as lines and braces tell."""
        token, before = self.tokens[index], index - 1
        if index == 0:
            return True
        if not self.in_braces(index) or self.is_mark(index, "}"):
            return False
        if token.inside == before or self.is_mark(before, ";"):
            return True
        if not token.begins_line or token.kind == "dot" or self.is_binary(index) or self.is_mark(index, "{"):
            return False
        last = self.tokens[before]
        return not (self.is_binary(before) or (last.kind == "mark" and last.text in ",([:") or self.is_word(before, "else", "where"))

    def ends_before(self, index):
        """Whether what stands before this token ends there."""
        return index >= len(self.tokens) or self.is_mark(index, ")]},;:") or self.begins_statement(index)

    # Of operands.

    def left(self, index, stopping):
        """The first token of the operand that ends before `index`."""
        at = index
        while at > 0:
            if self.begins_statement(at) and at != index:
                return at
            before = at - 1
            token = self.tokens[before]
            if token.kind == "mark" and token.text in CLOSING:
                at = token.mate
                continue
            if token.kind == "mark" and token.text != "#":
                break
            if token.kind == "word" and token.text in STOPS and not self.is_member(before):
                break
            if self.is_binary(before) and token.text in stopping:
                break
            at = before
        # `try? f() == x`: its mark belongs to the word before.
        while self.tokens[at].kind == "operator" and self.tokens[at].text in "?!" and not self.tokens[at].blank_before:
            at += 1
        return at

    def right(self, index, stopping):
        """Behind the last token of the operand that begins at `index`."""
        control, at = self.in_control(index), index
        while at < len(self.tokens):
            token = self.tokens[at]
            if at > index and self.ends_before(at):
                break
            if token.kind == "mark" and token.text in ")]},;:":
                break
            if self.is_mark(at, "{") and control:
                break
            if token.kind == "mark" and token.text in OPENING:
                at = token.mate + 1
                continue
            if token.kind == "word" and token.text in ("else", "where", "in") and not self.is_member(at):
                break
            if self.is_binary(at) and token.text in stopping:
                break
            at += 1
        return at

    def is_member(self, index):
        return index > 0 and self.tokens[index - 1].kind == "dot"

    def in_control(self, index):
        """Whether a brace behind this ends the condition of an `if` and is no closure."""
        at = index
        while at >= 0:
            token = self.tokens[at]
            if token.kind == "word" and token.text in CONTROL and not self.is_member(at):
                return True
            if self.begins_statement(at):
                return False
            before = at - 1
            if before >= 0 and self.tokens[before].kind == "mark":
                if self.tokens[before].text in CLOSING:
                    at = self.tokens[before].mate
                    continue
                if self.tokens[before].text in OPENING:
                    return False
            at -= 1
        return False

    def postfix(self, index):
        """Behind the name, call or subscript that begins at `index`; None: it begins with something else."""
        at, token = index, self.tokens[index]
        if token.kind == "dot":
            at += 1
            if not self.is_word(at):
                return None
            at += 1
        elif token.kind == "word" and token.text not in STOPS:
            at += 1
        elif self.is_mark(at, "("):
            at = token.mate + 1
        else:
            return None
        while at < len(self.tokens):
            token = self.tokens[at]
            if token.kind == "dot" and self.is_word(at + 1):
                at += 2
            elif self.is_mark(at, "([") and not token.blank_before:
                at = token.mate + 1
            elif token.kind == "operator" and token.text in ("?", "!") and not token.blank_before:
                at += 1
            else:
                break
        return at

    def slice(self, first, behind):
        return self.text[self.tokens[first].start:self.tokens[behind - 1].end]

    def split(self, first, behind):
        """The parts between commas, as pairs of tokens."""
        parts, start, at = [], first, first
        while at < behind:
            if self.is_mark(at, "([{"):
                at = self.tokens[at].mate
            elif self.is_mark(at, ","):
                parts.append((start, at))
                start = at + 1
            at += 1
        if start < behind:
            parts.append((start, behind))
        return parts
