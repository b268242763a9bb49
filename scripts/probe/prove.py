# SPDX-License-Identifier: MIT
"""/probe beside blackbox_exporter: the same modules, the same targets, metric by metric.

Arguments: the agent, an empty folder. Exit 0: no difference but those that table.py explains.
"""

import concurrent.futures
import re
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

import servers
import table

agent, folder = sys.argv[1:3]
document = sys.argv[3] if len(sys.argv) > 3 else None
farm = servers.Farm(folder)
ports = farm.ports


def ask(port, module, target, further, headers=None):
    query = {"module": module, "target": target, **further}
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/probe?{urllib.parse.urlencode({k: v for k, v in query.items() if v})}",
        headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            text = answer.read().decode()
    except urllib.error.HTTPError as error:
        return {"error": str(error.code)}
    return dict(re.findall(r"^([a-z][^ {]*(?:\{.*\})?) (\S+)$", text, re.M))


# What each measures by itself: it must be there, and its value is its own.
TIMES = re.compile(r"_(duration|lookup_time)_seconds|_duration_seconds\{")


def compare(theirs, ours, meant):
    """What differs, and what differs and is meant to."""
    if "error" in ours or "error" in theirs:
        found = [f"error {theirs.get('error')} / {ours.get('error')}"] if theirs != ours else []
        return ([], found) if "error" in meant else (found, [])
    differences, explained = [], []
    for name in sorted(set(theirs) | set(ours)):
        left, right = theirs.get(name), ours.get(name)
        if name.startswith("probe_failure_info") and left is None:
            continue
        if left is not None and right is not None and (TIMES.search(name) or float(left) == float(right)):
            continue
        reasons = [why for pattern, why in meant.items() if re.search(pattern, name)]
        (explained if reasons else differences).append(f"{name} {left} / {right}")
    return differences, explained


def shown(target):
    names = {str(port): name for name, port in ports.items()}
    return re.sub(r":(\d{4,5})\b", lambda match: ":" + names.get(match[1], match[1]), target)


def compared(row):
    module, target = row[:2]
    further = row[2] if len(row) > 2 else {}
    meant = row[3] if len(row) > 3 else {}
    with concurrent.futures.ThreadPoolExecutor(2) as both:
        theirs, ours = both.map(lambda port: ask(port, module, target, further),
                                [ports["exporter"], ports["agent"]])
    return row, theirs, ours, compare(theirs, ours, meant), meant


def config(name, trust, allow="allow: [127.0.0.1/32]"):
    farm.write(f"{name}.yaml", f"""
agent: {{name: {name}, state_dir: {folder}/{name}-state}}
status: {{listen: "127.0.0.1:{ports[name]}"}}
spool: {{size: 16MiB}}
probe: {{modules: blackbox.yml, trust: {trust}, {allow}}}
checks: [{{name: a, type: tcp, host: 127.0.0.1, port: {ports['closed']}, interval: 1h}}]
""")
    farm.start(agent, "run", "-c", f"{folder}/{name}.yaml")


def start():
    farm.authority()
    farm.write("blackbox.yml", table.text(ports))
    farm.real()
    farm.hostile()
    farm.start("prometheus-blackbox-exporter", f"--config.file={folder}/blackbox.yml",
               f"--web.listen-address=127.0.0.1:{ports['exporter']}", cwd=folder)
    config("agent", "local")
    config("stranger", "stranger", 'token: "0123456789abcdef"')
    farm.wait("web", "tls", "ssh", "plain_tls", "dns", "smtp", "imap", "redis", "exporter", "agent", "stranger")


def doors():
    """What only one of both has: who may ask, and where a stranger's probe goes."""
    target = f"http://127.0.0.1:{ports['web']}/ok"
    token = {"Authorization": "Bearer 0123456789abcdef"}
    without = ask(ports["stranger"], "http", target, {})
    denied = ask(ports["stranger"], "http", target, {}, token)
    reason = 'probe_failure_info{reason="policy_denied",phase="prepare"}'
    found = [("no token: 401", without == {"error": "401"}),
             ("a stranger's target on loopback is denied", denied.get("probe_success") == "0" and reason in denied),
             ("nothing is told of its address", denied.get("probe_ip_addr_hash") == "0")]
    return found


