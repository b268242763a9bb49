# SPDX-License-Identifier: MIT
"""What somebody does with the page, in a real browser: each story ends with the faults it found."""

import signal
import subprocess
import time

from browser import Trouble
from scenes import TOKEN, check_id

FLAPPING = check_id(1)
STATES = ["up", "down", "degraded", "unknown", "pending", "stale", "maintenance", "off"]
ROWS = "[...document.querySelectorAll('#list [data-check]')].map(e=>e.dataset.check)"
# What must be as it was, however much changed round it.
KEPT = """({mark:window.__mark,typed:document.querySelector("input[type=search]").value,focus:document.activeElement.type,
at:document.activeElement.selectionStart,open:document.querySelector("#checks .filter").open,
y:scrollY,top:Math.round(document.querySelector("input[type=search]").getBoundingClientRect().top),
loads:performance.getEntriesByType("navigation").length,origin:performance.timeOrigin})"""
SEEN = """({title:document.title,banner:document.querySelector("#hero").textContent,
down:document.querySelector("#counts a[href*=down] b").lastChild.data.trim(),chip:document.querySelector("#chips a[href*=down] .num").textContent,
row:document.querySelector("[data-check='ID'] .state")?.textContent.trim()})""".replace("ID", FLAPPING)


def keeps(judge, where, tab, kept):
    """What somebody does is as it was; what he reads stands where it stood, even if something grew above it."""
    now = tab.run(KEPT)
    if kept["y"] == now["y"] or abs(kept["top"] - now["top"]) < 2:
        now |= {"y": kept["y"], "top": kept["top"]}
    if now != kept:
        judge.fault(where, f"was {kept}, is {now}")


def live(judge, tab, agent, target):
    """A check goes down and up again while somebody reads, types and has something open."""
    where = "live"
    tab.look(1440, 700)
    tab.open(agent.url + "/?q=flapping&tag=flap")
    tab.wait("document.querySelector('#live').textContent.includes('◉ live')", "the page says that it is live")
    tab.wait(f"document.querySelector(\"[data-check='{FLAPPING}'] .state\")?.textContent.includes('UP')", "the check is up")
    tab.run("""window.__mark=7,document.querySelector("#checks .filter").open=true,scrollTo(0,240),
        document.querySelector("input[type=search]").focus({preventScroll:true})""")
    tab.type(" half-typ")
    kept, before = tab.run(KEPT), tab.run(SEEN)
    down = int(before["down"])
    target.broken.add("/flap")
    changed = f"""document.title.startsWith("{down + 1} down")&&document.querySelector("#hero").textContent.includes("{down + 1} down")
        &&document.querySelector("#counts a[href*=down] b").lastChild.data.trim()==="{down + 1}"
        &&document.querySelector("#chips a[href*=down] .num").textContent==="{down + 1}"
        &&document.querySelector("[data-check='{FLAPPING}'] .state").textContent.includes("DOWN")"""
    start = time.monotonic()
    try:
        tab.wait(changed, "row, banner, card, chip and title change in place")
        taken = time.monotonic() - start
        print(f"    live: a failure was on the page {taken:.1f} s after it began, with row, banner, counts and title")
    except Trouble as trouble:
        judge.fault(where, f"{trouble}; before {before}, now {tab.run(SEEN)}")
    keeps(judge, where, tab, kept)
    target.broken.discard("/flap")
    try:
        tab.wait(f"document.title.startsWith('{down} down')", "it is up again on the page")
    except Trouble as trouble:
        judge.fault(where, str(trouble))
    keeps(judge, where + ", up again", tab, kept)


def restart(judge, tab, agent):
    """The stream breaks: the page says so, and is live again by itself once the agent is."""
    where = "restart"
    kept = tab.run(KEPT)
    agent.end()
    try:
        tab.wait("document.querySelector('#live').textContent.includes('not live')", "the page says that it is not live")
        agent.begin()
        agent.ready()
        tab.wait("document.querySelector('#live').textContent.includes('◉ live')", "the page is live again", 30)
        tab.wait(f"document.querySelector(\"[data-check='{FLAPPING}'] .state\")?.textContent.includes('UP')", "the rows are back")
    except Trouble as trouble:
        judge.fault(where, str(trouble))
    keeps(judge, where, tab, kept)


def frozen(judge, tab, agent, path="/"):
    """An agent that stands still closes no connection: the page says so within 14 s, and is live again by itself."""
    where = f"frozen, {path.split('/')[1] or 'start page'}"
    if path != "/":
        tab.open(agent.url + path)
        tab.wait("document.querySelector('#live').textContent.includes('◉ live')", "the page is live")
    start = time.monotonic()
    agent.process.send_signal(signal.SIGSTOP)
    try:
        tab.wait("document.querySelector('#live').textContent.includes('not live')", "the page says that it is not live", 20)
        taken = time.monotonic() - start
        print(f"    {where}: the page said that it is not live after {taken:.1f} s")
        if taken > 14:
            judge.fault(where, f"the page said so after {taken:.1f} s, not within 14 s")
        # Of one page: the style is the same on all, and 500 rows take axe long.
        for scheme in ("light", "dark") if path != "/" else ():
            tab.look(390, 844, scheme=scheme)
            judge.all_of([(tab, f"not live, {scheme}", True)], where)
    except Trouble as trouble:
        judge.fault(where, str(trouble))
    finally:
        agent.process.send_signal(signal.SIGCONT)
    try:
        tab.wait("document.querySelector('#live').textContent.includes('◉ live')", "the page is live again", 40)
    except Trouble as trouble:
        judge.fault(where, str(trouble))


