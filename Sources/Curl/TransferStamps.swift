// SPDX-License-Identifier: MIT

import Basics

/// When things happened to a transfer that is under way; nil: not yet.
struct TransferStamps {
  var connectStart: Instant?
  var connected: Instant?
  var requestStart: Instant?
  /// The first line of the final answer was complete; until then, that of an interim one.
  var firstLine: Instant?
  var headersEnd: Instant?
  var lastWrite: Instant?
  /// When the kernel could first take bytes: the connection stood.
  private(set) var writableSince: Instant?
  /// Since the final answer is waited for, when it first had bytes. Not for TLS and HTTP/2, where they may be about the
  /// connection.
  var readableSince: Instant?

  mutating func note(_ what: Arrival, at instant: Instant) {
    switch what {
    case .connection: if writableSince == nil { writableSince = instant }
    case .answer: if readableSince == nil { readableSince = instant }
    }
  }
}
