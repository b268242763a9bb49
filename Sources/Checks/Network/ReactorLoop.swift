// SPDX-License-Identifier: MIT

import Basics
import CLinux
import Curl
import Glibc
import Monitoring

/// A socket's life as the loop sees it. Lives on the reactor's thread.
protocol ReactorFlow: AnyObject {
  /// Opens the socket. False when it ended at once.
  func begin(_ id: UInt64, on loop: ReactorLoop) -> Bool
  /// The kernel reports these `EPOLL…` bits. False when the flow ended.
  func ready(_ events: UInt32, at now: Instant, on loop: ReactorLoop) -> Bool
  /// A deadline asked for by the flow has come. False when the flow ended.
  func timer(at now: Instant, on loop: ReactorLoop) -> Bool
  /// Ends without a report.
  func cancel()
  /// Tells its caller how it ended.
  func settle()
}

/// The loop of the reactor's thread: events, commands, deadlines, in that order, so that an answer that is already
/// here wins over a deadline. A deadline counts only when everything that had come by it was looked at.
final class ReactorLoop {
  private let mailbox: ReactorMailbox
  private var flows: [UInt64: any ReactorFlow] = [:]
  private var timers = DeadlineHeap()
  private var window = LatenessWindow()
  private var spares = SpareSockets()
  private var drain = DrainClock(capacity: 256)
  private let processor = ProcessorWait()
  /// What the kernel reported in this turn had not come before.
  var readySince: Instant { drain.readySince }
  /// Those that ended and whose callers have not been told.
  private var ended: [any ReactorFlow] = []
  /// Shared by all receives: one read never holds more than this.
  var buffer = [UInt8](repeating: 0, count: 65_536)

  private static let wakeID: UInt64 = 0
  /// While something is open the loop wakes this often, only to see how late it is woken.
  private static let heartbeat = Duration.milliseconds(50)

  init(_ mailbox: ReactorMailbox) { self.mailbox = mailbox }

  func run() {
    guard watch(mailbox.wake.number, Self.wakeID, EPOLLIN.rawValue, isNew: true) == 0 else {
      preconditionFailure("epoll refuses an eventfd")
    }
    var events = [epoll_event](repeating: epoll_event(), count: drain.capacity)
    while true {
      let (count, woken) = wait(&events)
      var isCalled = false
      for event in events[..<count] {
        let id = event.data.u64
        if id == Self.wakeID {
          isCalled = true
        } else {
          let id = spares.borrower(id) ?? id
          if let flow = flows[id], !flow.ready(event.events, at: woken, on: self) { flows[id] = nil }
        }
      }
      settleEnded()
      if isCalled {
        guard let commands = mailbox.take() else { break }
        for command in commands { obey(command) }
        settleEnded()
      }
      // Before the deadlines are judged: those that pass because of this round's work are our own lateness.
      window.record(woken.duration(to: .now), at: woken)
      fireTimers(drain.drained)
      settleEnded()
    }
    mailbox.turns.end()
    for flow in flows.values { flow.cancel() }
    spares.closeAll()
  }

  /// Together: to resume a task wakes a thread of the pool, which would fall asleep again before the next one.
  private func settleEnded() {
    guard !ended.isEmpty else { return }
    for flow in ended { flow.settle() }
    ended.removeAll(keepingCapacity: true)
  }

  /// Calls the flow's `settle` when this turn's other flows are done with as well.
  func settle(_ flow: any ReactorFlow) { ended.append(flow) }

  /// Waits for events, the next deadline or the heartbeat, and notes how much later than that it was woken.
  private func wait(_ events: inout [epoll_event]) -> (count: Int, woken: Instant) {
    var timeout: Int32 = -1
    let before = Instant.now
    if !flows.isEmpty {
      let next = timers.earliest.map { before.duration(to: $0) } ?? Self.heartbeat
      // Rounded up: waking before a deadline would only mean to wait again.
      timeout = Int32(clamping: (max(.zero, min(next, Self.heartbeat)).microseconds + 999) / 1000)
    }
    mailbox.turns.end()
    let count = epoll_wait(mailbox.epoll.number, &events, Int32(events.count), timeout)
    mailbox.turns.begin()
    let woken = Instant.now
    // Where there was nothing to wait for, it came while the thread was with others.
    let hasWaited = before.duration(to: woken) > .microseconds(100)
    drain.looked(
      at: woken, count: max(0, Int(count)), arrived: hasWaited ? max(before, woken - processor.look()) : nil,
      open: flows.count + 1)
    if timeout >= 0 {
      window.record(before.duration(to: woken) - .milliseconds(Int(timeout)), at: woken)
    }
    return (max(0, Int(count)), woken)
  }

  private func obey(_ command: ReactorMailbox.Command) {
    switch command {
    case .start(let id, let make):
      let flow = make()
      if flow.begin(id, on: self) { flows[id] = flow }
    case .cancel(let id):
      // Unknown: it ended before the cancel came, or has not started and is cancelled again when it has.
      flows.removeValue(forKey: id)?.cancel()
    }
  }

  /// - Parameter now: everything that had come by then was looked at.
  private func fireTimers(_ now: Instant) {
    while let due = timers.popDue(at: now) {
      if let flow = flows[due.flow], !flow.timer(at: now, on: self) { flows[due.flow] = nil }
    }
    if flows.isEmpty { timers.removeAll() }
  }

  /// Asks for `timer` at the instant. It may come more than once.
  func wake(_ id: UInt64, at instant: Instant) {
    timers.insert(.init(instant: instant, flow: id))
  }

  /// Adds or changes the interest in a descriptor; closing it ends the interest. Returns 0 or an errno.
  func watch(_ descriptor: Int32, _ id: UInt64, _ events: UInt32, isNew: Bool) -> Int32 {
    var event = epoll_event()
    event.events = events
    event.data.u64 = id
    let operation = isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
    return epoll_ctl(mailbox.epoll.number, operation, descriptor, &event) == 0 ? 0 : errno
  }

  /// A UDP socket, watched for input, that `giveBack` may keep for other flows. -1 when a call failed; `errno` says why.
  func borrow(_ family: Int32, _ id: UInt64) -> Int32 {
    if let number = spares.take(family) {
      spares.lend(number, to: id)
      return number
    }
    let number = openSocket(.udp, family: family)
    guard number >= 0 else { return number }
    let code = watch(number, SpareSockets.tag(number), EPOLLIN.rawValue, isNew: true)
    guard code == 0 else {
      _ = close(number)
      errno = code
      return -1
    }
    spares.lend(number, to: id)
    return number
  }

  func giveBack(_ number: Int32, _ family: Int32) { spares.giveBack(number, family) }

  /// Ends the interest in a descriptor that lives on elsewhere.
  func forget(_ descriptor: Int32) {
    var event = epoll_event()
    _ = epoll_ctl(mailbox.epoll.number, EPOLL_CTL_DEL, descriptor, &event)
  }

  func lateness(since start: Instant) -> Duration { window.largest(since: start) }
}
