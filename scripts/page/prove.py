# SPDX-License-Identifier: MIT
"""scripts/prove-page, once what it needs is there."""

import argparse
import pathlib
import sys
import tempfile
import time
import urllib.parse

import scenes
import stories
from browser import Browser, Trouble
from judges import Judge
from scenes import check_id

WIDTHS, SCHEMES = (320, 390, 768, 1440), ("light", "dark")


class Hall:
    """The browser's tabs, one for each width, and what was judged in them."""

    def __init__(self, browser, judge, shots):
        self.judge, self.shots = judge, shots
        self.tabs = {width: browser.tab() for width in WIDTHS}
        self.pages, self.states = set(), 0

    def see(self, url, name, schemes=SCHEMES):
        """A page at every width, in light and dark. The scheme changes under the same document, as it does at dusk."""
        self.pages.add(name.partition(" (")[0])
        for width, tab in self.tabs.items():
            tab.look(width, scheme=schemes[0])
        numbers = [(tab, tab.start(url)) for tab in self.tabs.values()]
        for tab, number in numbers:
            tab.browser.answer(number)
            tab.loaded()
        for scheme in schemes:
            for width, tab in self.tabs.items():
                tab.look(width, scheme=scheme)
            self.judge.all_of([(tab, f"{width} px {scheme}", width < 600) for width, tab in self.tabs.items()], name)
            self.states += len(self.tabs)
            for width, tab in self.tabs.items():
                self.shoot(tab, f"{name}-{width}-{scheme}")

    def shoot(self, tab, name):
        if self.shots:
            kept = "".join(each if each.isalnum() else "-" for each in name).strip("-")
            tab.shot(self.shots / f"{kept}.png", full=True)

    def manners(self, url, name, wanted):
        """Motion, colours and keyboard of a page."""
        tab = self.tabs[1440]
        tab.look(1440, motion="reduce", scheme="light")
        tab.open(url)
        self.judge.still(tab, name)
        for scheme in SCHEMES:
            tab.look(1440, contrast="active", scheme=scheme)
            self.judge.forced(tab, f"{name}, {scheme}")
            self.shoot(tab, f"{name}-forced-{scheme}")
            self.states += 1
        for width in (1440, 390):
            self.tabs[width].look(width)
            self.tabs[width].open(url)
            self.judge.keyboard(self.tabs[width], f"{name}, {width} px", wanted)
            self.states += 1


def agents(options, folder, hall, browser):
    """The agent's own pages, with no, eight and five hundred checks."""
    target = scenes.Target()
    empty, few, night, many = (scenes.Agent(options.binary, folder / name, checks, target) for name, checks in (
        ("0", scenes.none), ("8", scenes.eight), ("30", scenes.thirty), ("500", scenes.hundreds)))
    try:
        target.broken |= {"/flap"} | {f"/down{number}" for number in range(5, 10)}
        for agent in (few, empty, night, many):
            agent.begin()
        for agent in (few, empty, night, many):
            agent.ready()
        pending(hall, many)
        hall.judge.can_fail(hall.tabs[390], target.url + "/planted")
        # An outage that is over, and one that lasts.
        few.wait_until(lambda: few.counts()["down"] >= 2, "checks are down")
        target.broken.discard("/flap")
        few.wait_until(lambda: few.counts()["down"] == 1, "the outage ends")
        plain = browser.tab()
        since = stories.begin_without_script(plain, few)
        hall.see(empty.url + "/", "/ (0 checks)")
        hall.see(few.url + "/", "/ (8 checks)")
        hall.see(few.url + "/?group=tag&state=up&state=down", "/ (8 checks, grouped)", SCHEMES[:1])
        for number, kind in ((3, "outage"), (4, "down"), (5, "off"), (8, "long")):
            hall.see(f"{few.url}/checks/{check_id(number)}", f"/checks/ID ({kind})", SCHEMES if number < 5 else SCHEMES[:1])
        hall.see(f"{few.url}/checks/{check_id(99)}", "no such check", SCHEMES[:1])
        hall.see(f"{few.url}/?state=gone", "no such choice", SCHEMES[:1])
        hall.see(few.url + "/wall", "/wall (1 down)")
        hall.manners(few.url + "/", "/ (8 checks)", {"skip", "count", "search", "filter", "row"})
        hall.manners(f"{few.url}/checks/{check_id(3)}", "/checks/ID (outage)", {"chip", "run"})
        on_call(hall, night)
        stories.end_without_script(hall.judge, plain, since)
        tab = hall.tabs[1440]
        stories.filters(hall.judge, tab, few)
        stories.local_time(hall.judge, tab, few)
        many.wait_until(lambda: many.counts()["pending"] == 0, "each of 500 checks has a verdict")
        hall.see(many.url + "/", "/ (500 checks)")
        stories.live(hall.judge, tab, many, target)
        stories.restart(hall.judge, tab, many)
        stories.frozen(hall.judge, tab, many)
        for agent in (few, empty, night, many):
            for line in agent.errors():
                hall.judge.fault("the agent's log", line)
    finally:
        for agent in (few, empty, night, many):
            agent.end()


