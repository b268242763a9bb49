// SPDX-License-Identifier: MIT

import Basics
import CCurl
import Glibc
import Synchronization

/// libcurl's transfers, as a guest of an event loop: the only code that touches libcurl handles.
final class EngineLoop: LoopGuest {
  /// Requests taken up in one turn, so that a burst does not keep those already running waiting.
  private static let batchLimit = 16
  private static let spareLimit = 64
  /// A turn of more than this is looked into: who made it so long by a flood need not get another.
  private static let longTurn = Duration.milliseconds(2)
  /// Requests of a burst; the memory for more is given back.
  private static let keptRequests = 4096
  /// Between two looks whether what waits may begin.
  private static let waitStep = Duration.milliseconds(5)

  private let multi: UnsafeMutableRawPointer
  private let mailbox: EngineMailbox
  private let trust: TrustStore
  private let loop: LoopThread
  private let sockets: EngineSockets
  private let arrivals: ArrivalClock
  /// Of all answers under way.
  private let memory: MemoryBudget
  private let active = TransferTable()
  /// As taken from the mailbox.
  private var starts: [TransferTicket] = []
  private var cancels: [TransferTicket] = []
  private var isClosing = false
  private var queues = StartQueues()
  private let board: WaitBoard
  private var handshakes = HandshakeQueue()
  /// Callers to resume at the end of the turn.
  private var ended: [CheckedContinuation<Void, Never>] = []
  /// Handles to use again.
  private var spare: [EasyHandle] = []
  /// Transfers with a limit of their own for the connection, by when it falls.
  private var connecting: [(deadline: Instant, number: UInt64)] = []
  private var nextSweep = Instant.now
  /// Whose sockets had something in this turn.
  private var served: [UInt64] = []
  /// When each transfer's server will have had its time.
  private var deadlines = DeadlineHeap()

  private var spin: SpinGuard { sockets.spin }

  /// - Parameters:
  ///   - multi: its own from here on.
  ///   - board: where it says what waits.
  init(
    multi: UnsafeMutableRawPointer, mailbox: EngineMailbox, trust: TrustStore, memory: MemoryBudget,
    board: WaitBoard, on loop: LoopThread
  ) {
    self.multi = multi
    self.board = board
    self.memory = memory
    self.mailbox = mailbox
    self.trust = trust
    self.loop = loop
    sockets = EngineSockets(on: loop, of: active)
    arrivals = ArrivalClock(loop)
    sockets.serve(self)
    let context = Unmanaged.passUnretained(sockets).toOpaque()
    // Both only store a pointer.
    _ = quartz_curl_multi_set_socket_callback(multi, lookOut, context)
    _ = quartz_curl_multi_set_timer_callback(multi, setTimer, context)
    spin.arm()
  }

  var watched: Int { sockets.watched }
  var isIdle: Bool { mailbox.isIdle }

  func ready(_ key: UInt64, _ events: UInt32, at now: Instant) {
    guard let place = sockets.place(of: key) else { return }
    spin.noteProgress()
    if let transfer = active[place.owner] {
      served.append(place.owner)
      arrivals.came(events, for: transfer, at: now)
    }
    var mask: Int32 = 0
    if events & LoopThread.readable != 0 { mask |= CURL_CSELECT_IN }
    if events & LoopThread.writable != 0 { mask |= CURL_CSELECT_OUT }
    if events & LoopThread.ended != 0 { mask |= CURL_CSELECT_ERR }
    var running: Int32 = 0
    curl_multi_socket_action(multi, place.descriptor, mask, &running)
  }

  func turn() -> LoopWish {
    spin.noteProgress()
    takeRequests()
    if isClosing { return .leave }
    if active.isEmpty, sockets.timer == nil {
      tellWhoWaits()
      return queues.isEmpty(.turn) ? .wait(until: next) : .again
    }
    arrivals.look()
    if let timer = sockets.timer, timer <= .now {
      sockets.timer = nil
      var running: Int32 = 0
      curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
    }
    let cuts = spin.takeCuts()
    for number in cuts { endFlood(number, isOver: false) }
    collectFinished()
    for number in cuts { endFlood(number, isOver: true) }
    endFloods(loop.woken)
    endOverdue(loop.drained)
    sockets.settle()
    tellWhoWaits()
    return queues.isEmpty(.turn) ? .wait(until: next) : .again
  }

  func end() {
    for ticket in queues.takeAll() { refuse(ticket) }
    for ticket in starts { refuse(ticket) }
    starts = []
    _ = mailbox.take(&starts, &cancels)
    for ticket in starts { refuse(ticket) }
    board.write([])
    for transfer in active.transfers { end(transfer, with: nil) }
    tellWhoWaits()
    for handle in spare { handle.cleanUp() }
    curl_multi_cleanup(multi)
    sockets.settle()
    spin.disarm()
    mailbox.ended.open()
  }

