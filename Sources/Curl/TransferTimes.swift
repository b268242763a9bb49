// SPDX-License-Identifier: MIT

import Basics

/// When things happened, counted from the moment the engine took the request up; nil: not reached.
///
/// The stamps are our own: libcurl forgets the TCP phase of a handshake that failed.
package struct TransferTimes: Hashable, Sendable {
  /// How long the request waited for the engine before zero.
  package var queued: Duration = .zero
  /// How long what came for it waited for the engine thereafter: the limit moved by as much.
  package var held: Duration = .zero
  /// Longest pause of this process meanwhile: the other times may be too long by as much.
  package var paused: Duration = .zero
  package var connectStart: Duration?
  package var connected: Duration?
  package var tlsDone: Duration?
  /// The connection stands and the request goes out.
  package var requestStart: Duration?
  package var firstByte: Duration?
  package var headersEnd: Duration?
  /// The last byte of the body that was needed; nil when none was.
  package var lastByte: Duration?
  /// The end of the transfer, whatever it came to.
  package var ended: Duration = .zero

  package init() {}

  /// Between the end of the connection's set-up and the request: our own delay, no part of the target's.
  package var idle: Duration {
    guard let requestStart, let stands = tlsDone ?? connected else { return .zero }
    return max(.zero, requestStart - stands)
  }
}

/// Duration of each part of a transfer. `nil` where it never got there, or does not have the part.
package struct TransferSpans: Hashable, Sendable {
  package var connect: Duration?
  package var tls: Duration?
  package var firstByte: Duration?
  package var transfer: Duration?

  package init(_ times: TransferTimes, failedIn phase: TransferPhase? = nil) {
    connect = Self.span(times.connectStart, times.connected)
    tls = Self.span(times.connected, times.tlsDone)
    firstByte = Self.span(times.requestStart, times.firstByte)
    transfer = Self.span(times.firstByte, times.lastByte) ?? Self.slowHeaders(times)
    // The part in which it ended took as long as it lasted: where the time of a failure went is the first question.
    switch phase {
    case .connect, .proxy:
      // A proxy that answers the request itself was connected to long before.
      if times.requestStart == nil { connect = Self.span(times.connectStart, times.ended) }
      firstByte = firstByte ?? Self.span(times.requestStart, times.ended)
    case .tls:
      // Of TLS 1.3 the server's last word may come when our side is long done: it was waited for.
      tls = Self.span(times.connected, times.ended).map { max(.zero, $0 - times.idle) }
    case .firstByte: firstByte = firstByte ?? Self.span(times.requestStart, times.ended)
    case .transfer: transfer = transfer ?? Self.span(times.firstByte, times.ended)
    case .prepare, nil: break
    }
  }

  /// Where only the headers were wanted and came in parts, the time behind the first byte is part of the answer too.
  private static func slowHeaders(_ times: TransferTimes) -> Duration? {
    guard let taken = span(times.firstByte, times.headersEnd), taken >= .milliseconds(1) else { return nil }
    return taken
  }

  private static func span(_ start: Duration?, _ end: Duration?) -> Duration? {
    guard let start, let end else { return nil }
    return max(.zero, end - start)
  }
}
