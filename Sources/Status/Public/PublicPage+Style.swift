// SPDX-License-Identifier: MIT

import Basics

extension PublicPage {
  /// The colours of the face, where it has its own: a band and a mark, which carry no meaning.
  var colors: Markup {
    let face = picture.face
    let light: Markup = face.color.map { ":root{--own:\($0)}" } ?? ""
    let dark: Markup =
      (face.darkColor ?? face.color).map { "@media(prefers-color-scheme:dark){:root{--own:\($0)}}" } ?? ""
    return light + dark
  }

  /// Letters in rem, targets of 44 px, and white words on the grounds of `Badge.Tone` alone.
  static let style: Markup = """
    :root{--own:var(--brand)}
    *{box-sizing:border-box}
    body{margin:0;background:var(--bg);color:var(--text);font:1rem/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;\
    border-top:4px solid var(--own);overflow-wrap:anywhere}
    header>div,main,footer{max-width:800px;margin:0 auto;padding:16px}
    header>div{display:flex;flex-wrap:wrap;align-items:center;gap:8px 12px;justify-content:space-between;padding-bottom:0}
    main{display:grid;grid-template-columns:minmax(0,1fr);gap:16px}
    a{color:var(--link)}a:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:2px solid var(--brand);outline-offset:2px}
    .brand{display:flex;align-items:center;gap:12px;font-size:1.375rem;font-weight:650;margin:0;min-width:0}
    .brand svg{width:28px;height:28px;flex:none}.brand img{max-height:40px;max-width:160px}.gem{fill:var(--own)}
    summary{cursor:pointer;min-height:44px;padding:10px 0}.menu{position:relative}
    .menu summary{border:1px solid var(--edge);border-radius:10px;padding:10px 14px;font-size:.9rem;list-style:none}\
    .menu summary::-webkit-details-marker{display:none}
    .menu div{position:absolute;inset-inline-end:0;background:var(--card);border:1px solid var(--edge);border-radius:10px;margin-top:4px;z-index:1}
    .menu a,footer a{display:inline-flex;align-items:center;min-height:44px;min-width:44px;padding:0 10px;white-space:nowrap}.menu a{display:flex}
    .hero,.card{border-radius:12px;padding:16px}.hero{color:#fff;border:2px solid transparent}
    .hero h1{font-size:1.375rem;line-height:1.25;margin:0}.hero p{margin:6px 0 0;font-size:.9rem}
    .gone main>:not(.hero){filter:saturate(.35)}
    .t-up{background:#15803d}.t-degraded{background:#b45309}.t-down{background:#b91c1c}.t-unknown{background:#4b5563}
    .card{background:var(--card);border:1px solid var(--line)}
    h2{font-size:1.1rem;margin:0 0 8px}ul{list-style:none;margin:0;padding:0}p{margin:0}
    li{position:relative;padding:12px 0;border-top:1px solid var(--line)}.news li{padding:8px 0}li:last-child{padding-bottom:0}
    .news li:first-child{border-top:0;padding-top:0}
    .line{display:flex;flex-wrap:wrap;gap:2px 16px;justify-content:space-between}.line b{font-weight:600;min-width:0}
    .state i{font-style:normal}.state.up i{color:var(--up)}.state.down i{color:var(--down)}.state.degraded i{color:var(--degraded)}\
    .state.unknown i,.state.off i{color:var(--unknown)}
    .dim{color:var(--dim);font-size:.875rem}
    .strip{display:block;width:100%;height:32px;margin:8px 0 4px;touch-action:pan-y}
    .f-up{fill:var(--up)}.f-down{fill:var(--down)}.f-degraded{fill:var(--degraded)}.f-maintenance{fill:var(--maintenance)}.f-none{fill:var(--dim)}
    .axis{display:flex;flex-wrap:wrap;align-items:center;gap:0 8px;color:var(--dim);font-size:.8125rem}.axis i{flex:1;border-top:1px solid var(--line)}.axis>:last-child{margin-inline-start:auto}
    .tip{position:absolute;left:0;right:0;z-index:1;background:var(--text);color:var(--bg);border-radius:8px;padding:8px 12px;font-size:.875rem;width:max-content;max-width:100%;margin:4px auto}
    .legend{display:flex;flex-wrap:wrap;gap:4px 16px}.legend svg{width:6px;height:20px;margin-inline-end:6px;vertical-align:-4px}
    .post{border-inline-start:3px solid var(--edge);padding:2px 12px;margin:10px 0}.s-investigating,.s-identified{border-color:var(--degraded)}\
    .s-monitoring{border-color:var(--info)}.s-resolved{border-color:var(--up)}
    .badge{border:1px solid;border-radius:4px;padding:0 6px;font-size:.75rem;color:var(--dim)}
    footer{color:var(--dim);font-size:.875rem}footer p{margin:8px 0}nav{display:flex;flex-wrap:wrap}nav a[aria-current]{font-weight:650;color:var(--text)}
    @media(forced-colors:active){.hero{border-color:CanvasText}.strip,.legend svg{forced-color-adjust:none}.tip{border:1px solid}}
    @media print{.menu,nav{display:none}.card,.hero{break-inside:avoid}}
    """

