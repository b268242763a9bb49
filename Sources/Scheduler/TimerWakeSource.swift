// SPDX-License-Identifier: MIT

import Basics
import CLinux
import Glibc
import Synchronization

/// The system's clocks, and a timer on an event loop.
///
/// Two timers, since neither can do the other's work: the one on CLOCK_BOOTTIME fires at an instant, also when that
/// passed during suspend; the one on CLOCK_REALTIME never fires, but TFD_TIMER_CANCEL_ON_SET makes it readable when the
/// wall clock is set, and that flag exists for this clock only.
package final class TimerWakeSource: WakeSource {
  package var wakes: AsyncStream<Void> { bell.rings }
  private let time: TimeSource
  private let timers: WakeTimers
  private let loop: EventLoop
  private let bell = Bell()

  /// Throws when descriptors or a thread cannot be had.
  ///
  /// - Parameter loop: nil: one of its own.
  package init(time: TimeSource, on loop: EventLoop? = nil) throws(WakeSourceFailure) {
    self.time = time
    let timers = try WakeTimers()
    self.timers = timers
    do {
      if let loop { self.loop = loop } else { self.loop = try EventLoop("timer") }
    } catch {
      throw WakeSourceFailure(what: error.call, code: error.code)
    }
    self.loop.admit { [bell] in WakeGuest(timers, bell, on: $0) }
  }

  /// The guest ends the stream.
  deinit {
    timers.isStopped.store(true, ordering: .relaxed)
    loop.bell.ring()
  }

  package func now() -> ClockReading { time.reading() }

  package func arm(at deadline: Instant?) {
    var time = itimerspec()
    (time.it_value.tv_sec, time.it_value.tv_nsec) = Self.setting(deadline)
    timerfd_settime(timers.timer, Int32(TFD_TIMER_ABSTIME), &time, nil)
  }

  /// Time that the timer is set to; zero and zero disarm it.
  static func setting(_ deadline: Instant?) -> (seconds: Int, nanoseconds: Int) {
    guard let deadline else { return (0, 0) }
    let nanoseconds = max(1, deadline.nanoseconds)
    return (Int(nanoseconds / 1_000_000_000), Int(nanoseconds % 1_000_000_000))
  }

  package func wake() { bell.ring() }
}

/// Why a wake source could not be made.
package struct WakeSourceFailure: Error, CustomStringConvertible {
  package let what: String
  package let code: Int32

  package var description: String {
    "cannot create \(what) for the scheduler: \(String(cString: strerror(code))); "
      + "raise the limit of open files or threads (LimitNOFILE, TasksMax)"
  }
}

/// Closed when neither the source nor its guest needs them.
private final class WakeTimers: Sendable {
  let timer: Int32
  /// -1 where the kernel does not offer it: a step of the wall clock is then seen at the next wake-up.
  let clockSet: Int32
  /// The source is gone.
  let isStopped = Atomic(false)

  init() throws(WakeSourceFailure) {
    let flags = Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK)
    timer = timerfd_create(CLOCK_BOOTTIME, flags)
    guard timer >= 0 else { throw WakeSourceFailure(what: "a timer", code: errno) }
    clockSet = timerfd_create(CLOCK_REALTIME, flags)
    watchClock()
  }

  deinit {
    close(timer)
    if clockSet >= 0 { close(clockSet) }
  }

  /// To be said again after each cancellation.
  func watchClock() {
    guard clockSet >= 0 else { return }
    var never = itimerspec()
    never.it_value.tv_sec = Int.max
    timerfd_settime(clockSet, Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET), &never, nil)
  }
}

/// On the loop's thread: says to look when a timer has fired.
private final class WakeGuest: LoopGuest {
  private static let timerKey: UInt64 = 0
  private static let clockKey: UInt64 = 1

  private let timers: WakeTimers
  private let bell: Bell

  init(_ timers: WakeTimers, _ bell: Bell, on loop: LoopThread) {
    self.timers = timers
    self.bell = bell
    // Told once for each time it fires, so that nothing has to be read: to arm it again takes the expiration away.
    let once = LoopThread.readable | EPOLLET.rawValue
    _ = loop.watch(timers.timer, for: self, key: Self.timerKey, once, isNew: true)
    if timers.clockSet >= 0 {
      _ = loop.watch(timers.clockSet, for: self, key: Self.clockKey, LoopThread.readable, isNew: true)
    }
  }

  var watched: Int { 2 }
  var isIdle: Bool { !timers.isStopped.load(ordering: .relaxed) }

  func ready(_ key: UInt64, _ events: UInt32, at now: Instant) {
    if key == Self.clockKey {
      // Fails with ECANCELED, which takes the event away.
      var expirations: UInt64 = 0
      read(timers.clockSet, &expirations, 8)
      timers.watchClock()
    }
    bell.ring()
  }

  func turn() -> LoopWish { isIdle ? .wait(until: nil) : .leave }

  func end() { bell.end() }
}
