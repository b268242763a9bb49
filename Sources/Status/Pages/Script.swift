// SPDX-License-Identifier: MIT

import Basics

extension Layout {
  /// The script of a page: the reader's own time beside UTC, running ages, on the start page rows and parts that change
  /// in place, and any other page that is fetched again put in the old one's place. Nothing a person types, has open,
  /// has selected, has scrolled or has the focus on is touched.
  static let script: Markup = """
    (()=>{"use strict";const Moment=Date,kind=document.body.dataset.live;
    const all=(s,r)=>[...(r||document).querySelectorAll(s)],by=i=>document.getElementById(i),two=n=>String(n).padStart(2,"0");
    const clock=d=>two(d.getHours())+":"+two(d.getMinutes())+":"+two(d.getSeconds());
    const asof=by("asof");let skew=asof?Moment.now()-new Moment(asof.dateTime):0;
    function local(root){for(const t of all("time[datetime]:not(.ago):not([data-local])",root)){
    const d=new Moment(t.dateTime);if(isNaN(d))continue;t.dataset.local="";t.title=d.toString();
    if(!d.getTimezoneOffset())continue;
    const s=document.createElement("span"),w=t.textContent;s.className="local";
    s.textContent=" "+(w.length>8&&d.getDate()!==d.getUTCDate()?two(d.getMonth()+1)+"-"+two(d.getDate())+" ":"")+clock(d).slice(0,w.split(":").length>2?8:5)+" local";
    const n=t.nextSibling;
    if(n&&n.className==="utc")n.after(s);
    else if(n&&n.nodeType===3&&n.data.startsWith(" UTC")){n.splitText(4);n.after(s)}else t.after(s)}}
    function rove(root){for(const bar of all("[role=toolbar]",root))all("a,button",bar).forEach((e,i)=>{e.tabIndex=i?-1:0})}
    addEventListener("keydown",e=>{const bar=e.target.closest&&e.target.closest("[role=toolbar]");if(!bar)return;
    const c=all("a,button",bar),step={ArrowRight:1,ArrowDown:1,ArrowLeft:-1,ArrowUp:-1}[e.key];if(!step)return;e.preventDefault();
    const t=c[(c.indexOf(e.target)+step+c.length)%c.length];for(const o of c)o.tabIndex=-1;t.tabIndex=0;t.focus()});
    const tip=document.createElement("p");tip.className="tip";tip.hidden=true;document.body.append(tip);
    function look(e){const s=e.target.closest&&e.target.closest("svg.chart[data-values],svg.strip");let w="";
    if(s&&s.dataset.values){const r=s.getBoundingClientRect(),x=(e.clientX-r.left)/r.width*800;let d=1e9;
    for(const v of s.dataset.values.split("|")){const i=v.indexOf(" "),n=Math.abs(v.slice(0,i)-x);if(n<d){d=n;w=v.slice(i+1)}}}
    else if(s&&e.pointerType!=="mouse"){const g=e.target.closest("g"),t=g&&g.querySelector("title");if(t)w=t.textContent}
    tip.hidden=!w;if(!w)return;tip.textContent=w;const b=tip.offsetWidth;
    tip.style.left=Math.max(8,Math.min(innerWidth-b-8,e.clientX-b/2))+"px";tip.style.top=Math.max(8,e.clientY-56)+"px"}
    addEventListener("pointermove",look);addEventListener("pointerdown",look);addEventListener("scroll",()=>{tip.hidden=true},true);
    addEventListener("keydown",e=>{if(e.key==="Escape")tip.hidden=true});
    let hush2=0;
    function toast(words,undo){const s=by("said");s.replaceChildren();const w=document.createElement("span");w.textContent=words;s.append(w);
    if(undo){const b=document.createElement("button");b.textContent="Undo";b.onclick=undo;s.append(b)}
    clearTimeout(hush2);hush2=setTimeout(()=>s.replaceChildren(),undo?12000:8000)}
    addEventListener("submit",e=>{const f=e.target,b=e.submitter;if(f.method!=="post"||f.action.includes("/sign-")||!b)return;e.preventDefault();
    if(b.hasAttribute("aria-busy"))return;const body=new URLSearchParams(new FormData(f,b)),until=body.get("until");
    if(until)body.set("until",new Moment(until).toISOString());send(f.action,body,b)});
    function send(to,body,b){if(b)b.setAttribute("aria-busy","true");
    fetch(to,{method:"POST",body,headers:{Accept:"application/json"},credentials:"same-origin"}).then(async r=>{
    if(r.status===401){location.href="/sign-in?to="+encodeURIComponent(location.pathname+location.search);return}
    const j=await r.json();if(!r.ok){toast("✕ "+(j.error?j.error.message:"refused"));return}
    const u=j.data.undo;toast((/^[●✕▲?] /.test(j.data.message)?"":"✓ ")+j.data.message,u&&(()=>{body.set("do",u);send(to,body)}));if(kind)fetchPage();
    else setTimeout(()=>{location.href=body.get("back")||"/"},1200)
    }).catch(()=>toast("✕ the agent did not answer")).finally(()=>{if(b)b.removeAttribute("aria-busy")})}
    function ages(){for(const t of all("time.ago")){const s=Math.floor((Moment.now()-skew-new Moment(t.dateTime))/1000);
    if(isNaN(s))continue;
    const a=(s<1?"0s":s<60?s+"s":s<3600?Math.floor(s/60)+"m":s<172800?Math.floor(s/3600)+"h":Math.floor(s/86400)+"d")+" ago";
    if(t.textContent!==a)t.textContent=a}}
    for(const l of all("label[for=until]"))l.textContent="or until (your time)";
    local();rove();setInterval(ages,1000);
    for(const c of all(".chips [aria-current]")){const n=c.closest(".chips");const x=c.offsetLeft-n.offsetLeft;if(!n.scrollLeft&&x>n.clientWidth/2)n.scrollLeft=x-n.clientWidth/2}
    if(!kind)return;
    if(kind==="wall"){const dim=()=>{const h=new Moment().getHours();document.documentElement.classList.toggle("night",h<6||h>21)};dim();setInterval(dim,60000)}
    const places="\(DashboardPage.names.joined(separator: " "))".split(" "),can="a,button,input,summary,[tabindex]",slides=".scroll,.chips";
    const own=location.pathname.startsWith("/checks/")?location.pathname.slice(8).toLowerCase():"",polls=kind==="page"&&!own;
    function swap(place,html){const a=document.activeElement,inside=a&&a!==place&&place.contains(a),chosen=getSelection();
    if(chosen&&!chosen.isCollapsed&&chosen.containsNode(place,true)){soon();return}
    const at=inside?all(can,place).indexOf(a):-1,href=inside?a.getAttribute("href"):null,open=all("details",place).map(d=>d.open),slid=all(slides,place).map(e=>e.scrollLeft);
    place.innerHTML=html;local(place);rove(place);
    all("details",place).forEach((d,i)=>{if(i<open.length)d.open=open[i]});
    all(slides,place).forEach((e,i)=>{if(slid[i])e.scrollLeft=slid[i]});
    if(inside){const c=all(can,place),t=(href&&c.find(e=>e.getAttribute("href")===href))||c[at];if(t)t.focus({preventScroll:true})}}
    let seen=Moment.now(),last=Moment.now(),due=0,stream=null,again=0;
    function take(t){const d=new DOMParser().parseFromString(t.replace(/<style[^]*?style>/,""),"text/html"),list=by("list"),next=d.getElementById("list"),y=scrollY;
    if(!list!==!next||!by("line")!==!d.getElementById("line")){location.reload();return}
    if(kind==="list"){
    for(const i of [...places,"chips","tags","list"]){const o=by(i),n=d.getElementById(i);if(o&&n&&o.innerHTML!==n.innerHTML)swap(o,n.innerHTML)}}
    else{const o=document.querySelector("main"),n=d.querySelector("main");if(o&&n)swap(o,n.innerHTML)}
    const i=d.getElementById("icon");if(i&&by("icon"))by("icon").href=i.href;
    document.title=d.title;if(scrollY!==y)scrollTo(scrollX,y);
    const c=d.getElementById("asof");if(c)moment(c.dateTime)}
    function fetchPage(){due=0;last=Moment.now();fetch(location.pathname+location.search,{credentials:"same-origin"}).then(r=>r.ok||r.status===404?r.text().then(take):0).catch(()=>say("○ not live"))}
    function soon(){if(!due)due=setTimeout(fetchPage,Math.max(300+Math.random()*1200,last+5000-Moment.now()))}
    function moment(iso){const d=new Moment(iso);if(!asof||isNaN(d))return;skew=Moment.now()-d;
    asof.dateTime=iso;asof.textContent=iso.slice(11,19);const l=asof.parentNode.querySelector(".local");if(l)l.textContent=" "+clock(d)+" local"}
    function say(w){const l=by("live"),off=w[0]==="○",d=new Moment(seen);if(off)w+=" since "+clock(d).slice(0,5);document.body.classList.toggle("gone",off);
    if(l&&l.textContent!==w)l.textContent=w}
    const cut=m=>{const i=m.data.indexOf("\\n");return[m.data.slice(0,i),m.data.slice(i+1)]};
    function put(n,h){const w=by("hero").querySelector("h1").textContent.trim();swap(by(n),h);const v=by("hero").querySelector("h1").textContent.trim();
    if(v!==w)toast(v)}
    function hush(){if(stream)stream.close();stream=null}
    function listen(){if(stream||document.hidden)return;clearTimeout(again);const e=stream=new EventSource("/events");
    e.addEventListener("tick",m=>{seen=Moment.now();moment(m.data);say("◉ live")});
    e.addEventListener("sync",soon);e.addEventListener("moved",()=>{if(kind!=="page")soon()});
    e.addEventListener("part",m=>{const[n,h]=cut(m);if(kind==="wall"||polls&&(n==="incidents"||n==="handled"))soon();if(kind!=="list")return;if(n==="title")document.title=h;else if(places.includes(n)&&by(n))put(n,h)});
    e.addEventListener("row",m=>{const[n,h]=cut(m);if(n===own||kind==="wall")soon();for(const l of all("[data-check]"))if(l.dataset.check===n)swap(l,h)});
    e.onerror=()=>{if(stream!==e)return;say("○ not live");if(e.readyState===2){stream=null;again=setTimeout(listen,20000+Math.random()*20000)}}}
    document.addEventListener("visibilitychange",()=>{if(document.hidden)hush();else listen()});
    addEventListener("pagehide",hush);addEventListener("pageshow",listen);
    setInterval(()=>{if(document.hidden)return;const lost=Moment.now()-seen>11000;if(lost)say("○ not live");
    if(!lost&&!polls||Moment.now()-last<15000)return;if(lost&&stream&&stream.readyState===1){hush();listen()}soon()},2000);
    listen()})();
    """
}
