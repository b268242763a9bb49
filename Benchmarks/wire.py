#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds each phase that a probe reports against the wire, one probe at a time behind a line of a known delay.

Runs in a network namespace of its own (unshare -n) and prints a JSON list: for each probe what it said and what the
line saw, in milliseconds. Usage: wire.py PROBES DELAY FOLDER CERTIFICATE KEY
"""

import json
import pathlib
import subprocess
import sys
import time

import servers

PLAIN, SECURE = 8080, 8443


def nginx(folder, certificate, key):
    (folder / "page").write_bytes(b"needle" + b"x" * 40_000)
    configuration = folder / "wire.conf"
    scratch = "".join(f"{name}_temp_path {folder}/{name};\n"
                      for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    configuration.write_text(f"""
        daemon off; master_process off; pid {folder}/wire.pid; error_log {folder}/wire.log;
        events {{ }}
        http {{ access_log off; {scratch} server {{
          listen 10.99.0.1:{PLAIN}; listen 10.99.0.1:{SECURE} ssl; ssl_protocols TLSv1.3;
          ssl_certificate {certificate}; ssl_certificate_key {key}; root {folder}; }} }}""")
    return subprocess.Popen(["nginx", "-p", str(folder), "-c", str(configuration), "-e", str(folder / "wire.log")])


def main():
    probes, delay, folder, certificate, key = sys.argv[1:]
    folder = pathlib.Path(folder)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    # Half of the round trip each way.
    line = subprocess.Popen([servers.binary("delay_line"), "cable", str(int(delay) // 2), str(PLAIN), str(SECURE)],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert line.stdout.readline() == "ready\n"
    for command in ("ip addr add 10.99.0.1/24 dev cable", "ip link set cable mtu 1500 up"):
        subprocess.run(command.split(), check=True)
    server = nginx(folder, certificate, key)
    try:
        time.sleep(1)
        pairs = []
        for url in (f"http://10.99.0.2:{PLAIN}/page", f"https://10.99.0.2:{SECURE}/page"):
            output = subprocess.run([servers.BENCH, "wire", url, "--count", probes, "--no-verify",
                                     "--contains", "needle"],
                                    check=True, capture_output=True, text=True).stdout
            for reported in map(json.loads, output.splitlines()):
                pairs.append({"reported": reported, "wire": json.loads(line.stdout.readline())})
        print(json.dumps(pairs))
    finally:
        server.kill()
        line.stdin.close()
        line.wait()


if __name__ == "__main__":
    main()
