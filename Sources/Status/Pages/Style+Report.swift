// SPDX-License-Identifier: MIT

import Basics

extension Layout {
  /// Of a report, which is a document of its own. On paper it is light, and each group begins a page.
  static let reportStyle: Markup = """
    *{box-sizing:border-box}
    body{margin:0 auto;max-width:1280px;padding:16px;background:var(--bg);color:var(--text);font:.9375rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
    h1{font-size:1.75rem;line-height:1.25;margin:0}h2{font-size:1.125rem;margin:0 0 8px;overflow-wrap:anywhere}h3{font-size:.9375rem;margin:16px 0 4px}
    p{margin:4px 0}.dim,small{color:var(--dim);font-size:.8125rem}small{display:block;white-space:nowrap}footer{margin-top:16px}
    .bar{display:flex;flex-wrap:wrap;gap:8px;margin-bottom:16px}
    .button{display:inline-flex;align-items:center;min-height:44px;padding:8px 16px;border-radius:8px;border:1px solid var(--edge);color:var(--text);text-decoration:none}
    a:focus-visible,[tabindex]:focus-visible{outline:2px solid var(--brand);outline-offset:2px}
    .group{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px;margin-top:16px}
    .scroll{overflow-x:auto}
    table{border-collapse:collapse;width:100%;font-size:.875rem}
    thead th{font-weight:500;color:var(--dim);text-align:left;font-size:.75rem;padding:0 12px 6px 0;white-space:nowrap}
    tbody th{font-weight:600;text-align:left;min-width:160px;overflow-wrap:anywhere}
    tbody th,td{border-top:1px solid var(--line);padding:8px 12px 8px 0;vertical-align:top}
    td{white-space:nowrap;font-variant-numeric:tabular-nums}
    .strip{display:block;width:100%;height:20px;margin-top:6px}
    .f-up{fill:var(--up)}.f-down{fill:var(--down)}.f-degraded{fill:var(--degraded)}.f-maintenance{fill:var(--maintenance)}.f-none{fill:var(--dim)}
    .mark.up{color:var(--up)}.mark.down{color:var(--down)}
    ul{margin:4px 0;padding-left:20px}li{overflow-wrap:anywhere}
    @media(min-width:56em) and (max-width:74em){table{font-size:.8125rem}.checks td,.checks thead th{padding-right:8px;white-space:normal}.checks tbody th{min-width:7.5rem}.checks small{white-space:normal}}
    @page{size:A4 landscape;margin:12mm}
    @media print{\(Palette.light)body{max-width:none;padding:0;background:none;font-size:9pt;print-color-adjust:exact;-webkit-print-color-adjust:exact}
    .bar{display:none}.group{border:0;background:none;padding:0}.group+.group{break-before:page}.scroll{overflow:visible}
    table{font-size:8.5pt}tr,li{break-inside:avoid}h2,h3{break-after:avoid}td,thead th{padding-right:8px}}
    @media(forced-colors:active){.strip rect{forced-color-adjust:none}}
    """
}
