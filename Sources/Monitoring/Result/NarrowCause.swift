// SPDX-License-Identifier: MIT

import Basics

/// Causes that a message names more narrowly than its reason does. Each has advice of its own, and a row in
/// docs/troubleshooting.md that quotes its words.
package enum NarrowCause: String, CaseIterable, Sendable {
  /// A firewall on the way says no.
  case prohibited = "administratively prohibited"
  /// The host is on a network of this machine, and does not answer ARP or neighbour discovery.
  case absentNeighbour = "on this machine's own network"
  /// Data on an open connection, or the answer to it, did not get through.
  case lostSegments = "lost on the way, all or only large ones"
  /// An HTTP proxy passes requests on, and answers for targets that it does not reach.
  case relayed = "through the proxy"
  /// An alert is a message of TLS.
  case tlsAlert = "the server ended tls with alert"
  /// The chain is longer than what is read of it.
  case longChain = "certificates of more than 100 KiB"
  /// The answer is no HTTP/1.
  case noStatusLine = "no HTTP status line"
  /// This machine's own routes lead nowhere.
  case refusingRoute = "the routing table of this machine"
  case missingRoute = "no route from this machine"
  /// A command in a shell reads the configuration of a service.
  case unreadCredential = "which only the service can read"

  /// Reasons whose messages are made of fixed words: nothing a target sends is taken for a cause.
  private var reasons: Set<Reason> {
    switch self {
    case .prohibited, .absentNeighbour: [.connectUnreachable]
    case .lostSegments: [.tlsTimeout, .firstByteTimeout, .transferTimeout]
    case .relayed:
      [.firstByteTimeout, .transferTimeout, .connectionReset, .connectionClosed, .httpProtocol, .httpStatus]
    case .tlsAlert, .longChain: [.tlsHandshake]
    case .noStatusLine: [.httpProtocol]
    case .refusingRoute, .missingRoute, .unreadCredential: [.localFault]
    }
  }

  /// `nil`: the message says no more than the reason.
  package init?(_ reason: Reason, _ message: String?) {
    guard let message,
      let cause = Self.allCases.first(where: { $0.reasons.contains(reason) && message.contains($0.rawValue) })
    else { return nil }
    self = cause
  }

  package var advice: String {
    switch self {
    case .prohibited: "open the rule of the firewall that says so: quartz-agent trace names it"
    case .absentNeighbour: "see whether the host is on, and whether its address and netmask are right"
    case .lostSegments: "see whether large packets get through: ping -M do -s 1472, or quartz-agent trace"
    case .relayed: "see the proxy's log, then the service's: the proxy answers for what it does not reach"
    case .tlsAlert:
      "see the server's log: it speaks TLS and refuses; compare name (SNI), ciphers and protocols"
    case .longChain: "send fewer certificates, or smaller ones: openssl s_client -showcerts shows them"
    case .noStatusLine: "see whether HTTP is spoken on that port, and by which scheme and version"
    case .refusingRoute, .missingRoute: "see the routes of this machine: ip route get"
    case .unreadCredential: "ask the running agent, which has it: quartz-agent status, or Run now on its page"
    }
  }
}
