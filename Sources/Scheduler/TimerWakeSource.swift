// SPDX-License-Identifier: MIT

import Basics
import CLinux
import Glibc

/// The system's clocks, and a thread that sleeps in `poll` until a timer or an event.
///
/// Two timers, since neither can do the other's work: the one on CLOCK_BOOTTIME fires at an instant, also when that
/// passed during suspend; the one on CLOCK_REALTIME never fires, but TFD_TIMER_CANCEL_ON_SET makes it readable when
/// somebody sets the wall clock, and that flag exists for this clock only.
package final class TimerWakeSource: WakeSource {
  package let wakes: AsyncStream<Void>
  private let time: TimeSource
  private let descriptors: WakeDescriptors
  private let continuation: AsyncStream<Void>.Continuation

  /// Throws when descriptors or a thread cannot be had.
  package init(time: TimeSource) throws(WakeSourceFailure) {
    self.time = time
    // Newest only: a wake-up says "look", and looking once is enough however many there were.
    (wakes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    descriptors = try WakeDescriptors()
    do throws(WakeSourceFailure) {
      try startWakeThread(WakeThread(descriptors: descriptors, continuation: continuation))
    } catch {
      descriptors.close()
      throw error
    }
  }

  /// The thread closes the descriptors and ends the stream. Nobody arms a source that is gone, so it is their last
  /// user.
  deinit { eventfd_write(descriptors.stop, 1) }

  package func now() -> ClockReading { time.reading() }

  package func arm(at deadline: Instant?) {
    var time = itimerspec()
    if let deadline {
      // All zero would disarm.
      let nanoseconds = max(1, deadline.nanoseconds)
      time.it_value.tv_sec = Int(nanoseconds / 1_000_000_000)
      time.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
    }
    timerfd_settime(descriptors.timer, Int32(TFD_TIMER_ABSTIME), &time, nil)
  }

  package func wake() { continuation.yield() }
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

/// Closed once, by whoever owns them last.
private struct WakeDescriptors {
  let timer: Int32
  /// -1 where the kernel does not offer it: a step of the wall clock is then seen at the next wake-up.
  let clockSet: Int32
  let stop: Int32

  init() throws(WakeSourceFailure) {
    let flags = Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK)
    timer = timerfd_create(CLOCK_BOOTTIME, flags)
    guard timer >= 0 else { throw WakeSourceFailure(what: "a timer", code: errno) }
    stop = eventfd(0, Int32(EFD_CLOEXEC))
    guard stop >= 0 else {
      let code = errno
      Glibc.close(timer)
      throw WakeSourceFailure(what: "an event descriptor", code: code)
    }
    clockSet = timerfd_create(CLOCK_REALTIME, flags)
    watchClock()
  }

  /// To be said anew after each cancellation.
  func watchClock() {
    guard clockSet >= 0 else { return }
    var never = itimerspec()
    never.it_value.tv_sec = Int.max
    timerfd_settime(clockSet, Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET), &never, nil)
  }

  func close() {
    Glibc.close(timer)
    Glibc.close(stop)
    if clockSet >= 0 { Glibc.close(clockSet) }
  }
}

/// What the thread owns.
private final class WakeThread: Sendable {
  let descriptors: WakeDescriptors
  let continuation: AsyncStream<Void>.Continuation

  init(descriptors: WakeDescriptors, continuation: AsyncStream<Void>.Continuation) {
    self.descriptors = descriptors
    self.continuation = continuation
  }

  /// Until the stop event.
  func run() {
    var polled = [descriptors.timer, descriptors.clockSet, descriptors.stop].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    while polled[2].revents == 0 {
      guard poll(&polled, nfds_t(polled.count), -1) > 0 else { continue }
      var expirations: UInt64 = 0
      if polled[0].revents != 0 { read(descriptors.timer, &expirations, 8) }
      if polled[1].revents != 0 {
        // Fails with ECANCELED, which takes the event away.
        read(descriptors.clockSet, &expirations, 8)
        descriptors.watchClock()
      }
      continuation.yield()
    }
    descriptors.close()
    continuation.finish()
  }
}

/// A small stack will do, and signals belong to other threads.
private func startWakeThread(_ work: WakeThread) throws(WakeSourceFailure) {
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setstacksize(&attributes, 256 * 1024)
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  var all = sigset_t()
  var before = sigset_t()
  sigfillset(&all)
  pthread_sigmask(SIG_SETMASK, &all, &before)
  defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
  let context = Unmanaged.passRetained(work)
  var thread = pthread_t()
  let code = pthread_create(&thread, &attributes, wakeThreadBody, context.toOpaque())
  if code != 0 {
    context.release()
    throw WakeSourceFailure(what: "a thread", code: code)
  }
}

/// Takes over the reference that `startWakeThread` made.
private func wakeThreadBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<WakeThread>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
