# SPDX-License-Identifier: MIT
"""What is asked of a page as it stands in a tab, each as a list of what is wrong: nothing is right."""

import json

# In each: the page's own words for an element, so that a fault can be found.
NAME = """const name=e=>e.tagName.toLowerCase()+(e.id?"#"+e.id:"")+(typeof e.className==="string"&&e.className?"."+e.className.trim().replace(/\\s+/g,"."):"")
+" "+JSON.stringify((e.getAttribute("aria-label")||e.textContent||"").trim().slice(0,40));"""

AXE = """axe.run(document,{resultTypes:["violations"]}).then(r=>r.violations.map(v=>v.id+" ("+v.impact+"): "+v.help+": "
+v.nodes.slice(0,3).map(n=>n.target.join(" ")+" "+((n.any[0]||n.all[0]||n.none[0]||{}).message||"")).join("; ")+(v.nodes.length>3?" and "+(v.nodes.length-3)+" more":"")))"""

# What WATCH (browser.py) has seen of this document.
BROKEN = "window.__broken?window.__broken.splice(0):['nothing watched this page']"

SHAPE = "(()=>{" + NAME + """
const wrong=[],width=document.documentElement.clientWidth,wide=document.documentElement.scrollWidth-width,shown=e=>e.checkVisibility()&&e.getClientRects().length>0;
if(wide>0)wrong.push("scrolls sideways by "+wide+" px: "+[...document.querySelectorAll("body *")].filter(e=>e.getBoundingClientRect().right>width+1
&&!e.closest(".scroll,.chips,svg,.only")).slice(0,3).map(name).join(", "));
if(TOUCH){for(const e of document.querySelectorAll("a[href],button,input:not([type=hidden]),summary,select")){if(!shown(e))continue;
const r=e.getBoundingClientRect();if(r.width<43.5||r.height<43.5)wrong.push("a target of "+Math.round(r.width)+" by "+Math.round(r.height)+" px: "+name(e))}
const lines=new Set();for(const e of document.querySelectorAll("#checks .chips a")){if(shown(e))lines.add(Math.round(e.getBoundingClientRect().top))}
if(lines.size>2)wrong.push("the chips take "+lines.size+" lines");
for(const m of document.querySelectorAll(".incident .mark,.problems .mark,.headline .mark")){if(!shown(m))continue;
const t=document.createTreeWalker(m.parentNode,NodeFilter.SHOW_TEXT);let n;while((n=t.nextNode()))if(!m.contains(n)&&n.data.trim()&&(m.compareDocumentPosition(n)&4)){
const r=document.createRange();r.selectNodeContents(n);const f=r.getClientRects()[0];if(f&&f.top>m.getBoundingClientRect().bottom-2)wrong.push("a mark alone on a line: "
+name(m.parentNode));break}}}
for(const e of document.querySelectorAll(".state")){const i=e.querySelector("i");
if(i&&shown(e.parentElement)&&!shown(i)){wrong.push("a state without its mark: "+name(e.parentElement));break}}
for(const e of document.querySelectorAll(".present")){const inner=e.firstElementChild.getBoundingClientRect(),outer=e.getBoundingClientRect();
if(inner.right>outer.right+3)wrong.push("the present is out of sight: "+name(e))
if(TOUCH&&![...e.querySelectorAll("text")].some(t=>shown(t)&&/[0-9] ?(us|µs|ms|s)$/.test(t.textContent.trim())&&t.getBoundingClientRect().left>outer.left))
wrong.push("no scale is in sight: "+name(e))}
for(const t of document.querySelectorAll("svg.chart text:not(.mark)")){if(shown(t)&&t.getBoundingClientRect().height<11.5){wrong.push("letters "
+t.getBoundingClientRect().height.toFixed(1)+" px high: "+t.textContent);break}}
return wrong})()"""

STILL = "(()=>{" + NAME + """
const wrong=document.getAnimations().map(a=>"moves: "+name(a.effect.target));
for(const e of document.querySelectorAll("body *")){const s=getComputedStyle(e);
if(s.transitionDuration.split(",").some(d=>parseFloat(d)>0)||s.animationName!=="none"){wrong.push("would move: "+name(e));break}}
return wrong})()"""

