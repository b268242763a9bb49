# SPDX-License-Identifier: MIT
"""The backend is away for a day: the live lane goes on when it is back, and the day comes as backlog, in any order, with the database
killed meanwhile. The past is told to nobody, is true to the second, and changes nothing when it comes again."""
import random

import histories
import oracle
from database import Refused, connect, ingest

DAY = 24 * 60
BEFORE, AFTER = 30, 15


class Days(histories.World):
    """A day and a little more of some checks."""

    def __init__(self, dice, session, checks):
        super().__init__(dice, session, checks, BEFORE + DAY + AFTER)

    def parts(self):
        """Rows before the outage, in it, and after it, each in their order: (row, check)."""
        cuts = [self.begin + minutes * oracle.MINUTE for minutes in (BEFORE, BEFORE + DAY)]
        every = sorted((row, check) for check, rows in self.rows.items() for row in rows)
        return [[pair for pair in every if low <= pair[0][0] < high]
                for low, high in ((0, cuts[0]), (cuts[0], cuts[1]), (cuts[1], 1 << 62))]


class Post:
    """Batches of one agent each; the same again until the database has answered."""

    def __init__(self, world, folder):
        self.world, self.folder, self.session = world, folder, connect(folder, "service_role")

    def batch(self, pairs, lane):
        for agent, place in zip(self.world.agents, self.world.places):
            rows = [self.world.wire(check, row) for row, check in pairs if row[2] == place]
            if rows:
                self.until_answered(ingest(self.world.key, dict(agent, lane=lane), rows), len(rows))

    def until_answered(self, sql, count):
        while True:
            try:
                said = self.session.json(sql)
            except Refused as error:
                if error.code[:2] not in ("08", "57", "40", "55"):
                    raise
                self.session.close()
                self.session = connect(self.folder, "service_role")
                continue
            assert said["accepted"] + said["duplicates"] == count and not said["rejected"], said
            return


def settle(folder):
    session = connect(folder)
    while session.ask("select count(*) from quartz_agent.dirty") != "0":
        session.ask("select quartz_agent.tick('20 s', '0')")
    return session


def alerts(session):
    return session.ask("select coalesce(string_agg(concat_ws('|', alert_key, triggered_at, resolved_at, first_failed_at, occurrences, resolution), E'\\n' "
                       "order by alert_key, triggered_at, id), '') from alerts where alert_key not like 'agent:%'")


def run(folder, say, seed, checks, server, kills):
    session = connect(folder)
    session.ask("truncate resources, api_keys, incidents, alert_rules, notification_channels cascade")
    session.ask("insert into notification_channels (name, channel_type) values ('a', 'slack')")
    session.ask("update quartz_agent.settings set alerts = 'on', last_tick = now()")
    dice = random.Random(f"{seed} outage")
    world = Days(dice, session, checks)
    session.close()
    before, away, after = world.parts()
    post = Post(world, folder)
    for start in range(0, len(before), 200):
        post.batch(before[start:start + 200], "live")
    backlog = [("backlog", away[start:start + 500]) for start in range(0, len(away), 500)]
    live = [("live", after[start:start + 50]) for start in range(0, len(after), 50)]
    dice.shuffle(backlog)
    when = set(dice.sample(range(len(backlog) + len(live)), min(kills, len(backlog))))
    # Both lanes at once; within the live one the order is that of time.
    order = [0] * len(backlog) + [1] * len(live)
    dice.shuffle(order)
    queues = [iter(backlog), iter(live)]
    for number, lane in enumerate(order):
        if number in when:
            server.kill()
            server.start()
        name, pairs = next(queues[lane])
        post.batch(pairs, name)
    session = settle(folder)
    same, wrong = histories.compare(world, session)
    broken = [f"{n} {words}" for words, n in histories.invariants(session) if n]
    first = alerts(session)
    told = session.ask("select count(*) from alert_notifications n join alerts a on a.id = n.alert_id where a.resolved_at < now() - interval '1 h' "
                       f"and a.triggered_at > to_timestamp({(world.begin + BEFORE * oracle.MINUTE) / 1000}) and n.state <> 'dropped'")
    session.close()
    dice.shuffle(backlog)
    for name, pairs in backlog:
        post.batch(pairs, name)
    session = settle(folder)
    again = alerts(session) == first
    session.close()
    say(f"a day away: {len(before) + len(away) + len(after)} rows, {len(when)} kills of the database; {same} alerts as the oracle says, {len(wrong)} checks are not; "
        f"{told} messages about the past; {'the same' if again else 'OTHERS'} after all of it again; {', '.join(broken) or 'none open twice'}")
    for check, kind, shape, wanted, got in wrong[:3]:
        say(f"check {check} {kind} {shape}\n      wanted {wanted}\n      got    {got}")
    return not wrong and not broken and again and told == "0" and same > 0
