# SPDX-License-Identifier: MIT
"""Files of every source of `quartz-agent import`, 10 MB each or as much as the limits take, made to be slow to read, and what
the agent does with them.

Usage: hostile.py AGENT DIRECTORY. Prints a table; exits 1 when a file takes longer than LIMIT, needs more than MEMORY, or is
neither read nor refused in words.
"""

import pathlib
import resource
import sqlite3
import subprocess
import sys
import time

SIZE = 10_000_000
# Seconds of the agent's processor time, and bytes of its memory.
LIMIT = 5
MEMORY = 2 << 30


def fill(head, part, tail=""):
    """`part` with its number put in, again and again until the file has its size."""
    size, lines, number = len(head) + len(tail), [], 0
    while size < SIZE:
        line = part(number)
        lines.append(line)
        size, number = size + len(line), number + 1
    return head + "".join(lines) + tail


JOB = (
    "scrape_configs:\n- job_name: j\n  metrics_path: /probe\n  params: {module: [m]}\n"
    "  relabel_configs: [{source_labels: [__address__], target_label: __param_target}]\n")
COMMANDS = (
    "define command {\n command_name check_ping\n command_line check_ping\n}\n"
    "define command {\n command_name check_http\n command_line check_http " + "$ARG1$ " * 32 + "\n}\n")
HOST = COMMANDS + "define host {\n host_name h\n address a.example\n}\n"


def templates(count):
    used = lambda n: ",".join(f"t{(n + k) % count}" for k in range(1, 17))
    return "".join(f"define service {{\n name t{n}\n use {used(n)}\n register 0\n}}\n" for n in range(count))


