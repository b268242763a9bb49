# SPDX-License-Identifier: MIT
"""Which faults may be at once: all, but for what no group of this kind can stand.

That is the store away while an agent and the standby of its checks are dead, so beside a store that is away one agent at
most is down. One fault at a time is made at one agent, and one at the store.
"""

import threading
import time


class Gate:
    def __init__(self, ttl):
        self.ttl = ttl
        self.busy = set()
        self.store_free_at = 0.0
        self.store_busy = False
        self.away = False
        self.away_until = 0.0
        # Agents that cannot be counted on, and until when at least.
        self.down = {}
        self.lock = threading.Lock()

    def enter(self, kind, agents):
        """Whether the fault may begin; then it has."""
        with self.lock:
            now = time.monotonic()
            self.down = {name: until for name, until in self.down.items() if until > now}
            if any(each in self.busy for each in agents):
                return False
            if kind.store and (self.store_busy or now < self.store_free_at):
                return False
            away = self.away or now < self.away_until
            down = len(self.down) + (len(agents) if kind.downs else 0)
            if (away or kind.away) and down > 1:
                return False
            self.busy.update(agents)
            if kind.downs:
                self.down.update({each: float("inf") for each in agents})
            if kind.store:
                self.store_busy, self.away = True, kind.away
            return True

    def leave(self, kind, agents):
        with self.lock:
            now = time.monotonic()
            self.busy.difference_update(agents)
            if kind.downs:
                # One that starts without the store knows after a ttl that it is on its own.
                rest = self.ttl + 2 if self.away or now < self.away_until else 3
                self.down.update({each: now + rest for each in agents})
            if kind.store:
                self.store_busy, self.away = False, False
                self.store_free_at = now + self.ttl + 2
                if kind.away:
                    self.away_until = now + 2 * self.ttl + 2
