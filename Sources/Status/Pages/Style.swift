// SPDX-License-Identifier: MIT

import Basics

extension Layout {
  /// One style element for all pages: a grid of 4 px, touch targets of 44 px, letters in rem, which follow the reader's size, and
  /// no colour that carries a meaning alone.
  static let style: Markup = Palette.style + rules

  private static let rules: Markup = """
    *{box-sizing:border-box}
    body{margin:0;background:var(--bg);color:var(--text);font:.9375rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
    .wrap{max-width:1120px;margin:0 auto;padding:0 16px}
    a{color:var(--link)}
    a:focus-visible,input:focus-visible,button:focus-visible,select:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:2px solid var(--brand);outline-offset:2px}
    .only{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
    h1{font-size:1.75rem;line-height:1.25;margin:0}
    h2{font-size:1.375rem;line-height:1.25;margin:0 0 12px}
    .dim{color:var(--dim);font-size:.8125rem}
    .num,.value,time,td.n{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;\
    font-variant-numeric:tabular-nums}.ago{word-spacing:-.25em}
    .top{border-bottom:1px solid var(--line);background:var(--card);position:sticky;top:0;z-index:2}html{scroll-padding-top:72px}
    .top .wrap{display:flex;flex-wrap:wrap;align-items:center;gap:4px 16px;min-height:56px;padding-top:8px;padding-bottom:8px}
    .brand{display:flex;align-items:center;gap:8px;font-weight:650;font-size:1.0625rem;color:var(--text);text-decoration:none;\
    min-height:44px;overflow-wrap:anywhere}
    .brand svg{width:24px;height:24px;flex:none}
    .gem{fill:var(--brand)}.facet{fill:var(--second)}
    .clock{margin-left:auto;white-space:nowrap}
    main.wrap{display:grid;grid-template-columns:minmax(0,1fr);gap:16px;padding-top:16px;padding-bottom:24px}
    main>*{min-width:0;margin:0}main>:empty{display:none}
    footer.wrap{padding-bottom:32px}footer a,.more{display:inline-flex;align-items:center;min-width:44px;min-height:44px;padding:0 8px;justify-content:center}
    summary{min-height:44px;padding:10px 4px;cursor:pointer}
    dl+.problems{margin-top:12px;border-top:1px solid var(--line);padding-top:12px}
    .card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px}
    .banner{border-radius:12px;padding:12px 16px;border:1px solid var(--line);border-left:4px solid var(--down);\
    background:var(--bad);font-weight:600}
    .banner{margin:0;overflow-wrap:anywhere}
    .banner.warn{border-left-color:var(--degraded);background:var(--warn)}
    .problems a:hover{text-decoration:underline}
    .value{font-size:1.5rem;font-weight:600;line-height:1.3;overflow-wrap:anywhere}
    .state{font-weight:650;font-size:.8125rem;white-space:nowrap}
    .state i{font-style:normal;display:inline-block;width:16px;text-align:center}
    .state.up i,.mark.up{color:var(--up)}.state.down i,.mark.down{color:var(--down)}
    .state.degraded i,.mark.degraded{color:var(--degraded)}.state.unknown i,.state.off i,.mark.unknown{color:var(--unknown)}
    .problems{list-style:none;margin:0;padding:0}
    .problems li>a{display:block;color:inherit;text-decoration:none;min-height:44px;padding:10px 0}
    .s-up{stroke:var(--up)}.s-down{stroke:var(--down)}.s-degraded{stroke:var(--degraded)}.s-unknown{stroke:var(--unknown)}\
    .s-maintenance{stroke:var(--maintenance)}
    .f-up{fill:var(--up)}.f-down{fill:var(--down)}.f-degraded{fill:var(--degraded)}.f-unknown{fill:var(--unknown)}
    .problems li{padding:4px 0;border-top:1px solid var(--line);overflow-wrap:anywhere}
    .problems li:first-child{border-top:0;padding-top:0}
    .hint{display:block;color:var(--dim);font-size:.8125rem;padding-left:20px}
    .fine{color:var(--dim);margin:0}
    input:not([type=hidden]),select{flex:1 1 0;width:100%;min-width:0;min-height:44px;padding:8px 12px;border:1px solid var(--edge);border-radius:8px;\
    background:var(--bg);color:var(--text);font:inherit}
    .button,button{display:inline-flex;align-items:center;min-height:44px;padding:8px 16px;border-radius:8px;border:1px solid \
    var(--edge);background:var(--bg);color:var(--text);font:inherit;text-decoration:none;cursor:pointer}
    .bar{display:flex;flex-wrap:wrap;gap:8px}.bar>:first-child{margin-inline-end:auto}.bar form{margin:0}
    h3{font-size:.875rem;margin:16px 0 4px;overflow-wrap:anywhere}
    .local{color:var(--dim)}td .local{display:block;white-space:nowrap}
    #checks{scroll-margin-top:8px}
    .chips{display:flex;flex-wrap:wrap;gap:8px}
    .chips a{display:inline-flex;align-items:center;gap:4px;min-height:44px;padding:4px 14px;border-radius:22px;border:1px solid \
    var(--edge);color:var(--text);text-decoration:none;white-space:nowrap}
    .chips a[aria-current]{border-color:var(--action);background:var(--action);color:var(--onaction);font-weight:600}.chips a[aria-current] .mark{color:var(--onaction)}
    .places b.k{display:none}
    .stale{color:var(--text);background:var(--warn);border-radius:4px;padding:0 6px;font-size:.6875rem}
    .badge{color:var(--dim);border:1px solid;border-radius:4px;padding:0 6px;font-size:.6875rem}
    .parts{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:16px}#elsewhere{margin-top:16px}
    dl{display:grid;grid-template-columns:auto minmax(0,1fr);gap:4px 16px;margin:0}
    dt{color:var(--dim)}dd{margin:0;text-align:right;overflow-wrap:anywhere}
    .hero{display:flex;gap:8px 16px;align-items:center}
    .hero .big{font-size:2.5rem;line-height:1;width:48px;text-align:center}
    .hero .state{font-size:1.25rem}
    .hero>div{min-width:0;overflow-wrap:anywhere}
    .uptimes{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:12px}
    .uptimes .card b{font-weight:600}
    .chart{width:100%;height:auto;display:block}
    .grid{stroke:var(--line);stroke-width:1}
    .line{fill:none;stroke:var(--brand);stroke-width:2;stroke-linejoin:round;stroke-linecap:round;vector-effect:non-scaling-stroke}
    .area{fill:url(#fade)}.fade-a{stop-color:var(--brand);stop-opacity:.3}.fade-b{stop-color:var(--brand);stop-opacity:0}
    .chart text{fill:var(--dim);font-size:.75rem;font-family:ui-monospace,Menlo,Consolas,monospace}
    .chart text.f-down{fill:var(--down)}.chart text.f-unknown{fill:var(--unknown)}
    .facts{grid-template-columns:max-content minmax(0,1fr)}.facts dd{text-align:left}
    .scroll{overflow-x:auto}.scroll .chart{min-width:560px}
    table{border-collapse:collapse;width:100%;font-size:.875rem}
    th{font-weight:500;color:var(--dim);text-align:left;font-size:.75rem;padding:0 12px 6px 0;white-space:nowrap}
    td{border-top:1px solid var(--line);padding:8px 12px 8px 0;vertical-align:top}
    td.n{white-space:nowrap;font-size:.8125rem}
    td.why{min-width:180px;overflow-wrap:anywhere}
    .fall{width:120px;height:10px;display:block;margin-top:6px;border-radius:4px}
    .w-dns{fill:var(--dns)}.w-connect{fill:var(--connect)}.w-starttls{fill:var(--starttls)}.w-tls{fill:var(--tls)}.w-first{fill:var(--first)}.w-rest{fill:var(--rest)}
    .legend{display:flex;flex-wrap:wrap;gap:4px 16px;margin-top:8px}
    .legend svg{width:10px;height:10px;margin-right:4px}
    .empty{text-align:center;padding:40px 16px}
    .empty p{color:var(--dim)}
    .pager{display:flex;flex-wrap:wrap;gap:8px;align-items:center;margin-top:12px}
    @media(max-width:60em){.parts{grid-template-columns:minmax(0,1fr)}}
    @media(max-width:35em){.wrap{padding-left:12px;padding-right:12px}.card{padding:12px}\
    .hide-s{display:none}.chips{flex-wrap:nowrap;overflow-x:auto;margin:0 -12px;padding:4px 12px}.chips a{flex:none}}
    .problems li>a,a.member,a.row{position:relative;padding-right:1rem}\
    .problems li>a::after,a.member::after,a.row::after{content:"›";content:"›"/"";position:absolute;right:4px;top:8px;color:var(--dim)}
    .tip{position:fixed;z-index:4;margin:0;max-width:min(20rem,calc(100vw - 16px));padding:4px 8px;border:1px solid var(--edge);border-radius:8px;background:var(--card);font-size:.8125rem;pointer-events:none}
    @media(prefers-reduced-motion:no-preference){.row:hover,.chips a:hover,.button:hover,button:hover,.count:hover{transition:background-color .2s,border-color .2s}\
    #said>*,.tip,details[open]>summary~*{animation:come .2s ease-out}@keyframes come{from{opacity:0}}}
    @media(forced-colors:active){.chips a[aria-current]{border:3px solid Highlight}.stale{border:1px solid}}
    """
}
