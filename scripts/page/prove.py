# SPDX-License-Identifier: MIT
"""scripts/prove-page, once what it needs is there."""

import argparse
import contextlib
import pathlib
import sys
import tempfile
import time
import urllib.parse

import gallery
import public
import scenes
import stories
from browser import Browser, Trouble
from firefox import Firefox
from judges import Judge
from scenes import check_id

WIDTHS, SCHEMES = (320, 390, 768, 1440), ("light", "dark")
# Chromium looks at every width; Firefox at a phone's and a desk's.
NARROW_AND_WIDE = (390, 1440)


class Hall:
    """The browser's tabs, one for each width, and what was judged in them."""

    def __init__(self, browser, judge, shots):
        self.judge, self.shots, self.browser = judge, shots, browser.name
        if browser.name == "Firefox":
            # A tab behind another one is throttled, and no window but the first has the keyboard: one tab, a width after the other.
            tab = browser.tab()
            self.turns = [{width: tab} for width in NARROW_AND_WIDE]
        else:
            self.turns = [{width: browser.tab() for width in WIDTHS}]
        self.tabs = {width: tab for turn in self.turns for width, tab in turn.items()}
        self.pages, self.states = set(), 0

    def see(self, url, name, schemes=SCHEMES):
        """A page at every width, in light and dark. The scheme changes under the same document, as it does at dusk."""
        self.pages.add(name.partition(" (")[0])
        name = name if self.browser == "Chromium" else f"{self.browser}: {name}"
        for tabs in self.turns:
            for width, tab in tabs.items():
                tab.look(width, scheme=schemes[0])
            for tab, number in [(tab, tab.start(url)) for tab in tabs.values()]:
                tab.arrive(number)
            for scheme in schemes:
                for width, tab in tabs.items():
                    tab.look(width, scheme=scheme)
                self.judge.all_of([(tab, f"{width} px {scheme}", width < 600) for width, tab in tabs.items()], name)
                self.states += len(tabs)
                for width, tab in tabs.items():
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


class House:
    """The agents that both browsers look at: with no, eight, thirty and five hundred checks."""

    def __init__(self, options, folder):
        self.target = scenes.Target()
        self.empty, self.few, self.night, self.many = self.all = [
            scenes.Agent(options.binary, folder / name, checks, self.target) for name, checks in (
                ("0", scenes.none), ("8", scenes.eight), ("30", scenes.thirty), ("500", scenes.hundreds))]
        self.shop = public.PublicAgent(options.binary, folder / "shop", self.target)

    def __enter__(self):
        self.target.broken |= {"/flap", "/checkout"} | {f"/down{number}" for number in range(5, 10)}
        for agent in [*self.all, self.shop]:
            agent.begin()
        for agent in [*self.all, self.shop]:
            agent.ready()
        self.shop.settle()
        return self

    def __exit__(self, *_):
        for agent in [*self.all, self.shop]:
            agent.end()


def by_chromium(house, hall, browser):
    """Everything, in every state."""
    target, (empty, few, night, many) = house.target, house.all
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


def by_firefox(house, hall, _browser):
    """Each page as it is then, at two widths: with an incident that is acknowledged and a mute."""
    target, (empty, few, night, many) = house.target, house.all
    hall.judge.can_fail(hall.tabs[390], target.url + "/planted", emulates=False)
    target.broken.discard("/flap")
    nine_down(night)
    hall.see(empty.url + "/", "/ (0 checks)")
    hall.see(night.url + "/", "/ (30 checks, 9 down)")
    hall.see(f"{few.url}/checks/{check_id(3)}", "/checks/ID (outage)")
    hall.see(f"{night.url}/incidents/{night.incidents()[0]['id']}", "/incidents/ID")
    hall.see(night.url + "/wall", "/wall (30 checks, 9 down)")
    hall.see(night.url + "/report", "/report (30 checks)")
    for width, tab in hall.tabs.items():
        tab.look(width)
        tab.open(night.url + "/")
        hall.judge.keyboard(tab, f"Firefox: / (30 checks, 9 down), {width} px", {"skip", "row"}, 12, "row")
    hall.see(f"{night.url}/sign-in", "/sign-in")
    stories.sign_in(tab)
    hall.see(f"{night.url}/act?incident={night.incidents()[0]['id']}", "/act")
    stories.search(hall.judge, tab, few)
    stories.live(hall.judge, tab, many, target)


def nine_down(agent):
    agent.wait_until(lambda: agent.counts()["down"] >= 9 and agent.counts()["pending"] == 0, "nine of thirty checks are down")
    agent.wait_until(lambda: len(agent.incidents()) > 0, "an incident is open")


def on_call(hall, agent):
    """Nine of thirty checks are down: what a phone shows of it, and what can be done there."""
    nine_down(agent)
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
    hall.see(f"{agent.url}/act?incident={agent.incidents()[0]['id']}", "/act")
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
    parser.add_argument("--gallery", type=pathlib.Path)
    parser.add_argument("--url", action="append")
    parser.add_argument("--browser", choices=("chromium", "firefox"))
    options = parser.parse_args()
    if options.gallery:
        return paint(options)
    if options.shots:
        options.shots.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    judge, pages, states = Judge(options.axe.read_text()), set(), 0
    with tempfile.TemporaryDirectory(prefix="prove-page-", ignore_cleanup_errors=True) as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        host = urllib.parse.urlsplit(options.url[0]).hostname if options.url else "127.0.0.1"
        house = None if options.url else stack.enter_context(House(options, folder))
        # One after the other: together they would take the processor from the agents.
        for kind, looks in ((Browser, by_chromium), (Firefox, by_firefox)):
            if options.browser not in (None, kind.name.lower()):
                continue
            begun = time.monotonic()
            with open(folder / f"{kind.name}.log", "wb") as log, contextlib.closing(kind(folder / kind.name, log, host)) as browser:
                try:
                    hall = Hall(browser, judge, options.shots)
                    if options.url:
                        given(options.url, hall)
                    else:
                        looks(house, hall, browser)
                        public.scene(hall, house.shop, house.target, folder)
                except Trouble as trouble:
                    judge.fault(kind.name, str(trouble))
                pages, states = pages | hall.pages, states + hall.states
            print(f"    {kind.name}: {time.monotonic() - begun:.0f} s", flush=True)
        for agent in [*house.all, house.shop] if house else []:
            for line in agent.errors():
                judge.fault("the agent's log", line)
    print(f"{len(pages)} pages, {states} states: {len(judge.faults)} violations, {time.monotonic() - start:.0f} s")
    sys.exit(1 if judge.faults else 0)


def paint(options):
    """The pictures of docs/evidence/page.md, and no judgement."""
    with tempfile.TemporaryDirectory(prefix="prove-page-", ignore_cleanup_errors=True) as name, \
            open(pathlib.Path(name) / "browser.log", "wb") as log:
        folder = pathlib.Path(name)
        with contextlib.closing(Browser(folder / "profile", log)) as browser:
            gallery.make(options.binary, browser, folder, options.gallery)


def given(urls, hall):
    """Pages from wherever they come."""
    for url in urls:
        path = urllib.parse.urlsplit(url).path or "/"
        hall.see(url, path)
        if hall.browser == "Chromium":
            hall.manners(url, path, set())


if __name__ == "__main__":
    main()
