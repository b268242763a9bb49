# SPDX-License-Identifier: MIT
"""The fleet: each agent is a resource, and each way of not being well is in words: on the resource, in an alert, in the view,
and in the answer to the agents that share its key or group."""
from database import ingest
from histories import stamp
from scenarios import expect


def each_trouble_is_in_words(stage):
    def shown():
        return stage.one("select status || ': ' || description from resources where name = 'Agent a1'")

    def alerts():
        return stage.one("select coalesce(string_agg(split_part(alert_key, '/', 2) || '|' || severity || '|' || message, E'\\n' order by alert_key), '') "
                         "from alerts where alert_key like 'agent:%' and resolved_at is null").split("\n")

    def ago(words):
        return int(stage.one(f"select extract(epoch from now() - interval '{words}')::bigint"))

    def contact(**change):
        return stage.post(**dict({"name": "a1", "version": "1.2", "region": "eu-west", "checks": 3, "can": ["list", "fleet"], "have": {"list": 10**9}}, **change))

    contact()
    stage.tick()
    expect(shown(), "up: quartz-agent 1.2 in eu-west, 3 checks. All is well.")
    expect(contact()["fleet"], [])
    # Lossy.
    contact(lost=7, lost_from=ago("3 h"), lost_to=ago("2 h"))
    stage.tick()
    words = "The agent lost 7 results: its store was full or damaged"
    expect(shown(), f"degraded: quartz-agent 1.2 in eu-west, 3 checks. {words}.")
    expect(alerts(), [f"lost|warning|{words}"])
    expect(contact()["fleet"], [{"name": "a1", "is_self": True, "troubles": ["lost"], "words": words}])
    contact(lost=7, lost_from=ago("3 days"), lost_to=ago("2 days"))
    stage.tick()
    expect((shown(), alerts()), ("up: quartz-agent 1.2 in eu-west, 3 checks. All is well.", [""]), "a day later")
    # Late: for five minutes, not for a moment; and with results that wait.
    contact(lag_s=31)
    stage.tick()
    expect(alerts(), [""])
    stage.run("update monitoring_agents set late_since = late_since - interval '5 min'")
    stage.tick()
    words = "Probes of the agent run 31 s late: its machine is too busy, or it has too many checks"
    expect((alerts(), shown()), ([f"late|warning|{words}"], f"degraded: quartz-agent 1.2 in eu-west, 3 checks. {words}."))
    contact(lag_s=0, oldest_s=901)
    stage.tick()
    expect(shown(), "degraded: quartz-agent 1.2 in eu-west, 3 checks. Results of the agent wait for 15 min: see its delivery.")
    contact(lag_s=0, oldest_s=0)
    stage.tick()
    expect(alerts(), [""])
    # The clock.
    now = int(stage.one("select (extract(epoch from now()) * 1000)::bigint"))
    contact(sent_at=stamp(now - 3_600_000))
    stage.tick()
    assert shown().startswith("degraded: quartz-agent 1.2 in eu-west, 3 checks. The clock of the agent is 3600 s behind"), shown()
    contact(sent_at=stamp(int(stage.one("select (extract(epoch from now()) * 1000)::bigint"))))
    stage.tick()
    expect(alerts(), [""])
    # An old list: for a quarter of an hour, while it takes no newer one.
    version = contact()["list"]["version"]
    contact(have={"list": version})
    stage.run(f"update monitoring_checks set url = 'https://new.example/' where id = '{stage.check}'")
    contact(have={"list": version})
    stage.tick()
    stage.run("update monitoring_agents set behind_since = behind_since - interval '20 min'")
    stage.tick()
    [alert] = alerts()
    assert alert.startswith("list|warning|The agent has had an old list of checks since 20") and alert.endswith("changed in the apps is not in force there"), alert
    # One that follows, and is behind again, was not behind for long.
    newer = contact()["list"]["version"]
    stage.run(f"update monitoring_checks set url = 'https://newer.example/' where id = '{stage.check}'")
    contact(have={"list": newer})
    stage.tick()
    expect(alerts(), [""])
    expect(stage.one("select behind_since > now() - interval '1 min' from monitoring_agents"), "t")
    contact(have={"list": contact()["list"]["version"]})
    stage.tick()
    expect(stage.one("select behind_since is null and late_since is null and troubles = '{}' and words is null from monitoring_agents_health"), "t")
    # Silent: nothing else is known then, and what was open stays.
    contact(lost=7, lost_from=ago("3 h"), lost_to=ago("2 h"), have={"list": contact()["list"]["version"]})
    stage.tick()
    stage.run("update monitoring_agents set last_seen = now() - interval '4 min'")
    stage.tick()
    expect([a.split("|")[0] for a in alerts()], ["lost", "silent"])
    assert shown().startswith("down: quartz-agent 1.2 in eu-west, 3 checks. Agent silent since 20") and shown().endswith("its checks do not run."), shown()
    expect(contact(name="a2")["fleet"][0]["troubles"], ["silent"], "who shares the key hears of it")
    expect(contact()["fleet"], [], "and the agent itself nothing: it speaks")
    # Resolved by the next tick; one that is retired is no trouble.
    contact(lost=0)
    stage.tick()
    expect(alerts(), [""])
    stage.run("update monitoring_agents set retired_at = now() where name = 'a1'")
    stage.tick()
    expect(shown(), "unknown: quartz-agent 1.2 in eu-west, 3 checks. Retired.")


