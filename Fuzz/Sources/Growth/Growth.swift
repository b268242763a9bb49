// SPDX-License-Identifier: MIT

import Glibc

@testable import Basics
@testable import Checks
@testable import Curl
@testable import History
@testable import Monitoring
@testable import QuartzAPI
@testable import Spool
@testable import SpoolFuzz
@testable import StatusServer

/// Feeds each reader of what comes from outside the worst input known for it, at a size and at twice the size: the
/// second may take at most 2.5 times as long. Prints a table; exits 1 when a reader takes longer.
///
/// A row must be able to fail, so one that takes no longer at twice the size, or whose input was not read as it was
/// meant, fails as well. Before the table the measure is tried on planted readers that it must tell apart.
@main enum Growth {
  static let most = 2.5
  /// Less says that the size does not reach the work.
  static let least = 1.2

  static func main() {
    tryOnPlanted()
    var again: [Worst] = []
    print("| reader | worst input | size | ms | ms at twice the size | growth |")
    print("|---|---|--:|--:|--:|--:|")
    for worst in worstInputs {
      let found = worst.growth()
      show(found, of: worst)
      if found.problem != nil { again.append(worst) }
    }
    // A neighbour that fills the caches for a minute is gone a minute later; growth is still there.
    var failed: [String] = []
    for worst in again {
      let found = worst.growth()
      show(found, of: worst)
      if let problem = found.problem { failed.append("\(worst.reader), \(worst.what): \(problem)") }
    }
    guard !failed.isEmpty else { return }
    for line in failed { print(line) }
    exit(1)
  }

  private static func show(_ found: Worst.Found, of worst: Worst) {
    print(
      "| \(worst.reader) | \(worst.what) | \(found.size) | \(shown(found.once)) | \(shown(found.twice)) | "
        + "\(shown((found.ratio * 10).rounded() / 10)) |")
    fflush(nil)
  }

  private static func tryOnPlanted() {
    for (worst, isSound) in plantedReaders {
      var found = worst.growth()
      if (found.problem == nil) != isSound { found = worst.growth() }
      guard (found.problem == nil) == isSound else {
        print("the measure is wrong about \(worst.what): \(shown(found.ratio)), \(found.problem ?? "sound")")
        exit(1)
      }
    }
  }

  private static func shown(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }
}

/// Says whether the input was read as it was meant.
typealias Work = () -> Bool

struct Worst: Sendable {
  struct Found {
    var size: Int
    /// Milliseconds of the thread's own time.
    var once: Double
    var twice: Double
    var isRead = true

    var ratio: Double { twice / max(once, 0.000_001) }

    var problem: String? {
      if !isRead { return "the input is not read as it is meant" }
      if ratio > Growth.most { return "grows by more than \(Growth.most)" }
      return ratio < Growth.least ? "does not grow, so it says nothing" : nil
    }
  }

  let reader: String
  let what: String
  let size: Int
  /// The largest that the reader takes; nil: any.
  let most: Int?
  /// Makes the input of a size, and gives the work on it.
  let work: @Sendable (Int) -> Work

  init(
    _ reader: String, _ what: String, size: Int, most: Int? = nil, work: @escaping @Sendable (Int) -> Work
  ) {
    self.reader = reader
    self.what = what
    self.size = size
    self.most = most
    self.work = work
  }

  /// What looks wrong is measured again, longer and with more of the input: a loaded machine has moments.
  func growth() -> Found {
    var size = size
    var found = measured(size, turns: 5)
    for turn in 1...4 where found.problem != nil && found.isRead {
      // What takes long is large enough.
      if size * 4 <= most ?? .max, found.twice < 20 { size *= 2 }
      found = measured(size, turns: 5 + 5 * turn)
    }
    return found
  }

  /// The least of so many turns, taken in alternation, each repeated until it takes a while.
  private func measured(_ size: Int, turns: Int) -> Found {
    let (small, large) = (work(size), work(2 * size))
    var found = Found(size: size, once: .infinity, twice: .infinity)
    guard small(), large() else { return Found(size: size, once: 0, twice: 0, isRead: false) }
    let repeats = max(1, Int((2 / max(timed(1, small), 0.001)).rounded(.up)))
    for _ in 0..<turns {
      found.once = min(found.once, timed(repeats, small) / Double(repeats))
      found.twice = min(found.twice, timed(repeats, large) / Double(repeats))
    }
    return found
  }

  private func timed(_ repeats: Int, _ work: Work) -> Double {
    let start = threadTime()
    for _ in 0..<repeats { _ = work() }
    return threadTime() - start
  }
}

private func threadTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
}

/// The rooms are built with libFuzzer's runtime, which asks for a target. Nothing calls it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt { 0 }
