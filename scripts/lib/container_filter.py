# SPDX-License-Identifier: MIT
"""A filter of system calls for bwrap --seccomp, on standard output: what systemd's @system-service holds, less
@privileged and @resources, as deploy/systemd/quartz-agent.service has it. What else is called gets EPERM."""

import re
import subprocess
import sys

import seccomp


def members(group, seen):
    """System calls of a group of systemd's, and of the groups in it (systemd.exec(5), SystemCallFilter)."""
    if group in seen:
        return set()
    seen.add(group)
    text = subprocess.run(
        ["systemd-analyze", "syscall-filter", group], check=True, capture_output=True, text=True
    ).stdout
    found = set()
    for line in text.splitlines()[1:]:
        name = line.strip()
        if name.startswith("@"):
            found |= members(name, seen)
        elif re.fullmatch(r"[a-z0-9_]+", name):
            found.add(name)
    return found


allowed = members("@system-service", set()) - members("@privileged", set()) - members("@resources", set())
# As the unit: Swift's thread pool asks for it. And bwrap itself starts the program through the filter.
allowed |= {"setpriority", "execve"}
rules = seccomp.SyscallFilter(seccomp.ERRNO(1))
for name in sorted(allowed):
    try:
        rules.add_rule(seccomp.ALLOW, name)
    except (RuntimeError, OSError, ValueError):
        continue  # not of this architecture
rules.export_bpf(sys.stdout.buffer)