def agents_as_people_keep_them(stage):
    """A description that a person wrote stays; a resource that a person deleted comes back; one of an agent that is gone says so."""
    stage.post(name="a\n1\x1b[31m")
    stage.tick()
    expect(stage.one("select name from resources where resource_type = 'agent'"), "Agent a 1 [31m")
    stage.run("update resources set description = 'under my desk' where resource_type = 'agent'")
    stage.run("update monitoring_agents set last_seen = now() - interval '4 min'")
    stage.tick()
    expect(stage.one("select status || ': ' || description from resources where resource_type = 'agent'"), "down: under my desk")
    stage.run("delete from resources where resource_type = 'agent'")
    stage.tick()
    expect(stage.one("select status from resources where resource_type = 'agent'"), "down")
    stage.run("delete from monitoring_agents")
    stage.tick()
    expect(stage.one("select status from resources where resource_type = 'agent'"), "unknown")


def the_fleet_is_for_its_own(stage):
    """Agents of another key hear of a member of their group, and of no other agent."""
    other = stage.one("insert into api_keys (name, key_hash, key_prefix) values ('other', 'o', 'q') returning id")
    stage.run(f"insert into agent_key_scopes (api_key_id) values ('{other}')")
    lost = {"lost": 1, "lost_to": int(stage.one("select extract(epoch from now())::bigint"))}
    stage.post(name="a1", location="london", **lost)
    stage.post(name="a2", **lost)
    stage.tick()

    def heard(key, **agent):
        return [(w["name"], w["is_self"]) for w in stage.service.json(ingest(key, dict({"version": "1", "can": ["fleet"]}, **agent), []))["fleet"]]

    expect(heard(stage.key, name="a1", location="london", **lost), [("a1", True), ("a2", False)])
    expect(heard(other, name="b1"), [])
    expect(heard(other, name="b1", location="london"), [("a1", False)])
    stage.run("update quartz_agent.settings set alerts = 'shadow'")
    assert "fleet" not in stage.post(name="a1", can=["fleet"])


def the_last_of_a_group_falls_silent(stage):
    """While others of its group live it is a warning; once the last one is gone the alert says that the checks do not run."""
    for name in ("a1", "a2"):
        stage.post(name=name, location="london")
    stage.tick()

    def silent(name):
        stage.run(f"update monitoring_agents set last_seen = now() - interval '4 min' where name = '{name}'")
        stage.tick()
        return stage.one("select string_agg(a.severity || ' ' || split_part(a.message, ': ', 2), ', ' order by m.name) from alerts a "
                         "join monitoring_agents m on m.resource_id = a.resource_id where a.resolved_at is null")

    expect(silent("a1"), "warning others of its group run its checks")
    stage.due()
    expect(stage.sent(), ["opened Alert: Agent a1"])
    expect(silent("a2"), "critical its checks do not run, critical its checks do not run")
    expect(stage.sent(), ["escalated Alert: Agent a1"])
    stage.tick()
    expect(stage.claim(), [], "once")
    stage.post(name="a2", location="london")
    expect(silent("a1"), "critical its checks do not run", "what was worse stays so until it ends")
