// SPDX-License-Identifier: MIT

import CCurl
import Glibc

/// The body of the engine's thread: the only code that touches libcurl handles.
final class EngineLoop {
  /// Requests taken up in one turn, so that a burst does not keep those already running waiting.
  private static let batchLimit = 16
  private static let spareLimit = 64
  /// Beyond a transfer's own limit: libcurl should have ended it long ago.
  private static let grace: Duration = .seconds(1)

  private let multi: UnsafeMutableRawPointer
  private let mailbox: EngineMailbox
  private let trust: TrustStore
  private let arrivals = ArrivalClock()
  private var active: [UInt64: Transfer] = [:]
  /// Handles to use again: making one costs more than resetting one, and setting all its options as much again.
  private var spare: [(easy: UnsafeMutableRawPointer, isPrepared: Bool)] = []
  /// Transfers with a limit of their own for the connection, by when it falls.
  private var connecting: [(deadline: ContinuousClock.Instant, id: UInt64)] = []
  private var nextSweep = ContinuousClock.now

  init(multi: UnsafeMutableRawPointer, mailbox: EngineMailbox, trust: TrustStore) {
    self.multi = multi
    self.mailbox = mailbox
    self.trust = trust
  }

  /// Returns when the mailbox closes; whatever still runs then is cancelled.
  func run() {
    while true {
      let batch = mailbox.take(limit: Self.batchLimit)
      for command in batch.commands { obey(command) }
      if batch.closing, !batch.more { break }
      arrivals.look()
      var running: Int32 = 0
      curl_multi_perform(multi, &running)
      collectFinished()
      endOverdue()
      if mailbox.prepareToSleep() { curl_multi_poll(multi, nil, 0, patience(), nil) }
    }
    for transfer in active.values { end(transfer, with: .failure(CancellationError())) }
    for handle in spare { curl_easy_cleanup(handle.easy) }
    mailbox.detachMulti()
    curl_multi_cleanup(multi)
    mailbox.markEnded()
  }

  private func obey(_ command: EngineMailbox.Command) {
    switch command {
    case .start(let ticket): start(ticket)
    case .cancel(let id):
      if let transfer = active[id] { end(transfer, with: .failure(CancellationError())) }
    }
  }

  private func start(_ ticket: TransferTicket) {
    let used = spare.popLast()
    guard let easy = used?.easy ?? curl_easy_init() else {
      mailbox.forget(ticket.id)
      let failure = TransferFailure(.local(.system(errno: ENOMEM)), phase: .prepare, message: "out of memory")
      ticket.reply.resume(returning: .success(TransferReport(outcome: .failed(failure))))
      return
    }
    let transfer = Transfer(ticket, easy: easy, isPrepared: used?.isPrepared ?? false, arrivals: arrivals)
    active[ticket.id] = transfer
    transfer.shedPreparation()
    do throws(RefusedRequest) {
      try transfer.prepare(trust: trust)
      let code = curl_multi_add_handle(multi, transfer.easy)
      guard code == CURLM_OK else {
        throw RefusedRequest(fault: .library(code: code.rawValue), message: "libcurl refused the transfer")
      }
      transfer.wasAccepted = true
      if let limit = ticket.request.connectTimeout {
        connecting.append((transfer.started + limit, ticket.id))
      }
    } catch {
      transfer.stop = .local(error.fault, message: error.message)
      finish(transfer, code: CURLE_FAILED_INIT)
    }
  }

  private func collectFinished() {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
      // The message dies with the handle's removal.
      let code = quartz_curl_message_result(message)
      var context: UnsafeMutableRawPointer?
      guard quartz_curl_info_private(easy, &context) == CURLE_OK, let context else { continue }
      finish(Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue(), code: code)
    }
  }

  private func finish(_ transfer: Transfer, code: CURLcode) {
    end(transfer, with: .success(transfer.report(code: code)))
  }

  private func end(_ transfer: Transfer, with result: Result<TransferReport, CancellationError>) {
    active[transfer.ticket.id] = nil
    // Harmless for a handle that was never added.
    curl_multi_remove_handle(multi, transfer.easy)
    arrivals.forget(transfer)
    recycle(transfer)
    mailbox.forget(transfer.ticket.id)
    transfer.ticket.reply.resume(returning: result)
  }

  /// A handle whose connection was for the caller to use keeps a mark of it through a reset, and so does one in which
  /// a system call failed: they are not used again.
  private func recycle(_ transfer: Transfer) {
    if transfer.request.goal != .handshake, spare.count < Self.spareLimit, transfer.systemError == 0 {
      let isPlain = transfer.isPlain && transfer.wasAccepted
      if !isPlain { curl_easy_reset(transfer.easy) }
      spare.append((transfer.easy, isPrepared: isPlain))
    } else {
      curl_easy_cleanup(transfer.easy)
    }
    transfer.release()
  }

  private func endOverdue() {
    let now = ContinuousClock.now
    if !connecting.isEmpty { endSlowConnects(now) }
    guard now >= nextSweep else { return }
    nextSweep = now + .milliseconds(500)
    for transfer in active.values
    where transfer.ticket.submitted + transfer.request.timeout + Self.grace < now {
      transfer.stop = .deadline
      finish(transfer, code: CURLE_OPERATION_TIMEDOUT)
    }
  }

  private func endSlowConnects(_ now: ContinuousClock.Instant) {
    connecting.removeAll { entry in
      guard let transfer = active[entry.id], transfer.connected == nil else { return true }
      guard entry.deadline <= now else { return false }
      transfer.stop = .deadline
      finish(transfer, code: CURLE_OPERATION_TIMEDOUT)
      return true
    }
  }

  /// Milliseconds to sleep at most; libcurl's own timers shorten it further.
  private func patience() -> Int32 {
    guard !active.isEmpty else { return 60_000 }
    guard let next = connecting.map(\.deadline).min() else { return 500 }
    return Int32(clamping: min(500, max(0, milliseconds(next - .now) + 1)))
  }
}
