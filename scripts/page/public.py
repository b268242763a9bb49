# SPDX-License-Identifier: MIT
"""The public page: services that fail, a post with updates, announced maintenance, 90 days; and what a reader does with it."""

import datetime
import json
import subprocess
import urllib.parse
import urllib.request

import pictures
from browser import Trouble
from judges import BROKEN, SHAPE
from past import Past
from scenes import TOKEN, Agent, check, free_port

HIDDEN = "Behind the scenes"
ARABIC = "قاعدة البيانات"
# Days ago, and for how long in minutes, that Checkout was down: what the day's words must say.
OUTAGE_AGE, OUTAGE_MINUTES = 40, 13
PASTS = {
    1: Past(38, down=[(61, 14, 4)], slow=[(33, 8, 50)]),
    2: Past(120, down=[(OUTAGE_AGE, 9.66, OUTAGE_MINUTES), (12, 3, 95)], slow=[(70, 11, 130)]),
    3: Past(90, slow=[(5, 18, 45), (4, 18, 60)]),
    4: Past(12, down=[(55, 1, 22)]),
    5: Past(60, days=47),
    6: Past(45, down=[(20, 22, 240)]),
}
HERO = "document.querySelector('.hero h1').textContent"
TIP = "document.querySelector('.tip')?.textContent||''"
STRIP = "document.querySelectorAll('.strip')[1]"


def services(target, _closed):
    tomorrow = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
    window = f", maintenance: [{{start: {tomorrow:%Y-%m-%d}T22:00, duration: 2h}}]"
    slow = "expect: {response_time: {warn: 10ms}}"
    return "\n" + "".join([
        check(1, "Shop front", f'type: http, url: "{target.url}/"', more=', tags: ["service:shop"]'),
        check(2, "Checkout", f'type: http, url: "{target.url}/checkout"', more=', tags: ["service:shop"]'),
        check(3, "Login", f'type: http, url: "{target.url}/slow", {slow}', more=', tags: ["service:shop"]'),
        check(4, ARABIC, f'type: http, url: "{target.url}/db"', more=', tags: ["service:shop"]'),
        check(5, "Mail", f'type: http, url: "{target.url}/mail"', more=', tags: ["service:mail"]'),
        check(6, "Calendar", f'type: http, url: "{target.url}/calendar"', more=', tags: ["service:mail"]' + window),
        check(7, HIDDEN, f'type: http, url: "{target.url}/hidden"', more=", tags: [internal]"),
    ])


class PublicAgent(Agent):
    def __init__(self, binary, folder, target):
        self.public_port = free_port()
        self.page = f"http://127.0.0.1:{self.public_port}"
        public = (f', public: {{listen: "127.0.0.1:{self.public_port}", title: Example Shop, groups: ["service:shop", '
                  '{tag: "service:mail", title: Mail and calendar}], links: [{title: Help, url: "https://shop.example/help"}], '
                  'imprint: "https://shop.example/imprint"}')
        super().__init__(binary, folder, services, target, public, PASTS)

    def tell(self):
        """A post by command, and its update by the API."""
        done = subprocess.run([self.binary, "post", "Payments are failing", "--text", "Checkout fails for some customers.", "--for", "Checkout", "--by", "anna", "--config",
                               str(self.folder / "agent.yaml")], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"error: post: {done.stdout}{done.stderr}")
        post = json.loads(self.get("/api/v1/posts"))["data"][0]["id"]
        query = urllib.parse.urlencode({"text": "Orders are kept and charged later.", "state": "identified", "by": "anna"})
        request = urllib.request.Request(f"{self.url}/api/v1/posts/{post}/update?{query}", method="POST",
                                         headers={"Authorization": f"Bearer {TOKEN}"})
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20):
            pass

    def settle(self):
        """Until Checkout is down, Login slow, and the page, which is made every 5 s, says so."""
        self.wait_until(lambda: self.counts()["pending"] == 0 and self.counts()["down"] == self.counts()["degraded"] == 1,
                        "Checkout is down and Login is slow")
        self.tell()
        self.wait_until(lambda: all(word in self.read() for word in ("charged later", "is down", "is slow")), "the page says it")

    def read(self):
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(self.page, timeout=20) as answer:
            return answer.read().decode()


