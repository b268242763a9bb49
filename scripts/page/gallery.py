# SPDX-License-Identifier: MIT
"""Pictures for docs/evidence/page.md: each page at two widths in both schemes, and an incident on a phone."""

import json
import time

import public
import scenes
import stories
from past import Past
from pictures import Picture

WIDTHS, SCHEMES = (390, 1440), ("light", "dark")
# Tallest picture, and largest file.
TALLEST, LARGEST = {390: 1700, 1440: 1300}, 60_000
CHECKOUT = scenes.check_id(1)


def checks(target, closed):
    """Those of a shop: one fails, one is slow, one is switched off, one has a maintenance window."""
    names = ["Checkout", "Login", "Search", "Postgres primary", "Image resizer", "Invoices", "Webhooks out", "Old site", "Backup", "Mail in",
             "Mail out", "DNS"]
    more = {2: ", expect: {response_time: {warn: 10ms}}", 8: ", enabled: false"}
    paths = {1: "/checkout", 2: "/slow"}
    lines = [scenes.check(number, name, f'type: http, url: "{target.url}{paths.get(number, f"/wait/{latency(number)}")}"{more.get(number, "")}', "2s",
                          f', tags: [{"mail" if name.startswith("Mail") else "shop"}]' + (scenes.maintenance() if number == 9 else ""))
             for number, name in enumerate(names, 1)]
    lines.append(scenes.check(13, "Cache", f"type: tcp, host: 127.0.1.1, port: {closed}", "2s", ", tags: [back]"))
    return ("\n" + "".join(lines) + f'alerts: {{group_wait: 8s, page_url: "PAGE", channels: [{{name: ops, webhook: "{target.url}/hook"}}]}}\n')


def latency(number):
    """In milliseconds."""
    return 4 + 29 * number % 67


def pasts():
    found = {number: Past(latency=latency(number), down=[(7 * number % 80 + 2, number, 6 * number)], slow=[(5 * number, 11, 40)])
             for number in range(2, 14)}
    found[1] = Past(120, down=[(40, 9.66, 13), (12, 3, 95)], slow=[(70, 11, 130), (0, 0.5, 20)])
    return found


class Duty(scenes.Agent):
    """The agent of the private pages; its notifications link to them."""

    def __init__(self, binary, folder, target):
        super().__init__(binary, folder, checks, target, pasts=pasts(), name="probe-1")
        file = self.folder / "agent.yaml"
        file.write_text(file.read_text().replace("PAGE", self.url))


def make(binary, browser, folder, place):
    """All of them, into `place`. Prints each with its size."""
    place.mkdir(parents=True, exist_ok=True)
    target, tab, total = scenes.Target(), browser.tab(), 0
    target.broken.add("/checkout")
    duty, shop = Duty(binary, folder / "duty", target), public.PublicAgent(binary, folder / "shop", target)
    try:
        for agent in (duty, shop):
            agent.begin()
        for agent in (duty, shop):
            agent.ready()
        shop.settle()
        duty.wait_until(lambda: duty.counts()["down"] == 2 and duty.counts()["pending"] == 0, "two checks are down")
        duty.wait_until(lambda: len(duty.incidents()) == 2, "two incidents are open")
        incident = next(each for each in duty.incidents() if "Checkout" in each["title"])
        pages = {"list": duty.url + "/", "check": f"{duty.url}/checks/{CHECKOUT}", "incident": f"{duty.url}/incidents/{incident['id']}",
                 "wall": duty.url + "/wall", "public": shop.page + "/", "report": duty.url + "/report"}
        for name, url in pages.items():
            for width in WIDTHS:
                for scheme in SCHEMES:
                    tab.look(width, 844 if width == 390 else 900, scheme=scheme)
                    tab.open(url)
                    total += keep(tab, place / f"{name}-{width}-{scheme}.png", width, name != "wall")
        total += incident_on_a_phone(tab, duty, target, place)
    finally:
        duty.end()
        shop.end()
    print(f"    {total} bytes together")


def keep(tab, path, width, full=True):
    tab.wait("!document.body.dataset.live||document.querySelector('#live').textContent.includes('live')", "the page is live")
    # Whatever moves comes to rest.
    time.sleep(0.4)
    tab.shot(path, full)
    picture = Picture(path.read_bytes()).cut(TALLEST[width])
    for colors in (64, 32, 16):
        data = picture.small(colors)
        if len(data) <= LARGEST:
            break
    path.write_bytes(data)
    print(f"    {path.name}: {picture.width} by {picture.height}, {len(data)} bytes", flush=True)
    return len(data)


def incident_on_a_phone(tab, agent, target, place):
    """From the link of the notification until it is resolved."""
    total = 0
    tab.look(390, 844, scheme="dark")
    agent.wait_until(lambda: any("Checkout" in each for each in target.hooks), "the notification of Checkout")
    link = next(words for words in json.dumps([json.loads(each) for each in target.hooks if "Checkout" in each][0]).split('"')
                if "/incidents/" in words)

    def frame(name, *, act=None, holds="true", what="the page shows it"):
        nonlocal total
        if act:
            # What was said before must not be taken for the answer.
            tab.run(f"{act},document.querySelector('#said').replaceChildren()")
        tab.wait(holds, what, 60)
        total += keep(tab, place / f"phone-{name}.png", 390, full=False)

    def press(value):
        return f"document.querySelector('button[value={value}]').click()"

    said = "document.querySelector('#said').textContent.includes('✓')"
    tab.open(link)
    frame("1-opened", holds="document.querySelector('#live').textContent.includes('live')")
    tab.follow("document.querySelector('button[value=ack]')")
    frame("2-sign-in")
    stories.sign_in(tab)
    tab.open(link)
    frame("3-acknowledged", act=press("ack"), holds=said + "&&document.querySelector('main').textContent.includes('acknowledged by')")
    frame("4-run-now", act=press("run"), holds="document.querySelector('#said').textContent.startsWith('✕ DOWN')")
    frame("5-muted", act=press("mute"), holds=said + "&&!!document.querySelector('#said button')")
    frame("6-undone", act="document.querySelector('#said button').click()", holds=said + "&&!!document.querySelector('button[value=mute]')")
    target.broken.discard("/checkout")
    agent.wait_until(lambda: agent.counts()["down"] == 1, "Checkout is up")
    tab.run("document.querySelector('#said').replaceChildren()")
    frame("7-recovering", holds="/ok|up|well|recover/i.test(document.querySelector('#members').textContent)")
    frame("8-resolved", holds="document.querySelector('main .facts').textContent.includes('resolved')")
    return total
