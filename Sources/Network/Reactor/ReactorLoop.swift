// SPDX-License-Identifier: MIT

import Basics
import CLinux
import Curl
import Glibc
import Monitoring

/// A socket's life as the loop sees it. Lives on the loop's thread.
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

/// The reactor's flows, as a guest of an event loop: events, commands, deadlines, in that order, so that an answer that is
/// already here wins over a deadline.
final class ReactorLoop: LoopGuest {
  private let mailbox: ReactorMailbox
  private let loop: LoopThread
  private var flows: [UInt64: any ReactorFlow] = [:]
  private var timers = DeadlineHeap()
  private var spares = SpareSockets()
  private var commands: [ReactorMailbox.Command] = []
  /// Those that ended and whose callers have not been told.
  private var ended: [any ReactorFlow] = []
  /// Shared by all receives: one read never holds more than this.
  var buffer = [UInt8](repeating: 0, count: 65_536)
  /// Control messages of the kernel beside a datagram.
  var control = [UInt8](repeating: 0, count: 256)
  private var stamps = StampClock()
  /// The kernel stamps what comes as long as one socket wants it; to begin and to end costs it more than many packets.
  private var stampKeeper: Descriptor?
  private var wantsStamps: Bool?

  /// While something is open the loop wakes this often, only to see how late it is woken.
  private static let heartbeat = Duration.milliseconds(50)

  init(_ mailbox: ReactorMailbox, on loop: LoopThread) {
    self.mailbox = mailbox
    self.loop = loop
  }

  var watched: Int { flows.count }
  var isIdle: Bool { mailbox.isIdle }
  /// Nothing that the kernel reported in this turn had come before this instant.
  var readySince: Instant { loop.readySince }

  func ready(_ key: UInt64, _ events: UInt32, at now: Instant) {
    guard let id = SpareSockets.isTag(key) ? spares.borrower(key) : key else {
      return spares.emptyErrors(key)
    }
    if let flow = flows[id], !flow.ready(events, at: now, on: self) { flows[id] = nil }
  }

  func turn() -> LoopWish {
    settleEnded()
    guard mailbox.take(&commands) else { return .leave }
    if !commands.isEmpty {
      for command in commands { obey(command) }
      commands.removeAll(keepingCapacity: commands.capacity <= 4096)
      settleEnded()
    }
    if flows.isEmpty {
      timers.removeAll()
      return .wait(until: nil)
    }
    // Before the deadlines are judged: those that pass because of this turn's work are our own lateness.
    loop.noteWork()
    fireTimers(loop.drained)
    settleEnded()
    let beat = loop.woken + Self.heartbeat
    return .wait(until: timers.earliest.map { min($0, beat) } ?? beat)
  }

  func end() {
    for flow in flows.values { flow.cancel() }
    flows = [:]
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
      if let flow = flows[due], !flow.timer(at: now, on: self) { flows[due] = nil }
    }
  }

  /// Asks for `timer` at the instant. It may come more than once.
  func wake(_ id: UInt64, at instant: Instant) {
    timers.insert(id, at: instant)
  }

  /// Adds or changes the interest in a descriptor; closing it ends the interest. Returns 0 or an errno.
  func watch(_ descriptor: Int32, _ id: UInt64, _ events: UInt32, isNew: Bool) -> Int32 {
    loop.watch(descriptor, for: self, key: id, events, isNew: isNew)
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
    spares.add(number, isStamped: askForStamps(number))
    spares.lend(number, to: id)
    return number
  }

  func giveBack(_ number: Int32, _ family: Int32, nextDeparture: UInt32?) {
    spares.giveBack(number, family, nextDeparture: nextDeparture)
  }

  func nextDeparture(of number: Int32) -> UInt32? { spares.nextDeparture(of: number) }

  /// Whether the kernel will stamp the socket's datagrams, and number those that leave from 0 on.
  func askForStamps(_ number: Int32) -> Bool {
    let wants = wantsStamps ?? beginStamping()
    return wants && quartz_ask_for_stamps(number, 1) == 0
  }

  private func beginStamping() -> Bool {
    stamps.begin(.now())
    let keeper = openSocket(.udp, family: AF_INET)
    let isKnown = keeper < 0 || quartz_ask_for_stamps(keeper, 0) == 0
    wantsStamps = isKnown
    stampKeeper = Descriptor(keeper)
    return isKnown
  }

  /// When a stamped packet came or left. `nil` where it is not known.
  func instant(of stamp: Int64, notBefore earliest: Instant) -> Instant? {
    stamps.instant(of: stamp, notBefore: earliest, reading: .now())
  }

  /// Ends the interest in a descriptor that lives on elsewhere.
  func forget(_ descriptor: Int32) { loop.forget(descriptor) }

  func lateness(since start: Instant) -> Duration { loop.lateness(since: start) }
}