def elsewhere(judge, tab, agent, name):
    """A mute and an acknowledgement by command are on the page that is open, in the row and among what is handled."""
    where, row = "elsewhere", f"document.querySelector(\"[data-check='{FLAPPING}']\")"
    tab.open(agent.url + "/")
    tab.wait("document.querySelector('#live').textContent.includes('◉ live')", "the page is live")
    tab.run("window.__mark=8")
    steps = [
        (("mute", name, "1h", "--by", "ben"), f"{row}.textContent.includes('muted')&&document.querySelector('#handled').textContent.includes('ben')", "a mute"),
        (("unmute", name), f"!{row}.textContent.includes('muted')", "the end of a mute"),
    ]
    open_ones = [each for each in agent.incidents() if not each.get("acknowledged_by")]
    if open_ones:
        steps.append((("ack", open_ones[0]["id"], "--by", "ben"),
                      "document.querySelector('#incidents,.incident').closest('main').textContent.includes('ben')", "an acknowledgement"))
    for arguments, holds, what in steps:
        done = subprocess.run([agent.binary, *arguments, "--config", str(agent.folder / "agent.yaml")], capture_output=True, text=True)
        if done.returncode:
            judge.fault(where, f"{arguments}: {done.stdout}{done.stderr}")
            continue
        try:
            tab.wait(f"window.__mark===8&&({holds})", f"{what} by command is on the page that is open", 15)
        except Trouble as trouble:
            judge.fault(where, str(trouble))


def sign_in(tab):
    for field, text in (("token", TOKEN), ("name", "anna")):
        tab.run(f"document.querySelector('#{field}').focus()")
        tab.type(text)
    tab.follow("document.querySelector('form[action=\"/sign-in\"] button')")


def acts(judge, tab, agent, shoot):
    """From a phone: sign in once, acknowledge, mute, take it back, run; each is told and shown, with a script and without."""
    where = "acts"
    tab.look(390, 844, scheme="dark")
    tab.open(agent.url + "/")
    tab.follow("document.querySelector('.incident button[value=ack]')")
    if "/sign-in" not in tab.run("location.pathname"):
        judge.fault(where, f"leads to {tab.run('location.href')} without a session")
        return
    shoot(tab, "sign-in-390-dark")
    sign_in(tab)
    if tab.run("document.cookie") or tab.run("location.pathname") != "/":
        judge.fault(where, f"the cookie is seen by scripts, or the way back is {tab.run('location.href')}")

    def press(button, holds, what):
        # What was said before must not be taken for the answer.
        tab.run(f"document.querySelector({button!r}).click(),document.querySelector('#said').replaceChildren()")
        try:
            # A run that found the check down was made, too.
            tab.wait("/✓|✕ DOWN/.test(document.querySelector('#said').textContent)", what + " is told")
            shoot(tab, f"{what}-390-dark")
            agent.wait_until(holds, what, 10)
        except (Trouble, SystemExit) as trouble:
            judge.fault(where, f"{trouble}; said {tab.run('document.querySelector(`#said`).textContent')!r}")

    press(".incident button[value=ack]", lambda: any(each.get("acknowledged_by") == "anna" for each in agent.incidents()), "acknowledge")
    tab.run("document.querySelectorAll('.incident').forEach(e=>e.open=true)")
    press(".incident button[value=mute]", lambda: agent.mutes(), "mute")
    press("#said button", lambda: not agent.mutes(), "undo")
    press(".incident button[value=run]", lambda: True, "run")
    # As a browser without scripts sends it: the form itself.
    tab.open(agent.url + "/")
    tab.run("HTMLFormElement.prototype.plain=HTMLFormElement.prototype.submit")
    tab.run("(()=>{const b=document.querySelector('.incident button[value=mute]'),f=b.form,h=document.createElement('input');"
            "h.type='hidden';h.name='do';h.value='mute';f.append(h);f.plain()})()")
    try:
        agent.wait_until(lambda: agent.mutes(), "a form without script mutes", 10)
        tab.wait("document.querySelector('#handled').textContent.includes('Unmute')", "the page shows the mute")
    except (Trouble, SystemExit) as trouble:
        judge.fault(where, str(trouble))


def begin_without_script(tab, agent):
    tab.scripts(False)
    tab.open(agent.url + "/")
    tab.events.clear()
    return time.monotonic()


