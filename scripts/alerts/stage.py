# SPDX-License-Identifier: MIT
"""What every scenario needs: the list of all, the clock that begins with the first results, and sequences that must be so."""

import re
import sys
import time

from world import kind, text

binary = sys.argv[1]
scenarios = []
# Of a scenario, by its name: what stands in the document below its sequence.
notes = {}


def scenario(function):
    """Yields its recorder first, then its agent, which must end with 0."""
    scenarios.append(function)
    return function


def sleep_until(recorder, second):
    time.sleep(max(0, recorder.start + second - time.monotonic()))


def calm(recorder):
    """Lets the first results come in; the seconds count from then on."""
    time.sleep(4)
    recorder.start = time.monotonic()


def expect(recorder, rules):
    """Each rule: kind, a pattern of the title, the latest second, the earliest. In this order, and no other message."""
    taken = recorder.messages
    for place, (wanted, pattern, latest, earliest) in enumerate(rules):
        assert place < len(taken), f"message {place + 1} is missing: {wanted} {pattern}"
        at, body = taken[place]
        found, title = kind(body), text(body)
        assert found == wanted and re.search(pattern, title), f"message {place + 1} is {found} {title}, not {wanted} {pattern}"
        assert earliest <= at <= latest, f"{found} {title} came at {at:.1f} s, not from {earliest} to {latest}"
    assert len(taken) == len(rules), f"{len(taken)} messages, not {len(rules)}"
