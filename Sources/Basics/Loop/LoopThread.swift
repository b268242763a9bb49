// SPDX-License-Identifier: MIT

import CLinux
import Glibc

/// A guest of a loop: made, called and released on the loop's thread.
package protocol LoopGuest: AnyObject {
  /// Descriptors that the loop watches for it.
  var watched: Int { get }
  /// Nothing was handed in that was not taken up: if all guests say so, the thread sleeps.
  var isIdle: Bool { get }

  /// The kernel reports these `EPOLL…` bits for what is watched under the key.
  func ready(_ key: UInt64, _ events: UInt32, at now: Instant)
  /// Takes up what was handed in and looks at deadlines. Called after the events of a wait, and again after tasks have run.
  func turn() -> LoopWish
  /// The loop ends, or the guest has asked to leave.
  func end()
}

/// When a guest wants its next turn, if nothing comes before.
package enum LoopWish: Sendable {
  /// There is more to do.
  case again
  /// `nil` for no deadline.
  case wait(until: Instant?)
  /// The guest goes, after its `end()`.
  case leave
}

/// The body of a loop's thread: events, guests, tasks, in that order, so that an answer that is already here wins over a
/// deadline. A deadline counts only when everything that had come by it was looked at.
package final class LoopThread {
  private let door: LoopDoor
  private let executor: UnownedTaskExecutor
  /// Each under its number; `nil` when it has left.
  private var guests: [(any LoopGuest)?] = []
  private var drain = DrainClock(capacity: 256, now: .now)
  private var window = LatenessWindow()
  private let processor = ProcessorWait()
  /// Taken from the door, and how many of them have run.
  private var jobs: [UnownedJob] = []
  private var finished = 0
  private var isClosing = false
  /// When the thread was woken last.
  package private(set) var woken = Instant.now

  /// Nothing that the kernel reported in this turn had come before this instant.
  package var readySince: Instant { drain.readySince }
  /// Everything that had come by then was looked at.
  package var drained: Instant { drain.drained }

  /// Events that `watch` takes and `ready` gives, of epoll_ctl(2).
  package static let readable = EPOLLIN.rawValue
  package static let writable = EPOLLOUT.rawValue
  /// An error or the other side's end, which are reported unasked.
  package static let ended = EPOLLERR.rawValue | EPOLLHUP.rawValue

  /// Tasks that one round runs before the guests get their turn again.
  private static let jobLimit = 16
  /// Rounds of guests and tasks between two looks at the descriptors.
  private static let roundLimit = 3
  /// Where a guest's number stands in what epoll knows a descriptor by; its key has the rest.
  private static let numberShift: UInt64 = 56
  private static let bellNumber: UInt64 = 255

  init(_ door: LoopDoor, executor: UnownedTaskExecutor) {
    self.door = door
    self.executor = executor
  }

  func run() {
    guard
      control(door.bell.descriptor, Self.bellNumber << Self.numberShift, EPOLLIN.rawValue, EPOLL_CTL_ADD) == 0
    else { preconditionFailure("epoll refuses an eventfd") }
    var events = [epoll_event](repeating: epoll_event(), count: drain.capacity)
    door.bell.turns.begin()
    var wish = LoopWish.again
    while true {
      let count = wait(&events, wish)
      for event in events[..<count] { handOut(event) }
      wish = work()
      if isClosing { break }
    }
    for number in guests.indices { leave(number) }
    repeat { runJobs(limit: .max) } while !door.end()
    door.bell.turns.end()
    door.ended.open()
  }

  private func handOut(_ event: epoll_event) {
    let number = Int(event.data.u64 >> Self.numberShift)
    if number < guests.count {
      guests[number]?.ready(event.data.u64 & (1 << Self.numberShift - 1), event.events, at: woken)
    } else if UInt64(number) == Self.bellNumber {
      door.bell.clear()
    }
  }

  /// Guests and tasks in turn, until nothing is to be done or it is time to look what has come.
  private func work() -> LoopWish {
    var wish = LoopWish.again
    for _ in 0..<Self.roundLimit {
      wish = turnGuests()
      if !runJobs(limit: Self.jobLimit) { return wish }
    }
    return .again
  }

  private func turnGuests() -> LoopWish {
    let (entries, isClosing) = door.takeEntries()
    for entry in entries { guests.append(entry(self)) }
    self.isClosing = isClosing
    var (next, isBusy) = (Instant?.none, false)
    for number in guests.indices {
      switch guests[number]?.turn() {
      case .again: isBusy = true
      case .wait(let instant?): next = min(next ?? instant, instant)
      case .leave: leave(number)
      case .wait(nil), nil: break
      }
    }
    return isBusy ? .again : .wait(until: next)
  }

  private func leave(_ number: Int) {
    guests[number]?.end()
    guests[number] = nil
  }

  /// False: there was none.
  @discardableResult
  private func runJobs(limit: Int) -> Bool {
    var left = limit
    while left > 0 {
      if finished == jobs.count {
        // The memory of a burst is given back.
        jobs.removeAll(keepingCapacity: jobs.capacity <= 4096)
        finished = 0
        door.takeJobs(&jobs)
        if jobs.isEmpty { break }
      }
      let job = jobs[finished]
      finished += 1
      left -= 1
      job.runSynchronously(on: executor)
    }
    return left < limit
  }

  /// Waits for events or the wish, and notes how much later than that it was woken.
  private func wait(_ events: inout [epoll_event], _ wish: LoopWish) -> Int {
    let timeout = sleepTime(wish, at: .now)
    if timeout != 0 { door.bell.turns.end() }
    let before = Instant.now
    let count = max(0, Int(epoll_wait(door.epoll, &events, Int32(events.count), timeout)))
    if timeout != 0 {
      door.bell.wakeUp()
      door.bell.turns.begin()
    }
    woken = timeout == 0 && count == 0 ? before : Instant.now
    // Where there was nothing to wait for, it came while the thread was with others.
    let hasWaited = timeout != 0 && before.duration(to: woken) > .microseconds(100)
    let queued = hasWaited ? processor.look() : .zero
    drain.looked(
      at: woken, count: count, arrived: hasWaited ? max(before, woken - queued) : nil,
      open: guests.reduce(1) { $0 + ($1?.watched ?? 0) })
    if timeout > 0 {
      let late = before.duration(to: woken) - .milliseconds(Int(timeout))
      window.record(late, at: woken)
      ProcessPauses.shared.record(late - queued, at: woken)
    }
    return count
  }

  /// Milliseconds; negative: until something comes.
  private func sleepTime(_ wish: LoopWish, at now: Instant) -> Int32 {
    var timeout: Int32 = -1
    switch wish {
    case .wait(nil): break
    case .wait(let next?):
      // Rounded up: waking before a deadline would only mean to wait again.
      timeout = Int32(clamping: (max(.zero, now.duration(to: next)).microseconds + 999) / 1000)
    case .again, .leave: return 0
    }
    if timeout == 0 { return 0 }
    door.bell.fallAsleep()
    if door.isIdle, guests.allSatisfy({ $0?.isIdle ?? true }) { return timeout }
    door.bell.wakeUp()
    return 0
  }

  /// Adds or changes the interest of a guest in a descriptor; closing it ends the interest. Returns 0 or an errno.
  ///
  /// - Parameter key: of the guest's own, below 2^56.
  package func watch(
    _ descriptor: Int32, for guest: any LoopGuest, key: UInt64, _ events: UInt32, isNew: Bool
  ) -> Int32 {
    let number = UInt64(guests.firstIndex { $0 === guest } ?? guests.count)
    return control(
      descriptor, number << Self.numberShift | key, events, isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD)
  }

  /// Ends the interest in a descriptor that lives on elsewhere.
  package func forget(_ descriptor: Int32) { _ = control(descriptor, 0, 0, EPOLL_CTL_DEL) }

  private func control(_ descriptor: Int32, _ tag: UInt64, _ events: UInt32, _ operation: Int32) -> Int32 {
    var event = epoll_event()
    event.events = events
    event.data.u64 = tag
    return epoll_ctl(door.epoll, operation, descriptor, &event) == 0 ? 0 : errno
  }

  /// Records the time that this turn's work took, which made later events late. Called before deadlines are judged.
  package func noteWork() { window.record(woken.duration(to: .now), at: woken) }

  /// The most that the thread was late since then: woken late, or busy elsewhere.
  package func lateness(since start: Instant) -> Duration { window.largest(since: start) }
}
