// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Tracing

/// The way to a check's target, drawn router by router: how it was when something was wrong, beside how it was while the
/// target worked. The place where it is broken is a row of its own, with a mark and words.
struct TraceSection {
  let view: TraceView
  let now: Timestamp

  /// Answers that one place shows.
  private static let answers = 3
  /// Rows of the drawing at most.
  private static let rows = 64

  func render() -> Markup {
    if let latest = view.latest { return section(latest) }
    if let good = view.good { return section(good: good) }
    return ""
  }

  // MARK: what is said

  private func section(_ latest: TraceView.Latest) -> Markup {
    let comparison = latest.comparison
    let isBroken = comparison.brokenAfter != nil
    let mark =
      isBroken
      ? CheckState.down.mark : comparison.changes.isEmpty ? CheckState.up.mark : CheckState.degraded.mark
    let style = isBroken ? "down" : comparison.changes.isEmpty ? "up" : "degraded"
    let more: [Markup] = comparison.changes.dropFirst(2).map { "<li>\($0.words)</li>" }
    let list: Markup = more.isEmpty ? "" : "<ul class=\"fine\">\(Markup(more))</ul>"
    let pending: Markup = view.isPending ? " <span class=\"stale\">being looked at again</span>" : ""
    return """
      <section class="card" id="path"><h2>Path</h2>
      <p class="sum"><span class="mark \(style)" aria-hidden="true">\(mark)</span> \(comparison.summary)\(pending)</p>\(list)
      <p class="dim">Looked at \(Layout.moment(latest.trace.startedAt)) UTC, \(StatusFormat.ago(latest.trace.startedAt, now: now)), because \(latest.why). \
      \(facts(latest.trace))</p>
      \(drawing(latest.trace, before: latest.before, brokenAfter: comparison.brokenAfter))
      \(legend(isBroken: isBroken))\(threshold)\(link)</section>
      """
  }

  private func section(good: RouteTrace) -> Markup {
    let pending: Markup = view.isPending ? " <span class=\"stale\">being looked at</span>" : ""
    return """
      <section class="card" id="path"><h2>Path</h2>
      <p class="sum"><span class="mark up" aria-hidden="true">\(CheckState.up.mark)</span> \(TraceComparison(good, good: nil).shortSummary)\(pending)</p>
      <p class="dim">Looked at \(Layout.moment(good.startedAt)) UTC, \(StatusFormat.ago(good.startedAt, now: now)), while the target worked. \(facts(good))</p>
      \(drawing(good, before: nil, brokenAfter: nil, isGood: true))
      \(legend(isBroken: false))\(threshold)\(link)</section>
      """
  }

  private func facts(_ trace: RouteTrace) -> String {
    let port = trace.target.port == 0 ? "" : ", port \(trace.target.port)"
    var words = "To \(trace.target.address)\(port) by \(trace.method.rawValue)"
    if let mtu = trace.mtu { words += "; packets of \(mtu) bytes get through" }
    return words + "."
  }

  private var threshold: Markup {
    if let slow = view.slowFrom {
      return
        "<p class=\"dim\">Also looked at when a result takes more than \(StatusFormat.latency(slow)).</p>"
    }
    guard let results = view.results else { return "" }
    return
      "<p class=\"dim\">The usual response time is known after \(Int(clamping: TraceUsual.enough)) results; there are \(Int(clamping: results)).</p>"
  }

  private var link: Markup {
    "<p class=\"dim\">Routers limit how often they answer: one that is silent, or loses packets while later ones do not, is not at fault.</p>"
  }

  // MARK: the drawing

  private func drawing(
    _ trace: RouteTrace, before: RouteTrace?, brokenAfter: Int?, isGood: Bool = false
  ) -> Markup {
    let last = min(max(trace.hops.last?.ttl ?? 0, before?.lastTTL ?? 0, trace.lastTTL), Self.rows)
    let shown = brokenAfter.map { max(min(last, max($0 + 1, before?.lastTTL ?? 0)), $0) } ?? last
    var rows: [Markup] = []
    if brokenAfter == 0 { rows.append(cut(before != nil, trace)) }
    for ttl in stride(from: 1, through: shown, by: 1) {
      rows.append(row(ttl, trace, before, brokenAfter))
      if ttl == brokenAfter { rows.append(cut(before != nil, trace)) }
    }
    guard !rows.isEmpty else { return "" }
    let heading: Markup = isGood ? "While it worked" : "When something was wrong"
    let other: Markup =
      before.map { "<th scope=\"col\">While it worked<br>\(Layout.moment($0.startedAt))</th>" } ?? ""
    let when: Markup = isGood ? "" : "<br>\(Layout.moment(trace.startedAt))"
    return """
      <table class="way"><caption class="only">Routers on the way, from this agent to the target</caption>
      <thead><tr><th scope="col"><span class="only">Hop</span></th><th scope="col">\(heading)\(when)</th>\(other)</tr></thead>
      <tbody>\(Markup(rows))</tbody></table>
      """
  }

