// SPDX-License-Identifier: MIT

import Basics
import Synchronization

/// A request on its way to the engine's thread, who waits for it, and its report on the way back: one object, of which
/// only the reference is copied.
final class TransferTicket: Sendable {
  private enum Progress { case reserved, cancelledEarly, submitted, ended }

  private struct State {
    var progress = Progress.reserved
    var reply: CheckedContinuation<Void, Never>?
    var report: TransferReport?
  }

  let request: TransferRequest
  let submitted: Instant
  /// Whether the URL's scheme is https.
  let isEncrypted: Bool
  /// Whether it is a plain GET to an address and nothing else.
  let isPlain: Bool
  /// The transfer's number in the engine's table while it runs, `TransferTable.cancelled` once it is cancelled. The
  /// engine's thread alone uses it.
  let number = Atomic<UInt64>(TransferTable.none)
  private let state = Mutex(State())

  init(_ request: consuming TransferRequest, submitted: Instant) {
    let isEncrypted = hasPrefix(request.url, "https:")
    self.isEncrypted = isEncrypted
    isPlain = !isEncrypted && request.isPlain
    self.request = request
    self.submitted = submitted
  }

  /// False: it was cancelled before it began, and the reply is still the caller's.
  func begin(_ reply: CheckedContinuation<Void, Never>) -> Bool {
    state.withLock { state in
      guard state.progress == .reserved else { return false }
      (state.progress, state.reply) = (.submitted, reply)
      return true
    }
  }

  /// True: the engine has it, and is to be told.
  func mustBeCancelled() -> Bool {
    state.withLock { state in
      if state.progress == .reserved { state.progress = .cancelledEarly }
      return state.progress == .submitted
    }
  }

  /// Leaves the report, or nil for a transfer that was cancelled, and returns the continuation to resume.
  func end(_ report: TransferReport?) -> CheckedContinuation<Void, Never>? {
    state.withLock { state in
      (state.progress, state.report) = (.ended, report)
      return state.reply.take()
    }
  }

  /// The report, once. `nil` where the transfer was cancelled.
  func takeReport() -> TransferReport? { state.withLock { $0.report.take() } }
}

extension TransferRequest {
  /// All but its URL's scheme.
  fileprivate var isPlain: Bool {
    guard case .address = plan, proxy == nil, goal != .handshake, timeout < .seconds(140) else {
      return false
    }
    return !decompress && method == "GET" && body == nil && httpVersion != .http2
  }
}

/// - Parameter start: in lower case, ASCII.
private func hasPrefix(_ text: String, _ start: StaticString) -> Bool {
  start.withUTF8Buffer { start in
    var bytes = text.utf8.makeIterator()
    return start.allSatisfy { wanted in
      guard let byte = bytes.next() else { return false }
      return byte == wanted || (0x41...0x5a).contains(byte) && byte | 0x20 == wanted
    }
  }
}
