# SPDX-License-Identifier: MIT
"""The faults: how each is made and mended. Each is called with the world, its own dice and the agents it is for."""

import dataclasses
import time
from typing import Callable

from etcd import Store
from lab import BACKEND, STORE, Lab, Slow


@dataclasses.dataclass
class World:
    lab: Lab
    store: Store
    agents: list
    outside: object
    relay: str
    # A second agent with a name.
    twin: Callable
    ttl: int
    interval: int
    # Two binaries that say different versions.
    versions: tuple
    # At a quarter of the length, for a run of minutes.
    is_short: bool
    record: Callable


@dataclasses.dataclass(frozen=True)
class Kind:
    name: str
    make: Callable
    # How often in 200.
    share: int
    agents: int = 1
    # It is the store's, of which there is one at a time.
    store: bool = False
    # There is no quorum meanwhile.
    away: bool = False
    # Its agents cannot be counted on meanwhile.
    downs: bool = False
    # Every agent is concerned.
    all: bool = False


def killed(world, dice, agents):
    for agent in agents:
        world.record("gone", agent)
        agent.kill()
    time.sleep(dice.choice([dice.uniform(0.5, world.ttl / 2), dice.uniform(world.ttl + 2, 2 * world.ttl)]))
    for agent in agents:
        world.record("back", agent)
        agent.start()
    time.sleep(2)


def stopped(world, dice, agents):
    for agent in agents:
        world.record("stopping", agent)
        agent.stop()
        world.record("stopped", agent)
    time.sleep(dice.uniform(0, world.ttl))
    for agent in agents:
        agent.start()
    time.sleep(2)


def paused(world, dice, agents):
    for agent in agents:
        world.record("gone", agent)
        agent.pause()
    time.sleep(dice.uniform(1, 3) * world.ttl)
    for agent in agents:
        world.record("back", agent)
        agent.resume()
    time.sleep(1)


def cut_from_store(world, dice, agents):
    ways = dice.choice([["out_drop"], ["in_drop"], ["out_drop", "in_drop"], ["out_reset"]])
    for agent in agents:
        for way in ways:
            world.lab.cut(agent.space, way, STORE)
    time.sleep(dice.uniform(0.3, 4) * world.ttl)
    for agent in agents:
        for way in ways:
            world.lab.heal(agent.space, way, STORE)


def cut_from_backend(world, dice, agents):
    way = dice.choice(["out_drop", "in_drop", "out_reset"])
    for agent in agents:
        world.lab.cut(agent.space, way, [BACKEND])
    time.sleep(dice.uniform(1, 3) * world.interval / (2 if world.is_short else 1))
    for agent in agents:
        world.lab.heal(agent.space, way, [BACKEND])


def backend_away(world, dice, _):
    world.outside.mood(dice.choice(["error", "silent", "lost"]))
    time.sleep(dice.uniform(0.7, 2) * world.interval / (2 if world.is_short else 1))
    world.outside.mood("ok")


def no_quorum(world, dice, _):
    pair = dice.sample(range(len(STORE)), 2)
    world.record("store away")
    for number in pair:
        world.store.kill(number)
    time.sleep(20 if world.is_short else dice.choice([dice.uniform(5, 30), 60, 60]))
    for number in pair:
        world.store.start(number)
    world.store.wait_for_leader()
    world.record("store back")


def store_wiped(world, dice, _):
    world.record("store away")
    world.store.wipe()
    time.sleep(dice.uniform(0, world.ttl))
    world.store.start_all()
    world.record("store back")


def kill_leader(world):
    leader = world.store.wait_for_leader()
    world.record("leader dies")
    world.store.kill(leader if leader is not None else 0)
    return leader if leader is not None else 0


def leader_killed(world, dice, agents):
    number = kill_leader(world)
    time.sleep(dice.uniform(2, world.ttl))
    world.store.start(number)
    world.store.wait_for_leader()


def leader_and_member_killed(world, dice, agents):
    before = dice.uniform(0, world.ttl)
    for agent in agents:
        world.record("gone", agent)
        agent.kill()
    time.sleep(before)
    number = kill_leader(world)
    time.sleep(2 * world.ttl + 3 - before / 2)
    world.store.start(number)
    world.store.wait_for_leader()
    for agent in agents:
        world.record("back", agent)
        agent.start()
    time.sleep(2)