  /// Cancels first, then what has waited, then what has just come: at most `batchLimit` transfers begin, besides those
  /// that are urgent.
  private func takeRequests() {
    isClosing = mailbox.take(&starts, &cancels)
    if isClosing { return }
    if queues.isEmpty, starts.isEmpty, cancels.isEmpty { return }
    let wasWaiting = !queues.isEmpty
    if !cancels.isEmpty {
      for ticket in cancels { cancel(ticket) }
      cancels.removeAll(keepingCapacity: cancels.capacity <= Self.keptRequests)
    }
    var left = Self.batchLimit
    if !queues.isEmpty { beginWaiting(&left) }
    if !starts.isEmpty {
      for ticket in starts { admit(ticket, &left) }
      starts.removeAll(keepingCapacity: starts.capacity <= Self.keptRequests)
    }
    if wasWaiting || !queues.isEmpty { board.write(queues.waits) }
  }

  private func beginWaiting(_ left: inout Int) {
    for ticket in queues.takeOverdue(at: .now) { giveUp(ticket) }
    while left > 0, let ticket = queues.next(at: .handshake, where: { mayShakeHands($0) }) {
      begin(ticket, &left)
    }
    while left > 0,
      let ticket = queues.next(
        at: .memory, where: { !memory.isCrowded($0) }, mayGo: { !memory.isCrowded(by: $0.request.origin) })
    {
      shakeHands(ticket, &left)
    }
    while left > 0, let ticket = queues.next(at: .turn, where: { _ in true }) { passGates(ticket, &left) }
  }

  private func admit(_ ticket: TransferTicket, _ left: inout Int) {
    // Cancelled with the same look into the mailbox.
    if ticket.number.load(ordering: .relaxed) == TransferTable.cancelled { return }
    if ticket.request.origin.kind.isUrgent { return start(ticket) }
    if left > 0, queues.isEmpty(.turn) {
      passGates(ticket, &left)
    } else {
      queues.add(ticket, at: .turn, now: .now)
    }
  }

  /// Of what is known to be large for memory, of what is encrypted for a handshake. Waiting is lateness.
  private func passGates(_ ticket: TransferTicket, _ left: inout Int) {
    let origin = ticket.request.origin
    if case .body(let limit) = ticket.request.goal, limit > memory.floor, queues.isKnownLarge(ticket.request),
      queues.waits(origin, at: .memory) || memory.isCrowded(origin.kind) || memory.isCrowded(by: origin)
    {
      queues.add(ticket, at: .memory, now: .now)
    } else {
      shakeHands(ticket, &left)
    }
  }

  private func mayShakeHands(_ kind: WorkOrigin.Kind) -> Bool {
    handshakes.hasRoom(for: kind) { [active] in active[$0].map { $0.seen.requestStart == nil } ?? false }
  }

  private func shakeHands(_ ticket: TransferTicket, _ left: inout Int) {
    let kind = ticket.request.origin.kind
    if ticket.isEncrypted,
      queues.waits(kind, at: .handshake) || !mayShakeHands(kind)
    {
      queues.add(ticket, at: .handshake, now: .now)
    } else {
      begin(ticket, &left)
    }
  }

  private func begin(_ ticket: TransferTicket, _ left: inout Int) {
    left -= 1
    start(ticket)
  }

  /// The engine closes before it came to it.
  private func refuse(_ ticket: TransferTicket) {
    if let reply = ticket.end(nil) { ended.append(reply) }
  }

  /// It has waited for as long as it may.
  private func giveUp(_ ticket: TransferTicket) {
    let waited = ticket.submitted.duration(to: .now)
    let failure = TransferFailure(
      .local(.queue), phase: .prepare,
      message: "held back for \(Int(waited.milliseconds)) ms: other transfers hold what its origin may use")
    var report = TransferReport(outcome: .failed(failure))
    report.times.queued = waited
    ticket.number.store(TransferTable.cancelled, ordering: .relaxed)
    if let reply = ticket.end(report) { ended.append(reply) }
  }

  private func cancel(_ ticket: TransferTicket) {
    let number = ticket.number.load(ordering: .relaxed)
    if let transfer = active[number] { return end(transfer, with: nil) }
    guard number == TransferTable.none else { return }
    ticket.number.store(TransferTable.cancelled, ordering: .relaxed)
    queues.remove(ticket)
    refuse(ticket)
  }

  private func tellWhoWaits() {
    if ended.isEmpty { return }
    for reply in ended { reply.resume() }
    ended.removeAll(keepingCapacity: true)
  }

