// SPDX-License-Identifier: MIT

import Basics
import Dispatch
import Glibc
import Logging
import Synchronization
import TestSupport
import Testing

@testable import QuartzAgent

/// What a flood of lines costs, and that what is left out is counted.
@Suite struct LogSinkTests {
  private final class Lines: Sendable {
    private let kept = Mutex<[String]>([])
    func add(_ line: String) { kept.withLock { $0.append(line) } }
    /// Without their time.
    var all: [String] { kept.withLock { $0.map { String($0.drop { $0 != " " }.dropFirst()) } } }
  }

  /// Sixty lines a minute of one class; the next minute begins with how many were left out, and counts again.
  @Test func aClassHasSixtyLinesAMinute() {
    let (clock, lines) = (FakeClock(), Lines())
    let sink = LogSink(format: .text, time: clock.time) { lines.add($0) }
    for number in 0..<100 { sink.log(.warning, "check", "down", ["number": "\(number)"]) }
    sink.log(.info, "check", "down", [:])
    clock.advance(by: .seconds(60))
    sink.log(.warning, "check", "down", ["number": "100"])
    sink.drain()
    #expect(
      lines.all == (0..<60).map { "WARNING check: down number=\($0)" }
        + [
          "INFO check: down", "WARNING log: repeated lines left out count=40",
          "WARNING check: down number=100",
        ])
  }

  /// Lines that are all different are classes of their own up to a cap, then one class together.
  @Test func classesHaveACap() {
    let (clock, lines) = (FakeClock(), Lines())
    let sink = LogSink(format: .text, time: clock.time) { lines.add($0) }
    let most = LogSink.mostClasses
    for number in 0..<most {
      sink.log(.info, "check", "line \(number)", [:])
      // The queue is for a thousand lines: its thread takes them meanwhile.
      if number % 500 == 499 { while lines.all.count <= number { sched_yield() } }
    }
    for number in 0..<100 { sink.log(.info, "check", "more \(number)", [:]) }
    sink.log(.info, "check", "line 0", [:])
    sink.drain()
    let all = lines.all
    #expect(all.prefix(most) == (0..<most).map { "INFO check: line \($0)" }[...])
    #expect(
      all.dropFirst(most)
        == ((0..<60).map { "INFO check: more \($0)" }
        + ["INFO check: line 0", "WARNING log: repeated lines left out count=40"])[...])
  }

  /// Standard error that nobody reads: a thousand lines wait, the rest are counted.
  @Test func whatNobodyReadsIsCounted() {
    let (clock, lines) = (FakeClock(), Lines())
    let holds = DispatchSemaphore(value: 0)
    let sink = LogSink(format: .text, time: clock.time) { line in
      holds.wait()
      holds.signal()
      lines.add(line)
    }
    for number in 0..<60 {
      for part in 0..<50 { sink.log(.info, "check", "line \(part)", ["number": "\(number)"]) }
    }
    holds.signal()
    sink.drain()
    let all = lines.all
    let dropped = all.compactMap { line in
      line.split(separator: "count=").last.flatMap { line.contains("is not read") ? Int($0) : nil }
    }
    #expect(all.filter { $0.hasPrefix("INFO") }.count + dropped.reduce(0, +) == 3000)
    #expect(dropped.reduce(0, +) >= 1000, "one batch was on its way, another waited")
  }
}
