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
  /// Commands of a burst; the memory for more is given back.
  private static let keptCommands = 4096
  /// The part of the memory that answers may hold before further ones begin: those under way need the rest to end.
  private static let startShare = 4

  private let multi: UnsafeMutableRawPointer
  private let mailbox: EngineMailbox
  private let trust: TrustStore
  private let loop: LoopThread
  private let sockets: EngineSockets
  private let arrivals: ArrivalClock
  /// Of all answers under way.
  private let memory: MemoryBudget
  private let active = TransferTable()
  /// Taken from the mailbox, and how many of them were obeyed.
  private var commands: [EngineMailbox.Command] = []
  private var obeyed = 0
  /// What is next waits until a handshake is over.
  private var isHeld = false
  private var isClosing = false
  private var handshakes = HandshakeQueue()
  /// Who is to be told at the end of the turn.
  private var ended: [CheckedContinuation<Void, Never>] = []
  /// Handles to use again.
  private var spare: [EasyHandle] = []
  /// Transfers with a limit of their own for the connection, by when it falls.
  private var connecting: [(deadline: Instant, number: UInt64)] = []
  private var nextSweep = Instant.now
  /// Whose sockets had something in this turn.
  private var served: [UInt64] = []
  /// When each transfer's server will have had its time.
  private var deadlines = DeadlineQueue()

  private var spin: SpinGuard { sockets.spin }

  /// - Parameter multi: its own from here on.
  init(
    multi: UnsafeMutableRawPointer, mailbox: EngineMailbox, trust: TrustStore, memory: MemoryBudget,
    on loop: LoopThread
  ) {
    self.multi = multi
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
  var isIdle: Bool { isHeld || mailbox.isIdle }

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
    let progress = obeySome()
    if isClosing, progress != .more { return .leave }
    isHeld = progress == .held
    if active.isEmpty, sockets.timer == nil {
      tellWhoWaits()
      return progress == .more ? .again : .wait(until: next)
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
    return progress == .more ? .again : .wait(until: next)
  }

  func end() {
    for command in commands[obeyed...] { refuse(command) }
    commands = []
    _ = mailbox.take(&commands)
    for command in commands { refuse(command) }
    for transfer in active.transfers { end(transfer, with: nil) }
    tellWhoWaits()
    for handle in spare { handle.cleanUp() }
    curl_multi_cleanup(multi)
    sockets.settle()
    spin.disarm()
    mailbox.markEnded()
  }

  private enum Progress {
    /// All that was asked for is under way.
    case done
    case more
    case held
  }

  /// At most `batchLimit` commands.
  private func obeySome() -> Progress {
    if obeyed == commands.count {
      commands.removeAll(keepingCapacity: commands.capacity <= Self.keptCommands)
      obeyed = 0
      isClosing = mailbox.take(&commands)
    }
    let end = min(obeyed + Self.batchLimit, commands.count)
    while obeyed < end {
      if case .start(let ticket) = commands[obeyed], mustWait(ticket) {
        isClosing = mailbox.isClosing
        return .held
      }
      obey(commands[obeyed])
      obeyed += 1
    }
    return obeyed == commands.count ? .done : .more
  }

  /// A handshake for its turn, a body for memory. Waiting is lateness, and no longer than the answer might take.
  private func mustWait(_ ticket: TransferTicket) -> Bool {
    if ticket.isEncrypted, !handshakes.hasRoom(active) { return true }
    guard case .body = ticket.request.goal, memory.inUse > memory.limit / Self.startShare else {
      return false
    }
    return ticket.submitted + ticket.request.timeout > .now
  }

  /// The engine closes before it came to it.
  private func refuse(_ command: EngineMailbox.Command) {
    if case .start(let ticket) = command, let reply = ticket.end(nil) { ended.append(reply) }
  }

  private func obey(_ command: EngineMailbox.Command) {
    switch command {
    case .start(let ticket): start(ticket)
    case .cancel(let ticket):
      if let transfer = active[ticket.number.load(ordering: .relaxed)] { end(transfer, with: nil) }
    }
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
    if ticket.isEncrypted { handshakes.add(transfer) }
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
      finish(Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue(), code: code)
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
      served.removeAll(keepingCapacity: served.capacity <= Self.keptCommands)
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

  /// When the next turn is due, if nothing comes before; nil: nothing is under way.
  private var next: Instant? {
    if active.isEmpty, sockets.timer == nil { return isHeld ? loop.woken + .milliseconds(5) : nil }
    var next = loop.woken + (isHeld ? .milliseconds(5) : .milliseconds(500))
    for (deadline, _) in connecting { next = min(next, deadline) }
    if let earliest = deadlines.earliest { next = min(next, earliest) }
    if let timer = sockets.timer { next = min(next, timer) }
    return next
  }
}