# With the reader's own colours a background says nothing any more: a mark is a sign in words' colour, or a shape of its own.
FORCED = "(()=>{" + NAME + """
const wrong=[],style=e=>getComputedStyle(e),canvas=style(document.body).backgroundColor;
for(const e of document.querySelectorAll(".state")){const i=e.querySelector("i");
if(!i||!i.textContent.trim()||e.textContent.trim().length<2)wrong.push("a state without sign and word: "+name(e))}
for(const e of document.querySelectorAll(".mark:not(text)"))if(!e.textContent.trim())wrong.push("a mark without a sign: "+name(e));
for(const e of document.querySelectorAll("svg rect,svg path,svg circle")){if(e.closest("defs"))continue;
const s=style(e),paint=s.fill==="none"?s.stroke:s.fill;if(paint===canvas)wrong.push("a shape as its ground: "+e.outerHTML.slice(0,80))}
for(const nav of document.querySelectorAll(".chips")){const c=nav.querySelector("[aria-current]"),o=nav.querySelector("a:not([aria-current])");
if(c&&o&&style(c).borderTopWidth===style(o).borderTopWidth)wrong.push("the chosen chip looks like the others: "+name(c))}
return wrong.slice(0,5)})()"""

FOCUS = "(()=>{" + NAME + """
const e=document.activeElement;if(!e||e===document.body||e.__stopped)return null;e.__stopped=true;const s=getComputedStyle(e),r=e.getBoundingClientRect();
return{what:name(e),ring:s.outlineStyle!=="none"&&parseFloat(s.outlineWidth)>=2,seen:r.bottom>0&&r.top<innerHeight&&r.right>0&&r.left<innerWidth,
kind:e.matches("input[type=search]")?"search":e.matches(".chips a")?"chip":e.matches("a.row")?"row":e.matches("form button")?"button":e.matches(".count")?"count":e.matches(".filter summary")?"filter":e.matches("a.skip")?"skip":"other",
run:!!e.closest("form[action*='/run?']")}})()"""


# What a phone shows at night: how far it is to the first row, how long the page is, how high a row.
MEASURES = """(()=>{const rows=[...document.querySelectorAll("#list [data-check]")].map(e=>e.getBoundingClientRect()),tall=document.documentElement.scrollHeight;
const stops=[...document.querySelectorAll("a[href],button,input:not([type=hidden]),select,summary,[tabindex]")].filter(e=>e.tabIndex>=0&&e.checkVisibility({visibilityProperty:true}));
const first=document.querySelector("#list a.row");
const marks=[...document.querySelectorAll(".incident .mark,.problems .mark,.headline .mark")].filter(m=>m.checkVisibility()).filter(m=>{
const t=document.createTreeWalker(m.parentNode,NodeFilter.SHOW_TEXT);let n;while((n=t.nextNode()))if(!m.contains(n)&&n.data.trim()&&(m.compareDocumentPosition(n)&4)){
const r=document.createRange();r.selectNodeContents(n);const f=r.getClientRects()[0];return f&&f.top>m.getBoundingClientRect().bottom-2}return false}).length;
const said={};for(const b of document.querySelectorAll(".incident .member"))said[b.getAttribute("href")]=(said[b.getAttribute("href")]||0)+1;
return{first:(rows[0].top+scrollY)/innerHeight,screens:tall/innerHeight,low:Math.min(...rows.map(r=>r.height)),high:Math.max(...rows.map(r=>r.height)),
stops:first?stops.filter(e=>e.compareDocumentPosition(first)&4).length:-1,marks,twice:Object.values(said).filter(n=>n>1).length,
skip:!!document.querySelector("a.skip[href='#checks']")}})()"""
# At most, or from and to.
PROMISED = {"first": (0, 1.5), "screens": (0, 4), "low": (56, 73), "high": (56, 73), "stops": (1, 12), "marks": (0, 0), "twice": (0, 0),
            "skip": (1, 1)}


