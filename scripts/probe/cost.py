# SPDX-License-Identifier: MIT
"""What a probe costs, asked of /probe and of blackbox_exporter by turns: processor time of the process, per probe.

Arguments: the agent, an empty folder. The agent should be a release build.
"""

import http.client
import os
import statistics
import sys
import threading
import urllib.parse

import servers
import table

ASKERS = 8
PROBES = 1600
ROUNDS = 5


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ask(port, path, count, failures):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    for _ in range(count):
        connection.request("GET", path)
        answer = connection.getresponse()
        if b"\nprobe_success 1\n" not in answer.read():
            failures.append(path)
    connection.close()


def cost(process, port, path):
    failures = []
    before = processor_seconds(process.pid)
    askers = [threading.Thread(target=ask, args=(port, path, PROBES // ASKERS, failures)) for _ in range(ASKERS)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    if failures:
        raise SystemExit(f"{len(failures)} of {PROBES} probes failed: {path}")
    return (processor_seconds(process.pid) - before) * 1e6 / PROBES


def main():
    agent, folder = sys.argv[1:3]
    farm = servers.Farm(folder)
    ports = farm.ports
    try:
        farm.authority()
        farm.write("blackbox.yml", table.text(ports))
        farm.real()
        farm.write("agent.yaml", f"""
agent: {{name: cost, state_dir: {folder}/state}}
status: {{listen: "127.0.0.1:{ports['agent']}"}}
spool: {{size: 16MiB}}
probe: {{modules: blackbox.yml, trust: local, allow: [127.0.0.1/32]}}
checks: [{{name: a, type: tcp, host: 127.0.0.1, port: {ports['closed']}, interval: 1h}}]
""")
        farm.start("prometheus-blackbox-exporter", f"--config.file={folder}/blackbox.yml",
                   f"--web.listen-address=127.0.0.1:{ports['exporter']}", cwd=folder)
        exporter = farm.processes[-1]
        farm.start(agent, "run", "-c", f"{folder}/agent.yaml")
        ours = farm.processes[-1]
        farm.wait("web", "tls", "dns", "exporter", "agent")
        for module, target in [("http", f"http://127.0.0.1:{ports['web']}/ok"),
                               ("https_http1", f"https://localhost:{ports['tls']}/ok"),
                               ("tcp", f"127.0.0.1:{ports['web']}"), ("dns_a", f"127.0.0.1:{ports['dns']}"),
                               ("icmp", "127.0.0.1")]:
            path = "/probe?" + urllib.parse.urlencode({"module": module, "target": target})
            rounds = [(cost(exporter, ports["exporter"], path), cost(ours, ports["agent"], path))
                      for _ in range(ROUNDS + 1)][1:]
            theirs, mine = (statistics.median(side) for side in zip(*rounds))
            ratio = statistics.median(b / a for a, b in rounds)
            print(f"{module:12} exporter {theirs:7.0f} us   agent {mine:7.0f} us   ratio {ratio:.2f}", flush=True)
        for name, process in [("exporter", exporter), ("agent", ours)]:
            with open(f"/proc/{process.pid}/status") as file:
                print(name, next(line.strip() for line in file if line.startswith("VmRSS")))
    finally:
        farm.stop()


main()
