// SPDX-License-Identifier: MIT

import Basics

extension Layout {
  /// One style element for all pages: a grid of 4 px, touch targets of 44 px, and no colour that carries a meaning alone:
  /// in the ring each state is of a width of its own.
  static let style: Markup = Palette.style + rules

  private static let rules: Markup = """
    *{box-sizing:border-box}
    body{margin:0;background:var(--bg);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
    .wrap{max-width:1120px;margin:0 auto;padding:0 16px}
    a{color:var(--link)}
    a:focus-visible,input:focus-visible,button:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:2px solid var(--brand);outline-offset:2px}
    .only{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
    h1{font-size:24px;line-height:1.25;margin:0}
    h2{font-size:16px;margin:0 0 12px}
    .dim{color:var(--dim);font-size:13px}
    .num,.value,time,td.n{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;\
    font-variant-numeric:tabular-nums}
    .top{border-bottom:1px solid var(--line);background:var(--card)}
    .top .wrap{display:flex;flex-wrap:wrap;align-items:center;gap:4px 16px;min-height:56px;padding-top:8px;padding-bottom:8px}
    .brand{display:flex;align-items:center;gap:8px;font-weight:650;font-size:17px;color:var(--text);text-decoration:none;\
    min-height:44px;overflow-wrap:anywhere}
    .brand svg{width:24px;height:24px;flex:none}
    .gem{fill:var(--brand)}.facet{fill:var(--second)}
    .clock{margin-left:auto}
    main.wrap{display:grid;grid-template-columns:minmax(0,1fr);gap:16px;padding-top:16px;padding-bottom:24px}
    main>*,.split>*{min-width:0;margin:0}main>:empty{display:none}
    footer.wrap{padding-bottom:32px}footer a,.more{display:inline-flex;align-items:center;min-width:44px;min-height:44px;padding:0 8px;justify-content:center}
    summary{min-height:44px;padding:10px 4px;cursor:pointer}
    dl+.problems{margin-top:12px;border-top:1px solid var(--line);padding-top:12px}
    .card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px}
    .banner{border-radius:12px;padding:12px 16px;border:1px solid var(--line);border-left:4px solid var(--down);\
    background:var(--bad);font-weight:600}
    .banner a{display:flex;gap:8px;align-items:center;min-height:44px;color:inherit}.banner{margin:0;padding-top:4px;padding-bottom:4px;overflow-wrap:anywhere}
    .banner.warn{border-left-color:var(--degraded);background:var(--warn)}
    .cards{display:grid;grid-template-columns:repeat(6,1fr);gap:12px}
    .cards .card{padding:12px 16px;color:inherit;text-decoration:none;min-width:0}
    a.card:hover,.pie a:hover,.problems a:hover{border-color:var(--brand);text-decoration:underline}
    .cards b{display:block;font-size:13px;font-weight:500;color:var(--dim)}
    .value{font-size:24px;font-weight:600;line-height:1.3;overflow-wrap:anywhere}
    .state{font-weight:650;font-size:13px;white-space:nowrap}
    .state i{font-style:normal;display:inline-block;width:16px;text-align:center}
    .state.up i,.mark.up{color:var(--up)}.state.down i,.mark.down{color:var(--down)}
    .state.degraded i,.mark.degraded{color:var(--degraded)}.state.unknown i,.state.off i,.mark.unknown{color:var(--unknown)}
    .split{display:grid;grid-template-columns:minmax(0,304px) minmax(0,1fr);gap:16px;align-items:start}
    .pie{display:flex;gap:16px;align-items:center}
    .pie svg{width:112px;height:112px;flex:none}
    .pie ul,.problems{list-style:none;margin:0;padding:0}
    .pie li{white-space:nowrap}.pie li a,.problems li>a{display:block;color:inherit;text-decoration:none;min-height:44px;padding:10px 4px}
    .s-up{stroke:var(--up)}.s-down{stroke:var(--down)}.s-degraded{stroke:var(--degraded)}.s-unknown{stroke:var(--unknown)}\
    .s-maintenance{stroke:var(--maintenance)}
    .f-up{fill:var(--up)}.f-down{fill:var(--down)}.f-degraded{fill:var(--degraded)}.f-unknown{fill:var(--unknown)}
    .ring{fill:none;stroke-width:11}.ring.none{stroke:var(--line)}.ring.s-down{stroke-width:22}.ring.s-degraded{stroke-width:16}\
    .ring.s-unknown{stroke-width:7}.ring.s-maintenance{stroke-width:3}
    .pie text{fill:var(--text);font-size:22px;font-weight:650;text-anchor:middle}
    .problems li{padding:4px 0;border-top:1px solid var(--line);overflow-wrap:anywhere}
    .problems li:first-child{border-top:0;padding-top:0}
    .problems .hint{display:block;color:var(--dim);font-size:13px;padding-left:20px}
    .fine{color:var(--dim);margin:0}
    .tools{display:flex;flex-wrap:wrap;gap:8px;margin-bottom:12px;align-items:center}
    .tools form{display:flex;flex:1 1 220px;min-width:0;margin:0;gap:8px}
    input[type=search]{flex:1 1 0;width:100%;min-width:0;min-height:44px;padding:8px 12px;border:1px solid var(--edge);border-radius:8px;\
    background:var(--bg);color:var(--text);font:inherit}
    .button,button{display:inline-flex;align-items:center;min-height:44px;padding:8px 16px;border-radius:8px;border:1px solid \
    var(--edge);background:var(--bg);color:var(--text);font:inherit;text-decoration:none;cursor:pointer}
    .bar{display:flex;flex-wrap:wrap;gap:8px;justify-content:space-between}.bar form{margin:0}
    .tags{flex-basis:100%}h3{font-size:14px;margin:16px 0 4px;overflow-wrap:anywhere}
    .local{color:var(--dim)}td .local{display:block;white-space:nowrap}
    #checks{scroll-margin-top:8px}
    .chips{display:flex;flex-wrap:wrap;gap:8px}
    .chips a{display:inline-flex;align-items:center;gap:4px;min-height:44px;padding:4px 14px;border-radius:22px;border:1px solid \
    var(--edge);color:var(--text);text-decoration:none;white-space:nowrap}
    .chips a[aria-current]{border-color:var(--brand);box-shadow:inset 0 0 0 1px var(--brand);font-weight:600}
    .checks{list-style:none;margin:0;padding:0}
    .checks>li{border-top:1px solid var(--line)}
    .row{display:grid;grid-template-columns:112px minmax(0,1fr) 160px 88px repeat(4,72px);gap:4px 12px;align-items:center;\
    padding:10px 4px;min-height:56px;color:inherit;text-decoration:none;border-radius:8px}
    a.row:hover{background:var(--bg)}
    .row>*{min-width:0}
    .row .name{font-weight:600;overflow-wrap:anywhere}
    .row .target{display:block;color:var(--dim);font-size:13px;font-weight:400;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
    .row .r{text-align:right}
    .row small,.up small{display:block;color:var(--dim);font-size:11px;line-height:1.3}
    .row .num{font-size:13px}
    .row b.k,.places b.k{display:none}
    .head{color:var(--dim);font-size:12px;min-height:0;padding:0 4px 6px}
    .spark{display:block;width:100%;max-width:160px;height:28px}
    .stale{color:var(--text);background:var(--warn);border-radius:4px;padding:0 6px;font-size:11px}
    .badge{color:var(--dim);border:1px solid;border-radius:4px;padding:0 6px;font-size:11px}
    .parts{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:16px}#elsewhere{margin-top:16px}
    dl{display:grid;grid-template-columns:auto minmax(0,1fr);gap:4px 16px;margin:0}
    dt{color:var(--dim)}dd{margin:0;text-align:right;overflow-wrap:anywhere}
    .hero{display:flex;flex-wrap:wrap;gap:8px 24px;align-items:center}
    .hero .big{font-size:40px;line-height:1;width:48px;text-align:center}
    .hero .state{font-size:20px}
    .hero>div{min-width:0;overflow-wrap:anywhere}
    .uptimes{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:12px}
    .uptimes .card b{font-weight:600}
    .chart{width:100%;height:auto;display:block}
    .grid{stroke:var(--line);stroke-width:1}
    .line{fill:none;stroke:var(--brand);stroke-width:2;stroke-linejoin:round;stroke-linecap:round;vector-effect:non-scaling-stroke}
    .area{fill:url(#fade)}.fade-a{stop-color:var(--brand);stop-opacity:.3}.fade-b{stop-color:var(--brand);stop-opacity:0}
    .chart text{fill:var(--dim);font-size:12px;font-family:ui-monospace,Menlo,Consolas,monospace}
    .chart text.f-down{fill:var(--down)}.chart text.f-unknown{fill:var(--unknown)}
    .facts{grid-template-columns:max-content minmax(0,1fr)}.facts dd{text-align:left}
    .scroll{overflow-x:auto}.scroll .chart{min-width:560px}
    table{border-collapse:collapse;width:100%;font-size:14px}
    th{font-weight:500;color:var(--dim);text-align:left;font-size:12px;padding:0 12px 6px 0;white-space:nowrap}
    td{border-top:1px solid var(--line);padding:8px 12px 8px 0;vertical-align:top}
    td.n{white-space:nowrap;font-size:13px}
    td.why{min-width:180px;overflow-wrap:anywhere}
    .fall{width:120px;height:10px;display:block;margin-top:6px;border-radius:2px}
    .w-dns{fill:var(--dns)}.w-connect{fill:var(--connect)}.w-starttls{fill:var(--starttls)}.w-tls{fill:var(--tls)}.w-first{fill:var(--first)}.w-rest{fill:var(--rest)}
    .legend{display:flex;flex-wrap:wrap;gap:4px 16px;margin-top:8px}
    .legend svg{width:10px;height:10px;margin-right:4px}
    .empty{text-align:center;padding:40px 16px}
    .empty p{color:var(--dim)}
    .pager{display:flex;flex-wrap:wrap;gap:8px;align-items:center;margin-top:12px}
    .row .ups{display:contents}
    @media(max-width:960px){.cards{grid-template-columns:repeat(3,1fr)}.split,.parts{grid-template-columns:minmax(0,1fr)}\
    .row{grid-template-columns:104px minmax(0,1fr) 88px}.row.head{display:none}.row .drawn{grid-column:1/-1;grid-row:2}.spark{max-width:none}.row .up{text-align:left}\
    .row .up,.row .age{font-size:12px}.row b.k{display:block;font-weight:400;font-size:11px;color:var(--dim)}\
    .row .ups{grid-column:1/-1;grid-row:3;display:grid!important;grid-template-columns:repeat(4,minmax(0,1fr));gap:8px}}
    @media(max-width:560px){.wrap{padding-left:12px;padding-right:12px}.clock{margin-left:0}.cards{grid-template-columns:repeat(2,1fr);gap:8px}\
    .uptimes{grid-template-columns:repeat(2,minmax(0,1fr))}.row{grid-template-columns:minmax(0,1fr) auto}\
    .row .st{grid-column:1}.row .lat{grid-column:2;grid-row:1}.row .who{grid-column:1/-1;grid-row:2}.row .drawn{grid-row:3}.row .ups{grid-row:4}.row small{font-size:12px}\
    .hide-s{display:none}.chips{flex-wrap:nowrap;overflow-x:auto;margin:0 -16px;padding:4px 16px}.tools .chips{flex:1 0 100%;min-width:0}\
    .chips a{flex:none}}
    @media(prefers-reduced-motion:no-preference){.row,.chips a{transition:background-color .2s}}
    @media(forced-colors:active){.chips a[aria-current]{border:3px solid Highlight}.stale{border:1px solid}}
    """
}