def end_without_script(judge, tab, since):
    """By meta refresh, every 15 s."""
    # What lay between may have taken longer than that.
    deadline, loads = max(since + 60, time.monotonic() + 1), 0
    while not loads and time.monotonic() < deadline:
        time.sleep(0.2)
        loads = len(tab.happened("Page.loadEventFired"))
    if not loads:
        judge.fault("without script", "the page was not fetched again within 60 s")
    tab.scripts(True)


def search(judge, tab, agent):
    """A word in another script is typed and sent with the Enter key."""
    tab.look(1440)
    tab.open(agent.url + "/?state=down&state=off")
    tab.run("document.querySelector('input[type=search]').focus()")
    seek(tab, "قاعدة")
    found, shown = tab.run("location.search"), tab.run(ROWS)
    if shown != [check_id(4)] or "state=down" not in found:
        judge.fault("search", f"{found} shows {shown}")


def seek(tab, text):
    tab.type(text)
    tab.run("window.__here=1")
    tab.press("Enter")
    tab.wait("!window.__here&&document.readyState==='complete'", "the search")


def filters(judge, tab, agent):
    """Each choice by its address and by its chip, alone and with others; the way back."""
    tab.look(1440)

    def shows(query, where):
        # What runs every second may move between two questions: the page is right if it is right once.
        wanted = shown = None
        for _ in range(5):
            wanted, shown = agent.checks(query), tab.run(ROWS)
            if sorted(wanted) == sorted(set(shown)):
                return
            time.sleep(1)
            tab.run("window.__here=1,location.reload()")
            tab.wait("!window.__here&&document.readyState==='complete'", "the page comes again")
        judge.fault(where, f"shows {shown}, should show {wanted}")

    for state in STATES:
        tab.open(f"{agent.url}/?state={state}")
        shows(f"state={state}", f"/?state={state}")
        tab.open(agent.url + "/")
        if tab.run(f"!!document.querySelector('#chips a[href*=\"state={state}#\"]')"):
            tab.follow(f"document.querySelector('#chips a[href*=\"state={state}#\"]')")
            shows(f"state={state}", f"the chip {state}")
        elif state not in ("pending", "stale"):
            judge.fault("chips", f"none for {state}")
    tab.open(agent.url + "/")
    tab.follow("[...document.querySelectorAll('#tags a')].find(a=>a.textContent.startsWith('db '))")
    shows("tag=db", "the chip of a tag")
    tab.follow("[...document.querySelectorAll('#tags a')].find(a=>a.textContent.startsWith('prod '))")
    shows("tag=db&tag=prod", "the chips of two tags")
    tab.follow("[...document.querySelectorAll('#chips a')].find(a=>a.textContent.includes('Down'))")
    tab.follow("[...document.querySelectorAll('#chips a')].find(a=>a.textContent.includes('Off'))")
    shows("tag=db&tag=prod&state=down&state=off", "two tags and two states")
    tab.follow("[...document.querySelectorAll('#tags a')].find(a=>a.textContent==='Group by tag')")
    shows("tag=db&tag=prod&state=down&state=off", "the same, grouped")
    if len(tab.run("[...document.querySelectorAll('#list h3')].map(e=>e.textContent)")) < 2:
        judge.fault("grouping", "there are no headings")
    address = tab.run("location.href")
    tab.run("document.querySelector('input[type=search]').focus()")
    seek(tab, "قاعدة")
    found = tab.run("location.search")
    for part in ("tag=db", "tag=prod", "state=down", "state=off", "group=tag"):
        if part not in found:
            judge.fault("search", f"{part} is lost: {found}")
    if tab.run(ROWS) != [check_id(4)]:
        judge.fault("search", f"shows {tab.run(ROWS)}")
    tab.run("history.back()")
    try:
        tab.wait(f"location.href==={address!r}&&document.readyState==='complete'", "the way back")
    except Trouble as trouble:
        judge.fault("back", str(trouble))
    shows("tag=db&tag=prod&state=down&state=off", "back")


def local_time(judge, tab, agent):
    """The reader's own time stands beside UTC, not instead of it."""
    tab.call("Emulation.setTimezoneOverride", timezoneId="Asia/Kathmandu")
    tab.open(f"{agent.url}/checks/{check_id(3)}")
    shown = tab.run("""({clock:document.querySelector(".clock").textContent,cell:document.querySelector("td.n").textContent,
        time:document.querySelector("td.n time").dateTime})""")
    hour, minute = int(shown["time"][11:13]), int(shown["time"][14:16])
    own = f"{(hour + 5 + (minute + 45) // 60) % 24:02}:{(minute + 45) % 60:02}"
    if shown["time"][11:19] not in shown["cell"] or own not in shown["cell"] or "local" not in shown["cell"]:
        judge.fault("local time", str(shown))
    if "UTC" not in shown["clock"] or "local" not in shown["clock"]:
        judge.fault("local time", str(shown))
    tab.call("Emulation.setTimezoneOverride", timezoneId="UTC")
