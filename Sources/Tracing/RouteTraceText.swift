// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// A trace for people: what was asked and how, a table of the hops, and how it ended.
package struct RouteTraceText: Sendable {
  package var trace: RouteTrace
  package var width: Int
  package var color: Bool
  /// It goes no further; else nothing is said of how it ended.
  package var isComplete: Bool

  package init(_ trace: RouteTrace, width: Int = 120, color: Bool = false, isComplete: Bool = true) {
    (self.trace, self.width, self.color, self.isComplete) = (trace, width, color, isComplete)
  }

  package var lines: [String] {
    let text =
      head.folded(width: width, hanging: 2, breaksWords: true) + table.lines
      + (isComplete ? tail : []).flatMap { $0.folded(width: width, hanging: 2, breaksWords: true) }
    return text
  }

  package var text: String { lines.map { $0 + "\n" }.joined() }

  /// `shop.example (192.0.2.7) port 443: TCP to port 443, the service's own; 3 flows`
  private var head: String {
    let host = trace.host.printable(maxBytes: 255)
    let address = host == trace.target.address.description ? host : "\(host) (\(trace.target.address))"
    let port = trace.target.port == 0 ? "" : " port \(trace.target.port)"
    return "\(address)\(port): \(trace.why); \(counted(trace.flows, "flow"))"
  }

  private var table: TextTable {
    let hasNetworks = trace.hops.contains { $0.answers.contains { $0.network != nil } }
    var columns: [TextTable.Column] = [
      .fixed("HOP", 3, right: true), .flexible("ROUTER", least: 15, share: 3),
    ]
    if hasNetworks { columns.append(.flexible("NETWORK", least: 8, most: 28, worth: 1)) }
    columns += [
      .fixed("LOSS", 5, right: true), .flexible("SENT", least: 4, right: true, worth: 2),
      .flexible("BEST", least: 7, right: true), .flexible("AVG", least: 7, right: true, worth: 4),
      .flexible("WORST", least: 7, right: true, worth: 3), .flexible("NOTE", least: 8, share: 2, worth: 5),
    ]
    let rows = trace.hops.indices.flatMap { self.cells(of: $0, hasNetworks) }
    return TextTable(columns: columns, rows: rows, width: width, color: color)
  }

  private func cells(of index: Int, _ hasNetworks: Bool) -> [[TextTable.Cell]] {
    let hop = trace.hops[index]
    let number = TextTable.Cell("\(hop.ttl)")
    guard !hop.answers.isEmpty else {
      let silence = hop.sent == 0 ? "not asked" : "no answer"
      return [
        [number, .init("*")] + (hasNetworks ? [""] : [])
          + [
            hop.sent == 0 ? "" : .init("100%", color: lossColor(index)), .init("\(hop.sent)"), "", "", "",
            .init(silence),
          ]
      ]
    }
    return hop.answers.enumerated().map { place, answer in
      let loss = "\(whole(hop.loss.rounded(), in: 0...100))%"
      return [place == 0 ? number : "", .init(answer.label)]
        + (hasNetworks ? [.init(answer.network ?? "")] : [])
        + [
          place == 0 ? .init(loss, color: hop.loss > 0 ? lossColor(index) : nil) : "",
          place == 0 ? .init("\(hop.sent)") : "", .init(answer.best.short), .init(answer.average.short),
          .init(answer.worst.short), .init(notes(index, answer, isFirst: place == 0)),
        ]
    }
  }

  private func lossColor(_ index: Int) -> String? { trace.isOwnSilence(index) ? nil : "31" }

  private func notes(_ index: Int, _ answer: TraceAnswer, isFirst: Bool) -> String {
    let hop = trace.hops[index]
    var notes: [String] = []
    if let says = answer.says { notes.append(says) }
    if let method = hop.method, isFirst { notes.append("by \(method.rawValue)") }
    if hop.answers.count > 1 {
      notes.append("flow " + answer.flows.map { "\($0 + 1)" }.joined(separator: ","))
    }
    for narrowing in trace.narrowings where narrowing.ttl == hop.ttl && isFirst {
      let words =
        narrowing.isSilent ? "larger than \(narrowing.mtu) bytes vanish" : "next link \(narrowing.mtu) bytes"
      notes.append(words)
    }
    if !answer.labels.isEmpty {
      notes.append("MPLS " + answer.labels.map { "\($0.label)" }.joined(separator: "/"))
    }
    if isFirst, hop.loss > 0, trace.isOwnSilence(index) { notes.append("answers seldom") }
    let isKnown = trace.hops.prefix(index).contains { $0.answers.contains { $0.address == answer.address } }
    if !isKnown, let back = trace.wayBack(answer, at: hop.ttl) { notes.append("\(back) hops back") }
    return notes.joined(separator: ", ")
  }

  private var tail: [String] {
    var lines = [trace.end.sentence(trace)]
    for narrowing in trace.narrowings {
      let place = narrowing.ttl.map { "behind hop \($0)" } ?? "on the route"
      let who = narrowing.by.map { " (\($0))" } ?? ""
      lines.append(
        narrowing.isSilent
          ? "Packets larger than \(narrowing.mtu) bytes vanish \(place)\(who), without an ICMP error."
          : "The link \(place)\(who) takes packets of \(narrowing.mtu) bytes at most.")
    }
    if let mtu = trace.mtu { lines.append("Packets of \(mtu) bytes reach the target without fragmentation.") }
    return lines
  }
}

