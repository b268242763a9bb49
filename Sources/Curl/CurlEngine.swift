// SPDX-License-Identifier: MIT

import Basics
import CCurl
import Glibc
import Synchronization

/// HTTP and TLS transfers on one thread of their own: requests go in by a queue, reports come back to the tasks
/// that wait for them. A second thread gave no rate and a third more CPU.
///
/// Nothing is resolved here and nothing is remembered between transfers: each dials the address it was given over a
/// fresh connection, without name cache, session cache, cookies, proxies or redirects.
package final class CurlEngine: Sendable {
  /// The certificates transfers are judged by; others may judge by them too.
  package let trust: TrustStore
  /// What the answers of all transfers may hold together, in bytes, from their first byte until nobody has their report.
  package static let flightMemory = 256 << 20

  private let mailbox: EngineMailbox
  private let turns = ThreadClock()
  private let decoding = DecodingQueue()
  /// The thread, until somebody joins or abandons it.
  private let thread: Mutex<pthread_t?>

  /// Starts the thread. Use `withCurlEngine`, or call `shutdown()` at the end.
  ///
  /// - Parameter memory: of all answers under way.
  package init(
    trust: TrustStore = TrustStore(), memory: MemoryBudget = .shared
  ) throws(CurlEngineError) {
    guard globalInitialisation == CURLE_OK else {
      throw CurlEngineError(what: "curl_global_init", code: Int(globalInitialisation.rawValue))
    }
    guard let multi = curl_multi_init() else {
      throw CurlEngineError(what: "curl_multi_init", code: Int(ENOMEM))
    }
    // No transfer ever waits for another one's connection.
    let option = quartz_curl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
    guard option == CURLM_OK else {
      curl_multi_cleanup(multi)
      throw CurlEngineError(what: "curl_multi_setopt", code: Int(option.rawValue))
    }
    self.trust = trust
    mailbox = EngineMailbox(multi: multi, turns: turns)
    let loop = Unmanaged.passRetained(
      EngineLoop(multi: multi, mailbox: mailbox, trust: trust, memory: memory, turns: turns))
    var created = pthread_t()
    let code = pthread_create(&created, nil, runEngineLoop, loop.toOpaque())
    guard code == 0 else {
      loop.release()
      curl_multi_cleanup(multi)
      throw CurlEngineError(what: "pthread_create", code: Int(code))
    }
    thread = Mutex(created)
  }

  deinit {
    mailbox.close()
    if let abandoned = thread.withLock({ $0 }) { pthread_detach(abandoned) }
  }

  /// How long the thread has been in its present turn, which takes milliseconds where all is well; zero while it sleeps.
  package func turnAge() -> Duration { turns.age }

  /// Makes one transfer. A failing target is in the report.
  ///
  /// - Throws: `CancellationError` when the task is cancelled, which ends the transfer at once, and when the engine
  ///   is shut down.
  package func perform(_ request: consuming TransferRequest) async throws(CancellationError) -> TransferReport
  {
    let ticket = TransferTicket(request, submitted: .now)
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
  private func decode(
    _ report: inout TransferReport, of request: TransferRequest
  ) async throws(CancellationError) {
    guard let codings = report.codings, let lease = report.lease, case .body(let limit) = request.goal else {
      return
    }
    report.codings = nil
    report.take(
      try await decoding.decode(codings, report.body, limit: limit, lease: lease, patience: request.timeout))
  }

  /// Cancels what still runs, ends the thread and waits for it.
  package func shutdown() async {
    mailbox.close()
    await mailbox.waitForEnd()
    let taken = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    // The thread has nothing left to do but to return, so this does not hold a thread of the pool.
    if let taken { pthread_join(taken, nil) }
  }
}

/// Runs `body` with an engine that lives exactly as long.
package func withCurlEngine<Value>(
  trust: TrustStore = TrustStore(), memory: MemoryBudget = .shared, _ body: (CurlEngine) async throws -> Value
) async throws -> Value {
  let engine = try CurlEngine(trust: trust, memory: memory)
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

private func runEngineLoop(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  _ = quartz_curl_name_thread("curl")
  Unmanaged<EngineLoop>.fromOpaque(argument).takeRetainedValue().run()
  return nil
}
