// SPDX-License-Identifier: MIT

import Basics
import Glibc
import Monitoring
import Synchronization

/// Processor time that one judgement of outside data may take. It counts the processor time of the thread it was made
/// on, and is good on that thread alone: on a loaded machine a judgement takes longer and costs the same.
final class CPUBudget {
  private let start = SystemClock.threadWork.nanoseconds
  private let limit: Int64
  /// How long the judgement waited for a thread: our own doing.
  let waited: Duration
  /// More was asked for, and there was nothing left. The judge says so in the verdict.
  private(set) var isSpent = false

  /// Raised when the verdict is not wanted any more.
  private let stop: StopFlag?

  init(_ limit: Duration, waited: Duration = .zero, stop: StopFlag? = nil) {
    self.limit = Int64(limit / .nanoseconds(1))
    self.waited = waited
    self.stop = stop
  }

  /// By the bytes to be judged: a second, and a fifth for each MiB. A linear judgement needs a tenth of that.
  convenience init(bytes: Int, waited: Duration = .zero, stop: StopFlag? = nil) {
    self.init(.milliseconds(1000 + bytes / (1 << 20) * 200), waited: waited, stop: stop)
  }

  /// Nanoseconds; 0 when nothing is left.
  var left: Int64 {
    if stop?.isRaised == true { isSpent = true }
    if isSpent { return 0 }
    let left = max(0, limit - used)
    if left == 0 { isSpent = true }
    return left
  }

  var used: Int64 { SystemClock.threadWork.nanoseconds - start }

  /// False when there is nothing left, and from then on.
  func allowsMore() -> Bool { !isSpent && left > 0 }

  /// The verdict of a judgement that had to wait too long to be worth anything.
  var lateness: Verdict? {
    guard waited > JudgeBench.patience else { return nil }
    return Verdict(
      .localFault, phase: .assertion,
      message: "this machine was busy: the answer waited \(Int(waited.seconds)) s to be judged")
  }

  /// Words for data that was not judged.
  static let words = "could not be judged: it takes too long"
}

/// Set once, by another thread.
final class StopFlag: Sendable {
  private let value = Atomic(false)
  var isRaised: Bool { value.load(ordering: .relaxed) }
  func raise() { value.store(true, ordering: .relaxed) }
}
