// SPDX-License-Identifier: MIT

import Basics

extension Layout {
  /// What a page does beyond what it says without a script: the reader's own time beside UTC, ages that go on, on the start
  /// page rows and parts that change in place, and any other page that is fetched again put in the old one's place. Nothing a
  /// person types, has open, has selected, has scrolled or has the focus on is touched.
  static let script: Markup = """
    (()=>{"use strict";const Moment=Date;
    const all=(s,r)=>[...(r||document).querySelectorAll(s)],by=i=>document.getElementById(i),two=n=>String(n).padStart(2,"0");
    const clock=d=>two(d.getHours())+":"+two(d.getMinutes())+":"+two(d.getSeconds());
    const asof=by("asof");let skew=asof?Moment.now()-new Moment(asof.dateTime):0;
    function local(root){for(const t of all("time[datetime]:not(.ago):not([data-local])",root)){
    const d=new Moment(t.dateTime);if(isNaN(d))continue;t.dataset.local="";t.title=d.toString();
    if(!d.getTimezoneOffset())continue;
    const s=document.createElement("span");s.className="local";
    s.textContent=" "+(t.textContent.length>8&&d.getDate()!==d.getUTCDate()?two(d.getMonth()+1)+"-"+two(d.getDate())+" ":"")+clock(d)+" local";
    const n=t.nextSibling;
    if(n&&n.nodeType===3&&n.data.startsWith(" UTC")){n.splitText(4);n.after(s)}else t.after(s)}}
    function ages(){for(const t of all("time.ago")){const s=Math.floor((Moment.now()-skew-new Moment(t.dateTime))/1000);
    if(isNaN(s))continue;
    const a=(s<1?"0s":s<60?s+"s":s<3600?Math.floor(s/60)+"m":s<172800?Math.floor(s/3600)+"h":Math.floor(s/86400)+"d")+" ago";
    if(t.textContent!==a)t.textContent=a}}
    local();setInterval(ages,1000);
    for(const c of all(".chips [aria-current]")){const n=c.closest(".chips");const x=c.offsetLeft-n.offsetLeft;if(!n.scrollLeft&&x>n.clientWidth/2)n.scrollLeft=x-n.clientWidth/2}
    const kind=document.body.dataset.live;if(!kind)return;
    const places="\(DashboardPage.names.joined(separator: " "))".split(" "),can="a,button,input,summary,[tabindex]",slides=".scroll,.chips";
    const own=location.pathname.startsWith("/checks/")?location.pathname.slice(8).toLowerCase():"",hears=kind==="list"||own!=="";
    function swap(place,html){const a=document.activeElement,inside=a&&a!==place&&place.contains(a),chosen=getSelection();
    if(chosen&&!chosen.isCollapsed&&chosen.containsNode(place,true)){soon();return}
    const at=inside?all(can,place).indexOf(a):-1,href=inside?a.getAttribute("href"):null,open=all("details",place).map(d=>d.open),slid=all(slides,place).map(e=>e.scrollLeft);
    place.innerHTML=html;local(place);
    all("details",place).forEach((d,i)=>{if(i<open.length)d.open=open[i]});
    all(slides,place).forEach((e,i)=>{if(slid[i])e.scrollLeft=slid[i]});
    if(inside){const c=all(can,place),t=(href&&c.find(e=>e.getAttribute("href")===href))||c[at];if(t)t.focus({preventScroll:true})}}
    let seen=Moment.now(),last=Moment.now(),due=0,stream=null,again=0;
    function take(t){const d=new DOMParser().parseFromString(t,"text/html"),list=by("list"),next=d.getElementById("list"),y=scrollY;
    if(!list!==!next||!by("line")!==!d.getElementById("line")){location.reload();return}
    if(kind==="list"){
    for(const i of [...places,"chips","tags","list"]){const o=by(i),n=d.getElementById(i);if(o&&n)swap(o,n.innerHTML)}}
    else{const o=document.querySelector("main"),n=d.querySelector("main");if(o&&n)swap(o,n.innerHTML)}
    const i=d.getElementById("icon");if(i&&by("icon"))by("icon").href=i.href;
    document.title=d.title;if(scrollY!==y)scrollTo(scrollX,y);
    const c=d.getElementById("asof");if(c)moment(c.dateTime)}
    function fetchPage(){due=0;last=Moment.now();fetch(location.pathname+location.search,{credentials:"same-origin"}).then(r=>r.ok||r.status===404?r.text().then(take):0).catch(()=>say("○ not live"))}
    function soon(){if(!due)due=setTimeout(fetchPage,Math.max(300+Math.random()*1200,last+5000-Moment.now()))}
    function moment(iso){const d=new Moment(iso);if(!asof||isNaN(d))return;skew=Moment.now()-d;
    asof.dateTime=iso;asof.textContent=iso.slice(11,19);const l=asof.parentNode.querySelector(".local");if(l)l.textContent=" "+clock(d)+" local"}
    function say(w){const l=by("live");if(hears&&l&&l.textContent!==w)l.textContent=w}
    const cut=m=>{const i=m.data.indexOf("\\n");return[m.data.slice(0,i),m.data.slice(i+1)]};
    function hush(){if(stream)stream.close();stream=null}
    function listen(){if(!hears||stream||document.hidden)return;clearTimeout(again);const e=stream=new EventSource("/events");
    e.addEventListener("tick",m=>{seen=Moment.now();moment(m.data);say("● live")});
    e.addEventListener("sync",soon);e.addEventListener("moved",()=>{if(kind==="list")soon()});
    e.addEventListener("part",m=>{if(kind!=="list")return;const[n,h]=cut(m);if(n==="title")document.title=h;else if(places.includes(n)&&by(n))swap(by(n),h)});
    e.addEventListener("row",m=>{const[n,h]=cut(m);if(n===own)soon();for(const l of all("[data-check]"))if(l.dataset.check===n)swap(l,h)});
    e.onerror=()=>{if(stream!==e)return;say("○ not live");if(e.readyState===2){stream=null;again=setTimeout(listen,20000+Math.random()*20000)}}}
    document.addEventListener("visibilitychange",()=>{if(document.hidden)hush();else listen()});
    addEventListener("pagehide",hush);addEventListener("pageshow",listen);
    setInterval(()=>{if(document.hidden||Moment.now()-seen<=11000)return;if(hears)say("○ not live");
    if(Moment.now()-last<15000)return;if(stream&&stream.readyState===1){hush();listen()}soon()},2000);
    listen()})();
    """
}
