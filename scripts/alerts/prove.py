# SPDX-License-Identifier: MIT
"""Notifications as receivers get them, in real time with the real program: a scenario each, all at once.

Arguments: the agent, an empty folder, optionally the file the sequences are written to. Exit 0: every sequence is as it must be.
"""

import pathlib
import shutil
import sys
import threading
import traceback

import incidents
import life
import receivers
from stage import notes, scenarios

folder = pathlib.Path(sys.argv[2])
document = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
chosen = sys.argv[4:]
printed, failed = {}, []
assert incidents and life and receivers, "the scenarios"


def live(function):
    place, parts = folder / function.__name__, []
    try:
        for part in function(place):
            parts.append(part)
        assert parts[1].end() == 0, "the agent did not end with 0"
    except Exception:
        failed.append(function.__name__)
        traceback.print_exc()
        if (place / "log").exists():
            print("the log:\n" + "".join((place / "log").read_text(errors="replace").splitlines(True)[-15:]))
        if len(parts) > 1 and parts[1].process.poll() is None:
            parts[1].kill()
    if parts:
        printed[function.__name__] = parts[0].lines()
        parts[0].close()


if chosen:
    scenarios[:] = [each for each in scenarios if each.__name__ in chosen]
threads = [threading.Thread(target=live, args=(function,)) for function in scenarios]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
report = ""
for function in scenarios:
    words = " ".join(function.__doc__.split())
    report += f"## {function.__name__}\n\n{words}\n\n```\n" + "\n".join(printed.get(function.__name__, [])) + "\n```\n\n"
    report += notes.get(function.__name__, "")
print(report)
if document and not failed and not chosen:
    document.write_text(
        "# Alerts: evidence\n\nSequences as a recording receiver took them, from `./scripts/prove-alerts --write`: the real program, "
        "`group_wait` 3 s,\n`group_interval` 10 s, checks every second.\n\n" + report.rstrip() + "\n")
    for picture in folder.glob("*.png"):
        shutil.copy(picture, document.parents[1])
print(f"failed: {', '.join(failed)}" if failed else f"{len(scenarios)} scenarios: every sequence is as it must be")
sys.exit(1 if failed else 0)