  private func start(_ ticket: TransferTicket) {
    guard let handle = spare.popLast() ?? curl_easy_init().map(EasyHandle.init) else {
      let failure = TransferFailure(.local(.system(errno: ENOMEM)), phase: .prepare, message: "out of memory")
      if let reply = ticket.end(TransferReport(outcome: .failed(failure))) { ended.append(reply) }
      return
    }
    let transfer = Transfer(ticket, handle, arrivals: arrivals, memory: memory, sockets: sockets)
    transfer.number = active.insert(transfer)
    ticket.number.store(transfer.number, ordering: .relaxed)
    if ticket.isEncrypted {
      handshakes.add(transfer.number, for: ticket.request.origin.kind, at: transfer.started)
    }
    transfer.shedPreparation()
    do throws(RefusedRequest) {
      try transfer.prepare(trust: trust)
      let code = curl_multi_add_handle(multi, transfer.easy)
      guard code == CURLM_OK else {
        throw RefusedRequest(fault: .library(code: code.rawValue), message: "libcurl refused the transfer")
      }
      transfer.wasAccepted = true
      deadlines.insert(transfer.number, at: transfer.deadline)
      if let limit = ticket.request.connectTimeout {
        connecting.append((transfer.started + limit, transfer.number))
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
      let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
      transfer.noteLateness(of: code, at: .now)
      finish(transfer, code: code)
    }
  }

  private func finish(_ transfer: Transfer, code: CURLcode) {
    end(transfer, with: transfer.report(code: code))
  }

  /// - Parameter report: nil for a transfer that was cancelled.
  private func end(_ transfer: Transfer, with report: TransferReport?) {
    active.remove(transfer.number)
    // Harmless for a handle that was never added.
    curl_multi_remove_handle(multi, transfer.easy)
    arrivals.forget(transfer)
    if transfer.keepsBody { queues.note(transfer.ticket.request, isLarge: transfer.lease.isLarge) }
    recycle(transfer)
    if let reply = transfer.ticket.end(report) { ended.append(reply) }
  }

  /// A handle whose connection was for the caller to use keeps a mark of it through a reset, and so does one in which
  /// a system call failed: they are not used again.
  private func recycle(_ transfer: Transfer) {
    if EasyHandle.canServeAgain, transfer.request.goal != .handshake, spare.count < Self.spareLimit,
      transfer.systemError == 0
    {
      transfer.handle.isPrepared = transfer.isPlain && transfer.wasAccepted
      if !transfer.handle.isPrepared { transfer.handle.reset() }
      spare.append(transfer.handle)
    } else {
      transfer.handle.cleanUp()
    }
    transfer.pins.release()
  }

  /// Its connection was ended under libcurl, which should have noticed. Whatever ended it before has its own word.
  private func endFlood(_ number: UInt64, isOver: Bool) {
    guard let transfer = active[number] else { return }
    if transfer.stop == nil { transfer.stop = .flood }
    if isOver { finish(transfer, code: CURLE_RECV_ERROR) }
  }

  /// Twice a second, and who was served in a long turn at once.
  private func endFloods(_ turn: Instant) {
    if !served.isEmpty {
      if turn.duration(to: .now) > Self.longTurn {
        for number in served where active[number]?.isFlooded == true { endFlood(number, isOver: true) }
      }
      served.removeAll(keepingCapacity: served.capacity <= Self.keptRequests)
    }
    guard turn >= nextSweep else { return }
    nextSweep = turn + .milliseconds(500)
    spin.arm()
    for transfer in active.transfers where transfer.isFlooded { endFlood(transfer.number, isOver: true) }
  }

  /// A deadline counts when everything that had come by it was looked at.
  ///
  /// - Parameter turn: by when all had been.
  private func endOverdue(_ turn: Instant) {
    if !connecting.isEmpty { endSlowConnects(turn) }
    while let number = deadlines.popDue(at: turn) {
      guard let transfer = active[number] else { continue }
      if transfer.deadline > turn {
        deadlines.insert(number, at: transfer.deadline)
      } else if transfer.mayReadOn() {
        // Beyond this turn.
        deadlines.insert(number, at: .now)
      } else {
        transfer.stop = transfer.overtime(at: turn)
        finish(transfer, code: CURLE_OPERATION_TIMEDOUT)
      }
    }
    if active.isEmpty { deadlines.removeAll() }
  }

  private func endSlowConnects(_ now: Instant) {
    connecting.removeAll { entry in
      guard let transfer = active[entry.number], transfer.seen.connected == nil else { return true }
      guard entry.deadline <= now else { return false }
      transfer.stop = .deadline
      finish(transfer, code: CURLE_OPERATION_TIMEDOUT)
      return true
    }
  }

  /// When the next turn is due, if nothing comes before; `nil` when nothing is under way.
  private var next: Instant? {
    let waiting = queues.isEmpty ? nil : loop.woken + Self.waitStep
    if active.isEmpty, sockets.timer == nil { return waiting }
    var next = waiting ?? loop.woken + .milliseconds(500)
    for (deadline, _) in connecting { next = min(next, deadline) }
    if let earliest = deadlines.earliest { next = min(next, earliest) }
    if let timer = sockets.timer { next = min(next, timer) }
    return next
  }
}
