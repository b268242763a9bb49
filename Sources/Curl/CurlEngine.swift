// SPDX-License-Identifier: MIT

import Basics
import CCurl
import Glibc
import Synchronization

/// HTTP and TLS transfers on event loops: requests go in by a queue, reports come back to the tasks that wait for them.
///
/// TLS transfers run on the engine's thread, since a handshake takes a millisecond of it, and so do the agent's own transfers,
/// whose responses may be megabytes. Plain probes may share the caller's loop. Nothing is resolved here and nothing is remembered between transfers: each dials the address it was given
/// over a fresh connection, without name cache, session cache, cookies, proxies or redirects.
package final class CurlEngine: Sendable {
  /// The certificates transfers are judged by; others may judge by them too.
  package let trust: TrustStore
  /// Bytes that the answers of all transfers may hold together, from their first byte until their reports are released.
  package static let flightMemory = 256 << 20

  private let plain: EngineMailbox
  private let encrypted: EngineMailbox
  /// Of each of its loops.
  private let boards: [WaitBoard]
  /// Its own.
  private let loop: EventLoop
  private let decoding = DecodingQueue()

  /// Use `withCurlEngine`, or call `shutdown()` at the end.
  ///
  /// - Parameters:
  ///   - memory: of all answers under way.
  ///   - shared: loop of probes without TLS; `nil` runs them on the engine's thread.
  package init(
    trust: TrustStore = TrustStore(), memory: MemoryBudget = .shared, on shared: EventLoop? = nil
  ) throws {
    guard globalInitialisation == CURLE_OK else {
      throw CurlEngineError(what: "curl_global_init", code: Int(globalInitialisation.rawValue))
    }
    self.trust = trust
    loop = try EventLoop("curl")
    let (board, sharedBoard) = (WaitBoard(), WaitBoard())
    encrypted = try Self.begin(on: loop, trust, memory, board)
    plain = try shared.map { try Self.begin(on: $0, trust, memory, sharedBoard) } ?? encrypted
    boards = [board, sharedBoard]
  }

  private static func begin(
    on loop: EventLoop, _ trust: TrustStore, _ memory: MemoryBudget, _ board: WaitBoard
  ) throws(CurlEngineError) -> EngineMailbox {
    guard let multi = curl_multi_init() else {
      throw CurlEngineError(what: "curl_multi_init", code: Int(ENOMEM))
    }
    // No transfer ever waits for another one's connection.
    let option = quartz_curl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
    guard option == CURLM_OK else {
      curl_multi_cleanup(multi)
      throw CurlEngineError(what: "curl_multi_setopt", code: Int(option.rawValue))
    }
    let mailbox = EngineMailbox(bell: loop.bell)
    // A number, since the pointer goes to the thread that owns it from here on.
    let handle = UInt(bitPattern: multi)
    loop.admit { thread in
      guard let multi = UnsafeMutableRawPointer(bitPattern: handle) else {
        preconditionFailure("it was none")
      }
      return EngineLoop(
        multi: multi, mailbox: mailbox, trust: trust, memory: memory, board: board, on: thread)
    }
    return mailbox
  }

  deinit {
    encrypted.close()
    plain.close()
  }

  /// How long the engine's own thread has been in its present turn, which takes milliseconds where all is well; zero while
  /// it sleeps.
  package func turnAge() -> Duration { loop.turnAge() }

  /// Tasks that wait for one of its budgets now, by queue and origin.
  package var waits: [QueueWait] { boards.flatMap(\.waits) + decoding.waits }

  /// Makes one transfer. A failing target is in the report.
  ///
  /// - Throws: `CancellationError` when the task is cancelled, which ends the transfer at once, and when the engine
  ///   is shut down.
  package nonisolated(nonsending) func perform(
    _ request: consuming TransferRequest
  ) async throws(CancellationError) -> TransferReport {
    let ticket = TransferTicket(request, submitted: .now)
    let mailbox = ticket.isEncrypted || !ticket.request.origin.kind.isProbe ? encrypted : plain
    await withTaskCancellationHandler {
      await withCheckedContinuation { mailbox.submit(ticket, reply: $0) }
    } onCancel: {
      mailbox.cancel(ticket)
    }
    guard var report = ticket.takeReport() else { throw CancellationError() }
    try await decode(&report, of: ticket.request)
    return report
  }

  /// The target is done when the last byte is here: decoding takes none of its time.
  private nonisolated(nonsending) func decode(
    _ report: inout TransferReport, of request: TransferRequest
  ) async throws(CancellationError) {
    guard let codings = report.codings, let lease = report.lease, case .body(let limit) = request.goal else {
      return
    }
    report.codings = nil
    report.take(
      try await decoding.decode(
        codings, report.body, limit: limit, lease: lease, origin: request.origin, patience: request.timeout))
  }

  /// Cancels what still runs, ends the engine's thread and waits for it.
  package func shutdown() async {
    encrypted.close()
    plain.close()
    await encrypted.ended.wait()
    await plain.ended.wait()
    await loop.shutdown()
  }
}

/// Runs `body` with an engine that lives exactly as long.
package func withCurlEngine<Value>(
  trust: TrustStore = TrustStore(), memory: MemoryBudget = .shared, on shared: EventLoop? = nil,
  _ body: (CurlEngine) async throws -> Value
) async throws -> Value {
  let engine = try CurlEngine(trust: trust, memory: memory, on: shared)
  do {
    let value = try await body(engine)
    await engine.shutdown()
    return value
  } catch {
    await engine.shutdown()
    throw error
  }
}

/// The engine could not be started.
package struct CurlEngineError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The call that failed.
  package let what: String
  package let code: Int

  package var description: String {
    "\(what) failed with code \(code); is this machine out of memory or threads?"
  }
}

/// Once for the process. A write to a closed socket must be an error, not the end of the agent, also where OpenSSL
/// makes the call.
private let globalInitialisation: CURLcode = {
  signal(SIGPIPE, SIG_IGN)
  return curl_global_init(Int(CURL_GLOBAL_DEFAULT))
}()
