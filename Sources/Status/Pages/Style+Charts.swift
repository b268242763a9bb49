// SPDX-License-Identifier: MIT

import Basics

extension Layout {
  /// Of what a check's page draws of its past.
  static let chartStyle: Markup = """
    .strip{display:block;width:100%;height:28px;margin:8px 0 4px;border-radius:4px}
    .f-maintenance{fill:var(--maintenance)}.f-none{fill:var(--dim)}
    .p95{fill:none;stroke:var(--second);stroke-width:2;stroke-dasharray:5 4;stroke-linejoin:round;vector-effect:non-scaling-stroke}
    .under{fill:url(#fade-window)}.hatch{stroke:var(--down);stroke-width:2}
    .shade{fill:url(#hatch);opacity:.45}
    .legend .key{width:20px;height:10px}.legend .cell{width:6px;height:20px;vertical-align:-5px}
    .present{direction:rtl;margin-top:12px;padding:2px}.present>div{direction:ltr;min-width:720px}.present .chart{min-width:0}
    .uptimes .card{min-width:0}.far{display:none}
    .way{table-layout:fixed;max-width:760px}.way thead th{white-space:normal}.way th[scope=row]{position:relative;border-top:0;padding:8px 0 8px 2px;color:var(--text);font-size:.8125rem;vertical-align:top}
    .way th:first-child{width:52px}.way td{overflow-wrap:anywhere;border-top:0;padding-bottom:12px}.way td>span,.way td>b{display:block;font-size:.8125rem}.way tbody .num{font-size:.875rem}
    .way th svg{position:absolute;left:0;top:0;width:20px;height:100%}.way tbody tr:first-child svg{top:16px;height:calc(100% - 16px)}.way tbody tr:last-child svg{height:16px}.way th span{position:relative;display:inline-block;width:16px;text-align:center;background:var(--card);margin-right:8px}
    .way .rail,.way .gone{fill:none;stroke:var(--edge);stroke-width:2;vector-effect:non-scaling-stroke}.way .gone{stroke-dasharray:3 5}
    .way .cut td>b{display:inline}.way .cut td{background:var(--bad);padding:8px;border-radius:8px;font-size:.875rem}.sum{margin:0 0 8px;overflow-wrap:anywhere}
    @media(max-width:35em){.present>div{min-width:800px}.chart text{font-size:.8125rem}.chart text.far{display:block;paint-order:stroke;stroke:var(--card);stroke-width:6px}.uptimes{grid-template-columns:minmax(0,1fr)}\
    .stack thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}\
    .stack tr{display:flex;flex-wrap:wrap;gap:2px 12px;border-top:1px solid var(--line);padding:8px 0}\
    .stack td{border:0;padding:0}.stack td:nth-child(3){flex:1 1 72px;min-width:0}.stack td.why{flex:1 0 100%;min-width:0}\
    .places tr{display:grid;grid-template-columns:repeat(3,minmax(0,1fr))}.places td.says{grid-column:2/-1}\
    .places td.n{text-align:left}.places td b.k{display:block;font-weight:400;font-size:.6875rem;color:var(--dim)}}
    @media(forced-colors:active){.strip rect,.chart path,.chart rect{forced-color-adjust:none}}
    """
}
