// SPDX-License-Identifier: MIT

import Basics
import Monitoring

/// The kernel's figures of a connection, for people: segments that were lost, and the round trip.
enum KernelText {
  static func lines(_ result: CheckResult) -> [String] {
    guard let tcp = result.tcp else { return [] }
    var lines = ["retransmits  \(sentAgain(tcp))"]
    // The other hops' connections are over: what was lost on them is all that still matters.
    if result.hops.count > 1 {
      lines = result.hops.enumerated().compactMap { index, hop in
        guard let tcp = hop.tcp, tcp.retransmits > 0 || index == result.hops.count - 1 else { return nil }
        return "retransmits  \(sentAgain(tcp)), at hop \(index + 1)"
      }
    }
    if let trip = tcp.roundTrip {
      let spread = tcp.roundTripVariance.map { ", variance \(precise($0))" } ?? ""
      lines.append("RTT          \(precise(trip))\(spread)")
    }
    if let timeout = tcp.retransmissionTimeout {
      lines.append("RTO          \(precise(timeout))")
    }
    if tcp.roundTrip != nil, tcp.segmentSize > 0 {
      let way = tcp.pathMTU > 0 ? ", in packets of \(tcp.pathMTU) (path MTU)" : ""
      lines.append("segments     of \(tcp.segmentSize) bytes\(way)")
    }
    return lines
  }

  private static func sentAgain(_ tcp: TransportFacts) -> String {
    if tcp.retransmits == 0 { return "0" }
    let syns = Int(tcp.synRetransmits)
    // bounded: SYNs are among them
    let others = Int(tcp.retransmits) - min(syns, Int(tcp.retransmits))
    let parts = [
      syns > 0 ? counted(syns, "SYN") : nil,
      others > 0 ? counted(others, "segment") : nil,
    ]
    return parts.compactMap(\.self).joined(separator: " and ")
  }
}
