// SPDX-License-Identifier: MIT

import Basics

extension Layout {
  /// Of the start page, and of forms: hero, counts, incidents as cards, rows of 56 to 72 px.
  static let startStyle: Markup = """
    .skip{position:absolute;left:8px;top:-80px;z-index:3;padding:12px 16px;background:var(--card);border:2px solid var(--brand);border-radius:8px}
    .skip:focus{top:8px}
    .headline{display:flex;align-items:center;gap:16px;justify-content:space-between;border:1px solid var(--line);border-left:4px solid \
    var(--unknown);border-radius:12px;padding:12px 16px;background:var(--card)}
    .headline.down{background:var(--bad);border-left-color:var(--down)}.headline.degraded{background:var(--warn);border-left-color:var(--degraded)}
    .headline.up{border-left-color:var(--up)}
    .headline p{margin:4px 0 0}
    .pie{width:4rem;height:4rem;flex:none}.pie text{fill:var(--text);font-size:34px;font-weight:650;text-anchor:middle}
    .ring{fill:none;stroke-width:14}.ring.none{stroke:var(--line)}
    .counts{display:grid;grid-auto-flow:column;grid-auto-columns:minmax(0,1fr);gap:8px}
    .count{display:block;text-align:center;border:1px solid var(--edge);border-radius:12px;background:var(--card);padding:8px 4px;\
    min-height:44px;color:var(--dim);text-decoration:none;font-size:.8125rem}
    .count b{display:block;font-size:1.25rem;line-height:1.2;color:var(--text)}.count:hover{border-color:var(--brand)}
    .stack-of-cards{display:grid;gap:12px;grid-template-columns:minmax(0,1fr)}
    .incident{border-left:4px solid var(--info);padding-top:12px;padding-bottom:12px}
    .incident.critical,.incident.high{border-left-color:var(--down)}.incident.medium{border-left-color:var(--warning)}
    .incident h2{margin:0;font-size:1.0625rem;line-height:1.3;overflow-wrap:anywhere}.facts-line{display:block;margin:4px 0 0}
    .incident summary{padding:0;min-height:44px;list-style-position:outside;margin-left:16px}.incident summary h2{display:inline}
    .badge.sev{color:var(--text);border:1px solid var(--info)}.badge.critical,.badge.high{border-color:var(--down)}.badge.medium{border-color:var(--warning)}
    .members{list-style:none;margin:8px 0 0;padding:0}.members li{border-top:1px solid var(--line)}
    .member{display:grid;grid-template-columns:1rem minmax(0,1fr) auto;gap:0 8px;align-items:baseline;min-height:44px;padding:6px 0;\
    color:inherit;text-decoration:none}
    .member b{font-weight:600;overflow-wrap:anywhere}.member small{grid-column:2/-1;color:var(--dim);font-size:.8125rem;line-height:1.3;\
    overflow-wrap:anywhere;display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
    .member time{color:var(--dim);font-size:.8125rem}a.member:hover b{text-decoration:underline}
    .acts{display:flex;flex-wrap:wrap;gap:8px;margin-top:8px}.acts>*{flex:1 1 auto;justify-content:center;padding:8px 10px}
    .first{background:var(--action);color:var(--onaction);border-color:var(--action);font-weight:600}
    button[aria-busy]{opacity:.6;cursor:progress}
    .bar form .acts{margin:0}
    .with-act{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:center;justify-content:space-between}
    .fields p{margin:12px 0}.fields label{display:block;margin-bottom:4px}.fields h1{overflow-wrap:anywhere}
    #said{position:fixed;left:16px;right:16px;bottom:16px;z-index:3;max-width:560px;margin:0 auto;display:flex;gap:12px;align-items:center;\
    justify-content:space-between;background:var(--card);border:2px solid var(--brand);border-radius:12px;padding:8px 16px;min-height:48px}
    #said:empty{display:none}
    .gone main{filter:saturate(.35)}
    .tools{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:8px;margin-bottom:8px;align-items:start}
    .tools form{display:flex;min-width:0;margin:0;gap:8px}.filter summary{border:1px solid var(--edge);border-radius:8px;padding:10px 16px}
    .filter[open]{grid-column:1/-1}.filter[open] summary{width:max-content;margin-bottom:8px}.filter .tags{margin-top:8px}
    .checks{list-style:none;margin:0;padding:0}.checks>li{border-top:1px solid var(--line)}
    .row{display:grid;grid-template-columns:6.5rem minmax(0,1fr) 10rem 5rem repeat(4,4.5rem);gap:0 12px;align-items:center;padding:6px 4px;\
    min-height:56px;color:inherit;text-decoration:none;border-radius:8px}
    a.row:hover{background:var(--bg)}.row>*{min-width:0}
    .row .name{font-weight:600;line-height:1.25;overflow-wrap:anywhere;display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
    .row .target{display:block;color:var(--dim);font-size:.8125rem;line-height:1.35;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
    .row .r{text-align:right}.row small{display:block;color:var(--dim);font-size:.75rem;line-height:1.3}.row .num{font-size:.8125rem;white-space:nowrap}
    .head{color:var(--dim);font-size:.75rem;min-height:0;padding:0 1rem 6px 4px}.small{display:none}
    .spark{display:block;width:100%;max-width:10rem;height:28px;border-radius:4px}
    @media(max-width:60em){.row{grid-template-columns:6.5rem minmax(0,1fr) 7rem 5rem 4.5rem}.row.head,.row>.up:nth-last-child(1),.row>.up:nth-last-child(2),\
    .row>.up:nth-last-child(3){display:none}}
    @media(max-width:35em){main.wrap{gap:12px;padding-top:12px}.top .wrap{flex-wrap:nowrap;padding-top:2px;padding-bottom:2px;min-height:48px}.from,.asof{display:none}\
    .clock:has(.local) #asof,.clock:has(.local) .utc{display:none}.brand{overflow:hidden;font-size:1.0625rem}.brand span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}\
    .headline{padding:8px 12px}h1{font-size:1.5rem}h2{font-size:1.125rem}.counts{gap:4px}.count{font-size:.75rem;padding:8px 0}.pie{width:3.5rem;height:3.5rem}\
    .row{grid-template-columns:1rem minmax(0,1fr) 4rem 4rem;gap:0 8px;padding:6px .75rem 6px 0}.row>.up{display:none}.small{display:inline}\
    .row .why{white-space:normal;display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2}\
    .row .st span span{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}\
    .incident .acts{display:grid;grid-template-columns:1fr 1fr}.tools form button{display:none}}
    @media(max-width:21.25em){.row{grid-template-columns:1rem minmax(0,1fr) 4rem}.row .drawn{display:none}}
    @media(forced-colors:active){.first{border:3px solid}.badge.sev{border:1px solid}}
    .fold{padding-top:4px;padding-bottom:4px}.fold[open]{padding-bottom:16px}
    .phases{max-width:280px;margin-top:8px}.phases .key{width:10px;height:10px}.excerpt{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.8125rem}#facts .fall{width:100%;max-width:560px;height:16px}
    @media print{.top{position:static}.tools,.acts,.skip,#said,footer,.pager{display:none!important}body{background:none}\
    .card,.headline,.row{break-inside:avoid;border-color:var(--edge)}details:not([open])>*{display:revert}}
    """
}
