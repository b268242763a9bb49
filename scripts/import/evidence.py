# SPDX-License-Identifier: MIT
"""What becomes of a file of each source: the table of values, and each agent.yaml.

Usage: evidence.py AGENT FIXTURES DOCUMENT. Writes the document.
"""

import os
import re
import subprocess
import sys

FILES = [
    ("blackbox.yml", "prometheus.yml"), ("gatus.yaml",), ("kuma.json",), ("nagios.cfg",), ("icinga2.conf",),
    ("cloudprober.cfg",), ("checkly.json",), ("upptime.yml",), ("telegraf.conf",), ("smokeping.conf",),
]


def run(agent, folder, files):
    made = subprocess.run([agent, "import", "auto", *files], capture_output=True, text=True, cwd=folder)
    if made.returncode not in (0, 1):
        raise SystemExit(f"{files}: exit {made.returncode}: {made.stderr}")
    return made.stdout, made.stderr, made.returncode


def row(errors):
    """Format, checks, values, carried, listed, left out, laxer, stricter, changed."""
    format, checks, values, carried, listed = re.search(
        r"quartz-agent: (\S+): (\d+) checks?; (\d+) values: (\d+) carried, (\d+) listed", errors).groups()

    def count(pattern):
        found = re.search(pattern, errors)
        return found[1] if found else "0"

    changes = [count(rf"not the same as in the source:.*?(\d+) {word}") for word in ("laxer", "stricter", "changed")]
    return [format, checks, values, carried, listed, count(r"quartz-agent: (\d+) left out"), *changes]


def main():
    agent, folder, document = os.path.abspath(sys.argv[1]), *sys.argv[2:4]
    rows, parts = [], []
    for files in FILES:
        text, errors, code = run(agent, folder, files)
        rows.append(row(errors))
        parts.append(f"## quartz-agent import auto {' '.join(files)}\n\nExit code {code}. Standard error:\n\n```\n{errors}```\n\n"
                     f"Standard output:\n\n```yaml\n{text}```\n")
    table = "".join(f"| {' | '.join(cells)} |\n" for cells in rows)
    with open(document, "w") as file:
        file.write(f"""# Importing: evidence

Written by `./scripts/prove-import --write`: one file of each source, of our own (`Tests/ImportTests/Fixtures`), turned into an agent.yaml. Exit
code 1 means that something was listed, left out or changed. Each value is carried or listed: `carried` and `listed` are all values of
the files. `ImportTests` asserts the expected result of each value, by the rules of each source;
[relabelling](relabelling.md) is compared with Prometheus, [/probe](probe.md) with blackbox_exporter.

| source | checks | values | carried | listed | left out | laxer | stricter | changed |
|---|---|---|---|---|---|---|---|---|
{table}
`./scripts/prove-import` makes files of every source that are slow to read, 10 MB each, and holds the agent to 5 s of processor time
and 2 GiB for each.

""" + "\n".join(parts))


main()
