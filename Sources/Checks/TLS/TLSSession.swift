// SPDX-License-Identifier: MIT

import Basics
import Curl
import Monitoring
import Synchronization

/// The TLS of one connection, with our own verdict inside the handshake. Made on any thread, used on the reactor's.
///
/// Bounded: the chain by 100 KiB (OpenSSL refuses a longer one), the handshake by 256 KiB and all that comes by 1 MiB
/// of what is on the wire, so that records without content never go on for ever.
package final class TLSSession: Sendable {
  static let handshakeBytes = 256 * 1024
  static let totalBytes = 1024 * 1024

  private struct Progress {
    let machine: TLSMachine
    var taken = 0
    var startedAt: Instant?
    var doneAt: Instant?
    var isExcessive = false
    /// Something came after the handshake: the server went on, so it takes what it was shown.
    var hasHeardSince = false
  }

  private let progress: Mutex<Progress>

  /// - Parameter host: the name or address literal that the certificate must be for and, if a name, that is asked for.
  package init(
    host: String, options: TLSOptions, store: CertificateStore,
    for origin: WorkOrigin = WorkOrigin(.fileChecks)
  ) throws(TLSUnavailable) {
    let machine = try TLSMachine(host: host, options: options, store: store, for: origin)
    progress = Mutex(Progress(machine: machine))
  }

  /// Result of bytes from the other side.
  struct Received {
    var outgoing: [UInt8] = []
    var plain: [[UInt8]] = []
    /// These bytes completed the handshake.
    var isNewlyEstablished = false
    /// Nothing more will come: farewell, or a failure.
    var isOver = false
  }

  /// The first message of the handshake.
  func start(at now: Instant) -> [UInt8] {
    progress.withLock { progress in
      progress.startedAt = now
      progress.machine.start()
      return progress.machine.takeOutgoing()
    }
  }

  func receive(_ bytes: ArraySlice<UInt8>, at now: Instant) -> Received {
    progress.withLock { progress in
      var received = Received()
      let machine = progress.machine
      progress.taken += bytes.count
      machine.feed(bytes)
      if machine.state == .established, progress.doneAt == nil {
        progress.doneAt = now
        received.isNewlyEstablished = true
      } else if progress.doneAt != nil {
        progress.hasHeardSince = true
      }
      while true {
        let plain = machine.readPlain()
        if plain.isEmpty { break }
        received.plain.append(plain)
      }
      let limit = progress.doneAt == nil ? Self.handshakeBytes : Self.totalBytes
      progress.isExcessive = progress.taken > limit
      received.outgoing = machine.takeOutgoing()
      received.isOver = progress.isExcessive || machine.state == .failed || machine.state == .closed
      return received
    }
  }

  func encrypt(_ plain: [UInt8]) -> [UInt8] {
    progress.withLock { progress in
      progress.machine.write(plain)
      return progress.machine.takeOutgoing()
    }
  }

  /// The farewell.
  func close() -> [UInt8] {
    progress.withLock { progress in
      progress.machine.close()
      return progress.machine.takeOutgoing()
    }
  }

  /// Under TLS 1.3 a server says whether it takes a client certificate only after the handshake is complete here.
  var mayStillRefuse: Bool {
    progress.withLock { progress in
      let judge = progress.machine.judge
      return judge.clientCertificateRequested && judge.report?.version == "TLSv1.3" && !progress.hasHeardSince
    }
  }

  /// How it went so far: read it when the connection is over.
  package var summary: TLSSummary {
    progress.withLock { progress in
      let machine = progress.machine
      var failure = machine.judge.end.failure(inHandshake: progress.doneAt == nil)
      if failure == nil, progress.isExcessive {
        failure = TransferFailure(
          .tls(.handshake), phase: .tls, message: "the server sent more than a handshake or an answer takes")
      } else if failure == nil, machine.state == .failed, progress.doneAt != nil {
        failure = TransferFailure(.tls(.handshake), phase: .tls, message: "a tls record is broken")
      }
      return TLSSummary(
        report: machine.judge.report, started: progress.startedAt, done: progress.doneAt, failure: failure,
        isClosed: machine.state == .closed)
    }
  }
}

/// Facts of a TLS connection, with their times.
package struct TLSSummary: Sendable {
  /// `nil` when no certificate arrived.
  package var report: TLSReport?
  /// When the first message was made; `nil` when the handshake was never begun.
  package var started: Instant?
  /// When the handshake's last message had arrived; nil: it never was complete.
  package var done: Instant?
  /// Its failure. `nil` for none, or where the connection's own end shows it.
  package var failure: TransferFailure?
  /// The other side said its farewell.
  package var isClosed: Bool

  /// How long the handshake took; nil when it was not completed.
  package var elapsed: Duration? {
    guard let started, let done else { return nil }
    return started.duration(to: done)
  }
}