  /// Times in the reader's zone, a day's words under finger, pointer and arrow keys, and the page as it is now in the place of
  /// what is shown, without moving the reader. None of it is needed.
  static let script: Markup = """
    {const B=document.body,W=B.dataset,L=document.documentElement.lang,Y=navigator.language||'',N=Y.startsWith(L)?Y:L,
    F=o=>new Intl.DateTimeFormat(N,o),h={hour:'2-digit',minute:'2-digit'},d={weekday:'short',day:'numeric',month:'short'},
    T=F(h),D=F({...d,...h}),K=F({...d,timeZone:'UTC'}),S=F({year:'numeric',month:'numeric',day:'numeric'});let tip,at;
    const local=()=>{for(const t of document.querySelectorAll('time')){const x=Date.parse(t.dateTime),f=t.dataset.from;
    t.textContent=(S.format(x)===(f?S.format(Date.parse(f)):S.format())?T:D).format(x)+('own'in t.dataset?W.own:'')}
    document.getElementById('zone').textContent=W.zone;
    document.querySelectorAll('.strip').forEach((s,i)=>{s.id='d'+i;s.tabIndex=0;
    for(const t of s.querySelectorAll('title')){t.parentNode.dataset.t=t.textContent;t.remove()}})};
    const hide=()=>{tip&&tip.remove();tip=at=null};
    const show=(s,i)=>{const n=s.dataset.days.length;i=Math.max(0,Math.min(n-1,i));if(at&&at.s===s&&at.i===i)return;
    const g=s.querySelector('[data-i="'+i+'"]'),k=s.dataset.days[i],x=Date.parse(s.dataset.from)+i*864e5;
    if(!tip){tip=document.createElement('p');tip.className='tip';tip.setAttribute('role','status')}
    if(tip.previousSibling!==s)s.after(tip);at={s,i};
    tip.textContent=g?g.dataset.t:K.format(x)+' · '+({u:W.up,n:W.none,m:W.maintenance})[k]};
    const over=e=>{const s=e.target.closest&&e.target.closest('.strip');if(!s){if(e.type==='pointerdown'||e.pointerType==='mouse')hide();return}
    const r=s.getBoundingClientRect();show(s,Math.floor((e.clientX-r.left)/r.width*s.dataset.days.length))};
    B.addEventListener('pointermove',over);B.addEventListener('pointerdown',over);
    B.addEventListener('keydown',e=>{const s=e.target.closest('.strip');if(e.key==='Escape')hide();if(!s)return;
    const n=s.dataset.days.length-1,i=at&&at.s===s?at.i:n,to={ArrowLeft:i-1,ArrowRight:i+1,Home:0,End:n}[e.key];
    if(to===undefined)return;e.preventDefault();show(s,to)});
    B.addEventListener('focusout',e=>{if(at&&e.target===at.s)hide()});local();
    let bad=0;const gone=()=>{if(++bad!==2)return;const g=document.querySelector('.hero');B.className='gone';g.className='hero t-unknown';
    const m=g.querySelector('h1>span');if(m)m.textContent='?';const n=document.createElement('p');n.setAttribute('role','status');n.textContent=W.gone;g.append(n)};
    setInterval(async()=>{if(tip)return;try{const r=await fetch(location.href,{signal:AbortSignal.timeout(30000)});if(!r.ok)return gone();
    const p=new DOMParser().parseFromString((await r.text()).replace(/<style[^]*?style>/,''),'text/html'),f=document.activeElement.id,
    open=[...document.querySelectorAll('main details[open]')].map(x=>x.id);
    const parts=['main','#asof','#icon'].map(s=>[document.querySelector(s),p.querySelector(s)]);
    if(!p.querySelector('.hero')||parts.some(x=>!x[1]))return gone();for(const [o,n] of parts)o.replaceWith(n);document.title=p.title;local();bad=0;B.className='';
    for(const i of open){const x=document.getElementById(i);if(x)x.open=true}
    if(f)document.getElementById(f)?.focus({preventScroll:true})}catch(e){gone()}},60000)}
    """
}