def compacted(world, dice, _):
    """What the watches have not seen is gone when they begin again."""
    world.store.compact()
    for agent in world.agents:
        world.lab.break_connections(agent.space, STORE)
    time.sleep(1)


def token_expired(world, dice, agents):
    if dice.random() < 0.5:
        world.store.change_password()
        return
    # Longer than a token lives, shorter than a lease.
    for agent in agents:
        world.lab.cut(agent.space, "out_drop", STORE)
    time.sleep(world.store.token_ttl + 1.1)
    for agent in agents:
        world.lab.heal(agent.space, "out_drop", STORE)


def no_space(world, dice, _):
    world.store.fill()
    time.sleep(dice.uniform(1, 2) * world.ttl / (2 if world.is_short else 1))
    world.store.make_space()


def clock_apart(world, dice, agents):
    for agent in agents:
        agent.stop()
        skew = dice.choice([-90, 90])
        world.record("clock apart", agent, skew)
        agent.start(skew=skew)
    time.sleep((1 if world.is_short else 2) * world.interval)
    for agent in agents:
        agent.stop()
        world.record("clock right", agent)
        agent.start()
    time.sleep(3)


def slow_way(world, dice, agents):
    slow = [Slow(world.lab, agent.space, world.relay) for agent in agents]
    time.sleep(dice.uniform(1, 3) * world.ttl)
    for each in slow:
        each.end(world.lab)


def same_name(world, dice, agents):
    agent, twin = agents[0], world.twin(agents[0].name)
    twin.start()
    time.sleep(world.ttl / 2)
    if dice.random() < 0.5:
        # The second takes the name when the first is gone, and the first waits then.
        world.record("gone", agent)
        agent.kill()
        time.sleep(1.5 * world.ttl)
        world.record("back", agent)
        agent.start()
        time.sleep(2)
    else:
        time.sleep(dice.uniform(0, 2) * world.ttl)
    twin.stop()
    twin.forget()
    time.sleep(world.ttl / 2)


def rolling_agents(world, dice, agents):
    for agent in agents:
        agent.stop()
        agent.start()
        time.sleep(2)


def rolling_store(world, dice, _):
    """The leader last."""
    leader = world.store.wait_for_leader()
    order = [number for number in range(len(STORE)) if number != leader] + ([leader] if leader is not None else [])
    for number in order:
        world.store.stop(number)
        world.record("store member restarted")
        world.store.start(number)
        time.sleep(1)
        world.store.wait_for_leader()


def upgraded(world, dice, agents):
    """One after the other goes on as the other version; meanwhile there are both."""
    for agent in agents:
        agent.binary = next(each for each in world.versions if each != agent.binary)
        agent.stop()
        agent.start()
        time.sleep(world.ttl / 2)


KINDS = [
    Kind("member killed", killed, 24, downs=True),
    Kind("member stopped", stopped, 22, downs=True),
    Kind("member stands still", paused, 22, downs=True),
    Kind("cut from the store", cut_from_store, 24),
    Kind("cut from the backend", cut_from_backend, 16),
    Kind("backend away", backend_away, 8, agents=0, all=True),
    Kind("no quorum", no_quorum, 9, agents=0, store=True, away=True, all=True),
    Kind("store wiped", store_wiped, 7, agents=0, store=True, away=True, all=True),
    Kind("leader killed", leader_killed, 10, agents=0, store=True, all=True),
    Kind("leader and member killed", leader_and_member_killed, 6, store=True, downs=True, all=True),
    Kind("compaction", compacted, 10, agents=0, store=True, all=True),
    Kind("token expired", token_expired, 10),
    Kind("no space", no_space, 5, agents=0, store=True, all=True),
    Kind("clock apart", clock_apart, 5, downs=True),
    Kind("slow way to the store", slow_way, 10),
    Kind("two with one name", same_name, 5, downs=True),
    Kind("agents restarted in turn", rolling_agents, 3, agents=-1, downs=True, all=True),
    Kind("store restarted in turn", rolling_store, 4, agents=0, store=True, all=True),
    Kind("upgrade", upgraded, 2, agents=-1, downs=True, all=True),
]
