# SPDX-License-Identifier: MIT
"""Draws lines over logarithmic axes as an SVG that is readable on light and on dark pages: text and axes take the
page's own choice by `prefers-color-scheme`, and lines are told apart by their marks too, not by colour alone."""

import math
from typing import NamedTuple
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 460, 300
LEFT, RIGHT, TOP, BOTTOM = 66, 30, 34, 44
STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600; font-size: 13px }
  .axis { stroke: #57606a } .grid { stroke: #d0d7de } .limit { stroke: #57606a; stroke-dasharray: 5 4 }
  .back { fill: #ffffff }
  .s0 { stroke: #0550ae; fill: #0550ae } .s1 { stroke: #bc4c00; fill: #bc4c00 } .s2 { stroke: #1a7f37; fill: #1a7f37 }
  .s3 { stroke: #8250df; fill: #8250df } .s4 { stroke: #9a6700; fill: #9a6700 } .s5 { stroke: #cf222e; fill: #cf222e }
  polyline { fill: none !important; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .axis { stroke: #8b949e } .grid { stroke: #30363d } .limit { stroke: #8b949e }
    .back { fill: #0d1117 }
    .s0 { stroke: #79c0ff; fill: #79c0ff } .s1 { stroke: #ffa657; fill: #ffa657 } .s2 { stroke: #56d364; fill: #56d364 }
    .s3 { stroke: #d2a8ff; fill: #d2a8ff } .s4 { stroke: #e3b341; fill: #e3b341 } .s5 { stroke: #ff7b72; fill: #ff7b72 }
  }
"""
MARKS = [
    lambda x, y: f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"/>',
    lambda x, y: f'<rect x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7"/>',
    lambda x, y: f'<path d="M{x:.1f} {y - 5:.1f}l5 9h-10z"/>',
    lambda x, y: f'<path d="M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5-5z"/>',
    lambda x, y: f'<path d="M{x - 4:.1f} {y - 4:.1f}l8 8m0-8l-8 8" stroke-width="2.5"/>',
    lambda x, y: f'<path d="M{x:.1f} {y + 5:.1f}l5-9h-10z"/>',
]


class Panel(NamedTuple):
    title: str
    unit: str
    # Points (x, y) by the name of their line.
    lines: dict


def draw(title, panels, x_label, columns=2):
    """One SVG of all panels; a line of the same name looks the same in each."""
    names = list(dict.fromkeys(name for panel in panels for name in panel.lines))
    rows = -(-len(panels) // columns)
    width, legend = columns * WIDTH, 26 + 20 * -(-len(names) // 4)
    height = rows * HEIGHT + legend
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">',
             f"<title>{escape(title)}</title>", f"<style>{STYLE}</style>",
             f'<rect class="back" width="{width}" height="{height}"/>']
    for index, name in enumerate(names):
        x, y = 24 + index % 4 * (width - 30) / 4, 22 + index // 4 * 20
        parts.append(f'<g class="s{index % 6}">{MARKS[index % 6](x, y - 4)}</g><text x="{x + 12:.0f}" y="{y}">{escape(name)}</text>')
    for index, panel in enumerate(panels):
        left, top = index % columns * WIDTH, legend + index // columns * HEIGHT
        parts.append(f'<g transform="translate({left} {top})">{one(panel, names, x_label)}</g>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def one(panel, names, x_label):
    points = [point for line in panel.lines.values() for point in line]
    xs, ys = decades([x for x, _ in points]), decades([y for _, y in points])

    def at(x, y):
        return (place(x, xs, LEFT, WIDTH - RIGHT), place(y, ys, HEIGHT - BOTTOM, TOP))

    parts = [f'<text class="title" x="{LEFT}" y="20">{escape(panel.title)}, {escape(panel.unit)}</text>']
    for exponent in range(xs[0], xs[1] + 1):
        x, _ = at(10**exponent, 10 ** ys[0])
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
                     f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 17}" text-anchor="middle">{words(10**exponent)}</text>')
    for exponent in range(ys[0], ys[1] + 1):
        _, y = at(10 ** xs[0], 10**exponent)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
                     f'<text x="{LEFT - 7}" y="{y + 4:.1f}" text-anchor="end">{words(10**exponent)}</text>')
    parts.append(f'<path class="axis" fill="none" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>'
                 f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle">{escape(x_label)}</text>')
    for name, line in panel.lines.items():
        index = names.index(name) % 6
        spots = [at(*point) for point in sorted(line)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        parts.append(f'<g class="s{index}"><polyline points="{path}"/>{"".join(MARKS[index](*spot) for spot in spots)}</g>')
    return "\n".join(parts)


def decades(values):
    """The powers of ten around the values, two at least."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def place(value, ends, start, end):
    return start + (math.log10(value) - ends[0]) / (ends[1] - ends[0]) * (end - start)


def words(value):
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"