def texts():
    big = "x" * (SIZE - 200)
    yield "gatus", "one text", f'endpoints:\n- {{name: a, url: "http://a.example/", body: "{big}"}}\n'
    yield "gatus", "endpoints", fill("endpoints:\n", lambda n: f"- {{name: a, url: http://a.example/{n}{'x' * 1000}}}\n")
    yield "gatus", "headers", fill("endpoints:\n- url: http://a/\n  headers:\n", lambda n: f"    header-{n}: {'x' * 120}\n")
    yield "gatus", "conditions", fill("endpoints:\n- url: http://a/\n  conditions:\n", lambda n: f'  - "[BODY].a{n} == {"x" * 60}"\n')
    yield "gatus", "labels", fill("endpoints:\n- url: http://a/\n  extra-labels:\n", lambda n: f"    l{n}: {'x' * 120}\n")
    yield "gatus", "secret headers", fill("endpoints:\n- url: http://a/\n  headers:\n", lambda n: f"    {'h' * 120}{n}-token: x\n")
    yield "gatus", "brackets", "a: " + "[" * SIZE
    yield "gatus", "indents", fill("", lambda n: " " * min(n, 300) + "- \n")
    yield "gatus", "documents", fill("", lambda n: "---\na: 1\n")
    yield "gatus", "directives", fill("", lambda n: f"%TAG !a{n}! tag:a,2026:\n", "---\na: 1\n")
    yield "gatus", "anchors", fill("", lambda n: f"a{n}: &a{n} {{<<: *a{n - 1}, k{n}: x}}\n" if n else "a0: &a0 {x: y}\n")
    yield "upptime", "sites", fill("sites:\n", lambda n: f"- {{name: a{n}, url: http://a.example/{'x' * 900}}}\n")
    yield "upptime", "headers", fill("sites:\n- url: http://a\n  headers:\n", lambda n: f"  - 'h{n}: {'x' * 80}'\n")
    yield "telegraf", "inputs", fill("", lambda n: f"[[inputs.ping]]\nurls = ['a{n}']\n[inputs.ping.tags]\na = '{'x' * 900}'\n")
    yield "telegraf", "targets", fill("[[inputs.ping]]\nurls = [\n", lambda n: f"'a{n}',\n", "]\n")
    yield "telegraf", "tags", fill("[global_tags]\n", lambda n: f"t{n} = 'x'\n", "[[inputs.ping]]\nurls = ['a']\n")
    yield "telegraf", "tables", fill("", lambda n: f"[a{n}.b.c.d.e]\n")
    yield "telegraf", "brackets", "a = " + "[" * SIZE
    yield "telegraf", "one text", f"[[inputs.http_response]]\nurls = ['http://a']\nbody = '{big}'\n"
    yield "smokeping", "targets", fill("*** Targets ***\n", lambda n: f"+ a{n}\nhost = a.example\nremark = {'x' * 900}\n")
    yield "smokeping", "inherited values", fill("*** Targets ***\n" + "".join(f"k{n} = v\n" for n in range(60_000)),
                                               lambda n: f"+ a{n}\nx = y\n")
    yield "smokeping", "sections", fill("", lambda n: f"*** s{n} ***\n", "*** Targets ***\n")
    yield "smokeping", "depths", fill("*** Targets ***\n", lambda n: "+" * (n % 60 + 1) + f" a{n}\n")
    yield "icinga2", "rules on hosts", fill("".join(f'object Host "h{n}" {{}}\n' for n in range(3000)),
                                            lambda n: f'apply Service "s{n}" {{\n assign where host.name == "{"x" * 200}"\n}}\n')
    yield "icinga2", "attributes", fill('object Host "a" {\n', lambda n: f"vars.k{n} = 1\n", "}\n")
    yield "icinga2", "templates", fill("", lambda n: f'template Host "t{n}" {{\n import "t{n + 1}"\n import "t{n + 2}"\n}}\n',
                                       'object Host "a" {\n import "t0"\n}\n')
    yield "icinga2", "brackets", "const a = " + "(" * SIZE
    yield "icinga2", "signs", "const a = 1" + fill("", lambda n: " + 1")
    yield "icinga2", "walked lists", ('object Host "a" {\n vars.l = [' + "1," * 100_000 + ' ]\n}\n'
                                      + fill("", lambda n: f'apply Service "s{n}" for (x in host.vars.l) {{ }}\n'))
    yield "icinga2", "texts added", 'const a = "' + "x" * 1000 + '"\n' + fill("", lambda n: f"const a{n} = a + a + a\n")
    yield "nagios", "contacts", fill(HOST + "".join(f"define contact {{\n contact_name c{n}\n email a\n contactgroups g\n}}\n" for n in range(5000)),
                                     lambda n: f"define service {{\n host_name h\n service_description s{n}\n check_command check_ping\n contact_groups g\n}}\n")
    yield "nagios", "dependencies", fill(
        HOST + "".join(f"define service {{\n host_name h\n service_description s{n}\n check_command check_ping\n}}\n" for n in range(1000)),
        lambda n: "define servicedependency {\n host_name h\n service_description " + ",".join(f"s{k}" for k in range(1000))
        + "\n dependent_service_description " + ",".join(f"s{k}" for k in range(1000)) + "\n notification_failure_criteria c\n}\n")
    # Small enough for every limit on size, and much to work out.
    plain = lambda count, more: "".join(
        f"define service {{\n host_name h\n service_description s{n}\n check_command check_ping\n {more}\n}}\n" for n in range(count))
    contact = "define contact {\n contact_name c\n email c@a.example\n}\n"
    yield "nagios", "contacts of all checks", (
        HOST + "".join(f"define contact {{\n contact_name c{n}\n email c{n}@a.example\n contactgroups g\n}}\n" for n in range(5000))
        + plain(9000, "contact_groups g"))
    yield "nagios", "contacts just within the limit", (
        HOST + "".join(f"define contact {{\n contact_name c{n}\n email c{n}@a.example\n contactgroups g\n}}\n" for n in range(22))
        + plain(9000, "contact_groups g"))
    yield "nagios", "groups of contacts", (
        HOST + contact + "".join(f"define contactgroup {{\n contactgroup_name g{n}\n contactgroup_members g{n + 1},g{n + 2}\n}}\n" for n in range(10_000))
        + plain(9000, "contact_groups g0"))
    yield "nagios", "one contact, named again", HOST + contact + (
        "define service {\n name t\n register 0\n contacts " + "c," * 9999 + "c\n}\n" + plain(9000, "use t"))
    yield "nagios", "parents", COMMANDS + "".join(
        f"define host {{\n host_name h{n}\n address a\n check_command check_ping\n parents {','.join(f'h{k}' for k in range(max(0, n - 200), n))}\n}}\n"
        for n in range(9000))
    yield "nagios", "templates beside one another", COMMANDS + "".join(
        f"define host {{\n name t{n}\n _a{n} x\n register 0\n}}\n" for n in range(60)) + "".join(
        f"define host {{\n host_name h{n}\n use {','.join(f't{k}' for k in range(60))}\n address a\n check_command check_ping\n}}\n" for n in range(9000))
    yield "icinga2", "attributes of its own", 'object Host "a" {\n' + "".join(f"k{n} = 1\n" for n in range(60_000)) + "}\n"
    yield "icinga2", "one template of all", (
        'template Host "t" {\n' + "".join(f"vars.k{n} = 1\n" for n in range(10_000)) + "}\n"
        + "".join(f'object Host "a{n}" {{ import "t" }}\n' for n in range(9000)))
    yield "icinga2", "patterns on hosts", (
        "".join(f'object Host "{"a" * 100}{n}" {{ check_command = "hostalive" }}\n' for n in range(1000))
        + "".join(f'apply Service "s{n}" {{\n assign where regex("(a|a*)*b", host.name)\n}}\n' for n in range(1800)))
    users = "".join(f'object User "u{n}" {{\n email = "a@b"\n groups = [ "g" ]\n}}\n' for n in range(60))
    hosts = "".join(f'object Host "h{n}" {{\n address = "a"\n check_command = "hostalive"\n}}\n' for n in range(3000))
    mails = 'command = "mail"\n users = [ "u1" ]\n user_groups = [ "g" ]\n'
    yield "icinga2", "notifications of all checks", users + hosts + "".join(
        f'apply Notification "n{n}" to Host {{\n {mails} assign where host.address\n}}\n' for n in range(50))
    yield "icinga2", "notifications of one host", users + hosts + "".join(
        f'object Notification "n{n}" {{\n {mails} host_name = "h1"\n}}\n' for n in range(30_000))
    yield "icinga2", "users of all checks", users + hosts + (
        'apply Notification "n" to Host {\n command = "mail"\n users = [ ' + '"u1", ' * 100_000 + ']\n assign where true\n}\n')
    yield "icinga2", "a notification of many values", users + hosts + (
        'apply Notification "n" to Host {\n command = "mail"\n assign where nothing\n'
        + "".join(f" vars.k{n} = 1\n" for n in range(100)) + " vars.l = [ " + "1, " * 100_000 + "]\n}\n")
    yield "icinga2", "dependencies of one host", hosts + "".join(
        f'object Dependency "d{n}" {{\n parent_host_name = "h{n % 3000}"\n child_host_name = "h1"\n redundancy_group = "r{n}"\n}}\n'
        for n in range(30_000))
    yield "icinga2", "dependencies of all hosts", hosts + "".join(
        f'apply Dependency "d{n}" to Host {{\n parent_host_name = "h{n}"\n assign where host.address\n}}\n' for n in range(100))
    yield "upptime", "as many sites as are taken", "sites:\n" + "".join(f"- {{name: a{n}, url: 'http://a.example/{'x' * 900}'}}\n" for n in range(9900))
    yield "telegraf", "tags of all targets", (
        "[[inputs.ping]]\nurls = [" + "".join(f"'a{n}'," for n in range(9900)) + "]\n[inputs.ping.tags]\n"
        + "".join(f"t{n} = 'x'\n" for n in range(100_000)))
    yield "smokeping", "inherited by all targets", (
        "*** Targets ***\n" + "".join(f"k{n} = v\n" for n in range(100_000)) + "".join(f"+ a{n}\nhost = a.example\n" for n in range(9900)))
    yield "smokeping", "one name for much", (
        f"*** Targets ***\n@define A {'x' * 1_000_000}\n" + "".join(f"k{n} = A A\n" for n in range(9000)) + "+ a\nhost = b\n")
    yield "smokeping", "probes of all targets", (
        "*** Probes ***\n" + "".join(f"+ P{n}\nbinary = x\n" for n in range(90_000))
        + "*** Targets ***\n" + "".join(f"+ a{n}\nprobe = P{n}\nhost = b\n" for n in range(5000)))
    yield "gatus", "aliases", fill("a: &a [" + "x," * 400 + "x]\nb:\n", lambda n: "- *a\n")
    yield "gatus", "long key places", "".join(" " * n + "k" * 80 + ":\n" for n in range(60)) + " " * 60 + "[" + "1," * 190_000 + "1]\n"
    yield "blackbox", "targets", fill("modules: {m: {prober: icmp}}\n" + JOB + "  static_configs: [{targets: [", lambda n: f"a{n}.example,", "a]}]\n")
    yield "blackbox", "a module of patterns", fill(
        "modules: {m: {prober: http, http: {fail_if_body_matches_regexp: [", lambda n: f'"({"a" * 60}|{n})*",',
        "a]}}}\n" + JOB + "  static_configs: [{targets: [" + "a," * 5000 + "a]}]\n")
    yield "blackbox", "one long pattern", (
        f'modules: {{m: {{prober: tcp, tcp: {{query_response: [{{expect: "{"[^a]" * (SIZE // 4)}"}}]}}}}}}\n' + JOB
        + "  static_configs: [{targets: [" + '"a:1",' * 5000 + "]}]\n")
    yield "blackbox", "brackets that never close", (
        f'modules: {{m: {{prober: tcp, tcp: {{query_response: [{{send: "{"${" * 2_000_000}"}}]}}}}}}\n' + JOB
        + "  static_configs: [{targets: [a:1]}]\n")
    yield "blackbox", "modules", fill("modules:\n", lambda n: f"  m{n}: {{prober: icmp, timeout: 1s}}\n")
    yield "blackbox", "labels", fill(
        "modules: {m: {prober: icmp}}\n" + JOB + "  static_configs: [{targets: [" + "a," * 5000 + "a], labels: {",
        lambda n: f"l{n}: {'x' * 120},", "}}]\n")
    yield "blackbox", "rules that double", fill(
        "modules: {m: {prober: icmp}}\n" + JOB + "  static_configs: [{targets: [aaaaaaaaaa]}]\n  relabel_configs:\n",
        lambda n: "  - {source_labels: [__address__], target_label: __address__, replacement: $1$1}\n")
    yield "blackbox", "rules that look back", (
        "modules: {m: {prober: icmp}}\n" + JOB + "  static_configs: [{targets: [" + f"{'a' * 2000}," * 4000 + "a]}]\n"
        + "  relabel_configs:\n" + "  - {source_labels: [__address__], regex: '((a|a*)*b?)*(a{1,100})*', target_label: x}\n" * 500)
    yield "blackbox", "header rules", fill(
        "modules: {m: {prober: http, http: {fail_if_header_matches: [", lambda n: f"{{header: h{n}, regexp: {'x' * 100}}},",
        "]}}}\n" + JOB + "  static_configs: [{targets: [a]}]\n")
    yield "nagios", "services on a group", fill(
        COMMANDS + "".join(f"define host {{\n host_name h{n}\n hostgroups g\n}}\n" for n in range(5000)),
        lambda n: "define service {\n hostgroup_name g\n check_command check_ping\n}\n")
    yield "nagios", "hosts of a group", fill(COMMANDS, lambda n: f"define host {{\n host_name h{n}\n hostgroups g\n check_command check_ping\n}}\n")
    yield "nagios", "templates, each above sixteen", templates(60_000) + HOST + "define service {\n use t0\n host_name h\n check_command check_ping\n}\n"
    yield "nagios", "arguments of arguments", HOST + (
        "define command {\n command_name c\n command_line check_tcp " + "$ARG1$" * 300 + "\n}\n"
        + "define service {\n host_name h\n check_command c" + "".join(f"!$ARG{n}$$ARG{n}$" for n in range(2, 33)) + "\n}\n") + "#" * SIZE
    yield "nagios", "quoted words", fill(
        HOST, lambda n: "define service {\n host_name h\n check_command check_http!" + "'-k a:b' " * 200 + "\n}\n")
    yield "nagios", "hosts that are taken out", fill(
        COMMANDS + "".join(f"define host {{\n host_name h{n}\n}}\n" for n in range(5000)),
        lambda n: "define service {\n host_name *\n hostgroup_name !*\n check_command check_ping\n}\n",
        "define hostgroup {\n hostgroup_name g\n members *\n}\n")
    yield "nagios", "one object", fill("define host {\n", lambda n: f" _v{n} x\n", "}\n")
    yield "nagios", "one line", HOST + f"define service {{\n host_name {'a,' * (SIZE // 2)}h\n check_command check_ping\n}}\n"
    yield "cloudprober", "hosts", f'probe {{ name: "p" type: PING targets {{ host_names: "{"a," * (SIZE // 2)}a" }} }}'
    yield "cloudprober", "labels and hosts", fill(
        f'probe {{ name: "p" type: PING targets {{ host_names: "{"a," * 5000}a" }} ', lambda n: f'additional_label {{ key: "k{n}" value: "{"x" * 60}" }} ', "}")
    yield "cloudprober", "brackets", "a{" * (SIZE // 2)
    yield "cloudprober", "pieces of a text", 'a: ' + '"x" ' * (SIZE // 4)
    yield "checkly", "assertions", fill(
        '[{"request":{"url":"http://a","assertions":[', lambda n: f'{{"source":"JSON_BODY","property":"$.a{n}","comparison":"EQUALS","target":"{"x" * 200}"}},',
        '{"source":"STATUS_CODE"}]}}]')
    yield "checkly", "checks", fill("[", lambda n: f'{{"name":"a","request":{{"url":"http://a/{n}"}}}},', "{}]")
    yield "checkly", "brackets", "[" * SIZE
    yield "checkly", "members", fill("[{", lambda n: f'"a{n}":1,', '"b":1}]')
    yield "uptime-kuma", "monitors and tags", fill(
        '{"monitorList":[' + ",".join(f'{{"id":{n},"name":"m","type":"ping","hostname":"a"}}' for n in range(9000)) + '],"tagList":[',
        lambda n: f'{{"monitor_id":{n % 9000},"name":"{"t" * 150}{n}"}},', "{}]}")
    yield "uptime-kuma", "tags of one monitor", fill(
        '{"monitorList":[{"id":1,"type":"ping","hostname":"a","tags":[', lambda n: f'{{"name":"{"t" * 150}{n}"}},', "{}]}]}")


MONITOR = "CREATE TABLE monitor (id INTEGER PRIMARY KEY, name TEXT, type TEXT, hostname TEXT, headers TEXT);"
TAGS = "CREATE TABLE tag (id INTEGER, name TEXT); CREATE TABLE monitor_tag (id INTEGER PRIMARY KEY, monitor_id INTEGER, tag_id INTEGER, value TEXT);"
COUNT = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {}) "


def databases():
    yield "monitors, each with a tag", MONITOR + TAGS + COUNT.format(9999) + (
        "INSERT INTO monitor SELECT i, 'm', 'ping', 'a', NULL FROM n;" + COUNT.format(9999)
        + "INSERT INTO monitor_tag SELECT i, i, 1, 'v' FROM n;" + COUNT.format(9999) + "INSERT INTO tag SELECT 1, hex(zeroblob(400)) FROM n;")
    yield "a recursive view", "CREATE VIEW monitor AS " + COUNT.format(10**12) + "SELECT i AS id FROM n;"
    yield "a computed column", "CREATE TABLE monitor (id INTEGER PRIMARY KEY, name TEXT AS (hex(zeroblob(400000))));" + COUNT.format(9999) + "INSERT INTO monitor (id) SELECT i FROM n;"
    yield "values of 900 KB", MONITOR + COUNT.format(11) + "INSERT INTO monitor SELECT i, zeroblob(900000), 'ping', 'a', NULL FROM n;"
    yield "a value of 10 MB", MONITOR + "INSERT INTO monitor VALUES (1, zeroblob(9990000), 'ping', 'a', NULL);"
    yield "a schema of 60,000 views", MONITOR + "PRAGMA writable_schema=ON;" + COUNT.format(60_000) + (
        "INSERT INTO sqlite_schema SELECT 'view', 'v' || i, 'v' || i, 0, 'CREATE VIEW v' || i || ' AS SELECT " + "1 + " * 25 + "1' FROM n;")
    yield "headers", MONITOR + COUNT.format(9) + (
        "INSERT INTO monitor SELECT i, 'm', 'http', NULL, '{' || (WITH RECURSIVE k(j) AS (SELECT 1 UNION ALL SELECT j + 1 FROM k LIMIT 50000) "
        "SELECT group_concat('\"x-token-' || j || '\":\"a\"') FROM k) || '}' FROM n;")


def write(folder):
    for number, (source, what, text) in enumerate(texts()):
        path = folder / f"{number}-{source}"
        path.write_text(text)
        yield source, what, path
    for number, (what, sql) in enumerate(databases()):
        path = folder / f"{number}.db"
        base = sqlite3.connect(path)
        base.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;" + sql)
        base.close()
        if number == 0:
            pages = bytearray(path.read_bytes())
        yield "uptime-kuma", what, path
    # Bytes all over it are others.
    for place in range(5000, len(pages), 977):
        pages[place] ^= 0xFF
    path = folder / "damaged.db"
    path.write_bytes(pages)
    yield "uptime-kuma", "damaged pages", path


def main():
    agent, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    failed = False
    print("| source | 10 MB of | seconds | answer |\n|---|---|--:|---|")
    for source, what, path in write(folder):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.monotonic()
        try:
            run = subprocess.run(
                [agent, "import", source, str(path), "-o", str(folder / "out.yaml"), "--force"], capture_output=True, text=True,
                timeout=120, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY)))
            code, words = run.returncode, run.stderr.strip().splitlines()
        except subprocess.TimeoutExpired:
            code, words = -1, ["no answer within two minutes"]
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        said = (words[0] if words else "").replace(str(folder) + "/", "").replace("quartz-agent: ", "")
        is_fine = code in (0, 1, 65) and said and took <= LIMIT
        failed = failed or not is_fine
        print(f"| {source} | {what} | {took:.2f} | {'' if is_fine else '**'}{said[:150].replace('|', ' ')}{'' if is_fine else '** ' + str(code)} |", flush=True)
        path.unlink()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