class Judge:
    def __init__(self, axe):
        self.axe, self.faults, self.is_quiet = axe, [], False

    def fault(self, where, what):
        self.faults.append(f"{where}: {what}")
        if not self.is_quiet:
            print(f"    {where}: {what}", flush=True)

    def all_of(self, tabs, where):
        """Axe, the shape of the page and what broke in it in each tab, all at once. `where` names the page, tabs are (tab, words, is_touch)."""
        questions = []
        for tab, words, is_touch in tabs:
            shape, broken = tab.ask(SHAPE.replace("TOUCH", json.dumps(is_touch))), tab.ask(BROKEN)
            tab.inject(f"if(!window.axe){{{self.axe}}}")
            questions.append((tab, f"{where}, {words}", shape, broken, tab.ask(AXE)))
        for tab, words, *numbers in questions:
            for number in numbers:
                for what in tab.told(number):
                    self.fault(words, what)

    def can_fail(self, tab, url, emulates=True):
        """Each judge finds what is wrong with a page that has every fault; what it does not find is a fault of its own.

        `emulates`: the browser can be told to move nothing, and to take the reader's colours."""
        seen, self.faults = self.faults, []
        quiet, self.is_quiet = self.is_quiet, True
        tab.look(390)
        tab.open(url)
        self.all_of([(tab, "planted", True)], "planted")
        tab.look(1440, scheme="light")
        words = ["image-alt", "document-title", "scrolls sideways", "a target of", "the chips take 3", "a mark alone", "a state without its mark", "the present is out of sight",
                 "letters ", "no ring is seen", "does not lead to: search", "nothing is not defined", "did not load", "refused by the content"]
        if emulates:
            self.still(tab, "planted")
            tab.look(1440, contrast="active", scheme="light")
            self.forced(tab, "planted")
            words += ["would move", "a state without sign", "a shape as its ground", "the chosen chip"]
        self.keyboard(tab, "planted", {"search"})
        found, self.faults, self.is_quiet = "\n".join(self.faults), seen, quiet
        for word in words:
            if word not in found:
                self.fault("the judges themselves", f"did not see: {word}")

    def measures(self, tab, where, promised=PROMISED):
        """The figures of the page, beside what is promised of them."""
        found = tab.run(MEASURES)
        print(f"    {where}: first row after {found['first']:.2f} screens of {found['screens']:.2f}, {found['stops']} stops before it, "
              f"rows of {found['low']:.0f} to {found['high']:.0f} px")
        for name, (least, most) in promised.items():
            if not least <= found[name] <= most:
                self.fault(where, f"{name} is {found[name]}, not {least} to {most}")

    def wall(self, tab, url):
        """On a screen of 1920 by 1080 all of it at once, in letters of 27 px at least, and nothing to press."""
        tab.look(1920, 1080, scheme="dark")
        tab.open(url)
        found = tab.run("""({tall:document.documentElement.scrollHeight,tiles:document.querySelectorAll(".tiles li").length,
            cut:[...document.querySelectorAll(".tiles li")].filter(e=>e.scrollHeight>e.clientHeight+1).length,
            small:Math.min(...[...document.querySelectorAll("main *")].filter(e=>[...e.childNodes].some(n=>n.nodeType===3&&n.data.trim()))
            .map(e=>parseFloat(getComputedStyle(e).fontSize))),
            stops:document.querySelectorAll("a,button,input,select,summary,[tabindex]").length})""")
        print(f"    /wall: {found['tiles']} tiles, {found['tall']} of 1080 px, letters of {found['small']} px and more")
        if found["tall"] > 1080 or found["small"] < 27 or found["stops"] or found["cut"] or not found["tiles"]:
            self.fault("/wall", f"a display shows all of it from afar: {found}")

    def still(self, tab, where):
        for what in tab.run(STILL):
            self.fault(where + ", reduced motion", what)

    def forced(self, tab, where):
        for what in tab.run(FORCED):
            self.fault(where + ", forced colours", what)

    def keyboard(self, tab, where, wanted, limit=80, until=None):
        """Tab from the top to the end, or to the first stop of a kind: every stop is seen with its ring, and what is wanted is
        among them."""
        tab.run("document.activeElement.blur(),scrollTo(0,0)")
        reached = set()
        for _ in range(limit):
            tab.press("Tab")
            stop = tab.run(FOCUS)
            if stop is None or until in reached:
                break
            reached |= {stop["kind"]} | ({"run"} if stop["run"] else set())
            if not stop["ring"]:
                self.fault(where + ", by keyboard", f"no ring is seen on {stop['what']}")
            if not stop["seen"]:
                self.fault(where + ", by keyboard", f"out of sight when focused: {stop['what']}")
        else:
            self.fault(where + ", by keyboard", f"no end within {limit} stops")
        for missing in sorted(set(wanted) - reached):
            self.fault(where + ", by keyboard", f"the Tab key does not lead to: {missing}")