def scene(hall, agent, target, folder):
    """The page in a browser, whichever it is."""
    judge, where = hall.judge, f"{hall.browser}: public page"
    hall.see(agent.page + "/", "public page")
    narrow, wide = min(hall.tabs), hall.tabs[1440]
    phone = hall.tabs[narrow]
    for step in (content, keyboard, languages, parts):
        try:
            wide.look(1440)
            step(judge, where + ", " + step.__name__, wide, agent, target, folder)
        except Trouble as trouble:
            judge.fault(f"{where}, {step.__name__}", str(trouble))
    for step in (finger, plain):
        try:
            phone.look(320)
            step(judge, where + ", " + step.__name__, phone, agent)
        except Trouble as trouble:
            judge.fault(f"{where}, {step.__name__}", str(trouble))
    try:
        # Firefox runs no script in a page that was there while scripts were off.
        wide.open(agent.page + "/")
        wide.look(1440)
        gone(judge, where + ", gone", wide, agent)
    except Trouble as trouble:
        judge.fault(f"{where}, gone", str(trouble))


def gone(judge, where, tab, agent):
    """Page and widget say after two minutes without an answer that they are not updated, and not before; with the next answer they take it back."""
    shown = {"": "document.querySelector('.hero').textContent+document.querySelector('.hero').className",
             "/widget": "document.querySelector('a').textContent+document.querySelector('a').className"}
    for path, words in shown.items():
        tab.open(agent.page + path)
        # An answer may be used for 30 s, and a page asks each 60 s.
        tab.run("(window.fetch=(ask=>(url,how)=>ask(url,{...how,cache:'no-store'}))(fetch),true)")
        agent.end()
        found = [tab.run(words)]
        for _ in range(2):
            tab.run("__minute()")
            found.append(tab.run(words))
        agent.begin()
        agent.ready()
        tab.run("__minute()")
        found.append(tab.run(words))
        said = ["not being updated" in each and "t-unknown" in each for each in found]
        must(judge, where + path, said_after_two_and_taken_back=(said == [False, False, True, False], found))


def must(judge, where, **held):
    for name, (is_so, found) in held.items():
        if not is_so:
            judge.fault(where, f"{name.replace('_', ' ')}: {found}")


def content(judge, where, tab, agent, *_):
    """The sentence with names, sections by title, 90 days with their legend, post, maintenance; nothing else."""
    tab.open(agent.page + "/")
    page = tab.run("""({hero:document.querySelector(".hero").textContent,title:document.title,
        headings:[...document.querySelectorAll("h2")].map(e=>e.textContent),days:[...document.querySelectorAll(".strip")].map(e=>e.dataset.days.length),
        legend:[...document.querySelectorAll(".legend svg")].length,post:[...document.querySelectorAll(".post b")].map(e=>e.textContent),
        said:document.querySelector(".post").textContent,planned:document.querySelector(".news").textContent,
        ways:[...document.querySelectorAll("bdi")].filter(e=>/[\\u0600-\\u06ff]/.test(e.textContent)).map(e=>getComputedStyle(e).unicodeBidi),
        text:document.documentElement.outerHTML})""")
    must(judge, where,
         sentence=("Checkout is down" in page["hero"] and "Login is slow" in page["hero"] and "of 6 services" in page["hero"], page["hero"]),
         title=("Checkout is down" in page["title"], page["title"]),
         section_titles=({"shop", "Mail and calendar"} <= {each if each != "Shop" else "shop" for each in page["headings"]}, page["headings"]),
         ninety_days=(page["days"] == [90] * 6, page["days"]),
         legend=(page["legend"] == 5, page["legend"]),
         post_and_update=(page["post"] == ["Identified", "Investigating"] and "charged later" in page["said"], page["post"]),
         announced_maintenance=("Calendar" in page["planned"], page["planned"]),
         right_to_left=(page["ways"] and set(page["ways"]) == {"isolate"}, page["ways"]),
         private_words=(not any(word in page["text"] for word in (HIDDEN, "503", "anna", agent.page.replace(str(agent.public_port), str(target_port(agent))))),
                        "a hidden check, a message, an author or a target is on the page"))


def target_port(agent):
    """That of the servers that are probed."""
    return urllib.parse.urlsplit((agent.folder / "agent.yaml").read_text().partition('url: "')[2].partition('"')[0]).port