extension RouteTrace {
  /// Whether the loss at a hop is that router's own way of answering seldom (RFC 1812 4.3.2.8) and says nothing of the
  /// path: a hop behind it has less loss.
  package func isOwnSilence(_ index: Int) -> Bool {
    let loss = hops[index].loss
    guard loss > 0 else { return false }
    return hops.dropFirst(index + 1).contains { !$0.answers.isEmpty && $0.loss < loss }
  }

  /// Number of hops of the return path, where it is not as long as the forward path. The first TTL of an answer is not
  /// known: 32, 64, 128 and 255 are what systems use, and the nearest above is taken.
  package func wayBack(_ answer: TraceAnswer, at ttl: Int) -> Int? {
    guard let left = answer.replyTTL, answer.says == nil,
      let first = [32, 64, 128, 255].first(where: { $0 >= left })
    else { return nil }
    let back = first - left + 1
    return back == ttl ? nil : back
  }
}

extension TraceEnd {
  /// One line for people.
  package func sentence(_ trace: RouteTrace) -> String {
    let target = trace.host.printable(maxBytes: 255)
    switch self {
    case .reached(let says):
      let hops = trace.hops.count
      return "\(target) was reached over \(counted(hops, "hop")): \(says)."
    case .refused(let by, let ttl, let says):
      let place = ttl == 0 ? "This machine" : "Hop \(ttl)"
      guard let by else { return "\(target) was not reached: \(says)." }
      return "\(target) was not reached. \(place) (\(by)) says: \(says)."
    case .silent(let ttl):
      return ttl == 0
        ? "\(target) was not reached: no answer."
        : "\(target) was not reached: silence behind hop \(ttl)."
    case .loop(let ttl): return "\(target) was not reached: packets go in a circle from hop \(ttl) on."
    case .fault(let why): return "The route is not known: \(why)."
    }
  }
}

extension TraceAnswer {
  /// `gateway.example (192.0.2.1)`
  package var label: String { name.map { "\($0) (\(address))" } ?? address.description }
}

extension Duration {
  /// `0.043`, `12.1`, `1203`: milliseconds, as far as they mean anything.
  fileprivate var short: String {
    let microseconds = max(0, microseconds)
    if microseconds < 10_000 { return decimals(microseconds, 3) + " ms" }
    return microseconds < 1_000_000 ? decimals(microseconds / 100, 1) + " ms" : "\(microseconds / 1000) ms"
  }

  private func decimals(_ value: Int64, _ places: Int) -> String {
    let scale: Int64 = places == 3 ? 1000 : 10
    return "\(value / scale)." + padded(value % scale, places)
  }
}
