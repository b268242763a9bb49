// SPDX-License-Identifier: MIT

import Basics
import Monitoring
import Network

/// Serials of a zone's SOA record, by name server (RFC 1035 3.3.13).
struct SerialSurvey: Hashable, Sendable {
  /// One address of one server.
  struct Entry: Hashable, Sendable {
    enum Outcome: Hashable, Sendable {
      case serial(UInt32)
      /// In words: it did not answer, or not for the zone.
      case failed(String)
      /// This machine cannot ask it: no route, not permitted.
      case unasked(Verdict)
    }

    var server: DNSName
    /// `nil` where the server's name has none.
    var address: IPAddress?
    var outcome: Outcome

    var label: String { address.map { "\(server) (\($0))" } ?? server.description }
  }

  static let expected = "one serial on all name servers"

  /// `nil` where the zone of the name is not known.
  var zone: DNSName?
  var entries: [Entry] = []
  /// Why the zone's name servers are not known.
  var failure: Verdict?

  /// Servers by serial, one serial after the other.
  var description: String {
    var parts = serials.map { serial in
      "\(serial) on \(holders(of: serial).joined(separator: ", "))"
    }
    for entry in entries {
      switch entry.outcome {
      case .serial: continue
      case .failed(let words): parts.append("\(entry.label) \(words)")
      case .unasked(let verdict): parts.append("\(entry.label) not asked: \(verdict.message ?? "")")
      }
    }
    return parts.joined(separator: "; ")
  }

  /// `nil` when all servers were asked that can be asked from here, and hold the same.
  var verdict: Verdict? {
    if let failure { return failure }
    let zone = zone?.description ?? "the zone"
    for entry in entries {
      if case .failed(let words) = entry.outcome {
        return Verdict(
          .dnsAnswer, phase: .assertion, message: "of the name servers of \(zone), \(entry.label) \(words)")
      }
    }
    if serials.count > 1 {
      return Verdict(
        .dnsAnswer, phase: .assertion,
        message: "the name servers of \(zone) hold different serials: \(description)")
    }
    let unasked = entries.compactMap { if case .unasked(let verdict) = $0.outcome { verdict } else { nil } }
    // A server that may not be asked, and one of whose name a stranger's check may not tell, look the same.
    if let denied = unasked.first(where: { $0.reason == .policyDenied || !$0.reason.isLocal && $0.isUnknown })
    {
      return denied
    }
    if serials.isEmpty {
      return unasked.first
        ?? Verdict(.dnsAnswer, phase: .assertion, message: "\(zone) has no name server that could be asked")
    }
    return nil
  }

  /// Newest first, as plain numbers.
  private var serials: [UInt32] {
    Set(entries.compactMap { if case .serial(let serial) = $0.outcome { serial } else { nil } }).sorted(by: >)
  }

  private func holders(of serial: UInt32) -> [String] {
    entries.filter { $0.outcome == .serial(serial) }.map(\.label)
  }
}
