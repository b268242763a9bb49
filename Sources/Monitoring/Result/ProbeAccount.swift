// SPDX-License-Identifier: MIT

import Basics

/// Details of an attempt besides its facts, for `once --explain`; absent for all others.
package struct ProbeAccount: Hashable, Sendable {
  /// The names that were resolved, in order, a redirect's among them.
  package var names: [ResolvedName] = []
  /// Where each hop led on, as its `Location` says; nil: nowhere. As many as there are hops.
  package var locations: [String?] = []
  /// Of the last answer, in the order they came. Secrets are hidden.
  package var headers: [AnswerHeader] = []
  /// More headers, for which there was no room.
  package var headersLeftOut = 0
  /// Bytes of the last answer's body that came, decoded where they were decoded at all.
  package var bodyBytes: Int?
  /// The whole answer of a name server.
  package var sections: AnswerSections?
  /// How many more routers the last echo reply could have passed (TTL, hop limit).
  package var hopsLeft: Int?
  /// The way to the target, looked at after a failure (`once --trace`).
  package var trace: RouteTrace?

  package init() {}
}

/// The records of a name server's answer as zone files have them: name, TTL, class, type and data, with tabs between
/// them. The OPT record is not among them.
package struct AnswerSections: Hashable, Sendable {
  package var answer: [String] = []
  package var authority: [String] = []
  package var additional: [String] = []

  package init() {}
}

/// A header of an answer as it may be shown: printable, without secrets.
package struct AnswerHeader: Hashable, Sendable {
  package var name: String
  package var value: String

  package init(name: String, value: String) { (self.name, self.value) = (name, value) }
}

/// A name and who said what it stands for.
package struct ResolvedName: Hashable, Sendable {
  package var name: String
  /// Empty: there are none.
  package var addresses: [IPAddress]
  package var source: NameSource
  /// The server's extended error with its own text (RFC 8914); `nil` when it sent none.
  package var words: String?

  package init(name: String, addresses: [IPAddress], source: NameSource, words: String? = nil) {
    (self.name, self.addresses, self.source, self.words) = (name, addresses, source, words)
  }
}

/// Source of a resolved name.
package enum NameSource: Hashable, Sendable {
  case hostsFile
  /// `localhost` is this machine, also where the hosts file does not say so (RFC 6761 section 6.3).
  case localhostRule
  /// One of resolv.conf(5).
  case nameServer(SocketAddress)
  /// The check's own `resolver`, as the check calls it.
  case ownResolver(Endpoint, SocketAddress)
}
