# SPDX-License-Identifier: MIT
"""One agent is killed: what the others, their metrics and the backend say of it, word for word."""

import time

from judge import lines
from lab import in_space, run


def metrics(agent):
    page = run(*in_space(
        agent.space, "curl", "-s", "--unix-socket", f"{agent.folder}/state/agent.sock", "http://localhost/metrics")).stdout
    return "\n".join(line for line in page.splitlines() if line.startswith("quartz_group_"))


def tell(title, text):
    print(f"$ {title}\n{text.rstrip()}\n", flush=True)


def show(world, folder):
    time.sleep(world.interval)
    witness, victim = world.agents[0], world.agents[2]

    def group(title):
        tell(f"quartz-agent group          # on {witness.name}, {title}", witness.ask("group"))
        text = "\n".join(line for line in witness.ask("status").splitlines() if "group" in line)
        tell("quartz-agent status | grep group", text)
        tell("curl .../metrics | grep ^quartz_group_", metrics(witness))

    group("before")
    rows = lines(f"{folder}/probes.ndjson")
    mine = {each["check"]: each["from"] for each in rows}
    death = time.time()
    victim.kill()
    tell(f"kill -KILL {victim.name}", time.strftime("%H:%M:%S", time.gmtime(death)))
    time.sleep(world.ttl + 2)
    group(f"{world.ttl + 2} s later")
    tell(f"grep group: {witness.name}.log", "\n".join(
        line for line in open(f"{witness.folder}/log").read().splitlines() if "group:" in line)[-1500:])
    time.sleep(world.interval)
    checks = sorted(check for check, address in mine.items() if address == victim.address)[:3]
    text = []
    for row in lines(f"{folder}/rows.ndjson"):
        if row["check"] in checks and row["at"] > death - world.interval:
            text.append(
                f"check {row['check']:3}  due {row['slot']}  begun {row['checked']}  by {row['agent']}  {row['status']}  "
                f"{row['id']}  {'stored' if row['new'] else 'known already'}")
    tell(f"rows of three of {victim.name}'s checks", "\n".join(sorted(text)))
    victim.start()
    time.sleep(5)
    group(f"5 s after {victim.name} was started again")
    for agent in world.agents:
        agent.stop()
    return 0