def on_call(hall, agent):
    """Nine of thirty checks are down: what a phone shows of it, and what can be done there."""
    agent.wait_until(lambda: agent.counts()["down"] >= 9 and agent.counts()["pending"] == 0, "nine of thirty checks are down")
    agent.wait_until(lambda: len(agent.incidents()) > 0, "an incident is open")
    time.sleep(3)
    tab = hall.tabs[390]
    tab.look(390, 844, scheme="dark")
    tab.open(agent.url + "/")
    hall.judge.measures(tab, "/ (30 checks, 9 down)")
    hall.see(agent.url + "/", "/ (30 checks, 9 down)")
    hall.see(agent.url + "/wall", "/wall (30 checks, 9 down)")
    hall.judge.wall(tab, agent.url + "/wall")
    hall.see(agent.url + "/report", "/report (30 checks)")
    hall.see(f"{agent.url}/incidents/{agent.incidents()[0]['id']}", "/incidents/ID")
    stories.acts(hall.judge, tab, agent, hall.shoot)
    stories.elsewhere(hall.judge, tab, agent, "Checkout API · payment provider callback (Stripe → ledger), EU-West")
    stories.frozen(hall.judge, tab, agent, f"/incidents/{agent.incidents()[0]['id']}")
    hall.see(f"{agent.url}/sign-in", "/sign-in")
    hall.see(agent.url + "/", "/ (30 checks, acknowledged and muted)")


def pending(hall, agent):
    """Before their first run checks are to be found as pending, in the browser too."""
    tab = hall.tabs[1440]
    tab.open(agent.url + "/?state=pending")
    shown = tab.run("""({rows:document.querySelectorAll("#list [data-check]").length,words:[...document.querySelectorAll("#list .state")]
        .every(e=>e.textContent.includes("PENDING")),chip:document.querySelector("#chips [aria-current]").textContent})""")
    if not shown["rows"] or not shown["words"] or "Pending" not in shown["chip"]:
        hall.judge.fault("/?state=pending", str(shown))


def main():
    parser = argparse.ArgumentParser(prog="prove-page")
    parser.add_argument("--binary", required=True)
    parser.add_argument("--axe", type=pathlib.Path, required=True)
    parser.add_argument("--shots", type=pathlib.Path)
    parser.add_argument("--url", action="append")
    options = parser.parse_args()
    if options.shots:
        options.shots.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    judge = Judge(options.axe.read_text())
    with tempfile.TemporaryDirectory(prefix="prove-page-", ignore_cleanup_errors=True) as name, \
            open(pathlib.Path(name) / "browser.log", "wb") as log:
        folder = pathlib.Path(name)
        host = urllib.parse.urlsplit(options.url[0]).hostname if options.url else "127.0.0.1"
        browser = Browser(folder / "profile", log, host)
        try:
            hall = Hall(browser, judge, options.shots)
            if options.url:
                for url in options.url:
                    hall.see(url, urllib.parse.urlsplit(url).path or "/")
                    hall.manners(url, urllib.parse.urlsplit(url).path or "/", set())
            else:
                agents(options, folder, hall, browser)
        except Trouble as trouble:
            judge.fault("the browser", str(trouble))
        finally:
            browser.close()
    print(f"{len(hall.pages)} pages, {hall.states} states: {len(judge.faults)} violations, {time.monotonic() - start:.0f} s")
    sys.exit(1 if judge.faults else 0)


if __name__ == "__main__":
    main()
