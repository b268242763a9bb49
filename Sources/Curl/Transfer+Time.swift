// SPDX-License-Identifier: MIT

import Basics
import CCurl
import Glibc

/// The other side's time. Data for a transfer may have waited for the engine's thread, which was with others or without
/// a core: its server gets that time back.
extension Transfer {
  /// Turns in which a transfer is read on after its deadline, because what had come by then was more than one turn takes.
  static let lastTurns = 4

  /// When its server has had all its time.
  var deadline: Instant { started + allowance.whole }

  /// libcurl's own limit, in case that ours fails: beyond anything that is held. After a longer pause of the process it
  /// ends a transfer before ours is asked, and before it reads what has come.
  var backstop: Duration { request.timeout * 2 + .seconds(10) }

  /// Something was done that only the server could bring about, and that only we could go on with: the connection, its
  /// certificate, the end of the handshake, the first line of an answer. Counted once for each of them, so that nothing a
  /// server sends makes it more.
  func goesOn(with step: Milestone, at now: Instant) {
    guard passed.insert(step).inserted else { return }
    let since = max(arrivals.readySince, lastServed)
    if now > since { allowance.hold(now - since) }
    lastServed = now
  }

  /// The meaning of the end of its time.
  ///
  /// - Parameter looked: when the engine last looked at what had come; much later than the deadline, and other delays
  ///   cannot be excluded.
  func overtime(at looked: Instant) -> TransferStop {
    let late = looked - deadline
    guard allowance.end(after: looked - started, lateness: late) == .ownFault else { return .deadline }
    return .late(late + allowance.excess)
  }

  /// Notes the lateness of this machine where libcurl's own limit ended the transfer. A connection that the kernel gave up
  /// (ETIMEDOUT) has the same code, and is not late.
  func noteLateness(of code: CURLcode, at now: Instant) {
    guard code == CURLE_OPERATION_TIMEDOUT, stop == nil, case .late(let span) = overtime(at: now) else {
      return
    }
    stop = .late(span)
  }

  /// Lateness of this machine in a complete answer that is too large to tell how long the server took: the answer ended that much
  /// after the deadline, or the process was paused meanwhile. `nil` without, and of what is no probe: its answer counts,
  /// whenever it came.
  func lateness(of times: TransferTimes) -> Duration? {
    guard request.origin.kind.isProbe else { return nil }
    if case .late(let span) = overtime(at: started + times.ended) { return span }
    return times.paused * 5 > allowance.limit ? times.paused : nil
  }

  /// More had come than a turn takes: it is read on for a few turns.
  func mayReadOn() -> Bool {
    guard descriptor >= 0, turnsBeyond < Self.lastTurns else { return false }
    turnsBeyond += 1
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) == 1 && Int32(entry.revents) & POLLIN != 0
  }
}

/// Steps of a transfer that its server brings about.
struct Milestone: OptionSet, Hashable {
  let rawValue: UInt8
  static let connection = Milestone(rawValue: 1)
  static let certificate = Milestone(rawValue: 2)
  static let request = Milestone(rawValue: 4)
  static let answer = Milestone(rawValue: 8)
}