  private func row(_ ttl: Int, _ trace: RouteTrace, _ before: RouteTrace?, _ brokenAfter: Int?) -> Markup {
    let isBehind = brokenAfter.map { ttl > $0 } ?? false
    let hop = trace.hops.first { $0.ttl == ttl }
    let old = before?.hops.first { $0.ttl == ttl }
    let target = trace.target.address
    let isTarget =
      (hop?.answers.isEmpty == false ? hop : old)?.answers.contains { $0.address == target } ?? false
    let answers = hop?.answers.isEmpty == false
    let mark = isTarget ? "◆" : answers ? "●" : "○"
    let rail: Markup = """
      <svg viewBox="0 0 4 100" preserveAspectRatio="none" aria-hidden="true"><path class="\(isBehind ? "gone" : "rail")" d="M2 0V100"/></svg>
      """
    let other: Markup =
      before == nil ? "" : "<td>\(cell(old, target, isAbsent: before.map { ttl > $0.lastTTL } ?? true))</td>"
    let isChanged = trace.end.isReached && changed(hop, old)
    let note: Markup = isChanged ? "<b class=\"dim\">another than before</b>" : ""
    return """
      <tr><th scope="row">\(rail)<span aria-hidden="true">\(mark)</span><b>\(ttl)</b></th>\
      <td>\(cell(hop, target, isAbsent: isBehind || ttl > trace.lastTTL))\(note)</td>\(other)</tr>

      """
  }

  private func changed(_ hop: TraceHop?, _ old: TraceHop?) -> Bool {
    guard let hop, let old, hop.answers.count == 1, old.answers.count == 1 else { return false }
    return hop.answers[0].address != old.answers[0].address
  }

  private func cut(_ isWide: Bool, _ trace: RouteTrace) -> Markup {
    let cells: Markup = isWide ? " colspan=\"2\"" : ""
    return """
      <tr class="cut"><th scope="row"><svg viewBox="0 0 4 100" preserveAspectRatio="none" aria-hidden="true"><path class="rail" d="M2 0V28"/>\
      <path class="gone" d="M2 72V100"/></svg><span class="mark down" role="img" aria-label="broken">✕</span></th>\
      <td\(cells)><b>Broken here</b>: no \(trace.method.rawValue) packet is seen to come through</td></tr>

      """
  }

  private func cell(_ hop: TraceHop?, _ target: IPAddress, isAbsent: Bool) -> Markup {
    guard let hop, !hop.answers.isEmpty else {
      return isAbsent ? "<span class=\"dim\">–</span>" : "<span class=\"dim\">no answer</span>"
    }
    let shown = hop.answers.prefix(Self.answers).map { answer($0, target) }
    let rest = hop.answers.count - shown.count
    let more: Markup = rest > 0 ? "<span class=\"dim\">and \(rest) more share the traffic</span>" : ""
    let lost = max(0, hop.sent - hop.received)
    let loss: Markup = lost > 0 ? "<span class=\"dim\">\(lost) of \(hop.sent) without an answer</span>" : ""
    let method: Markup = hop.method.map { "<b>by \($0.rawValue)</b>" } ?? ""
    return Markup(shown) + more + loss + method
  }

  private func answer(_ answer: TraceAnswer, _ target: IPAddress) -> Markup {
    let name: Markup = answer.name.map { "<span class=\"dim\">\($0.printable(maxBytes: 120))</span>" } ?? ""
    let network: Markup =
      answer.network.map { "<span class=\"dim\">\($0.printable(maxBytes: 80))</span>" } ?? ""
    let says: Markup = answer.says.map { "<b>says \($0.printable(maxBytes: 80))</b>" } ?? ""
    let labels = answer.labels.map { String($0.label) }.joined(separator: ", ")
    let mpls: Markup = labels.isEmpty ? "" : "<span class=\"dim\">MPLS label \(labels)</span>"
    let isTarget: Markup = answer.address == target ? "<b>the target</b>" : ""
    return """
      <span class="num">\(answer.address.description)</span>\(isTarget)\(name)\(network)\
      <span class="num dim">\(StatusFormat.latency(answer.best))</span>\(mpls)\(says)
      """
  }

  private func legend(isBroken: Bool) -> Markup {
    let cut: Markup = isBroken ? "<span>✕ broken link</span>" : ""
    return
      "<p class=\"legend dim\"><span>● answers</span><span>○ no answer</span><span>◆ the target</span>\(cut)<span>times are the shortest seen</span></p>"
  }
}