def plain(port, path, method="GET"):
    """Status and text of another path."""
    try:
        with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method),
                                    timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def paths():
    """What the exporter answers besides /probe, and what a file does that it refuses."""
    both = [ports["exporter"], ports["agent"]]

    def same(path, method="GET"):
        left, right = (plain(port, path, method) for port in both)
        return left == right

    found = [("/-/healthy is the same", same("/-/healthy")), ("/-/reload with GET is the same", same("/-/reload")),
             ("/-/reload with POST is the same", same("/-/reload", "POST"))]
    config = [plain(port, "/config")[1] for port in both]
    # Both begin with the modules, each with an indent of its own.
    names = [set(re.findall(rf"^{re.search(r'^ +', text, re.M)[0]}\"?([a-z_0-9]+)\"?:", text, re.M)) for text in config]
    found.append(("/config has the same modules", names[0] == names[1] == set(table.MODULES)))
    found.append(("/config has no secret", not any(
        word in config[1] for word in ["secret-word", "a-token", "cHJvYmU6", "alone"])))
    target = f"http://127.0.0.1:{ports['web']}/missing"
    before = [ask(port, "http_404", target, {}).get("probe_success") for port in both]
    for broken, what, theirs in [
            ("modules: [", "no YAML", 500),
            ("modules: {http_404: {prober: http, http: {fail_if_sll: true}}}", "a wrong key", 500),
            ("modules: {http_404: {prober: http, timeout: soon}}", "a wrong timeout", 500),
            ("modules: {http_404: {prober: http, http: {fail_if_body_matches_regexp: [\"a(\"]}}}", "a wrong pattern", 500),
            ("modules: {http_404: {prober: dns, dns: {query_type: A}}}", "no query_name", 500),
            ("modules: {http_404: {prober: htp}}", "a wrong prober, which exporters refuse from 0.25 on", 200)]:
        farm.write("blackbox.yml", broken)
        statuses = [plain(port, "/-/reload", "POST")[0] for port in both]
        after = ask(ports["agent"], "http_404", target, {}).get("probe_success")
        found.append((f"a reload is refused and the old modules stay: {what}",
                      statuses == [theirs, 500] and before == ["1", "1"] and after == "1"))
    farm.write("blackbox.yml", "modules: {other: {prober: icmp}}")
    statuses = [plain(port, "/-/reload", "POST")[0] for port in both]
    after = [ask(port, "http_404", target, {}) for port in both]
    found.append(("a reload takes new modules", statuses == [200, 200] and after == [{"error": "400"}] * 2))
    return found


def write(rows, checks, summary):
    """The evidence, a line for each row."""
    shows = subprocess.run(["prometheus-blackbox-exporter", "--version"], capture_output=True, text=True)
    version = re.search(r"version (\S+)", shows.stdout + shows.stderr + "version ?")[1]
    lines = ["# /probe beside blackbox_exporter", "",
             f"Written by `./scripts/prove-probe --write`: each row asks Debian's blackbox_exporter {version.rstrip(',')} and the agent the same,",
             "with the same blackbox.yml (`scripts/probe/table.py`), about real servers and hostile ones, and compares every metric.", "",
             summary, "", "| module | target | further | exporter | agent | metrics | |", "|---|---|---|---|---|---|---|"]
    for row, theirs, ours, (differences, explained), meant in rows:
        further = " ".join(f"{name}={value}" for name, value in (row[2] if len(row) > 2 else {}).items())
        words = "**differs**: " + "; ".join(differences) if differences else (
            "meant: " + "; ".join(sorted(set(meant.values()))) if explained else "same")
        verdicts = [side.get("probe_success", side.get("error", "?")) for side in (theirs, ours)]
        lines.append(f"| {row[0] or '-'} | `{shown(row[1]) or '-'}` | {further} | {verdicts[0]} | {verdicts[1]} | "
                     f"{len(theirs) if 'error' not in theirs else 0} | {words} |")
    lines += ["", "| besides | |", "|---|---|"] + [f"| {name} | {'holds' if holds else '**fails**'} |" for name, holds in checks]
    with open(document, "w") as file:
        file.write("\n".join(lines) + "\n")


def main():
    start()
    rows = list(table.rows(ports))
    all_rows = []
    wrong = metrics = meant_rows = 0
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for row, theirs, ours, (differences, explained), meant in pool.map(compared, rows):
            all_rows.append((row, theirs, ours, (differences, explained), meant))
            metrics += len(theirs)
            wrong += bool(differences)
            meant_rows += bool(explained)
            info = "".join(re.findall(r'reason="([^"]*)"', " ".join(ours)))
            mark = "DIFF" if differences else "but " if explained else "ok  "
            print(f"{mark} {row[0] or '-':15} {shown(row[1]):42} {theirs.get('probe_success', theirs.get('error'))} "
                  f"{ours.get('probe_success', ours.get('error'))} {info}")
            for difference in differences:
                print(f"       {difference}")
            if explained:
                print(f"       meant: {'; '.join(sorted(set(meant.values())))}: {'; '.join(explained)}")
    checks = doors() + paths()
    for name, holds in checks:
        print(f"{'ok  ' if holds else 'FAIL'} {name}")
    wrong += sum(not holds for _, holds in checks)
    summary = (f"{len(rows)} targets, {metrics} metrics of the exporter compared, {meant_rows} targets differ as explained, "
               f"{wrong} otherwise")
    print(summary)
    if document:
        write(all_rows, checks, summary + ".")
    return 1 if wrong else 0


try:
    code = main()
finally:
    farm.stop()
sys.exit(code)