def keyboard(judge, where, tab, agent, *_):
    """The Tab key leads to a strip, arrow keys from day to day, Escape takes the words away."""
    tab.open(agent.page + "/")
    judge.keyboard(tab, where, set(), 40)
    tab.run(f"{STRIP}.focus()")
    last, seen = 89, []
    for key, day in (("ArrowLeft", last - 1), ("Home", 0), ("End", last), ("ArrowLeft", last - 1), ("ArrowRight", last)):
        tab.press(key)
        words, wanted = tab.run(TIP), tab.run(f"{STRIP}.dataset.days[{day}]")
        seen.append(words)
        if "%" not in words and wanted == "u":
            judge.fault(where, f"{key} says {words!r}")
    if len(set(seen)) < 3 or seen[2] != seen[4] or seen[0] != seen[3]:
        judge.fault(where, f"the arrow keys say {seen}")
    tab.press("Escape")
    if tab.run(TIP):
        judge.fault(where, "Escape leaves the words of the day")


def finger(judge, where, tab, agent):
    """A tap on the day of an outage says date, uptime and for how long."""
    tab.open(agent.page + "/")
    x, y = tab.run(f"""(()=>{{{STRIP}.scrollIntoView({{block:"center"}});const r={STRIP}.getBoundingClientRect();
        return[r.left+r.width*({89 - OUTAGE_AGE}.5/90),r.top+r.height/2]}})()""")
    tab.tap(x, y)
    words = tab.wait(TIP, "a tap says what the day was")
    if f"down {OUTAGE_MINUTES} min" not in words or "%" not in words:
        judge.fault(where, f"a tap on the day of an outage says {words!r}")


def plain(judge, where, tab, agent):
    """Without a script on the narrowest screen."""
    tab.scripts(False)
    try:
        tab.open(agent.page + "/")
        page = tab.run("[document.querySelector('.hero').textContent,document.querySelector('#zone').textContent,"
                       "document.querySelectorAll('.strip title').length,document.querySelectorAll('.strip').length]")
        must(judge, where, sentence=("Checkout is down" in page[0], page[0]), zone=("UTC" in page[1], page[1]),
             days_with_words=(page[2] > 3, page[2]), strips=(page[3] == 6, page[3]))
        for what in tab.run(SHAPE.replace("TOUCH", "true")):
            judge.fault(where, what)
    finally:
        tab.scripts(True)


def languages(judge, where, tab, agent, *_):
    """As the browser asks, and as the reader chooses."""
    try:
        for tag, wanted, words in (("de-AT", "de", "Ausfälle"), ("ja", "ja", "停止"), ("en-GB", "en", "is down"), ("nl", "en", "is down")):
            tab.speaks(tag)
            tab.open(agent.page + "/")
            page = tab.run("[document.documentElement.lang,document.body.textContent]")
            if page[0] != wanted or words not in page[1]:
                judge.fault(where, f"a browser that asks for {tag} is answered in {page[0]}, {'with' if words in page[1] else 'without'} {words}")
        for tag in ("de", "ja"):
            tab.follow(f"document.querySelector('nav a[hreflang={tag}]')")
            page = tab.run("[document.documentElement.lang,document.querySelector('nav [aria-current]').textContent]")
            if page[0] != tag:
                judge.fault(where, f"the choice of {tag} leads to {page}")
            for width in (320, 1440):
                tab.look(width)
                judge.all_of([(tab, f"{width} px", width < 600)], f"{where} {tag}")
    finally:
        tab.speaks(None)


def parts(judge, where, tab, agent, target, folder):
    """Badges and the widget, on a page of another origin."""
    check = urllib.parse.quote(json.loads(agent.get("/api/v1/checks?q=Checkout"))["data"][0]["id"])
    addresses = ["/badge/state.svg"] + [f"/badge/{check}/{name}.svg" for name in ("state", "latency", "uptime-30d")]
    target.embeds = ("<!doctype html><title>Embedded</title><body style='margin:0;background:#fff'>"
                     f"<iframe src='{agent.page}/widget' title=Status width=320 height=64 style='border:0'></iframe><br>"
                     + "".join(f"<img src='{agent.page}{each}' alt=''>" for each in addresses))
    tab.open(target.url + "/embeds")
    sizes = tab.wait("(i=>i.every(e=>e.complete)&&i.map(e=>e.naturalWidth))([...document.images])", "the badges load")
    for address, size in zip(addresses, sizes):
        if not size:
            judge.fault(where, f"{address} is no picture")
    for what in tab.run(BROKEN):
        judge.fault(where, what)
    shot = folder / "embeds.png"
    tab.shot(shot)
    if pictures.Picture(shot.read_bytes()).at(300, 20) != (0xb9, 0x1c, 0x1c):
        judge.fault(where, "the widget's frame does not show the sentence on its red ground")
    tab.open(agent.page + "/widget")
    judge.all_of([(tab, "widget", False)], where)
